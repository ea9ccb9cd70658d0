/* What reads with drx_set_verify take from the disk, and reads without it. That those which meet damage fail, and no
 * others, tests/model tells. */
#include <unistd.h>

#include "base/hooks.h"
#include "bytes.h"
#include "drx_tools.h"

enum { SIDE = 1024, TILE = 64, TILES = SIDE / TILE * (SIDE / TILE), TILE_BYTES = TILE * TILE * 4 };

static drx_array *make_tiles(int32_t values[])
{
    const int64_t shape[] = { SIDE, SIDE }, chunk[] = { TILE, TILE }, zero[] = { 0, 0 };
    drx_array *a;

    for (int i = 0; i < SIDE * SIDE; i++)
        values[i] = i + 1;
    assert_ok(drx_create(
        "x",
        &(drx_spec){
            .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | DRX_CHECKSUM },
        &a));
    assert_ok(drx_write(a, zero, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_close(a)); /* not synced */
    assert_ok(drx_open("x", DRX_RDONLY, &a));
    return a;
}

/* What is read from the disk comes once, in whole chunks, many reads under way: a part of each chunk by a box with
 * steps, or by points. */
TEST(chunks_come_once)
{
    static int32_t values[SIDE * SIDE], got[TILES];
    const int64_t lo[] = { 3, 5 }, count[] = { SIDE / TILE, SIDE / TILE }, step[] = { TILE, TILE };
    const drx_box box = { .lo = lo, .count = count, .step = step };
    drx_array *a = make_tiles(values);
    int64_t points[TILES][2], at[] = { 0, 0 };
    drx_counters before, after;
    int n = 0;

    do {
        points[n][0] = lo[0] + at[0] * TILE;
        points[n++][1] = lo[1] + at[1] * TILE;
    } while (next_index(2, count, at));
    drx_set_verify(1);
    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.cache = DRXI_DIRECT;
    for (int way = 0; way < 2; way++) {
        assert_ok(drx_count(a, &before));
        assert_ok(way ? drx_read_points(a, TILES, points[0], got) : drx_read_box(a, &box, got));
        assert_ok(drx_count(a, &after));
        assert_true(after.concurrent - before.concurrent > 1);
        assert_int_equal(after.direct_bytes - before.direct_bytes, TILES * TILE_BYTES);
        assert_int_equal(after.read_bytes - before.read_bytes, TILES * TILE_BYTES);
        for (int i = 0; i < TILES; i++)
            assert_int_equal(got[i], values[points[i][0] * SIDE + points[i][1]]);
    }
    for (size_t limit = 1; limit <= 32 << 20; limit *= 4) { /* which leaves room for one read, or for few */
        drx_set_memory(limit);
        memset(got, 0, sizeof got);
        assert_ok(drx_read_points(a, TILES, points[0], got));
        for (int i = 0; i < TILES; i++)
            assert_int_equal(got[i], values[points[i][0] * SIDE + points[i][1]]);
    }
    drx_set_memory(0);
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.cache = DRXI_AS_FITS;
    drx_set_verify(0);
    assert_ok(drx_close(a));
}

/* A chunk of which the file has lost the end does not match, whatever is read of it. One that it has does. */
TEST(a_file_that_lost_its_end)
{
    static int32_t values[SIDE * SIDE], got[SIDE * SIDE];
    const int64_t part[] = { 2, 2 }, whole[] = { TILE, TILE };
    const int64_t lost[] = { SIDE - TILE, SIDE - TILE }, there[] = { SIDE - TILE, SIDE - 2 * TILE };

    for (int staged = 0; staged < 2; staged++) {
        drx_array *a = make_tiles(values);

        assert_int_equal(truncate("x.xta", TILES * TILE_BYTES - 8), 0);
        drx_set_verify(1);
        drxi_hooks.way = staged ? DRXI_STAGED : DRXI_ANY_WAY;
        assert_ok(drx_read(a, there, part, DRX_ROW_MAJOR, got));
        assert_ok(drx_read_points(a, 1, there, got));
        assert_status(drx_read(a, lost, part, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
        assert_detail("x.xta: chunk 255, elements 960..1023, 960..1023: offset 4177920");
        assert_status(drx_read(a, lost, whole, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
        assert_status(drx_read_points(a, 1, lost, got), DRX_ECHECKSUM);
        drx_set_verify(0);
        assert_ok(drx_read(a, lost, part, DRX_ROW_MAJOR, got));
        drxi_hooks.way = DRXI_ANY_WAY;
        assert_ok(drx_close(a));
    }
}

/* Without it, a part of a damaged chunk is read; and a write of another part does not hide the damage. */
TEST(only_when_asked)
{
    const int64_t shape[] = { 8, 8 }, chunk[] = { 4, 4 }, zero[] = { 0, 0 }, part[] = { 2, 8 }, last[] = { 3, 3 };
    int32_t values[64], got[64];
    drx_array *a;

    if (!IN_ORDER_OF_FILES) /* calls read a small chunk as a whole, and compare it */
        skip();
    for (int i = 0; i < 64; i++)
        values[i] = i;
    assert_ok(drx_create(
        "x",
        &(drx_spec){
            .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | DRX_CHECKSUM },
        &a));
    assert_ok(drx_write(a, zero, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    flip("x.xta", 4 * 15, 0x10); /* element 3, 3 */
    assert_ok(drx_read(a, zero, part, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, values, sizeof *got * 16);
    assert_ok(drx_get(a, zero, got));
    drx_set_verify(1);
    assert_status(drx_read(a, zero, part, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
    assert_detail("x.xta: chunk 0, elements 0..3, 0..3: offset 0: its 64 bytes have the checksum");
    assert_status(drx_get(a, zero, got), DRX_ECHECKSUM);
    assert_ok(drx_write(a, zero, part, DRX_ROW_MAJOR, values));
    assert_status(drx_read(a, zero, part, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
    assert_ok(drx_write(a, zero, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_read(a, zero, part, DRX_ROW_MAJOR, got));
    assert_ok(drx_get(a, last, got));
    assert_int_equal(got[0], 27);
    drx_set_verify(0);
    assert_ok(drx_close(a));
}
