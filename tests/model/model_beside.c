/* Other handles beside the one that the history goes through: readers of the files, readers through a server, and
 * writers that share the array, whose turn may come. And copies of the files, in which it may go on. */
#include "drx_dataset.h"
#include "model.h"

void disturb_readers(struct model *m)
{
    for (int i = 0; i < READERS; i++)
        m->reader[i].stale = m->reader[i].remote;
}

/* The reader sees the present state of the array. */
static void reader_take_state(struct model *m, struct reader *r)
{
    r->ndim = m->ndim;
    memcpy(r->lower, m->hands == &lent ? m->kept.lower : m->now.lower, sizeof r->lower);
    memcpy(r->shape, m->hands == &lent ? m->kept.shape : m->now.shape, sizeof r->shape);
    for (int j = 0; j < m->ndim; j++) {
        r->axis[j] = j;
        r->first[j] = r->lower[j];
        r->end[j] = r->lower[j] + r->shape[j];
    }
    r->cut = false;
    r->stale = r->remote && m->puts_pending;
    r->compacted = 0;
    r->chunks = m->book.count;
    names_free(&r->names);
    names_copy(&r->names, m->hands == &lent ? &m->kept.names : &m->names);
    plain_free(&r->then);
    if (r->remote)
        plain_copy(&r->then, &m->now);
}

void reader_close(struct model *m, struct reader *r)
{
    EXPECT_OK(m, r->ds ? drx_dataset_close(r->ds) : drx_close(r->a));
    names_free(&r->names);
    plain_free(&r->then);
    memset(r, 0, sizeof *r);
}

void readers_close(struct model *m, bool all)
{
    for (int i = 0; i < READERS; i++)
        if (m->reader[i].a && (all || m->reader[i].shared))
            reader_close(m, &m->reader[i]);
}

enum which { CLOSED, OPEN, SHARED };

static struct reader *choose_reader(struct model *m, enum which which)
{
    int first = (int)rng_between(&m->rng, 0, READERS - 1);

    for (int i = 0; i < READERS; i++) {
        struct reader *r = &m->reader[(first + i) % READERS];

        if ((r->a != NULL) == (which != CLOSED) && (r->shared || which != SHARED))
            return r;
    }
    return NULL;
}

static void reader_open(struct model *m, struct reader *r, bool may_share)
{
    char path[LINE + 64];

    r->shared = may_share && rng_chance(&m->rng, 60);
    r->remote = !r->shared && m->run->url && m->remote && rng_chance(&m->rng, 60);
    memcpy(r->path, m->path, sizeof r->path);
    snprintf(path, sizeof path, "%s%s", r->remote ? m->run->url : "", m->path);
    if (m->hands == &lent && rng_chance(&m->rng, 60)) {
        lent_folder(m, path, sizeof path);
        EXPECT_OK(m, drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &r->ds));
        EXPECT_OK(m, drx_dataset_array(r->ds, strrchr(m->path, '/') + 1, &r->a));
    } else
        EXPECT_OK(m, drx_open(path, r->shared ? DRX_SHARED : DRX_RDONLY, &r->a));
    m->run->calls++;
    CHECK(m, drx_last_error()[0] == '\0' || r->shared, "drx_open reports: %s", drx_last_error());
    cache_data(m, r->a);
    reader_take_state(m, r);
    check_reader(m, r);
}

void op_reader_open(struct model *m)
{
    struct reader *r = choose_reader(m, CLOSED);

    say(m, "open a reader");
    if (r)
        reader_open(m, r, m->hands == &alone && (m->shared || !m->writable));
}

static void reader_read(struct model *m, struct reader *r)
{
    const struct box b = choose_box(m, r->ndim, r->lower, r->shape);

    say(m, "reader %d reads lo %s count %s", (int)(r - m->reader), numbers(r->ndim, b.lo), numbers(r->ndim, b.count));
    check_reader_bounds(m, r);
    check_names(m, r->a, &r->names);
    if (m->puts_pending)
        return;
    check_reader_box(m, r, &b, choose_order(m));
    m->run->calls += plain_product(r->ndim, b.count) > 0;
}

void op_reader_read(struct model *m)
{
    struct reader *r = choose_reader(m, OPEN);

    if (r)
        reader_read(m, r);
    else
        op_reader_open(m);
}

drx_status refresh_status(const struct model *m, const struct reader *r, bool removed)
{
    const bool other = (!removed && strcmp(r->path, m->path) == 0) || (m->copied && strcmp(r->path, m->other) == 0);

    if (removed || r->renamed || r->frozen)
        return other ? DRX_EMISMATCH : DRX_ENOENT;
    return r->ndim == m->ndim ? DRX_OK : DRX_EMISMATCH;
}

static drx_status refresh(struct reader *r)
{
    return r->ds ? drx_dataset_refresh(r->ds) : drx_refresh(r->a);
}

/* A reader that is refused, or that a failure stops, goes on as it was. */
static void reader_refresh(struct model *m, struct reader *r)
{
    const enum fault fault = m->faulty && rng_chance(&m->rng, 60) ? OF_DISK : OF_MEMORY;
    const drx_status want = refresh_status(m, r, false);
    drx_status st;

    m->run->calls++;
    if (!m->in_trouble && want != DRX_EMISMATCH && rng_chance(&m->rng, 25)) {
        alone.arm(m, fault, rng_between(&m->rng, 1, 6));
        st = refresh(r);
        if (alone.disarm(m, fault) && st) {
            EXPECT_EITHER(m, st, want, fault == OF_MEMORY ? DRX_ENOMEM : DRX_EIO);
            check_reader(m, r);
        }
    }
    EXPECT_EITHER(m, refresh(r), want, want);
    if (want == DRX_OK)
        reader_take_state(m, r);
    check_reader(m, r);
}

void op_reader_refresh(struct model *m)
{
    struct reader *r = choose_reader(m, OPEN);

    say(m, "refresh %s", r ? "a reader" : "the handle itself");
    if (r) {
        reader_refresh(m, r);
        return;
    }
    EXPECT_OK(m, m->hands->refresh(m));
    m->run->calls++;
    check_inquiry(m);
}

void op_reader_close(struct model *m)
{
    struct reader *r = choose_reader(m, OPEN);

    say(m, "close a reader");
    if (!r)
        return;
    check_reader(m, r);
    reader_close(m, r);
    m->run->calls++;
}

/* The history goes on through another handle that is open for writing. It sees what was done when it looks again, or by
 * its first change; the handle of before becomes a reader. */
void op_take_turns(struct model *m)
{
    struct reader *r = choose_reader(m, SHARED);
    const bool looks = rng_chance(&m->rng, 50);
    drx_array *const before = m->a;
    drx_status st;

    say(m, "go on through another handle that shares it%s", looks ? ", refreshed" : "");
    if (!r)
        return;
    if (m->puts_pending)
        EXPECT_OK(m, drx_sync(m->a));
    m->puts_pending = m->pool_off = false;
    st = looks ? drx_refresh(r->a) : drx_extend(r->a, 0, 0);
    m->run->calls++;
    if (r->ndim != m->ndim) { /* those that share it were closed before it lost its name */
        EXPECT_ERROR(m, st, DRX_EMISMATCH);
        check_reader(m, r);
        return;
    }
    EXPECT_OK(m, st);
    m->a = r->a;
    r->a = before;
    r->shared = m->shared;
    m->writable = m->shared = true;
    reader_take_state(m, r);
    check_inquiry(m);
    check_reader(m, r);
}

static void check_copy(struct model *m, int mode)
{
    drx_array *const before = m->a;

    EXPECT_OK(m, drx_open(m->other, mode, &m->a));
    check_all(m);
    EXPECT_OK(m, drx_close(m->a));
    m->a = before;
}

static void duplicate(struct model *m)
{
    EXPECT_OK(m, drx_duplicate(m->path, m->other, m->copied ? DRX_REPLACE : 0, NULL, NULL));
    m->run->calls++;
    m->copied = true;
    check_copy(m, rng_chance(&m->rng, 50) ? DRX_RDONLY : DRX_RDWR);
}

/* Readers keep the files of an array that loses its name: they freeze, if nobody will have it any more. */
static void readers_stay(struct model *m, bool frozen)
{
    for (int i = 0; i < READERS; i++) {
        struct reader *r = &m->reader[i];

        if (!r->a || r->frozen)
            continue;
        if (r->shared || r->remote) {
            reader_close(m, r);
            continue;
        }
        r->frozen = frozen;
        r->renamed = true;
        r->compacted = 2; /* by whom it does not know */
        if (frozen)
            plain_copy(&r->then, &m->now);
    }
}

void op_rename(struct model *m)
{
    char path[LINE];

    snprintf(path, sizeof path, "%s/renamed at %" PRId64, m->run->folder, m->op);
    say(m, "close, rename to %s, open for writing", path);
    if (m->writable)
        EXPECT_ERROR(m, drx_rename(m->path, path, 0), DRX_EBUSY);
    readers_stay(m, false);
    close_array(m);
    EXPECT_OK(m, drx_rename(m->path, path, 0));
    memcpy(m->path, path, sizeof path);
    m->run->calls += 3;
    open_array(m, DRX_RDWR);
    check_inquiry(m);
}

/* The copy takes the place of the array. */
static void go_on_in_copy(struct model *m)
{
    char path[LINE];

    const bool moves = rng_chance(&m->rng, 50);

    say(m, "go on in the copy%s", moves ? ", moved again" : "");
    if (moves && m->stripes > 0) /* it takes those of the source */
        readers_close(m, true);
    readers_stay(m, true);
    close_array(m);
    if (!moves)
        EXPECT_OK(m, drx_remove(m->path));
    else
        EXPECT_OK(m, drx_duplicate(m->path, m->other, DRX_REPLACE | DRX_MOVE, NULL, NULL));
    memcpy(path, m->path, sizeof path);
    memcpy(m->path, m->other, sizeof path);
    memcpy(m->other, path, sizeof path);
    m->copied = false;
    open_array(m, DRX_RDWR);
    file_take_names(m);
    m->run->calls += 3;
}

void op_duplicate(struct model *m)
{
    say(m, "duplicate%s", m->copied ? " over the copy of before" : "");
    if (m->puts_pending)
        EXPECT_OK(m, drx_sync(m->a));
    m->puts_pending = false;
    if (m->copied)
        EXPECT_ERROR(m, drx_duplicate(m->path, m->other, 0, NULL, NULL), DRX_EEXIST);
    duplicate(m);
    if (rng_chance(&m->rng, 40))
        go_on_in_copy(m);
}

void beside_append(struct model *m)
{
    struct reader *r = choose_reader(m, rng_chance(&m->rng, 60) ? OPEN : CLOSED);

    if (rng_chance(&m->rng, 10))
        duplicate(m);
    else if (r && !r->a)
        reader_open(m, r, false);
    else if (r && rng_chance(&m->rng, 50))
        reader_refresh(m, r);
    else if (r)
        check_reader(m, r);
}
