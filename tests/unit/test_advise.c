/* Compares the cost of a request with that of visiting all its positions, in a plain model and by reading, and the
 * proposed chunk with all possible ones. */
#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "io/block_bytes.h"
#include "layout/advise/advise.h"
#include "layout/plan/relayout.h"
#include "testing.h"

#include <math.h>

/* A plain model: one position. */

struct plain {
    const struct drxi_stored_layout *layout;
    int64_t stride[DRX_MAX_NDIM];
    int order[DRX_MAX_NDIM];      /* axes of a chunk, slowest first */
    int64_t last, batch, at_once; /* whole chunks: the last address, how many are waiting */
    double calls, bytes;
};

static void plain_start(struct plain *p, const struct drxi_stored_layout *layout)
{
    int64_t stride = layout->item_bytes;

    *p = (struct plain){ .layout = layout, .last = -2 };
    for (int i = layout->ndim - 1; i >= 0; i--) {
        p->order[i] = layout->order == DRX_ROW_MAJOR ? i : layout->ndim - 1 - i;
        p->stride[p->order[i]] = stride;
        stride *= layout->chunk[p->order[i]];
    }
    p->at_once = layout->stage_bytes / layout->pitch_bytes;
}

static int64_t chunk_bytes(const struct drxi_stored_layout *layout)
{
    int64_t bytes = layout->item_bytes;

    for (int j = 0; j < layout->ndim; j++)
        bytes *= layout->chunk[j];
    return bytes;
}

/* From the slowest axis with more than one index: one call, or its indices in groups. */
static void plain_region(struct plain *p, const int64_t count[])
{
    const struct drxi_stored_layout *l = p->layout;
    int64_t part[DRX_MAX_NDIM], span = l->item_bytes, gap = 0, at_once;
    int slowest = -1;

    for (int i = l->ndim - 1; i >= 0; i--) {
        const int j = p->order[i];

        if (count[j] == 1)
            continue;
        gap = p->stride[j] - span > gap ? p->stride[j] - span : gap;
        span += (count[j] - 1) * p->stride[j];
        slowest = j;
    }
    if (slowest < 0 || (gap <= l->through_bytes && span <= l->stage_bytes)) {
        p->calls++;
        p->bytes += (double)span;
        return;
    }
    memcpy(part, count, sizeof part);
    at_once = gap <= l->through_bytes ? l->stage_bytes / p->stride[slowest] : 1;
    at_once = at_once ? at_once : 1;
    for (int64_t i = 0; i < count[slowest]; i += at_once) {
        part[slowest] = count[slowest] - i < at_once ? count[slowest] - i : at_once;
        plain_region(p, part);
    }
}

static void plain_whole(struct plain *p, int64_t address)
{
    const bool joins = !p->layout->scattered && address == p->last + 1 && p->batch > 0 && p->batch < p->at_once;

    p->batch = joins ? p->batch + 1 : 1;
    p->last = address;
    p->calls += joins ? 0 : 1;
    p->bytes += (double)(joins ? p->layout->pitch_bytes : chunk_bytes(p->layout));
}

/* The chunks of a box in row-major order. */
static void plain_read(struct plain *p, const int64_t lo[], const int64_t count[])
{
    const struct drxi_stored_layout *l = p->layout;
    int64_t chunks = 1, piece[DRX_MAX_NDIM];

    p->last = -2;
    p->batch = 0;
    for (int j = 0; j < l->ndim; j++)
        chunks *= drxi_ceil_div(l->shape[j], l->chunk[j]);
    for (int64_t address = 0; address < chunks; address++) {
        bool meets = true, whole = l->pitch_bytes <= l->stage_bytes;
        int64_t rest = address;

        memset(piece, 0, sizeof piece);
        for (int j = l->ndim - 1; j >= 0; j--) {
            const int64_t grid = drxi_ceil_div(l->shape[j], l->chunk[j]), begin = rest % grid * l->chunk[j];

            rest /= grid;
            piece[j] = drxi_min(begin + l->chunk[j], lo[j] + count[j]) - drxi_max(begin, lo[j]);
            meets = meets && piece[j] > 0;
            whole = whole && piece[j] == l->chunk[j];
        }
        if (!meets)
            continue;
        if (whole)
            plain_whole(p, address);
        else
            plain_region(p, piece);
    }
}

/* How many places there are for a box along each axis, and in all. */
static double count_places(const struct drxi_stored_layout *l, const int64_t count[], int64_t places[])
{
    double all = 1;

    for (int j = 0; j < l->ndim; j++)
        all *= (double)(places[j] = l->shape[j] - count[j] + 1);
    return all;
}

static struct drxi_read plain_expect(const struct drxi_stored_layout *layout, const int64_t count[])
{
    int64_t lo[DRX_MAX_NDIM] = { 0 }, places[DRX_MAX_NDIM];
    const double positions = count_places(layout, count, places);
    struct plain p;

    plain_start(&p, layout);
    do
        plain_read(&p, lo, count);
    while (next_index(layout->ndim, places, lo));
    return (struct drxi_read){ p.calls / positions, p.bytes / positions };
}

static struct drxi_stored_layout random_layout(uint64_t *random, int64_t count[])
{
    static const int64_t most[] = { 60, 14, 8, 5 };
    const int ndim = 1 + (int)random_below(random, 4);
    struct drxi_stored_layout l = { .ndim = ndim, .item_bytes = INT64_C(1) << random_below(random, 5) };

    for (int j = 0; j < ndim; j++) {
        l.shape[j] = 1 + random_below(random, most[ndim - 1]);
        l.chunk[j] = 1 + random_below(random, random_below(random, 3) ? l.shape[j] : l.shape[j] + 3);
        if (random_below(random, 3) == 0) /* divides */
            while (l.shape[j] % l.chunk[j])
                l.chunk[j] = 1 + random_below(random, l.shape[j]);
        count[j] = random_below(random, 3) ? 1 + random_below(random, l.shape[j]) : l.shape[j];
    }
    l.order = random_below(random, 2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
    l.scattered = random_below(random, 4) == 0;
    l.through_bytes = random_below(random, 2) * random_below(random, 200);
    l.pitch_bytes = chunk_bytes(&l) + (random_below(random, 3) ? 0 : random_below(random, 9));
    l.stage_bytes = l.pitch_bytes * (1 + random_below(random, 5));
    return l;
}

static void assert_near(double got, double expected, double within, const char *what, int case_number)
{
    if (!(fabs(got - expected) <= within * (fabs(expected) + 1e-12)))
        fail_msg("case %d: %s %.17g, expected %.17g", case_number, what, got, expected);
}

TEST(test_every_position)
{
    uint64_t random = starting_seed(6);

    for (int i = 0; i < 6000; i++) {
        int64_t count[DRX_MAX_NDIM];
        const struct drxi_stored_layout l = random_layout(&random, count);
        const struct drxi_read got = drxi_expect_read(&l, count), expected = plain_expect(&l, count);

        assert_near(got.calls, expected.calls, 1e-9, "calls", i);
        assert_near(got.bytes, expected.bytes, 1e-9, "bytes", i);
    }
}

/* Chunks larger than the stage: rows that are nearly whole are taken for whole. */
TEST(test_large_chunks)
{
    uint64_t random = starting_seed(66);
    double worst = 0;

    for (int i = 0; i < 3000; i++) {
        int64_t count[DRX_MAX_NDIM];
        struct drxi_stored_layout l = random_layout(&random, count);

        l.stage_bytes = l.item_bytes + random_below(&random, l.pitch_bytes);
        l.through_bytes = random_below(&random, 2) ? 0 : drxi_min(l.through_bytes, l.stage_bytes / 16);
        const struct drxi_read got = drxi_expect_read(&l, count), expected = plain_expect(&l, count);

        worst = fmax(worst, fabs(got.calls / expected.calls - 1));
        if (l.through_bytes == 0) {
            assert_near(got.calls, expected.calls, 1e-9, "calls", i);
            assert_near(got.bytes, expected.bytes, 1e-9, "bytes", i);
        }
        assert_near(got.bytes, expected.bytes, 0.1, "bytes", i);
    }
    assert_true(worst < 0.25);
    print_message("calls differ by %.1f %% at most\n", 100 * worst);
}

struct measured {
    int ndim;
    int64_t shape[3], chunk[3], count[3];
    drx_type type;
    int64_t align;
    bool joined;
};

static void measure(int i, const struct measured *c, drx_order order)
{
    const drx_spec spec = { .ndim = c->ndim,
                            .type = c->type,
                            .shape = c->shape,
                            .chunk = c->chunk,
                            .chunk_order = order,
                            .align = c->align,
                            .flags = DRX_TEMPORARY };
    struct drxi_stored_layout l = {
        .ndim = c->ndim, .order = order, .stage_bytes = DRXI_READ_STAGE_BYTES, .through_bytes = DRXI_READ_THROUGH_BYTES
    };
    int64_t lo[DRX_MAX_NDIM] = { 0 }, places[DRX_MAX_NDIM], bytes = (int64_t)drx_type_size(c->type);
    double positions;
    drx_counters counters;
    drx_array *a;
    void *buf;

    for (int j = 0; j < c->ndim; j++) {
        l.shape[j] = c->shape[j];
        l.chunk[j] = c->chunk[j];
        bytes *= c->count[j];
    }
    positions = count_places(&l, c->count, places);
    buf = malloc((size_t)bytes);
    assert_non_null(buf);
    assert_ok(drx_create("read", &spec, &a));
    l.item_bytes = (int64_t)a->data.item_bytes;
    l.pitch_bytes = a->data.chunk_pitch_bytes;
    do
        assert_ok(drx_read(a, lo, c->count, DRX_ROW_MAJOR, buf));
    while (next_index(c->ndim, places, lo));
    assert_ok(drx_count(a, &counters));
    const struct drxi_read got = drxi_expect_read(&l, c->count);

    if (c->joined) { /* reads of pieces that lie close together */
        if ((double)counters.reads / positions > got.calls * (1 + 1e-9))
            fail_msg("case %d: %.17g reads, expected %.17g at most", i, (double)counters.reads / positions, got.calls);
        assert_true((double)counters.read_bytes / positions >= got.bytes * (1 - 1e-9));
    } else {
        assert_near(got.calls, (double)counters.reads / positions, 1e-9, "reads", i);
        assert_near(got.bytes, (double)counters.read_bytes / positions, l.pitch_bytes > l.stage_bytes ? 1e-2 : 1e-9,
                    "bytes read", i);
    }
    assert_ok(drx_close(a));
    free(buf);
}

/* The constants are those of concurrent.c, and it reads as the model says, or less often. */
TEST(test_real_reads)
{
    static const struct measured cases[] = {
        { 2, { 9, 30000 }, { 4, 9000 }, { 3, 29961 }, DRX_FLOAT64, 1, true }, /* wide */
        { 2, { 9, 30000 }, { 4, 9000 }, { 3, 29961 }, DRX_INT8, 1, true },
        { 2, { 12, 9001 }, { 6, 4500 }, { 5, 8990 }, DRX_INT8, 1, true }, /* gaps */
        { 3, { 10, 12, 700 }, { 4, 5, 350 }, { 7, 9, 695 }, DRX_FLOAT32, 1, true },
        { 2, { 40, 64 }, { 4, 8 }, { 21, 64 }, DRX_INT32, 1, true }, /* small chunks, and apart */
        { 2, { 40, 64 }, { 4, 8 }, { 21, 64 }, DRX_INT32, 256, true },
        { 2, { 600, 600 }, { 10, 600 }, { 511, 600 }, DRX_FLOAT64, 1, true }, /* batches */
    };
    static const struct measured large = { 2, { 702, 600 }, { 700, 300 }, { 698, 595 }, DRX_FLOAT64, 1, false };
    const struct drxi_hooks choice = drxi_hooks;

    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.shared_bytes = INT64_MAX;
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        measure(i, &cases[i], DRX_ROW_MAJOR);
        measure(i, &cases[i], DRX_COL_MAJOR);
    }
    measure(-1, &large, DRX_COL_MAJOR);
    drxi_hooks = choice;
}

/* Elements stored for each one of the array. */
static double stored(const struct drxi_stored_layout *l)
{
    double times = 1;

    for (int j = 0; j < l->ndim; j++)
        times *= (double)(drxi_ceil_div(l->shape[j], l->chunk[j]) * l->chunk[j]) / (double)l->shape[j];
    return times;
}

/* The least seconds of any chunk of the size that stores no more than a tenth in vain. */
static double best_of_all(const struct drxi_stored_layout *layout, const struct drxi_wishes *wishes)
{
    struct drxi_stored_layout l = *layout;
    int64_t items = wishes->chunk_bytes / l.item_bytes, all = 1;
    double best = -1;

    for (int j = 0; j < l.ndim; j++) {
        all *= l.shape[j];
        l.chunk[j] = 1;
    }
    items = items < all ? items : all;
    l.scattered = false;
    for (int j = 0; j >= 0;) {
        const int64_t n = chunk_bytes(&l) / l.item_bytes;

        if (n <= items && 2 * n >= items && stored(&l) <= 1.1) {
            l.pitch_bytes = n * l.item_bytes;
            const double seconds = drxi_round_seconds(&l, wishes);

            best = best < 0 || seconds < best ? seconds : best;
        }
        for (j = l.ndim - 1; j >= 0 && l.chunk[j] == l.shape[j]; j--)
            l.chunk[j] = 1;
        if (j >= 0)
            l.chunk[j]++;
    }
    return best;
}

enum { CHOICES = 200 };

TEST(test_choice)
{
    uint64_t random = starting_seed(666);
    double worst = 1, sum = 0;

    for (int i = 0; i < CHOICES; i++) {
        int64_t count[3][3];
        drx_access access[3];
        struct drxi_wishes wishes = { .access = access, .unit = 1 };
        struct drxi_stored_layout l = { .ndim = 2 + i % 2,
                                        .item_bytes = 8,
                                        .order = (drx_order)random_below(&random, 2),
                                        .stage_bytes = 4096,
                                        .through_bytes = 64 };

        wishes.n = 1 + (int)random_below(&random, 3);
        wishes.chunk_bytes = 64 + random_below(&random, 4000);
        for (int j = 0; j < l.ndim; j++) {
            l.shape[j] = 1 + random_below(&random, l.ndim == 2 ? 300 : 24);
            for (int k = 0; k < wishes.n; k++)
                count[k][j] = random_below(&random, 4) ? 1 + random_below(&random, l.shape[j]) : l.shape[j];
        }
        for (int k = 0; k < wishes.n; k++)
            access[k] = (drx_access){ count[k], (double)random_below(&random, 5) };
        const double best = best_of_all(&l, &wishes);

        assert_ok(drxi_best_chunk(&l, &wishes));
        const double got = drxi_round_seconds(&l, &wishes);

        worst = fmax(worst, got / best);
        if (!(got <= 1.07 * best))
            fail_msg("case %d: %g, the best is %g", i, got, best);
        sum += got / best;
    }
    assert_true(sum / CHOICES < 1.003);
    print_message("%.2f %% above the best at most\n", 100 * (worst - 1));
}

enum { SIDE = 32768, CHUNK_BYTES = 1 << 20 };

static const int64_t rows[] = { 8, 16384 }, columns[] = { 4096, 32 };

static drx_array *matrix(const int64_t chunk[], int64_t align)
{
    static const int64_t shape[] = { SIDE, SIDE };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .align = align, .flags = DRX_TEMPORARY
    };
    drx_array *a;

    assert_ok(drx_create("matrix", &spec, &a));
    return a;
}

/* Powers of two as extents, 1 MiB each. */
static double best_power(int n, const drx_access access[])
{
    const struct drxi_wishes wishes = { .n = n, .access = access };
    struct drxi_stored_layout l = { .ndim = 2,
                                    .shape = { SIDE, SIDE },
                                    .item_bytes = 8,
                                    .pitch_bytes = CHUNK_BYTES,
                                    .stage_bytes = DRXI_READ_STAGE_BYTES,
                                    .through_bytes = DRXI_READ_THROUGH_BYTES };
    double best = HUGE_VAL;

    for (l.chunk[0] = 4; l.chunk[0] <= SIDE; l.chunk[0] *= 2) {
        l.chunk[1] = CHUNK_BYTES / 8 / l.chunk[0];
        best = fmin(best, drxi_round_seconds(&l, &wishes));
    }
    return best;
}

/* The shapes of the paper's tables, each alone and all together, on an array in rows. */
TEST(test_paper_shapes)
{
    int64_t count[11][2];
    drx_access access[11];
    drx_access_cost before[11], after[11];
    drx_advice advice, again;
    drx_array *a = matrix(rows, 0), *b;

    for (int i = 0; i < 11; i++) {
        count[i][0] = 4 << i;
        count[i][1] = SIDE >> i;
        access[i] = (drx_access){ count[i], i };
    }
    for (int i = 0; i <= 11; i++) {
        const int n = i < 11 ? 1 : 11;
        const drx_access *asked = access + i % 11;
        double sum = 0;

        assert_ok(drx_advise(a, n, asked, NULL, &advice, before, after));
        assert_true(advice.after_seconds <= advice.before_seconds);
        assert_true(advice.after_seconds <= best_power(n, asked) * (1 + 1e-9));
        assert_int_equal(advice.copies, advice.after_seconds < advice.before_seconds);
        assert_true(8 * advice.chunk[0] * advice.chunk[1] <= CHUNK_BYTES);
        for (int k = 0; k < n; k++)
            sum += (asked[k].weight > 0 ? asked[k].weight : 1) * after[k].seconds;
        assert_near(advice.after_seconds, sum, 1e-9, "seconds", i);
        assert_near(after[0].seconds, after[0].calls * 50e-6 + after[0].bytes / 1.2e9, 1e-9, "seconds", i);
        if (!advice.copies)
            continue;
        assert_near(advice.rounds, advice.copy.seconds / (advice.before_seconds - advice.after_seconds), 1e-9, "rounds",
                    i);
        b = matrix(advice.chunk, advice.align);
        assert_ok(drx_advise(b, n, asked, NULL, &again, before, NULL));
        assert_int_equal(again.copies, 0);
        assert_true(again.rounds == 0 && again.copy.passes == 0);
        assert_near(again.before_seconds, advice.after_seconds, 1e-9, "settled", i);
        assert_ok(drx_close(b));
    }
    assert_ok(drx_close(a));
}

/* The copy that is planned is the one that drx_copy would make. */
TEST(test_copy_plan)
{
    const drx_access access = { columns, 0 };
    const drx_advise_spec spec = { .chunk_bytes = 300000, .align = 512, .memory_bytes = 200 << 20 };
    drx_copy_spec copy = { .align = 512, .memory_bytes = 200 << 20 };
    drx_array *a = matrix(rows, 0);
    drx_copy_plan plan;
    drx_advice advice;

    assert_ok(drx_advise(a, 1, &access, &spec, &advice, NULL, NULL));
    assert_int_equal(advice.align, 512);
    assert_true(8 * advice.chunk[0] * advice.chunk[1] <= 300000);
    copy.chunk = advice.chunk;
    assert_ok(drx_plan_copy(a, &copy, &plan, NULL, 0, NULL));
    assert_memory_equal(&plan, &advice.copy, sizeof plan);
    assert_ok(drx_close(a));
}

TEST(test_align)
{
    const struct drxi_wishes block = { .unit = 4096 }, stripe = { .unit = 4096, .align = 1 << 20 };

    assert_int_equal(drxi_choose_align(1 << 20, &block), 4096);
    assert_int_equal(drxi_choose_align((1 << 20) - 8, &block), 4096);
    assert_int_equal(drxi_choose_align(4097, &block), 256); /* leaves 255 of 4352 empty */
    assert_int_equal(drxi_choose_align(8, &block), 8);
    assert_int_equal(drxi_choose_align(1, &block), 1);
    assert_int_equal(drxi_choose_align(8, &stripe), 1 << 20);
}

TEST(test_bad_input)
{
    static const int64_t good[] = { 4, 5 }, none[] = { 4, 0 }, large[] = { SIDE + 1, 1 };
    const drx_access access[] = { { good, 0 }, { none, 0 }, { large, 0 }, { NULL, 0 }, { good, -1 }, { good, NAN } };
    drx_array *a = matrix(rows, 0);
    drx_advice advice = { .align = 77 };

    assert_status(drx_advise(NULL, 1, access, NULL, &advice, NULL, NULL), DRX_EINVAL);
    assert_status(drx_advise(a, 1, access, NULL, NULL, NULL, NULL), DRX_EINVAL);
#define REFUSED(status, says, n, access, ...)                                                                \
    assert_status(drx_advise(a, n, access, &(drx_advise_spec){ __VA_ARGS__ }, &advice, NULL, NULL), status); \
    assert_detail(says)
    REFUSED(DRX_EINVAL, "no requests", 0, access, 0);
    REFUSED(DRX_EINVAL, "", 1, NULL, 0);
    REFUSED(DRX_EINVAL, "matrix: request 1 has an extent of 0 on axis 1; 1 to 32768", 2, access, 0);
    REFUSED(DRX_EINVAL, "32769 on axis 0", 1, access + 2, 0);
    REFUSED(DRX_EINVAL, "", 1, access + 3, 0);
    REFUSED(DRX_EINVAL, "weight", 1, access + 4, 0);
    REFUSED(DRX_EINVAL, "weight", 1, access + 5, 0);
    REFUSED(DRX_EINVAL, "", 1, access, .chunk_bytes = -1);
    REFUSED(DRX_EINVAL, "power of two", 1, access, .align = 3);
    REFUSED(DRX_ERANGE, "would do", 1, access, .memory_bytes = 100);
    REFUSED(DRX_EINVAL, "", 1, access, .reserved[3] = 1);
#undef REFUSED
    assert_int_equal(advice.align, 77); /* set only on success */
    assert_ok(drx_close(a));
}

/* Every allocation that fails. */
TEST(test_no_memory)
{
    const drx_access access = { columns, 1 };
    drx_array *a = matrix(rows, 0);
    drx_status st = DRX_ENOMEM;
    drx_advice advice;

    for (long i = 1; st; i++) {
        drxi_fail_allocation = i;
        st = drx_advise(a, 1, &access, NULL, &advice, NULL, NULL);
        assert_true(st == DRX_OK || st == DRX_ENOMEM);
        assert_true(i < 10000);
    }
    drxi_fail_allocation = 0;
    assert_ok(drx_close(a));
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : bytes - 1 - i] = (uint8_t)(value >> 8 * i);
}

/* What Lustre says of files in simple layouts, and in layouts of several parts, of which the last has no end. No byte
 * is read outside of it, as the sanitizers see. */
TEST(test_stripes_of_lustre)
{
    uint8_t layout[32 + 2 * 48 + 2 * 48], *simple[] = { layout, layout + 32 + 2 * 48, layout + 32 + 3 * 48 };

    memset(layout, 0, sizeof layout);
    for (int i = 0; i < 3; i++) {
        put(simple[i], i == 1 ? 0x0BD10BD0 : 0x0BD30BD0, 4);
        put(simple[i] + 24, 1 << (16 + i), 4);
    }
    assert_int_equal(drxi_lustre_stripe(layout, 32), 1 << 16);
    assert_int_equal(drxi_lustre_stripe(simple[1], 48), 1 << 17);
    put(layout, 0x0BD60BD0, 4);
    put(layout + 14, 2, 2);
    for (int i = 0; i < 2; i++) {
        put(layout + 32 + i * 48 + 16, i ? UINT64_MAX : 1 << 30, 8);
        put(layout + 32 + i * 48 + 24, (uint64_t)(simple[1 + i] - layout), 4);
    }
    assert_int_equal(drxi_lustre_stripe(layout, sizeof layout), 1 << 18);
    for (size_t bytes = 0; bytes < sizeof layout; bytes++) {
        uint8_t *part = malloc(bytes + 1);

        memcpy(part, layout, bytes);
        assert_int_equal(drxi_lustre_stripe(part, bytes), bytes < (size_t)(simple[2] - layout) + 32 ? 0 : 1 << 18);
        free(part);
    }
    put(layout + 32 + 48 + 24, UINT32_MAX, 4);
    assert_int_equal(drxi_lustre_stripe(layout, sizeof layout), 0);
    put(layout, 0x12345678, 4);
    assert_int_equal(drxi_lustre_stripe(layout, sizeof layout), 0);
}

/* Extents and chunks as large as there are. */
TEST(test_huge)
{
    struct drxi_stored_layout l = { .ndim = 2,
                                    .shape = { INT64_C(1) << 40, INT64_C(1) << 20 },
                                    .chunk = { INT64_C(1) << 39, 1 },
                                    .item_bytes = 8,
                                    .pitch_bytes = INT64_C(1) << 42,
                                    .stage_bytes = DRXI_READ_STAGE_BYTES,
                                    .through_bytes = DRXI_READ_THROUGH_BYTES };
    const int64_t count[] = { INT64_C(1) << 30, 5 };
    struct drxi_read read = drxi_expect_read(&l, count);

    assert_near(read.bytes, 0x1p30 * 5 * 8, 1e-6, "bytes", 0);
    assert_near(read.calls, 0x1p30 * 5 * 8 / (1 << 20), 1e-2, "calls", 0);
    l.chunk[0] = l.chunk[1] = 1;
    l.pitch_bytes = 8;
    read = drxi_expect_read(&l, count);
    assert_near(read.bytes, 0x1p30 * 5 * 8, 1e-6, "bytes", 1);
    assert_near(read.calls, 0x1p30, 1e-6, "calls", 1);
}
