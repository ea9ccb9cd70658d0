/* Copying into another layout. Each rank makes a box of the copy by its own plan, or, where the indices do not begin at
 * 0, box by box (layout/run/run_boxes.c). The ranks communicate only to choose the boxes and at the end. Until then the
 * copy has another name. A compressed copy is made by rank 0 alone, whose threads compress.
 *
 * A rank that fails sends a message to every other rank. They look for it after each write. */
#include "layout/run/copy_request.h"

#include <math.h>
#include <sys/random.h>

#include "mp/far/far_home.h"

enum { STOP_TAG = 1 };

struct copying {
    drxmp_array *from, *to;
    struct drxi_copying layout;
    struct drxi_share share[DRXI_SHARES];
    struct drxi_relayout plan; /* of this rank's box */
    int64_t done, all_bytes;   /* bytes that this rank has written; bytes that all ranks will write */
    bool stopped;              /* by another rank */
    MPI_Request *stops;        /* messages to each rank, sent when this one has failed */
};

static drx_status plan_share(struct copying *c, const struct drxi_share *share)
{
    struct drxi_relayout_request mine;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];

    drxi_share_request(&c->layout.request, share, c->from->rank, lo, hi, &mine);
    return drxi_relayout_plan(&mine, &c->plan, NULL);
}

/* Estimate how long this rank takes for each way to share the work; INFINITY where memory is too small. That is an
 * error only for a single rank, the last resort. */
static drx_status time_shares(struct copying *c, int ranks, int count, double seconds[])
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < count; i++) {
        st = plan_share(c, &c->share[i]);
        seconds[i] = st ? INFINITY : c->plan.seconds;
        st = st == DRX_ERANGE && ranks > 1 ? DRX_OK : st;
    }
    return st;
}

/* Choose the way to share the work among this many ranks whose slowest rank is fastest; -1 when none is possible. */
static drx_status choose_among(struct copying *c, int ranks, int *count, int *best)
{
    double seconds[DRXI_SHARES];
    drx_status st = drxi_shares(&c->layout.request, ranks, c->share, count);

    *best = -1;
    if (!st && *count == 0) /* the same on all ranks */
        return DRX_OK;
    if (!st)
        st = time_shares(c, ranks, *count, seconds);
    st = drxi_agree(c->from->comm, st, NULL);
    if (!st)
        st = drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, seconds, *count, MPI_DOUBLE, MPI_MAX, c->from->comm),
                      "comparing plans");
    for (int i = 0; !st && i < *count; i++)
        if (seconds[i] < (*best < 0 ? INFINITY : seconds[*best]))
            *best = i;
    return st;
}

/* Without a plan each rank knows the boxes. The plan says which requests drx_copy refuses. */
static drx_status choose_boxes(struct copying *c)
{
    return drxi_agree(c->from->comm, drxi_copying_plan_part(&c->layout, c->from->rank, c->from->ranks, &c->plan), NULL);
}

/* When memory is too small for all ranks, use fewer, with more memory each. */
static drx_status choose_plans(struct copying *c)
{
    int ranks = c->from->ranks, count, best;
    drx_status st = choose_among(c, ranks, &count, &best);

    while (!st && best < 0) {
        ranks = count > 0 ? ranks / 2 : ranks - 1; /* 1 rank copies as drx_copy does */
        st = choose_among(c, ranks, &count, &best);
    }
    if (!st && best < count - 1) /* c->plan is still that of the last one */
        st = drxi_agree(c->from->comm, plan_share(c, &c->share[best]), NULL);
    return st;
}

/* Choose how to share the work. */
static drx_status choose_sharing(struct copying *c)
{
    const drx_status st = c->layout.by_boxes ? choose_boxes(c) : choose_plans(c);

    c->all_bytes = c->plan.write_bytes;
    return st ? st
              : drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &c->all_bytes, 1, MPI_INT64_T, MPI_SUM, c->from->comm),
                         "comparing plans");
}

static drx_status progress(const struct copying *c)
{
    const drx_copy_spec *spec = c->layout.spec;
    const double part = (double)c->done / (double)c->plan.write_bytes;
    const int64_t done = c->done == c->plan.write_bytes ? c->all_bytes : (int64_t)(part * (double)c->all_bytes);

    if (c->from->rank != DRXI_ROOT || !spec->progress || spec->progress(spec->user, done, c->all_bytes) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", drxi_parts_of(c->from->a)->label);
}

static drx_status report_copied(void *user, int64_t bytes)
{
    struct copying *c = user;
    int stop = 0;
    drx_status st;

    c->done = drxi_min(c->done + bytes, c->plan.write_bytes); /* a copy that began directly may begin again */
    st = drxi_mpi(MPI_Iprobe(MPI_ANY_SOURCE, STOP_TAG, c->to->comm, &stop, MPI_STATUS_IGNORE), "looking for messages");
    c->stopped = stop != 0;
    if (!st && c->stopped)
        st = drxi_fail(DRX_EINTERRUPTED, "%s: copying it failed on another rank", drxi_parts_of(c->from->a)->label);
    return st ? st : progress(c);
}

static void stop_others(struct copying *c)
{
    for (int rank = 0; rank < c->to->ranks; rank++)
        if (rank != c->to->rank)
            (void)MPI_Isend(NULL, 0, MPI_BYTE, rank, STOP_TAG, c->to->comm, &c->stops[rank]);
}

/* After all ranks have stopped, receive the messages of the `failed` ranks. `mine`: this rank is one of them. */
static void hear_stops(struct copying *c, int failed, bool mine)
{
    for (int i = mine; i < failed; i++)
        (void)MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, STOP_TAG, c->to->comm, MPI_STATUS_IGNORE);
    for (int rank = 0; rank < c->to->ranks; rank++)
        (void)MPI_Wait(&c->stops[rank], MPI_STATUS_IGNORE);
}

/* The largest of all ranks. */
static drx_status share_rounding(const struct copying *c)
{
    drx_rounding *told = c->layout.spec->rounding;
    double most[2];
    drx_status st;

    if (!c->layout.spec->keep_bits || !told)
        return DRX_OK;
    most[0] = told->largest;
    most[1] = told->relative;
    st = drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, c->to->comm), "comparing what was rounded");
    if (st)
        return st;
    told->largest = most[0];
    told->relative = most[1];
    return DRX_OK;
}

/* Into a compressed array rank 0 alone copies. */
static drx_status run_mine(struct copying *c, const char *path)
{
    const struct drxi_told told = { .tell = report_copied, .user = c };

    if (c->layout.target.codec != DRX_RAW && c->to->rank != DRXI_ROOT)
        return DRX_OK;
    return drxi_copying_run(&c->layout, &c->plan, c->to->a, path, &told);
}

static drx_status run_part(struct copying *c, const char *path)
{
    drx_status st = run_mine(c, path), other;
    const bool mine = st && !c->stopped;
    int failed = mine;

    if (mine)
        stop_others(c);
    other = drxi_agree(c->to->comm, mine ? st : DRX_OK, NULL);
    st = drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, c->to->comm), "ending the copy");
    if (!st)
        hear_stops(c, failed, mine);
    if (!st && !other)
        st = share_rounding(c);
    return other ? other : st;
}

/* Make the name "folder/.name.copy-0123456789abcdef", the same on all ranks. Listings of arrays skip it. */
static drx_status name_beside(const struct copying *c, const char *path, char **beside)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    uint64_t number = 0;
    drx_status st = DRX_OK;

    if (c->from->rank == DRXI_ROOT && getrandom(&number, sizeof number, 0) != sizeof number)
        st = drxi_fail(DRX_EIO, "cannot get random bytes for a temporary name");
    st = drxi_from_root(c->from->comm, st, &number, sizeof number);
    if (st)
        return st;
    *beside = drxi_format("%.*s.%s.copy-%016llx", (int)(name - path), path, name, (unsigned long long)number);
    return drxi_agree(c->from->comm, *beside ? DRX_OK : DRX_ENOMEM, NULL);
}

/* Finish a complete copy: the root writes the attributes, all close it, and the root renames it. */
static drx_status finish_copy(struct copying *c, const char *beside, const char *path)
{
    const bool root = c->from->rank == DRXI_ROOT;
    drx_status st = DRX_OK, other;

    if (root) {
        drxi_set_parallel(c->to->a, 0);
        st = drxi_copying_attributes(&c->layout, c->to->a);
        drxi_set_parallel(c->to->a, c->to->ranks);
    }
    st = drxi_from_root(c->from->comm, st, NULL, 0);
    other = drxmp_close(c->to);
    c->to = NULL;
    st = st ? st : other;
    return st ? st
              : drxi_rename_for_all(c->from->comm, c->from->settings.local_stripes, beside, path,
                                    c->layout.spec->flags & DRX_REPLACE);
}

/* Close and remove the copy after a failure; the detail stays. */
static void clean_up(struct copying *c, const char *beside)
{
    char *detail = drxi_strdup(drx_last_error());

    if (c->to)
        (void)drxmp_close(c->to);
    (void)drxi_remove_for_all(c->from->comm, c->from->settings.local_stripes, beside);
    drxi_report_set(detail ? detail : "");
    drxi_free(detail);
}

static drx_status make_beside(struct copying *c, const char *beside, const char *path)
{
    drx_status st = drxi_make(c->from->comm, &c->from->settings, beside, &c->layout.target, &c->to);

    if (st)
        return st;
    st = run_part(c, path);
    if (!st)
        st = finish_copy(c, beside, path);
    if (st)
        clean_up(c, beside);
    return st;
}

/* The same in the memory of the job. */
static drx_status make_in_memory(struct copying *c)
{
    drx_status st = drxi_new_handle(c->from->comm, &c->to);

    if (st)
        return st;
    c->to->settings = c->from->settings;
    st = drxi_job_make(c->to, c->from->comm, &c->layout.target);
    if (!st)
        st = run_part(c, NULL);
    if (!st) {
        drxi_set_parallel(c->to->a, 0);
        st = drxi_agree(c->to->comm, drxi_copying_attributes(&c->layout, c->to->a), NULL);
        drxi_set_parallel(c->to->a, c->to->ranks);
    }
    if (!st)
        return DRX_OK;
    drxi_free_failed(c->to, NULL);
    c->to = NULL;
    return st;
}

static drx_status copy_together(struct copying *c, const char *path)
{
    char *beside = NULL;
    drx_status st = choose_sharing(c);

    if (!path)
        return st ? st : make_in_memory(c);
    if (!st)
        st = drxi_from_root(c->from->comm,
                            c->from->rank == DRXI_ROOT ? drxi_copying_check_path(&c->layout, path) : DRX_OK, NULL, 0);
    if (!st)
        st = name_beside(c, path, &beside);
    if (!st)
        st = make_beside(c, beside, path);
    drxi_free(beside);
    return st;
}

static void hash_copy(struct drxi_call *call, const char *name, const char *path, const drx_copy_spec *spec, int ndim)
{
    const size_t n = (size_t)ndim;

    drxi_call_start(call, name);
    drxi_call_text(call, "the path", path);
    if (!spec)
        return;
    drxi_call_bytes(call, "spec.permute", spec->permute, n * sizeof *spec->permute);
    drxi_call_bytes(call, "spec.chunk", spec->chunk, n * sizeof *spec->chunk);
    drxi_call_int(call, "spec.chunk_order", spec->chunk_order ? (int)*spec->chunk_order : -1);
    drxi_call_int(call, "spec.align", spec->align);
    drxi_call_int(call, "spec.memory_bytes", spec->memory_bytes);
    drxi_call_int(call, "spec.flags", spec->flags);
    drxi_call_int(call, "spec.keep_bits", spec->keep_bits);
    drxi_call_int(call, "spec.codec", spec->codec);
    drxi_call_int(call, "spec.level", spec->level);
    drxi_call_int(call, "spec.shuffle", spec->shuffle);
    drxi_call_int(call, "whether there is a spec.rounding", spec->rounding != NULL);
    drxi_call_text(call, "spec.tmp", spec->tmp);
    drxi_call_stripes(call, spec->nstripes, spec->stripes);
}

static drx_status new_copying(struct copying *c, drxmp_array *src)
{
    c->from = src;
    c->stops = drxi_calloc((size_t)src->ranks, sizeof *c->stops);
    for (int i = 0; c->stops && i < src->ranks; i++)
        c->stops[i] = MPI_REQUEST_NULL;
    return c->stops ? DRX_OK : DRX_ENOMEM;
}

/* Prepare without communication. */
static drx_status prepare_copy(struct copying *c, drxmp_array *src, const char *path, const drx_copy_spec *spec,
                               drxmp_array *const *out)
{
    drx_status st = c ? new_copying(c, src) : DRX_ENOMEM;

    if (st)
        return st;
    if (spec && spec->flags & DRX_TEMPORARY)
        return drxi_fail(DRX_EUNSUPPORTED, "drxmp_copy: a copy with files that have no names");
    if (!path && !out)
        return drxi_fail(DRX_EINVAL, "drxmp_copy: out is a null pointer, and the copy would have no name");
    if (!path && spec && spec->codec != DRX_RAW)
        return drxi_fail(DRX_EUNSUPPORTED, "drxmp_copy: spec.codec is %s: an array in memory is not compressed",
                         drx_codec_name(spec->codec));
    return drxi_copying_begin(&c->layout, src->a, NULL, spec, true);
}

/* A compressed copy, which one process writes. */
struct by_root {
    const char *path;
    const drx_copy_spec *spec;
};

static drx_status copy_alone(drx_array *a, const void *arg)
{
    const struct by_root *r = arg;

    return drx_copy(a, r->path, r->spec, NULL);
}

/* An array that it replaces may have stripes on all nodes. */
static drx_status copy_by_root(drxmp_array *src, const char *path, const drx_copy_spec *spec)
{
    const bool rounds = spec->keep_bits && spec->rounding;
    struct drxi_home *home;
    drx_status st = drxi_home_of_replaced(src, &home);

    if (st)
        return st;
    st = drxi_by_root(src, copy_alone, &(struct by_root){ path, spec });
    st = drxi_from_root(src->comm, st, spec->rounding, rounds ? sizeof *spec->rounding : 0);
    drxi_home_leave(home, src->comm);
    return st;
}

drx_status drxmp_copy(drxmp_array *src, const char *path, const drx_copy_spec *spec, drxmp_array **out)
{
    struct drxi_call call;
    struct copying *c;
    drx_status st;

    if (out)
        *out = NULL;
    if (!src)
        return drxi_no_array();
    hash_copy(&call, "drxmp_copy", path, spec, drx_ndim(src->a));
    drxi_call_int(&call, "whether there is an out", out != NULL);
    c = drxi_calloc(1, sizeof *c);
    st = drxi_begin(src, prepare_copy(c, src, path, spec, out), &call);
    if (!st)
        drxi_finish_moves(src);
    if (!st && c->layout.target.codec == DRX_RAW)
        st = copy_together(c, path);
    if (c)
        drxi_copying_end(&c->layout);
    if (!st && c->layout.target.codec != DRX_RAW)
        st = copy_by_root(src, path, spec);
    if (!st && out && path)
        st = drxi_open_made(src->comm, &src->settings, path, out);
    else if (!st && out)
        *out = c->to;
    if (c)
        drxi_free(c->stops);
    drxi_free(c);
    return st;
}

/* ---- into an array that exists ---- */

static void describe_into(struct drxi_call *call, drxmp_array *src, drxmp_array *dst, const drx_copy_spec *spec)
{
    hash_copy(call, "drxmp_copy_into", dst ? drxi_parts_of(dst->a)->label : NULL, spec, drx_ndim(src->a));
    if (!spec)
        return;
    drxi_call_int(call, "spec.part", spec->part);
    drxi_call_int(call, "spec.parts", spec->parts);
}

static drx_status check_ranks(const drxmp_array *src, const drxmp_array *dst)
{
    int result = MPI_UNEQUAL;
    drx_status st = drxi_check_running();

    if (!st)
        st = drxi_mpi(MPI_Comm_compare(src->comm, dst->comm, &result), "comparing communicators");
    if (!st && result != MPI_IDENT && result != MPI_CONGRUENT)
        return drxi_fail(DRX_EINVAL, "%s is open on other ranks than %s, or in another order",
                         drxi_parts_of(dst->a)->label, drxi_parts_of(src->a)->label);
    return st;
}

static drx_status prepare_into(struct copying *c, drxmp_array *src, drxmp_array *dst, const drx_copy_spec *spec)
{
    drx_status st;

    if (!dst)
        return drxi_fail(DRX_EINVAL, "drxmp_copy_into: dst is a null pointer");
    if ((st = new_copying(c, src)) || (st = check_ranks(src, dst)))
        return st;
    c->to = dst;
    if (spec && spec->parts != 0)
        return drxi_fail(DRX_EINVAL, "drxmp_copy_into: spec.parts is %d, expected 0", spec->parts);
    return drxi_copying_begin(&c->layout, src->a, dst->a, spec, true);
}

static drx_status copy_into(struct copying *c)
{
    const bool packs = c->layout.target.codec != DRX_RAW;
    drx_status st = packs ? drxi_copying_plan_part(&c->layout, 0, 1, &c->plan) : choose_sharing(c);

    if (packs) {
        st = drxi_agree(c->from->comm, st, NULL);
        c->all_bytes = c->plan.write_bytes;
    }
    return st ? st : run_part(c, drxi_parts_of(c->to->a)->log->io ? drxi_parts_of(c->to->a)->label : NULL);
}

drx_status drxmp_copy_into(drxmp_array *src, drxmp_array *dst, const drx_copy_spec *spec)
{
    struct drxi_call call;
    struct copying *c;
    drx_status st;

    if (!src)
        return drxi_no_array();
    describe_into(&call, src, dst, spec);
    c = drxi_calloc(1, sizeof *c);
    st = drxi_begin(src, c ? prepare_into(c, src, dst, spec) : DRX_ENOMEM, &call);
    if (!st) {
        drxi_finish_moves(src);
        st = drxi_begin(dst, DRX_OK, &call);
    }
    if (!st) {
        drxi_finish_moves(dst);
        st = copy_into(c);
    }
    if (c) {
        drxi_copying_end(&c->layout);
        drxi_free(c->stops);
    }
    drxi_free(c);
    return st;
}
