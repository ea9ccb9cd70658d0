/* Reading whole chunks with checksums from a view: each kernel, on chunks of many shapes, gives what a plain array
 * does, and what is copied is what is verified, so that nothing has to be read again. */
#include "array/array.h"
#include "base/hooks.h"
#include "bytes.h"
#include "copy/fold.h"
#include "data/sums.h"
#include "format/crc.h"

enum { MOST_STRANDS = 40, MOST_BYTES = 1 << 16 };

static uint8_t bytes[MOST_BYTES];
static _Alignas(DRXI_LINE_BYTES) uint8_t streamed[MOST_BYTES];
static struct drxi_strand strand[MOST_STRANDS];

/* Bytes that were told of, and how many of each strand have been found folded after that. */
static bool told[MOST_BYTES];
static int64_t checked[MOST_STRANDS];

static void mark(const uint8_t *src, int64_t n)
{
    memset(told + (src - bytes), true, (size_t)n);
}

/* A writer who comes between what was folded and what is copied would not be noticed. */
static void check_nothing_early(const struct drxi_fold *f)
{
    for (int64_t i = 0; i < f->chunks * f->strands; i++) {
        const uint8_t *const begin = f->src[i / f->strands] + i % f->strands * f->strand_bytes;

        for (; begin + checked[i] < strand[i].next; checked[i]++)
            assert_true(told[begin + checked[i] - bytes]);
    }
}

static uint32_t folded_crc(struct drxi_fold *f, int64_t chunk)
{
    const int64_t n = f->strands * f->strand_bytes, rest = n % DRXI_LINE_BYTES;
    uint8_t folded[DRXI_LINE_BYTES];
    uint32_t crc;

    drxi_fold_end(f, chunk, folded);
    crc = drxi_crc32c(0, folded, sizeof folded) ^ drxi_crc32c_zeros(n - rest) ^ drxi_crc32c_zeros(DRXI_LINE_BYTES);
    return drxi_crc32c(crc, f->src[chunk] + n - rest, (size_t)rest);
}

/* Pieces of some strands are told of, in order or not, all or some, alone or with those of strands that follow. */
static void tell(struct drxi_fold *f, uint64_t *random)
{
    int64_t at[MOST_STRANDS] = { 0 };

    for (int i = 0; i < 200; i++) {
        const int64_t first = random_below(random, f->chunks * f->strands);
        const int64_t chunk = first / f->strands, s = first % f->strands;
        const int64_t apart = random_below(random, 3) == 0 ? 2 : 1, step = apart * f->strand_bytes;
        const int64_t count = random_below(random, (f->strands - s - 1) / apart + 1) + 1;
        const int64_t n = at[first] < f->strand_bytes ? random_below(random, f->strand_bytes - at[first]) + 1 : 0;
        const uint8_t *src = f->src[chunk] + s * f->strand_bytes + at[first];

        mark(src, n);
        if (n == 0 || random_below(random, 4) == 0) {
            drxi_fold_run(f, src, n);
        } else if (random_below(random, 3) > 0) {
            for (int64_t k = 1; k < count; k++)
                mark(src + k * step, n);
            drxi_fold_rows(f, src, step, count, n);
        } else {
            (void)drxi_fold_stream(f, streamed, src, n / DRXI_LINE_BYTES);
        }
        check_nothing_early(f);
        if (random_below(random, 5) > 0)
            at[first] += n + (random_below(random, 20) == 0);
    }
}

static void fold_at_random(uint64_t *random)
{
    const uint8_t *src[4];
    struct drxi_fold f = { .src = src, .chunks = random_below(random, 4) + 1, .strands = random_below(random, 10) + 1 };
    const uint8_t *base = bytes + random_below(random, 64);
    int64_t pitch;

    f.strand_bytes = f.strands > 1 ? DRXI_LINE_BYTES * (random_below(random, 20) + 1) : random_below(random, 9000) + 1;
    pitch = f.strands * f.strand_bytes + random_below(random, 100);
    for (int64_t i = 0, first = random_below(random, 4); i < f.chunks; i++) /* in any order, as in stripes */
        src[i] = base + (first + i) % f.chunks * pitch;
    f.strand = strand;
    memset(told, 0, sizeof told);
    memset(checked, 0, sizeof checked);
    drxi_crc32c_factors(DRXI_LINE_BYTES, f.past_line);
    drxi_crc32c_factors(f.strand_bytes, f.past_strand);
    drxi_fold_start(&f);
    tell(&f, random);
    for (int64_t i = 0; i < f.chunks; i++)
        assert_int_equal(folded_crc(&f, i), drxi_crc32c(0, src[i], (size_t)(f.strands * f.strand_bytes)));
}

TEST(folding)
{
    const struct drxi_kernels *const *all = drxi_kernels_all();
    uint64_t random = 5;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)random_next(&random);
    for (; *all; all++) {
        drxi_kernels_use(*all);
        print_message("kernels: %s%s\n", (*all)->name, (*all)->fold ? "" : ", which do not fold");
        for (int i = 0; i < 500 && (*all)->fold; i++)
            fold_at_random(&random);
    }
    drxi_kernels_use(NULL);
}

enum { MOST = 1 << 16, ROOM = 3 * MOST * 16, MOST_BEFORE = 5, BEYOND = 256 };

struct shapes {
    int ndim;
    drx_type type;
    int64_t shape[4], chunk[4];
    drx_order chunk_order;
    int64_t align;
};

static uint8_t got[ROOM], expected[ROOM], written[MOST * 16];

/* The axes grow in turn, so the addresses of neighbouring chunks are in no order. */
static drx_array *make(const char *path, const struct shapes *s, uint64_t flags)
{
    const int64_t origin[4] = { 0 };
    int64_t shape[4];
    drx_array *a;

    for (int j = 0; j < s->ndim; j++)
        shape[j] = (s->shape[j] + 2) / 3;
    const drx_spec spec = { .ndim = s->ndim,
                            .type = s->type,
                            .shape = shape,
                            .chunk = s->chunk,
                            .chunk_order = s->chunk_order,
                            .flags = DRX_REPLACE | flags };

    assert_ok(drx_create(path, &spec, &a));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < s->ndim; j++)
            assert_ok(drx_extend(a, j, i == 1 ? s->shape[j] - drx_shape(a)[j] : (s->shape[j] - shape[j]) / 2));
    assert_ok(drx_write(a, origin, s->shape, DRX_ROW_MAJOR, written));
    assert_ok(drx_sync(a));
    return a;
}

/* A box of whole chunks, or of anything. */
static void random_box(uint64_t *random, const struct shapes *s, int64_t lo[], int64_t count[])
{
    const bool whole = random_below(random, 3) > 0;

    for (int j = 0; j < s->ndim; j++) {
        lo[j] = random_below(random, s->shape[j]);
        if (whole)
            lo[j] -= lo[j] % s->chunk[j];
        count[j] = random_below(random, s->shape[j] - lo[j]) + 1;
        if (whole || random_below(random, 2))
            count[j] = s->shape[j] - lo[j];
    }
}

/* Axes in any order in memory, now and then apart or backwards: the strides, where the first element is, and where
 * the buffer ends. */
static size_t random_strides(uint64_t *random, const struct shapes *s, const int64_t count[], int64_t stride[],
                             size_t *end)
{
    int64_t axis[4] = { 0, 1, 2, 3 }, elements = 1;
    size_t first = (size_t)random_below(random, MOST_BEFORE);

    for (int j = s->ndim - 1; j > 0; j--) {
        const int64_t k = random_below(random, j + 1), kept = axis[j];

        axis[j] = axis[k];
        axis[k] = kept;
    }
    for (int j = 0; j < s->ndim; j++) {
        int64_t *const to = &stride[axis[j]];
        const int64_t n = count[axis[j]];

        *to = elements;
        if (random_below(random, 8) == 0) {
            first += (size_t)((n - 1) * elements);
            *to = -elements;
        }
        elements = elements * n + (elements * n < MOST && random_below(random, 6) == 0 ? 3 : 0);
    }
    *end = (MOST_BEFORE + (size_t)elements) * drx_type_size(s->type);
    assert_true(*end + BEYOND <= ROOM);
    return first * drx_type_size(s->type);
}

static void compare(uint64_t *random, drx_array *plain, drx_array *summed, const struct shapes *s)
{
    int64_t lo[4], count[4], stride[4], step[4];
    const int64_t reads = atomic_load(&summed->data.file->counts.reads);
    size_t at, end;

    random_box(random, s, lo, count);
    for (int j = 0; j < s->ndim; j++) {
        step[j] = s->chunk[j] == 1 ? random_below(random, 3) + 1 : 1;
        count[j] = (count[j] - 1) / step[j] + 1;
    }
    at = random_strides(random, s, count, stride, &end);
    memset(got, 0xee, end + BEYOND);
    memset(expected, 0xee, end + BEYOND);
    assert_ok(
        drx_read_box(plain, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, expected + at));
    assert_ok(drx_read_box(summed, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, got + at));
    if (memcmp(got, expected, end + BEYOND) != 0)
        assert_memory_equal(got, expected, end + BEYOND); /* which is slow, and says where */
    if (IN_ORDER_OF_FILES)
        assert_int_equal(atomic_load(&summed->data.file->counts.reads), reads);
}

/* One bit anywhere in a chunk, also behind the bounds. */
static void damage(uint64_t *random, drx_array *summed, const struct shapes *s)
{
    const int64_t origin[4] = { 0 };
    const int64_t offset = random_below(random, summed->log.state.map.chunks) * summed->data.chunk_pitch_bytes +
                           random_below(random, summed->data.chunk_bytes);
    const int bit = (int)random_below(random, 8);

    flip("summed.xta", offset, 1 << bit);
    assert_status(drx_read(summed, origin, s->shape, random_below(random, 2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR, got),
                  DRX_ECHECKSUM);
    flip("summed.xta", offset, 1 << bit);
}

static const struct shapes all_shapes[] = {
    { 1, DRX_FLOAT64, { 40000 }, { 1000 }, DRX_ROW_MAJOR, 0 },
    { 1, DRX_INT8, { 60000 }, { 64 }, DRX_ROW_MAJOR, 0 },
    { 1, DRX_FLOAT64, { 40000 }, { 1250 }, DRX_ROW_MAJOR, 0 },
    { 1, DRX_INT8, { 700 }, { 3 }, DRX_ROW_MAJOR, 0 },
    { 1, DRX_INT16, { 60000 }, { 3001 }, DRX_ROW_MAJOR, 512 },
    { 2, DRX_FLOAT64, { 256, 192 }, { 64, 64 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_FLOAT64, { 4, 16000 }, { 2, 4096 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_FLOAT64, { 16000, 4 }, { 4096, 2 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_FLOAT64, { 512, 100 }, { 512, 50 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_FLOAT64, { 250, 190 }, { 64, 64 }, DRX_COL_MAJOR, 0 },
    { 2, DRX_FLOAT32, { 300, 200 }, { 1, 50 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_INT16, { 300, 200 }, { 100, 30 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_COMPLEX128, { 128, 256 }, { 128, 16 }, DRX_ROW_MAJOR, 0 },
    { 2, DRX_FLOAT64, { 60, 1024 }, { 2, 512 }, DRX_COL_MAJOR, 0 },
    { 3, DRX_FLOAT64, { 64, 32, 32 }, { 16, 8, 16 }, DRX_ROW_MAJOR, 0 },
    { 3, DRX_FLOAT32, { 50, 40, 30 }, { 16, 16, 16 }, DRX_COL_MAJOR, 0 },
    { 3, DRX_FLOAT64, { 20, 60, 40 }, { 1, 16, 8 }, DRX_ROW_MAJOR, 0 },
    { 3, DRX_INT8, { 40, 40, 40 }, { 13, 7, 11 }, DRX_ROW_MAJOR, 0 },
    { 4, DRX_FLOAT64, { 16, 16, 16, 16 }, { 8, 8, 8, 8 }, DRX_ROW_MAJOR, 0 },
    { 4, DRX_FLOAT32, { 10, 12, 14, 16 }, { 4, 4, 4, 16 }, DRX_COL_MAJOR, 0 },
};

static void each_shape(uint64_t *random)
{
    for (size_t i = 0; i < sizeof all_shapes / sizeof all_shapes[0]; i++) {
        drx_array *plain = make("plain", &all_shapes[i], 0), *summed = make("summed", &all_shapes[i], DRX_CHECKSUM);

        for (int j = 0; j < 20; j++) {
            drxi_hooks.large_bytes = random_below(random, 4) ? 0 : INT64_MAX;
            drxi_hooks.shared_bytes = random_below(random, 4) ? INT64_MAX : 1;
            compare(random, plain, summed, &all_shapes[i]);
            if (j % 4 == 0)
                damage(random, summed, &all_shapes[i]);
        }
        assert_ok(drx_close(plain));
        assert_ok(drx_close(summed));
    }
}

TEST(reading)
{
    const struct drxi_hooks before = drxi_hooks;
    const struct drxi_kernels *const *all = drxi_kernels_all();
    uint64_t random = 17;

    for (size_t i = 0; i < sizeof written; i++)
        written[i] = (uint8_t)random_next(&random);
    drxi_hooks.way = DRXI_MAPPED;
    for (; *all; all++) {
        drxi_kernels_use(*all);
        each_shape(&random);
    }
    drxi_kernels_use(NULL);
    drxi_hooks = before;
}
