/* What the numbers of a file mean, and those of the array that they are appended to. */
#ifndef MEANING_H
#define MEANING_H

#include <stdbool.h>

#include "drx_cf.h"

struct meaning {
    drx_cf stored, given;
    bool same; /* the same bytes mean the same; else drx_cf_encode makes the given ones stored ones */
};

/* Can given numbers become stored ones (drx_cf_match)? Sets m->same. */
drx_status match_meaning(struct meaning *m);

/* The scale factor, which is 1 where none is given. */
double scale_of(const drx_cf *cf);
/* Are they dates, in units that can be understood? */
bool holds_dates(const drx_cf *cf);

/* The text of an attribute, as it is; NULL: none. */
const char *attribute_text(const drx_array *a, const char *name);

/* Bounds have the units of their coordinate: those of `a`, if its bounds are called `name`. */
void inherit_meaning(const drx_array *a, const char *name, drx_cf *cf);

/* Coordinates that are appended, and those that are there. */
struct aligned {
    const drx_cf *stored, *given;
    int64_t m, n; /* elements of each */
    const void *have, *more;
};

/* What a message on coordinates that do not align adds: how to leave or overwrite those that are stored, if that is all
 * that is wrong; else "". Loses drx_last_error. */
const char *overlap_hint(const struct aligned *c, drx_cf_overlap overlap);

/* What a warning says when the step from the stored coordinates to the new ones is unlike all others, as when a part
 * was forgotten; to be freed. NULL: it is like them, or there are none. The new ones are encoded as the stored ones. */
char *gap_text(const drx_cf *cf, int64_t m, const void *stored, int64_t n, const void *added, bool before);

#endif
