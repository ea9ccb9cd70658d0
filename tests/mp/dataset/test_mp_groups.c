/* Groups, other names and attributes by part on many ranks: the files are those of one process that makes the same
 * calls. */
#include "mp_twins.h"

static const char *const dim_x[] = { "x" };

/* With the bounds that its dimension has, as far as it is of the group, or of the root. */
static drx_status add_variable(const struct twin *t, const char *name, const char *dim, int version)
{
    int64_t lower = 0, count = 3;
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT32,
                            .shape = &count,
                            .lower = &lower,
                            .chunk = (int64_t[]){ 2 },
                            .dims = dim_x,
                            .codec = version % 3 ? DRX_RAW : DRX_LZ4 };

    if (drx_dataset_dim_find(twin_view(t), dim) >= 0)
        bounds_of(twin_view(t), dim, &lower, &count);
    number_next(100 + version);
    return CALL(t, add, name, &spec, NULL);
}

/* The first element, by the last rank. `v` of the root has 64 bits, others the low half. */
static void write_to(const struct twin *t, const char *name, int64_t value)
{
    drxmp_array *m = NULL;
    drx_array *a;

    if (drx_dataset_find(twin_view(t), name) < 0)
        return;
    if (t->d)
        assert_ok(drxmp_dataset_array(t->d, name, &m));
    else
        assert_ok(drx_dataset_array(t->ds, name, &a));
    a = m ? drxmp_serial(m) : a;
    if (drx_shape(a)[0] > 0 && (!m || mp_rank == mp_ranks - 1))
        assert_ok(drx_put(a, drx_lower(a), &value));
}

static void make_tree(const struct twin *t)
{
    assert_ok(CALL(t, add_group, "a"));
    assert_ok(CALL(t, add_group, "a/b"));
    assert_ok(CALL(t, add_dim, "a/alone", -2, 5));
    assert_ok(add_variable(t, "a/v", "a/x", 1));
    assert_ok(add_variable(t, "a/b/v", "a/x", 2));
    write_to(t, "a/b/v", 5);
    assert_ok(twin_commit(t, "a tree"));
}

static void change_tree(const struct twin *t)
{
    make_tree(t);
    assert_ok(twin_grow(t, "a/x", 2));
    assert_ok(CALL(t, set_name, DRX_DIMENSION, "a/x", "a/y"));
    assert_ok(CALL(t, set_name, DRX_GROUP, "a", "top"));
    assert_ok(CALL(t, set_name, DRX_VARIABLE, "top/b/v", "top/b/w"));
    assert_ok(CALL(t, attr_set_text, DRX_GROUP, "top/b", "note", "of a group"));
    assert_ok(CALL(t, attr_set, DRX_DIMENSION, "top/y", "n", DRX_INT32, 1, &(int32_t){ 3 }));
    assert_ok(CALL(t, attr_set_text, DRX_VARIABLE, "top/b/w", "units", "K"));
    assert_ok(CALL(t, attr_set_text, DRX_VARIABLE, "u", "units", "m"));
    assert_ok(CALL(t, attr_set_text, DRX_DATASET, NULL, "title", "both"));
    assert_ok(twin_commit(t, "names"));
    assert_ok(CALL(t, attr_delete, DRX_GROUP, "top/b", "note"));
    assert_ok(CALL(t, add_group, "top/b/late"));
    assert_ok(add_variable(t, "top/b/late/v", "none", 3));
    assert_ok(CALL(t, set_name, DRX_DIMENSION, "top/y", "top/z"));
    assert_ok(t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds));
    assert_ok(CALL(t, add_group, "a"));
    assert_ok(CALL(t, remove_group, "top/b"));
    assert_ok(twin_grow(t, "top/y", -1));
    assert_ok(twin_commit(t, "less"));
    assert_int_equal(drx_dataset_group_count(twin_view(t)), 2);
    assert_string_equal(drx_dataset_group(twin_view(t), 1), "a");
    assert_bound(twin_view(t), "top/y", 5);
}

TEST(groups_are_those_of_one)
{
    make_twins();
    twins_play(change_tree);
}

/* On every rank. */
TEST(arrays_that_are_lent_follow_names)
{
    struct twin many;
    drxmp_array *v, *w;
    const char *text;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    make_tree(&many);
    assert_ok(drxmp_dataset_array(many.d, "a/b/v", &v));
    assert_ok(twin_grow(&many, "a/x", 1));
    assert_ok(drxmp_dataset_set_name(many.d, DRX_DIMENSION, "a/x", "a/y"));
    assert_ok(drxmp_dataset_attr_set_text(many.d, DRX_VARIABLE, "a/b/v", "units", "K"));
    assert_string_equal(drx_dim_name(drxmp_serial(v), 0), "y");
    assert_int_equal(drx_shape(drxmp_serial(v))[0], 4);
    assert_ok(drx_attr_get(drxmp_serial(v), "units", NULL, NULL, (const void **)&text));
    assert_string_equal(text, "K");
    assert_ok(drxmp_dataset_abort(many.d));
    assert_string_equal(drx_dim_name(drxmp_serial(v), 0), "x");
    assert_int_equal(drx_attr_count(drxmp_serial(v)), 0);
    assert_int_equal(drx_shape(drxmp_serial(v))[0], 3);
    assert_ok(drxmp_dataset_set_name(many.d, DRX_GROUP, "a/b", "a/c"));
    assert_ok(drxmp_dataset_array(many.d, "a/c/v", &w));
    assert_ptr_equal(v, w);
    assert_ok(drxmp_dataset_remove_group(many.d, "a"));
    assert_fails(drxmp_dataset_array(many.d, "a/c/v", &w), DRX_ENOENT, "a/c/v");
    assert_ok(twin_commit(&many, NULL));
    assert_status(drxmp_write(v, (int64_t[]){ 0 }, (int64_t[]){ 0 }, DRX_ROW_MAJOR, &text), DRX_ENOENT);
    assert_fails(drxmp_dataset_add_group(many.d, "b/c"), DRX_ENOENT, "has no group 'b'");
    assert_fails(drxmp_dataset_set_name(many.d, DRX_VARIABLE, "u", "v"), DRX_EEXIST, "has a variable 'v'");
    assert_fails(drxmp_dataset_remove_group(many.d, "b"), DRX_ENOENT, "has no group 'b'");
    if (mp_ranks > 1) {
        assert_fails(drxmp_dataset_add_group(many.d, mp_rank ? "b" : "c"), DRX_EMISMATCH, "the name");
        assert_fails(drxmp_dataset_set_name(many.d, mp_rank ? DRX_GROUP : DRX_VARIABLE, "u", "w"), DRX_EMISMATCH,
                     "the part");
        assert_fails(drxmp_dataset_attr_delete(many.d, DRX_GROUP, mp_rank ? "b" : "c", "n"), DRX_EMISMATCH, "its path");
    }
    assert_ok(drxmp_dataset_close(many.d));
}

TEST(a_variable_of_a_group_is_opened_alone)
{
    struct twin many;
    drxmp_array *v;
    int32_t value = 0;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    make_tree(&many);
    assert_ok(drxmp_dataset_set_name(many.d, DRX_GROUP, "a", "top"));
    assert_ok(twin_commit(&many, NULL));
    assert_ok(drxmp_dataset_close(many.d));
    assert_ok(drxmp_open(mp_comm, "many/top/b/v", DRX_RDONLY, &v));
    assert_ok(drxmp_read(v, (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, 5);
    assert_ok(drxmp_close(v));
    assert_ok(drxmp_open_at(mp_comm, "many/a/b/v", 2, &v));
    assert_ok(drxmp_close(v));
    assert_fails(drxmp_open(mp_comm, "many/a/b/v", DRX_RDONLY, &v), DRX_ENOENT, "many/a/b/v");
    assert_fails(drxmp_open_at(mp_comm, "many/top/b/v", 2, &v), DRX_ENOENT, "top/b/v");
    assert_fails(drxmp_open_at(mp_comm, "nowhere/top/b/v", 2, &v), DRX_ENOENT, "nowhere/top/b/v");
    if (mp_ranks > 1)
        assert_fails(drxmp_open_at(mp_comm, mp_rank ? "many/top/b/v" : "many/u", 3, &v), DRX_EMISMATCH, "the path");
}

/* ---- random trees ---- */

static const char *const groups[] = { "a", "b", "a/a", "a/b", "b/a", "a/a/b" };
static const char *const names[] = { "v", "a/v", "a/w", "b/v", "a/a/v", "a/a/w", "a/b/v", "b/a/w", "a/a/b/v" };
static const char *const dims[] = { "x", "a/x", "b/x", "a/a/x", "a/b/y", "a/y" };
enum { GROUPS = 6, NAMES = 9, DIMS = 6, STEPS = 30 };

/* What a rename leads to: the other of two names in the same group. */
static const char *other_of(const char *path, char room[20])
{
    const size_t last = strlen(path) - 1;

    (void)snprintf(room, 20, "%s", path);
    room[last] = strchr("ab", path[last])   ? (char)('a' + 'b' - path[last])
                 : strchr("vw", path[last]) ? (char)('v' + 'w' - path[last])
                                            : (char)('x' + 'y' - path[last]);
    return room;
}

static drx_status set_attribute(const struct twin *t, const int draw[], int version)
{
    const int part = draw[1] % 4;
    const char *const of = part == DRX_DATASET    ? NULL
                           : part == DRX_GROUP    ? groups[draw[2] % GROUPS]
                           : part == DRX_VARIABLE ? names[draw[2] % NAMES]
                                                  : dims[draw[2] % DIMS];

    return draw[3] % 3 ? CALL(t, attr_set, part, of, draw[3] % 2 ? "m" : "n", DRX_INT32, 1, &version)
                       : CALL(t, attr_delete, part, of, "n");
}

static drx_status play(const struct twin *t, const int draw[], int version)
{
    const char *const group = groups[draw[1] % GROUPS], *const name = names[draw[1] % NAMES],
                      *const dim = dims[draw[1] % DIMS];
    char room[20];

    switch (draw[0]) {
    case 0:
        return t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds);
    case 1:
    case 2:
        return twin_commit(t, draw[1] % 3 ? "a message" : NULL);
    case 3:
    case 4:
        return CALL(t, add_group, group);
    case 5:
        return draw[2] % 3 ? DRX_OK : CALL(t, remove_group, group);
    case 6:
        return CALL(t, set_name, DRX_GROUP, group, other_of(group, room));
    case 7:
        return CALL(t, set_name, DRX_VARIABLE, name, other_of(name, room));
    case 8:
        return CALL(t, set_name, DRX_DIMENSION, dim, other_of(dim, room));
    case 9:
    case 10:
        return add_variable(t, name, draw[2] % 2 ? dim : "x", version);
    case 11:
        return set_attribute(t, draw, version);
    case 12:
        write_to(t, name, version);
        return DRX_OK;
    case 13:
        return draw[2] % 4 ? DRX_OK : CALL(t, remove, name);
    case 14:
        return draw[2] % 3 ? DRX_OK : CALL(t, trim, dim, draw[2] % 2, 1);
    case 15:
        return draw[2] % 3 ? DRX_OK : t->d ? drxmp_dataset_compact(t->d) : drx_dataset_compact(t->ds);
    default:
        return twin_grow(t, dim, draw[2] % 3 - 1);
    }
}

static void refuse_some(const struct twin *t)
{
    write_to(t, "v", 7);
    assert_ok(CALL(t, add_group, "new"));
    assert_status(t->d ? drxmp_dataset_compact(t->d) : drx_dataset_compact(t->ds), DRX_EBUSY);
    assert_status(twin_commit(t, "\xff"), DRX_EINVAL);
}

/* Compacting amid a transaction, and a message that is none: nothing was synced on the way. */
TEST(what_is_refused_touches_nothing)
{
    make_twins();
    twins_play(refuse_some);
}

static void open_and_pass(const struct twin *t)
{
    assert_ok(add_variable(t, "w", "x", 3));
    assert_ok(twin_grow(t, "x", 1));
    assert_ok(twin_commit(t, NULL));
    assert_ok(CALL(t, add_group, "new"));
    write_to(t, "w", 7);
    assert_ok(twin_commit(t, NULL));
}

/* The commit compresses a chunk that a growth has passed, whichever rank has opened it. */
TEST(a_chunk_that_another_rank_opens_is_closed)
{
    make_twins();
    twins_play(open_and_pass);
}

/* Both get the same answers. */
static void play_steps(const struct twin *t)
{
    static drx_status st[STEPS];
    int draw[4];

    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < 4; k++)
            draw[k] = (int)mp_below(k ? 60 : 18);
        if (t->d)
            st[i] = play(t, draw, (int)mp_below(10000));
        else
            assert_status(play(t, draw, (int)mp_below(10000)), st[i]);
        assert_true(st[i] == DRX_OK || st[i] == DRX_ENOENT || st[i] == DRX_EEXIST || st[i] == DRX_EINVAL ||
                    st[i] == DRX_EMISMATCH || st[i] == DRX_ERANGE || st[i] == DRX_EBUSY);
    }
}

TEST(random_trees)
{
    make_twins();
    for (int round = 0; round < 12; round++)
        twins_play(play_steps);
    if (mp_rank == 0)
        assert_ok(drx_dataset_check("many", NULL, NULL, NULL, NULL));
}
