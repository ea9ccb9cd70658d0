/* An append of a source to an array, and its parts. */
#pragma once

#include "import.h"

struct appending {
    struct source *s;
    struct import *wish;
    drx_array *a;
    const char *path;
    int axis;
    int64_t plane_bytes;             /* of one index along the axis */
    struct meaning means;            /* of the elements; its texts belong to `a` and to these: */
    drx_array *given;                /* an empty array with the attributes of the source; NULL: there is none */
    drx_array *of_given, *of_stored; /* the same of what they are bounds of */
};

/* Does the source fit behind the array: its shape, type, name, and what its numbers mean? Sets means. Gives the exit
 * code; release it in any case. */
int check_source(struct appending *p);
void release_source(struct appending *p);
