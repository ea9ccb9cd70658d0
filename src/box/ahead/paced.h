/* Reading ahead from a server: a round trip costs as much as many boxes, so several of a walk are asked for at once. */
#pragma once

#include "box/ahead/pace.h"
#include "box/box.h"

struct drxi_paced {
    struct drxi_pace now, front; /* front: of the last box that was asked for */
    int ahead, depth;            /* boxes from `now` to `front`, and how many there may be */
};

/* Whether that is how the boxes of these data are foreseen. */
static inline bool drxi_paced_serves(const struct drxi_data *data)
{
    return data->file->io->cost.trips;
}

/* A box is about to be read; and was read, after which the program goes on as before, or the walk is over. */
void drxi_paced_begin(struct drxi_paced *paced, struct drxi_data *data, const struct drxi_box *box);
void drxi_paced_end(struct drxi_paced *paced, struct drxi_data *data, bool goes_on);
