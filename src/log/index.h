/* Numbers found by a string of bytes, their key: a hash table with open addressing. The owner has the keys. */
#ifndef DRXI_INDEX_H
#define DRXI_INDEX_H

#include "base/base.h"

struct drxi_key {
    const void *bytes;
    size_t n;
};

struct drxi_index { /* zero: empty */
    int64_t n, places;
    int64_t *place; /* number + 1; 0: free */
    uint64_t secret;
};

/* The keys of the numbers in an index. */
struct drxi_keys {
    struct drxi_key (*of)(const void *owner, int64_t number);
    const void *owner;
};

void drxi_index_free(struct drxi_index *x);
int64_t drxi_index_find(const struct drxi_index *x, struct drxi_keys keys, const void *bytes, size_t n); /* -1: none */
drx_status drxi_index_reserve(struct drxi_index *x, struct drxi_keys keys);       /* room for one more */
void drxi_index_set(struct drxi_index *x, struct drxi_keys keys, int64_t number); /* in the place of one of its key */
void drxi_index_remove(struct drxi_index *x, struct drxi_keys keys, int64_t number); /* nothing has its key then */

#endif
