/* Compressed arrays: chunks are open or compressed as they should be. That every kind of call gives what a raw array
 * gives, tests/model tells. */
#include <blosc.h>

#include "bytes.h"
#include "drx_tools.h"
#include "types/types.h"

static drx_array *make(const char *path, int ndim, const int64_t shape[], const int64_t chunk[], const float *fill,
                       drx_codec codec)
{
    drx_array *a = NULL;

    assert_ok(drx_create(path,
                         &(drx_spec){ .ndim = ndim,
                                      .type = DRX_FLOAT32,
                                      .shape = shape,
                                      .chunk = chunk,
                                      .fill = fill,
                                      .codec = codec,
                                      .flags = DRX_REPLACE },
                         &a));
    return a;
}

static void ramp(float *v, int64_t n, int seed)
{
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)(i / 3 + seed);
}

static drx_packing packing(drx_array *a)
{
    drx_packing p;

    assert_ok(drx_packing_of(a, &p));
    return p;
}

/* Each codec and shuffle that has a name can be written, and what was written opens; the same of types. */
TEST(what_has_a_name_opens)
{
    const int64_t two[] = { 2 };
    drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = two, .chunk = two, .flags = DRX_REPLACE };
    drx_array *a;

    for (int codec = 0; drx_codec_name((drx_codec)codec); codec++)
        for (int shuffle = 0; drx_shuffle_name((drx_shuffle)shuffle) && (codec > 0 || shuffle == 0); shuffle++) {
            spec.codec = (drx_codec)codec;
            spec.shuffle = (drx_shuffle)shuffle;
            assert_int_equal(drx_codec_named(drx_codec_name(spec.codec)), codec);
            assert_true(codec == DRX_RAW || strstr(drx_codec_names(), drx_codec_name(spec.codec)));
            assert_int_equal(drx_shuffle_named(drx_shuffle_name(spec.shuffle)), shuffle);
            assert_ok(drx_create("named", &spec, &a));
            assert_ok(drx_close(a));
            assert_ok(drx_open("named", DRX_RDONLY, &a));
            assert_ok(drx_close(a));
        }
    spec.codec = DRX_RAW;
    spec.shuffle = DRX_SHUFFLE_AUTO;
    for (int type = 1; drx_type_size((drx_type)type) > 0; type++) {
        spec.type = (drx_type)type;
        assert_int_equal(drx_type_named(drx_type_name(spec.type)), type);
        assert_ok(drx_create("named", &spec, &a));
        assert_ok(drx_close(a));
        assert_ok(drx_open("named", DRX_RDONLY, &a));
        assert_int_equal(drx_dtype(a), type);
        assert_ok(drx_close(a));
    }
}

TEST(thin_slabs_leave_the_edge_open_and_close_it_once)
{
    float slab[20 * 20], out[20 * 20], fill = 7;
    const int64_t shape[] = { 0, 20 }, chunk[] = { 8, 16 };
    drx_array *a = make("thin", 2, shape, chunk, &fill, DRX_LZ4);

    for (int i = 0; i < 20; i++) {
        ramp(slab, 20, i);
        assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab));
        if (i == 5)
            assert_ok(drx_sync(a));
        assert_int_equal(packing(a).open_chunks, (i + 1) % 8 ? 2 : 0);
        assert_int_equal(packing(a).compressed_chunks, (i + 1) / 8 * 2);
    }
    /* of the four open payloads that were closed, and what lies between */
    assert_in_range(packing(a).dead_bytes, 4 * (8 * 16 * 4 + 16), 4 * (8 * 16 * 4 + 16) + 8 * 16);
    for (int turn = 0; turn < 3; turn++) {
        assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, (int64_t[]){ 20, 20 }, DRX_ROW_MAJOR, out));
        for (int i = 0; i < 20; i++) {
            ramp(slab, 20, i);
            assert_memory_equal(out + 20 * i, slab, 20 * sizeof *slab);
        }
        assert_ok(turn == 0 ? drx_sync(a) : turn == 1 ? drx_compact(a) : DRX_OK);
    }
    assert_int_equal(packing(a).open_chunks, 0);
    assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab)); /* opens the edge again */
    assert_int_equal(packing(a).open_chunks, 2);
    assert_ok(drx_read(a, (int64_t[]){ 16, 0 }, (int64_t[]){ 5, 20 }, DRX_ROW_MAJOR, out));
    assert_memory_equal(out + 60, slab, 20 * sizeof *slab);
    assert_memory_equal(out + 80, slab, 20 * sizeof *slab);
    assert_ok(drx_close(a));
    assert_ok(drx_check("thin", NULL, NULL, NULL, NULL));
}

/* So a slab of whole pages is written as whole pages. */
TEST(elements_of_a_large_open_chunk_begin_at_a_page)
{
    static float slab[3 * 256], out[3 * 256];
    const int64_t shape[] = { 0, 3, 256 }, chunk[] = { 256, 1, 256 };
    drx_array *a = make("paged", 3, shape, chunk, NULL, DRX_ZSTD);

    ramp(slab, 3 * 256, 1);
    for (int i = 0; i < 3; i++)
        assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab));
    for (int j = 0; j < 3; j++) {
        drx_place place;

        assert_ok(drx_chunk_place(a, (int64_t[]){ 0, j, 0 }, &place));
        assert_true(place.is_open);
        assert_int_equal((place.offset + 16) % 4096, 0);
    }
    assert_ok(drx_read(a, (int64_t[]){ 2, 0, 0 }, (int64_t[]){ 1, 3, 256 }, DRX_ROW_MAJOR, out));
    assert_memory_equal(out, slab, sizeof slab);
    assert_ok(drx_close(a));
    assert_ok(drx_check("paged", NULL, NULL, NULL, NULL));
}

/* What the spec says of an open payload: any decoder of Blosc reads it. */
TEST(open_and_closed_payloads_are_frames_of_blosc)
{
    float slab[32], out[128];
    const int64_t shape[] = { 0, 32 }, chunk[] = { 4, 32 };
    drx_array *a = make("frames", 2, shape, chunk, NULL, DRX_ZSTD);
    uint8_t bytes[2048];
    size_t n, got;
    FILE *f;

    for (int i = 0; i < 6; i++) {
        ramp(slab, 32, i);
        assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab));
    }
    assert_ok(drx_close(a));
    f = fopen("frames.xtz", "rb");
    assert_non_null(f);
    got = fread(bytes, 1, sizeof bytes, f);
    assert_int_equal(fclose(f), 0);
    assert_true(got > 2 * 528 && got < sizeof bytes);
    for (int k = 0; k < 3; k++) { /* open; closed; open */
        static const int rows[] = { 4, 4, 2 };
        uint8_t entry[64];
        int64_t at;
        int length;

        f = fopen("frames.xct", "rb");
        assert_non_null(f);
        assert_int_equal(fread(entry, 1, 64, f), 64);
        if (k == 2)
            assert_int_equal(fread(entry, 1, 64, f), 64);
        assert_int_equal(fclose(f), 0);
        if (k == 0) /* the closing went into the same half, which was not synced */
            continue;
        at = (int64_t)drxi_get64(entry + 16);
        length = (int)(drxi_get32(entry + 24) & INT32_MAX);
        assert_int_equal(blosc_cbuffer_validate(bytes + at, (size_t)length, &n), 0);
        assert_int_equal(n, 512);
        assert_int_equal(blosc_decompress_ctx(bytes + at, out, 512, 1), 512);
        drxi_swap(out, 512, DRX_FLOAT32);
        for (int i = 0; i < rows[k]; i++) {
            ramp(slab, 32, i + (k == 2 ? 4 : 0));
            assert_memory_equal(out + 32 * i, slab, sizeof slab);
        }
    }
}

/* Thin slabs leave a raw payload behind for each chunk. */
TEST(compacting_gives_back_what_was_replaced)
{
    enum { ROWS = 64, COLUMNS = 1024 };
    static float slab[COLUMNS], out[COLUMNS];
    const int64_t shape[] = { 0, COLUMNS }, chunk[] = { 16, COLUMNS };
    drx_array *a = make("compacted", 2, shape, chunk, NULL, DRX_ZSTD), *reader;
    drx_packing before, after;

    for (int i = 0; i < ROWS; i++) {
        ramp(slab, COLUMNS, i);
        assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab));
        if (i == 10) { /* looks at an open chunk, later closed, later gone */
            assert_ok(drx_open("compacted", DRX_RDONLY, &reader));
            assert_ok(drx_read(reader, (int64_t[]){ 3, 0 }, (int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, out));
        }
    }
    before = packing(a);
    assert_true(before.dead_bytes >= (ROWS / 16) * 16 * COLUMNS * 4);
    assert_ok(drx_compact(a));
    after = packing(a);
    assert_int_equal(after.stored_bytes, before.stored_bytes);
    assert_true(after.dead_bytes < before.dead_bytes / 4);
    assert_int_equal(after.compressed_chunks, ROWS / 16);
    for (int i = 0; i < ROWS; i++) {
        ramp(slab, COLUMNS, i);
        assert_ok(drx_read(a, (int64_t[]){ i, 0 }, (int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, out));
        assert_memory_equal(out, slab, sizeof slab);
        if (i > 10)
            continue;
        assert_ok(drx_read(reader, (int64_t[]){ i, 0 }, (int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, out));
        assert_memory_equal(out, slab, sizeof slab);
    }
    assert_ok(drx_close(reader));
    assert_ok(drx_close(a));
    assert_ok(drx_check("compacted", NULL, NULL, NULL, NULL));
}

TEST(what_cannot_be_is_refused)
{
    const int64_t shape[] = { 8 }, huge[] = { INT64_C(1) << 29 };
    drx_spec spec = { .ndim = 1, .type = DRX_FLOAT32, .shape = shape, .codec = DRX_LZ4 };
    drx_array *a;

    spec.flags = DRX_CHECKSUM;
    assert_int_equal(drx_create("refused", &spec, &a), DRX_EINVAL);
    assert_non_null(strstr(drx_last_error(), "DRX_CHECKSUM"));
    spec.flags = 0, spec.nstripes = 1, spec.stripes = (const char *const[]){ "." };
    assert_int_equal(drx_create("refused", &spec, &a), DRX_EUNSUPPORTED);
    spec.nstripes = 0, spec.stripes = NULL, spec.level = 10;
    assert_int_equal(drx_create("refused", &spec, &a), DRX_EINVAL);
    spec.level = 0, spec.codec = (drx_codec)9;
    assert_int_equal(drx_create("refused", &spec, &a), DRX_EINVAL);
    spec.codec = DRX_RAW, spec.level = 3;
    assert_int_equal(drx_create("refused", &spec, &a), DRX_EINVAL);
    spec.level = 0, spec.codec = DRX_ZLIB, spec.chunk = huge;
    assert_int_equal(drx_create("refused", &spec, &a), DRX_EINVAL);
    spec.chunk = NULL;
    assert_ok(drx_create("refused", &spec, &a));
    assert_ok(drx_close(a));
    assert_ok(drx_remove("refused"));
    assert_int_equal(access("refused.xtz", F_OK), -1);
    assert_int_equal(access("refused.xct", F_OK), -1);
}

static drx_status read_again(const char *path, float out[64])
{
    drx_array *a;
    drx_status st;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    st = drx_read(a, (int64_t[]){ 0 }, (int64_t[]){ 64 }, DRX_ROW_MAJOR, out);
    if (st == DRX_OK)
        assert_ok(drx_close(a));
    else
        (void)drx_close(a);
    return st;
}

/* Whichever byte of an entry or of a payload changes, nobody gets other elements, nor older ones. */
TEST(damage_is_told)
{
    const int64_t shape[] = { 64 }, chunk[] = { 64 }, lo[] = { 0 };
    float in[64], out[64];
    int64_t n;
    drx_array *a = make("rotten", 1, shape, chunk, NULL, DRX_LZ4);

    for (int turn = 0; turn < 2; turn++) { /* two synced halves */
        ramp(in, 64, turn);
        assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, in));
        assert_ok(drx_sync(a));
    }
    n = packing(a).stored_bytes;
    assert_true(n < packing(a).dead_bytes + n);
    assert_ok(drx_close(a));
    for (int at = 32; at < 64; at++) { /* the newer half is the second one */
        flip("rotten.xct", at, 0x10);
        assert_status(read_again("rotten", out), DRX_EDAMAGED);
        assert_status(drx_check("rotten", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
        flip("rotten.xct", at, 0x10);
    }
    for (int64_t at = 0; at < n; at++) {
        flip("rotten.xtz", n + at, 0x10);
        assert_status(read_again("rotten", out), DRX_ECHECKSUM);
        assert_detail("chunk 0");
        assert_status(drx_check("rotten", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
        flip("rotten.xtz", n + at, 0x10);
    }
    assert_ok(read_again("rotten", out));
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(truncate("rotten.xct", 0), 0);
    assert_status(drx_open("rotten", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_status(drx_check("rotten", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
    assert_int_equal(unlink("rotten.xct"), 0);
    assert_status(drx_open("rotten", DRX_RDONLY, &a), DRX_ENOENT);
    assert_detail("rotten.xct");
}

/* A frame says how large its items are. Reads of parts must not believe it. */
TEST(a_frame_of_other_items_overflows_nothing)
{
    const int64_t shape[] = { 4096 }, lo[] = { 0 }, part[] = { 64 };
    static float in[4096], guarded[4096];
    drx_array *a = make("items", 1, shape, shape, NULL, DRX_ZSTD);
    int fd;

    ramp(in, 4096, 1);
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, in));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    fd = open("items.xtz", O_RDWR);
    assert_int_equal(pwrite(fd, &(uint8_t){ 255 }, 1, 3), 1);
    (void)close(fd);
    for (int i = 0; i < 4096; i++)
        guarded[i] = -7;
    assert_ok(drx_open("items", DRX_RDONLY, &a));
    assert_status(drx_read(a, lo, part, DRX_ROW_MAJOR, guarded), DRX_ECHECKSUM);
    for (int i = 64; i < 4096; i++)
        assert_true(guarded[i] == -7);
    assert_ok(drx_close(a));
}

/* A copy with memory for less than a chunk leaves none open. */
TEST(a_copy_within_little_memory_is_compressed)
{
    const int64_t shape[] = { 2048, 1024 }, chunk[] = { 1023, 1024 }, lo[] = { 0, 0 };
    static float in[2048 * 1024], out[2048 * 1024];
    drx_array *a = make(NULL, 2, shape, chunk, NULL, DRX_RAW), *b;

    ramp(in, 2048 * 1024, 3);
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, in));
    assert_ok(drx_copy(a, NULL, &(drx_copy_spec){ .codec = DRX_LZ4, .memory_bytes = 1 << 20 }, &b));
    assert_int_equal(packing(b).open_chunks, 0);
    assert_ok(drx_read(b, lo, shape, DRX_ROW_MAJOR, out));
    assert_memory_equal(in, out, sizeof in);
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
}
