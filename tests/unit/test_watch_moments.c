/* A writer trims, and compacts, at each moment at which a reader opens an array, refreshes or looks at the log.
 * Afterwards the reader gets what it had, or is refused; and refused is all that was trimmed. */
#include "io/io.h"
#include "watched.h"

enum { TRIM, TRIM_AND_COMPACT, COMPACT_AND_TRIM, TRIM_BEFORE_AND_BEHIND, EVENTS };
enum { OPEN, REFRESH, LOOK, FOLLOW, MOMENTS };
enum { ROWS = 12 };

static const struct drxi_files *real_files;
static const struct drxi_io_ops *real_ops;
static struct drxi_files files;
static struct drxi_io_ops ops;
static int64_t reads, event_at; /* 0: none any more */
static int event;

static void happen(void)
{
    event_at = 0;
    drxi_files = real_files;
    if (event != COMPACT_AND_TRIM)
        trim(0, 1, 0);
    if (event != TRIM)
        assert_ok(drx_compact(writer));
    if (event == COMPACT_AND_TRIM || event == TRIM_BEFORE_AND_BEHIND)
        trim(0, 0, 1);
    drxi_files = &files;
}

static drx_status read_log(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    if (event_at > 0 && ++reads == event_at)
        happen();
    return real_ops->read(io, buf, n, offset, got);
}

static drx_status open_file(const char *path, enum drxi_how how, drxi_io **out)
{
    drx_status st = real_files->open(path, how, out);

    if (st || !strstr(path, ".xmd"))
        return st;
    real_ops = (*out)->ops;
    ops = *real_ops;
    ops.read = read_log;
    (*out)->ops = &ops;
    return st;
}

static void arm(int64_t n)
{
    reads = 0;
    event_at = n;
}

/* Whether the event happened. `known`: what the reader had at first. It may miss a trim when a log comes and goes
 * before it has looked there. */
static bool expect_known(drx_array *r, struct model *known, bool may_miss)
{
    const bool happened = event_at == 0;

    event_at = 0;
    for (int times = 0; times < 2; times++)
        for (int64_t i = drx_lower(r)[0]; i < drx_lower(r)[0] + drx_shape(r)[0]; i++) {
            int32_t value = 0;
            const drx_status st = drx_get(r, (int64_t[]){ i, 1 }, &value);

            if (i < now.lower[0] || i >= now.upper[0] || (st && may_miss)) {
                assert_int_equal(st, DRX_ERANGE);
                assert_detail(may_miss ? "trim" : "are left by a trim");
            } else {
                assert_ok(st);
                assert_int_equal(value, *cell(known, i, 1));
            }
        }
    return happened;
}

static bool try(int moment, int64_t n)
{
    struct model known;
    drx_array *r = NULL;
    bool happened;
    int32_t value;

    create_rows(ROWS);
    assert_ok(drx_sync(writer));
    drxi_files = &files;
    if (moment != OPEN) {
        r = open_reader();
        (void)drx_get(r, (int64_t[]){ 5, 0 }, &value);
        trim(0, 2, 2);
        if (moment == FOLLOW)
            assert_ok(drx_compact(writer));
    }
    arm(n);
    if (moment == OPEN)
        r = open_reader();
    else if (moment == REFRESH)
        assert_ok(drx_refresh(r));
    else
        (void)drx_get(r, (int64_t[]){ 5, 0 }, &value);
    known = now;
    happened =
        expect_known(r, &known, moment == FOLLOW && (event == TRIM_AND_COMPACT || event == TRIM_BEFORE_AND_BEHIND));
    assert_ok(drx_close(r));
    drxi_files = real_files;
    assert_ok(drx_close(writer));
    return happened;
}

TEST(each_moment)
{
    real_files = drxi_files;
    files = *real_files;
    files.open = open_file;
    for (int moment = 0; moment < MOMENTS; moment++)
        for (event = 0; event < EVENTS; event++) {
            int64_t n = 1;

            while (try(moment, n))
                n++;
            print_message("moment %d, event %d: %d reads\n", moment, event, (int)n - 1);
            assert_true(n > 2);
        }
}
