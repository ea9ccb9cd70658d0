/* drx_check verifies checksums from the bytes that it reads anyway, and never verifies a chunk that has a byte which
 * cannot be read. What it says of damage, tests/model tells. */
#include "array/array.h"
#include "findings.h"
#include "io/io.h"

struct verdict {
    long long verified, chunks, wrong;
};

static void expect(const struct verdict *v)
{
    char text[200];

    (void)snprintf(text, sizeof text, "x.xcs: %lld of %lld chunks match their checksums, %lld do not\n", v->verified,
                   v->chunks, v->wrong);
    assert_told(text);
}

/* The bytes that the process has asked the system for; -1: the system does not say. */
static long long bytes_asked_for(void)
{
    FILE *f = fopen("/proc/self/io", "r");
    long long bytes = -1;

    if (f && fscanf(f, "rchar: %lld", &bytes) != 1)
        bytes = -1;
    if (f)
        (void)fclose(f);
    return bytes;
}

TEST(data_are_read_once)
{
    const int64_t shape[] = { 1024, 2048 }, chunk[] = { 128, 128 }, zero[] = { 0, 0 };
    const long long bytes = shape[0] * shape[1] * 8;
    double *values = calloc((size_t)bytes, 1);
    long long before, after;
    drx_array *a;

    assert_ok(drx_create(
        "x",
        &(drx_spec){
            .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE | DRX_CHECKSUM },
        &a));
    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        values[i] = (double)i + 1;
    assert_ok(drx_write(a, zero, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    free(values);
    before = bytes_asked_for();
    assert_ok(check("x"));
    after = bytes_asked_for();
    assert_told("128 of 128 chunks match their checksums, 0 do not");
    if (before < 0)
        skip();
    assert_true(after - before >= bytes);
    assert_true(after - before < bytes + bytes / 8);
}

/* ---- a byte that cannot be read ---- */

enum { CHUNKS = 4, PITCH_BYTES = 3 << 20, STEP_BYTES = 700001 };

static const struct drxi_io_ops *plain;
static struct drxi_io_ops struck;
static struct drxi_files files;
static int64_t unreadable; /* of the data */
static bool by_calls;      /* no read is sent */

static drx_status struck_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    if (offset <= unreadable && unreadable < offset + (int64_t)n)
        return drxi_fail(DRX_EIO, "%s: byte %lld cannot be read", io->path, (long long)unreadable);
    return plain->read(io, buf, n, offset, got);
}

static void struck_where(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *spot)
{
    plain->where(io, offset, manner, spot);
    if (offset == unreadable)
        spot->fd = -1;
    else if (offset < unreadable)
        spot->bytes = drxi_min(spot->bytes, unreadable - offset);
}

static drx_status open_struck(const char *path, enum drxi_how how, drxi_io **out)
{
    const drx_status st = drxi_posix.open(path, how, out);

    if (st || !strstr(path, ".xta"))
        return st;
    plain = (*out)->ops;
    struck = *plain;
    struck.read = struck_read;
    struck.where = struck_where;
    if (by_calls)
        (*out)->cost = (struct drxi_cost){ .mapped = true };
    (*out)->ops = &struck;
    return st;
}

/* Chunks of zeros, but for the first byte (bit 0 of the chunk's number) and the last one (bit 1). So what cannot be
 * read looks like what a hole holds. */
static void make_zeros(void)
{
    const int64_t size = PITCH_BYTES, shape[] = { CHUNKS * size };
    uint8_t *values = calloc((size_t)shape[0], 1);
    drx_array *a;

    for (int64_t q = 0; q < CHUNKS; q++) {
        values[q * size] = q & 1 ? 7 : 0;
        values[q * size + size - 1] = q & 2 ? 9 : 0;
    }
    assert_ok(drx_create(
        "x",
        &(drx_spec){
            .ndim = 1, .type = DRX_UINT8, .shape = shape, .chunk = &size, .flags = DRX_REPLACE | DRX_CHECKSUM },
        &a));
    assert_int_equal(a->data.chunk_pitch_bytes, size);
    assert_ok(drx_write(a, (int64_t[]){ 0 }, shape, DRX_ROW_MAJOR, values));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    free(values);
}

/* Reads are sent many at a time, or made one after the other; and wherever the byte is, its chunk alone is wrong. */
TEST(bytes_that_cannot_be_read)
{
    char named[100];

    make_zeros();
    files = drxi_posix;
    files.open = open_struck;
    drxi_files = &files;
    for (int way = 0; way < 2; way++) {
        by_calls = way == 1;
        unreadable = -1;
        assert_ok(check("x"));
        expect(&(struct verdict){ .verified = CHUNKS, .chunks = CHUNKS });
        for (unreadable = 0; unreadable < CHUNKS * PITCH_BYTES; unreadable += STEP_BYTES) {
            assert_status(check("x"), DRX_EDAMAGED);
            expect(&(struct verdict){ .verified = CHUNKS - 1, .chunks = CHUNKS, .wrong = 1 });
            (void)snprintf(named, sizeof named, "x.xta: byte %lld cannot be read", (long long)unreadable);
            assert_told(named);
        }
    }
    drxi_files = &drxi_anywhere;
}
