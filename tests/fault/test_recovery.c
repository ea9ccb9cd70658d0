/* Cuts and changes the two files of a scene as a crash, a power cut or damage can. The array opens at a committed
 * state or the error says what is wrong; no uncommitted element appears. tests/crash cuts the power at each moment;
 * tests/golden has arrays whose promised bytes are missing. */
#include <unistd.h>

#include "bytes.h"
#include "drx_tools.h"
#include "format/format.h"
#include "scene.h"

/* The files as they were after a step. */
struct snapshot {
    struct bytes meta, data;
    struct model model;
};

static struct snapshot after[SCENE_STEPS];
static const int last_step = SCENE_STEPS - 2; /* before the closing */
static int32_t scene_fill;

/* `n` bytes of the log after step `i`, the data as after step `j`. */
static void lay(int i, size_t n, int j)
{
    store("cut.xmd", after[i].meta.p, n);
    store("cut.xta", after[j].data.p, after[j].data.n);
}

static void lay_changed(int i, size_t at, uint8_t change)
{
    struct bytes log = after[i].meta;

    log.p[at] ^= change;
    lay(i, log.n, i);
    store_bytes("cut.xmd", log);
}

/* Play the scene on `fill` and keep the files of each step. */
static int record_scene(int32_t fill)
{
    struct scene s;
    const int ignored[] = { unlink("scene.xmd"), unlink("scene.xta") };

    (void)ignored;
    scene_fill = fill;
    scene_start(&s, "scene", fill);
    for (int i = 0; i <= last_step; i++) {
        assert_ok(scene_play(&s, i));
        assert_ok(drx_set_pool(s.a, 0)); /* puts go to the file */
        after[i].meta = load("scene.xmd");
        after[i].data = load("scene.xta");
        after[i].model = s.after;
    }
    return drx_close(s.a);
}

static int setup_zero(void **state)
{
    return record_scene(0);
}

static int setup_fill(void **state)
{
    return record_scene(-7);
}

/* Read the whole array; every cell holds what it had after one of the steps `from` to `to`. */
static void check_cells(drx_array *a, int from, int to)
{
    static int32_t buf[SCENE_EXTENT * SCENE_EXTENT];
    const int64_t *shape = drx_shape(a);
    const int64_t lo[2] = { 0, 0 };

    assert_ok(drx_read(a, lo, shape, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++) {
            const int32_t v = buf[i * shape[1] + j];
            bool allowed = false;

            for (int k = from; k <= to; k++)
                allowed = allowed || (i < after[k].model.shape[0] && j < after[k].model.shape[1] &&
                                      v == after[k].model.value[i][j]);
            if (!allowed)
                print_error("element (%d, %d) is %d after steps %d to %d\n", (int)i, (int)j, (int)v, from, to);
            assert_true(allowed);
        }
}

/* Opening for writing has cut the log to whole records, given the data file its
 * length, and, where the log ends in an INTENT, put its slab back to fill. */
static void check_mended(drx_array *a, int i)
{
    struct bytes log = load("cut.xmd");
    struct bytes data = load("cut.xta");
    struct drxi_record record = { .kind = 0 };
    struct drxi_growth intent;

    for (size_t at = drxi_desc_bytes(2); at < log.n; at += record.bytes)
        assert_true(drxi_record_decode(log.p + at, log.n - at, &record));
    assert_int_equal(data.n, drx_chunk_count(a) * 32); /* 2 x 3 x 4 bytes, aligned to 32 */
    if (record.kind == DRXI_INTENT && drxi_growth_decode(&record, &intent)) {
        const struct model *m = &after[i].model;

        for (int64_t r = 0; r < (m->shape[0] + 1) / 2 * 2; r++)
            for (int64_t c = 0; c < (m->shape[1] + 2) / 3 * 3; c++) {
                const int64_t cell[2] = { r, c };
                const int64_t chunk[2] = { r / 2, c / 3 };
                const int64_t other = 1 - intent.axis;
                int64_t q;
                int32_t v;

                if (cell[intent.axis] < m->shape[intent.axis] || cell[intent.axis] >= intent.bound ||
                    cell[other] >= m->shape[other])
                    continue;
                assert_ok(drx_chunk_address(a, chunk, &q));
                memcpy(&v, data.p + q * 32 + (r % 2 * 3 + c % 3) * 4, sizeof v);
                assert_int_equal(v, scene_fill);
            }
    }
}

/* The files open for reading and then for writing in the state after step `i`, as
 * far as the log goes; data may be from any step up to `to`. */
static void check_opens(int i, int to, bool torn)
{
    struct model m = after[i].model;
    drx_array *a;

    assert_ok(drx_open("cut", DRX_RDONLY, &a));
    assert_int_equal(strlen(drx_last_error()) > 0, torn);
    assert_true(scene_same_shape(a, &m));
    check_cells(a, i, to);
    assert_ok(drx_close(a));

    assert_ok(drx_open("cut", DRX_RDWR, &a));
    assert_int_equal(strlen(drx_last_error()) > 0, torn);
    check_mended(a, i);
    assert_true(scene_same_shape(a, &m));
    assert_int_equal(drx_attr_count(a), m.attrs);
    check_cells(a, i, to);
    if (i == to)
        scene_check_growth(a, &m, scene_fill);
    else { /* the bounds hold older or newer values; what growth uncovers is fill */
        static int32_t buf[SCENE_EXTENT * SCENE_EXTENT];
        const int64_t lo[2] = { 0, 0 };
        const int64_t old[2] = { drx_shape(a)[0], drx_shape(a)[1] };

        for (int axis = 0; axis < 2; axis++)
            for (int64_t by = 1; by < 8; by += 3)
                assert_ok(drx_extend(a, axis, by));
        assert_ok(drx_read(a, lo, drx_shape(a), DRX_ROW_MAJOR, buf));
        for (int64_t r = 0; r < drx_shape(a)[0]; r++)
            for (int64_t c = 0; c < drx_shape(a)[1]; c++)
                if (r >= old[0] || c >= old[1])
                    assert_int_equal(buf[r * drx_shape(a)[1] + c], scene_fill);
    }
    assert_ok(drx_close(a));
    assert_ok(drx_open("cut", DRX_RDONLY, &a)); /* mended for good */
    assert_string_equal(drx_last_error(), "");
    assert_ok(drx_close(a));
}

/* Every length of the log, with the data of its own step: a record cut short is as
 * if it had never been. */
static void every_prefix(void **state)
{
    int cuts = 0;

    for (int i = 1; i <= last_step; i++)
        for (size_t n = after[i - 1].meta.n; n < after[i].meta.n; n++) {
            const size_t start = after[i - 1].meta.n;
            const size_t intent = drxi_get32(after[i].meta.p + start + 8); /* or the only record */

            lay(i, n, i);
            check_opens(i - 1, i, n > start && n != start + intent);
            cuts++;
        }
    print_message("%d prefixes\n", cuts);
}

/* The log back to each earlier step while the data stayed, as a power cut may leave
 * them: what was written beyond the bounds does not come to light. */
static void log_lost_data_kept(void **state)
{
    for (int i = 0; i < last_step; i++)
        for (int j = i; j <= last_step; j++) {
            lay(i, after[i].meta.n, j);
            check_opens(i, j, false);
        }
}

/* Any byte of the last record changed: it is as if it had never been. */
static void torn_record(void **state)
{
    for (int i = 1; i <= last_step; i++) {
        size_t start = after[i - 1].meta.n;

        if (start == after[i].meta.n)
            continue; /* a step without a record */
        while (start + drxi_get32(after[i].meta.p + start + 8) < after[i].meta.n)
            start += drxi_get32(after[i].meta.p + start + 8);
        for (size_t at = start; at < after[i].meta.n; at++) {
            lay_changed(i, at, 0x5a);
            check_opens(i - 1, i, true);
        }
    }
}

/* Any byte of an earlier record changed: damage, opened at the state before it, and
 * never written. */
static void damaged_record(void **state)
{
    const int i = last_step;

    for (size_t at = drxi_desc_bytes(2); at < after[i - 1].meta.n; at++) {
        struct bytes before;
        drx_array *a;
        int k = 0;

        while (after[k].meta.n <= at)
            k++; /* the step that wrote this byte */
        lay_changed(i, at, 0x81);
        before = load("cut.xmd");
        assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
        assert_null(a);
        assert_detail("cut.xmd");
        assert_ok(drx_open("cut", DRX_RDONLY, &a));
        assert_detail("damaged");
        if (k > 0)
            assert_true(scene_same_shape(a, &after[k - 1].model));
        assert_status(drx_extend(a, 0, 1), DRX_EACCES);
        assert_ok(drx_close(a));
        assert_bytes("cut.xmd", before);
    }
}

/* Sectors of a long log, whose borders fall inside records. */
static void lost_sectors(void **state)
{
    const int64_t shape[1] = { 1 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .flags = DRX_REPLACE };
    struct bytes log;
    drx_array *a;

    assert_ok(drx_create("cut", &spec, &a));
    for (int i = 0; i < 400; i++)
        assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    log = load("cut.xmd");
    for (size_t sector = 1; sector < log.n / 512; sector++)
        for (size_t n = 1; n <= 8 && sector + n <= log.n / 512; n += 7) {
            struct bytes lost = log;

            memset(lost.p + 512 * sector, 0, 512 * n);
            store_bytes("cut.xmd", lost);
            assert_ok(drx_open("cut", DRX_RDWR, &a));
            assert_detail("torn tail");
            assert_int_equal(drx_shape(a)[0], 1 + (512 * sector - drxi_desc_bytes(1)) / 40);
            assert_ok(drx_close(a));
        }
}

/* A hole of a terabyte behind the log takes no time to look through. */
static void hole_behind_the_log(void **state)
{
    drx_array *a;

    lay(20, after[20].meta.n, 20);
    assert_int_equal(truncate("cut.xmd", (off_t)1 << 40), 0);
    assert_ok(drx_open("cut", DRX_RDWR, &a));
    assert_detail("torn tail");
    scene_check(a, &after[20].model);
    assert_ok(drx_close(a));
}

/* The last record of the log after step `i`. */
static struct drxi_record last_record(int i)
{
    struct drxi_record record;

    for (size_t at = drxi_desc_bytes(2); at < after[i].meta.n; at += record.bytes)
        assert_true(drxi_record_decode(after[i].meta.p + at, after[i].meta.n - at, &record));
    return record;
}

/* A tail of heads that look like records, each to be looked into at length. */
static void tail_of_false_heads(void **state)
{
    const size_t n = 8 << 20;
    uint8_t *log = calloc(1, n);
    const size_t end = after[20].meta.n;
    drx_array *a;

    memcpy(log, after[20].meta.p, end);
    for (size_t at = end; at + 24 <= n; at += 24) {
        drxi_put32(log + at + 8, (uint32_t)((n - at) / 8 * 8));
        drxi_put16(log + at + 12, DRXI_GROW);
        drxi_put64(log + at + 16, (at - end) / 24 + 1 + last_record(20).sequence);
    }
    lay(20, end, 20);
    store("cut.xmd", log, n);
    assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_ok(drx_open("cut", DRX_RDONLY, &a));
    assert_detail("damaged");
    scene_check(a, &after[20].model);
    assert_ok(drx_close(a));
    free(log);
}

/* A record with the right CRC that cannot be: bounds whose bytes overflow. */
static void impossible_growth(void **state)
{
    const struct drxi_growth growth = { 0, DRXI_HIGH, (int64_t)1 << 61, after[20].model.shape[0] + ((int64_t)1 << 61) };
    const struct drxi_record last = last_record(20);
    struct bytes log = after[20].meta;
    uint8_t *record = log.p + log.n;
    const size_t n = drxi_growth_encode(&growth, record + DRXI_RECORD_HEAD_BYTES);
    drx_array *a;

    (void)drxi_record_seal(record, n, DRXI_GROW, 0, last.sequence + 1, last.crc);
    lay(20, log.n, 20);
    store("cut.xmd", log.p, log.n + DRXI_RECORD_HEAD_BYTES + n);
    assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_ok(drx_open("cut", DRX_RDONLY, &a));
    scene_check(a, &after[20].model);
    assert_ok(drx_close(a));
}

static void description_cut(void **state)
{
    for (size_t n = 0; n < drxi_desc_bytes(2); n++) {
        drx_array *a;
        drx_status st;

        lay(0, n, 0);
        st = drx_open("cut", DRX_RDONLY, &a);
        assert_int_equal(st, n < 8 ? DRX_EFORMAT : DRX_EDAMAGED);
        assert_detail("cut.xmd");
        assert_null(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix),        cmocka_unit_test(log_lost_data_kept),
        cmocka_unit_test(torn_record),         cmocka_unit_test(damaged_record),
        cmocka_unit_test(lost_sectors),        cmocka_unit_test(hole_behind_the_log),
        cmocka_unit_test(tail_of_false_heads), cmocka_unit_test(impossible_growth),
        cmocka_unit_test(description_cut),
    };
    const int zero = cmocka_run_group_tests_name("fill 0", tests, setup_zero, NULL);

    return zero + cmocka_run_group_tests_name("fill -7", tests, setup_fill, NULL);
}
