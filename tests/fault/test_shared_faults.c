/* For n = 1, 2, ..., while a handle that shares a dataset changes it, the n-th call of the file tables fails, or all
 * from it on, or its process is killed before it. Another handle, which has all arrays open, goes on: it sees the
 * dataset before or after the change, and what it uncovers then holds the fill. So does the first one, unless it is
 * broken. */
#include <errno.h>

#include "deadly.h"
#include "drx_dataset.h"
#include "drx_tools.h"
#include "file_faults.h"
#include "processes.h"
#include "testing.h"

#ifdef __SANITIZE_ADDRESS__
enum { SLOWER = 4 }; /* a smaller sample will do */
#else
enum { SLOWER = 1 };
#endif

enum { STEPS = 7, WIDTH = 5, MOST_VARIABLES = 5, NEW = 1000, MORE = 6 };

static const struct kind {
    const char *name;
    int ndim, time; /* which axis is it */
    int32_t fill;
    unsigned flags;
    int codec;
} kinds[] = {
    { "raw", 2, 0, 0, 0, 0 },           { "filled", 2, 1, -5, 0, 0 }, { "summed", 2, 0, 0, DRX_CHECKSUM, 0 },
    { "packed", 2, 1, -7, 0, DRX_LZ4 }, { "step", 1, 0, -1, 0, 0 },
};

/* ---- what the process does ---- */

static drx_dataset *shared(void)
{
    drx_dataset *ds = NULL;

    assert_ok(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds));
    return ds;
}

static drx_status write_step(drx_dataset *ds, int64_t t, int32_t value)
{
    const int32_t row[WIDTH] = { value, value, value, value, value };
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < MOST_VARIABLES; i++) {
        const int64_t lo[] = { kinds[i].time ? 0 : t, kinds[i].time ? t : 0 };
        const int64_t count[] = { kinds[i].time ? WIDTH : 1, kinds[i].time ? 1 : WIDTH };
        drx_array *a;

        if (drx_dataset_find(ds, kinds[i].name) < 0)
            continue;
        st = drx_dataset_array(ds, kinds[i].name, &a);
        if (!st)
            st = drx_write(a, lo, count, DRX_ROW_MAJOR, row);
    }
    return st;
}

static drx_status grow(drx_dataset *ds, bool low, bool commit)
{
    drx_status st = drx_dataset_begin(ds);

    for (int64_t k = 0; !st && k < 2; k++) {
        st = (low ? drx_dataset_extend_before : drx_dataset_extend)(ds, "time", 1);
        if (!st)
            st = write_step(ds, low ? -1 - k : STEPS + k, NEW);
    }
    if (!st)
        st = commit ? drx_dataset_commit(ds, "grown") : drx_dataset_abort(ds);
    return st;
}

static drx_status grow_high(drx_dataset *ds)
{
    return grow(ds, false, true);
}

static drx_status grow_low(drx_dataset *ds)
{
    return grow(ds, true, true);
}

static drx_status give_up(drx_dataset *ds)
{
    return grow(ds, false, false);
}

static drx_status reserve(drx_dataset *ds)
{
    int64_t t;
    drx_status st = drx_dataset_reserve(ds, "time", 2, &t);

    if (!st)
        st = write_step(ds, t, NEW);
    if (!st)
        st = write_step(ds, t + 1, NEW);
    if (!st)
        st = drx_dataset_commit(ds, NULL);
    return st;
}

static drx_status trim(drx_dataset *ds)
{
    drx_status st = drx_dataset_begin(ds);

    if (!st)
        st = drx_dataset_trim(ds, "time", 1, 2);
    if (!st)
        st = drx_dataset_commit(ds, "trimmed");
    return st;
}

static drx_status add(drx_dataset *ds)
{
    const char *const dims[] = { "time" };
    drx_array *a = NULL;
    drx_status st = drx_dataset_begin(ds);

    if (!st)
        st = drx_dataset_add_group(ds, "ocean");
    if (!st)
        st = drx_dataset_add_group(ds, "ocean/deep");
    if (!st)
        st = drx_dataset_add(
            ds, "ocean/deep/added",
            &(drx_spec){ .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ STEPS }, .dims = dims, .codec = DRX_LZ4 },
            &a);
    if (!st)
        st = drx_write(a, (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &(int32_t){ NEW });
    if (!st)
        st = drx_dataset_attr_set_text(ds, DRX_GROUP, "ocean", "title", "more");
    if (!st)
        st = drx_dataset_set_name(ds, DRX_DIMENSION, "x", "y");
    if (!st)
        st = drx_dataset_commit(ds, "added");
    return st;
}

static drx_status drop(drx_dataset *ds)
{
    drx_status st = drx_dataset_begin(ds);

    if (!st)
        st = drx_dataset_remove(ds, "packed");
    if (!st)
        st = drx_dataset_commit(ds, "dropped");
    return st;
}

static const struct deed {
    const char *name;
    drx_status (*call)(drx_dataset *ds);
    int64_t lower, upper; /* of time, afterwards */
    bool whole;           /* what is added is all written */
} deeds[] = {
    { "grow", grow_high, 0, STEPS + 2, true }, { "grow low", grow_low, -2, STEPS, true },
    { "give up", give_up, 0, STEPS, true },    { "reserve", reserve, 0, STEPS + 2, false },
    { "trim", trim, 1, STEPS - 2, true },      { "add", add, 0, STEPS, true },
    { "drop", drop, 0, STEPS, true },
};

/* ---- what the other one sees ---- */

static void make(void)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_create("made", &ds));
    for (int i = 0; i < MOST_VARIABLES; i++) {
        const struct kind *k = &kinds[i];
        const char *dims[2] = { "x", "x" };
        int64_t shape[2] = { WIDTH, WIDTH }, chunk[2] = { 3, 3 };

        dims[k->time] = "time";
        shape[k->time] = STEPS;
        chunk[k->time] = 4;
        assert_ok(drx_dataset_add(ds, k->name,
                                  &(drx_spec){ .ndim = k->ndim,
                                               .type = DRX_INT32,
                                               .shape = shape,
                                               .chunk = chunk,
                                               .dims = dims,
                                               .flags = k->flags,
                                               .codec = k->codec,
                                               .fill = &k->fill },
                                  NULL));
    }
    for (int t = 0; t < STEPS; t++)
        assert_ok(write_step(ds, t, t + 1));
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

/* The elements of a step are all `value`, or, if it may be cut short, fill. */
static void check_step(drx_dataset *ds, const struct kind *k, int64_t t, int32_t value, bool may_be_cut)
{
    const int64_t lo[] = { k->time ? 0 : t, k->time ? t : 0 };
    const int64_t count[] = { k->time ? WIDTH : 1, k->time ? 1 : WIDTH };
    int32_t row[WIDTH];
    drx_array *a;

    assert_ok(drx_dataset_array(ds, k->name, &a));
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, row));
    for (int i = 0; i < (k->ndim == 1 ? 1 : WIDTH); i++)
        if (row[i] != value && !(may_be_cut && row[i] == k->fill))
            fail_msg("%s, step %lld: %d, expected %d", k->name, (long long)t, row[i], value);
}

static void bounds(const drx_dataset *ds, int64_t *lower, int64_t *upper)
{
    const int d = drx_dataset_dim_find(ds, "time");

    *lower = drx_dataset_dim_lower(ds, d);
    (void)drx_dataset_dim(ds, d, upper);
}

static void check_steps(drx_dataset *ds, bool may_be_cut)
{
    int64_t lower, upper;

    bounds(ds, &lower, &upper);
    for (int i = 0; i < MOST_VARIABLES; i++)
        for (int64_t t = lower; drx_dataset_find(ds, kinds[i].name) >= 0 && t < upper; t++)
            check_step(ds, &kinds[i], t, t < 0 || t >= STEPS ? NEW : (int32_t)t + 1, may_be_cut && t >= STEPS);
}

/* Nothing of what was begun comes to light. */
static void check_growth(drx_dataset *ds)
{
    int64_t lower, upper;

    bounds(ds, &lower, &upper);
    assert_ok(drx_dataset_extend(ds, "time", MORE));
    assert_ok(drx_dataset_extend_before(ds, "time", MORE));
    for (int i = 0; i < MOST_VARIABLES; i++)
        for (int64_t k = 0; drx_dataset_find(ds, kinds[i].name) >= 0 && k < MORE; k++) {
            check_step(ds, &kinds[i], upper + k, kinds[i].fill, false);
            check_step(ds, &kinds[i], lower - 1 - k, kinds[i].fill, false);
        }
    assert_ok(drx_dataset_abort(ds));
}

static bool check(drx_dataset *ds, const struct deed *d, drx_status st, bool broken)
{
    const int64_t last = drx_dataset_last(ds);
    int64_t lower, upper;
    bool done;

    assert_ok(drx_dataset_begin(ds));
    done = drx_dataset_last(ds) > last;
    if (!st)
        assert_true(done || d->call == give_up);
    if (st && done && !broken && d->call != reserve)
        fail_msg("%s: gave %d, but it is committed", d->name, (int)st);
    assert_false(done && d->call == give_up);
    bounds(ds, &lower, &upper);
    assert_int_equal(lower, done ? d->lower : 0);
    assert_int_equal(upper, done ? d->upper : STEPS);
    assert_int_equal(drx_dataset_find(ds, "ocean/deep/added") >= 0, done && d->call == add);
    assert_int_equal(drx_dataset_group_count(ds), done && d->call == add ? 2 : 0);
    assert_int_equal(drx_dataset_dim_find(ds, "x") < 0, done && d->call == add);
    assert_int_equal(drx_dataset_find(ds, "packed") >= 0, !done || d->call != drop);
    check_steps(ds, !d->whole);
    check_growth(ds);
    check_steps(ds, !d->whole);
    return done;
}

static void check_alone(const struct deed *d)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds));
    check_steps(ds, !d->whole);
    check_growth(ds);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("d"));
}

/* The other one adds a step, and the first one, unless it is broken, another. */
static void go_on(drx_dataset *ds, const struct deed *d)
{
    int64_t lower, upper;

    assert_ok(drx_dataset_begin(ds));
    bounds(ds, &lower, &upper);
    assert_ok(drx_dataset_extend(ds, "time", 1));
    assert_ok(write_step(ds, upper, upper < STEPS ? (int32_t)upper + 1 : NEW));
    assert_ok(drx_dataset_commit(ds, "more"));
}

/* Whether the handle, and all of its arrays, go on. It has begun then. */
static bool goes_on(drx_dataset *ds)
{
    drx_status st = ds ? drx_dataset_begin(ds) : DRX_EIO;

    if (st)
        return false;
    for (int i = 0; !st && i < MOST_VARIABLES; i++) {
        drx_array *a;

        if (drx_dataset_find(ds, kinds[i].name) < 0)
            continue;
        st = drx_dataset_array(ds, kinds[i].name, &a);
        if (!st)
            st = drx_sync(a);
    }
    if (st)
        assert_ok(drx_dataset_abort(ds));
    return !st;
}

static bool fails(const struct deed *d, long n, int error, bool persistent, bool fresh)
{
    drx_dataset *one, *other;
    drx_status st, aborted = DRX_OK;
    bool fired, broken = false;

    assert_ok(drx_dataset_duplicate("made", "d"));
    one = shared();
    other = shared();
    if (!fresh)
        check_steps(one, false);
    check_steps(other, false);
    drxi_fault_arm(n, error, persistent);
    st = d->call(one);
    if (st)
        aborted = drx_dataset_abort(one);
    fired = drxi_fault_fired();
    drxi_fault_arm(0, 0, false);
    if (st && aborted) { /* broken, or it can be aborted later */
        broken = drx_dataset_abort(one) != DRX_OK;
        if (broken) {
            (void)drx_dataset_close(one);
            one = NULL;
        }
    }
    (void)check(other, d, st, broken);
    assert_ok(drx_dataset_abort(other));
    if (goes_on(one)) {
        check_steps(one, !d->whole);
        check_growth(one);
        check_steps(one, !d->whole);
    }
    go_on(other, d);
    if (goes_on(one)) {
        check_steps(one, !d->whole);
        check_growth(one);
    }
    if (one)
        assert_ok(drx_dataset_close(one));
    check_steps(other, !d->whole);
    assert_ok(drx_dataset_close(other));
    check_alone(d);
    return fired;
}

static void make_anew(void)
{
    drxi_fault_arm(0, 0, false);
    (void)system("rm -rf made d");
    make();
}

static void sweep(int error, bool persistent, bool fresh)
{
    uint64_t seed = starting_seed(0);

    make_anew();
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        const int step = sample_or_all(6 * SLOWER, 1);
        long n = 1 + random_below(&seed, step);

        while (fails(&deeds[i], n, error, persistent, fresh))
            n += step;
        print_message("%s: %ld calls\n", deeds[i].name, n - 1);
        assert_true(n > 10);
    }
    assert_ok(drx_dataset_delete("made"));
}

TEST(each_call_fails_once)
{
    sweep(EIO, false, false);
}

TEST(each_call_fails_once_fresh)
{
    sweep(EIO, false, true);
}

TEST(full_once)
{
    sweep(ENOSPC, false, false);
}

TEST(all_fail)
{
    sweep(EIO, true, false);
}

TEST(all_fail_fresh)
{
    sweep(EIO, true, true);
}

/* ---- a process that dies ---- */

static const struct deed *dying;

static drx_status do_deed(void)
{
    drx_dataset *ds;
    drx_status st = drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds), closed;

    if (st)
        return st;
    st = dying->call(ds);
    closed = drx_dataset_close(ds);
    return st ? st : closed;
}

TEST(killed_before_each_call)
{
    uint64_t seed = starting_seed(0);

    make_anew();
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        const int step = sample_or_all(2 * SLOWER, 1);
        long n = -random_below(&seed, step);
        bool killed = true;

        dying = &deeds[i];
        while (killed) {
            drx_dataset *ds;

            assert_ok(drx_dataset_duplicate("made", "d"));
            ds = shared();
            check_steps(ds, false);
            killed = deadly(do_deed, n += step);
            (void)check(ds, dying, killed ? DRX_EIO : DRX_OK, killed);
            assert_ok(drx_dataset_close(ds));
            check_alone(dying);
        }
        print_message("%s: killed before %ld calls\n", dying->name, n - 1);
        assert_true(n > 20);
    }
}

/* ---- giving back what a dead one has left, while calls fail ---- */

static bool gives_back(drx_status (*call)(drx_dataset *), long dead_at, long n)
{
    static const struct deed nothing = { "dead", give_up, 0, STEPS, true };
    const struct deed dead = { .call = call };
    drx_dataset *one, *other;
    bool fired;

    assert_ok(drx_dataset_duplicate("made", "d"));
    one = shared();
    other = shared();
    check_steps(one, false);
    check_steps(other, false);
    dying = &dead;
    assert_true(deadly(do_deed, dead_at));
    drxi_fault_arm(n, EIO, false);
    if (drx_dataset_begin(one) == DRX_OK)
        (void)drx_dataset_abort(one);
    fired = drxi_fault_fired();
    drxi_fault_arm(0, 0, false);
    if (n % 2 && goes_on(one)) {
        check_steps(one, false);
        check_growth(one);
    }
    (void)check(other, &nothing, DRX_OK, false);
    assert_ok(drx_dataset_abort(other));
    go_on(other, &nothing);
    if (goes_on(one)) {
        check_steps(one, false);
        check_growth(one);
    }
    assert_ok(drx_dataset_close(other));
    (void)drx_dataset_close(one);
    check_alone(&nothing);
    return fired;
}

TEST(giving_back_fails)
{
    const int step = sample_or_all(2 * SLOWER - 1, 1); /* odd: gives_back does more after every second */
    uint64_t seed = starting_seed(0);

    make_anew();
    for (long dead_at = 60; dead_at <= 200; dead_at += 45)
        for (long n = 1 + random_below(&seed, step); gives_back(grow_high, dead_at, n); n += step)
            ;
    for (long dead_at = 25; dead_at <= 50; dead_at += 12)
        for (long n = 1 + random_below(&seed, step); gives_back(add, dead_at, n); n += step)
            ;
}
