/* The bytes of the data, from one file or from stripes, chunk after chunk. */
#include "model.h"

void data_path(const struct model *m, const char *suffix, char *path, size_t room)
{
    snprintf(path, room, "%s%s", m->path, suffix);
}

static bool has_sums(const struct model *m)
{
    return m->flags & DRX_CHECKSUM;
}

static void read_sums(struct model *m, struct raw_bytes *sums)
{
    char path[LINE + 8];

    data_path(m, ".xcs", path, sizeof path);
    CHECK(m, raw_read(path, sums), "%s: %s", path, strerror(errno));
}

void file_check_sums(struct model *m, const struct raw_bytes *data)
{
    static const unsigned char zero[MAX_ELEM_BYTES];
    const struct raw_layout layout = layout_of(m);
    int64_t chunk_bytes = (int64_t)m->elem_bytes;
    struct raw_bytes sums;
    char why[200] = "";

    if (!has_sums(m))
        return;
    for (int j = 0; j < m->ndim; j++)
        chunk_bytes *= m->chunk[j];
    read_sums(m, &sums);
    CHECK(m,
          sums_agree(&sums, data, &m->book, chunk_bytes, raw_stride(&layout, &m->now),
                     !m->residue && memcmp(m->fill, zero, m->elem_bytes) == 0, m->cut_short, why, sizeof why),
          "%s: %s", m->path, why);
    free(sums.data);
}

/* What comes next is the doing of a power cut. */
static void forget_boot(struct model *m)
{
    struct raw_bytes sums;
    char path[LINE + 8];
    FILE *f;

    if (!has_sums(m))
        return;
    read_sums(m, &sums);
    sums_forget_boot(&sums);
    data_path(m, ".xcs", path, sizeof path);
    f = fopen(path, "r+b");
    CHECK(m, f && fwrite(sums.data, 1, (size_t)sums.n, f) == (size_t)sums.n && fclose(f) == 0, "%s: %s", path,
          strerror(errno));
    free(sums.data);
}

void file_take_names(struct model *m)
{
    for (int k = 0; k < m->stripes; k++) {
        const char *name = drx_file(m->a, 1 + k);

        CHECK(m, name && snprintf(m->stripe[k], sizeof m->stripe[k], "%s", name) < (int)sizeof m->stripe[k],
              "stripe %d has no name", k);
    }
    CHECK(m, m->storage == IN_MEMORY || !drx_file(m->a, 1 + (m->stripes ? m->stripes : 1) + (has_sums(m) || m->codec)),
          "more files than %d", m->stripes);
}

static void read_stripe(struct model *m, int k, int64_t pitch, struct raw_bytes *raw)
{
    const int64_t chunks = (m->book.count - k + m->stripes - 1) / m->stripes;
    struct raw_bytes part;

    CHECK(m, raw_read(m->stripe[k], &part), "%s: %s", m->stripe[k], strerror(errno));
    CHECK(m, part.n == chunks * pitch, "%s: %" PRId64 " bytes, not %" PRId64 " chunks of %" PRId64, m->stripe[k],
          part.n, chunks, pitch);
    for (int64_t i = 0; i < chunks; i++)
        memcpy(raw->data + (i * m->stripes + k) * pitch, part.data + i * pitch, (size_t)pitch);
    free(part.data);
}

void file_read(struct model *m, struct raw_bytes *raw)
{
    struct raw_layout layout = layout_of(m);
    const int64_t pitch = raw_stride(&layout, &m->now);
    char path[LINE + 8];

    if (m->stripes == 0) {
        data_path(m, ".xta", path, sizeof path);
        CHECK(m, raw_read(path, raw), "%s: %s", path, strerror(errno));
        return;
    }
    raw->n = m->book.count * pitch;
    raw->data = plain_alloc((size_t)raw->n);
    for (int k = 0; k < m->stripes; k++)
        read_stripe(m, k, pitch, raw);
}

static void write_file(struct model *m, const char *path, const unsigned char *bytes, int64_t n, int64_t pitch,
                       int step, int first)
{
    FILE *f = fopen(path, "r+b");

    CHECK(m, f != NULL, "%s: %s", path, strerror(errno));
    for (int64_t at = first * pitch; at < n; at += step * pitch)
        CHECK(m, fwrite(bytes + at, 1, (size_t)pitch, f) == (size_t)pitch, "%s: %s", path, strerror(errno));
    CHECK(m, fclose(f) == 0, "%s: %s", path, strerror(errno));
}

static void add(struct model *m, const char *path, const unsigned char *tail, size_t n)
{
    FILE *f = fopen(path, "ab");

    CHECK(m, f && fwrite(tail, 1, n, f) == n && fclose(f) == 0, "%s: %s", path, strerror(errno));
}

void file_lengthen(struct model *m, const unsigned char *tail, size_t n)
{
    char path[LINE + 8];

    data_path(m, ".xtz", path, sizeof path);
    add(m, path, tail, n);
    data_path(m, ".xct", path, sizeof path);
    add(m, path, tail, n);
}

void file_write(struct model *m, const struct raw_bytes *raw, const unsigned char *tail, size_t n)
{
    struct raw_layout layout = layout_of(m);
    const int64_t pitch = raw_stride(&layout, &m->now);
    char path[LINE + 8];

    forget_boot(m);
    data_path(m, ".xta", path, sizeof path);
    if (m->stripes == 0)
        write_file(m, path, raw->data, raw->n, pitch, 1, 0);
    for (int k = 0; k < m->stripes; k++)
        write_file(m, m->stripe[k], raw->data, raw->n, pitch, m->stripes, k);
    add(m, m->stripes ? m->stripe[rng_between(&m->rng, 0, m->stripes - 1)] : path, tail, n);
}
