/* Runs appended: one that fails, for whatever reason, changes neither the store nor the file, or the store is lost. */
#include "logs.h"
#include "testing.h"

/* The records of a log from `begin` to `end`, as a run; the bytes are the log's. */
static struct drxi_run run_of(const struct log *log, size_t begin, size_t end)
{
    struct drxi_run run = { .bytes = log->bytes + begin, .n = (int64_t)(end - begin), .at = (int64_t)begin };
    struct drxi_log_record record;

    for (size_t at = begin; at < end; at += record.bytes) {
        assert_true(drxi_log_record_decode(log->bytes + at, end - at, (int64_t)at, &record));
        run.last = (int64_t)at;
        run.sequence = record.sequence;
        run.crc = record.crc;
    }
    return run;
}

struct append {
    const struct log *log;
    const struct history *h;
    size_t k;   /* runs before it */
    size_t end; /* of the run */
    size_t failed, lost;
};

/* Append the run, whose first `written` bytes the file has, with the n-th allocation failing; false if none did. */
static bool append_failing(struct append *a, drx_status expected, int64_t written, long n)
{
    const size_t begin = a->h->end[a->k];
    const struct drxi_run run = run_of(a->log, begin, a->end);
    drxi_io *io = log_file(a->log, begin + (size_t)written);
    struct drxi_store s;
    drx_status st;
    bool lost, fired;
    int64_t size;

    assert_ok(drxi_store_begin(&s, io, a->log->kind));
    if (a->k > 0)
        assert_ok(drxi_store_read(&s, io, DRXI_ANY_COMMIT, false, &(enum drxi_log_tail){ 0 }));
    drxi_fail_allocation = n;
    st = drxi_store_append(&s, io, &run, 0, written, &lost);
    fired = n > 0 && drxi_fail_allocation == 0;
    drxi_fail_allocation = 0;
    assert_ok(io->ops->size(io, &size));
    if (st != (fired ? DRX_ENOMEM : expected))
        print_error("%s: run %zu, allocation %ld: status %d: %s\n", a->log->name, a->k + 1, n, (int)st,
                    drx_last_error());
    assert_int_equal(st, fired ? DRX_ENOMEM : expected);
    if (st && !lost) {
        if (store_digest(&s) != a->h->digest[a->k] || find_fault(&s))
            print_error("%s: run %zu, allocation %ld: it is not what it was\n", a->log->name, a->k + 1, n);
        assert_null(find_fault(&s));
        assert_true(store_digest(&s) == a->h->digest[a->k]);
    }
    assert_int_equal(size, st ? begin + (size_t)written : a->end);
    if (!st)
        assert_true(store_digest(&s) == a->h->digest[a->k + 1]);
    a->failed += st != DRX_OK;
    a->lost += st && lost;
    drxi_store_free(&s);
    (void)io->ops->close(io);
    return fired;
}

TEST(runs_of_the_vectors)
{
    size_t n, failed = 0;
    struct log *logs = load_logs(&n);

    for (size_t i = 0; i < n; i++) {
        struct history h = tell_history(&logs[i]);
        struct append a = { .log = &logs[i], .h = &h };

        for (a.k = strchr(logs[i].name, ':') && h.n > 0 ? h.n - 1 : 0; a.k < h.n; a.k++) {
            a.end = h.end[a.k + 1];
            (void)append_failing(&a, DRX_OK, 0, 0);
            (void)append_failing(&a, DRX_OK, 8, 0);
            for (long m = 1; append_failing(&a, DRX_OK, 0, m); m++)
                ;
        }
        failed += a.failed;
        assert_int_equal(a.lost, 0);
        free_history(&h);
    }
    print_message("%zu logs, %zu failures\n", n, failed);
    assert_true(failed > 500);
    free_logs(logs, n);
}

/* What a log of verdicts has behind what can be. */
TEST(runs_that_cannot_be)
{
    size_t n, failed = 0;
    struct log *logs = load_logs(&n);

    for (size_t i = 0; i < n; i++) {
        struct history h = tell_history(&logs[i]);
        struct append a = { .log = &logs[i], .h = &h, .k = h.n };
        size_t records;
        struct place *places = find_places(&logs[i], &records);

        for (size_t k = 0; k < records && !a.end; k++)
            if (places[k].counts && places[k].end > h.end[h.n])
                a.end = places[k].end;
        if (a.end > 0) {
            drxi_io *io = log_file(&logs[i], a.end);
            const struct got got = read_new(io, logs[i].kind);

            (void)io->ops->close(io);
            (void)append_failing(&a, got.st == DRX_EUNSUPPORTED ? DRX_EUNSUPPORTED : DRX_EINVAL, 0, 0);
        }
        failed += a.failed;
        assert_int_equal(a.lost, 0);
        free(places);
        free_history(&h);
    }
    print_message("%zu runs\n", failed);
    assert_true(failed > 40);
    free_logs(logs, n);
}
