/* A reader has found a chunk open. Before it reads the payload, the writer closes that chunk, promises so, and opens
 * another one in its place. The reader gets the elements of its chunk, not those of the other one. */
#include "drx_tools.h"
#include "io/io.h"
#include "testing.h"

enum { CHUNK = 64, STEP = CHUNK / 2 };

static const char path[] = "reused";
static drx_array *writer;
static drx_status (*read_file)(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got);
static bool armed;

static void number(int64_t from, int32_t values[STEP])
{
    for (int i = 0; i < STEP; i++)
        values[i] = (int32_t)(1000 + from + i);
}

static void append_and_sync(void)
{
    int32_t values[STEP];

    number(drx_shape(writer)[0], values);
    assert_ok(drx_append(writer, 0, STEP, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(writer));
}

static int64_t place_of_open_chunk(void)
{
    drx_place place;

    assert_ok(drx_chunk_place(writer, (int64_t[]){ (drx_shape(writer)[0] - 1) / CHUNK }, &place));
    assert_true(place.is_open);
    return place.offset;
}

static drx_status read_after_reuse(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    if (armed) {
        const int64_t place = place_of_open_chunk();

        armed = false;
        append_and_sync(); /* the chunk is full, and closed */
        append_and_sync();
        assert_int_equal(place_of_open_chunk(), place);
    }
    return read_file(io, buf, n, offset, got);
}

static drx_status open_hooked(const char *name, enum drxi_how how, drxi_io **out)
{
    static struct drxi_io_ops ops;
    const drx_status st = drxi_posix.open(name, how, out);

    if (st || !strstr(name, ".xtz"))
        return st;
    ops = *(*out)->ops;
    read_file = ops.read;
    ops.read = read_after_reuse;
    (*out)->ops = &ops;
    return DRX_OK;
}

static drx_array *open_reader(void)
{
    const struct drxi_files *usual = drxi_files;
    struct drxi_files hooked = drxi_posix;
    drx_array *a;

    hooked.open = open_hooked;
    drxi_files = &hooked;
    assert_ok(drx_open(path, DRX_RDONLY, &a));
    drxi_files = usual;
    return a;
}

TEST(an_open_payload_is_replaced_before_it_is_read)
{
    static const struct {
        int64_t from, n;
    } parts[] = { { 0, STEP }, { 9, 3 }, { 7, 1 } };

    for (int i = 0; i < 3; i++) {
        const drx_spec spec = { .ndim = 1,
                                .type = DRX_INT32,
                                .shape = (int64_t[]){ 0 },
                                .chunk = (int64_t[]){ CHUNK },
                                .codec = DRX_LZ4,
                                .flags = DRX_REPLACE };
        int32_t values[STEP], expected[STEP];
        drx_array *reader;

        assert_ok(drx_create(path, &spec, &writer));
        append_and_sync();
        reader = open_reader();
        number(0, expected);
        armed = true;
        assert_ok(parts[i].n == 1 ? drx_get(reader, &parts[i].from, values)
                                  : drx_read(reader, &parts[i].from, &parts[i].n, DRX_ROW_MAJOR, values));
        assert_false(armed);
        assert_memory_equal(values, expected + parts[i].from, (size_t)parts[i].n * sizeof *values);
        assert_ok(drx_close(reader));
        assert_ok(drx_close(writer));
    }
}
