/* A small array with a history, played step by step, and what it must hold whichever step fails. */
#ifndef SCENE_H
#define SCENE_H

#include "testing.h"

enum { SCENE_EXTENT = 24, SCENE_STEPS = 24 };

/* The model: bounds, and for each cell the values it may have; one, or, after a
 * write that failed, the old one and the new one. */
struct model {
    int64_t shape[2];
    int32_t value[SCENE_EXTENT][SCENE_EXTENT];
    int32_t other[SCENE_EXTENT][SCENE_EXTENT];
    int attrs; /* attribute "title" is there */
    char dim[8];
};

/* Over how many of the folders s0, s1, s2 the data are spread. */
extern int scene_stripes;
extern unsigned scene_flags;  /* of drx_spec */
extern drx_codec scene_codec; /* the same, unless it is striped */
/* How it is open, once it has been made: DRX_RDWR or DRX_SHARED. */
extern int scene_mode;

struct scene {
    const char *path;
    int32_t fill;
    drx_array *a;
    struct model before, after; /* of the step last played */
};

/* Prepare a scene on `path`; nothing is made yet. */
void scene_start(struct scene *s, const char *path, int32_t fill);

/* Play step `i`, 0 <= i < SCENE_STEPS. On failure s->before and s->after tell what
 * may be found. */
drx_status scene_play(struct scene *s, int i);

/* The open array agrees with the model in everything. */
void scene_check(drx_array *a, const struct model *m);

/* Let every axis grow past what the scene ever reached, and require fill there. */
void scene_check_growth(drx_array *a, struct model *m, int32_t fill);

bool scene_same_shape(drx_array *a, const struct model *m);

#endif
