/* Comparing in mid-history, and reopening. */
#include "model.h"

void op_check(struct model *m)
{
    say(m, "compare everything");
    check_all(m);
}

/* Where raw chunks lie, for whoever reads them without the library. */
static void check_places(struct model *m)
{
    const struct raw_layout layout = layout_of(m);
    const int64_t pitch = raw_stride(&layout, &m->now), files = m->stripes ? m->stripes : 1;

    for (int64_t q = 0; m->hands == &alone && q < m->book.count; q++) {
        drx_place place = { .file = 0 };

        if (!book_lives(&m->book, q))
            continue;
        EXPECT_OK(m, drx_chunk_place(m->a, book_index(&m->book, q), &place));
        CHECK(m, place.file == 1 + q % files && place.offset == q / files * pitch && place.lacking_bytes == 0,
              "chunk %" PRId64 " is in file %d at %" PRId64 ", without %" PRId64 " bytes", q, place.file, place.offset,
              place.lacking_bytes);
    }
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
    check_places(m);
}

static void reopen(struct model *m, int mode)
{
    open_array(m, mode);
    m->run->calls += 2;
    check_inquiry(m);
    if (rng_chance(&m->rng, 30))
        check_map(m, m->a, m->book.count);
    if (rng_chance(&m->rng, 30))
        check_elements(m);
}

void op_reopen(struct model *m)
{
    static const char *const modes[] = { "reading", "writing", "writing together" };
    const bool writable = rng_chance(&m->rng, m->writable ? 75 : 90);
    const int mode = !writable ? DRX_RDONLY : m->hands != &alone || rng_chance(&m->rng, 60) ? DRX_RDWR : DRX_SHARED;

    say(m, "close, open for %s", modes[mode]);
    close_array(m);
    if (mode == DRX_RDWR)
        readers_close(m, false);
    if (file_is_small(m) && rng_chance(&m->rng, 50))
        check_file(m, true);
    reopen(m, mode);
}

/* A temporary array stays after all, and goes on as any other. */
void op_persist(struct model *m)
{
    say(m, "persist");
    if (m->storage != TEMPORARY) {
        EXPECT_ERROR(m, drx_persist(m->a, DRX_REPLACE), DRX_EINVAL);
        return;
    }
    EXPECT_OK(m, drx_persist(m->a, 0));
    m->storage = ON_DISK;
    m->run->calls++;
    file_take_names(m);
    check_all(m);
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
    readers_close(m, false);
    close_array(m);
    if (m->codec) {
        rng_fill(&m->rng, tail, n);
        file_lengthen(m, tail, n);
        reopen(m, DRX_RDWR);
        return;
    }
    m->residue = true;
    file_read(m, &raw);
    CHECK(m, raw.n == m->book.count * raw_stride(&layout, &m->now), "%s: %" PRId64 " bytes", m->path, raw.n);
    raw_scribble(&layout, &m->now, &m->book, &raw, &m->rng);
    rng_fill(&m->rng, tail, n);
    file_write(m, &raw, tail, n);
    free(raw.data);
    reopen(m, DRX_RDWR);
}
