/* Opening files. What will soon be opened is asked for ahead of that, so that a server sends many files at a time.
 *
 * Invariants
 *   1. A file that is expected was asked for after the call that expects it began, or, without `fresh`, at most some
 *      seconds before. An array that is opened belongs to a log that was read before its files were asked for.
 *   2. What drx_look has found is the same for the call that opens it, for a second. */
#include <strings.h>

#include "base/work.h"
#include "remote/web.h"

enum {
    EXPECTED = 64,
    FRESH_SECONDS = 5, /* so long they may be taken */
    KEPT_SECONDS = 1   /* the same of what drx_look has found */
};

/* A file whose first block is on its way. */
struct opening {
    char *url;
    struct drxi_web *web;
    struct drxi_ask ask;
    double begun_at;
    bool kept; /* it was open already */
    uint8_t block[DRXI_BLOCK_BYTES];
};

static struct {
    pthread_mutex_t lock;
    struct opening *file[EXPECTED];
} expected = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* What is under way is the parent's. */
static void renew_openings(void)
{
    memset(expected.file, 0, sizeof expected.file);
    (void)pthread_mutex_unlock(&expected.lock);
}

static struct drxi_forked forked = { .lock = &expected.lock, .in_child = renew_openings };

/* Over TLS one connection may carry all; S3 has no such thing. */
static int worth_making(const struct drxi_address *address, int connections)
{
    return address->s3 || strncasecmp(address->url, "http:", 5) == 0 ? connections : 0;
}

static drx_status begin_opening(const char *url, int connections, struct opening **out)
{
    const struct drxi_pin any = { .pinned = false };
    struct opening *o = drxi_calloc(1, sizeof *o);
    drx_status st;

    *out = NULL;
    if (!o)
        return DRX_ENOMEM;
    o->begun_at = drxi_now();
    o->url = drxi_strdup(url);
    st = o->url ? drxi_web_make(url, &o->web) : DRX_ENOMEM;
    if (!st) {
        drxi_web_prepare(o->web, &any, o->block, sizeof o->block, 0, &o->ask);
        o->ask.spares = worth_making(&o->web->address, connections);
        st = drxi_engine_begin(&o->ask);
    }
    if (!st) {
        drxi_watch_forks(&forked); /* after those of the locks that are taken under this one */
        *out = o;
        return DRX_OK;
    }
    if (o->web)
        drxi_web_free(o->web);
    drxi_free(o->url);
    drxi_free(o);
    return st;
}

static void drop_opening(struct opening *o)
{
    drxi_web_free(o->web);
    drxi_free(o->url);
    drxi_free(o);
}

/* Wait for the first block. */
static drx_status end_opening(struct opening *o, drxi_io **out)
{
    const struct drxi_pin pin = drxi_web_pin(o->web);
    bool changed;
    drx_status st;

    drxi_engine_wait(&o->ask);
    st = pin.pinned ? DRX_OK : drxi_web_settle(o->web, &pin, &o->ask, &changed);
    if (!st && !pin.pinned && (o->ask.got == DRXI_BLOCK_BYTES || (int64_t)o->ask.got == o->ask.seen.bytes))
        drxi_blocks_put(pin.state, 0, o->block, o->ask.got);
    if (st)
        drxi_web_free(o->web);
    else
        *out = &o->web->io;
    drxi_free(o->url);
    drxi_free(o);
    return st;
}

/* Drop those that nobody has taken in time. The caller holds the lock. */
static void sweep(void)
{
    for (int i = 0; i < EXPECTED; i++) {
        struct opening *const o = expected.file[i];

        if (!o || drxi_now() - o->begun_at < (o->kept ? KEPT_SECONDS : FRESH_SECONDS) ||
            !drxi_engine_has_ended(&o->ask))
            continue;
        drop_opening(o);
        expected.file[i] = NULL;
    }
}

/* The place of a file in the list; EXPECTED: it has none. NULL: a free place. The caller holds the lock. */
static int find_opening(const char *url)
{
    int i = 0;

    while (i < EXPECTED &&
           (url ? !expected.file[i] || strcmp(expected.file[i]->url, url) != 0 : expected.file[i] != NULL))
        i++;
    return i;
}

static struct opening *take_expected(const char *url)
{
    struct opening *o = NULL;
    int i;

    (void)pthread_mutex_lock(&expected.lock);
    sweep();
    i = find_opening(url);
    if (i < EXPECTED) {
        o = expected.file[i];
        expected.file[i] = NULL;
    }
    (void)pthread_mutex_unlock(&expected.lock);
    return o;
}

/* Take what was not kept. */
static struct opening *take_older(const char *url)
{
    int i;

    (void)pthread_mutex_lock(&expected.lock);
    sweep();
    i = find_opening(url);
    i = i < EXPECTED && expected.file[i]->kept ? EXPECTED : i;
    (void)pthread_mutex_unlock(&expected.lock);
    return i < EXPECTED ? take_expected(url) : NULL;
}

static void expect(const char *path, bool fresh, int connections)
{
    struct opening *const old = fresh ? take_older(path) : NULL;
    int i;

    if (old) {
        drxi_engine_wait(&old->ask);
        drop_opening(old);
    }
    (void)pthread_mutex_lock(&expected.lock);
    sweep();
    i = find_opening(path) < EXPECTED ? EXPECTED : find_opening(NULL);
    if (i < EXPECTED && begin_opening(path, connections, &expected.file[i]))
        drxi_report_clear();
    (void)pthread_mutex_unlock(&expected.lock);
}

bool drxi_remote_expect(const char *path, const char *suffix, bool fresh, int connections)
{
    const bool far = drxi_is_url(path);
    char *name = far ? drxi_format("%s%s", path, suffix) : NULL;

    if (name)
        expect(name, fresh, connections);
    drxi_free(name);
    return far;
}

void drxi_remote_unexpect(const char *path)
{
    for (int i = 0; drxi_is_url(path) && i < EXPECTED; i++) {
        struct opening *o;

        (void)pthread_mutex_lock(&expected.lock);
        o = expected.file[i] && strncmp(expected.file[i]->url, path, strlen(path)) == 0 ? expected.file[i] : NULL;
        if (o)
            expected.file[i] = NULL;
        (void)pthread_mutex_unlock(&expected.lock);
        if (!o)
            continue;
        drxi_engine_wait(&o->ask);
        drop_opening(o);
    }
}

drx_status drxi_remote_open(const char *url, enum drxi_how how, drxi_io **out)
{
    struct opening *o;
    drx_status st = DRX_OK;

    *out = NULL;
    if (how != DRXI_READ)
        return drxi_fail(DRX_EACCES, "%s: lies on a server, and servers are read-only", url);
    o = take_expected(url);
    if (!o)
        st = begin_opening(url, 0, &o);
    return st ? st : end_opening(o, out);
}

void drxi_remote_keep(drxi_io *io)
{
    struct opening *o = drxi_calloc(1, sizeof *o);
    char *url = drxi_strdup(io->path);
    int i = EXPECTED;

    if (o && url) {
        o->web = drxi_web_of(io);
        o->url = url;
        o->begun_at = drxi_now();
        o->kept = true;
        (void)pthread_mutex_lock(&expected.lock);
        sweep();
        i = find_opening(url) < EXPECTED ? EXPECTED : find_opening(NULL);
        if (i < EXPECTED)
            expected.file[i] = o;
        (void)pthread_mutex_unlock(&expected.lock);
    }
    if (i < EXPECTED)
        return;
    (void)io->ops->close(io);
    drxi_free(url);
    drxi_free(o);
}
