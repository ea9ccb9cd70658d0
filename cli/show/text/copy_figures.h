/* What a copy into another layout comes to, as JSON. */
#ifndef COPY_FIGURES_H
#define COPY_FIGURES_H

#include "frame/json.h"

/* Members of the object that is open. */
void put_copy_figures(struct json *j, const drx_copy_plan *plan);

#endif
