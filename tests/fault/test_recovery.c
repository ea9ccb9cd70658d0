/* Cuts and changes the two files of a scene as a crash, a power cut or damage can. The array opens at a committed
 * state or the error says what is wrong; no uncommitted element appears. tests/crash cuts the power at each moment. */
#include <unistd.h>

#include "drx_tools.h"
#include "stages.h"

/* The cells that the growth uncovers in chunks of the array as after step `i` hold fill. */
static void check_slab(drx_array *a, int i, const struct bytes *data, int axis, int64_t bound)
{
    const struct model *m = &after[i].model;

    for (int64_t r = 0; r < (m->shape[0] + 1) / 2 * 2; r++)
        for (int64_t c = 0; c < (m->shape[1] + 2) / 3 * 3; c++) {
            const int64_t cell[2] = { r, c };
            const int64_t chunk[2] = { r / 2, c / 3 };
            int64_t q;
            int32_t v;

            if (cell[axis] < m->shape[axis] || cell[axis] >= bound || cell[1 - axis] >= m->shape[1 - axis])
                continue;
            assert_ok(drx_chunk_address(a, chunk, &q));
            memcpy(&v, data->p + q * 32 + (r % 2 * 3 + c % 3) * 4, sizeof v);
            assert_int_equal(v, stages_fill);
        }
}

/* Opening for writing has cut the log, which was `log`, behind step `i`, given the data file its length, and put the
 * slab of an append that was not committed back to fill. */
static void check_mended(drx_array *a, int i, const struct bytes *log)
{
    const size_t end = after[i].log.n;
    const struct bytes data = load("cut.xta");
    struct drxi_log_record record;

    assert_bytes("cut.xmd", after[i].log);
    assert_int_equal(data.n, drx_chunk_count(a) * 32); /* 2 x 3 x 4 bytes, aligned to 32 */
    if (drxi_log_record_decode(log->p + end, log->n - end, (int64_t)end, &record) && record.kind == DRXI_LOG_GROW) {
        assert_int_equal(record.flags, 0);
        check_slab(a, i, &data, record.number - 1, (int64_t)drxi_get64(record.payload + 8));
    }
}

/* The files open for reading and then for writing in the state after step `i`, as
 * far as the log goes; data may be from any step up to `to`. */
static void check_opens(int i, int to, bool torn)
{
    const struct bytes log = load("cut.xmd");
    struct model m = after[i].model;
    drx_array *a;

    assert_ok(drx_open("cut", DRX_RDONLY, &a));
    assert_int_equal(strstr(drx_last_error(), "torn tail") != NULL, torn);
    assert_int_equal(drx_last_error()[0] != '\0', torn);
    assert_true(scene_same_shape(a, &m));
    check_cells(a, i, to);
    assert_ok(drx_close(a));

    assert_ok(drx_open("cut", DRX_RDWR, &a));
    assert_int_equal(drx_last_error()[0] != '\0', torn);
    check_mended(a, i, &log);
    assert_true(scene_same_shape(a, &m));
    assert_int_equal(drx_attr_count(a), m.attrs);
    check_cells(a, i, to);
    if (i == to)
        scene_check_growth(a, &m, stages_fill);
    else /* the bounds hold older or newer values */
        check_growth(a);
    assert_ok(drx_close(a));
    assert_ok(drx_open("cut", DRX_RDONLY, &a)); /* mended for good */
    assert_string_equal(drx_last_error(), "");
    assert_ok(drx_close(a));
}

/* Nothing counts. */
static void check_refused(drx_status expected)
{
    const struct bytes log = load("cut.xmd");
    drx_array *a;

    assert_status(drx_open("cut", DRX_RDONLY, &a), expected);
    assert_detail("cut.xmd");
    assert_null(a);
    assert_status(drx_open("cut", DRX_RDWR, &a), expected);
    assert_null(a);
    assert_bytes("cut.xmd", log);
}

/* Every length of the log, with the data of its own step: a record cut short is as
 * if it had never been. So is one that ends with zeros. */
static void every_prefix(void **state)
{
    int cuts = 0;

    for (int i = 1; i <= LAST_STEP; i++) {
        const size_t start = after[i - 1].log.n, end = after[i].log.n;

        for (size_t n = start; n < end; n++, cuts++) {
            const bool whole = n == start || n == start + record_at(&after[i].log, start).bytes;
            struct bytes zeros = after[i].log;

            lay(i, n, i);
            check_opens(i - 1, i, !whole);
            memset(zeros.p + n, 0, end - n);
            if (same_bytes(&zeros, &after[i].log))
                continue;
            lay(i, n, i);
            store_bytes("cut.xmd", zeros);
            check_opens(i - 1, i, true);
        }
    }
    print_message("%d prefixes\n", cuts);
}

/* The log back to each earlier step while the data stayed, as a power cut may leave
 * them: what was written beyond the bounds does not come to light. */
static void log_lost_data_kept(void **state)
{
    for (int i = 0; i < LAST_STEP; i++)
        for (int j = i; j <= LAST_STEP; j++) {
            lay(i, after[i].log.n, j);
            check_opens(i, j, false);
        }
}

/* Whether a step after `k`, up to `i`, wrote a SYNC. */
static bool was_promised(int k, int i)
{
    bool sync = false;

    while (++k <= i)
        sync = sync || after[k].sync;
    return sync;
}

/* Any byte of a record changed: damage, if a SYNC follows; otherwise it is as if the record, and what follows, had
 * never been. */
static void changed_record(void **state)
{
    static const int steps[] = { BEFORE_SYNCS, ONE_SYNC, ALL_SYNCED, SCENE_STEPS - 2 };
    int damaged = 0, torn = 0;

    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        const int i = steps[s];

        for (size_t at = DRXI_LOG_AT; at < after[i].log.n; at++) {
            int k = 0;

            while (after[k].log.n <= at)
                k++; /* the step that wrote this byte */
            lay(i, after[i].log.n, i);
            flip("cut.xmd", (int64_t)at, 0x81);
            if (k == 0) {
                check_refused(DRX_EDAMAGED);
            } else if (was_promised(k, i)) {
                check_damaged(k - 1, i);
                damaged++;
            } else {
                check_opens(k - 1, i, true);
                torn++;
            }
        }
    }
    print_message("%d damaged, %d torn\n", damaged, torn);
    assert_true(damaged > 500 && torn > 500);
}

/* Sectors of a long log, whose borders fall inside records. */
static void lost_sectors(void **state)
{
    const int64_t shape[1] = { 1 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .flags = DRX_REPLACE };
    size_t first;
    drx_array *a;

    for (int synced = 0; synced < 2; synced++) {
        struct bytes log;

        assert_ok(drx_create("cut", &spec, &a));
        first = (size_t)length_of("cut.xmd");
        for (int i = 0; i < 400; i++)
            assert_ok(drx_extend(a, 0, 1));
        if (synced)
            assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
        log = load("cut.xmd");
        for (size_t sector = DRXI_LOG_AT / 512 + 1; sector < log.n / 512; sector++)
            for (size_t n = 1; n <= 8 && sector + n <= log.n / 512; n += 7) {
                struct bytes lost = log;

                memset(lost.p + 512 * sector, 0, 512 * n);
                store_bytes("cut.xmd", lost);
                if (synced)
                    assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
                assert_ok(drx_open("cut", synced ? DRX_RDONLY : DRX_RDWR, &a));
                assert_detail(synced ? "damaged" : "torn tail");
                assert_int_equal(drx_shape(a)[0], 1 + (512 * sector - first) / 40);
                assert_ok(drx_close(a));
            }
    }
}

/* A fill that is not zero was promised, whatever was synced. */
static void data_cut_short(void **state)
{
    const struct model *m = &after[LAST_STEP].model;
    const int64_t length = (int64_t)after[LAST_STEP].data.n;
    drx_array *a;

    if (stages_fill == 0)
        return;
    for (int64_t n = 0; n < length; n++)
        for (int writes = 0; writes < 2; writes++) {
            const bool promised = stages_fill != 0;

            lay(LAST_STEP, after[LAST_STEP].log.n, LAST_STEP);
            assert_int_equal(truncate("cut.xta", (off_t)n), 0);
            if (promised)
                assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
            assert_ok(drx_open("cut", writes && !promised ? DRX_RDWR : DRX_RDONLY, &a));
            assert_int_equal(drx_last_error()[0] != '\0', promised);
            for (int64_t r = 0; r < m->shape[0]; r++)
                for (int64_t c = 0; c < m->shape[1]; c += 1 + writes) {
                    const int64_t at[2] = { r, c };
                    int32_t v = 0;
                    int64_t q;
                    bool there;
                    drx_status st;

                    assert_ok(drx_chunk_address(a, (int64_t[]){ r / 2, c / 3 }, &q));
                    there = q * 32 + (r % 2 * 3 + c % 3 + 1) * 4 <= n;
                    st = drx_get(a, at, &v);
                    assert_int_equal(st, there || !promised ? DRX_OK : DRX_EDAMAGED);
                    if (st == DRX_OK)
                        assert_int_equal(v, there ? m->value[r][c] : 0);
                }
            assert_ok(drx_close(a));
            assert_int_equal(length_of("cut.xta"), writes && !promised ? length : n);
        }
}

/* The head, and what follows it up to the first record; and the log cut there. */
static void head(void **state)
{
    drx_array *a;

    for (size_t at = 0; at < DRXI_LOG_AT; at += at < DRXI_STORE_HEAD_BYTES ? 1 : 61) {
        lay(LAST_STEP, after[LAST_STEP].log.n, LAST_STEP);
        flip("cut.xmd", (int64_t)at, 0x81);
        if (at < DRXI_STORE_HEAD_BYTES) {
            check_refused(at < 8 ? DRX_EFORMAT : at == 16 || at == 17 ? DRX_EUNSUPPORTED : DRX_EDAMAGED);
            continue;
        }
        assert_ok(drx_open("cut", DRX_RDWR, &a));
        assert_string_equal(drx_last_error(), "");
        scene_check(a, &after[LAST_STEP].model);
        assert_ok(drx_close(a));
    }
    for (size_t n = 0; n < after[0].log.n; n += n < DRXI_STORE_HEAD_BYTES || n >= DRXI_LOG_AT ? 1 : 61) {
        lay(0, n, 0);
        check_refused(n < 8 ? DRX_EFORMAT : DRX_EDAMAGED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix), cmocka_unit_test(log_lost_data_kept), cmocka_unit_test(changed_record),
        cmocka_unit_test(lost_sectors), cmocka_unit_test(data_cut_short),     cmocka_unit_test(head),
    };

    return stages_run(tests, sizeof tests / sizeof *tests);
}
