/* The state to which a file is pinned, and what becomes of an ask that met another one. */
#include <unistd.h>

#include "remote/web.h"

enum { SOON_SECONDS = 2 }; /* after a failure, one try is enough; after a refusal, none */

struct drxi_pin drxi_web_pin(struct drxi_web *f)
{
    struct drxi_pin pin;

    (void)pthread_mutex_lock(&f->lock);
    pin = (struct drxi_pin){ f->pinned, f->current == f->state, f->version, f->state };
    (void)pthread_mutex_unlock(&f->lock);
    return pin;
}

void drxi_web_prepare(struct drxi_web *f, const struct drxi_pin *pin, void *buf, size_t n, int64_t offset,
                      struct drxi_ask *ask)
{
    memset(ask, 0, sizeof *ask);
    ask->address = &f->address;
    ask->known = pin->pinned;
    ask->version = pin->version;
    ask->offset = offset;
    ask->bytes = n;
    ask->buf = buf;
    (void)pthread_mutex_lock(&f->lock);
    ask->most_tries = f->failed_at > 0 && drxi_now() - f->failed_at < SOON_SECONDS ? 1 : 0;
    (void)pthread_mutex_unlock(&f->lock);
}

drx_status drxi_web_settle(struct drxi_web *f, const struct drxi_pin *pin, const struct drxi_ask *ask, bool *changed)
{
    /* One number in one answer is no proof that the file ends there, beyond which elements are fill. A second answer
     * is, and so is one that ended there itself. */
    bool ends = pin->pinned || ask->got < ask->bytes;

    *changed = ask->outcome == DRXI_CHANGED;
    (void)pthread_mutex_lock(&f->lock);
    if (ask->outcome == DRXI_FAILED) {
        f->failed_at = drxi_now();
    } else if (ask->outcome == DRXI_GOT && !pin->pinned && !f->pinned) {
        f->version = ask->seen;
        f->pinned = true;
    } else if (ask->outcome == DRXI_GOT && !pin->pinned) { /* another thread has pinned it meanwhile */
        *changed = !drxi_version_same(&f->version, &ask->seen);
        ends = true;
    }
    if (!*changed && ends && (ask->outcome == DRXI_GOT || ask->outcome == DRXI_SAME) && f->state == pin->state) {
        f->version.fresh = f->version.fresh && ask->seen.fresh;
        f->current = f->state;
    }
    (void)pthread_mutex_unlock(&f->lock);
    if (ask->outcome == DRXI_MISSING)
        return pin->pinned ? drxi_fail(DRX_ENOENT, "%s: is gone since it was opened", f->io.path)
                           : drxi_fail(DRX_ENOENT, "%s: the server has no such file", f->io.path);
    if (ask->outcome == DRXI_FAILED)
        drxi_report_set(ask->detail);
    return ask->outcome == DRXI_FAILED ? ask->st : DRX_OK;
}

/* The present state of the file. */
static drx_status probe(struct drxi_web *f, struct drxi_version *seen)
{
    const struct drxi_pin any = { .pinned = false };
    uint8_t byte;
    struct drxi_ask ask;
    drx_status st;

    drxi_web_prepare(f, &any, &byte, 1, 0, &ask);
    st = drxi_engine_ask(&ask, 1);
    if (!st && ask.outcome == DRXI_MISSING)
        st = drxi_fail(DRX_ENOENT, "%s: is gone since it was opened", f->io.path);
    else if (!st && ask.outcome == DRXI_FAILED) {
        drxi_report_set(ask.detail);
        st = ask.st;
    }
    *seen = ask.seen;
    return st;
}

static void pin_to(struct drxi_web *f, const struct drxi_version *version)
{
    const uint64_t before = f->state;

    (void)pthread_mutex_lock(&f->lock);
    f->pinned = true;
    f->version = *version;
    f->state = f->current = drxi_blocks_new();
    (void)pthread_mutex_unlock(&f->lock);
    drxi_blocks_drop(before);
}

/* Other threads meet the new state, too, and need not wait for the judge again. */
static drx_status refuse_state(struct drxi_web *f, drx_status st)
{
    f->refused_at = drxi_now();
    f->refused = st;
    drxi_report_keep(f->detail);
    return st;
}

static drx_status judge_answers(struct drxi_web *f)
{
    struct drxi_version seen;
    drx_status st;

    if (f->refused_at > 0 && drxi_now() - f->refused_at < SOON_SECONDS) {
        drxi_report_set(f->detail);
        return f->refused;
    }
    st = probe(f, &seen);

    if (st)
        return st;
    if (!f->judge) {
        f->changed = true;
        return drxi_fail(DRX_EMISMATCH, "%s: changed since it was opened", f->io.path);
    }
    if (seen.bytes < f->version.bytes)
        return drxi_fail(DRX_EMISMATCH, "%s: %lld bytes long, it had %lld when it was opened: replaced by another file",
                         f->io.path, (long long)seen.bytes, (long long)f->version.bytes);
    st = f->judge(f->of, &f->io, &f->as_of);
    if (st)
        return refuse_state(f, st);
    pin_to(f, &seen);
    return DRX_OK;
}

drx_status drxi_web_judge(struct drxi_web *f, const struct drxi_pin *pin)
{
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&f->judging);
    if (f->state == pin->state && f->pinned) /* no other thread has asked meanwhile */
        st = judge_answers(f);
    (void)pthread_mutex_unlock(&f->judging);
    return st;
}

static unsigned state_is(const drxi_io *io)
{
    struct drxi_web *f = drxi_web_of((drxi_io *)(uintptr_t)io);
    const struct drxi_pin pin = drxi_web_pin(f);
    const bool firm = pin.pinned && !pin.version.fresh && drxi_version_tells(&pin.version);

    return (pin.version.fresh ? DRXI_FRESH : 0u) | (firm ? DRXI_FIRM : 0u) | (f->changed ? DRXI_ALTERED : 0u);
}

static void drop_pins(drxi_io *io)
{
    struct drxi_web *f = drxi_web_of(io);
    uint64_t before;

    (void)pthread_mutex_lock(&f->lock);
    before = f->state;
    f->state = drxi_blocks_new();
    (void)pthread_mutex_unlock(&f->lock);
    drxi_blocks_drop(before);
}

static void set_judge(drxi_io *io, drxi_judge *judge_of_it, void *of)
{
    drxi_web_of(io)->judge = judge_of_it;
    drxi_web_of(io)->of = of;
    if (state_is(io) & DRXI_FRESH)
        drop_pins(io);
}

/* Whether the answer is of another state than the pin, or the server does not tell states apart. */
static bool is_another(const struct drxi_pin *pin, const struct drxi_ask *ask)
{
    return !drxi_version_tells(&ask->seen) || !drxi_version_same(&pin->version, &ask->seen);
}

/* A question for the present state. The block that has the end of the file is asked for, if the file has another state:
 * what follows in a log begins there. */
struct drxi_inquiry {
    struct drxi_ask ask;
    struct drxi_pin pin;
    pid_t owner; /* a forked child gets no answer */
    int64_t at;  /* the block */
    uint8_t block[DRXI_BLOCK_BYTES];
};

static drx_status inquire(drxi_io *io, struct drxi_inquiry **out)
{
    struct drxi_inquiry *q = drxi_calloc(1, sizeof *q);
    struct drxi_web *f = drxi_web_of(io);
    drx_status st;

    *out = NULL;
    if (!q)
        return DRX_ENOMEM;
    q->owner = getpid();
    q->pin = drxi_web_pin(f);
    q->at = q->pin.pinned && q->pin.version.bytes > 0 ? (q->pin.version.bytes - 1) / DRXI_BLOCK_BYTES : 0;
    drxi_web_prepare(f, &q->pin, q->block, DRXI_BLOCK_BYTES, q->at * DRXI_BLOCK_BYTES, &q->ask);
    q->ask.another = true;
    st = drxi_engine_begin(&q->ask);
    if (st)
        drxi_free(q);
    else
        *out = q;
    return st;
}

static void drop_inquiry(struct drxi_inquiry *q)
{
    if (!q || q->owner != getpid()) /* left to the parent */
        return;
    drxi_engine_wait(&q->ask);
    drxi_free(q);
}

/* The file has another state, in which it goes on, or it was replaced by a shorter one. */
static void take_state(struct drxi_web *f, const struct drxi_inquiry *q)
{
    const struct drxi_ask *ask = &q->ask;

    f->gone = ask->seen.bytes < q->pin.version.bytes;
    if (f->gone)
        return;
    pin_to(f, &ask->seen);
    if (ask->got == DRXI_BLOCK_BYTES || ask->offset + (int64_t)ask->got == ask->seen.bytes)
        drxi_blocks_put(f->state, q->at, q->block, ask->got);
}

static drx_status renew_by(drxi_io *io, struct drxi_inquiry *q)
{
    struct drxi_web *f = drxi_web_of(io);
    drx_status st = DRX_OK;
    bool changed;

    drxi_engine_wait(&q->ask);
    if (q->ask.outcome == DRXI_MISSING)
        f->gone = true;
    else
        st = drxi_web_settle(f, &q->pin, &q->ask, &changed);
    if (!st)
        f->changed = false;
    if (!st && q->ask.outcome == DRXI_GOT && q->pin.pinned && is_another(&q->pin, &q->ask))
        take_state(f, q);
    drxi_free(q);
    return st;
}

static drx_status renew(drxi_io *io, struct drxi_inquiry *q)
{
    const drx_status st = q ? DRX_OK : inquire(io, &q);

    return st ? st : renew_by(io, q);
}

/* A file that was asked for its state. */
static drx_status repin_file(struct drxi_web *f, const struct drxi_pin *pin, const struct drxi_ask *ask, bool *changed)
{
    bool unused;
    drx_status st = drxi_web_settle(f, pin, ask, &unused);

    if (st)
        return st;
    f->as_of = 0;
    f->refused_at = 0;
    if (ask->outcome != DRXI_GOT || !is_another(pin, ask))
        return DRX_OK;
    pin_to(f, &ask->seen);
    *changed = true;
    return DRX_OK;
}

static drx_status repin_files(drxi_io *const io[], int n)
{
    struct drxi_ask *ask = drxi_calloc((size_t)n, sizeof *ask);
    struct drxi_pin *pin = drxi_calloc((size_t)n, sizeof *pin);
    uint8_t *byte = drxi_malloc((size_t)n);
    bool changed = false;
    drx_status st = ask && pin && byte ? DRX_OK : DRX_ENOMEM;

    for (int i = 0; !st && i < n; i++) {
        pin[i] = drxi_web_pin(drxi_web_of(io[i]));
        drxi_web_prepare(drxi_web_of(io[i]), &pin[i], &byte[i], 1, 0, &ask[i]);
        ask[i].another = true;
    }
    if (!st)
        st = drxi_engine_ask(ask, n);
    for (int i = 0; !st && i < n; i++)
        st = repin_file(drxi_web_of(io[i]), &pin[i], &ask[i], &changed);
    for (int i = 0; changed && i < n; i++) /* the others may have been read before it changed */
        drop_pins(io[i]);
    drxi_free(byte);
    drxi_free(pin);
    drxi_free(ask);
    return st;
}

const struct drxi_state_ops drxi_remote_states = { state_is, drop_pins,    set_judge,  renew,
                                                   inquire,  drop_inquiry, repin_files };
