/* Boxes read and written with a buffer of another type: compared with plain reads and writes and drx_convert, which
 * test_convert.c compares with a model. */
#include "drx_tools.h"
#include "testing.h"

enum { NDIM = 3, MOST = 12, ROOM = 16 * MOST * MOST * MOST };

static uint64_t seed;
static uint8_t stored[ROOM], before[ROOM], given[4 * ROOM], got[4 * ROOM];

static int64_t product(const int64_t count[])
{
    return count[0] * count[1] * count[2];
}

/* Small numbers, which all types but int8 and bool hold, and which those hold when they are small enough. */
static void make(drx_type type, int64_t n, int64_t below, uint8_t *out)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = random_below(&seed, below);

        assert_ok(drx_convert(DRX_INT64, &v, type, out + (size_t)i * drx_type_size(type), 1, DRX_NEAREST));
    }
}

static drx_type any_type(void)
{
    return (drx_type)(DRX_INT8 + random_below(&seed, DRX_BOOL));
}

struct some {
    drx_array *a;
    drx_type type, other;
    int64_t shape[NDIM], lower[NDIM], lo[NDIM], count[NDIM], step[NDIM], stride[NDIM];
    int64_t first; /* of the buffer: where the first element of the box is */
    drx_box box;
};

static void create(struct some *s)
{
    int64_t chunk[NDIM];
    const int codec = (int)random_below(&seed, 3);
    drx_spec spec = { .ndim = NDIM,
                      .type = s->type,
                      .shape = s->shape,
                      .lower = s->lower,
                      .chunk = chunk,
                      .chunk_order = random_below(&seed, 2) ? DRX_COL_MAJOR : DRX_ROW_MAJOR,
                      .flags = DRX_REPLACE | (codec == 1 ? DRX_CHECKSUM : 0),
                      .codec = codec == 2 ? DRX_LZ4 : DRX_RAW };
    const char *path = random_below(&seed, 4) ? "as" : NULL;
    int64_t zero[NDIM];

    if (!path)
        spec.flags = 0, spec.codec = DRX_RAW;
    for (int j = 0; j < NDIM; j++) {
        s->shape[j] = 1 + random_below(&seed, MOST);
        s->lower[j] = random_below(&seed, 21) - 10;
        chunk[j] = 1 + random_below(&seed, 7);
        zero[j] = s->lower[j];
    }
    assert_ok(drx_create(
        path,
        random_below(&seed, 4)
            ? &spec
            : &(drx_spec){ .ndim = NDIM, .type = s->type, .shape = s->shape, .lower = s->lower, .flags = DRX_REPLACE },
        &s->a));
    make(s->type, product(s->shape), s->type == DRX_BOOL || s->other == DRX_BOOL ? 2 : 100, stored);
    assert_ok(drx_write(s->a, zero, s->shape, DRX_ROW_MAJOR, stored));
}

/* A box with steps, and memory in one of both orders or with strides of any sign and order. */
static void choose_box(struct some *s)
{
    const int first = (int)random_below(&seed, NDIM);
    int64_t step = 1 + random_below(&seed, 2);

    s->first = 0;
    for (int j = 0; j < NDIM; j++) {
        const int64_t from = random_below(&seed, s->shape[j]);

        s->lo[j] = s->lower[j] + from;
        s->step[j] = 1 + random_below(&seed, 3);
        s->count[j] = random_below(&seed, 12) ? 1 + random_below(&seed, (s->shape[j] - from - 1) / s->step[j] + 1) : 0;
    }
    for (int k = 0; k < NDIM; k++) {
        const int j = (first + (k < 2 ? k : NDIM - 1)) % NDIM;

        s->stride[j] = random_below(&seed, 2) ? step : -step;
        s->first += s->stride[j] < 0 && s->count[j] > 0 ? -s->stride[j] * (s->count[j] - 1) : 0;
        step *= s->count[j] > 0 ? s->count[j] : 1;
    }
    s->box = (drx_box){ .lo = s->lo, .count = s->count, .step = s->step };
    if (random_below(&seed, 2))
        s->box.stride = s->stride;
    else
        s->box.order = random_below(&seed, 2) ? DRX_COL_MAJOR : DRX_ROW_MAJOR, s->first = 0;
}

/* The place in the buffer of an element of the box, and its number among those of the array in row-major order. */
static size_t place(const struct some *s, const int64_t i[], int64_t *number)
{
    int64_t at = s->first, step = 1;

    *number = 0;
    for (int j = 0; j < NDIM; j++)
        *number = *number * s->shape[j] + s->lo[j] - s->lower[j] + i[j] * s->step[j];
    for (int k = 0; k < NDIM; k++) {
        const int j = s->box.order == DRX_ROW_MAJOR ? NDIM - 1 - k : k;

        at += i[j] * (s->box.stride ? s->stride[j] : step);
        step *= s->count[j];
    }
    return (size_t)at;
}

/* The first element that does not convert, in the order of the box; index NULL: there is none. */
static drx_status expect(const struct some *s, bool writing, drx_conversion how, int64_t index[])
{
    const size_t item[] = { drx_type_size(s->type), drx_type_size(s->other) };
    int64_t i[NDIM] = { 0 }, turned[NDIM], number;
    const bool columns = !s->box.stride && s->box.order == DRX_COL_MAJOR;
    const int64_t count[NDIM] = { s->count[columns ? 2 : 0], s->count[1], s->count[columns ? 0 : 2] };

    if (product(s->count) == 0)
        return DRX_OK;
    do {
        uint8_t x[16], *own, *other;
        drx_status st;

        for (int j = 0; j < NDIM; j++)
            turned[j] = i[columns ? NDIM - 1 - j : j];
        other = given + place(s, turned, &number) * item[1];
        own = stored + (size_t)number * item[0];
        st =
            writing ? drx_convert(s->other, other, s->type, x, 1, how) : drx_convert(s->type, own, s->other, x, 1, how);
        if (!st)
            memcpy(writing ? own : other, x, item[!writing]);
        for (int j = 0; j < NDIM; j++)
            index[j] = s->lo[j] + turned[j] * s->step[j];
        if (st)
            return st;
    } while (next_index(NDIM, count, i));
    return DRX_OK;
}

static void compare_array(const struct some *s)
{
    assert_ok(drx_read(s->a, s->lower, s->shape, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, stored, (size_t)product(s->shape) * drx_type_size(s->type));
}

static void one_box(struct some *s)
{
    const bool writing = random_below(&seed, 2);
    const drx_conversion how = random_below(&seed, 2) ? DRX_EXACT : DRX_NEAREST;
    const size_t bytes = (size_t)product(s->count) * 2 * drx_type_size(s->other);
    uint8_t *at = (writing ? given : got) + (size_t)s->first * drx_type_size(s->other);
    int64_t index[NDIM] = { 0 };
    char where[100];
    drx_status st, expected;

    make(s->other, product(s->count) * 2, s->type == DRX_BOOL ? 2 : random_below(&seed, 2) ? 100 : 130, given);
    memcpy(got, given, bytes);
    memcpy(before, stored, sizeof before);
    if (!writing && s->box.stride == NULL && random_below(&seed, 2)) {
        for (int j = 0; j < NDIM; j++)
            s->step[j] = s->count[j] ? 1 : s->step[j];
        st = drx_read_as(s->a, s->lo, s->count, s->box.order, s->other, how, at);
    } else {
        st = writing ? drx_write_box_as(s->a, &s->box, s->other, how, at)
                     : drx_read_box_as(s->a, &s->box, s->other, how, at);
    }
    if (st)
        (void)snprintf(where, sizeof where, "%s",
                       strstr(drx_last_error(), "element (") ? strstr(drx_last_error(), "element (") : "");
    expected = expect(s, writing, how, index);
    assert_status(st, expected);
    if (st) {
        char wanted[80];

        (void)snprintf(wanted, sizeof wanted, "element (%lld, %lld, %lld) is ", (long long)index[0],
                       (long long)index[1], (long long)index[2]);
        assert_memory_equal(where, wanted, strlen(wanted));
        memcpy(stored, before, sizeof stored); /* nothing was done */
    } else if (!writing) {
        assert_memory_equal(got, given, bytes); /* also what lies between strides */
    }
    compare_array(s);
}

TEST(boxes)
{
    seed = starting_seed(0);
    for (int round = 0; round < 400; round++) {
        struct some s = { .type = any_type(), .other = any_type() };

        drx_set_memory(round % 3 == 0 ? 1 << 16 : 0);
        create(&s);
        for (int k = 0; k < 8; k++) {
            choose_box(&s);
            one_box(&s);
        }
        assert_ok(drx_close(s.a));
    }
    drx_set_memory(0);
}

/* A box of many stages: pieces of whole chunks, parts of chunks, and the first of several that do not fit. */
TEST(many_pieces)
{
    static float wide[900][700];
    static int16_t narrow[900][700];
    static double all[900][700];
    const int64_t shape[2] = { 900, 700 }, lo[2] = { 0, 0 };

    for (int round = 0; round < 8; round++) {
        const int64_t chunk[][2] = { { 64, 64 }, { 900, 700 }, { 1, 700 }, { 900, 1 } };
        const drx_spec spec = { .ndim = 2,
                                .type = DRX_FLOAT64,
                                .shape = shape,
                                .chunk = chunk[round % 4],
                                .codec = round == 4 ? DRX_LZ4 : DRX_RAW,
                                .flags = DRX_REPLACE };
        drx_array *a;

        drx_set_memory(round >= 5 ? 1 << 18 : 0);
        assert_ok(drx_create("many", &spec, &a));
        for (int i = 0; i < 900; i++)
            for (int j = 0; j < 700; j++)
                narrow[i][j] = (int16_t)(i * 31 - j * 7);
        assert_ok(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_INT16, DRX_EXACT, narrow));
        assert_ok(drx_read(a, lo, shape, DRX_ROW_MAJOR, all));
        assert_ok(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, wide));
        for (int i = 0; i < 900; i++)
            for (int j = 0; j < 700; j++)
                assert_true(all[i][j] == narrow[i][j] && wide[i][j] == (float)narrow[i][j]);
        for (int k = 0; k < 30; k++)
            wide[100 + k * 20][699 - k * 20] = 0.1f;
        wide[100][650] = 1e9f;
        assert_ok(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, wide));
        assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_INT16, DRX_EXACT, narrow), DRX_EMISMATCH);
        assert_detail("many: element (100, 650) is 1000000000, which int16 does not hold");
        assert_status(drx_read_as(a, lo, shape, DRX_COL_MAJOR, DRX_INT16, DRX_EXACT, narrow), DRX_EMISMATCH);
        assert_detail("many: element (680, 119) is 0.1");
        assert_ok(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_INT16, DRX_NEAREST, narrow));
        assert_int_equal(narrow[100][650], INT16_MAX);
        assert_ok(drx_close(a));
    }
    drx_set_memory(0);
}

TEST(refusals)
{
    const int64_t shape[1] = { 4 }, lo[1] = { 0 }, beyond[1] = { 5 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = shape, .flags = DRX_REPLACE };
    float buf[4] = { 0, 1, 40000, 3 };
    drx_array *a;

    assert_ok(drx_create("refusals", &spec, &a));
    assert_status(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EMISMATCH);
    assert_detail("refusals: element (2) is 40000, which int16 does not hold");
    assert_status(drx_read_as(a, lo, beyond, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_ERANGE);
    assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, (drx_type)0, DRX_EXACT, buf), DRX_EINVAL);
    assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, (drx_conversion)7, buf), DRX_EINVAL);
    assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, NULL), DRX_EINVAL);
    assert_status(drx_read_as(a, NULL, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EINVAL);
    assert_status(drx_read_box_as(a, NULL, DRX_FLOAT32, DRX_EXACT, buf), DRX_EINVAL);
    assert_status(drx_read_as(NULL, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EINVAL);
    assert_ok(drx_close(a));
    assert_ok(drx_open("refusals", DRX_RDONLY, &a));
    assert_status(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EACCES);
    assert_ok(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf));
    assert_true(buf[2] == 0);
    assert_ok(drx_close(a));
}
