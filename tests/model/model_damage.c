/* A byte of a chunk that has a checksum is wrong for a while: reads that take an element of it are refused, and no
 * others. */
#include <fcntl.h>

#include "model.h"

struct damage {
    int64_t chunk[DRX_MAX_NDIM];
    char file[LINE + 64];
    int64_t at;
    unsigned char bit;
};

static void flip(struct model *m, const struct damage *d)
{
    const int fd = open(d->file, O_RDWR);
    unsigned char byte = 0;

    CHECK(m, fd >= 0 && pread(fd, &byte, 1, d->at) == 1, "%s: %s", d->file, strerror(errno));
    byte ^= d->bit;
    CHECK(m, pwrite(fd, &byte, 1, d->at) == 1 && close(fd) == 0, "%s: %s", d->file, strerror(errno));
}

/* Whether the checksum of a raw chunk was ever computed. */
static bool has_sum(struct model *m, int64_t address)
{
    static const unsigned char never[8];
    unsigned char entry[8] = { 0 };
    char path[LINE + 8];
    int fd;

    if (m->codec)
        return true;
    data_path(m, ".xcs", path, sizeof path);
    fd = open(path, O_RDONLY);
    CHECK(m, fd >= 0 && pread(fd, entry, 8, 8 * address) == 8 && close(fd) == 0, "%s: %s", path, strerror(errno));
    return memcmp(entry, never, 8) != 0;
}

/* A chunk and a place in it; false: it has no checksum. */
static bool choose_damage(struct model *m, struct damage *d)
{
    const int64_t address = rng_between(&m->rng, 0, m->book.count - 1);
    drx_place place = { .file = -1 };

    if (!book_lives(&m->book, address))
        return false;
    memcpy(d->chunk, book_index(&m->book, address), sizeof *d->chunk * (size_t)m->ndim);
    EXPECT_OK(m, drx_chunk_place(m->a, d->chunk, &place));
    if (place.file < 0 || place.is_open || place.lacking_bytes > 0 || !has_sum(m, address))
        return false;
    snprintf(d->file, sizeof d->file, "%s", drx_file(m->a, place.file));
    d->at = place.offset + rng_between(&m->rng, 0, place.bytes - 1);
    d->bit = (unsigned char)(1 << rng_between(&m->rng, 0, 7));
    return true;
}

/* Whether the box has an element of the chunk: *index. */
static bool meets(const struct model *m, const struct damage *d, const struct box *b, int64_t *index)
{
    for (int j = 0; j < m->ndim; j++) {
        const int64_t first = d->chunk[j] * m->chunk[j];

        index[j] = b->lo[j] > first ? b->lo[j] : first;
        if (index[j] >= first + m->chunk[j] || index[j] >= b->lo[j] + b->count[j])
            return false;
    }
    return true;
}

static void read_beside(struct model *m, const struct damage *d, drx_array *a)
{
    const struct box b = choose_box(m, m->ndim, m->now.lower, m->now.shape);
    int64_t index[DRX_MAX_NDIM];
    struct area got;

    if (!meets(m, d, &b, index)) {
        check_box(m, a, &b, choose_order(m));
        return;
    }
    got = area_new(m, count_elements(m, b.count));
    EXPECT_ERROR(m, drx_read(a, b.lo, b.count, choose_order(m), area_body(&got)), DRX_ECHECKSUM);
    EXPECT_ERROR(m, drx_read_points(a, 1, index, area_body(&got)), DRX_ECHECKSUM);
    EXPECT_ERROR(m, drx_get(a, index, area_body(&got)), DRX_ECHECKSUM);
    area_free(&got);
}

void op_damage(struct model *m)
{
    struct damage d;
    drx_array *a;

    say(m, "a wrong byte");
    if ((!m->codec && !(m->flags & DRX_CHECKSUM)) || m->shared || m->cut_short || m->book.count == 0)
        return;
    EXPECT_OK(m, drx_sync(m->a)); /* what nobody promised may yield to what was there before */
    m->puts_pending = false;
    if (!choose_damage(m, &d))
        return;
    flip(m, &d);
    drx_set_verify(1);
    EXPECT_OK(m, drx_open(m->path, DRX_RDONLY, &a));
    for (int i = 0; i < 4; i++)
        read_beside(m, &d, a);
    EXPECT_OK(m, drx_close(a));
    drx_set_verify(0);
    EXPECT_ERROR(m, drx_check(m->path, NULL, NULL, NULL, NULL), DRX_EDAMAGED);
    flip(m, &d);
    EXPECT_OK(m, drx_check(m->path, NULL, NULL, NULL, NULL));
    m->run->calls++;
}
