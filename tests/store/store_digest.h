/* All that a store says, as a number; and what it must not say. */
#ifndef STORE_DIGEST_H
#define STORE_DIGEST_H

#include "store/store.h"

/* A digest of names, numbers, bounds, types, attributes, maps, commits, and places in the log. Stores of equal logs
 * have the same, however they were read. */
uint64_t store_digest(const struct drxi_store *s);
/* What of the invariants of store.h does not hold at a C; NULL: all do. */
const char *find_fault(const struct drxi_store *s);

#endif
