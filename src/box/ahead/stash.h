/* A stash: the next box of a walk, or its first part, read directly into memory of its own while the program works.
 * One thread at a time uses it. */
#ifndef DRXI_STASH_H
#define DRXI_STASH_H

#include "box/box.h"
#include "io/flight.h"

struct drxi_stash;

/* How many bytes of reads the stash, NULL included, can take; and the memory that all stashes have. */
int64_t drxi_stash_room(const struct drxi_stash *s);
int64_t drxi_stash_bytes(void);
/* Begin to carry out the n reads of a box or of its first part, which the stash frees later, if nobody writes to the
 * array. The stash is made when it is NULL, and empty otherwise. Nothing is reported when that cannot be. */
void drxi_stash_fetch(struct drxi_stash **stash, struct drxi_data *data, const struct drxi_box *box,
                      struct drxi_flying *reads, int64_t n);
/* Whether the stash, NULL included, holds something, and whether that is this box as it is in the file now. */
bool drxi_stash_is_full(const struct drxi_stash *s);
bool drxi_stash_has(const struct drxi_stash *s, struct drxi_data *data, const struct drxi_box *box);
/* The bytes of a read of that box, when they have landed; NULL: the stash does not have them. Reads come in the order
 * of their offsets. */
uint8_t *drxi_stash_take(struct drxi_stash *s, const struct drxi_flying *read);
/* Empty it: cancel its reads, and wait for those that have begun. Its memory stays for the next box. */
void drxi_stash_empty(struct drxi_stash *s);
void drxi_stash_end(struct drxi_stash **stash);

#endif
