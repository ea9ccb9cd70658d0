/* The histories that are cut everywhere. */
#ifndef SCENES_H
#define SCENES_H

#include "history.h"

struct scene {
    const char *name;
    void (*play)(struct history *h);
    bool striped; /* also with the data in several folders */
};

extern const struct scene scenes[];
extern const int n_scenes;

#endif
