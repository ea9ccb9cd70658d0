/* The map against the worked examples, against numbering chunks by hand, and at
 * its edges. */
#include <stdlib.h>

#include "log/freed.h"
#include "map/map.h"
#include "testing.h"

static drx_status make(drxi_map *map, int ndim, const int64_t bound[], enum drxi_map_order order)
{
    static const int64_t lower[DRX_MAX_NDIM];

    return drxi_map_init(map, ndim, lower, bound, order, INT64_MAX);
}

static void grow_end(drxi_map *map, int axis, enum drxi_end end, int64_t by)
{
    int64_t chunks;

    assert_ok(drxi_map_prepare(map, axis, end, by, &chunks));
    drxi_map_grow(map, axis, end, by);
    assert_int_equal(map->chunks, chunks);
}

static void grow(drxi_map *map, int axis, int64_t by)
{
    grow_end(map, axis, DRXI_HIGH, by);
}

static void check_record(const drxi_map *map, int axis, int64_t i, const int64_t expected[])
{
    const int64_t serial = map->axial[DRXI_HIGH][axis].serial[i];

    assert_int_equal(map->axial[DRXI_HIGH][axis].first[i], expected[0]);
    assert_int_equal(serial < 0 ? -1 : map->start[serial], expected[1]);
    for (int j = 0; serial >= 0 && j < map->ndim; j++)
        assert_int_equal(map->coef[serial * map->ndim + j], expected[2 + j]);
}

TEST(two_dimensions)
{
    static const int64_t table[5][4] = {
        { 0, 1, 6, 12 }, { 2, 3, 7, 13 }, { 4, 5, 8, 14 }, { 9, 10, 11, 15 }, { 16, 17, 18, 19 }
    };
    const int64_t one[2] = { 1, 1 };
    const int axes[] = { 1, 0, 0, 1, 0, 1, 0 };
    drxi_map map;

    assert_ok(make(&map, 2, one, DRXI_MAP_ROWS));
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        grow(&map, axes[i], 1);
    assert_int_equal(map.chunks, 20);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 4; j++) {
            const int64_t index[2] = { i, j };
            int64_t back[2];

            assert_int_equal(drxi_map_address(&map, index), table[i][j]);
            drxi_map_index(&map, table[i][j], back);
            assert_memory_equal(back, index, sizeof index);
        }
    drxi_map_free(&map);
}

TEST(three_dimensions)
{
    static const int64_t records[3][3][5] = { { { 0, 0, 3, 1, 1 }, { 4, 48, 12, 3, 1 } },
                                              { { 0, -1 }, { 3, 36, 3, 12, 1 } },
                                              { { 0, -1 }, { 1, 12, 3, 1, 12 }, { 3, 72, 4, 1, 24 } } };
    static const int64_t counts[3] = { 2, 2, 3 };
    const int64_t start[3] = { 4, 3, 1 };
    const int64_t a[3] = { 2, 1, 0 }, b[3] = { 3, 1, 2 }, c[3] = { 4, 2, 2 };
    drxi_map map;

    assert_ok(make(&map, 3, start, DRXI_MAP_ROWS));
    grow(&map, 2, 1);
    grow(&map, 2, 1);
    grow(&map, 1, 1);
    grow(&map, 0, 2);
    grow(&map, 2, 1);
    assert_int_equal(map.chunks, 96);
    assert_int_equal(drxi_map_address(&map, a), 7);
    assert_int_equal(drxi_map_address(&map, b), 34);
    assert_int_equal(drxi_map_address(&map, c), 56);
    for (int j = 0; j < 3; j++) {
        assert_int_equal(map.axial[DRXI_HIGH][j].count, counts[j]);
        for (int64_t i = 0; i < counts[j]; i++)
            check_record(&map, j, i, records[j][i]);
    }
    drxi_map_free(&map);
}

static void check_plane(const drxi_map *map, int64_t rows, int64_t columns, const int64_t table[])
{
    int64_t index[3] = { 0 };

    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            index[map->ndim - 2] = i;
            index[map->ndim - 1] = j;
            assert_int_equal(drxi_map_address(map, index), table[i * columns + j]);
        }
}

/* Fig. 2c of the paper. */
TEST(shell_order)
{
    static const int64_t first[8] = { 0, 2, 6, 12, 20, 30, 42, 56 }, last[8] = { 49, 50, 51, 52, 53, 54, 55, 63 };
    const int64_t bound[2] = { 8, 8 }, flat[3] = { 2, 0, 4 }, line[1] = { 7 };
    drxi_map map;

    assert_ok(make(&map, 2, bound, DRXI_MAP_SHELLS));
    check_plane(&map, 1, 8, first);
    for (int64_t j = 0; j < 8; j++)
        assert_int_equal(drxi_map_address(&map, (int64_t[]){ 7, j }), last[j]);
    drxi_map_free(&map);
    assert_ok(make(&map, 3, flat, DRXI_MAP_SHELLS)); /* a bound of 0: as without */
    assert_int_equal(map.chunks, 0);
    assert_int_equal(map.count, 1);
    drxi_map_free(&map);
    assert_ok(make(&map, 1, line, DRXI_MAP_SHELLS));
    assert_int_equal(map.count, 1);
    drxi_map_free(&map);
}

TEST(shell_order_leaves_out_full_axes)
{
    const int64_t bound[3] = { 1, 2, 5 };
    static const int64_t shells[10] = { 0, 2, 4, 6, 8, 1, 3, 5, 7, 9 };
    drxi_map map;

    assert_ok(make(&map, 3, bound, DRXI_MAP_SHELLS));
    check_plane(&map, 2, 5, shells);
    drxi_map_free(&map);
}

/* The example of both ends: segments around the first chunk. */
TEST(around_the_first_chunk)
{
    static const int64_t table[3][3] = { { 4, 5, 6 }, { 1, 0, 7 }, { 2, 3, 8 } };
    const int64_t one[2] = { 1, 1 };
    drxi_map map;

    assert_ok(make(&map, 2, one, DRXI_MAP_ROWS));
    grow_end(&map, 1, DRXI_LOW, 1);
    grow_end(&map, 0, DRXI_HIGH, 1);
    grow_end(&map, 0, DRXI_LOW, 1);
    grow_end(&map, 1, DRXI_HIGH, 1);
    for (int64_t i = -1; i < 2; i++)
        for (int64_t j = -1; j < 2; j++) {
            int64_t back[2];

            assert_int_equal(drxi_map_address(&map, (int64_t[]){ i, j }), table[i + 1][j + 1]);
            drxi_map_index(&map, table[i + 1][j + 1], back);
            assert_memory_equal(back, ((int64_t[]){ i, j }), sizeof back);
        }
    drxi_map_free(&map);
}

/* Uninterrupted growth is one record, at either end; low, high, low are three. A rolling archive has two. */
TEST(records_of_uninterrupted_growth)
{
    const int64_t two[2] = { 2, 2 };
    drxi_map map;

    assert_ok(make(&map, 2, two, DRXI_MAP_ROWS));
    grow_end(&map, 0, DRXI_LOW, 1);
    grow_end(&map, 0, DRXI_LOW, 3);
    assert_int_equal(map.count, 2);
    grow_end(&map, 0, DRXI_HIGH, 1);
    grow_end(&map, 0, DRXI_LOW, 1);
    assert_int_equal(map.count, 4);
    for (int i = 0; i < 10; i++) {
        grow_end(&map, 1, DRXI_HIGH, 1);
        drxi_map_trim(&map, 1, DRXI_LOW, 1);
    }
    assert_int_equal(map.count, 5);
    grow_end(&map, 1, DRXI_LOW, 1);
    grow_end(&map, 1, DRXI_HIGH, 1);
    assert_int_equal(map.count, 7);
    drxi_map_free(&map);
}

enum { MAX_CHUNKS = 3000 };

struct chunk {
    int64_t index[DRX_MAX_NDIM];
    bool lives;
};

struct book {
    int ndim;
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
    int64_t n;
    struct chunk *chunk; /* with that address */
    bool trimmed;
};

/* Number the chunks that a growth adds, with its axis slowest, away from the old bound. The bounds are the new ones. */
static void number_segment(struct book *b, int axis, enum drxi_end end, int64_t by)
{
    const int64_t away = end == DRXI_LOW ? -1 : 1;
    int64_t index[DRX_MAX_NDIM] = { 0 };
    int order[DRX_MAX_NDIM];
    int place = 0;

    order[place++] = axis;
    for (int j = 0; j < b->ndim; j++) {
        if (b->lower[j] == b->upper[j])
            return;
        index[j] = b->lower[j];
        if (j != axis)
            order[place++] = j;
    }
    index[axis] = end == DRXI_LOW ? b->lower[axis] + by - 1 : b->upper[axis] - by;
    for (int64_t slab = 0; slab < by;) {
        memcpy(b->chunk[b->n].index, index, sizeof index);
        b->chunk[b->n++].lives = true;
        for (place = b->ndim - 1; place > 0 && ++index[order[place]] == b->upper[order[place]]; place--)
            index[order[place]] = b->lower[order[place]];
        if (place == 0) {
            index[axis] += away;
            slab++;
        }
    }
}

/* The chunks outside the bounds are gone. */
static void forget(struct book *b)
{
    b->trimmed = true;
    for (int64_t q = 0; q < b->n; q++)
        for (int j = 0; j < b->ndim; j++)
            if (b->chunk[q].index[j] < b->lower[j] || b->chunk[q].index[j] >= b->upper[j])
                b->chunk[q].lives = false;
}

static void check_addresses(const drxi_map *map, const struct book *b)
{
    assert_int_equal(map->chunks, b->n);
    for (int64_t q = 0; q < b->n; q++) {
        int64_t index[DRX_MAX_NDIM] = { 0 };

        drxi_map_index(map, q, index);
        assert_memory_equal(index, b->chunk[q].index, sizeof index[0] * (size_t)b->ndim);
        assert_int_equal(drxi_map_lives(map, q, index), b->chunk[q].lives);
        if (b->chunk[q].lives)
            assert_int_equal(drxi_map_address(map, index), q);
    }
}

static int64_t chunks_in_box(const struct book *b, const int64_t lo[], const int64_t hi[])
{
    int64_t n = 0;

    for (int64_t q = 0; q < b->n; q++) {
        bool in = b->chunk[q].lives;

        for (int j = 0; j < b->ndim; j++)
            in = in && b->chunk[q].index[j] >= lo[j] && b->chunk[q].index[j] < hi[j];
        n += in;
    }
    return n;
}

/* The parts of a box, in increasing order, are all of its chunks. */
static void check_walk(const drxi_map *map, const struct book *b, const int64_t lo[], const int64_t hi[])
{
    struct drxi_walk walk;
    struct drxi_part part;
    int64_t end = 0, met = 0;

    drxi_walk_start(&walk, map, lo, hi);
    while (drxi_walk_next(&walk, &part)) {
        const int64_t first = drxi_part_address(&part, b->ndim, part.lo);
        int64_t top[DRX_MAX_NDIM], volume = 1;

        for (int j = 0; j < b->ndim; j++) {
            top[j] = part.hi[j] - 1;
            volume *= part.hi[j] - part.lo[j];
            assert_true(part.lo[j] < part.hi[j] && part.lo[j] >= lo[j] && part.hi[j] <= hi[j]);
        }
        assert_int_equal(drxi_map_address(map, part.lo), first);
        assert_true(first >= end);
        met += volume;
        end = drxi_part_address(&part, b->ndim, top) + 1;
        assert_int_equal(drxi_map_address(map, top), end - 1);
    }
    assert_int_equal(met, chunks_in_box(b, lo, hi));
}

static void check_against(const drxi_map *map, const struct book *b, uint64_t *seed)
{
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];

    check_addresses(map, b);
    for (int j = 0; j < b->ndim; j++) {
        if (b->lower[j] == b->upper[j])
            return;
        lo[j] = b->lower[j] + random_below(seed, b->upper[j] - b->lower[j]);
        hi[j] = lo[j] + 1 + random_below(seed, b->upper[j] - lo[j]);
    }
    check_walk(map, b, lo, hi);
}

/* Grow beside the map, which stays as it is; then grow. False: too large. */
static bool random_growth(drxi_map *map, struct book *b, uint64_t *seed)
{
    const int axis = (int)random_below(seed, b->ndim);
    const enum drxi_end end = random_below(seed, 2) ? DRXI_HIGH : DRXI_LOW;
    const int64_t by = random_below(seed, 3);
    drxi_map grown;
    int64_t chunks;

    assert_ok(drxi_map_prepare(map, axis, end, by, &chunks));
    if (chunks > MAX_CHUNKS)
        return false;
    assert_ok(drxi_map_grown(map, axis, end, by, &grown));
    check_addresses(map, b);
    *(end == DRXI_LOW ? &b->lower[axis] : &b->upper[axis]) += end == DRXI_LOW ? -by : by;
    number_segment(b, axis, end, by);
    check_addresses(&grown, b);
    drxi_map_end_grown(&grown);
    drxi_map_grow(map, axis, end, by);
    return true;
}

static void random_trim(drxi_map *map, struct book *b, uint64_t *seed)
{
    const int axis = (int)random_below(seed, b->ndim);
    const enum drxi_end end = random_below(seed, 2) ? DRXI_HIGH : DRXI_LOW;
    const int64_t extent = b->upper[axis] - b->lower[axis];
    const int64_t by = random_below(seed, drxi_min(extent, random_below(seed, 6) ? 2 : extent) + 1);

    drxi_map_trim(map, axis, end, by);
    *(end == DRXI_LOW ? &b->lower[axis] : &b->upper[axis]) += end == DRXI_LOW ? by : -by;
    forget(b);
}

static void random_axis(drxi_map *map, struct book *b, uint64_t *seed)
{
    const int at = (int)random_below(seed, b->ndim + 1);

    if (b->ndim > 5)
        return;
    assert_ok(drxi_map_prepare_axis(map));
    drxi_map_add_axis(map, at);
    for (int64_t q = -1; q < b->n; q++) {
        int64_t *const index = q < 0 ? b->lower : b->chunk[q].index;

        memmove(index + at + 1, index + at, sizeof *index * (size_t)(b->ndim - at));
        index[at] = 0;
    }
    memmove(b->upper + at + 1, b->upper + at, sizeof *b->upper * (size_t)(b->ndim - at));
    b->upper[at] = 1;
    b->ndim++;
}

static void random_history(uint64_t *seed)
{
    const bool plain = random_below(seed, 4) == 0;
    struct book b = { .n = 0 };
    drxi_map map;

    b.ndim = 1 + (int)random_below(seed, random_below(seed, 8) ? 4 : DRX_MAX_NDIM);
    b.chunk = calloc(MAX_CHUNKS, sizeof *b.chunk);
    assert_non_null(b.chunk);
    for (int j = 0; j < b.ndim; j++) {
        b.lower[j] = plain ? 0 : random_below(seed, 7) - 3;
        b.upper[j] = b.lower[j] + (b.ndim > 6 ? 1 : random_below(seed, 4));
    }
    number_segment(&b, 0, DRXI_HIGH, b.upper[0] - b.lower[0]);
    assert_ok(drxi_map_init(&map, b.ndim, b.lower, b.upper, DRXI_MAP_ROWS, INT64_MAX));
    for (int step = 0; step < 14; step++) {
        const int64_t what = plain ? 0 : random_below(seed, 12);

        if (what < 8 && !random_growth(&map, &b, seed))
            break;
        if (what >= 8 && what < 11)
            random_trim(&map, &b, seed);
        if (what == 11)
            random_axis(&map, &b, seed);
        check_against(&map, &b, seed);
    }
    drxi_map_free(&map);
    free(b.chunk);
}

TEST(random_histories)
{
    const char *text = getenv("DRX_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 20090220;

    print_message("seed %llu (DRX_TEST_SEED sets it)\n", (unsigned long long)seed);
    for (int i = 0; i < 1500; i++)
        random_history(&seed);
}

/* Growth of one axis after the other from nothing at all. */
TEST(from_zero)
{
    const int64_t zero[2] = { 0, 0 };
    drxi_map map;

    assert_ok(make(&map, 2, zero, DRXI_MAP_ROWS));
    grow(&map, 1, 3);
    assert_int_equal(map.chunks, 0);
    grow(&map, 0, 2);
    assert_int_equal(map.chunks, 6);
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 3; j++)
            assert_int_equal(drxi_map_address(&map, (int64_t[]){ i, j }), i * 3 + j);
    drxi_map_free(&map);
}

TEST(million_records)
{
    const int64_t one[2] = { 1, 1 };
    drxi_map map;
    uint64_t seed = 1;

    assert_ok(make(&map, 2, one, DRXI_MAP_ROWS));
    for (int i = 0; i < 500000; i++) {
        grow(&map, 1, 1);
        grow(&map, 0, 1);
    }
    assert_int_equal(map.count, 1000001);
    assert_int_equal(map.chunks, (int64_t)500001 * 500001); /* past 2^31 */
    for (int i = 0; i < 1000; i++) {
        const int64_t index[2] = { random_below(&seed, 500001), random_below(&seed, 500001) };
        const int64_t shell = index[0] > index[1] ? index[0] : index[1];
        /* square shells: first the column of a shell, then its row */
        const int64_t expected =
            index[1] == shell && index[0] < shell ? shell * shell + index[0] : shell * shell + shell + index[1];
        int64_t back[2];

        assert_int_equal(drxi_map_address(&map, index), expected);
        drxi_map_index(&map, expected, back);
        assert_memory_equal(back, index, sizeof index);
    }
    drxi_map_free(&map);
}

TEST(overflow_changes_nothing)
{
    const int64_t start[2] = { (int64_t)1 << 31, (int64_t)1 << 31 };
    const int64_t huge[3] = { 0, (int64_t)1 << 40, (int64_t)1 << 40 };
    int64_t chunks;
    drxi_map map;

    assert_ok(make(&map, 2, start, DRXI_MAP_ROWS));
    assert_status(drxi_map_prepare(&map, 0, DRXI_HIGH, (int64_t)1 << 32, &chunks), DRX_EOVERFLOW);
    assert_status(drxi_map_prepare(&map, 1, DRXI_LOW, INT64_MAX, &chunks), DRX_EOVERFLOW);
    assert_int_equal(map.chunks, (int64_t)1 << 62);
    assert_int_equal(drxi_map_address(&map, (int64_t[]){ (1ll << 31) - 1, (1ll << 31) - 1 }), (1ll << 62) - 1);
    drxi_map_free(&map);
    assert_status(make(&map, 3, huge, DRXI_MAP_ROWS), DRX_EOVERFLOW); /* a coefficient would */
    drxi_map_free(&map);
}

/* Few chunks, whose indices are so far from 0 that the sum for an address overflows. */
TEST(indices_far_from_zero)
{
    const int64_t far = (int64_t)1 << 61, lower[2] = { far, 0 }, upper[2] = { far + 1, 3 };
    const int64_t top[2] = { far, 2 };
    int64_t chunks;
    drxi_map map;

    assert_status(drxi_map_init(&map, 2, lower, upper, DRXI_MAP_ROWS, INT64_MAX), DRX_EOVERFLOW);
    drxi_map_free(&map);
    assert_ok(drxi_map_init(&map, 2, lower, (int64_t[]){ far + 1, 1 }, DRXI_MAP_ROWS, INT64_MAX));
    assert_status(drxi_map_prepare(&map, 1, DRXI_HIGH, 2, &chunks), DRX_OK);
    drxi_map_grow(&map, 1, DRXI_HIGH, 2);
    assert_int_equal(drxi_map_address(&map, top), 2);
    assert_status(drxi_map_prepare(&map, 0, DRXI_LOW, 1, &chunks), DRX_EOVERFLOW);
    assert_status(drxi_map_prepare(&map, 0, DRXI_HIGH, 1, &chunks), DRX_EOVERFLOW);
    drxi_map_free(&map);
}

static void free_once(bool *is_free, int64_t first, int64_t n)
{
    for (int64_t q = first; q < first + n; q++) {
        assert_false(is_free[q]);
        is_free[q] = true;
    }
}

/* What a trim of a box frees is the addresses of its chunks, each once. kept[] counts spans and lattices. */
static void check_freed(const drxi_map *map, const int64_t lo[3], const int64_t hi[3], int64_t kept[2])
{
    bool *is_free = calloc((size_t)map->chunks, sizeof *is_free);
    struct drxi_freed f = { 0 };

    assert_non_null(is_free);
    assert_ok(drxi_freed_prepare(&f, map, lo, hi));
    drxi_freed_take(&f);
    kept[0] += f.spans;
    kept[1] += f.lattices;
    for (int64_t i = 0; i < f.spans; i++)
        free_once(is_free, f.span[i].first, f.span[i].n);
    for (int64_t i = 0; i < f.lattices; i++) {
        int64_t at[DRX_MAX_NDIM] = { 0 }, last = -1;

        do {
            assert_true(drxi_lattice_first(&f.lattice[i], at) > last);
            last = drxi_lattice_first(&f.lattice[i], at);
            free_once(is_free, last, f.lattice[i].span.n);
        } while (drxi_lattice_step(&f.lattice[i], at));
    }
    for (int64_t q = 0; q < map->chunks; q++) {
        int64_t i[DRX_MAX_NDIM];
        bool in = true;

        drxi_map_index(map, q, i);
        for (int j = 0; j < 3; j++)
            in = in && lo[j] <= i[j] && i[j] < hi[j];
        assert_int_equal(is_free[q], in);
    }
    drxi_freed_free(&f);
    free(is_free);
}

TEST(what_a_trim_frees)
{
    const int64_t start[3] = { 9, 8, 7 };
    int64_t kept[2] = { 0, 0 };
    drxi_map map;

    assert_ok(make(&map, 3, start, DRXI_MAP_ROWS));
    grow_end(&map, 1, DRXI_LOW, 6);
    grow_end(&map, 0, DRXI_LOW, 1);
    grow_end(&map, 2, DRXI_HIGH, 5);
    grow_end(&map, 2, DRXI_LOW, 7);
    grow_end(&map, 0, DRXI_HIGH, 2);
    check_freed(&map, (int64_t[]){ -1, -6, -7 }, (int64_t[]){ 11, 8, 12 }, kept);
    check_freed(&map, (int64_t[]){ -1, -6, -7 }, (int64_t[]){ 11, 8, 3 }, kept);
    check_freed(&map, (int64_t[]){ -1, -6, 2 }, (int64_t[]){ 11, 8, 12 }, kept);
    check_freed(&map, (int64_t[]){ -1, -6, -7 }, (int64_t[]){ 11, -4, 12 }, kept);
    check_freed(&map, (int64_t[]){ 3, -6, -7 }, (int64_t[]){ 11, 8, 12 }, kept);
    assert_true(kept[0] > 0 && kept[1] > 0);
    drxi_map_free(&map);
}

/* Memory goes by segments, not by chunks: 2^60 of them are trimmed across the grain. */
TEST(a_trim_of_any_number_of_chunks)
{
    const int64_t start[3] = { 1 << 20, 1 << 20, 1 << 20 }, lo[3] = { 0 }, hi[3] = { 1 << 20, 1 << 20, 1 << 19 };
    struct drxi_freed f = { 0 };
    drxi_map map;

    assert_ok(make(&map, 3, start, DRXI_MAP_ROWS));
    assert_ok(drxi_freed_prepare(&f, &map, lo, hi));
    assert_int_equal(f.pending_spans, 0);
    assert_int_equal(f.pending_lattices, 1);
    assert_int_equal(f.lattice[0].count[0] * f.lattice[0].count[1], 1ll << 40);
    assert_int_equal(f.lattice[0].span.n, 1 << 19);
    drxi_freed_free(&f);
    drxi_map_free(&map);
}
