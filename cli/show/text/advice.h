/* Prints advice on a layout. */
#ifndef ADVICE_H
#define ADVICE_H

#include "codec_table.h"

struct advice { /* of an open array */
    const char *path;
    drx_array *array;
    drx_spec now;
    int n;                            /* kinds of requests; 0: nothing is asked of the layout */
    const struct codec_table *codecs; /* NULL: nothing is asked of these */
    drx_access *access;
    int64_t (*count)[DRX_MAX_NDIM];
    drx_access_cost *before, *after;
    drx_advise_spec spec;
    drx_advice advice;
};

void put_advice_text(const struct advice *a);
void put_advice_json(struct json *j, const struct advice *a);

/* Members of the current object. */
void put_copy_figures(struct json *j, const drx_copy_plan *plan);

#endif
