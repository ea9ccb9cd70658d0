/* A stash: the next box of a walk, or its first part, read directly into memory of its own while the program works.
 * One thread at a time uses it. */
#pragma once

#include <sys/types.h>

#include "box/box.h"
#include "io/flight.h"

struct drxi_stash;

/* Reads that outlive the call that sends them. They are not those of a schedule (io/schedule.h): all are known, up to
 * 4096, and sent at once, so nothing waits for room, and none is placed. */
struct drxi_batch {
    struct drxi_flight *flight; /* of the process `owner`; NULL: there are none */
    struct drxi_flying *reads;
    int64_t n;
    pid_t owner;
};
/* Send reads, which it frees later; those without memory bring bytes that nobody looks at. Nothing is reported when
 * that cannot be. */
void drxi_batch_send(struct drxi_batch *b, struct drxi_data *data, struct drxi_flying *reads, int64_t n);
/* Wait for what has begun, or, if it is wanted, for all of it. */
void drxi_batch_end(struct drxi_batch *b, bool wanted);

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
/* The bytes of a read of that box, when they have completed; NULL: the stash does not have them. Reads come in the
 * order of their offsets. */
uint8_t *drxi_stash_take(struct drxi_stash *s, const struct drxi_flying *read);
/* Empty it: cancel its reads, and wait for those that have begun. Its memory stays for the next box. */
void drxi_stash_empty(struct drxi_stash *s);
void drxi_stash_end(struct drxi_stash **stash);
