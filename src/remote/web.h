/* A file on a server. */
#ifndef DRXI_WEB_H
#define DRXI_WEB_H

#include <pthread.h>

#include "remote/remote.h"
#include "remote/wire/engine.h"

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

#endif
