/* Random transactions of a tree of groups against a list of what is there. Things keep the numbers under which the
 * model knows them, whatever their names become; each commit keeps a copy, to be compared at any time. Some writers die
 * in a transaction, and memory fails in some calls: then nothing has happened. Between transactions there are the files
 * and folders of what is there, and no others. At the end the reader of spec tells the same of the files
 * (list_tree.py).
 *
 * DRX_SEED repeats the history for which it is printed, and goes on. */
#include <ftw.h>
#include <unistd.h>

#include "base/base.h"
#include "defined.h"
#include "drx_dataset.h"
#include "processes.h"

enum { NAMES = 4, MOST = 400, STEPS = 120, MOST_COMMITS = 2 * STEPS, MOST_PATH = 400, MOST_DEPTH = 4, MOST_AXES = 4 };

static const char names[] = "abcd";

/* A group, dimension or variable, in the order of their making. */
struct thing {
    int part, in; /* the group; -1: the root */
    char name;
    int ndim, dim[MOST_AXES]; /* of a variable: things; -1: it is null, and its value 0 */
    drx_type type;            /* of four bytes */
    int64_t lower, n, value;  /* of a dimension; the element of index 0 of a variable, or its fill */
    int32_t note;             /* its attribute; 0: none */
    int64_t added;            /* by the transaction after that commit */
};

struct tree {
    int things;
    bool gone[MOST];
    struct thing of[MOST];
    int32_t note;
};

static uint64_t seed;
static drx_dataset *ds;
static struct tree now, at_commit[MOST_COMMITS];
static int64_t last, oldest;
static bool changed;
static bool faulty;           /* memory may fail */
static bool armed, fired;     /* in the next call; in the last one */
static bool untidy;           /* it did since the dataset was opened: a file may be left to the next writer */
static int axes;              /* that variables have got */
static drx_dataset *follower; /* a reader, with arrays lent before; NULL: not open */
static int64_t followed;      /* the commit that it shows */
static int axes_followed;     /* how many there were then */

static int below(int64_t n)
{
    return (int)random_below(&seed, n);
}

static int depth_of(const struct tree *t, int i)
{
    return i < 0 ? 0 : 1 + depth_of(t, t->of[i].in);
}

/* The path of a name in a group. */
static const char *path_in(const struct tree *t, int in, char name, char path[MOST_PATH])
{
    char above[MOST_PATH];

    if (in < 0)
        (void)snprintf(path, MOST_PATH, "%c", name);
    else
        (void)snprintf(path, MOST_PATH, "%.380s/%c", path_in(t, t->of[in].in, t->of[in].name, above), name);
    return path;
}

static const char *path_of(const struct tree *t, int i, char path[MOST_PATH])
{
    return path_in(t, t->of[i].in, t->of[i].name, path);
}

/* Whether a group is one, or above it; -1: the root. */
static bool is_above(const struct tree *t, int above, int group)
{
    while (group >= 0 && group != above)
        group = t->of[group].in;
    return group == above;
}

static int find(const struct tree *t, int in, char name, bool dimension)
{
    for (int i = 0; i < t->things; i++)
        if (!t->gone[i] && t->of[i].in == in && t->of[i].name == name && (t->of[i].part == DRX_DIMENSION) == dimension)
            return i;
    return -1;
}

/* The dimension that a plain name means in a group; -1: none yet. */
static int see(const struct tree *t, int group, char name)
{
    for (;; group = t->of[group].in) {
        const int d = find(t, group, name, true);

        if (d >= 0 || group < 0)
            return d;
    }
}

static void arm(void)
{
    armed = faulty && below(4) == 0;
    drxi_fail_allocation = armed ? 1 + below(below(2) ? 6 : 40) : 0;
}

/* Whether the call was carried out, or refused as expected; else it had no memory. */
static bool met(drx_status st, drx_status expected, int line)
{
    fired = armed && drxi_fail_allocation == 0;
    armed = false;
    drxi_fail_allocation = 0;
    untidy = untidy || fired;
    if (fired && st == DRX_ENOMEM)
        return false;
    check_status(st, expected, "a call", __FILE__, line);
    return true;
}

#define tried(call, expected) (arm(), met(call, expected, __LINE__))

static void reopen(void)
{
    untidy = false;
    while (!tried(drx_dataset_open("g", DRX_RDWR, DRX_LAST, &ds), DRX_OK))
        continue;
}

static void begin_transaction(void);

/* The transaction goes on, or begins again; or its commit was written. */
static void start_over(void)
{
    const drx_status st = drx_dataset_extend(ds, "none", 1);

    if (st == DRX_ENOENT || st == DRX_EINVAL)
        return;
    if (drx_dataset_abort(ds)) {
        (void)drx_dataset_close(ds);
        reopen();
    }
    if (changed && drx_dataset_last(ds) == last + 1)
        at_commit[++last] = now;
    assert_int_equal(drx_dataset_last(ds), last);
    assert_in_range(drx_dataset_oldest(ds), oldest, last);
    oldest = drx_dataset_oldest(ds);
    begin_transaction();
}

/* The same of a change of the dataset. */
#define done(call, expected) (tried(call, expected) || (start_over(), false))

/* One that is there, of a part; -1: there is none. */
static int draw(int part)
{
    int found = -1;

    for (int i = 0, n = 0; i < now.things; i++)
        if (!now.gone[i] && now.of[i].part == part && below(++n) == 0)
            found = i;
    return found;
}

static int draw_group(void)
{
    return below(3) ? draw(DRX_GROUP) : -1;
}

static int add_thing(struct thing thing)
{
    assert_true(now.things < MOST);
    thing.added = last;
    now.of[now.things] = thing;
    now.gone[now.things] = false;
    changed = true;
    return now.things++;
}

static void add_group(void)
{
    const int in = draw_group();
    const char name = names[below(NAMES)];
    char path[MOST_PATH];
    const bool taken = find(&now, in, name, false) >= 0;

    if (depth_of(&now, in) >= MOST_DEPTH)
        return;
    if (done(drx_dataset_add_group(ds, path_in(&now, in, name, path)), taken ? DRX_EEXIST : DRX_OK) && !taken)
        (void)add_thing((struct thing){ .part = DRX_GROUP, .in = in, .name = name });
}

static void add_dim(void)
{
    const int in = draw_group();
    const char name = names[below(NAMES)];
    const int64_t lower = -below(3), n = 1 + below(2) - lower; /* index 0 is in it */
    char path[MOST_PATH];
    const bool taken = find(&now, in, name, true) >= 0;

    if (done(drx_dataset_add_dim(ds, path_in(&now, in, name, path), lower, lower + n), taken ? DRX_EEXIST : DRX_OK) &&
        !taken)
        (void)add_thing((struct thing){ .part = DRX_DIMENSION, .in = in, .name = name, .lower = lower, .n = n });
}

/* Names of dimensions mean what was there before. */
static void add_variable(void)
{
    static const drx_member members[] = { { .name = "low", .type = DRX_INT16 },
                                          { .name = "high", .type = DRX_INT16, .offset = 2 } };
    const drx_type types[] = {
        DRX_INT32,
        DRX_UINT32,
        DRX_BYTES(4),
        DRX_UNICODE(1),
        define_type(&(drx_type_info){ .type_class = DRX_OPAQUE, .bytes = 4 }),
        define_type(&(drx_type_info){
            .type_class = DRX_COMPOUND, .name = "halves", .bytes = 4, .nmembers = 2, .members = members })
    };
    const int in = draw_group(), ndim = below(10) ? below(3) : -1;
    const char name = names[below(NAMES)];
    const int32_t fill = below(2);
    const int64_t n = 1 + below(2); /* of new dimensions */
    const drx_codec codec = below(4) ? DRX_RAW : DRX_LZ4;
    struct thing v = { .part = DRX_VARIABLE,
                       .in = in,
                       .name = name,
                       .ndim = ndim,
                       .type = types[below(6)],
                       .value = ndim < 0 ? 0 : fill };
    struct thing d[2];
    char path[MOST_PATH], dim_path[2][MOST_PATH];
    const char *const dim[2] = { dim_path[0], dim_path[1] };
    const bool taken = find(&now, in, name, false) >= 0;
    bool both;                                  /* axes have one new dimension */
    int64_t lower[2] = { 0 }, shape[2] = { 1 }; /* of a scalar */

    for (int j = 0; j < ndim; j++) {
        const bool by_path = below(2);

        d[j] = (struct thing){ .part = DRX_DIMENSION, .in = in, .name = names[below(NAMES)], .n = n };
        while (by_path && d[j].in >= 0 && below(2))
            d[j].in = now.of[d[j].in].in;
        v.dim[j] = by_path ? find(&now, d[j].in, d[j].name, true) : see(&now, in, d[j].name);
        lower[j] = v.dim[j] >= 0 ? now.of[v.dim[j]].lower : 0;
        shape[j] = v.dim[j] >= 0 ? now.of[v.dim[j]].n : n;
        if (by_path)
            (void)snprintf(dim_path[j], MOST_PATH, "%s%.390s", d[j].in < 0 ? "/" : "",
                           path_in(&now, d[j].in, d[j].name, path));
        else
            (void)snprintf(dim_path[j], MOST_PATH, "%c", d[j].name);
    }
    if (!done(drx_dataset_add(ds, path_in(&now, in, name, path),
                              ndim < 0 ? &(drx_spec){ .type = v.type }
                                       : &(drx_spec){ .ndim = ndim ? ndim : 1,
                                                      .type = v.type,
                                                      .shape = shape,
                                                      .lower = lower,
                                                      .chunk = (int64_t[]){ 2, 3 },
                                                      .fill = &fill,
                                                      .codec = codec,
                                                      .flags = codec == DRX_RAW && below(3) == 0 ? DRX_CHECKSUM : 0,
                                                      .dims = ndim ? dim : NULL },
                              NULL),
              taken ? DRX_EEXIST : DRX_OK))
        return;
    both = ndim > 1 && v.dim[0] < 0 && v.dim[1] < 0 && d[0].in == d[1].in && d[0].name == d[1].name;
    for (int j = 0; !taken && j < ndim; j++)
        if (v.dim[j] < 0)
            v.dim[j] = j > 0 && both ? v.dim[0] : add_thing(d[j]);
    if (!taken)
        (void)add_thing(v);
}

static void set_name(void)
{
    const int part = DRX_GROUP + below(3), i = draw(part);
    const char name = names[below(NAMES)];
    char from[MOST_PATH], to[MOST_PATH];
    bool taken;

    if (i < 0)
        return;
    taken = name != now.of[i].name && find(&now, now.of[i].in, name, part == DRX_DIMENSION) >= 0;
    if (!done(drx_dataset_set_name(ds, part, path_of(&now, i, from), path_in(&now, now.of[i].in, name, to)),
              taken ? DRX_EEXIST : DRX_OK) ||
        taken || name == now.of[i].name)
        return;
    now.of[i].name = name;
    changed = true;
}

static bool is_in(const struct tree *t, int i, int group)
{
    return i == group || is_above(t, group, t->of[i].in);
}

static void remove_thing(void)
{
    const int part = below(2) ? DRX_GROUP : DRX_VARIABLE, i = draw(part);
    char path[MOST_PATH];
    bool added = false;

    if (i < 0)
        return;
    for (int k = 0; k < now.things; k++)
        added =
            added || (!now.gone[k] && now.of[k].part != DRX_DIMENSION && now.of[k].added == last && is_in(&now, k, i));
    (void)path_of(&now, i, path);
    if (!done(part == DRX_GROUP ? drx_dataset_remove_group(ds, path) : drx_dataset_remove(ds, path),
              added ? DRX_EINVAL : DRX_OK))
        return;
    for (int k = 0; !added && k < now.things; k++)
        now.gone[k] = now.gone[k] || is_in(&now, k, i);
    changed = changed || !added;
}

static void commit(void), give_up(void);

/* A commit of its own: one more axis of a variable, whose new dimension or that of a group above has the index 0
 * alone. */
static void add_axis(void)
{
    const int v = draw(DRX_VARIABLE);
    const char name[] = { names[below(NAMES)], '\0' };
    struct thing *of;
    char path[MOST_PATH];
    drx_status expected;
    int at, dim;

    if (v < 0 || now.of[v].ndim == MOST_AXES)
        return;
    of = &now.of[v];
    commit();
    if (changed) /* it was not committed */
        return;
    at = of->ndim < 0 ? 0 : below(of->ndim + 1);
    dim = see(&now, of->in, name[0]);
    expected = of->ndim < 0                                                 ? DRX_EINVAL
               : dim >= 0 && (now.of[dim].n != 1 || now.of[dim].lower != 0) ? DRX_EMISMATCH
                                                                            : DRX_OK;
    for (int j = 0; j < of->ndim; j++)
        expected = of->dim[j] == dim ? DRX_EINVAL : expected;
    if (!done(drx_dataset_add_axis(ds, path_of(&now, v, path), at, name), expected) || expected)
        return;
    assert_status(drx_dataset_add_group(ds, "none"), DRX_EINVAL);
    if (dim < 0)
        dim = add_thing((struct thing){ .part = DRX_DIMENSION, .in = of->in, .name = name[0], .n = 1 });
    memmove(of->dim + at + 1, of->dim + at, sizeof *of->dim * (size_t)(of->ndim - at));
    of->dim[at] = dim;
    of->ndim++;
    changed = true;
    axes++;
    if (below(4))
        commit();
    if (changed) /* the next transaction does other things */
        give_up();
}

static void grow(void)
{
    const int d = draw(DRX_DIMENSION);
    const bool low = below(3) == 0;
    char path[MOST_PATH];

    if (d < 0 || now.of[d].n > 20)
        return;
    if (!done((low ? drx_dataset_extend_before : drx_dataset_extend)(ds, path_of(&now, d, path), 1), DRX_OK))
        return;
    now.of[d].lower -= low;
    now.of[d].n++;
    changed = true;
}

static void write_element(void)
{
    const int v = draw(DRX_VARIABLE);
    const int32_t value = 1 + below(1000);
    char path[MOST_PATH];
    drx_array *a;

    if (v < 0)
        return;
    if (!done(drx_dataset_array(ds, path_of(&now, v, path), &a), DRX_OK))
        return;
    assert_ok(drx_write(a, (int64_t[MOST_AXES]){ 0 }, (int64_t[MOST_AXES]){ now.of[v].ndim >= 0, 1, 1, 1 },
                        DRX_ROW_MAJOR, &value));
    if (now.of[v].ndim < 0)
        return;
    for (int64_t k = oldest; k <= last; k++) /* in place, at every commit */
        if (v < at_commit[k].things)
            at_commit[k].of[v].value = value;
    now.of[v].value = value;
}

static void set_attribute(void)
{
    const int part = below(4), i = part == DRX_DATASET ? -1 : draw(part);
    const int32_t value = below(3);
    int32_t *note = i < 0 ? &now.note : &now.of[i].note;
    char path[MOST_PATH];
    const char *const of = i < 0 ? (below(2) ? NULL : "") : path_of(&now, i, path);
    const drx_status expected = value || *note ? DRX_OK : DRX_ENOENT;
    drx_array *a = NULL;

    if (i < 0 && part != DRX_DATASET)
        return;
    if (part == DRX_VARIABLE && below(3) == 0 && !done(drx_dataset_array(ds, of, &a), DRX_OK))
        return;
    if (!done(!value          ? drx_dataset_attr_delete(ds, part, of, "note")
              : a && below(2) ? drx_attr_set(a, "note", DRX_INT32, 1, &value)
                              : drx_dataset_attr_set(ds, part, of, "note", DRX_INT32, 1, &value),
              expected))
        return;
    changed = changed || value || *note;
    *note = value;
}

/* ---- compared ---- */

static void expect_note(const drx_dataset *from, int part, const char *of, int32_t note)
{
    const void *value = NULL;

    assert_int_equal(drx_dataset_attr_count(from, part, of), note != 0);
    assert_status(drx_dataset_attr_get(from, part, of, "note", NULL, NULL, &value), note ? DRX_OK : DRX_ENOENT);
    if (note)
        assert_int_equal(*(const int32_t *)value, note);
}

static void expect_array(drx_array *a, const struct tree *t, const struct thing *v)
{
    int32_t value = -1;

    assert_int_equal(drx_ndim(a), v->ndim > 0 ? v->ndim : 1);
    assert_int_equal(drx_shape(a)[0] > 0, v->ndim >= 0);
    assert_int_equal(drx_dtype(a), v->type);
    for (int j = 0; j < v->ndim; j++) {
        assert_int_equal(drx_lower(a)[j], t->of[v->dim[j]].lower);
        assert_int_equal(drx_shape(a)[j], t->of[v->dim[j]].n);
        assert_int_equal(drx_dim_name(a, j)[0], t->of[v->dim[j]].name);
    }
    assert_true(v->ndim > 0 || !drx_dim_name(a, 0));
    assert_int_equal(drx_attr_count(a), v->note != 0);
    assert_status(drx_get(a, (int64_t[MOST_AXES]){ 0 }, &value), v->ndim < 0 ? DRX_ERANGE : DRX_OK);
    assert_int_equal(value, v->ndim < 0 ? -1 : v->value);
}

/* `left`: the files of those that are gone by now are not read. */
static void expect_variable(drx_dataset *from, const struct tree *t, const struct tree *left, int i, int number)
{
    const struct thing *v = &t->of[i];
    char path[MOST_PATH];
    drx_array *a;

    (void)path_of(t, i, path);
    assert_int_equal(drx_dataset_ndim(from, number), v->ndim);
    for (int j = 0; j < v->ndim; j++) {
        char dim[MOST_PATH];

        assert_int_equal(drx_dataset_axis(from, number, j), drx_dataset_dim_find(from, path_of(t, v->dim[j], dim)));
    }
    if (left->gone[i]) {
        assert_status(drx_dataset_array(from, path, &a), DRX_ENOENT);
        return;
    }
    while (!tried(drx_dataset_array(from, path, &a), DRX_OK))
        continue;
    expect_array(a, t, v);
}

static void expect_tree(drx_dataset *from, const struct tree *t, const struct tree *left)
{
    int n[DRX_TYPE] = { 0 };

    for (int i = 0; i < t->things; i++) {
        const struct thing *x = &t->of[i];
        const int number = n[x->part];
        char path[MOST_PATH];
        int64_t bound = -1;

        if (t->gone[i])
            continue;
        (void)path_of(t, i, path);
        assert_string_equal(x->part == DRX_GROUP       ? drx_dataset_group(from, number)
                            : x->part == DRX_DIMENSION ? drx_dataset_dim(from, number, &bound)
                                                       : drx_dataset_name(from, number),
                            path);
        assert_int_equal(x->part == DRX_GROUP       ? drx_dataset_group_find(from, path)
                         : x->part == DRX_DIMENSION ? drx_dataset_dim_find(from, path)
                                                    : drx_dataset_find(from, path),
                         number);
        if (x->part == DRX_DIMENSION) {
            assert_int_equal(drx_dataset_dim_lower(from, number), x->lower);
            assert_int_equal(bound, x->lower + x->n);
        }
        if (x->part == DRX_VARIABLE)
            expect_variable(from, t, left, i, number);
        expect_note(from, x->part, path, x->note);
        n[x->part]++;
    }
    assert_int_equal(drx_dataset_group_count(from), n[DRX_GROUP]);
    assert_int_equal(drx_dataset_dim_count(from), n[DRX_DIMENSION]);
    assert_int_equal(drx_dataset_count(from), n[DRX_VARIABLE]);
    expect_note(from, DRX_DATASET, NULL, t->note);
}

static int folders, data_files;

static int count_file(const char *path, const struct stat *st, int what, struct FTW *place)
{
    const char *const suffix = strrchr(path, '.');

    folders += what == FTW_D && place->level > 0;
    data_files += suffix && (strcmp(suffix, ".xta") == 0 || strcmp(suffix, ".xtz") == 0);
    return 0;
}

static void begin_transaction(void)
{
    int n[DRX_TYPE] = { 0 };

    now = at_commit[last];
    changed = false;
    for (int i = 0; i < now.things; i++)
        n[now.of[i].part] += !now.gone[i] && now.of[i].ndim >= 0; /* a null variable has no file */
    folders = data_files = 0;
    assert_int_equal(nftw("g", count_file, 10, FTW_PHYS), 0);
    assert_true(untidy ? folders >= n[DRX_GROUP] : folders == n[DRX_GROUP]);
    assert_true(untidy ? data_files >= n[DRX_VARIABLE] : data_files == n[DRX_VARIABLE]);
}

static void commit(void)
{
    const int64_t before = drx_dataset_last(ds);
    char message[20];

    (void)snprintf(message, sizeof message, "number %d", (int)last + 1);
    if (!done(drx_dataset_commit(ds, message), DRX_OK))
        return;
    assert_int_equal(drx_dataset_last(ds), before + changed);
    if (changed)
        at_commit[++last] = now;
    begin_transaction();
}

static void give_up(void)
{
    if (below(2)) {
        assert_ok(drx_dataset_abort(ds));
    } else {
        assert_ok(drx_dataset_close(ds));
        reopen();
    }
    begin_transaction();
}

static void (*const changes[])(void) = { add_group, add_group, add_dim,      add_variable, add_variable,
                                         set_name,  set_name,  remove_thing, grow,         set_attribute };

/* Another process dies in its transaction. */
static void die(void)
{
    pid_t child;

    if (below(3))
        return;
    commit();
    if (changed)
        return;
    assert_ok(drx_dataset_close(ds));
    child = fork_idle();
    if (child == 0) {
        reopen();
        for (int n = 1 + below(8); n > 0; n--)
            changes[below(sizeof changes / sizeof *changes)]();
        _exit(0);
    }
    finish(child);
    reopen();
    begin_transaction();
}

static void forget(void)
{
    const bool compacts = below(4) == 0;
    int64_t n;

    if (below(4))
        return;
    commit();
    if (changed)
        return;
    n = oldest + (compacts ? 0 : below(last - oldest + 1));
    if (done(compacts ? drx_dataset_compact(ds) : drx_dataset_forget(ds, n), DRX_OK))
        oldest = n;
}

/* A variable of a commit as an array alone. */
static void open_alone(int64_t at)
{
    const struct tree *const t = &at_commit[at];
    const int v = t->things ? below(t->things) : 0;
    char path[MOST_PATH], file[MOST_PATH + 2];
    drx_array *a;

    if (v >= t->things || t->gone[v] || t->of[v].part != DRX_VARIABLE)
        return;
    (void)snprintf(file, sizeof file, "g/%s", path_of(t, v, path));
    assert_status(at == last && below(2) ? drx_open(file, DRX_RDONLY, &a) : drx_open_at(file, at, &a),
                  at_commit[last].gone[v] ? DRX_ENOENT : DRX_OK);
    if (at_commit[last].gone[v])
        return;
    expect_array(a, t, &t->of[v]);
    assert_int_equal(drx_dataset_shown(drx_dataset_of(a)), at);
    assert_ok(drx_close(a));
}

static void look(void)
{
    drx_dataset *r;
    const int64_t at = oldest + below(last - oldest + 1);
    char message[20];
    drx_commit c;

    expect_tree(ds, &now, &now);
    assert_ok(drx_dataset_open("g", DRX_RDONLY, at, &r));
    assert_int_equal(drx_dataset_oldest(r), oldest);
    assert_int_equal(drx_dataset_last(r), last);
    assert_status(drx_dataset_commit_info(r, oldest - 1, &c), DRX_ERANGE);
    assert_ok(drx_dataset_commit_info(r, at, &c));
    (void)snprintf(message, sizeof message, "number %d", (int)at);
    assert_string_equal(c.message, at ? message : "created");
    expect_tree(r, &at_commit[at], &at_commit[last]);
    assert_ok(drx_dataset_close(r));
    open_alone(at);
}

static void end_following(void)
{
    assert_ok(drx_dataset_close(follower));
    follower = NULL;
}

/* A variable that it has open may have got an axis: then all is as it was. */
static void follow(void)
{
    drx_status st;

    if (!follower) {
        if (!tried(drx_dataset_open("g", DRX_RDONLY, DRX_LAST, &follower), DRX_OK))
            return;
        followed = last;
        axes_followed = axes;
    }
    arm();
    st = drx_dataset_refresh(follower);
    if (!met(st, st == DRX_EMISMATCH ? st : DRX_OK, __LINE__)) {
        assert_int_equal(drx_dataset_shown(follower), followed);
        return;
    }
    if (st) {
        assert_true(axes > axes_followed);
        assert_true(fired || drx_dataset_shown(follower) == followed);
        end_following();
        return;
    }
    followed = last;
    axes_followed = axes;
    expect_tree(follower, &at_commit[last], &at_commit[last]);
    if (below(4) == 0)
        end_following();
}

static void copy(void)
{
    drx_dataset *r;

    if (below(6))
        return;
    commit();
    if (changed)
        return;
    assert_ok(drx_dataset_close(ds));
    if (!tried(drx_dataset_duplicate("g", "copy"), DRX_OK)) {
        (void)drx_dataset_delete("copy"); /* it may have its name */
        reopen();
        begin_transaction();
        return;
    }
    assert_ok(drx_dataset_open("copy", DRX_RDONLY, DRX_LAST, &r));
    expect_tree(r, &at_commit[last], &at_commit[last]);
    assert_ok(drx_dataset_close(r));
    if (below(2)) {
        assert_ok(drx_dataset_delete("copy"));
        reopen();
    } else {
        reopen();
        assert_ok(drx_dataset_delete("copy"));
    }
    begin_transaction();
}

/* What the reader of spec lists of the last commit. */
static void ask_the_spec(void)
{
    const char *const source = getenv("DRX_SOURCE");
    char command[1024], line[MOST_PATH + 20], path[MOST_PATH], expected[MOST_PATH + 20];
    FILE *p;

    if (!source)
        return;
    (void)snprintf(command, sizeof command, "/usr/bin/python3 %s/tests/model/list_tree.py g", source);
    p = popen(command, "r");
    assert_non_null(p);
    for (int i = 0; i < now.things; i++) {
        const struct thing *x = &now.of[i];

        if (now.gone[i])
            continue;
        (void)snprintf(expected, sizeof expected, "%d %s %d %d\n", x->part, path_of(&now, i, path), (int)x->note,
                       (int)(x->part == DRX_GROUP       ? 0
                             : x->part == DRX_DIMENSION ? x->lower + x->n
                                                        : x->value));
        assert_non_null(fgets(line, sizeof line, p));
        assert_string_equal(line, expected);
    }
    assert_null(fgets(line, sizeof line, p));
    assert_int_equal(pclose(p), 0);
}

TEST(histories)
{
    static void (*const what[])(void) = { add_group, add_group,    add_dim, add_variable,  add_variable,  set_name,
                                          set_name,  remove_thing, grow,    write_element, set_attribute, set_attribute,
                                          commit,    commit,       give_up, forget,        look,          follow,
                                          copy,      add_axis,     die };
    const char *text = getenv("DRX_MODEL_OPS");
    const int64_t histories = text ? 1 + strtoll(text, NULL, 10) / 2000 : 40;

    seed = starting_seed(0);
    for (int64_t h = 0; h < histories; h++) {
        print_message("history %d: DRX_SEED=%llu\n", (int)h, (unsigned long long)seed);
        memset(&at_commit[0], 0, sizeof at_commit[0]);
        last = oldest = axes = 0;
        faulty = h % 3 > 0;
        untidy = false;
        assert_ok(drx_dataset_create("g", &ds));
        begin_transaction();
        for (int i = 0; i < STEPS; i++)
            what[below(sizeof what / sizeof *what)]();
        faulty = false;
        commit();
        look();
        end_following();
        assert_ok(drx_dataset_close(ds));
        assert_ok(drx_dataset_check("g", NULL, NULL, NULL, NULL));
        if (h % 2) /* which takes longer than a history */
            ask_the_spec();
        assert_ok(drx_dataset_delete("g"));
    }
}
