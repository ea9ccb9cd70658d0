/* Making, checking and freeing a handle; opening and closing its files. */
#include "array/array.h"
#include "data/sums.h"
#include "lone/lone.h"

_Static_assert(offsetof(struct drx_array, parts) == 0, "drxi_parts_of");

static const struct drxi_owner nobody = { .alone = false };

drx_status drxi_array_new(const char *path, drx_array **out)
{
    drx_array *a = drxi_calloc(1, sizeof *a);

    *out = NULL;
    if (!a)
        return DRX_ENOMEM;
    drxi_gate_init(&a->gate);
    drxi_watch_init(&a->watch);
    for (int j = 0; j < DRX_MAX_NDIM; j++) { /* no cell is doubted */
        a->found[DRXI_LOW][j] = INT64_MAX;
        a->found[DRXI_HIGH][j] = INT64_MIN;
    }
    a->owner = &nobody;
    drxi_data_init(&a->data, &a->data_file, &a->log);
    (void)pthread_mutex_init(&a->requests.lock, NULL);
    (void)pthread_cond_init(&a->requests.done, NULL);
    a->path = path ? drxi_strdup(path) : NULL;
    a->parts = (struct drxi_parts){
        .label = path ? a->path : "array in memory", .log = &a->log, .data = &a->data, .requests = &a->requests
    };
    if (path && !a->path) {
        (void)drxi_array_free(a);
        return DRX_ENOMEM;
    }
    *out = a;
    return DRX_OK;
}

static drx_status close_files(drx_array *a)
{
    const drx_status st = drxi_data_close(&a->data);
    const drx_status meta = a->log.io && !a->log.borrowed ? a->log.io->ops->close(a->log.io) : DRX_OK;

    a->log.io = NULL;
    a->data.item_bytes = 0; /* what is opened next may have another description */
    drxi_log_free(&a->log);
    return st ? st : meta;
}

void drxi_close_files(drx_array *a)
{
    (void)close_files(a);
}

drx_status drxi_array_free(drx_array *a)
{
    drx_status st;

    drxi_watch_free(a);
    st = close_files(a);
    drxi_data_free(&a->data);
    drxi_gate_destroy(&a->gate);
    (void)pthread_mutex_destroy(&a->requests.lock);
    (void)pthread_cond_destroy(&a->requests.done);
    drxi_free(a->path);
    drxi_free(a);
    return st;
}

drx_status drxi_check_alone(const drx_array *a)
{
    return a->parts.parallel
               ? drxi_fail(DRX_EACCES, "%s: opened in parallel: it is changed and closed by drxmp_ calls alone",
                           a->parts.label)
               : DRX_OK;
}

drx_status drxi_check_changeable(const drx_array *a)
{
    drx_status st = drxi_check_alone(a);

    return st ? st : drxi_check_writable(a);
}

drx_status drxi_check_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *last = slash ? slash + 1 : path;

    if (!last || !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0)
        return drxi_fail(DRX_EINVAL, "\"%s\": expected the path of an array, without suffix", path ? path : "");
    return DRX_OK;
}

static enum drxi_how how(const drx_array *a)
{
    return a->parts.writable ? DRXI_WRITE : DRXI_READ;
}

drx_status drxi_open_data(drx_array *a)
{
    const drx_status st = drxi_data_start(&a->data, a->path, how(a));

    if (!st)
        drxi_set_judge(a);
    return st;
}

void drxi_swap_logs(drx_array *a, drx_array *b)
{
    const struct drxi_state state = a->log.state;
    struct drxi_lone *const lone = a->log.lone;
    drxi_io *const meta = a->log.io, *const watched = a->watch.log, *const tail = a->log.tail;
    const bool elsewhere = a->watch.elsewhere;

    drxi_watch_forget(a);
    drxi_watch_forget(b);
    a->watch.log = b->watch.log;
    a->watch.elsewhere = b->watch.elsewhere;
    b->watch.log = watched;
    b->watch.elsewhere = elsewhere;
    a->log.state = b->log.state;
    a->log.lone = b->log.lone;
    b->log.lone = lone;
    a->log.io = b->log.io;
    a->log.tail = b->log.tail;
    b->log.state = state;
    b->log.io = meta;
    b->log.tail = tail;
    drxi_data_follow(&a->data);
    drxi_data_follow(&b->data);
    a->log.seen = (struct drxi_log_place){ 0 }; /* it was the other file that was looked at */
}
