/* For n = 1, 2, ..., a process that shares a dataset is killed before the n-th call of the file tables while it
 * changes it. Another one, which has all arrays open, goes on: it sees the dataset before or after the change, and
 * what it uncovers then holds the fill. */
#include "deadly.h"
#include "drx_dataset.h"
#include "drx_tools.h"

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

    return drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds) ? NULL : ds;
}

static drx_status write_step(drx_dataset *ds, int64_t t, int32_t value)
{
    const int32_t row[WIDTH] = { value, value, value, value, value };
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < MOST_VARIABLES; i++) {
        const int64_t lo[] = { kinds[i].time ? 0 : t, kinds[i].time ? t : 0 };
        const int64_t count[] = { kinds[i].time ? WIDTH : 1, kinds[i].time ? 1 : WIDTH };
        drx_array *a;

        st = drx_dataset_array(ds, kinds[i].name, &a);
        if (!st)
            st = drx_write(a, lo, count, DRX_ROW_MAJOR, row);
    }
    return st;
}

static drx_status end(drx_dataset *ds, drx_status st)
{
    const drx_status closed = drx_dataset_close(ds);

    return st ? st : closed;
}

static drx_status grow(bool low, bool commit)
{
    drx_dataset *ds = shared();
    drx_status st = ds ? drx_dataset_begin(ds) : DRX_EIO;

    for (int64_t k = 0; !st && k < 2; k++) {
        st = (low ? drx_dataset_extend_before : drx_dataset_extend)(ds, "time", 1);
        if (!st)
            st = write_step(ds, low ? -1 - k : STEPS + k, NEW);
    }
    if (!st)
        st = commit ? drx_dataset_commit(ds, "grown") : drx_dataset_abort(ds);
    return end(ds, st);
}

static drx_status grow_high(void)
{
    return grow(false, true);
}

static drx_status grow_low(void)
{
    return grow(true, true);
}

static drx_status give_up(void)
{
    return grow(false, false);
}

static drx_status reserve(void)
{
    int64_t t;
    drx_dataset *ds = shared();
    drx_status st = ds ? drx_dataset_reserve(ds, "time", 2, &t) : DRX_EIO;

    if (!st)
        st = write_step(ds, t, NEW);
    if (!st)
        st = write_step(ds, t + 1, NEW);
    if (!st)
        st = drx_dataset_commit(ds, NULL);
    return end(ds, st);
}

static drx_status trim(void)
{
    drx_dataset *ds = shared();
    drx_status st = ds ? drx_dataset_begin(ds) : DRX_EIO;

    if (!st)
        st = drx_dataset_trim(ds, "time", 1, 2);
    if (!st)
        st = drx_dataset_commit(ds, "trimmed");
    return end(ds, st);
}

static drx_status add(void)
{
    const char *const dims[] = { "time" };
    drx_dataset *ds = shared();
    drx_array *a = NULL;
    drx_status st = ds ? drx_dataset_begin(ds) : DRX_EIO;

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
    return end(ds, st);
}

static drx_status drop(void)
{
    drx_dataset *ds = shared();
    drx_status st = ds ? drx_dataset_begin(ds) : DRX_EIO;

    if (!st)
        st = drx_dataset_remove(ds, "packed");
    if (!st)
        st = drx_dataset_commit(ds, "dropped");
    return end(ds, st);
}

static const struct deed {
    const char *name;
    drx_status (*call)(void);
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

static void check(drx_dataset *ds, const struct deed *d, bool killed)
{
    const int64_t last = drx_dataset_last(ds);
    int64_t lower, upper;
    bool done;

    assert_ok(drx_dataset_begin(ds));
    done = drx_dataset_last(ds) > last;
    assert_true(killed || done || d->call == give_up);
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

TEST(killed_before_each_call)
{
    make();
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        bool killed = true;
        long n = 0;

        while (killed) {
            drx_dataset *ds;

            assert_ok(drx_dataset_duplicate("made", "d"));
            assert_non_null(ds = shared());
            check_steps(ds, false);
            killed = deadly(deeds[i].call, ++n);
            check(ds, &deeds[i], killed);
            assert_ok(drx_dataset_close(ds));
            check_alone(&deeds[i]);
        }
        print_message("%s: killed before %ld calls\n", deeds[i].name, n - 1);
        assert_true(n > 20);
    }
}
