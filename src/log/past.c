#include "log/past.h"

drx_status drxi_past_reserve(struct drxi_past *past)
{
    return drxi_reserve(&past->event, &past->room, past->n + 1, sizeof *past->event);
}

/* The event that is `back` before the last one, if it is this one; else NULL. */
static struct drxi_event *event_at(struct drxi_past *past, int64_t back, enum drxi_event_kind what, int axis,
                                   enum drxi_end end)
{
    struct drxi_event *event = past->n > back ? &past->event[past->n - 1 - back] : NULL;

    return event && event->what == (int)what && event->axis == axis && event->end == (int)end ? event : NULL;
}

static enum drxi_end other(enum drxi_end end)
{
    return end == DRXI_LOW ? DRXI_HIGH : DRXI_LOW;
}

static void add(struct drxi_past *past, enum drxi_event_kind what, int axis, enum drxi_end end, int64_t bound)
{
    past->event[past->n++] = (struct drxi_event){ (uint8_t)what, (uint8_t)axis, (uint8_t)end, bound };
}

void drxi_past_grew(struct drxi_past *past, int axis, enum drxi_end end, int64_t bound, bool continues)
{
    struct drxi_event *last = continues ? event_at(past, 0, DRXI_GREW, axis, end) : NULL;

    if (continues && !last && event_at(past, 0, DRXI_TRIMMED, axis, other(end)))
        last = event_at(past, 1, DRXI_GREW, axis, end);
    if (last)
        last->bound = bound;
    else
        add(past, DRXI_GREW, axis, end, bound);
}

/* A trim that growth of the other end separates from the one before moves that one behind the growth: then the axis is
 * never shorter than it was. */
void drxi_past_trimmed(struct drxi_past *past, int axis, enum drxi_end end, int64_t bound)
{
    struct drxi_event *last = event_at(past, 0, DRXI_TRIMMED, axis, end);

    if (last) {
        last->bound = bound;
        return;
    }
    if (event_at(past, 0, DRXI_GREW, axis, other(end)) && event_at(past, 1, DRXI_TRIMMED, axis, end)) {
        past->event[past->n - 2] = past->event[past->n - 1];
        past->n--;
    }
    add(past, DRXI_TRIMMED, axis, end, bound);
}

void drxi_past_emptied(struct drxi_past *past, int axis, int64_t index)
{
    add(past, DRXI_EMPTIED, axis, DRXI_HIGH, index);
}

void drxi_past_new_axis(struct drxi_past *past, int at)
{
    add(past, DRXI_NEW_AXIS, at, DRXI_HIGH, 1);
}
