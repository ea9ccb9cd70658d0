/* drx_check verifies checksums from the bytes that it reads anyway, and says of random arrays what a plain reader of
 * the two files says: with holes, padding, elements that no block of the disk holds whole, damage, lost ends, and
 * entries from before a power cut. It never verifies a chunk that has a byte which cannot be read. */
#include <fcntl.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "bytes.h"
#include "data/sums.h"
#include "drx_tools.h"
#include "format/crc.h"
#include "testing.h"

enum { HISTORIES = 40, TEXT_BYTES = 1 << 14 };

static uint64_t seed;

static struct {
    int n[DRX_ERROR + 1];
    char text[TEXT_BYTES];
} found;

static void note(void *user, drx_severity severity, const char *text)
{
    const size_t used = strlen(found.text);

    (void)user;
    found.n[severity]++;
    (void)snprintf(found.text + used, sizeof found.text - used, "%s\n", text);
}

static drx_status check(void)
{
    memset(&found, 0, sizeof found);
    return drx_check("x", note, NULL, NULL, NULL);
}

static const drx_type types[] = { DRX_INT32, DRX_COMPLEX128, DRX_BYTES(7), DRX_BYTES(4096) };

static drx_array *make_random(void)
{
    const drx_type type = types[random_below(&seed, 4)];
    const int64_t item = (int64_t)drx_type_size(type), most = item > 100 ? 30 : 900;
    const int64_t chunk[] = { 1 + random_below(&seed, most > 30 ? 64 : 4), 1 + random_below(&seed, most / 3) };
    const int64_t shape[] = { 1 + random_below(&seed, most), 1 + random_below(&seed, most) };
    const int64_t aligns[] = { 1, 32, 4096 };
    const int32_t fill = 77;
    drx_array *a;

    assert_ok(drx_create("x",
                         &(drx_spec){ .ndim = 2,
                                      .type = type,
                                      .shape = shape,
                                      .chunk = chunk,
                                      .align = aligns[random_below(&seed, 3)],
                                      .fill = type == DRX_INT32 && random_below(&seed, 2) ? &fill : NULL,
                                      .flags = DRX_REPLACE | DRX_CHECKSUM },
                         &a));
    return a;
}

static void write_some(drx_array *a)
{
    const size_t item = a->data.item_bytes;
    int64_t lo[2], count[2];
    uint8_t *values;
    size_t n;

    for (int j = 0; j < 2; j++) {
        lo[j] = drx_lower(a)[j] + random_below(&seed, drx_shape(a)[j]);
        count[j] = 1 + random_below(&seed, drx_lower(a)[j] + drx_shape(a)[j] - lo[j]);
    }
    n = (size_t)(count[0] * count[1]) * item;
    values = malloc(n);
    for (size_t i = 0; i < n; i++)
        values[i] = (uint8_t)random_next(&seed);
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, values));
    free(values);
}

static void change(drx_array *a)
{
    for (int i = 0; i < 6; i++) {
        const int axis = (int)random_below(&seed, 2);
        const int64_t by = 1 + random_below(&seed, drx_shape(a)[axis] / 4 + 1);

        switch (random_below(&seed, 5)) {
        case 0:
            assert_ok(drx_extend(a, axis, by));
            break;
        case 1:
            if (by < drx_shape(a)[axis])
                assert_ok(drx_trim(a, axis, 0, by));
            break;
        case 2:
            assert_ok(drx_sync(a));
            break;
        default:
            write_some(a);
            break;
        }
    }
}

static void damage(bool synced)
{
    const int64_t bytes = length_of("x.xta");

    for (int i = 0; i < 3; i++) {
        const int64_t at = random_below(&seed, bytes);
        const int fd = open("x.xta", O_RDONLY);
        uint8_t old;

        assert_int_equal(pread(fd, &old, 1, at), 1);
        assert_int_equal(close(fd), 0);
        put_byte("x.xta", at, old ^ 0x40);
    }
    if (!synced && random_below(&seed, 2))
        assert_int_equal(truncate("x.xta", bytes - random_below(&seed, bytes / 2 + 1)), 0);
}

struct verdict {
    long long verified, chunks, wrong;
};

/* The bytes of a file, to be freed. */
static uint8_t *load_all(const char *name, int64_t *n)
{
    const int fd = open(name, O_RDONLY);
    uint8_t *p;

    assert_true(fd >= 0);
    *n = length_of(name);
    p = malloc((size_t)*n + 1);
    assert_int_equal(pread(fd, p, (size_t)*n, 0), *n);
    assert_int_equal(close(fd), 0);
    return p;
}

/* What the two files hold, chunk by chunk. */
static struct verdict plain_verdict(drx_array *a)
{
    const int64_t pitch = a->data.chunk_pitch_bytes, size = a->data.chunk_bytes, item = (int64_t)a->data.item_bytes;
    int64_t data_bytes, sums_bytes;
    uint8_t *const data = load_all("x.xta", &data_bytes), *const sums = load_all("x.xcs", &sums_bytes);
    uint8_t *const chunk = malloc((size_t)size);
    struct verdict v = { 0, a->log.state.map.chunks, 0 };
    uint8_t fill[DRX_MAX_STRING_BYTES];

    memcpy(fill, a->log.state.desc.fill, (size_t)item);
    drxi_swap(fill, (size_t)item, drx_dtype(a));
    for (int64_t q = 0; q < a->log.state.map.chunks; q++) {
        struct drxi_sum sum = { 0, 0 };
        int64_t index[2], there;
        bool same;

        if (drx_chunk_index(a, q, index)) {
            v.chunks--;
            continue;
        }
        if (8 * (q + 1) <= sums_bytes)
            sum = (struct drxi_sum){ drxi_get32(sums + 8 * q), drxi_get32(sums + 8 * q + 4) };
        if (drxi_sum_kind(&sum) != DRXI_SUM_VALID && drxi_sum_kind(&sum) != DRXI_SUM_WRITTEN)
            continue;
        there = data_bytes - q * pitch;
        there = there < 0 ? 0 : there > size ? size : there - there % item;
        if (there > 0)
            memcpy(chunk, data + q * pitch, (size_t)there);
        for (int64_t i = there; i < size; i += item)
            memcpy(chunk + i, fill, (size_t)item);
        same = drxi_crc32c(0, chunk, (size_t)size) == sum.crc;
        v.verified += same;
        v.wrong += !same && drxi_sum_counts(a->data.file->sums, &sum);
    }
    free(chunk);
    free(data);
    free(sums);
    return v;
}

static void expect(const struct verdict *v)
{
    char text[200];

    (void)snprintf(text, sizeof text, "x.xcs: %lld of %lld chunks match their checksums, %lld do not\n", v->verified,
                   v->chunks, v->wrong);
    if (!strstr(found.text, text))
        print_error("\"%s\" expected in: %s\n", text, found.text);
    assert_non_null(strstr(found.text, text));
}

TEST(random_histories)
{
    int damaged = 0;

    seed = starting_seed(0);
    for (int i = 0; i < HISTORIES; i++) {
        drx_array *a = make_random();
        struct verdict v;
        drx_status st;

        change(a);
        assert_ok(drx_close(a));
        assert_ok(drx_open("x", DRX_RDONLY, &a));
        if (random_below(&seed, 2))
            damage(a->log.state.synced_chunks > 0);
        drxi_hooks.other_boot = random_below(&seed, 4) ? 0 : 4711;
        drxi_hooks.cache = random_below(&seed, 2) ? DRXI_DIRECT : DRXI_CACHED;
        drxi_hooks.no_ring = random_below(&seed, 2);
        drx_set_memory(random_below(&seed, 3) ? 0 : 4 << 20);
        st = check();
        assert_true(st == DRX_OK || st == DRX_EDAMAGED);
        assert_ok(drx_close(a));
        if (drx_open("x", DRX_RDONLY, &a) == DRX_OK) {
            v = plain_verdict(a);
            expect(&v);
            assert_true(v.wrong == 0 || st == DRX_EDAMAGED);
            damaged += v.wrong > 0;
            assert_ok(drx_close(a));
        }
        drxi_hooks.other_boot = 0;
        drxi_hooks.cache = DRXI_AS_FITS;
        drxi_hooks.no_ring = false;
        drx_set_memory(0);
    }
    assert_true(damaged > HISTORIES / 20);
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
    assert_ok(check());
    after = bytes_asked_for();
    assert_non_null(strstr(found.text, "128 of 128 chunks match their checksums, 0 do not"));
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
        assert_ok(check());
        expect(&(struct verdict){ .verified = CHUNKS, .chunks = CHUNKS });
        for (unreadable = 0; unreadable < CHUNKS * PITCH_BYTES; unreadable += STEP_BYTES) {
            assert_status(check(), DRX_EDAMAGED);
            expect(&(struct verdict){ .verified = CHUNKS - 1, .chunks = CHUNKS, .wrong = 1 });
            (void)snprintf(named, sizeof named, "x.xta: byte %lld cannot be read", (long long)unreadable);
            assert_non_null(strstr(found.text, named));
        }
    }
    drxi_files = &drxi_anywhere;
}
