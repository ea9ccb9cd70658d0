/* Where payloads go, and the places of open ones that were closed, in their order. All open payloads of an array are of
 * one size, so the next one that is opened gets the first of these that is free: one whose chunk a SYNC has promised
 * elsewhere.
 *
 * An entry names the place of its last open payload until both halves were written again. So a writer that opens the
 * array finds the places that earlier ones have left. The place of a dropped chunk is not used again, because a power
 * cut may restore its entry. */
#include <stdlib.h>

#include "pack/pack.h"

enum { OPEN_ALIGN = 16, PAGE_BYTES = 4096, PAGES_PAY = 64 * PAGE_BYTES };

static int by_offset(const void *a, const void *b)
{
    const int64_t x = ((const struct drxi_slot *)a)->offset, y = ((const struct drxi_slot *)b)->offset;

    return (x > y) - (x < y);
}

drx_status drxi_slots_add(struct drxi_slots *s, struct drxi_slot slot)
{
    const drx_status st = drxi_reserve(&s->of, &s->room, s->end + 1, sizeof *s->of);
    int64_t i = s->end;

    if (st)
        return st;
    while (i > s->begin && s->of[i - 1].offset >= slot.offset)
        i--;
    if (i == s->end || s->of[i].offset != slot.offset)
        memmove(&s->of[i + 1], &s->of[i], (size_t)(s->end++ - i) * sizeof *s->of);
    s->of[i] = slot;
    return DRX_OK;
}

/* Take the first one that no epoch after `promised` has left; -1: there is none. */
static int64_t take_slot(struct drxi_slots *s, int64_t promised)
{
    int64_t i = s->begin, offset;

    while (i < s->end && s->of[i].epoch > promised)
        i++;
    if (i == s->end)
        return -1;
    offset = s->of[i].offset;
    memmove(&s->of[s->begin + 1], &s->of[s->begin], (size_t)(i - s->begin) * sizeof *s->of);
    if (++s->begin == s->end)
        s->begin = s->end = 0;
    return offset;
}

/* Elements of an open payload are at multiples of their size, so that a power cut tears none in two. In a large
 * payload they begin at a page, as in a raw chunk, so that slabs of whole pages are written as whole pages. */
static bool place_behind(const struct drxi_pack *p, bool open, int64_t length, int64_t *end, int64_t *place)
{
    const bool pages = open && p->align <= OPEN_ALIGN && length >= PAGES_PAY;
    const int64_t align = pages ? PAGE_BYTES : open ? drxi_max(p->align, OPEN_ALIGN) : p->align;
    const int64_t head = pages ? DRXI_FRAME_HEAD_BYTES : 0;

    if (!drxi_add(*end, head + align - 1, place))
        return false;
    *place = *place / align * align - head;
    return drxi_add(*place, length, end) && *end < INT64_MAX / 2;
}

bool drxi_hold_place(struct drxi_pack *p, bool open, int64_t length, int64_t promised, int64_t *end, int64_t *place,
                     bool *again)
{
    *place = open ? take_slot(&p->slots, promised) : -1;
    *again = *place >= 0;
    return *again || place_behind(p, open, length, end, place);
}

void drxi_slots_without(struct drxi_slots *s, struct drxi_slots *used)
{
    int64_t end = s->begin;

    if (used->end > 0)
        qsort(used->of, (size_t)used->end, sizeof *used->of, by_offset);
    for (int64_t i = s->begin; i < s->end; i++)
        if (used->end == 0 || !bsearch(&s->of[i], used->of, (size_t)used->end, sizeof *used->of, by_offset))
            s->of[end++] = s->of[i];
    s->end = end;
}
