/* drx_chunk_place: of chunks that are nowhere, in the pool, or short; and versions of files. Where chunks lie,
 * tests/model tells. */
#include <blosc.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drx_tools.h"
#include "testing.h"
#include "types/types.h"

enum { ROWS = 4, COLUMNS = 5, ELEMENTS = ROWS * COLUMNS, CHUNK_BYTES = 4 * ELEMENTS };

static const int64_t chunk[] = { ROWS, COLUMNS };
static const int32_t fill = -3;

static int32_t value_at(int64_t i, int64_t j)
{
    return (int32_t)(1000 * i + j);
}

/* Write all elements. */
static void write_all(drx_array *a)
{
    const int64_t *lower = drx_lower(a), *shape = drx_shape(a);
    int32_t row[256];

    assert_true(shape[1] <= 256);
    for (int64_t i = 0; i < shape[0]; i++) {
        for (int64_t j = 0; j < shape[1]; j++)
            row[j] = value_at(lower[0] + i, lower[1] + j);
        assert_ok(drx_write(a, (int64_t[]){ lower[0] + i, lower[1] }, (int64_t[]){ 1, shape[1] }, DRX_ROW_MAJOR, row));
    }
}

/* Read a chunk where it lies. */
static void read_there(drx_array *a, const drx_place *place, int32_t out[ELEMENTS])
{
    uint8_t bytes[2 * CHUNK_BYTES];
    FILE *f = fopen(drx_file(a, place->file), "rb");

    assert_non_null(f);
    assert_true(place->bytes <= (int64_t)sizeof bytes);
    assert_int_equal(fseeko(f, place->offset, SEEK_SET), 0);
    assert_int_equal(fread(bytes, 1, (size_t)place->bytes, f), place->bytes);
    assert_int_equal(fclose(f), 0);
    if (strstr(drx_file(a, place->file), ".xtz"))
        assert_int_equal(blosc_decompress_ctx(bytes, out, CHUNK_BYTES, 1), CHUNK_BYTES);
    else
        memcpy(out, bytes, CHUNK_BYTES);
    drxi_swap(out, CHUNK_BYTES, DRX_INT32);
}

static drx_array *make(const char *path, drx_codec codec, int64_t align, int nstripes)
{
    static const char *const folders[] = { "one", "two", "three" };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 6, 11 },
                            .chunk = chunk,
                            .fill = &fill,
                            .align = align,
                            .nstripes = nstripes,
                            .stripes = nstripes ? folders : NULL,
                            .codec = codec,
                            .flags = DRX_REPLACE };
    drx_array *a = NULL;

    for (int k = 0; k < nstripes; k++)
        (void)mkdir(folders[k], 0777);
    assert_ok(drx_create(path, &spec, &a));
    return a;
}

TEST(a_chunk_that_nobody_wrote_is_nowhere)
{
    drx_array *a = make("nowhere", DRX_LZ4, 0, 0);
    drx_place place;

    assert_ok(drx_chunk_place(a, (int64_t[]){ 1, 2 }, &place));
    assert_int_equal(place.file, -1);
    assert_ok(drx_close(a));
}

TEST(what_the_pool_holds_is_written_first)
{
    const int32_t value = 77;
    int32_t there[ELEMENTS];
    drx_array *a = make("pool", DRX_RAW, 0, 0);
    drx_place place;

    assert_ok(drx_put(a, (int64_t[]){ 1, 2 }, &value));
    assert_ok(drx_chunk_place(a, (int64_t[]){ 0, 0 }, &place));
    read_there(a, &place, there);
    assert_int_equal(there[COLUMNS + 2], value);
    assert_int_equal(there[0], fill);
    assert_ok(drx_close(a));
}

TEST(what_the_file_lacks_is_told)
{
    drx_array *a = make("short", DRX_RAW, 0, 0);
    drx_place place;

    assert_ok(drx_close(a));
    assert_int_equal(truncate("short.xta", 5 * CHUNK_BYTES + 8), 0); /* nothing was synced, so it was not promised */
    assert_ok(drx_open("short", DRX_RDONLY, &a));
    assert_ok(drx_chunk_place(a, (int64_t[]){ 1, 1 }, &place));
    assert_int_equal(place.lacking_bytes, 0);
    assert_ok(drx_chunk_place(a, (int64_t[]){ 1, 2 }, &place));
    assert_int_equal(place.lacking_bytes, CHUNK_BYTES - 8);
    assert_ok(drx_close(a));

    assert_ok(drx_open("short", DRX_RDWR, &a)); /* mends it */
    assert_ok(drx_chunk_place(a, (int64_t[]){ 1, 2 }, &place));
    assert_int_equal(place.lacking_bytes, 0);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_int_equal(truncate("short.xta", 5 * CHUNK_BYTES + 8), 0); /* damage */
    assert_ok(drx_open("short", DRX_RDONLY, &a));
    assert_status(drx_chunk_place(a, (int64_t[]){ 1, 2 }, &place), DRX_EDAMAGED);
    assert_detail("chunk 5");
    assert_ok(drx_close(a));
}

/* A crash may leave the half of an entry, not synced, without its payload: the half before it counts. */
TEST(an_unsynced_half_without_its_payload_yields)
{
    static const int64_t lo[] = { 0, 0 };
    int32_t one[ELEMENTS], other[ELEMENTS], there[ELEMENTS];
    drx_array *a = make("yields", DRX_ZSTD, 0, 0);
    drx_place first, second, found;
    FILE *f;

    for (int k = 0; k < ELEMENTS; k++) {
        one[k] = k;
        other[k] = 7 * k * k;
    }
    assert_ok(drx_write(a, lo, chunk, DRX_ROW_MAJOR, one));
    assert_ok(drx_sync(a));
    assert_ok(drx_chunk_place(a, (int64_t[]){ 0, 0 }, &first));
    assert_ok(drx_write(a, lo, chunk, DRX_ROW_MAJOR, other));
    assert_ok(drx_chunk_place(a, (int64_t[]){ 0, 0 }, &second));
    assert_true(second.offset != first.offset);
    assert_ok(drx_close(a));
    f = fopen("yields.xtz", "r+b");
    assert_non_null(f);
    assert_int_equal(fseeko(f, second.offset + 20, SEEK_SET), 0);
    assert_int_equal(fwrite("torn", 1, 4, f), 4);
    assert_int_equal(fclose(f), 0);
    assert_ok(drx_open("yields", DRX_RDONLY, &a));
    assert_ok(drx_chunk_place(a, (int64_t[]){ 0, 0 }, &found));
    assert_int_equal(found.offset, first.offset);
    read_there(a, &found, there);
    assert_memory_equal(there, one, sizeof one);
    assert_ok(drx_close(a));
}

TEST(an_array_in_memory_has_no_places)
{
    drx_array *a = make(NULL, DRX_RAW, 0, 0);

    assert_status(drx_chunk_place(a, (int64_t[]){ 0, 0 }, &(drx_place){ 0 }), DRX_EINVAL);
    assert_ok(drx_close(a));
    assert_status(drx_chunk_place(NULL, (int64_t[]){ 0, 0 }, &(drx_place){ 0 }), DRX_EINVAL);
}

enum { FILES = 5 };

/* Of the files of a reader that opens the array now; and let the clock of the file system move on. */
static void versions_of(const char *path, uint64_t version[FILES][2])
{
    const struct timespec tick = { .tv_nsec = 20000000 };
    drx_array *a = NULL;
    int i = 0;

    memset(version, 0, FILES * sizeof version[0]);
    assert_ok(drx_open(path, DRX_RDONLY, &a));
    for (; drx_file(a, i); i++)
        assert_ok(drx_file_version(a, i, version[i]));
    assert_status(drx_file_version(a, i, version[0]), DRX_EINVAL);
    assert_ok(drx_close(a));
    (void)nanosleep(&tick, NULL);
}

TEST(versions_follow_every_change)
{
    for (int kind = 0; kind < 3; kind++) {
        drx_array *a = make("changed", kind == 1 ? DRX_LZ4 : DRX_RAW, 0, kind == 2 ? 3 : 0), *other;
        uint64_t was[FILES][2], now[FILES][2], same[FILES][2];

        write_all(a);
        assert_ok(drx_sync(a));
        versions_of("changed", was);
        for (int change = 0; change < 4; change++) {
            if (change < 2)
                assert_ok(drx_put(a, (int64_t[]){ 0, 0 }, &change));
            else if (change == 2)
                assert_ok(drx_extend(a, 0, 1));
            else
                assert_ok(drx_attr_set_text(a, "units", "K"));
            assert_ok(drx_sync(a));
            versions_of("changed", now);
            versions_of("changed", same);
            assert_memory_equal(now, same, sizeof now);
            assert_int_equal(now[0][0], was[0][0]);
            if (change < 2)
                assert_memory_not_equal(now + 1, was + 1, sizeof now - sizeof now[0]);
            else
                assert_int_not_equal(now[0][1], was[0][1]);
            memcpy(was, now, sizeof was);
        }
        assert_ok(drx_close(a));
        other = make("another", DRX_RAW, 0, 0);
        assert_ok(drx_file_version(other, 0, now[0]));
        assert_int_not_equal(now[0][0], was[0][0]);
        assert_ok(drx_close(other));
    }
    assert_status(drx_file_version(NULL, 0, (uint64_t[2]){ 0 }), DRX_EINVAL);
}
