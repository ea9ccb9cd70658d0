/* Readers of a server beside a writer: the log tells whether growth explains that files have changed, and what was
 * trimmed. A chunk is larger than what one request brings. */
#include "drx_tools.h"
#include "file_server.h"

enum { CHUNK = 1 << 15, CHUNKS = 4, FIRST = 10 };

static const char *server;
static int32_t values[CHUNK];
static drx_array *writer;

/* Elements of a chunk are all alike: not zeros, which a hole would have, too. */
static const int32_t *chunk_of(int32_t value)
{
    for (int i = 0; i < CHUNK; i++)
        values[i] = value;
    return values;
}

static drx_array *make(void)
{
    const drx_spec spec = {
        .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 0 }, .chunk = (int64_t[]){ CHUNK }, .flags = DRX_REPLACE
    };
    char url[1024];
    drx_array *r;

    assert_ok(drx_create("far", &spec, &writer));
    for (int i = 0; i < CHUNKS; i++)
        assert_ok(drx_append(writer, 0, CHUNK, DRX_ROW_MAJOR, chunk_of(FIRST + i)));
    if (!server)
        server = file_server_start(".", true);
    (void)snprintf(url, sizeof url, "%s/far", server);
    assert_ok(drx_open(url, DRX_RDONLY, &r));
    return r;
}

static void end(drx_array *r)
{
    assert_ok(drx_close(r));
    assert_ok(drx_close(writer));
}

static drx_status get(drx_array *r, int64_t chunk, int32_t *value)
{
    return drx_get(r, (int64_t[]){ chunk * CHUNK + 7 }, value);
}

static void expect(drx_array *r, int64_t chunk, int32_t expected)
{
    int32_t value = -1;

    assert_ok(get(r, chunk, &value));
    assert_int_equal(value, expected);
}

/* What an append writes is explained by its record, which does not count yet. */
static drx_status read_beside(void *with, int64_t done, int64_t *n, const void **buf)
{
    if (done / CHUNK < CHUNKS)
        expect(with, done / CHUNK, FIRST + (int32_t)(done / CHUNK));
    *n = CHUNK;
    *buf = chunk_of(100);
    return DRX_OK;
}

TEST(an_append_that_goes_on)
{
    drx_array *r = make();

    assert_ok(drx_append_pieces(writer, 0, (CHUNKS + 1) * CHUNK, DRX_ROW_MAJOR, read_beside, r));
    end(r);
}

/* Growth explains it, and a name does not. */
TEST(other_elements)
{
    for (int grows = 0; grows < 2; grows++) {
        drx_array *r = make();
        int32_t value = 99;

        expect(r, 0, FIRST);
        if (grows)
            assert_ok(drx_extend(writer, 0, 1));
        else
            assert_ok(drx_attr_set_text(writer, "who", "writer"));
        assert_ok(drx_put(writer, (int64_t[]){ 1 }, &value));
        assert_ok(drx_sync(writer));
        assert_status(get(r, 1, &value), grows ? DRX_OK : DRX_EMISMATCH);
        assert_ok(drx_refresh(r));
        expect(r, 1, FIRST + 1);
        end(r);
    }
}

/* What is trimmed is refused once its bytes have changed, and what is left is not. */
TEST(trims)
{
    drx_array *r = make();
    int32_t value;

    assert_ok(drx_trim(writer, 0, CHUNK, 0));
    assert_status(get(r, 0, &value), DRX_ERANGE);
    assert_detail("are left by a trim");
    assert_ok(drx_sync(writer));
    expect(r, 1, FIRST + 1);
    assert_ok(drx_trim(writer, 0, 0, CHUNK));
    assert_ok(drx_extend(writer, 0, 2 * CHUNK));
    expect(r, 2, FIRST + 2);
    assert_status(get(r, 3, &value), DRX_ERANGE);
    assert_ok(drx_refresh(r));
    expect(r, 3, 0);
    end(r);
}

TEST(a_log_that_is_replaced)
{
    drx_array *r = make();
    int32_t value;

    expect(r, 0, FIRST);
    assert_ok(drx_trim(writer, 0, CHUNK, 0));
    for (int i = 0; i < 20; i++)
        assert_ok(drx_attr_set(writer, "n", DRX_INT32, 1, &i));
    assert_ok(drx_compact(writer));
    assert_status(get(r, 1, &value), DRX_EMISMATCH);
    assert_detail("refresh the handle");
    assert_ok(drx_refresh(r));
    expect(r, 1, FIRST + 1);
    end(r);
    file_server_end();
}
