/* The map against the worked examples, and at its edges. That it numbers chunks as they are appended, at either end and
 * beside trims, tests/model tells (book.c). */
#include "log/state.h"
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
