/* Growth at low ends, trims, and a new axis. */
#include <sys/stat.h>
#include <unistd.h>

#include "drx_tools.h"
#include "numbers.h"
#include "scenarios.h"

enum { STEPS = 11, CRASHED = 4, REFRESHED = 7, MOST_ELEMENTS = 4000, SECOND_RUN = 100000 };

struct bounds {
    int ndim;
    int64_t lower[3], shape[3];
};

/* How far a trial has come: the step being done, or that failed. */
struct progress {
    int step;
};

static const struct {
    enum { PREPEND, BEFORE, APPEND, TRIM, ADD_AXIS, SYNC } what;
    int axis;
    int64_t n, m;
} steps[STEPS] = {
    { PREPEND, 0, 3, 0 }, { BEFORE, 1, 2, 0 },  { TRIM, 0, 2, 1 }, { SYNC, 0, 0, 0 },
    { PREPEND, 1, 1, 0 }, { APPEND, 0, 4, 0 },  { TRIM, 1, 0, 4 }, { ADD_AXIS, 2, 0, 0 },
    { SYNC, 0, 0, 0 },    { PREPEND, 2, 1, 0 }, { TRIM, 0, 5, 0 },
};

/* After this many steps. */
static struct bounds bounds_after(int n)
{
    struct bounds b = { 2, { 0, 0, 0 }, { NUMBERS_ROWS, NUMBERS_COLUMNS, 1 } };

    for (int i = 0; i < n; i++) {
        const int axis = steps[i].axis;

        if (steps[i].what == PREPEND || steps[i].what == BEFORE)
            b.lower[axis] -= steps[i].n;
        if (steps[i].what == TRIM)
            b.lower[axis] += steps[i].n;
        b.shape[axis] += steps[i].what == TRIM ? -steps[i].n - steps[i].m : steps[i].n;
        b.ndim += steps[i].what == ADD_AXIS;
    }
    return b;
}

static bool has_bounds(drx_array *a, const struct bounds *b)
{
    return drx_ndim(a) == b->ndim && memcmp(drx_lower(a), b->lower, (size_t)b->ndim * sizeof *b->lower) == 0 &&
           memcmp(drx_shape(a), b->shape, (size_t)b->ndim * sizeof *b->shape) == 0;
}

static int32_t value_at(const struct bounds *b, const int64_t lo[], const int64_t in_box[])
{
    const int64_t i = lo[0] + in_box[0], j = lo[1] + in_box[1], k = b->ndim > 2 ? lo[2] + in_box[2] : 0;

    return k == 0 && (j == -2 || j == -1) ? NUMBERS_FILL : number(i, j) + (k < 0 ? SECOND_RUN : 0);
}

static void compose(const struct bounds *b, const int64_t lo[], const int64_t count[], int32_t buf[])
{
    int64_t in_box[3] = { 0 };
    int n = 0;

    do {
        assert_true(n < MOST_ELEMENTS);
        buf[n++] = value_at(b, lo, in_box);
    } while (next_index(b->ndim, count, in_box));
}

static drx_status add_slab(drx_array *a, int step)
{
    const struct bounds b = bounds_after(step);
    const int axis = steps[step].axis;
    int64_t lo[3], count[3];
    int32_t buf[MOST_ELEMENTS];

    memcpy(lo, b.lower, sizeof lo);
    memcpy(count, b.shape, sizeof count);
    lo[axis] += steps[step].what == PREPEND ? -steps[step].n : b.shape[axis];
    count[axis] = steps[step].n;
    compose(&b, lo, count, buf);
    return steps[step].what == PREPEND ? drx_prepend(a, axis, steps[step].n, DRX_ROW_MAJOR, buf)
                                       : drx_append(a, axis, steps[step].n, DRX_ROW_MAJOR, buf);
}

static drx_status do_step(drx_array *a, int step)
{
    switch (steps[step].what) {
    case BEFORE:
        return drx_extend_before(a, steps[step].axis, steps[step].n);
    case TRIM:
        return drx_trim(a, steps[step].axis, steps[step].n, steps[step].m);
    case ADD_AXIS:
        return drx_add_axis(a, steps[step].axis, "run");
    case SYNC:
        return drx_sync(a);
    default:
        return add_slab(a, step);
    }
}

static void prepare(struct trial *t)
{
    numbers_make("left/a", t->of->stripes);
    t->own = calloc(1, sizeof(struct progress));
    assert_non_null(t->own);
}

static drx_status play(struct trial *t)
{
    struct progress *p = t->own;
    drx_status st = drx_open("left/a", t->of->how & SHARED ? DRX_SHARED : DRX_RDWR, &t->a[0]);

    for (p->step = 0; !st && p->step < STEPS; p->step += !st)
        st = do_step(t->a[0], p->step);
    return st;
}

/* All elements are there. */
static void require(drx_array *a, const struct bounds *b)
{
    int32_t want[MOST_ELEMENTS], got[MOST_ELEMENTS];

    compose(b, b->lower, b->shape, want);
    assert_ok(drx_read(a, b->lower, b->shape, DRX_ROW_MAJOR, got));
    assert_memory_equal(want, got, (size_t)(b->shape[0] * b->shape[1] * b->shape[2]) * sizeof *got);
}

static void require_fill(drx_array *a, int axis, int64_t lo, int64_t n)
{
    int64_t first[3], count[3], items = 1;
    int32_t got[MOST_ELEMENTS];

    memcpy(first, drx_lower(a), (size_t)drx_ndim(a) * sizeof *first);
    memcpy(count, drx_shape(a), (size_t)drx_ndim(a) * sizeof *count);
    first[axis] = lo;
    count[axis] = n;
    for (int j = 0; j < drx_ndim(a); j++)
        items *= count[j];
    assert_true(items <= MOST_ELEMENTS);
    assert_ok(drx_read(a, first, count, DRX_ROW_MAJOR, got));
    for (int64_t i = 0; i < items; i++)
        assert_int_equal(got[i], NUMBERS_FILL);
}

/* Growth at every end shows nothing but fill. */
static void grow_everywhere(drx_array *a)
{
    for (int j = 0; j < drx_ndim(a); j++) {
        assert_ok(drx_extend_before(a, j, 2));
        require_fill(a, j, drx_lower(a)[j], 2);
        assert_ok(drx_extend(a, j, 2));
        require_fill(a, j, drx_lower(a)[j] + drx_shape(a)[j] - 2, 2);
    }
}

/* The state before the step that failed, or, when only its undoing or what follows it failed, after it. */
static void check(struct trial *t, drx_status st)
{
    const struct progress *p = t->own;
    const struct bounds before = bounds_after(p->step), after = bounds_after(p->step < STEPS ? p->step + 1 : STEPS);
    drx_array *a;

    if (t->a[0])
        assert_true(has_bounds(t->a[0], &before));
    if (t->a[0] && !t->persistent && !numbers_sums)
        require(t->a[0], &before);
    trial_close(t, 0);
    assert_ok(drx_open("left/a", DRX_RDWR, &a));
    assert_true(has_bounds(a, &before) || (st && has_bounds(a, &after)));
    require(a, has_bounds(a, &before) ? &before : &after);
    assert_ok(drx_close(a));
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
    assert_ok(drx_open("left/a", DRX_RDWR, &a));
    grow_everywhere(a);
    assert_ok(drx_close(a));
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
}

/* As a crash leaves it: a prepend not committed, with data in old chunks and new ones, and a torn record. */
static void prepare_crash(struct trial *t)
{
    struct stat meta;
    drx_array *a;

    prepare(t);
    assert_ok(drx_open("left/a", DRX_RDWR, &a));
    for (int i = 0; i <= CRASHED; i++)
        assert_ok(do_step(a, i));
    assert_ok(drx_close(a));
    assert_int_equal(stat("left/a.xmd", &meta), 0);
    assert_int_equal(truncate("left/a.xmd", meta.st_size - 8), 0); /* the GROW is not whole */
    ((struct progress *)t->own)->step = CRASHED;
}

static drx_status recover(struct trial *t)
{
    drx_status st = drx_open("left/a", DRX_RDWR, &t->a[0]);

    return st ? st : drx_sync(t->a[0]);
}

static void check_recovered(struct trial *t, drx_status st)
{
    const struct bounds before = bounds_after(CRASHED);

    if (t->a[0])
        assert_true(has_bounds(t->a[0], &before));
    trial_close(t, 0);
    check(t, DRX_OK);
}

/* A reader that opened it before, and refreshes. */
static void prepare_reader(struct trial *t)
{
    drx_array *writer;

    prepare(t);
    assert_ok(drx_open("left/a", DRX_RDONLY, &t->a[0]));
    assert_ok(drx_open("left/a", DRX_RDWR, &writer));
    for (int i = 0; i < REFRESHED; i++)
        assert_ok(do_step(writer, i));
    assert_ok(drx_close(writer));
}

/* Without a refresh what is left is read, and what was trimmed is refused. */
static drx_status refresh(struct trial *t)
{
    int32_t value = 0;
    drx_status st = drx_get(t->a[0], (int64_t[]){ 3, 4 }, &value);

    if (st)
        return st;
    assert_int_equal(value, number(3, 4));
    st = drx_get(t->a[0], (int64_t[]){ 3, NUMBERS_COLUMNS - 1 }, &value);
    assert_int_not_equal(st, DRX_OK);
    return st == DRX_ERANGE ? drx_refresh(t->a[0]) : st;
}

/* The state after some of the changes; and the next refresh gives the last one. */
static void check_refreshed(struct trial *t, drx_status st)
{
    const struct bounds now = bounds_after(REFRESHED);
    struct bounds b = now;

    for (int i = 0; st && i < REFRESHED && !has_bounds(t->a[0], &b); i++)
        b = bounds_after(i);
    assert_true(has_bounds(t->a[0], &b));
    assert_ok(drx_refresh(t->a[0]));
    assert_true(has_bounds(t->a[0], &now));
    require(t->a[0], &now);
}

// clang-format off
#define PLAY prepare, play, check
const struct scenario scenarios_ends[] = {
    { "low ends, trims, a new axis", "left/", PLAY, .stripes = 0 },
    { "the same ends with stripes",  "/",     PLAY, .how = LIKE, .stripes = 2 },
    { "the same ends compacting",    "left/", PLAY, CALL_ALL, .how = COMPACTING | LIKE },
    { "the same ends shared",        "left/", PLAY, .how = SHARED | LIKE },
    { "open after a cut prepend",    "left/", prepare_crash, recover, check_recovered, .stripes = 0 },
    { "refresh after trims",         "left/", prepare_reader, refresh, check_refreshed, .stripes = 0 },
    { 0 }
};
// clang-format on
