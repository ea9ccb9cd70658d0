/* A file on a server. */
#pragma once

#include <pthread.h>

#include "remote/remote.h"

/* ---- blocks.c: What was read last from servers: blocks of 64 KiB, so that the log, tables and single elements are not
 * asked for again and again. All files of the process share a bound. */

enum { DRXI_BLOCK_BYTES = 1 << 16 };

/* A number that no state of a file had before. */
uint64_t drxi_blocks_new(void);
/* Copy up to n bytes of a block of that state, from byte `from` of it on. False: it is not there. *got is less than n
 * where the file ends. */
bool drxi_blocks_get(uint64_t state, int64_t block, size_t from, size_t n, void *buf, size_t *got);
bool drxi_blocks_has(uint64_t state, int64_t block);
/* Keep a block: all its bytes, or up to the end of the file. */
void drxi_blocks_put(uint64_t state, int64_t block, const uint8_t *bytes, size_t n);
void drxi_blocks_drop(uint64_t state);

struct drxi_web {
    drxi_io io;
    struct drxi_address address;
    pthread_mutex_t lock; /* for what follows */
    bool pinned;          /* to `version` */
    struct drxi_version version;
    uint64_t state;     /* of drxi_blocks */
    uint64_t current;   /* the one whose length is certain; another: it is not yet, or the state was dropped since */
    bool changed, gone; /* see DRXI_ALTERED; ops->named is false */
    double failed_at;   /* when a request had failed after all its tries */
    double unlucky_at;  /* when a prefetch failed, under the lock of prefetch.c */

    pthread_mutex_t judging;
    drxi_judge *judge;
    void *of;
    int64_t as_of;
    double refused_at; /* by the judge, with this detail */
    drx_status refused;
    char detail[DRXI_DETAIL_BYTES];
};

/* The state to which the file is pinned, at some moment. */
struct drxi_pin {
    bool pinned;
    bool current; /* its length is certain, and nobody has doubted it since */
    struct drxi_version version;
    uint64_t state;
};

static inline struct drxi_web *drxi_web_of(drxi_io *io)
{
    return (struct drxi_web *)(void *)io; /* its first member */
}

/* ---- web_state.c ---- */

struct drxi_pin drxi_web_pin(struct drxi_web *f);
/* An ask for a range of that state. */
void drxi_web_prepare(struct drxi_web *f, const struct drxi_pin *pin, void *buf, size_t n, int64_t offset,
                      struct drxi_ask *ask);
/* What became of an ask that has ended. *changed: the file has another state than `pin`, and the status is DRX_OK. */
drx_status drxi_web_settle(struct drxi_web *f, const struct drxi_pin *pin, const struct drxi_ask *ask, bool *changed);
/* The file has another state than `pin`: ask its judge. */
drx_status drxi_web_judge(struct drxi_web *f, const struct drxi_pin *pin);

/* ---- web_read.c: calls of drxi_io_ops ---- */

drx_status drxi_web_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got);
int64_t drxi_web_start(drxi_io *io, void *buf, size_t n, int64_t offset, struct drxi_sink *sink,
                       void (*done)(void *arg, int64_t got), void *arg);

/* ---- prefetch.c: another ---- */

int64_t drxi_web_prefetch(drxi_io *io, int64_t offset, int64_t n, bool sparing);

/* ---- web_file.c ---- */

/* A file that nobody has asked for yet. */
drx_status drxi_web_make(const char *url, struct drxi_web **out);
void drxi_web_free(struct drxi_web *f);

/* ---- prefetch.c: Parts of files that will probably be read next, asked for ahead of that. A prefetch is asked for
 * once. One that fails is left to the read that needs it, which asks again, as often as is usual, and reports what is
 * wrong. All files of the process share a bound. */

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
