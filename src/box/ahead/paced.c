/* Invariants
 *   1. The boxes of the walk after `now`, up to `front`, were asked for. Those after a box that has no room wait until
 *      others were read.
 *   2. When the program leaves the walk, what was asked for is dropped.
 *   3. While a box is read that is there already, those after it may take all the room; otherwise half of it. So two
 *      large boxes overlap. */
#include "box/ahead/paced.h"
#include "io/flight.h"

enum {
    FIRST_DEPTH = 4, /* boxes ahead at first; twice as many after each that was right, */
    MOST_DEPTH = 32,
    MOST_READS = 1 << 9,  /* of a box */
    MOST_BYTES = 64 << 20 /* of it, from its begin */
};

struct asking {
    struct drxi_data *data;
    drxi_io *io;
    bool sparing, room;
    int64_t reads, bytes;
};

static bool ask_paced(void *arg, const struct drxi_flying *read)
{
    struct asking *a = arg;
    int64_t asked;

    a->bytes += (int64_t)read->bytes;
    a->room = a->reads++ < MOST_READS;
    if (!a->room || a->bytes > MOST_BYTES)
        return false;
    asked = a->io->ops->prefetch(a->io, read->offset, (int64_t)read->bytes, a->sparing);
    a->room = asked >= 0;
    drxi_count(&a->data->file->counts.ahead_bytes, asked > 0 ? asked : 0);
    return a->room;
}

/* Ask for a box; false when there is no room for all of it. */
static bool ask_box(const struct drxi_pace *pace, struct drxi_data *data, bool sparing)
{
    static const int64_t nowhere[DRX_MAX_NDIM];
    struct asking a = { .data = data, .io = drxi_data_elements(data), .sparing = sparing, .room = true };
    int64_t count[DRX_MAX_NDIM];
    const struct drxi_box box = { .lo = pace->lo, .count = count, .stride_bytes = nowhere };
    drx_status st;

    drxi_pace_count(pace, data->upper, count);
    st = drxi_ways_of(data)->ranges(data, &box, ask_paced, &a);
    if (st)
        drxi_report_clear();
    return !st && a.room;
}

static void ask_more(struct drxi_paced *paced, struct drxi_data *data, bool sparing)
{
    while (paced->ahead < paced->depth) {
        struct drxi_pace next = paced->front;

        if (!drxi_pace_go_on(&next, data->lower, data->upper) || !ask_box(&next, data, sparing))
            return;
        paced->front = next;
        paced->ahead++;
    }
}

static void leave_paced(struct drxi_paced *paced, struct drxi_data *data)
{
    if (paced->depth > 0)
        (void)drxi_data_elements(data)->ops->prefetch(drxi_data_elements(data), 0, 0, false);
    paced->ahead = paced->depth = 0;
}

void drxi_paced_begin(struct drxi_paced *paced, struct drxi_data *data, const struct drxi_box *box)
{
    if (!drxi_pace_note(&paced->now, data->ndim, data->upper, box->lo, box->count))
        leave_paced(paced, data);
    if (paced->ahead == 0) {
        paced->front = paced->now;
        return;
    }
    paced->ahead--;
    paced->depth = (int)drxi_min(2 * paced->depth, MOST_DEPTH);
    ask_more(paced, data, false);
}

void drxi_paced_end(struct drxi_paced *paced, struct drxi_data *data, bool goes_on)
{
    if (!goes_on) {
        leave_paced(paced, data);
        paced->now.begun = false;
        return;
    }
    paced->depth = (int)drxi_max(paced->depth, FIRST_DEPTH);
    ask_more(paced, data, true);
}
