/* Transactions of many ranks: the files are those of one process that makes the same calls. */
#include "mp_twins.h"

static void change_much(const struct twin *t)
{
    drxmp_array *m;
    drx_array *a;

    assert_ok(twin_grow(t, "time", 5));
    twin_number(t, 1);
    assert_ok(twin_commit(t, "five"));
    assert_ok(twin_grow(t, "lon", 7));
    assert_ok(twin_grow(t, "time", 1));
    assert_ok(twin_grow(t, "time", 2));
    assert_ok(twin_grow(t, "lon", -3));
    if (t->d) {
        assert_ok(drxmp_dataset_attr_set_text(t->d, DRX_DATASET, NULL, "title", "many"));
        assert_ok(drxmp_dataset_attr_set(t->d, DRX_DATASET, NULL, "n", DRX_INT64, 1, &(int64_t){ 7 }));
        assert_ok(drxmp_dataset_array(t->d, "u", &m));
        assert_ok(drxmp_attr_set_text(m, "units", "K"));
        assert_non_null(strstr(drx_dataset_name(drxmp_dataset_serial(t->d), 0), "u"));
    } else {
        assert_ok(drx_dataset_attr_set_text(t->ds, DRX_DATASET, NULL, "title", "many"));
        assert_ok(drx_dataset_attr_set(t->ds, DRX_DATASET, NULL, "n", DRX_INT64, 1, &(int64_t){ 7 }));
        assert_ok(drx_dataset_array(t->ds, "u", &a));
        assert_ok(drx_attr_set_text(a, "units", "K"));
    }
    twin_number(t, 2);
    assert_ok(twin_commit(t, "wider"));
    assert_ok(t->d ? drxmp_dataset_attr_delete(t->d, DRX_DATASET, NULL, "n")
                   : drx_dataset_attr_delete(t->ds, DRX_DATASET, NULL, "n"));
    assert_ok(twin_grow(t, "time", 9));
    twin_number(t, 3);
    assert_ok(t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds));
    assert_ok(twin_grow(t, "time", 1));
    assert_ok(twin_trim(t, "time", 2, 0));
    assert_ok(twin_trim(t, "lon", 1, 3));
    twin_number(t, 4);
    assert_ok(twin_commit(t, NULL));
}

TEST(files_are_those_of_one)
{
    struct twin many = { NULL, NULL }, one = { NULL, NULL };
    const char *text;
    drxmp_array *u;

    make_twins();
    assert_status(drxmp_dataset_open(mp_comm, "many", DRX_SHARED, DRX_LAST, &many.d), DRX_EUNSUPPORTED);
    many.d = open_many(DRX_RDWR);
    change_much(&many);
    assert_numbered(many.d, 4);
    assert_bound(twin_view(&many), "time", 12);
    assert_bound(twin_view(&many), "lon", 8);
    assert_int_equal(drx_dataset_dim_lower(twin_view(&many), drx_dataset_dim_find(twin_view(&many), "lon")), -2);
    assert_int_equal(drx_dataset_last(twin_view(&many)), 4);
    assert_int_equal(drx_dataset_attr_count(twin_view(&many), DRX_DATASET, NULL), 2);
    assert_ok(drx_dataset_attr_get(twin_view(&many), DRX_DATASET, NULL, "title", NULL, NULL, (const void **)&text));
    assert_string_equal(text, "many");
    assert_ok(drxmp_dataset_array(many.d, "u", &u));
    assert_ok(drx_attr_get(drxmp_serial(u), "units", NULL, NULL, (const void **)&text));
    assert_string_equal(text, "K");
    assert_ok(drxmp_dataset_close(many.d));
    if (mp_rank == 0) {
        assert_ok(drx_dataset_open("one", DRX_RDWR, DRX_LAST, &one.ds));
        change_much(&one);
        assert_ok(drx_dataset_close(one.ds));
    }
    assert_twins();
}

/* A variable "x" is removed, or added where the name is free. */
static void add_or_remove(const struct twin *t, int version)
{
    int64_t shape[1];
    int64_t lower[1];
    drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape, .lower = lower, .dims = &u_dims[1] };
    drx_status st;

    if (drx_dataset_find(twin_view(t), "x") >= 0) {
        st = t->d ? drxmp_dataset_remove(t->d, "x") : drx_dataset_remove(t->ds, "x");
    } else {
        number_next(100 + version);
        bounds_of(twin_view(t), "lon", lower, shape);
        st = t->d ? drxmp_dataset_add(t->d, "x", &spec, NULL) : drx_dataset_add(t->ds, "x", &spec, NULL);
    }
    assert_true(st == DRX_OK || st == DRX_EINVAL || st == DRX_EEXIST); /* it came or went in this transaction */
}

/* Both know what they get; a transaction in progress refuses it. */
static void reserve(const struct twin *t, const char *dim, int64_t by)
{
    int64_t lower, count, first;
    drx_status st = t->d ? drxmp_dataset_begin(t->d) : drx_dataset_begin(t->ds);

    assert_true(st == DRX_OK || st == DRX_EINVAL);
    bounds_of(twin_view(t), dim, &lower, &count);
    if (by < 0)
        assert_int_equal(t->d ? drxmp_dataset_reserve_before(t->d, dim, -by, &first)
                              : drx_dataset_reserve_before(t->ds, dim, -by, &first),
                         st);
    else
        assert_int_equal(
            t->d ? drxmp_dataset_reserve(t->d, dim, by, &first) : drx_dataset_reserve(t->ds, dim, by, &first), st);
    if (!st)
        assert_int_equal(first, by < 0 ? lower + by : lower + count);
}

/* Changes drawn at random, made by both; the files are compared at each end. */
static void play(const struct twin *t, const int draw[], int version)
{
    const char *const dim = draw[1] % 2 ? "time" : "lon";
    int64_t lower, count, oldest;
    drx_status st;

    bounds_of(twin_view(t), dim, &lower, &count);
    switch (draw[0]) {
    case 0:
        assert_ok(t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds));
        break;
    case 1:
    case 2:
        assert_ok(twin_commit(t, draw[1] % 3 ? "a message" : NULL));
        break;
    case 3:
        st = t->d ? drxmp_dataset_attr_set(t->d, DRX_DATASET, NULL, dim, DRX_INT32, 1, &version)
                  : drx_dataset_attr_set(t->ds, DRX_DATASET, NULL, dim, DRX_INT32, 1, &version);
        assert_true(st == DRX_OK || st == DRX_EINVAL); /* this transaction adds axes */
        break;
    case 4:
        twin_number(t, version);
        break;
    case 5:
        add_or_remove(t, version);
        break;
    case 6:
        st = twin_trim(t, dim, draw[1] % 3, draw[1] % 4);
        assert_true(st == DRX_OK || st == DRX_ERANGE || st == DRX_EINVAL); /* it has fewer */
        break;
    case 11:
        st = t->d ? drxmp_dataset_compact(t->d) : drx_dataset_compact(t->ds);
        assert_true(st == DRX_OK || st == DRX_EBUSY); /* a transaction is in progress */
        assert_ok(twin_commit(t, NULL));
        oldest = drx_dataset_oldest(twin_view(t));
        oldest += draw[1] % (drx_dataset_last(twin_view(t)) - oldest + 1);
        assert_ok(t->d ? drxmp_dataset_forget(t->d, oldest) : drx_dataset_forget(t->ds, oldest));
        assert_int_equal(t->d ? drxmp_dataset_oldest(t->d) : drx_dataset_oldest(t->ds), oldest);
        break;
    case 12:
        reserve(t, dim, draw[1] % 5 < MOST - count ? (draw[1] % 2 ? draw[1] : -draw[1]) % 5 : 0);
        break;
    case 10:
        assert_ok(twin_commit(t, NULL));
        st = t->d ? drxmp_dataset_add_axis(t->d, "x", draw[1] % 2, "run")
                  : drx_dataset_add_axis(t->ds, "x", draw[1] % 2, "run");
        assert_true(st == DRX_OK || st == DRX_ENOENT || st == DRX_EINVAL); /* it is not there, or has that axis */
        break;
    default:
        st = twin_grow(t, dim, draw[1] % 5 < MOST - count ? (draw[0] == 7 ? draw[1] : -draw[1]) % 5 : 0);
        assert_true(st == DRX_OK || st == DRX_EINVAL); /* this transaction trims that end */
    }
}

/* Ranks write elements and do not commit them. A reservation settles the checksums of the arrays that it grows. When a
 * transaction in progress makes it fail, it changes nothing. */
TEST(reservations_settle_elements)
{
    for (int refused = 0; refused < 2; refused++) {
        struct twin many = { NULL, NULL }, one = { NULL, NULL };

        mp_shell("rm -rf one many");
        make_twins();
        many.d = open_many(DRX_RDWR);
        if (refused)
            assert_ok(twin_grow(&many, "lon", 1));
        twin_number(&many, 7);
        reserve(&many, "time", 1);
        assert_ok(drxmp_dataset_close(many.d));
        if (mp_rank == 0) {
            assert_ok(drx_dataset_open("one", DRX_RDWR, DRX_LAST, &one.ds));
            if (refused)
                assert_ok(twin_grow(&one, "lon", 1));
            twin_number(&one, 7);
            reserve(&one, "time", 1);
            assert_ok(drx_dataset_close(one.ds));
        }
        assert_twins();
    }
}

TEST(random_transactions)
{
    enum { STEPS = 25 };
    int draw[STEPS][2];

    make_twins();
    for (int round = 0; round < 8; round++) {
        struct twin many = { open_many(DRX_RDWR), NULL }, one = { NULL, NULL };

        for (int i = 0; i < STEPS; i++) {
            draw[i][0] = (int)mp_below(13);
            draw[i][1] = (int)mp_below(12);
            play(&many, draw[i], round * STEPS + i);
        }
        assert_ok(drxmp_dataset_close(many.d));
        if (mp_rank == 0) {
            assert_ok(drx_dataset_open("one", DRX_RDWR, DRX_LAST, &one.ds));
            for (int i = 0; i < STEPS; i++)
                play(&one, draw[i], round * STEPS + i);
            assert_ok(drx_dataset_close(one.ds));
        }
        assert_twins();
    }
}

TEST(variables_come_and_go)
{
    const drx_spec u = u_spec((int64_t[]){ 3, 4 }), wrong = u_spec((int64_t[]){ 2, 4 });
    const double scalar = mp_rank ? 0 : 6.5;
    double got = 0;
    drxmp_dataset *d;
    drxmp_array *m, *w;

    mp_shell("rm -rf come");
    (void)unsetenv("DRX_CREATION_ID");
    assert_ok(drxmp_dataset_create(mp_comm, "come", &d));
    assert_fails(drxmp_dataset_create(mp_comm, "come", &(drxmp_dataset *){ NULL }), DRX_EEXIST, "come");
    assert_ok(drxmp_dataset_add(d, "u", &u, NULL));
    assert_fails(drxmp_dataset_add(d, "w", &wrong, &w), DRX_EMISMATCH, "'time'");
    assert_null(w);
    assert_ok(drxmp_dataset_extend(d, "lon", 2));
    assert_ok(drxmp_dataset_add(d, "pi", &(drx_spec){ .ndim = 1, .type = DRX_FLOAT64, .shape = (int64_t[]){ 1 } }, &m));
    assert_ok(drxmp_write_all(m, (int64_t[]){ 0 }, (int64_t[]){ mp_rank == 0 }, DRX_ROW_MAJOR, &scalar));
    assert_fails(drxmp_close(m), DRX_EINVAL, "lent by a dataset");
    assert_fails(drxmp_extend(m, 0, 1), DRX_EINVAL, "a variable of a dataset");
    assert_int_equal(drx_dataset_count(drxmp_dataset_serial(d)), 2);
    assert_ok(drxmp_dataset_commit(d, "made"));
    assert_ok(drxmp_dataset_remove(d, "u"));
    assert_status(drxmp_dataset_array(d, "u", &w), DRX_ENOENT);
    assert_ok(drxmp_dataset_abort(d));
    assert_ok(drxmp_dataset_add(d, "w", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 } }, &w));
    assert_ok(drxmp_dataset_abort(d));
    assert_status(drx_write(drxmp_serial(w), (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &got), DRX_ENOENT);
    assert_status(drxmp_dataset_array(d, "w", &w), DRX_ENOENT);
    assert_ok(drxmp_dataset_remove(d, "u"));
    assert_ok(drxmp_dataset_commit(d, "u is gone"));
    assert_ok(drxmp_dataset_close(d));

    assert_ok(drxmp_dataset_open(mp_comm, "come", DRX_RDONLY, DRX_LAST, &d));
    assert_int_equal(drx_dataset_count(drxmp_dataset_serial(d)), 1);
    assert_ok(drxmp_dataset_array(d, "pi", &m));
    assert_ok(drxmp_read(m, (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &got));
    assert_true(got == 6.5);
    assert_fails(drxmp_dataset_extend(d, "lon", 1), DRX_EACCES, "read-only");
    assert_ok(drxmp_dataset_close(d));
    assert_int_equal(mp_count_files("come/u.* come/w.*"), 0);
}

/* A variable that came in the transaction that grew its dimension begins with the new bound: nothing grows it again. */
TEST(added_after_a_growth)
{
    struct twin many;
    drxmp_array *x;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    assert_ok(twin_grow(&many, "lon", 2));
    add_or_remove(&many, 0);
    assert_ok(twin_commit(&many, "wider, with x"));
    assert_ok(drxmp_dataset_close(many.d));
    many.d = open_many(DRX_RDWR);
    assert_ok(drxmp_dataset_array(many.d, "x", &x));
    assert_ok(twin_grow(&many, "time", 1));
    assert_ok(twin_commit(&many, "one"));
    assert_ok(twin_grow(&many, "lon", 1));
    assert_ok(drxmp_dataset_abort(many.d));
    assert_int_equal(drx_shape(drxmp_serial(x))[0], 6);
    assert_ok(drxmp_dataset_close(many.d));
}

/* Every rank has it from the commit on, and no rank at an earlier commit. */
TEST(another_axis)
{
    struct twin many;
    drxmp_dataset *old;
    drxmp_array *u;
    int32_t value = 7;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    twin_number(&many, 1);
    assert_ok(twin_commit(&many, "numbered")); /* elements alone make no commit */
    assert_fails(drxmp_dataset_add_axis(many.d, "u", 3, "run"), DRX_EINVAL, "expected 0 to 2");
    assert_ok(drxmp_dataset_add_axis(many.d, "u", 1, "run"));
    assert_fails(drxmp_dataset_extend(many.d, "run", 1), DRX_EINVAL, "adds axes");
    assert_ok(twin_commit(&many, "runs"));
    assert_ok(drxmp_dataset_array(many.d, "u", &u));
    assert_int_equal(drx_ndim(drxmp_serial(u)), 3);
    assert_ok(drxmp_dataset_extend(many.d, "run", 2));
    assert_ok(twin_commit(&many, "more"));
    assert_ok(drxmp_read(u, (int64_t[]){ 2, 0, 3 }, (int64_t[]){ 1, 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, mp_number(1, 2, 3));
    assert_ok(drxmp_read(u, (int64_t[]){ 2, 1, 3 }, (int64_t[]){ 1, 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, u_fill);
    assert_ok(drxmp_read_all(u, (int64_t[]){ 2, 0, 3 }, (int64_t[]){ 1, 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, mp_number(1, 2, 3));
    assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 1, &old));
    assert_numbered(old, 1);
    assert_ok(drxmp_dataset_close(old));
    assert_ok(drxmp_dataset_close(many.d));
}

/* The axis of a scalar's array becomes the dimension, on every rank. */
TEST(a_scalar_gets_an_axis)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 1 }, .chunk = (int64_t[]){ 1 } };
    struct twin many;
    drxmp_dataset *old;
    drxmp_array *s;
    int32_t value = 41;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    assert_ok(drxmp_dataset_add(many.d, "s", &spec, &s));
    if (mp_rank == 0)
        assert_ok(drxmp_write(s, (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &value));
    assert_ok(twin_commit(&many, "a scalar"));
    assert_ok(drxmp_dataset_add_axis(many.d, "s", 0, "run"));
    assert_ok(twin_commit(&many, "runs"));
    assert_ok(drxmp_dataset_extend(many.d, "run", 3));
    assert_ok(twin_commit(&many, "more"));
    assert_string_equal(drx_dim_name(drxmp_serial(s), 0), "run");
    assert_int_equal(drx_shape(drxmp_serial(s))[0], 4);
    for (int64_t at = 1; at <= 3; at++) {
        assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, at + 1, &old));
        assert_ok(drxmp_dataset_array(old, "s", &s));
        assert_int_equal(drx_shape(drxmp_serial(s))[0], at < 3 ? 1 : 4);
        assert_true(at == 1 ? !drx_dim_name(drxmp_serial(s), 0) : strcmp(drx_dim_name(drxmp_serial(s), 0), "run") == 0);
        assert_ok(drxmp_read(s, (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &value));
        assert_int_equal(value, 41);
        assert_ok(drxmp_dataset_close(old));
    }
    assert_ok(drxmp_dataset_close(many.d));
}

/* A trim that frees chunks gives the root's log a SYNC that no other rank has. What the root refuses changes
 * nothing. */
TEST(attributes_of_lent_arrays)
{
    struct twin many;
    drxmp_array *u;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    assert_ok(twin_grow(&many, "time", 9));
    assert_ok(twin_commit(&many, "longer"));
    assert_ok(twin_trim(&many, "time", 7, 0));
    assert_ok(twin_commit(&many, "shorter"));
    assert_ok(drxmp_dataset_array(many.d, "u", &u));
    assert_ok(drxmp_attr_set_text(u, "units", "K"));
    assert_ok(twin_grow(&many, "time", 1));
    assert_ok(twin_commit(&many, "with units"));
    assert_ok(drxmp_dataset_add_axis(many.d, "u", 1, "run"));
    assert_fails(drxmp_attr_set_text(u, "units", "C"), DRX_EINVAL, "adds axes");
    assert_ok(twin_commit(&many, "runs"));
    assert_ok(drxmp_dataset_close(many.d));
}
