/* A set of hashes: what has been checked already. */
#ifndef SEEN_H
#define SEEN_H

#include <stdbool.h>
#include <stdint.h>

bool seen_add(void **set, uint64_t hash); /* false: it was there; *set is NULL at first */
void seen_forget(void **set);

#endif
