/* A selection of an array on its way into a file. */
#ifndef POUR_H
#define POUR_H

#include "arrays/select.h"
#include "frame/progress.h"

/* Takes a slab: `count` elements from `at` on of the axes that are kept, in the order of the slabs. False after
 * printing why not. */
typedef bool take_slab(void *to, const int64_t at[], const int64_t count[], const void *buf);

/* Read slab after slab and give it to `take`. An interrupt ends it. Gives the exit code. Collective when the slabs
 * are shared. */
int pour(drx_array *a, const struct selection *s, struct slabs *slabs, take_slab *take, void *to,
         struct progress *progress);

#endif
