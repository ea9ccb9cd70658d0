/* Comparing in mid-history, reopening, and readers beside the writer. */
#include "model.h"

void op_check(struct model *m)
{
    say(m, "compare everything");
    check_all(m);
}

void op_check_file(struct model *m)
{
    say(m, "compare the file");
    if (!file_is_small(m))
        return;
    if (m->puts_pending) {
        EXPECT_OK(m, drx_sync(m->a));
        m->run->calls++;
        m->puts_pending = false;
    }
    check_file(m, false);
}

static void reopen(struct model *m, bool writable)
{
    open_array(m, writable);
    m->run->calls += 2;
    check_inquiry(m);
    if (rng_chance(&m->rng, 30))
        check_map(m, m->a, m->book.count);
    if (rng_chance(&m->rng, 30))
        check_elements(m);
}

void op_reopen(struct model *m)
{
    bool writable = rng_chance(&m->rng, m->writable ? 75 : 90);

    say(m, "close, open for %s", writable ? "writing" : "reading");
    close_array(m);
    if (file_is_small(m) && rng_chance(&m->rng, 50))
        check_file(m, true);
    reopen(m, writable);
}

/* The data file as a power cut may leave it: with what appends wrote whose
 * records were lost, outside the bounds and behind the last chunk. */
void op_power_cut(struct model *m)
{
    struct raw_layout layout = layout_of(m);
    struct raw_bytes raw;
    unsigned char tail[100];
    size_t n = (size_t)rng_between(&m->rng, 0, sizeof tail);

    say(m, "close, residue outside the bounds and %zu bytes of it behind, open for writing", n);
    if (!m->large && !file_is_small(m) && !m->codec)
        return;
    close_array(m);
    if (m->codec) {
        rng_fill(&m->rng, tail, n);
        file_lengthen(m, tail, n);
        reopen(m, true);
        return;
    }
    m->residue = true;
    file_read(m, &raw);
    CHECK(m, raw.n == m->book.count * raw_stride(&layout, &m->now), "%s: %" PRId64 " bytes", m->path, raw.n);
    raw_scribble(&layout, &m->now, &m->book, &raw, &m->rng);
    rng_fill(&m->rng, tail, n);
    file_write(m, &raw, tail, n);
    free(raw.data);
    reopen(m, true);
}

/* The reader sees the present state of the array. */
static void reader_take_state(struct model *m, struct reader *r)
{
    memcpy(r->lower, m->now.lower, sizeof r->lower);
    memcpy(r->shape, m->now.shape, sizeof r->shape);
    for (int j = 0; j < m->ndim; j++) {
        r->first[j] = r->lower[j];
        r->end[j] = r->lower[j] + r->shape[j];
    }
    r->cut = false;
    r->compacted = 0;
    r->chunks = m->book.count;
    names_free(&r->names);
    names_copy(&r->names, &m->names);
}

void reader_close(struct model *m, struct reader *r)
{
    EXPECT_OK(m, drx_close(r->a));
    r->a = NULL;
    names_free(&r->names);
}

static struct reader *choose_reader(struct model *m, bool is_open)
{
    int first = (int)rng_between(&m->rng, 0, READERS - 1);

    for (int i = 0; i < READERS; i++) {
        struct reader *r = &m->reader[(first + i) % READERS];

        if ((r->a != NULL) == is_open)
            return r;
    }
    return NULL;
}

void op_reader_open(struct model *m)
{
    struct reader *r = choose_reader(m, false);

    say(m, "open a reader");
    if (!r)
        return;
    EXPECT_OK(m, drx_open(m->path, DRX_RDONLY, &r->a));
    m->run->calls++;
    CHECK(m, drx_last_error()[0] == '\0', "drx_open reports: %s", drx_last_error());
    cache_data(m, r->a);
    reader_take_state(m, r);
    check_reader(m, r);
}

void op_reader_read(struct model *m)
{
    struct reader *r = choose_reader(m, true);
    struct box b;

    if (!r) {
        op_reader_open(m);
        return;
    }
    b = choose_box(m, r->lower, r->shape);
    say(m, "reader %d reads lo %s count %s", (int)(r - m->reader), numbers(m->ndim, b.lo), numbers(m->ndim, b.count));
    check_bounds(m, r->a, r->lower, r->shape);
    check_names(m, r->a, &r->names);
    if (m->puts_pending)
        return;
    check_reader_box(m, r, &b, choose_order(m));
    m->run->calls += count_elements(m, b.count) > 0;
}

void op_reader_refresh(struct model *m)
{
    struct reader *r = choose_reader(m, true);

    say(m, "refresh %s", r ? "a reader" : "the handle itself");
    EXPECT_OK(m, drx_refresh(r ? r->a : m->a));
    m->run->calls++;
    if (!r) {
        check_inquiry(m);
        return;
    }
    reader_take_state(m, r);
    check_reader(m, r);
}

void op_reader_close(struct model *m)
{
    struct reader *r = choose_reader(m, true);

    say(m, "close a reader");
    if (!r)
        return;
    check_reader(m, r);
    reader_close(m, r);
    m->run->calls++;
}
