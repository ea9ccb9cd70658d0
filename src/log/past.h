/* What made the map as it is: growths by chunks, trims by chunks, and new axes, in their order. What makes no difference
 * to the map is merged: growth that continues a record, and trims of one end with nothing else between them but such
 * growth of the other end. So an array that is appended to at one end and trimmed at the other has a short past. */
#ifndef DRXI_PAST_H
#define DRXI_PAST_H

#include "map/map.h"

struct drxi_event {
    uint8_t what; /* enum drxi_event_kind */
    uint8_t axis; /* in the numbers of that time */
    uint8_t end;
    int64_t bound; /* in chunks, after it; DRXI_EMPTIED: the index where both bounds are */
};

/* EMPTIED: trimmed to nothing, inside a chunk. */
enum drxi_event_kind { DRXI_GREW, DRXI_TRIMMED, DRXI_EMPTIED, DRXI_NEW_AXIS };

struct drxi_past {
    int64_t n, room;
    struct drxi_event *event;
};

/* Room for one more event; those below cannot fail then. DRX_ENOMEM. */
drx_status drxi_past_reserve(struct drxi_past *past);
/* `continues`: the record of the map that grew last. */
void drxi_past_grew(struct drxi_past *past, int axis, enum drxi_end end, int64_t bound, bool continues);
void drxi_past_trimmed(struct drxi_past *past, int axis, enum drxi_end end, int64_t bound);
void drxi_past_emptied(struct drxi_past *past, int axis, int64_t index);
void drxi_past_new_axis(struct drxi_past *past, int at);

#endif
