/* Other handles beside the one that the history goes through: readers of the files, readers through a server, and
 * writers that share the array, whose turn may come. And copies of the files, in which it may go on. */
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
    memcpy(r->lower, m->now.lower, sizeof r->lower);
    memcpy(r->shape, m->now.shape, sizeof r->shape);
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
    names_copy(&r->names, &m->names);
    plain_free(&r->then);
    if (r->remote)
        plain_copy(&r->then, &m->now);
}

void reader_close(struct model *m, struct reader *r)
{
    EXPECT_OK(m, drx_close(r->a));
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
    snprintf(path, sizeof path, "%s%s", r->remote ? m->run->url : "", m->path);
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
        reader_open(m, r, m->shared || !m->writable);
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

/* A reader that does not know all axes is refused, and goes on as it was. */
static void reader_refresh(struct model *m, struct reader *r)
{
    m->run->calls++;
    if (r->ndim == m->ndim) {
        EXPECT_OK(m, drx_refresh(r->a));
        reader_take_state(m, r);
    } else {
        EXPECT_ERROR(m, drx_refresh(r->a), DRX_EMISMATCH);
    }
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
    EXPECT_OK(m, drx_refresh(m->a));
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

/* The history goes on through another handle that is open for writing. It sees what was done when it looks anew, or by
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
    if (r->ndim != m->ndim) {
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

/* The copy takes the place of the array. */
static void go_on_in_copy(struct model *m)
{
    char path[LINE];

    say(m, "go on in the copy");
    readers_close(m, true);
    close_array(m);
    if (rng_chance(&m->rng, 50))
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
