/* drx_duplicate: of a lone array, or, as one, a variable of a dataset. */
#include "array/place.h"

/* The variable as a lone array, with the layout that it has. */
static drx_status duplicate(drx_array *a, const char *to, unsigned flags, drx_progress progress, void *user)
{
    drx_copy_spec copy = { .flags = flags, .progress = progress, .user = user };
    drx_array *b;
    drx_spec spec;
    drx_status st, closed;

    drx_describe(a, &spec);
    copy.flags |= spec.flags & DRX_CHECKSUM;
    copy.codec = spec.codec;
    copy.level = spec.level;
    copy.shuffle = spec.shuffle;
    st = drx_copy(a, to, &copy, &b);
    if (st)
        return st;
    st = drx_sync(b);
    closed = drx_close(b);
    return st ? st : closed;
}

drx_status drx_duplicate(const char *from, const char *to, unsigned flags, drx_progress progress, void *user)
{
    char detail[DRXI_DETAIL_BYTES];
    int array = 0, dataset;
    drx_array *a;
    drx_status st = drxi_duplicate_lone(from, to, flags, progress, user), closed;

    if (st != DRX_ENOENT || flags & DRX_MOVE)
        return st;
    drxi_report_keep(detail);
    if (drx_look(from, &array, &dataset) || array) { /* it is `to` that is not there */
        drxi_report_set(detail);
        return st;
    }
    st = drx_open(from, DRX_RDONLY, &a);
    if (st)
        return st;
    st = duplicate(a, to, flags, progress, user);
    drxi_report_keep(detail);
    closed = drx_close(a);
    drxi_report_set(st ? detail : "");
    return st ? st : closed;
}
