/* drx_check tells what a trim has left outside the bounds from what only a crash can have left there. */
#include "bytes.h"
#include "findings.h"

enum { ITEM = 2, CHUNK = 3, FAR = 60, SIDE = 2 * FAR, STEPS = 60, HISTORIES = 24 };

static drx_array *make(const int64_t shape[2], int16_t fill)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT16,
                            .shape = shape,
                            .chunk = (int64_t[]){ CHUNK, CHUNK },
                            .fill = &fill,
                            .flags = DRX_REPLACE };
    drx_array *a;

    assert_ok(drx_create("a", &spec, &a));
    return a;
}

/* Each cell that has been an element: 1 + the address of its chunk then. And each index that an axis has had. A
 * compacted log may have trims from further out. */
static struct {
    int64_t chunk[SIDE][SIDE];
    bool index[2][SIDE];
    bool compacted;
} had;

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t chunk_of(drx_array *a, const int64_t cell[2])
{
    const int64_t index[] = { floor_div(cell[0], CHUNK), floor_div(cell[1], CHUNK) };
    int64_t address;

    return drx_chunk_address(a, index, &address) == DRX_OK ? address : -1;
}

static void remember(drx_array *a)
{
    const int64_t *lower = drx_lower(a), *shape = drx_shape(a);
    int64_t at[2] = { 0 };

    if (shape[0] == 0 || shape[1] == 0)
        return;
    do {
        const int64_t cell[] = { lower[0] + at[0], lower[1] + at[1] };

        had.chunk[FAR + cell[0]][FAR + cell[1]] = 1 + chunk_of(a, cell);
        for (int j = 0; j < 2; j++)
            had.index[j][FAR + cell[j]] = true;
    } while (next_index(2, shape, at));
}

static void change(drx_array *a, uint64_t *seed, bool compact)
{
    const int axis = (int)random_below(seed, 2);
    const int64_t by = random_below(seed, 4), bound = drx_shape(a)[axis];

    switch (random_below(seed, compact ? 8 : 7)) {
    case 0:
        assert_ok(drx_sync(a));
        break;
    case 7:
        assert_ok(drx_compact(a));
        had.compacted = true;
        break;
    case 1:
    case 2:
    case 3:
        if (drx_lower(a)[axis] + bound + by < FAR - CHUNK)
            assert_ok(drx_extend(a, axis, by));
        break;
    case 4:
        if (drx_lower(a)[axis] - by > CHUNK - FAR)
            assert_ok(drx_extend_before(a, axis, by));
        break;
    default:
        if (by < bound || (by == bound && random_below(seed, 8) == 0))
            assert_ok(random_below(seed, 2) ? drx_trim(a, axis, by, 0) : drx_trim(a, axis, 0, by));
    }
    remember(a);
}

/* A cell at random outside the bounds, in a chunk that lives; false: there is none near. */
static bool choose(drx_array *a, uint64_t *seed, int64_t cell[2], int64_t *address)
{
    const int64_t *lower = drx_lower(a), *shape = drx_shape(a);
    bool outside = false;

    for (int j = 0; j < 2; j++) {
        if (shape[j] == 0)
            return false;
        cell[j] = lower[j] - CHUNK + random_below(seed, shape[j] + 2 * CHUNK);
        outside = outside || cell[j] < lower[j] || cell[j] >= lower[j] + shape[j];
    }
    *address = chunk_of(a, cell);
    return outside && *address >= 0;
}

/* Put something into a cell outside. Was it an element of this chunk, a trim may have left it. Has an axis never had
 * its index, it is residue. */
static void spoil(int64_t address, const int64_t cell[2], int counts[2])
{
    const int64_t row = cell[0] - floor_div(cell[0], CHUNK) * CHUNK,
                  column = cell[1] - floor_div(cell[1], CHUNK) * CHUNK;
    const int64_t offset = ITEM * (address * CHUNK * CHUNK + row * CHUNK + column);
    const bool left = had.chunk[FAR + cell[0]][FAR + cell[1]] == 1 + address;
    const bool never = !had.compacted && (!had.index[0][FAR + cell[0]] || !had.index[1][FAR + cell[1]]);
    const bool told = (put_bytes("a.xta", offset, &(int16_t){ 77 }, ITEM), check("a"), found.n[DRX_WARNING] > 0);

    put_bytes("a.xta", offset, &(int16_t){ 0 }, ITEM);
    if ((left && told) || (never && !told))
        print_error("cell %d, %d of chunk %d: %s\n", (int)cell[0], (int)cell[1], (int)address, found.text);
    assert_false(left && told);
    assert_false(never && !told);
    assert_non_null(strstr(found.text, told ? "residue, which is put back" : "left by a trim"));
    counts[0] += left;
    counts[1] += never;
}

TEST(random_histories)
{
    uint64_t seed = starting_seed(0);
    int counts[2] = { 0 };

    for (int history = 0; history < HISTORIES; history++) {
        const int64_t shape[] = { random_below(&seed, 6), random_below(&seed, 6) };
        drx_array *a = make(shape, 0);

        memset(&had, 0, sizeof had);
        remember(a);
        for (int step = 0; step < STEPS; step++) {
            int64_t cell[2], address;
            bool some;

            change(a, &seed, history % 2);
            if (random_below(&seed, 3))
                continue;
            some = choose(a, &seed, cell, &address);
            assert_ok(drx_close(a));
            if (some)
                spoil(address, cell, counts);
            assert_ok(drx_open("a", DRX_RDWR, &a));
        }
        assert_ok(drx_close(a));
    }
    print_message("left by a trim: %d, never there: %d\n", counts[0], counts[1]);
    assert_true(counts[0] > HISTORIES / 4 && counts[1] > HISTORIES / 4);
}

/* A crash has left a part of an append, in an array that was trimmed before. */
TEST(residue_beside_what_a_trim_left)
{
    int16_t buf[7 * 4];
    drx_array *a = make((int64_t[]){ 7, 4 }, 0);
    int64_t address;

    for (int i = 0; i < 7 * 4; i++)
        buf[i] = (int16_t)(i + 1);
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, buf));
    assert_ok(drx_trim(a, 0, 1, 0));
    assert_ok(drx_sync(a));
    assert_ok(drx_compact(a));
    assert_ok(drx_chunk_address(a, (int64_t[]){ 2, 0 }, &address)); /* rows 6 to 8, of which 6 is inside */
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_int_equal(found.n[DRX_NOTE], 1);
    assert_int_equal(found.n[DRX_WARNING], 0);
    put_bytes("a.xta", ITEM * (address * CHUNK * CHUNK + CHUNK), &(int16_t){ 5 }, ITEM);
    assert_ok(check("a"));
    assert_int_equal(found.n[DRX_NOTE], 1);
    assert_int_equal(found.n[DRX_WARNING], 1);
    assert_told("outside the bound of axis 0");
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(check("a"));
    assert_int_equal(found.n[DRX_WARNING], 0);
}

/* Chunks that a trim has freed: whether the file system has their bytes back. */
TEST(chunks_that_were_trimmed)
{
    for (int16_t fill = 0; fill < 2; fill++) {
        drx_array *a = make((int64_t[]){ 2 * CHUNK, 2 * CHUNK }, fill);
        int16_t buf[4 * CHUNK * CHUNK];
        int64_t address;

        for (int i = 0; i < 4 * CHUNK * CHUNK; i++)
            buf[i] = 7;
        assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, buf));
        assert_ok(drx_sync(a));
        assert_ok(drx_chunk_address(a, (int64_t[]){ 1, 0 }, &address));
        assert_ok(drx_trim(a, 0, 0, CHUNK));
        assert_ok(drx_close(a));
        assert_ok(check("a"));
        assert_told("2 chunks that were trimmed still take 36 bytes: the next sync");
        assert_ok(drx_open("a", DRX_RDWR, &a));
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
        assert_ok(check("a"));
        assert_int_equal(found.n[DRX_NOTE] + found.n[DRX_WARNING], 0);
        put_bytes("a.xta", address * CHUNK * CHUNK * ITEM, &(int16_t){ 5 }, ITEM);
        assert_ok(check("a"));
        assert_int_equal(found.n[DRX_NOTE], 1);
        assert_told("1 chunk that was trimmed still takes 18 bytes: left by a crash");
    }
}
