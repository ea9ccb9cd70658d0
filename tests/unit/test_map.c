/* The map against the worked examples, against numbering chunks by hand, and at
 * its edges. */
#include "map/map.h"
#include "testing.h"

static void grow(drxi_map *map, int axis, int64_t by)
{
    int64_t chunks;

    assert_ok(drxi_map_prepare(map, axis, by, &chunks));
    drxi_map_grow(map, axis, by);
    assert_int_equal(map->chunks, chunks);
}

static void check_record(const drxi_map *map, int axis, int64_t i, const int64_t expected[])
{
    const int64_t serial = map->axial[axis].serial[i];

    assert_int_equal(map->axial[axis].first[i], expected[0]);
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

    assert_ok(drxi_map_init(&map, 2, one, DRXI_MAP_ROWS));
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

    assert_ok(drxi_map_init(&map, 3, start, DRXI_MAP_ROWS));
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
        assert_int_equal(map.axial[j].count, counts[j]);
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

/* Fig. 2c of the paper; and the order in which arrays were once made, with its axes the other way round. */
TEST(shell_order)
{
    static const int64_t first[8] = { 0, 2, 6, 12, 20, 30, 42, 56 }, last[8] = { 49, 50, 51, 52, 53, 54, 55, 63 };
    const int64_t bound[2] = { 8, 8 }, flat[3] = { 2, 0, 4 }, line[1] = { 7 };
    drxi_map map, turned;

    assert_ok(drxi_map_init(&map, 2, bound, DRXI_MAP_SHELLS));
    assert_ok(drxi_map_init(&turned, 2, bound, DRXI_MAP_SHELLS_LAST));
    check_plane(&map, 1, 8, first);
    for (int64_t j = 0; j < 8; j++)
        assert_int_equal(drxi_map_address(&map, (int64_t[]){ 7, j }), last[j]);
    for (int64_t i = 0; i < 64; i++)
        assert_int_equal(drxi_map_address(&turned, (int64_t[]){ i / 8, i % 8 }),
                         drxi_map_address(&map, (int64_t[]){ i % 8, i / 8 }));
    drxi_map_free(&map);
    drxi_map_free(&turned);
    assert_ok(drxi_map_init(&map, 3, flat, DRXI_MAP_SHELLS)); /* a bound of 0: as without */
    assert_int_equal(map.chunks, 0);
    assert_int_equal(map.count, 1);
    drxi_map_free(&map);
    assert_ok(drxi_map_init(&map, 1, line, DRXI_MAP_SHELLS));
    assert_int_equal(map.count, 1);
    drxi_map_free(&map);
}

TEST(shell_order_leaves_out_full_axes)
{
    const int64_t bound[3] = { 1, 2, 5 };
    static const int64_t shells[10] = { 0, 2, 4, 6, 8, 1, 3, 5, 7, 9 },
                         shells_last[10] = { 0, 1, 4, 6, 8, 2, 3, 5, 7, 9 };
    drxi_map map;

    assert_ok(drxi_map_init(&map, 3, bound, DRXI_MAP_SHELLS));
    check_plane(&map, 2, 5, shells);
    drxi_map_free(&map);
    assert_ok(drxi_map_init(&map, 3, bound, DRXI_MAP_SHELLS_LAST));
    check_plane(&map, 2, 5, shells_last);
    drxi_map_free(&map);
}

enum { MAX_CHUNKS = 3000 };

struct book {
    int ndim;
    int64_t bound[DRX_MAX_NDIM];
    int64_t n;
    int64_t (*index)[DRX_MAX_NDIM]; /* of the chunk with that address */
};

/* Number the chunks from `from` to before `bound` on `axis`, that axis slowest. */
static void number_segment(struct book *b, int axis, int64_t from)
{
    int64_t index[DRX_MAX_NDIM] = { 0 };
    int order[DRX_MAX_NDIM];
    int place = 0;

    order[place++] = axis;
    for (int j = 0; j < b->ndim; j++) {
        if (b->bound[j] == 0)
            return;
        if (j != axis)
            order[place++] = j;
    }
    index[axis] = from;
    while (index[axis] < b->bound[axis]) {
        memcpy(b->index[b->n++], index, sizeof index);
        for (place = b->ndim - 1; place > 0 && ++index[order[place]] == b->bound[order[place]]; place--)
            index[order[place]] = 0;
        if (place == 0)
            index[axis]++;
    }
}

static void check_against(const drxi_map *map, const struct book *b, uint64_t *seed)
{
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    int64_t expected = 0;
    int64_t last = -1;
    int64_t met = 0;
    struct drxi_walk walk;
    struct drxi_part part;

    assert_int_equal(map->chunks, b->n);
    for (int64_t q = 0; q < b->n; q++) {
        int64_t index[DRX_MAX_NDIM] = { 0 };

        assert_int_equal(drxi_map_address(map, b->index[q]), q);
        drxi_map_index(map, q, index);
        assert_memory_equal(index, b->index[q], sizeof index[0] * (size_t)b->ndim);
    }
    if (b->n == 0)
        return;
    for (int j = 0; j < b->ndim; j++) {
        lo[j] = random_below(seed, b->bound[j]);
        hi[j] = lo[j] + 1 + random_below(seed, b->bound[j] - lo[j]);
    }
    for (int64_t q = 0; q < b->n; q++) {
        bool in = true;

        for (int j = 0; j < b->ndim; j++)
            in = in && b->index[q][j] >= lo[j] && b->index[q][j] < hi[j];
        expected += in;
    }
    drxi_walk_start(&walk, map, lo, hi);
    while (drxi_walk_next(&walk, &part)) {
        int64_t first = 0;
        int64_t volume = 1;

        for (int j = 0; j < b->ndim; j++) {
            first += part.lo[j] * part.coef[j];
            volume *= part.hi[j] - part.lo[j];
            assert_true(part.lo[j] < part.hi[j] && part.lo[j] >= lo[j] && part.hi[j] <= hi[j]);
        }
        assert_int_equal(drxi_map_address(map, part.lo), first);
        assert_true(first > last); /* in increasing order */
        met += volume;
        last = 0;
        for (int j = 0; j < b->ndim; j++)
            last += (part.hi[j] - 1) * part.coef[j];
        assert_true(last >= first);
    }
    assert_int_equal(met, expected);
}

static void random_history(uint64_t *seed)
{
    struct book b = { .n = 0 };
    int64_t start[DRX_MAX_NDIM];
    drxi_map map;

    memset(b.bound, 0, sizeof b.bound);
    b.ndim = 1 + (int)random_below(seed, random_below(seed, 8) ? 4 : DRX_MAX_NDIM);
    b.index = calloc(MAX_CHUNKS, sizeof *b.index);
    assert_non_null(b.index);
    for (int j = 0; j < b.ndim; j++)
        start[j] = b.ndim > 6 ? 1 : random_below(seed, 4);
    memcpy(b.bound, start, sizeof b.bound);
    number_segment(&b, 0, 0);
    assert_ok(drxi_map_init(&map, b.ndim, start, DRXI_MAP_ROWS));
    for (int step = 0; step < 12; step++) {
        const int axis = (int)random_below(seed, b.ndim);
        const int64_t by = random_below(seed, 3);
        const int64_t from = b.bound[axis];
        const struct drxi_map_mark mark = drxi_map_mark(&map);
        int64_t chunks;

        assert_ok(drxi_map_prepare(&map, axis, by, &chunks));
        if (chunks > MAX_CHUNKS)
            break;
        drxi_map_grow(&map, axis, by);
        drxi_map_ungrow(&map, axis, by, mark); /* and again */
        drxi_map_grow(&map, axis, by);
        b.bound[axis] += by;
        if (by > 0)
            number_segment(&b, axis, from);
        check_against(&map, &b, seed);
    }
    drxi_map_free(&map);
    free(b.index);
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

    assert_ok(drxi_map_init(&map, 2, zero, DRXI_MAP_ROWS));
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

    assert_ok(drxi_map_init(&map, 2, one, DRXI_MAP_ROWS));
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

    assert_ok(drxi_map_init(&map, 2, start, DRXI_MAP_ROWS));
    assert_status(drxi_map_prepare(&map, 0, (int64_t)1 << 32, &chunks), DRX_EOVERFLOW);
    assert_status(drxi_map_prepare(&map, 1, INT64_MAX, &chunks), DRX_EOVERFLOW);
    assert_int_equal(map.chunks, (int64_t)1 << 62);
    assert_int_equal(drxi_map_address(&map, (int64_t[]){ (1ll << 31) - 1, (1ll << 31) - 1 }), (1ll << 62) - 1);
    drxi_map_free(&map);
    assert_status(drxi_map_init(&map, 3, huge, DRXI_MAP_ROWS), DRX_EOVERFLOW); /* a coefficient would */
    drxi_map_free(&map);
}
