/* Parts of files that will probably be read next, asked for ahead of that. A prefetch is asked for once. One that fails
 * is left to the read that needs it, which asks again, as often as is usual, and reports what is wrong. All files of
 * the process share a bound. */
#ifndef DRXI_PREFETCH_H
#define DRXI_PREFETCH_H

#include "remote/web.h"

enum { DRXI_WISH_PARTS = 8 };

/* Bytes that a read waits for, in parts that prefetches bring. Its owner keeps it until `done`, which the engine's
 * thread calls: all bytes are in place, or not (`good`). */
struct drxi_wish {
    void (*done)(struct drxi_wish *wish);
    bool good;
    int parts; /* under way */
    struct drxi_wished {
        struct drxi_wish *wish;
        uint8_t *to;
        size_t from, n; /* of the prefetch */
        struct drxi_wished *next;
    } part[DRXI_WISH_PARTS];
    struct drxi_wish *next;
};

/* Take n bytes of the pinned state from prefetches. UNDER_WAY: wish->done will be called. NONE: they do not have them
 * all. */
enum drxi_prefetched { DRXI_GUESSED_NONE, DRXI_GUESSED_ALL, DRXI_GUESSED_UNDER_WAY };
enum drxi_prefetched drxi_prefetch_take(const struct drxi_web *f, const struct drxi_pin *pin, uint8_t *buf, size_t n,
                                        int64_t offset, struct drxi_wish *wish);

/* Forks from now on leave the child without prefetches. */
void drxi_prefetch_watch(void);

/* The file is about to be closed: give up what is under way, and drop it all. */
void drxi_prefetch_end(struct drxi_web *f);

#endif
