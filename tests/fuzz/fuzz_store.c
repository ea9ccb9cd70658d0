/* The log of a store: reading, all at once, in pieces, as of commits, and where memory fails; all in memory.
 *
 * Input: a byte of flags, a byte that says where readings end (PIECES) or which allocation fails (MEMORY), the length
 * (u8) of the end that SEAL leaves as it is, then the log from its first record on. With HEAD a head comes first. */
#include <stdlib.h>

#include "fuzz.h"
#include "store/store.h"
#include "store_digest.h"

enum { SEAL = 1, DATASET = 2, HEAD = 4, PIECES = 8, MEMORY = 16, OTHERS = 32, COMMITS = 64 };
enum { MOST_COMMITS = 4 };

struct subject {
    enum drxi_store_kind kind;
    bool others;
    uint8_t *bytes;
    size_t n;
    drxi_io *io;
};

struct outcome {
    drx_status st;
    enum drxi_log_tail tail;
    uint64_t digest;
};

static struct outcome read_on(const struct subject *u, struct drxi_store *s, int64_t commit)
{
    struct outcome o = { .tail = DRXI_LOG_CLEAN };

    o.st = drxi_store_read(s, u->io, commit, u->others, &o.tail);
    o.digest = store_digest(s);
    fuzz_require(!find_fault(s));
    if (o.st || o.tail == DRXI_LOG_DAMAGED)
        fuzz_require(drx_last_error()[0]);
    return o;
}

/* Read the first n bytes. *end, if not NULL, is where what counts ends. */
static struct outcome read_new(const struct subject *u, size_t n, int64_t commit, struct drxi_log_place *end)
{
    struct drxi_store s;
    struct outcome o = { .st = DRX_OK };

    fuzz_require(u->io->ops->resize(u->io, (int64_t)n) == DRX_OK);
    fuzz_require(u->io->ops->write(u->io, u->bytes, n, 0) == DRX_OK);
    fuzz_require(drxi_store_begin(&s, u->io, u->kind) == DRX_OK);
    o = read_on(u, &s, commit);
    if (end)
        *end = s.end;
    drxi_store_free(&s);
    return o;
}

static bool is_documented(drx_status st)
{
    return st == DRX_OK || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED;
}

/* What counts says the same alone, and a SYNC can follow it. */
static void check_prefix(const struct subject *u, const struct drxi_log_place *end, uint64_t digest)
{
    struct drxi_run run = drxi_run_at(end);
    struct outcome o = read_new(u, (size_t)end->end, DRXI_ANY_COMMIT, NULL);
    struct drxi_store s;

    fuzz_require(o.st == DRX_OK && o.tail == DRXI_LOG_CLEAN && o.digest == digest);
    fuzz_require(drxi_store_begin(&s, u->io, u->kind) == DRX_OK);
    (void)read_on(u, &s, DRXI_ANY_COMMIT);
    drxi_put_sync(&run);
    drxi_run_count(&run);
    fuzz_require(!run.failed && u->io->ops->write(u->io, run.bytes, (size_t)run.n, run.at) == DRX_OK);
    o = read_on(u, &s, DRXI_ANY_COMMIT);
    fuzz_require(o.st == DRX_OK && s.ends_with_sync == (end->sequence < UINT64_MAX));
    drxi_run_free(&run);
    drxi_store_free(&s);
}

/* A store that follows the log says the same as a new one; where a new one has nothing, it keeps what it was. */
static void check_pieces(const struct subject *u, size_t step)
{
    struct drxi_store s;

    (void)read_new(u, DRXI_LOG_AT, DRXI_ANY_COMMIT, NULL);
    fuzz_require(drxi_store_begin(&s, u->io, u->kind) == DRX_OK);
    for (size_t n = DRXI_LOG_AT; n < u->n;) {
        const uint64_t before = store_digest(&s);
        struct outcome fresh, o;

        n = n + step < u->n ? n + step : u->n;
        fresh = read_new(u, n, DRXI_ANY_COMMIT, NULL);
        o = read_on(u, &s, DRXI_ANY_COMMIT);
        fuzz_require(o.st == fresh.st && (o.st || o.tail == fresh.tail));
        fuzz_require(o.digest == (o.st ? before : fresh.digest));
    }
    drxi_store_free(&s);
}

static void check_commits(const struct subject *u, const struct outcome *all)
{
    struct drxi_store s;

    (void)read_new(u, u->n, DRXI_ANY_COMMIT, NULL);
    fuzz_require(drxi_store_begin(&s, u->io, u->kind) == DRX_OK);
    (void)read_on(u, &s, DRXI_ANY_COMMIT);
    for (int64_t i = 0; i < s.commits && i < MOST_COMMITS; i++) {
        const struct drxi_commit *c = &s.commit[i];
        const struct outcome as_of = read_new(u, u->n, c->number, NULL);

        if (c->number == DRXI_ANY_COMMIT)
            continue;
        fuzz_require(as_of.st == DRX_OK && as_of.tail == DRXI_LOG_CLEAN);
        fuzz_require(as_of.digest == read_new(u, (size_t)c->end, DRXI_ANY_COMMIT, NULL).digest);
    }
    fuzz_require(store_digest(&s) == all->digest);
    drxi_store_free(&s);
}

/* An allocation fails: nothing changes, or, where the log is refused as well, all goes. */
static void check_memory(const struct subject *u, const struct outcome *all, long n)
{
    enum drxi_log_tail tail;
    struct drxi_store s;
    struct outcome o;
    uint64_t before;
    drx_status st;

    (void)read_new(u, u->n, DRXI_ANY_COMMIT, NULL);
    fuzz_require(drxi_store_begin(&s, u->io, u->kind) == DRX_OK);
    before = store_digest(&s);
    drxi_fail_allocation = n;
    st = drxi_store_read(&s, u->io, DRXI_ANY_COMMIT, u->others, &tail);
    if (drxi_fail_allocation == 0)
        fuzz_require(st == DRX_ENOMEM && store_digest(&s) == before);
    drxi_fail_allocation = 0;
    fuzz_require(!find_fault(&s));
    o = read_on(u, &s, DRXI_ANY_COMMIT);
    fuzz_require(o.st == all->st && o.digest == all->digest);
    drxi_store_free(&s);
}

static void try_log(const struct subject *u, uint64_t flags, uint64_t number)
{
    struct drxi_log_place end;
    const struct outcome o = read_new(u, u->n, DRXI_ANY_COMMIT, &end);

    fuzz_require(is_documented(o.st) && end.end <= (int64_t)u->n);
    if (!o.st)
        check_prefix(u, &end, o.digest);
    if (flags & PIECES)
        check_pieces(u, 8 + 4 * number);
    if (flags & COMMITS && !o.st)
        check_commits(u, &o);
    if (flags & MEMORY && number > 0)
        check_memory(u, &o, (long)number);
}

/* A head of any bytes, which it may not be. */
static void try_head(struct subject *u, struct fuzz_input *in)
{
    size_t n = DRXI_STORE_HEAD_BYTES;
    uint8_t *head = fuzz_bytes(in, &n);
    struct drxi_store s;

    if (n > 0)
        memcpy(u->bytes, head, n);
    fuzz_require(u->io->ops->write(u->io, u->bytes, u->n, 0) == DRX_OK);
    if (drxi_store_begin(&s, u->io, u->kind))
        fuzz_require(drx_last_error()[0]);
    drxi_store_free(&s);
    free(head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const uint8_t id[DRXI_STORE_ID_BYTES] = { 1 };
    struct fuzz_input in = { data, n };
    const uint64_t flags = fuzz_number(&in, 1), number = fuzz_number(&in, 1);
    const size_t raw = fuzz_number(&in, 1);
    struct subject u = { .kind = flags & DATASET ? DRXI_DATASET : DRXI_LONE_ARRAY, .others = flags & OTHERS };
    uint32_t crc;

    u.n = DRXI_LOG_AT + in.left;
    u.bytes = calloc(1, u.n);
    fuzz_require(u.bytes && drxi_memory_open(&u.io) == DRX_OK);
    fuzz_limit_allocations(u.n);
    if (flags & HEAD)
        try_head(&u, &in);
    crc = drxi_store_head_encode(u.kind, id, u.bytes);
    u.n = DRXI_LOG_AT + in.left;
    if (in.left > 0)
        memcpy(u.bytes + DRXI_LOG_AT, in.at, in.left);
    if (flags & SEAL && in.left > raw)
        fuzz_seal_store(u.bytes + DRXI_LOG_AT, in.left - raw, crc);
    try_log(&u, flags, number);
    (void)u.io->ops->close(u.io);
    free(u.bytes);
    return 0;
}
