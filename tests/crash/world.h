/* All arrays that may be found on a disk, and whether what is found there is what may be. */
#ifndef WORLD_H
#define WORLD_H

#include "memory_disk.h"
#include "truth.h"

enum { WORLD_MOST = 8 };

struct world {
    struct truth *truth[WORLD_MOST];
    int truths;
    const char *place[WORLD_MOST];
    int places;
    bool was_cut;  /* by which the arrays may have got residue outside of their bounds */
    int64_t chunk; /* growth by so much goes past a chunk */
};

void world_add(struct world *w, struct truth *t);
void world_drop(struct world *w, struct truth *t); /* and free it */
void world_free(struct world *w);
struct truth *world_at(const struct world *w, const char *place); /* the newest that may be there; NULL: none */

/* What has been found so far. */
struct tally {
    long states, different, nested; /* nested: crashes while a crash was mended */
    long whole, broken, none;       /* places where a whole array was found, something else, nothing */
};

/* After what the disk is looked at. */
struct crash {
    enum demand demand;
    uint32_t boot; /* a tag of it (drxi_boot_tag) */
    bool ordered;  /* names have survived in the order of their changes */
    uint64_t seed; /* crash again while it is mended; 0: do not */
};

/* Open what is on the disk `im` for reading and for writing, check it, let it grow, open it again; where there is no
 * whole array, remove or replace what is left. False: it is not as it may be, and `why` says what is wrong. */
bool world_check(const struct world *w, const struct image *im, struct crash crash, struct tally *tally, char *why,
                 size_t room);

#endif
