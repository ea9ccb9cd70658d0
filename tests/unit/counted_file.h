/* A cache before a file in memory whose calls are counted, fail, and let something happen. */
#ifndef COUNTED_FILE_H
#define COUNTED_FILE_H

#include <pthread.h>

#include "pool/cached_file.h"
#include "testing.h"

enum { BYTES = 5000 };

struct file {
    drxi_io io;
    pthread_mutex_t lock;
    drxi_io *inner;
    long calls, fails_at;
    void (*meanwhile)(void); /* once, after the bytes of a read were got */
    void (*before)(void);    /* once, before the bytes of a write are put */
};

extern uint8_t content[BYTES], buf[BYTES]; /* what the file has to hold; what was read last */
extern atomic_uint_fast64_t moment;
extern uint64_t seed;
extern struct file *file;
extern bool near; /* of the caches that are opened from now on */
extern drxi_io *cached;
extern struct drxi_cache *cache;

/* Make a file of random content and a cache of it, in blocks of 1 << block_shift bytes. */
void open_cached(int block_shift, int64_t most_bytes, bool with_moment);
void close_cached(void);
struct drxi_cache_counts counts(void);
/* Read through the cache, and compare with the content. */
void expect(int64_t offset, int64_t n);

#endif
