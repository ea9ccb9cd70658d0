/* What a file stores, piece by piece, without its holes. */
#include "data/data.h"

void drxi_stored_start(struct drxi_stored *s, drxi_io *io, int64_t length, bool holes)
{
    *s = (struct drxi_stored){ io, length, 0, holes ? length : 0, holes };
}

drx_status drxi_stored_next(struct drxi_stored *s, int64_t most, int64_t *offset, int64_t *n)
{
    *n = 0;
    if (s->at >= s->end && s->at < s->length && !s->holes) {
        int64_t begin;
        drx_status st = s->io->ops->extent(s->io, s->at, &begin, &s->end);

        if (st)
            return st;
        s->at = drxi_min(begin, s->length);
        s->end = drxi_min(s->end, s->length);
    }
    *offset = s->at;
    *n = drxi_max(0, drxi_min(most, s->end - s->at));
    s->at += *n;
    return DRX_OK;
}

drx_status drxi_stored_bytes(drxi_io *io, int64_t length, bool holes, int64_t *bytes)
{
    struct drxi_stored s;
    int64_t offset;
    int64_t n;
    drx_status st;

    *bytes = 0;
    drxi_stored_start(&s, io, length, holes);
    while (!(st = drxi_stored_next(&s, INT64_MAX, &offset, &n)) && n > 0)
        *bytes += n;
    return st;
}
