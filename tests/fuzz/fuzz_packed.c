/* The payloads and the table of a compressed array: reading in whole and in parts, checking, recovery, writing,
 * compacting.
 *
 * Input: a byte of flags, then changes of the files of an array that was made before: a byte whose lowest bit is set
 * for `.xtz`, the offset (u16), a length (u8), and this many bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "format/crc.h"
#include "fuzz.h"
#include "pack/pack.h"

enum { CODEC = 3, LARGE = 4, SEAL = 8, SEAL_PAYLOADS = 16, WRITE = 32 };
enum { SMALL_CHUNK = 8, LARGE_CHUNK = 96, MOST_FILE_BYTES = 1 << 18, KINDS = 8, MOST_ITEMS = 3 * 96 * 2 * 96 };
enum { META, TABLE, PAYLOADS, FILES };

static const char *const names[FILES] = { "a.xmd", "a.xct", "a.xtz" };

struct file {
    uint8_t *bytes;
    size_t n;
};

struct made {
    struct file file[FILES];
    int64_t shape[2];
};

static int32_t value_at(int64_t i)
{
    return (int32_t)(i / 5 * 1000 + i * i % 7);
}

static struct file load(const char *name)
{
    FILE *in = fopen(name, "rb");
    struct file f = { malloc(MOST_FILE_BYTES), 0 };

    fuzz_require(in && f.bytes);
    f.n = fread(f.bytes, 1, MOST_FILE_BYTES, in);
    fuzz_require(f.n < MOST_FILE_BYTES && fclose(in) == 0);
    return f;
}

static void write_box(drx_array *a, const int64_t lo[], const int64_t count[])
{
    static int32_t values[MOST_ITEMS];

    for (int64_t i = 0; i < count[0] * count[1]; i++)
        values[i] = value_at(i);
    fuzz_require(drx_write(a, lo, count, DRX_ROW_MAJOR, values) == DRX_OK);
}

#define EACH(name, ...) DRX_##name,

/* Closed chunks, one of them with two halves, and open ones; some are not synced. */
static void make(struct made *m, unsigned flags)
{
    static const drx_codec codecs[] = { DRX_CODEC_LIST(EACH) };
    _Static_assert(sizeof codecs / sizeof *codecs <= CODEC + 1, "the flags have a number for each");
    static const drx_shuffle shuffles[] = { DRX_SHUFFLE_BYTE, DRX_SHUFFLE_BYTE, DRX_SHUFFLE_NONE, DRX_SHUFFLE_BIT };
    const int64_t extent = flags & LARGE ? LARGE_CHUNK : SMALL_CHUNK;
    const int64_t chunk[2] = { extent, extent }, shape[2] = { extent, 2 * extent - 3 };
    static int32_t row[2 * LARGE_CHUNK];
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = shape,
                            .chunk = chunk,
                            .codec = codecs[(flags & CODEC) % (sizeof codecs / sizeof *codecs)],
                            .shuffle = shuffles[flags & CODEC],
                            .level = flags & LARGE ? 1 : 5 };
    drx_array *a;

    fuzz_require(drx_create("a", &spec, &a) == DRX_OK);
    write_box(a, (int64_t[]){ 0, 0 }, shape);
    fuzz_require(drx_sync(a) == DRX_OK);
    write_box(a, (int64_t[]){ 0, 0 }, (int64_t[]){ extent, extent });
    fuzz_require(drx_append(a, 0, 1, DRX_ROW_MAJOR, row) == DRX_OK);
    memcpy(m->shape, drx_shape(a), sizeof m->shape);
    fuzz_require(drx_close(a) == DRX_OK);
    for (int i = 0; i < FILES; i++)
        m->file[i] = load(names[i]);
    fuzz_clear_scratch();
}

/* The files that were made of these flags, as they are to be changed. */
static void copy_made(unsigned flags, struct made *out)
{
    static struct made made[KINDS];
    struct made *m = &made[flags & (CODEC | LARGE)];

    if (!m->file[0].bytes)
        make(m, flags);
    *out = *m;
    for (int i = 0; i < FILES; i++) {
        out->file[i].bytes = calloc(1, MOST_FILE_BYTES);
        fuzz_require(out->file[i].bytes);
        memcpy(out->file[i].bytes, m->file[i].bytes, m->file[i].n);
    }
}

static void change_files(struct fuzz_input *in, struct made *m)
{
    while (in->left > 0) {
        struct file *f = &m->file[fuzz_number(in, 1) & 1 ? PAYLOADS : TABLE];
        const size_t at = fuzz_number(in, 2);
        size_t n = fuzz_number(in, 1);
        uint8_t *bytes = fuzz_bytes(in, &n);

        memcpy(f->bytes + at, bytes, n);
        f->n = at + n > f->n && n > 0 ? at + n : f->n;
        free(bytes);
    }
}

/* Make the sums of the half right, and that of its payload. */
static void seal_half(struct made *m, size_t at, bool payload)
{
    const struct file *payloads = &m->file[PAYLOADS];
    uint8_t *bytes = m->file[TABLE].bytes + at;
    const uint32_t length = drxi_get32(bytes + 24);
    struct drxi_half half = { .epoch = drxi_get32(bytes + 8),
                              .offset = (int64_t)drxi_get64(bytes + 16),
                              .length = length & INT32_MAX,
                              .open = length >> 31 != 0,
                              .crc = drxi_get32(bytes + 28) };

    if (payload && !half.open && half.offset >= 0 && (uint64_t)half.offset < payloads->n &&
        half.length <= payloads->n - (size_t)half.offset)
        half.crc = drxi_crc32c(0, payloads->bytes + half.offset, half.length);
    drxi_half_encode(&half, (int64_t)(at / DRXI_ENTRY_BYTES), bytes);
}

static void seal(struct made *m, bool payloads)
{
    for (size_t at = 0; at + DRXI_HALF_BYTES <= m->file[TABLE].n; at += DRXI_HALF_BYTES)
        if (!drxi_is_zero(m->file[TABLE].bytes + at, 8))
            seal_half(m, at, payloads);
}

static void count_finding(void *user, drx_severity severity, const char *text)
{
    fuzz_require(text[0]);
    *(int *)user += severity == DRX_ERROR;
}

/* Whether a check finds no error. */
static bool is_good(void)
{
    int errors = 0;
    const drx_status st = drx_check("a", count_finding, &errors, NULL, NULL);

    fuzz_require((st == DRX_EDAMAGED) == (errors > 0));
    return st == DRX_OK;
}

/* Parts of the whole that was read, in several ways. `verified`: all of them have to agree with it. */
static void read_parts(drx_array *a, const struct made *m, const int32_t *whole, bool verified)
{
    static int32_t part[MOST_ITEMS];

    drx_set_verify(verified);
    for (int64_t at = 0; at < 12; at++) {
        const int64_t lo[2] = { at * 7 % m->shape[0], at * 5 % m->shape[1] };
        const int64_t count[2] = { 1 + at % 3 * (m->shape[0] - lo[0] - 1) / 2,
                                   1 + at % 4 * (m->shape[1] - lo[1] - 1) / 3 };
        const drx_status st = drx_read(a, lo, count, DRX_ROW_MAJOR, part);
        int32_t one = 0, point = 0;

        if (verified)
            fuzz_require(st == DRX_OK);
        for (int64_t i = 0; verified && i < count[0]; i++)
            fuzz_require(memcmp(part + i * count[1], whole + (lo[0] + i) * m->shape[1] + lo[1],
                                (size_t)count[1] * sizeof *part) == 0);
        fuzz_require(drx_get(a, lo, &one) == DRX_OK || !verified);
        fuzz_require(drx_read_points(a, 1, lo, &point) == DRX_OK || !verified);
        if (verified)
            fuzz_require(one == part[0] && point == part[0]);
    }
    drx_set_verify(0);
}

/* Whether all of it can be read. */
static bool look(const struct made *m)
{
    static int32_t whole[MOST_ITEMS];
    drx_array *a;
    drx_status st = drx_open("a", DRX_RDONLY, &a);

    if (st)
        return false;
    read_parts(a, m, whole, false);
    st = drx_read(a, (int64_t[]){ 0, 0 }, m->shape, DRX_ROW_MAJOR, whole);
    if (st == DRX_OK)
        read_parts(a, m, whole, true);
    (void)drx_close(a);
    return st == DRX_OK;
}

/* Write all of it. */
static drx_status write_all(drx_array *a, const struct made *m)
{
    static int32_t values[MOST_ITEMS];
    drx_status st;

    for (int64_t i = 0; i < m->shape[0] * m->shape[1]; i++)
        values[i] = value_at(i);
    st = drx_put(a, (int64_t[]){ m->shape[0] / 2, 0 }, values);
    if (!st)
        st = drx_write(a, (int64_t[]){ 0, 0 }, m->shape, DRX_ROW_MAJOR, values);
    return st ? st : drx_sync(a);
}

static void require_written(drx_array *a, const struct made *m)
{
    static int32_t values[MOST_ITEMS];

    fuzz_require(drx_read(a, (int64_t[]){ 0, 0 }, m->shape, DRX_ROW_MAJOR, values) == DRX_OK);
    for (int64_t i = 0; i < m->shape[0] * m->shape[1]; i++)
        fuzz_require(values[i] == value_at(i));
}

/* What was good before is as it was written afterwards. */
static void write_to(const struct made *m)
{
    const bool good = is_good();
    drx_array *a;

    if (drx_open("a", DRX_RDWR, &a)) /* a file would be too long */
        return;
    if (write_all(a, m) == DRX_OK && good) {
        require_written(a, m);
        fuzz_require(drx_compact(a) == DRX_OK);
        require_written(a, m);
    }
    if (drx_close(a) == DRX_OK && good)
        fuzz_require(is_good());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    const unsigned flags = (unsigned)fuzz_number(&in, 1);
    struct made m;

    drxi_hooks.reclaiming = (struct drxi_reclaiming){ 1, 1 };
    fuzz_limit_allocations(n + MOST_FILE_BYTES);
    copy_made(flags, &m);
    change_files(&in, &m);
    if (flags & SEAL)
        seal(&m, flags & SEAL_PAYLOADS);
    for (int i = 0; i < FILES; i++)
        fuzz_write_file(names[i], m.file[i].bytes, m.file[i].n);
    fuzz_require(look(&m) || !is_good());
    if (flags & WRITE)
        write_to(&m);
    fuzz_clear_scratch();
    for (int i = 0; i < FILES; i++)
        free(m.file[i].bytes);
    return 0;
}
