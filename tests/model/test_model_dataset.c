/* Random transactions of a dataset against planes in memory, by one handle or by several that share it; some
 * processes die in theirs. Readers of any commit stay open beside them: they get each variable at any time, with the
 * bounds and attributes of their commit, and read boxes of which nothing was trimmed since. Variables lie in groups
 * in every other history. One of them has a dimension twice.
 *
 * DRX_SEED repeats the history for which it is printed, and goes on. */
#include <unistd.h>

#include "drx_dataset.h"
#include "processes.h"
#include "testing.h"

enum {
    HANDLES = 3,
    DIMS = 2,
    VARS = 5,
    MIDDLE = 40,
    SPAN = 2 * MIDDLE,
    READERS = 4,
    STEPS = 80,
    MOST_COMMITS = STEPS + 2
};

static const char *const dims[DIMS] = { "x", "y" };
static const int dims_of[VARS][DIMS] = { { 0 }, { 1, 0 }, { 0, 1 }, { 1 }, { 0, 0 } };
static const int ndims[VARS] = { 1, 2, 2, 1, 2 };
static const char *const plain[VARS] = { "line", "plane", "turned", "column", "square" };
static const char *const grouped[VARS] = { "line", "g/plane", "g/h/turned", "k/column", "g/square" };
static const char *const groups[] = { "g", "g/h", "k" };

struct bounds {
    int64_t lower[DIMS], upper[DIMS];
    int32_t attr[VARS + 1]; /* the last one is that of the dataset; 0: none */
};

struct reader {
    drx_dataset *ds; /* NULL: not open */
    bool follows;
    int64_t commit, known; /* that it shows; the last one when it read the log */
    int64_t forgotten;     /* how often then */
    drx_array *a[VARS];    /* NULL: not asked for */
};

static uint64_t seed;
static drx_dataset *ds, *handle[HANDLES]; /* that has the transaction; all */
static bool sharing, begun;
static const char *const *names;
static struct bounds now, at_commit[MOST_COMMITS];
static int64_t last, oldest, forgotten;       /* commits; how often some were */
static bool changed, wrote, trimmed[DIMS][2]; /* in this transaction; at the low end, at the high end */
static int32_t cell[VARS][SPAN][SPAN];        /* from index -MIDDLE on, in the order of a variable's axes */
static int32_t fresh;
static struct reader reader[READERS];

static int64_t below(int64_t n)
{
    return random_below(&seed, n);
}

static int32_t *cell_at(int v, const int64_t index[])
{
    return &cell[v][MIDDLE + index[0]][ndims[v] > 1 ? MIDDLE + index[1] : 0];
}

/* The bounds of a variable. */
static void box_of(int v, const struct bounds *b, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < ndims[v]; j++) {
        lo[j] = b->lower[dims_of[v][j]];
        count[j] = b->upper[dims_of[v][j]] - lo[j];
    }
}

static void draw_inside(int v, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < ndims[v]; j++) {
        const int64_t from = below(count[j] + 1);

        lo[j] += from;
        count[j] = below(count[j] - from + 1);
    }
}

/* The elements of a box, to or from the planes. */
static int64_t move(int v, const int64_t lo[], const int64_t count[], int32_t *values, bool store)
{
    int64_t i[DIMS] = { 0 }, n = 0;

    for (int j = 0; j < ndims[v]; j++)
        if (count[j] == 0)
            return 0;
    do {
        const int64_t index[DIMS] = { lo[0] + i[0], ndims[v] > 1 ? lo[1] + i[1] : 0 };

        if (store)
            *cell_at(v, index) = values[n++];
        else
            values[n++] = *cell_at(v, index);
    } while (next_index(ndims[v], count, i));
    return n;
}

static int32_t fill_of(int v)
{
    return v % 2 ? -1 : 0;
}

static drx_dataset *any_handle(void)
{
    return handle[sharing ? below(HANDLES) : 0];
}

/* One of them changes the dataset, and sees what the others have committed. */
static void start_change(void)
{
    if (!sharing || begun)
        return;
    ds = any_handle();
    assert_ok(drx_dataset_begin(ds));
    assert_int_equal(drx_dataset_shown(ds), last);
    begun = true;
}

/* The new ones along a dimension hold the fill. */
static void uncover(int d, int64_t from, int64_t by)
{
    for (int v = 0; v < VARS; v++)
        for (int j = 0; j < ndims[v]; j++)
            for (int64_t i = 0; dims_of[v][j] == d && i < by; i++)
                for (int64_t k = 0; k < SPAN; k++)
                    *(j == 0 ? &cell[v][from + i + MIDDLE][k] : &cell[v][k][from + i + MIDDLE]) = fill_of(v);
}

static void grow(void)
{
    const int d = (int)below(DIMS);
    const bool high = below(3);
    const int64_t room = high ? MIDDLE - now.upper[d] : MIDDLE + now.lower[d], most = room < 6 ? room : 6;
    const struct bounds before = now;
    int64_t by;

    if (most == 0)
        return;
    start_change();
    by = 1 + below(most);
    assert_status(high ? drx_dataset_extend(ds, dims[d], by) : drx_dataset_extend_before(ds, dims[d], by),
                  trimmed[d][high] ? DRX_EINVAL : DRX_OK);
    if (trimmed[d][high])
        return;
    changed = true;
    *(high ? &now.upper[d] : &now.lower[d]) += high ? by : -by;
    uncover(d, high ? before.upper[d] : now.lower[d], by);
}

/* A commit of its own, by any handle. */
static void reserve(void)
{
    const int d = (int)below(DIMS);
    const bool high = below(2);
    const int64_t room = high ? MIDDLE - now.upper[d] : MIDDLE + now.lower[d], by = below((room < 4 ? room : 4) + 1);
    drx_dataset *of = begun || changed ? ds : any_handle();
    int64_t first;
    const drx_status st = (high ? drx_dataset_reserve : drx_dataset_reserve_before)(of, dims[d], by, &first);

    assert_int_equal(st, begun || changed ? DRX_EINVAL : DRX_OK); /* a transaction is in progress */
    if (st)
        return;
    assert_int_equal(first, high ? now.upper[d] : now.lower[d] - by);
    *(high ? &now.upper[d] : &now.lower[d]) += high ? by : -by;
    uncover(d, first, by);
    last += by > 0;
    at_commit[last] = now;
    assert_int_equal(drx_dataset_last(of), last);
}

static void trim(void)
{
    const int d = (int)below(DIMS);
    const int64_t extent = now.upper[d] - now.lower[d], most = below(5) ? 3 : extent;
    const int64_t low = below((most < extent ? most : extent) + 1),
                  high = below((most < extent - low ? most : extent - low) + 1);

    start_change();
    assert_ok(drx_dataset_trim(ds, dims[d], low, high));
    now.lower[d] += low;
    now.upper[d] -= high;
    trimmed[d][0] = trimmed[d][0] || low > 0;
    trimmed[d][1] = trimmed[d][1] || high > 0;
    changed = changed || low + high > 0;
}

/* What commits up to `end` have left of a commit. */
static struct bounds left_of(int64_t commit, int64_t end)
{
    struct bounds b = at_commit[commit];

    for (int64_t k = commit + 1; k <= end; k++)
        for (int d = 0; d < DIMS; d++) {
            b.lower[d] = b.lower[d] > at_commit[k].lower[d] ? b.lower[d] : at_commit[k].lower[d];
            b.upper[d] = b.upper[d] < at_commit[k].upper[d] ? b.upper[d] : at_commit[k].upper[d];
        }
    return b;
}

static bool is_left(int v, const struct bounds *left, const int64_t lo[], const int64_t count[])
{
    for (int j = 0; j < ndims[v]; j++) {
        const int d = dims_of[v][j];

        if (lo[j] < left->lower[d] || lo[j] + count[j] > left->upper[d])
            return false;
    }
    return true;
}

/* A write without a transaction, by a handle that shows any commit. It may go to what was trimmed since, which nobody
 * has uncovered again; else it is refused. */
static void write_beside(drx_dataset *of, int v, const int32_t values[])
{
    int64_t lo[DIMS], count[DIMS], i[DIMS] = { 0 }, n = 0;
    struct bounds left;
    drx_array *a;
    drx_status st;

    assert_ok(drx_dataset_array(of, names[v], &a));
    left = left_of(drx_dataset_shown(of), last);
    box_of(v, &at_commit[drx_dataset_shown(of)], lo, count);
    draw_inside(v, lo, count);
    st = drx_write(a, lo, count, DRX_ROW_MAJOR, values);
    for (int j = 0; j < ndims[v]; j++)
        if (count[j] == 0)
            return;
    if (st && (st != DRX_ERANGE || is_left(v, &left, lo, count)))
        fail_msg("%s at commit %d of %d: writing gave %d: %s\n", names[v], (int)drx_dataset_shown(of), (int)last,
                 (int)st, drx_last_error());
    if (st)
        return;
    do {
        const int64_t index[DIMS] = { lo[0] + i[0], ndims[v] > 1 ? lo[1] + i[1] : 0 }, one[DIMS] = { 1, 1 };

        if (is_left(v, &left, index, one))
            *cell_at(v, index) = values[n];
        n++;
    } while (next_index(ndims[v], count, i));
}

static void write_box(void)
{
    static int32_t values[SPAN * SPAN];
    const int v = (int)below(VARS);
    int64_t lo[DIMS], count[DIMS];
    drx_array *a;

    for (int i = 0; i < SPAN * SPAN; i++)
        values[i] = ++fresh;
    if (sharing && !begun) {
        write_beside(any_handle(), v, values);
        return;
    }
    box_of(v, &now, lo, count);
    draw_inside(v, lo, count);
    assert_ok(drx_dataset_array(ds, names[v], &a));
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, values));
    wrote = move(v, lo, count, values, true) > 0 || wrote;
}

static int32_t attr_of(drx_dataset *from, drx_array *a)
{
    const void *value = NULL;
    const drx_status st = a ? drx_attr_get(a, "note", NULL, NULL, &value)
                            : drx_dataset_attr_get(from, DRX_DATASET, NULL, "note", NULL, NULL, &value);

    return st ? 0 : *(const int32_t *)value;
}

static void set_attr(void)
{
    const int v = (int)below(VARS + 1);
    const int32_t value = (int32_t)below(3);
    drx_array *a = NULL;

    start_change();
    if (v < VARS)
        assert_ok(drx_dataset_array(ds, names[v], &a));
    if (value)
        assert_ok(a ? drx_attr_set(a, "note", DRX_INT32, 1, &value)
                    : drx_dataset_attr_set(ds, DRX_DATASET, NULL, "note", DRX_INT32, 1, &value));
    else
        assert_status(a ? drx_attr_delete(a, "note") : drx_dataset_attr_delete(ds, DRX_DATASET, NULL, "note"),
                      now.attr[v] ? DRX_OK : DRX_ENOENT);
    changed = changed || value || now.attr[v];
    now.attr[v] = value;
    assert_int_equal(attr_of(ds, a), value);
}

static void begin_transaction(void)
{
    now = at_commit[last];
    changed = wrote = begun = false;
    memset(trimmed, 0, sizeof trimmed);
}

static void commit(void)
{
    ds = begun ? ds : any_handle();
    assert_ok(drx_dataset_commit(ds, below(2) ? "a commit" : NULL));
    if (changed || (wrote && drx_dataset_last(ds) > last))
        at_commit[++last] = now;
    assert_true(drx_dataset_last(ds) == last || (sharing && !begun && drx_dataset_last(ds) < last));
    begin_transaction();
}

/* A process that dies in its transaction. */
static bool change_and_die(int ignored)
{
    drx_dataset *of;

    (void)ignored;
    if (!did(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &of)) || !did(drx_dataset_begin(of)))
        return false;
    for (int n = (int)below(4); n >= 0; n--) {
        const int d = (int)below(DIMS), v = (int)below(VARS);
        const bool high = below(2);
        static int32_t values[SPAN * SPAN * 4];
        int64_t lo[DIMS], count[DIMS];
        drx_array *a;

        if (!did((high ? drx_dataset_extend : drx_dataset_extend_before)(of, dims[d], 1 + below(4))) ||
            !did(drx_dataset_array(of, names[v], &a)))
            return false;
        for (int j = 0; j < ndims[v]; j++) {
            lo[j] = drx_lower(a)[j];
            count[j] = drx_shape(a)[j];
            if (dims_of[v][j] == d) {
                lo[j] += high ? count[j] - 1 : 0;
                count[j] = 1;
            }
        }
        memset(values, 0x77, sizeof values);
        if ((dims_of[v][0] == d || (ndims[v] > 1 && dims_of[v][1] == d)) &&
            !did(drx_write(a, lo, count, DRX_ROW_MAJOR, values)))
            return false;
        if (below(3) == 0 && !did(drx_dataset_attr_set_text(of, DRX_DATASET, NULL, "note", "of a dead one")))
            return false;
    }
    _exit(0);
}

static void die(void)
{
    finish(start(change_and_die, 0));
}

static void give_up(void)
{
    const int h = sharing ? (int)below(HANDLES) : 0;

    if (below(2)) {
        assert_ok(drx_dataset_abort(ds));
    } else if (sharing && !begun && below(2)) {
        die();
    } else if (!begun || ds == handle[h]) {
        assert_ok(drx_dataset_close(handle[h]));
        assert_ok(drx_dataset_open("d", sharing ? DRX_SHARED : DRX_RDWR, DRX_LAST, &handle[h]));
        ds = handle[h];
    } else {
        return;
    }
    begin_transaction();
}

static void forget(void)
{
    const int64_t n = oldest + below(last - oldest + 1);

    if (below(4)) /* less often than others */
        return;
    assert_status(drx_dataset_forget(ds, n), changed || sharing ? DRX_EBUSY : DRX_OK);
    if (sharing)
        return;
    forgotten += !changed;
    oldest = changed ? oldest : n;
    assert_int_equal(drx_dataset_oldest(ds), oldest);
}

static void open_reader(struct reader *r)
{
    const bool follows = below(2);
    const int64_t from = oldest > 1 ? oldest : 1, at = from + below(last - from + 1); /* commit 0 has no variables */

    *r = (struct reader){ .follows = follows, .commit = follows ? last : at, .known = last, .forgotten = forgotten };
    if (oldest > 0)
        assert_status(drx_dataset_open("d", DRX_RDONLY, below(oldest), &r->ds), DRX_ERANGE);
    assert_ok(drx_dataset_open("d", DRX_RDONLY, follows ? DRX_LAST : at, &r->ds));
}

/* A box that has lost something is refused, or, if the trim came since the reader read the log, holds what it held.
 * When the log was replaced twice since then, nobody can tell. */
static void read_box(struct reader *r, int v)
{
    static int32_t values[SPAN * SPAN], want[SPAN * SPAN];
    const struct bounds knows = left_of(r->commit, r->known), left = left_of(r->commit, last);
    int64_t lo[DIMS], count[DIMS], n = 1;
    bool may, must;
    drx_status st;

    box_of(v, &at_commit[r->commit], lo, count);
    assert_memory_equal(drx_lower(r->a[v]), lo, sizeof *lo * (size_t)ndims[v]);
    assert_memory_equal(drx_shape(r->a[v]), count, sizeof *count * (size_t)ndims[v]);
    assert_int_equal(attr_of(NULL, r->a[v]), at_commit[r->commit].attr[v]);
    assert_int_equal(attr_of(r->ds, NULL), at_commit[r->commit].attr[VARS]);
    if (below(2))
        draw_inside(v, lo, count);
    for (int j = 0; j < ndims[v]; j++)
        n *= count[j];
    may = n == 0 || is_left(v, &knows, lo, count);
    must = forgotten < r->forgotten + 2 && (n == 0 || is_left(v, &left, lo, count));
    st = drx_read(r->a[v], lo, count, DRX_ROW_MAJOR, values);
    if (!(st == DRX_OK && may) && !(st == DRX_ERANGE && !must))
        fail_msg("%s at commit %d of %d: reading gave %d: %s\n", names[v], (int)r->commit, (int)last, (int)st,
                 drx_last_error());
    if (!st && n > 0)
        assert_memory_equal(values, want, sizeof *want * (size_t)move(v, lo, count, want, false));
}

static void refresh(struct reader *r)
{
    assert_ok(drx_dataset_refresh(r->ds));
    if (r->follows) {
        r->commit = r->known = last;
        r->forgotten = forgotten;
    }
    assert_int_equal(drx_dataset_shown(r->ds), r->commit);
}

static void look(void)
{
    struct reader *r = &reader[below(READERS)];
    const int v = (int)below(VARS);

    if (!r->ds) {
        open_reader(r);
    } else if (below(12) == 0) {
        assert_ok(drx_dataset_close(r->ds));
        r->ds = NULL;
    } else if (below(8) == 0) {
        refresh(r);
    } else if (!r->a[v]) {
        assert_ok(drx_dataset_array(r->ds, names[v], &r->a[v]));
    } else {
        read_box(r, v);
    }
}

static void begin_history(void)
{
    static const int64_t chunk[DIMS] = { 3, 4 };

    last = oldest = forgotten = 0;
    memset(at_commit, 0, sizeof at_commit);
    sharing = false;
    names = below(2) ? plain : grouped;
    assert_ok(drx_dataset_create("d", &ds));
    handle[0] = ds;
    begin_transaction();
    if (below(2)) /* of nothing */
        commit();
    for (size_t i = 0; names == grouped && i < sizeof groups / sizeof *groups; i++)
        assert_ok(drx_dataset_add_group(ds, groups[i]));
    for (int d = 0; d < DIMS; d++)
        now.upper[d] = below(8);
    for (int v = 0; v < VARS; v++) {
        const int32_t fill = fill_of(v);
        const drx_codec codec = below(4) ? DRX_RAW : DRX_LZ4;
        static const char *const paths[DIMS] = { "/x",
                                                 "/y" }; /* else the first variable would have them in its group */
        const char *const axes[DIMS] = { paths[dims_of[v][0]], paths[dims_of[v][1]] };
        int64_t lo[DIMS], shape[DIMS];

        box_of(v, &now, lo, shape);
        assert_ok(drx_dataset_add(ds, names[v],
                                  &(drx_spec){ .ndim = ndims[v],
                                               .type = DRX_INT32,
                                               .shape = shape,
                                               .chunk = chunk,
                                               .dims = axes,
                                               .fill = &fill,
                                               .codec = codec,
                                               .flags = codec == DRX_RAW && below(3) == 0 ? DRX_CHECKSUM : 0 },
                                  NULL));
        for (int64_t i = 0; i < SPAN * SPAN; i++)
            cell[v][i / SPAN][i % SPAN] = fill;
    }
    changed = true;
    commit();
    if (!below(2))
        return;
    sharing = true;
    assert_ok(drx_dataset_close(ds));
    for (int i = 0; i < HANDLES; i++)
        assert_ok(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &handle[i]));
    ds = handle[0];
}

static void end_history(void)
{
    for (int i = 0; i < READERS; i++) {
        for (int v = 0; reader[i].ds && v < VARS; v++)
            if (reader[i].a[v])
                read_box(&reader[i], v);
        assert_ok(drx_dataset_close(reader[i].ds));
        reader[i].ds = NULL;
    }
    for (int i = 0; i < (sharing ? HANDLES : 1); i++)
        assert_ok(drx_dataset_close(handle[i]));
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("d"));
}

TEST(histories)
{
    static void (*const what[])(void) = { grow,   grow,    trim,   write_box, write_box, set_attr, commit,
                                          commit, give_up, forget, reserve,   look,      look,     look,
                                          look,   look,    look,   look,      look };
    const char *text = getenv("DRX_MODEL_OPS");
    const int64_t histories = text ? 1 + strtoll(text, NULL, 10) / 2000 : 40;

    seed = starting_seed(0);
    for (int64_t h = 0; h < histories; h++) {
        print_message("history %d: DRX_SEED=%llu\n", (int)h, (unsigned long long)seed);
        begin_history();
        for (int i = 0; i < STEPS; i++)
            what[below(sizeof what / sizeof *what)]();
        end_history();
    }
}
