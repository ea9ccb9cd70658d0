/* With drx_set_verify, every read that takes an element of a damaged chunk fails, and no other: boxes, points and
 * single elements of arrays that grew at random, raw and compressed, whichever way they are read. The model is a list
 * of the chunks that were damaged. */
#include <fcntl.h>
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "testing.h"

enum { NDIM = 3, MOST_CHUNKS = 1 << 13, GROWTHS = 6, DAMAGED = 6, READS = 120, MOST_POINTS = 40, ROOM = 1 << 16 };

static uint64_t seed;

struct history {
    drx_array *a;
    int64_t chunk[NDIM];
    bool damaged[MOST_CHUNKS]; /* by the place of a chunk in the box of all of them */
    int64_t first[NDIM], chunks[NDIM];
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int32_t value_at(const int64_t index[])
{
    return (int32_t)(index[0] * 10007 + index[1] * 101 + index[2]);
}

static int place_of(const struct history *h, const int64_t index[])
{
    int64_t place = 0;

    for (int j = 0; j < NDIM; j++)
        place = place * h->chunks[j] + floor_div(index[j], h->chunk[j]) - h->first[j];
    assert_true(place >= 0 && place < MOST_CHUNKS);
    return (int)place;
}

static void write_all(drx_array *a)
{
    static int32_t values[ROOM];
    int64_t at[NDIM] = { 0 }, index[NDIM], n = 0;

    do {
        for (int j = 0; j < NDIM; j++)
            index[j] = drx_lower(a)[j] + at[j];
        assert_true(n < ROOM);
        values[n++] = value_at(index);
    } while (next_index(NDIM, drx_shape(a), at));
    assert_ok(drx_write(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, values));
}

static void make(struct history *h, drx_codec codec)
{
    int64_t shape[NDIM];

    memset(h, 0, sizeof *h);
    for (int j = 0; j < NDIM; j++) {
        h->chunk[j] = 1 + random_below(&seed, 6);
        shape[j] = 1 + random_below(&seed, 6);
    }
    if (codec) /* payloads of several blocks, parts of which are decoded alone */
        h->chunk[NDIM - 1] = 1 << 12;
    else if (random_below(&seed, 3) == 0) /* reads of a block of the disk or more may be direct */
        h->chunk[NDIM - 1] = 1 << 10;
    assert_ok(drx_create("x",
                         &(drx_spec){ .ndim = NDIM,
                                      .type = DRX_INT32,
                                      .shape = shape,
                                      .chunk = h->chunk,
                                      .codec = codec,
                                      .flags = DRX_REPLACE | (codec ? 0 : DRX_CHECKSUM) },
                         &h->a));
    for (int i = 0; i < GROWTHS; i++) {
        const int axis = (int)random_below(&seed, NDIM);

        if (random_below(&seed, 3) == 0)
            assert_ok(drx_extend_before(h->a, axis, 1 + random_below(&seed, 5)));
        else
            assert_ok(drx_extend(h->a, axis, 1 + random_below(&seed, 5)));
    }
    write_all(h->a);
    if (codec)
        assert_ok(drx_compact(h->a));
    for (int j = 0; j < NDIM; j++) {
        const int64_t lower = drx_lower(h->a)[j];

        h->first[j] = floor_div(lower, h->chunk[j]);
        h->chunks[j] = floor_div(lower + drx_shape(h->a)[j] - 1, h->chunk[j]) + 1 - h->first[j];
    }
}

static void flip(const char *name, int64_t offset)
{
    const int fd = open(name, O_RDWR);
    uint8_t byte;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
    assert_int_equal(close(fd), 0);
}

static void random_index(const drx_array *a, int64_t index[])
{
    for (int j = 0; j < NDIM; j++)
        index[j] = drx_lower(a)[j] + random_below(&seed, drx_shape(a)[j]);
}

/* Flip a bit of some chunks, and open the array again. */
static void damage(struct history *h)
{
    for (int i = 0; i < DAMAGED; i++) {
        int64_t index[NDIM], chunk[NDIM];
        drx_place place;

        random_index(h->a, index);
        for (int j = 0; j < NDIM; j++)
            chunk[j] = floor_div(index[j], h->chunk[j]);
        if (h->damaged[place_of(h, index)])
            continue;
        assert_ok(drx_chunk_place(h->a, chunk, &place));
        if (place.is_open) /* it has no checksum */
            continue;
        h->damaged[place_of(h, index)] = true;
        flip(drx_file(h->a, place.file), place.offset + random_below(&seed, place.bytes - place.lacking_bytes));
    }
    assert_ok(drx_close(h->a));
    assert_ok(drx_open("x", DRX_RDONLY, &h->a));
}

/* A status other than what the model says, or elements that are not what was written. */
static void judge(drx_status st, bool bad)
{
    if (!bad)
        assert_ok(st);
    else
        assert_status(st, DRX_ECHECKSUM);
}

static void read_box(struct history *h)
{
    static int32_t got[ROOM];
    int64_t lo[NDIM], count[NDIM], step[NDIM], at[NDIM] = { 0 }, index[NDIM], n = 0;
    bool bad = false;
    drx_request *request;
    drx_box box = { .lo = lo, .count = count, .step = step };
    drx_status st;

    random_index(h->a, lo);
    for (int j = 0; j < NDIM; j++) {
        const int64_t most = drx_lower(h->a)[j] + drx_shape(h->a)[j] - lo[j];

        step[j] = random_below(&seed, 2) ? 1 : 1 + random_below(&seed, 4);
        count[j] = 1 + random_below(&seed, (most - 1) / step[j] + 1);
    }
    box.order = random_below(&seed, 2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
    do {
        for (int j = 0; j < NDIM; j++)
            index[j] = lo[j] + at[j] * step[j];
        bad = bad || h->damaged[place_of(h, index)];
    } while (next_index(NDIM, count, at));
    if (random_below(&seed, 4)) {
        st = drx_read_box(h->a, &box, got);
    } else {
        assert_ok(drx_read_async(h->a, &box, got, &request));
        st = drx_wait(request);
    }
    judge(st, bad);
    for (bool more = !bad && box.order == DRX_ROW_MAJOR; more; more = next_index(NDIM, count, at)) {
        for (int j = 0; j < NDIM; j++)
            index[j] = lo[j] + at[j] * step[j];
        assert_int_equal(got[n++], value_at(index));
    }
}

static void read_points(struct history *h)
{
    int64_t index[MOST_POINTS][NDIM];
    int32_t got[MOST_POINTS];
    const int64_t n = 1 + random_below(&seed, MOST_POINTS);
    const bool one = random_below(&seed, 2);
    bool bad = false;

    for (int64_t i = 0; i < (one ? 1 : n); i++) {
        random_index(h->a, index[i]);
        bad = bad || h->damaged[place_of(h, index[i])];
    }
    judge(one ? drx_get(h->a, index[0], got) : drx_read_points(h->a, n, index[0], got), bad);
    for (int64_t i = 0; !bad && i < (one ? 1 : n); i++)
        assert_int_equal(got[i], value_at(index[i]));
}

static void try_history(drx_codec codec)
{
    struct history h;
    const int ways[] = { DRXI_ANY_WAY, DRXI_STAGED, DRXI_TOUCHED, DRXI_MAPPED };

    make(&h, codec);
    damage(&h);
    for (int i = 0; i < READS; i++) {
        drxi_hooks.way = ways[random_below(&seed, 4)];
        drxi_hooks.cache = random_below(&seed, 2) ? DRXI_DIRECT : DRXI_CACHED;
        drxi_hooks.no_ring = random_below(&seed, 2);
        if (random_below(&seed, 2))
            read_box(&h);
        else
            read_points(&h);
    }
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.cache = DRXI_AS_FITS;
    drxi_hooks.no_ring = false;
    assert_ok(drx_close(h.a));
}

TEST(reads_of_damaged_chunks)
{
    seed = starting_seed(0);
    drx_set_verify(1);
    drxi_hooks.shared_bytes = 1 << 12;
    for (int i = 0; i < 40; i++)
        try_history(DRX_RAW);
    drx_set_verify(0);
}

TEST(reads_of_damaged_payloads)
{
    static const drx_codec codecs[] = { ALL_CODECS };

    seed = starting_seed(0);
    drx_set_verify(1);
    for (int i = 0; i < 20; i++)
        try_history(codecs[i % (sizeof codecs / sizeof *codecs)]);
    drx_set_verify(0);
}

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
    flip("x.xta", 4 * 15); /* element 3, 3 */
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
