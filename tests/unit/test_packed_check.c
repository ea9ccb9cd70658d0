/* drx_check tells what readers of a compressed array would meet: payloads that have their checksum, but are no chunk;
 * payloads that overlap, or begin where none may. */
#include <blosc.h>
#include <fcntl.h>
#include <unistd.h>

#include "array/array.h"
#include "findings.h"
#include "format/crc.h"

enum { CHUNK = 64, CHUNKS = 3, N = CHUNK * CHUNKS, MOST_BYTES = 1024 };

static void make(const char *path, drx_codec codec, int64_t align)
{
    const int64_t shape[] = { N }, chunk[] = { CHUNK }, lo[] = { 0 };
    float in[N];
    drx_array *a;

    for (int i = 0; i < N; i++)
        in[i] = (float)(i / 4);
    assert_ok(drx_create(path,
                         &(drx_spec){ .ndim = 1,
                                      .type = DRX_FLOAT32,
                                      .shape = shape,
                                      .chunk = chunk,
                                      .codec = codec,
                                      .align = align,
                                      .flags = DRX_REPLACE },
                         &a));
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, in));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void put(const char *path, const char *suffix, const void *bytes, size_t n, int64_t at)
{
    char name[64];
    int fd;

    (void)snprintf(name, sizeof name, "%s.%s", path, suffix);
    fd = open(name, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, at), n);
    assert_int_equal(close(fd), 0);
}

/* The half of chunk q that counts, which is the k-th. */
static struct drxi_half half_of(const char *path, int64_t q, int *k, int64_t *end)
{
    struct drxi_entry e;
    drx_array *a;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    assert_ok(drxi_pack_entry(a->data.file->pack, q, &e));
    assert_ok(a->data.file->pack->payloads->ops->size(a->data.file->pack->payloads, end));
    assert_ok(drx_close(a));
    *k = drxi_entry_newer(&e);
    assert_true(*k >= 0);
    return e.half[*k];
}

static void put_half(const char *path, int64_t q, int k, const struct drxi_half *half)
{
    uint8_t bytes[DRXI_HALF_BYTES];

    drxi_half_encode(half, q, bytes);
    put(path, "xct", bytes, sizeof bytes, q * DRXI_ENTRY_BYTES + k * DRXI_HALF_BYTES);
}

/* Write a payload after all others, and let the half name it. */
static void name_payload(const char *path, const void *bytes, size_t n, int64_t at, struct drxi_half *half)
{
    put(path, "xtz", bytes, n, at);
    half->offset = at;
    half->length = (uint32_t)n;
    half->crc = drxi_crc32c(0, bytes, n);
}

static void check_is(const char *path, drx_status expected, const char *said)
{
    assert_status(check(path), expected);
    assert_told(said);
}

static drx_status read_chunk(const char *path, int64_t q, float out[CHUNK])
{
    drx_array *a;
    drx_status st;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    st = drx_read(a, (int64_t[]){ q * CHUNK }, (int64_t[]){ CHUNK }, DRX_ROW_MAJOR, out);
    (void)drx_close(a);
    return st;
}

enum { SHORTER, CUT, SCRAMBLED, NOTHING, KINDS };

static size_t wrong_frame(int kind, uint8_t out[MOST_BYTES])
{
    float in[CHUNK];
    int n;

    for (int i = 0; i < CHUNK; i++)
        in[i] = (float)(i / 4);
    n = blosc_compress_ctx(5, BLOSC_SHUFFLE, sizeof *in, kind == SHORTER ? sizeof in / 2 : sizeof in, in, out,
                           MOST_BYTES, "lz4", 0, 1);
    assert_true(n > DRXI_FRAME_HEAD_BYTES + 8);
    if (kind == CUT)
        return (size_t)n - 1;
    if (kind == SCRAMBLED)
        memset(out + DRXI_FRAME_HEAD_BYTES, 0xee, (size_t)n - DRXI_FRAME_HEAD_BYTES);
    if (kind == NOTHING)
        memset(out, 0, (size_t)n);
    return (size_t)n;
}

TEST(a_payload_that_is_no_chunk_is_told)
{
    for (int kind = 0; kind < KINDS; kind++) {
        uint8_t frame[MOST_BYTES];
        const size_t n = wrong_frame(kind, frame);
        float out[CHUNK];
        struct drxi_half half;
        int64_t end;
        int k;

        make("wrong", DRX_LZ4, 0);
        check_is("wrong", DRX_OK, "");
        half = half_of("wrong", 1, &k, &end);
        name_payload("wrong", frame, n, end, &half);
        put_half("wrong", 1, k, &half);
        assert_status(read_chunk("wrong", 1, out), DRX_ECHECKSUM);
        check_is("wrong", DRX_EDAMAGED, "chunk 1");
        check_is("wrong", DRX_EDAMAGED, "does not decompress");
        assert_ok(read_chunk("wrong", 2, out));
    }
}

/* One that was not synced yields to the half before it, for readers and for the check. */
TEST(a_payload_that_is_no_chunk_and_was_not_promised_is_passed_over)
{
    uint8_t frame[MOST_BYTES];
    const size_t n = wrong_frame(SCRAMBLED, frame);
    float out[CHUNK];
    struct drxi_half half;
    drx_array *a;
    int64_t end;
    int k;

    make("fallen", DRX_ZSTD, 0);
    half = half_of("fallen", 2, &k, &end);
    half.epoch += 2; /* more than the SYNC has */
    name_payload("fallen", frame, n, end, &half);
    put_half("fallen", 2, 1 - k, &half);
    assert_ok(read_chunk("fallen", 2, out));
    for (int i = 0; i < CHUNK; i++)
        assert_true(out[i] == (float)((2 * CHUNK + i) / 4));
    check_is("fallen", DRX_OK, "it is as of the last sync");
    assert_ok(drx_open("fallen", DRX_RDWR, &a)); /* which empties the half, and promises the rest */
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    check_is("fallen", DRX_OK, "");
    assert_ok(read_chunk("fallen", 2, out));
    assert_true(out[CHUNK - 1] == (float)((3 * CHUNK - 1) / 4));
}

TEST(payloads_that_overlap_are_told)
{
    struct drxi_half first, second;
    int64_t end;
    float out[CHUNK];
    int k;

    make("overlapping", DRX_ZLIB, 0);
    first = half_of("overlapping", 0, &k, &end);
    second = half_of("overlapping", 2, &k, &end);
    second.offset = first.offset;
    second.length = first.length;
    second.crc = first.crc;
    put_half("overlapping", 2, k, &second);
    assert_ok(read_chunk("overlapping", 2, out)); /* nothing else tells */
    check_is("overlapping", DRX_EDAMAGED, "the payload of chunk 2, at offset 0, begins before that of chunk 0 ends");
}

TEST(a_payload_that_begins_elsewhere_is_told)
{
    const size_t whole = CHUNK * sizeof(float) + DRXI_FRAME_HEAD_BYTES;
    uint8_t frame[MOST_BYTES] = { 0 };
    struct drxi_half half;
    int64_t end;
    int k;

    for (int shift = 0; shift < 16; shift += 8) { /* open */
        make("shifted", DRX_LZ4, 0);
        half = half_of("shifted", 1, &k, &end);
        drxi_frame_open(sizeof(float), CHUNK * sizeof(float), frame);
        name_payload("shifted", frame, whole, (end + 15) / 16 * 16 + shift, &half);
        half.open = true;
        half.crc = 0;
        put_half("shifted", 1, k, &half);
        check_is("shifted", shift ? DRX_EDAMAGED : DRX_OK, shift ? "the entry of chunk 1" : "");
    }
    for (int shift = 0; shift < 16; shift += 8) {     /* closed */
        const size_t n = wrong_frame(CUT, frame) + 1; /* a right one */

        make("shifted", DRX_LZ4, 64);
        half = half_of("shifted", 1, &k, &end);
        name_payload("shifted", frame, n, (end + 63) / 64 * 64 + shift, &half);
        put_half("shifted", 1, k, &half);
        check_is("shifted", shift ? DRX_EDAMAGED : DRX_OK, shift ? "the entry of chunk 1" : "");
    }
}
