/* Advice on a layout, as the verb advise prints it. */
#ifndef ADVICE_H
#define ADVICE_H

#include "frame/cli.h"
#include "frame/json.h"

struct json;

struct advice { /* of an open array */
    const char *path;
    drx_array *array;
    drx_spec now;
    int n; /* kinds of requests */
    drx_access *access;
    int64_t (*count)[DRX_MAX_NDIM];
    drx_access_cost *before, *after;
    drx_advise_spec spec;
    drx_advice advice;
};

void put_advice_text(const struct advice *a);
void put_advice_json(struct json *j, const struct advice *a);

/* The command that makes the proposed copy, to be freed; NULL: none is proposed, or out of memory. */
char *advice_command(const struct advice *a);

/* How many requests of that shape there are in the array, one beside the other. */
double requests_in_array(const struct advice *a, int i);

/* Members of the object that is open. */
void put_copy_figures(struct json *j, const drx_copy_plan *plan);

#endif
