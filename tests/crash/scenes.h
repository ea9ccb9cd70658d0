/* The histories that are cut everywhere. */
#ifndef SCENES_H
#define SCENES_H

#include "history/history.h"

struct scene {
    const char *name;
    const char *script;              /* its steps, or */
    void (*play)(struct history *h); /* what plays them */
    bool striped;                    /* also with the data in several folders */
    bool every_make;                 /* with arrays of every make, not of one */
    bool every_way;                  /* in all ways, not in one of some */
    bool packed;                     /* of compressed arrays alone, in all ways */
    bool crashes;                    /* it goes on after crashes, so that it needs a disk in memory */
};

extern const struct scene scenes[];
extern const int n_scenes;

void scene_play(const struct scene *s, struct history *h);

void scene_at_random(struct history *h); /* h->random_steps steps; without crashes unless h->mode is CUT */

#endif
