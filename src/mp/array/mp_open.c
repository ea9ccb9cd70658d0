/* Creating, opening and closing. The root makes the call and sends its state to the others. */
#include <stdio.h>

#include "mp/far/far_home.h"

static void close_array(drxmp_array *m)
{
    drxi_leave_backend(m);
    drxi_job_end(m);
    if (m->a && !m->lent) {
        drxi_set_parallel(m->a, 0);
        (void)drx_close(m->a);
    }
    m->a = NULL;
}

void drxi_free_handle(drxmp_array *m)
{
    close_array(m);
    drxi_home_end(m->home, m->comm);
    (void)MPI_Comm_free(&m->comm);
    (void)MPI_Comm_free(&m->request_comm);
    drxi_free(m->wire);
    drxi_free(m->sets);
    drxi_free(m);
}

void drxi_free_failed(drxmp_array *m, const char *made)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    close_array(m);
    if (made)
        (void)drx_remove(made);
    drxi_free_handle(m);
    drxi_report_set(detail);
}

drx_status drxi_new_handle(MPI_Comm comm, drxmp_array **out)
{
    MPI_Comm own;
    void *handle;
    drxmp_array *m;
    drx_status st = drxi_new_on(comm, sizeof *m, &own, &handle);

    *out = NULL;
    if (st)
        return st;
    m = handle;
    if ((st = drxi_duplicate_comm(own, &m->request_comm))) {
        (void)MPI_Comm_free(&own);
        drxi_free(m);
        return st;
    }
    m->ways = &drxi_in_files;
    m->file = MPI_FILE_NULL;
    m->comm = own;
    (void)MPI_Comm_rank(own, &m->rank);
    (void)MPI_Comm_size(own, &m->ranks);
    *out = m;
    return DRX_OK;
}

struct news {
    int64_t log_bytes;
    int writable;
    int nameless;     /* for a temporary array, the number of its data files; otherwise 0 */
    char report[512]; /* the detail that the root's call left on success */
};

static drx_status gather_news(const drxmp_array *m, struct news *news, uint8_t **log)
{
    news->writable = drxi_parts_of(m->a)->writable;
    news->nameless = drxi_parts_of(m->a)->temporary ? drxi_data_of(m->a)->file->stored->count(drxi_state_of(m->a)) : 0;
    (void)strncpy(news->report, drx_last_error(), sizeof news->report - 1);
    return drxi_read_log(m->a, 0, log, &news->log_bytes);
}

/* Open files without a name through the root's process. If that fails on one rank, the files are parked: they get
 * other names until they are closed or the array is persisted. */
static drx_status open_nameless(drxmp_array *m, const char *path, const struct news *news, const uint8_t *log,
                                struct drxi_alias alias[], bool parked)
{
    drx_status st = m->rank == DRXI_ROOT ? drxi_data_aliases(drxi_data_of(m->a), parked, alias) : DRX_OK;

    st = drxi_from_root(m->comm, st, alias, news->nameless * (int)sizeof *alias);
    if (!st && m->rank != DRXI_ROOT)
        st = drxi_open_replica(path, news->writable, alias, log, news->log_bytes, &m->a);
    st = drxi_agree(m->comm, st, NULL);
    if (!st || parked)
        return st;
    if (m->rank != DRXI_ROOT)
        close_array(m);
    return open_nameless(m, path, news, log, alias, true);
}

static drx_status open_replicas(drxmp_array *m, const char *path, const struct news *news, uint8_t **log)
{
    struct drxi_alias *alias = drxi_calloc((size_t)news->nameless, sizeof *alias);
    drx_status st = drxi_share_bytes(m->comm, log, news->log_bytes);

    if (news->nameless && m->ranks > 1) {
        st = drxi_agree(m->comm, st || alias ? st : DRX_ENOMEM, NULL);
        if (!st)
            st = open_nameless(m, path, news, *log, alias, false);
    } else if (!st && m->rank != DRXI_ROOT) {
        st = drxi_open_replica(path, news->writable, NULL, *log, news->log_bytes, &m->a);
    }
    drxi_free(alias);
    if (!st)
        st = drxi_move_memory(m, drx_ndim(m->a));
    return drxi_agree(m->comm, st, NULL);
}

/* All have it: what they do alike. */
static drx_status complete_open(drxmp_array *m)
{
    drx_status st = drxi_use_settings(m, &m->settings);

    if (!st) /* what is new, or repaired, may have got the root further than the log says */
        st = drxi_share_epochs(m, false);
    if (!st)
        drxi_share_machine(m->a, m->ranks);
    return st;
}

drx_status drxi_share_lent(drxmp_array *m)
{
    const drx_status st = drxi_agree(m->comm, drxi_move_memory(m, drx_ndim(m->a)), NULL);

    return st ? st : complete_open(m);
}

/* Give all ranks the array m->a that the root has opened, with the root's status, or that error. On failure m->a may be
 * there. Collective. */
static drx_status share_array(drxmp_array *m, const char *path, drx_status roots)
{
    struct news news = { 0 };
    uint8_t *log = NULL;
    drx_status st;

    if (m->rank == DRXI_ROOT && !roots)
        roots = gather_news(m, &news, &log);
    st = drxi_from_root(m->comm, roots, &news, sizeof news);
    if (!st)
        st = open_replicas(m, path, &news, &log);
    if (!st)
        st = complete_open(m);
    drxi_free(log);
    if (st)
        return st;
    drxi_report_set(news.report);
    return DRX_OK;
}

/* An array to open or, with a spec, to make. */
struct opening {
    const char *path;
    int mode;
    const drx_spec *spec;
    bool fill;
    MPI_Comm keeper; /* of an array in memory: the caller's */
};

static drx_status make_in_memory(drxmp_array *m, MPI_Comm keeper, const drx_spec *spec, drxmp_array **out)
{
    const drx_status st = drxi_job_make(m, keeper, spec);

    if (st)
        drxi_free_failed(m, NULL);
    else
        *out = m;
    return st;
}

/* Open or make an array after the ranks have agreed on the call. If one of them fails, the root removes a new array. */
static drx_status open_all(drxmp_array *m, const struct opening *o, drxmp_array **out)
{
    const int64_t cache_bytes = drxi_settings_cache(&m->settings, o->spec || o->mode != DRX_RDONLY);
    bool made = false;
    drx_status st = DRX_OK;

    if (!o->path)
        return make_in_memory(m, o->keeper, o->spec, out);
    if (m->settings.local_stripes && (st = drxi_home_begin(m->comm, cache_bytes, &m->home))) {
        drxi_free_failed(m, NULL);
        return st;
    }
    drxi_home_enter(m->home);
    if (m->rank == DRXI_ROOT) {
        st = o->spec ? drxi_create(o->path, o->spec, o->fill ? DRXI_FILLED : 0, &m->a)
                     : drxi_open(o->path, o->mode, &m->a);
        made = o->spec && m->a && !drxi_parts_of(m->a)->temporary;
    }
    st = share_array(m, o->path, st);
    if (!st)
        st = drxi_home_share(&m->home, m->comm);
    if (st)
        drxi_free_failed(m, made ? o->path : NULL);
    drxi_home_enter(NULL);
    if (st)
        return st;
    drxi_set_parallel(m->a, m->ranks);
    *out = m;
    return DRX_OK;
}

static drx_status open_with(MPI_Comm comm, const struct drxi_settings *settings, const struct opening *o,
                            drxmp_array **out)
{
    drxmp_array *m;
    drx_status st = drxi_new_handle(comm, &m);

    if (st)
        return st;
    m->settings = *settings;
    return open_all(m, o, out);
}

drx_status drxi_open_made(MPI_Comm comm, const struct drxi_settings *settings, const char *path, drxmp_array **out)
{
    return open_with(comm, settings, &(struct opening){ .path = path, .mode = DRX_RDWR }, out);
}

drx_status drxi_make(MPI_Comm comm, const struct drxi_settings *settings, const char *path, const drx_spec *spec,
                     drxmp_array **out)
{
    return open_with(comm, settings, &(struct opening){ .path = path, .spec = spec }, out);
}

void drxi_call_settings(struct drxi_call *call, const struct drxi_settings *settings)
{
    drxi_call_int(call, "the backend", settings->backend);
    drxi_call_int(call, "the number of I/O ranks", settings->io_ranks);
    drxi_call_int(call, "the buffer's size", settings->buffer_bytes);
    drxi_call_int(call, "DRXMP_LOCAL_STRIPES", settings->local_stripes);
    drxi_call_int(call, "the cache's size", settings->cache_bytes);
    drxi_call_text(call, "the hints", settings->hints);
}

/* Agree on the call, which `call` describes except for the settings, and open. `mine` is an error of this
 * rank's arguments. */
static drx_status agree_and_open(MPI_Comm comm, drx_status mine, struct drxi_call *call, const struct opening *o,
                                 drxmp_array **out)
{
    drxmp_array *m;
    drx_status st = drxi_new_handle(comm, &m);

    if (out)
        *out = NULL;
    if (st)
        return st;
    st = drxi_settings_init_anyway(&m->settings, m->ranks, mine);
    drxi_call_settings(call, &m->settings);
    st = drxi_agree(m->comm, st, call);
    if (!st)
        return open_all(m, o, out);
    drxi_free_handle(m);
    return st;
}

drx_status drxi_open_lone(MPI_Comm comm, const char *path, int mode, drxmp_array **out)
{
    struct drxi_call call;
    drx_status st = DRX_OK;

    drxi_call_start(&call, "drxmp_open");
    drxi_call_text(&call, "the path", path);
    drxi_call_int(&call, "the mode", mode);
    if (!out || !path)
        st = drxi_fail(DRX_EINVAL, "drxmp_open: path or out is a null pointer");
    else if (mode == DRX_SHARED)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: DRX_SHARED: the processes of a job are one writer, expected DRX_RDWR",
                       path);
    return agree_and_open(comm, st, &call, &(struct opening){ .path = path, .mode = mode }, out);
}

/* A null pointer stands for zeros, which some ranks may give and others not. */
static void call_lower(struct drxi_call *call, const int64_t *lower, size_t n)
{
    int64_t first[DRX_MAX_NDIM] = { 0 };

    if (lower)
        memcpy(first, lower, n * sizeof *lower);
    drxi_call_bytes(call, "spec.lower", first, n * sizeof *first);
}

void drxi_call_spec(struct drxi_call *call, const drx_spec *spec)
{
    const size_t n = spec->ndim > 0 && spec->ndim <= DRX_MAX_NDIM ? (size_t)spec->ndim : 0;
    const int64_t options[] = { spec->chunk_order, spec->flags,   spec->align, spec->codec,
                                spec->level,       spec->shuffle, spec->grows };

    drxi_call_int(call, "spec.ndim", spec->ndim);
    drxi_call_bytes(call, "spec.shape", spec->shape, n * sizeof *spec->shape);
    call_lower(call, spec->lower, n);
    drxi_call_bytes(call, "spec.chunk", spec->chunk, n * sizeof *spec->chunk);
    drxi_call_type(call, "spec.type", spec->type);
    drxi_call_bytes(call, "spec's order, flags, ...", options, sizeof options);
    drxi_call_bytes(call, "spec.fill", spec->fill, drx_type_size(spec->type));
    drxi_call_bytes(call, "spec.dims", NULL, 0);
    for (size_t j = 0; spec->dims && j < n; j++)
        drxi_call_also(call, spec->dims[j]);
    drxi_call_stripes(call, spec->nstripes, spec->stripes);
    drxi_call_int(call, "spec.source's byte order", spec->source ? spec->source->byte_order : -1);
    drxi_call_bytes(call, "spec.source's filters", spec->source ? spec->source->filters : NULL,
                    spec->source ? spec->source->nwords * sizeof *spec->source->filters : 0);
}

drx_status drxmp_create(MPI_Comm comm, const char *path, const drx_spec *spec, drxmp_array **out)
{
    struct drxi_call call;
    drx_status st = DRX_OK;

    drxi_call_start(&call, "drxmp_create");
    drxi_call_text(&call, "the path", path);
    if (!out || !spec)
        st = drxi_fail(DRX_EINVAL, "drxmp_create: spec or out is a null pointer");
    else
        drxi_call_spec(&call, spec);
    return agree_and_open(comm, st, &call,
                          &(struct opening){ .path = path, .spec = spec, .fill = true, .keeper = comm }, out);
}

drx_status drxmp_persist(drxmp_array *m, unsigned flags)
{
    struct drxi_home *home;
    struct drxi_call call;
    drx_status st, shared;

    if (!m)
        return drxi_no_array();
    drxi_call_start(&call, "drxmp_persist");
    drxi_call_int(&call, "flags", flags);
    if ((st = drxi_begin(m, drxi_check_idle(m), &call)))
        return st;
    st = drxi_sync_everywhere(m); /* before the name appears, and before an array of that name goes */
    if (st)
        return st;
    if ((st = drxi_home_of_replaced(m, &home))) {
        (void)drxi_share_epochs(m, false);
        return st;
    }
    if (m->rank == DRXI_ROOT) {
        drxi_set_parallel(m->a, 0);
        st = drx_persist(m->a, flags);
        drxi_set_parallel(m->a, m->ranks);
    }
    st = drxi_from_root(m->comm, st, NULL, 0);
    shared = drxi_share_epochs(m, false);
    drxi_home_leave(home, m->comm);
    if (!st)
        drxi_set_persistent(m->a);
    return st ? st : shared;
}

drx_status drxmp_set_info(drxmp_array *m, MPI_Info info)
{
    struct drxi_settings settings;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    settings = m->settings;
    st = drxi_settings_read(&settings, m->ranks, info);
    drxi_job_settings(m, &settings);
    if (!st && !drxi_settings_equal(&settings, &m->settings))
        st = drxi_check_idle(m); /* pending requests use the old settings */
    drxi_call_start(&call, "drxmp_set_info");
    drxi_call_settings(&call, &settings);
    st = drxi_begin(m, st, &call);
    return st ? st : drxi_use_settings(m, &settings);
}

static drx_status share_settings(const drxmp_array *m, MPI_Info info)
{
    char ranks[24], bytes[24], cache[24];
    drx_status st = drxi_tell_hints(m, info);

    (void)snprintf(ranks, sizeof ranks, "%lld", (long long)m->settings.io_ranks);
    (void)snprintf(bytes, sizeof bytes, "%lld", (long long)m->settings.buffer_bytes);
    (void)snprintf(cache, sizeof cache, "%lld", (long long)m->settings.cache_bytes);
    if (!st)
        st = drxi_mpi(MPI_Info_set(info, "drx_backend", m->settings.backend == DRXI_MPIIO ? "mpiio" : "posix"),
                      "telling settings");
    if (!st)
        st = drxi_mpi(MPI_Info_set(info, "drx_io_ranks", ranks), "telling settings");
    if (!st && m->settings.cache_bytes >= 0)
        st = drxi_mpi(MPI_Info_set(info, "drx_cache", cache), "telling settings");
    return st ? st : drxi_mpi(MPI_Info_set(info, "drx_buffer", bytes), "telling settings");
}

drx_status drxmp_get_info(drxmp_array *m, MPI_Info *out)
{
    MPI_Info info;
    drx_status st;

    if (!m)
        return drxi_no_array();
    if (!out)
        return drxi_fail(DRX_EINVAL, "drxmp_get_info: out is a null pointer");
    *out = MPI_INFO_NULL;
    if ((st = drxi_check_running()) || (st = drxi_mpi(MPI_Info_create(&info), "telling settings")))
        return st;
    st = share_settings(m, info);
    if (st)
        (void)MPI_Info_free(&info);
    else
        *out = info;
    return st;
}

drx_status drxmp_close(drxmp_array *m)
{
    struct drxi_call call;
    drx_array *a;
    drx_status st, mine;

    if (!m)
        return DRX_OK;
    if (m->owner)
        return m->owner->close(m->owner);
    drxi_call_start(&call, "drxmp_close");
    st = drxi_check_idle(m);
    if (!st)
        st = drxi_job_check_idle(m);
    if (!st)
        st = drxi_job_check_waited(m);
    if (!st && m->lent)
        st = drxi_fail(DRX_EINVAL, "%s: lent by a dataset, which closes it", drxi_parts_of(m->a)->label);
    if ((st = drxi_begin_unflushed(m, st, &call)))
        return st;
    a = m->a;
    drxi_job_end(m);
    drxi_set_parallel(a, 0);
    mine = drx_close(a);
    m->a = NULL;
    st = drxi_agree(m->comm, mine, NULL);
    drxi_free_handle(m);
    return st;
}

drx_array *drxmp_serial(drxmp_array *m)
{
    return m ? m->a : NULL;
}

MPI_Comm drxmp_comm(const drxmp_array *m)
{
    return m ? m->comm : MPI_COMM_NULL;
}
