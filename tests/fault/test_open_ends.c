/* What stands behind the records of a log that count: tails that take long to look at, transactions that nobody ended,
 * and records that were there once. */
#include <unistd.h>

#include "drx_tools.h"
#include "stages.h"

/* A hole of a terabyte behind the log takes no time to look through, and a SYNC behind it is found. */
static void hole_behind_the_log(void **state)
{
    struct drxi_run run = run_behind(&after[ALL_SYNCED].log);
    drx_array *a;

    run.at = (int64_t)1 << 40;
    drxi_put_sync(&run);
    drxi_run_count(&run);
    lay(ALL_SYNCED, after[ALL_SYNCED].log.n, ALL_SYNCED);
    append_run(&run);
    assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_int_equal(truncate("cut.xmd", (off_t)1 << 40), 0);
    assert_ok(drx_open("cut", DRX_RDWR, &a));
    assert_detail("torn tail");
    scene_check(a, &after[ALL_SYNCED].model);
    assert_ok(drx_close(a));
    assert_bytes("cut.xmd", after[ALL_SYNCED].log);
}

/* A tail of heads that look like records, each to be looked into at length, and of SYNCs that are none. */
static void tail_of_false_heads(void **state)
{
    const size_t n = 2 << 20, end = after[ALL_SYNCED].log.n;
    const uint64_t sequence = last_record(&after[ALL_SYNCED].log).sequence;
    uint8_t *log = calloc(1, n);
    drx_array *a;

    for (int sync = 0; sync < 2; sync++) {
        memcpy(log, after[ALL_SYNCED].log.p, end);
        for (size_t at = end; at + 24 <= n; at += 24) {
            drxi_put32(log + at + 8, sync ? DRXI_LOG_SYNC_BYTES : (uint32_t)((n - at) / 8 * 8));
            drxi_put16(log + at + 12, sync ? DRXI_LOG_SYNC | DRXI_C << 8 : DRXI_LOG_GROW);
            drxi_put64(log + at + 16, (at - end) / 24 + 1 + sequence);
        }
        lay(ALL_SYNCED, end, ALL_SYNCED);
        store("cut.xmd", log, n);
        assert_ok(drx_check("cut", NULL, NULL, NULL, NULL));
        assert_ok(drx_open("cut", DRX_RDWR, &a));
        assert_detail("torn tail");
        scene_check(a, &after[ALL_SYNCED].model);
        assert_ok(drx_close(a));
        assert_bytes("cut.xmd", after[ALL_SYNCED].log);
    }
    free(log);
}

/* A record with the right CRC that cannot be: bounds whose bytes overflow. Nobody judges it while it does not count. */
static void impossible_growth(void **state)
{
    for (int counts = 0; counts < 2; counts++) {
        struct drxi_run run = run_behind(&after[ALL_SYNCED].log);
        drx_array *a;

        drxi_put_grow(&run, 1, (int64_t)1 << 61, after[ALL_SYNCED].model.shape[0] + ((int64_t)1 << 61));
        if (counts)
            drxi_run_count(&run);
        lay(ALL_SYNCED, after[ALL_SYNCED].log.n, ALL_SYNCED);
        append_run(&run);
        if (counts) {
            check_damaged(ALL_SYNCED, ALL_SYNCED);
            continue;
        }
        assert_ok(drx_open("cut", DRX_RDWR, &a));
        assert_string_equal(drx_last_error(), "");
        assert_bytes("cut.xmd", after[ALL_SYNCED].log);
        scene_check(a, &after[ALL_SYNCED].model);
        check_growth(a);
        assert_ok(drx_close(a));
    }
}

/* Write over the cells outside the bounds, in chunks that are there. */
static void leave_residue(void)
{
    const int32_t residue = 77;
    const int64_t *shape;
    drx_array *a;

    assert_ok(drx_open("cut", DRX_RDONLY, &a));
    shape = drx_shape(a);
    for (int64_t r = 0; r < (shape[0] + 1) / 2 * 2; r++)
        for (int64_t c = 0; c < (shape[1] + 2) / 3 * 3; c++) {
            int64_t q;

            if (r < shape[0] && c < shape[1])
                continue;
            assert_ok(drx_chunk_address(a, (int64_t[]){ r / 2, c / 3 }, &q));
            put_bytes("cut.xta", q * 32 + (r % 2 * 3 + c % 3) * 4, &residue, sizeof residue);
        }
    assert_ok(drx_close(a));
}

/* Write a transaction of several records that has no end, of a writer that died. */
static void leave_transaction(const int64_t shape[], bool renamed)
{
    const struct bytes log = load("cut.xmd");
    struct drxi_run run = run_behind(&log);

    if (renamed)
        drxi_put_rename(&run, DRXI_A_DIMENSION, 1, "other");
    drxi_put_grow(&run, 1, 1, shape[0] + 1);
    drxi_put_grow(&run, 2, 1, shape[1] + 1);
    append_run(&run);
    leave_residue();
}

/* The first record is a growth, or none. A writer that shares the array trusts the cells of chunks that it has made. */
static void longer_transactions(void **state)
{
    for (int shared = 0; shared < 2; shared++)
        for (int renamed = 0; renamed < 2; renamed++)
            for (int i = 1; i <= LAST_STEP; i++) {
                const struct model *m = &after[i].model;
                drx_array *a = NULL;

                lay(i, after[i].log.n, i);
                if (shared) {
                    assert_ok(drx_open("cut", DRX_SHARED, &a));
                    assert_ok(drx_extend(a, 0, m->shape[0] % 2 ? 2 : 1));
                    assert_ok(drx_extend(a, 1, m->shape[1] % 3 == 1 ? 3 : 2));
                }
                leave_transaction(shared ? drx_shape(a) : m->shape, renamed);
                if (!shared) {
                    assert_ok(drx_open("cut", DRX_RDWR, &a));
                    assert_string_equal(drx_last_error(), "");
                    assert_bytes("cut.xmd", after[i].log);
                    scene_check(a, m);
                }
                check_growth(a);
                assert_ok(drx_close(a));
            }
}

/* Only a version that knows the record can undo what it has done. */
static void transaction_of_a_later_version(void **state)
{
    for (int kind = DRXI_LOG_KINDS; kind <= DRXI_LOG_OPTIONAL; kind += DRXI_LOG_OPTIONAL - DRXI_LOG_KINDS) {
        struct drxi_run run = run_behind(&after[ALL_SYNCED].log);
        struct bytes log;
        drx_array *a, *b;

        lay(ALL_SYNCED, after[ALL_SYNCED].log.n, ALL_SYNCED);
        assert_ok(drx_open("cut", DRX_SHARED, &b));
        drxi_put_grow(&run, 1, 1, after[ALL_SYNCED].model.shape[0] + 1);
        drxi_run_begin(&run, (enum drxi_log_kind)kind, 0);
        drxi_run_end(&run);
        append_run(&run);
        log = load("cut.xmd");
        assert_ok(drx_open("cut", DRX_RDONLY, &a));
        scene_check(a, &after[ALL_SYNCED].model);
        assert_ok(drx_close(a));
        if (kind == DRXI_LOG_OPTIONAL) {
            assert_ok(drx_extend(b, 0, 1));
        } else {
            assert_status(drx_extend(b, 0, 1), DRX_EUNSUPPORTED);
            assert_bytes("cut.xmd", log);
        }
        assert_ok(drx_close(b));
        if (kind == DRXI_LOG_OPTIONAL)
            continue;
        assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EUNSUPPORTED);
        assert_detail("later version");
        assert_bytes("cut.xmd", log);
    }
}

/* What reads beside an append in pieces, which fails. */
struct beside {
    drx_array *reader, *writer; /* of others */
    int32_t piece[SCENE_EXTENT];
};

static drx_status open_beside(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct beside *b = with;

    if (done > 0)
        return DRX_EINTERRUPTED;
    assert_ok(drx_open("cut", DRX_RDONLY, &b->reader));
    assert_ok(drx_refresh(b->writer));
    *n = 1;
    *buf = b->piece;
    return DRX_OK;
}

/* An append was seen, and taken back; then other records, or the same growth, are in its place. */
static void append_taken_back(void **state)
{
    for (int then = 0; then < 4; then++) {
        struct beside b = { .piece = { 0 } };
        struct model m = after[ALL_SYNCED].model;
        drx_array *a;

        memset(b.piece, 77, sizeof b.piece);
        lay(ALL_SYNCED, after[ALL_SYNCED].log.n, ALL_SYNCED);
        assert_ok(drx_open("cut", DRX_SHARED, &a));
        assert_ok(drx_open("cut", DRX_SHARED, &b.writer));
        assert_status(drx_append_pieces(a, 0, 2, DRX_ROW_MAJOR, open_beside, &b), DRX_EINTERRUPTED);
        assert_bytes("cut.xmd", after[ALL_SYNCED].log);
        if (then == 1)
            assert_ok(drx_attr_set_text(a, "other", "in its place"));
        if (then == 2)
            assert_ok(drx_extend(a, 0, 2));
        if (then == 3)
            assert_ok(drx_append(a, 0, 2, DRX_ROW_MAJOR, (int32_t[2 * SCENE_EXTENT]){ 0 }));
        m.shape[0] += then >= 2 ? 2 : 0;
        assert_ok(drx_refresh(b.reader));
        assert_true(scene_same_shape(b.reader, &m));
        assert_ok(drx_close(b.reader));
        assert_ok(drx_extend(b.writer, 1, 2));
        m.shape[1] += 2;
        assert_true(scene_same_shape(b.writer, &m));
        if (then < 3)
            check_growth(b.writer);
        assert_ok(drx_close(b.writer));
        assert_ok(drx_close(a));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hole_behind_the_log),
        cmocka_unit_test(tail_of_false_heads),
        cmocka_unit_test(impossible_growth),
        cmocka_unit_test(longer_transactions),
        cmocka_unit_test(transaction_of_a_later_version),
        cmocka_unit_test(append_taken_back),
    };

    return stages_run(tests, sizeof tests / sizeof *tests);
}
