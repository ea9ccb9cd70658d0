/* What a power cut leaves of a disk, given the journal of its changes up to that moment.
 *
 * Rules
 *   1. SYNC makes all that was written to its file, and its length, durable; SYNC_FOLDER what happened to the names in
 *      its folder. Neither does anything for the other, nor for another file or folder.
 *   2. Of what was written to a file since, any part may be there, in either of two ways.
 *      Whole: any set of the writes, each whole. So do file systems that send writes on one by one, in any order.
 *      By sectors: each sector of 512 bytes as it was after some number of the writes to it, which is what a cache of
 *      pages and a disk give; and if it was taken while the next one was being copied, then with the first bytes of
 *      that, a multiple of 8. A write that is cut so inside a sector is followed by no later one there, since the
 *      later one would have come after it into the same page.
 *   3. The length is any that the file has had since, whatever is there of the bytes; what is missing is zero. Cutting
 *      a file short is a change of its length: what was written before it, and behind it, is gone with it.
 *   4. Of what happened to names since, any part may be there that includes, with each change, the earlier ones that it
 *      depends on: ordered, those in the same folder (file systems with a journal); else only those of the same name.
 *      A change is there wholly or not at all.
 *   5. A file without a name is gone. */
#ifndef CUT_H
#define CUT_H

#include "image.h"

enum { CUT_MOST = 400 };

/* What is not durable yet of one change. */
struct pending {
    const struct change *change;
    int64_t before, after; /* the lengths of the file */
};

struct cut {
    struct image durable; /* with the files that have no name */
    int64_t *length;      /* of each file, as programs see it */
    int files, n;
    struct pending pending[CUT_MOST]; /* in order */
};

/* What of it survives. */
struct choice {
    bool by_sectors, ordered;
    bool bytes[CUT_MOST];  /* a write, or the change of a name */
    bool length[CUT_MOST]; /* the length after it */
    int torn;              /* index of a write that survives in part, by sectors; -1: none */
    int lost;              /* by sectors: of 256 sectors this many are older; 0: only of what is torn */
    uint64_t seed;         /* of the tearing */
};

void cut_start(struct cut *c, const struct image *im);    /* all of im is durable */
void cut_add(struct cut *c, const struct change *change); /* which stays where it is */
void cut_free(struct cut *c);

bool cut_is_name(const struct change *c);
bool cut_has_length(const struct pending *p); /* it changes the length of its file */
bool cut_can_tear(const struct pending *p);

/* The i-th choice for what is pending, i >= 0. The first cut_listed() choices are, in this order: nothing survives;
 * all does; all but one change, for each; all, but one write torn, for each; and, when there are at most `few` things
 * to choose, every set of them. Those that follow are random ones. All depends on seed and i alone. */
int cut_listed(const struct cut *c, int few);
void cut_choose(const struct cut *c, int few, uint64_t seed, int i, struct choice *out);
enum { CUT_NOTHING, CUT_ALL };

void cut_build(const struct cut *c, const struct choice *choice, struct image *out);

#endif
