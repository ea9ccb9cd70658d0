/* Settings come from the environment when an array is opened, and from info keys afterwards. */
#include "mp/mp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum { BUFFER_BYTES = 32 << 20, LEAST_BUFFER_BYTES = 1 << 16, WRITERS_CACHE_BYTES = 64 << 20 };

static drx_status set_backend(struct drxi_settings *s, const char *key, const char *value)
{
    if (strcmp(value, "posix") == 0)
        s->backend = DRXI_POSIX;
    else if (strcmp(value, "mpiio") == 0)
        s->backend = DRXI_MPIIO;
    else
        return drxi_fail(DRX_EINVAL, "%s is \"%s\", expected posix or mpiio", key, value);
    return DRX_OK;
}

static drx_status set_number(const char *key, const char *value, int64_t least, int64_t most, int64_t *number)
{
    char *end;
    long long n;

    errno = 0;
    n = strtoll(value, &end, 10);
    if (errno || end == value || *end || n < least || n > most)
        return drxi_fail(DRX_EINVAL, "%s is \"%s\", expected %lld to %lld", key, value, (long long)least,
                         (long long)most);
    *number = n;
    return DRX_OK;
}

/* Set number i of the four settings. `key` is its name for messages. */
static drx_status set_setting(struct drxi_settings *s, int i, int ranks, const char *key, const char *value)
{
    if (i == 0)
        return set_backend(s, key, value);
    if (i == 1)
        return set_number(key, value, 1, ranks, &s->io_ranks);
    if (i == 2)
        return set_number(key, value, LEAST_BUFFER_BYTES, INT64_MAX / 2, &s->buffer_bytes);
    return set_number(key, value, 0, INT64_MAX / 2, &s->cache_bytes);
}

drx_status drxi_settings_init(struct drxi_settings *s, int ranks)
{
    static const char *const names[] = { "DRXMP_BACKEND", "DRXMP_IO_RANKS", "DRXMP_BUFFER", "DRXMP_CACHE" };
    int64_t local = 0;
    drx_status st = DRX_OK;

    *s = (struct drxi_settings){
        .backend = DRXI_POSIX, .io_ranks = ranks, .buffer_bytes = BUFFER_BYTES, .cache_bytes = -1
    };
    for (int i = 0; !st && i < 4; i++)
        if (getenv(names[i]))
            st = set_setting(s, i, ranks, names[i], getenv(names[i]));
    if (!st && getenv("DRXMP_LOCAL_STRIPES"))
        st = set_number("DRXMP_LOCAL_STRIPES", getenv("DRXMP_LOCAL_STRIPES"), 0, 1, &local);
    s->local_stripes = local != 0;
    if (!st && getenv("DRXMP_HINTS"))
        st = drxi_hints_of_text(s->hints, "DRXMP_HINTS", getenv("DRXMP_HINTS"));
    return st;
}

drx_status drxi_settings_init_anyway(struct drxi_settings *s, int ranks, drx_status mine)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    drxi_report_keep(detail);
    st = drxi_settings_init(s, ranks);
    if (mine)
        drxi_report_set(detail);
    return mine ? mine : st;
}

int64_t drxi_settings_cache(const struct drxi_settings *s, bool writable)
{
    return s->cache_bytes >= 0 ? s->cache_bytes : writable ? WRITERS_CACHE_BYTES : 0;
}

bool drxi_settings_equal(const struct drxi_settings *s, const struct drxi_settings *other)
{
    return s->backend == other->backend && s->io_ranks == other->io_ranks && s->buffer_bytes == other->buffer_bytes &&
           s->cache_bytes == other->cache_bytes && strcmp(s->hints, other->hints) == 0;
}

drx_status drxi_settings_read(struct drxi_settings *s, int ranks, MPI_Info info)
{
    static const char *const keys[] = { "drx_backend", "drx_io_ranks", "drx_buffer", "drx_cache" };
    struct drxi_settings changed = *s;
    drx_status st = DRX_OK;

    for (int i = 0; !st && info != MPI_INFO_NULL && i < 4; i++) {
        char value[MPI_MAX_INFO_VAL + 1];
        int there;

        st = drxi_mpi(MPI_Info_get(info, keys[i], MPI_MAX_INFO_VAL, value, &there), "reading the info");
        if (!st && there)
            st = set_setting(&changed, i, ranks, keys[i], value);
    }
    if (!st && info != MPI_INFO_NULL)
        st = drxi_hints_of_info(changed.hints, info);
    if (!st)
        *s = changed;
    return st;
}

static drx_status set_reach(struct drxi_remote *r, const char *key, const char *value)
{
    if (strcmp(value, "direct") == 0)
        return DRX_OK;
    if (strcmp(value, "rma") == 0) {
        r->near = false;
        return DRX_OK;
    }
    if (strcmp(value, "off") == 0) {
        r->off = true;
        return DRX_OK;
    }
    if (set_number(key, value, 1, INT_MAX, &r->node_ranks))
        return drxi_fail(DRX_EINVAL, "%s is \"%s\", expected direct, rma, off, or a number of ranks", key, value);
    return DRX_OK;
}

drx_status drxi_settings_remote(struct drxi_remote *r)
{
    const char *reach = getenv("DRXMP_ONESIDED"), *progress = getenv("DRXMP_PROGRESS");
    int64_t on = 0;
    drx_status st = DRX_OK;

    *r = (struct drxi_remote){ .node_ranks = INT_MAX, .near = true };
    if (reach)
        st = set_reach(r, "DRXMP_ONESIDED", reach);
    if (!st && progress)
        st = set_number("DRXMP_PROGRESS", progress, 0, 1, &on);
    r->progress = on != 0;
    return st;
}
