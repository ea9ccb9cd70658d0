/* Transactions of many ranks: the files are those of one process that makes the same calls. */
#include "mp_twins.h"

/* A variable "x" is removed, or added where the name is free. */
static void add_or_remove(const struct twin *t, int version)
{
    int64_t shape[1];
    int64_t lower[1];
    drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape, .lower = lower, .dims = &u_dims[1] };
    drx_status st;

    if (drx_dataset_find(twin_view(t), "x") >= 0) {
        st = CALL(t, remove, "x");
    } else {
        number_next(100 + version);
        bounds_of(twin_view(t), "lon", lower, shape);
        st = CALL(t, add, "x", &spec, NULL);
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
    assert_status(by < 0 ? CALL(t, reserve_before, dim, -by, &first) : CALL(t, reserve, dim, by, &first), st);
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
        st = CALL(t, attr_set, DRX_DATASET, NULL, dim, DRX_INT32, 1, &version);
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
        assert_ok(CALL(t, forget, oldest));
        assert_int_equal(t->d ? drxmp_dataset_oldest(t->d) : drx_dataset_oldest(t->ds), oldest);
        break;
    case 12:
        reserve(t, dim, draw[1] % 5 < MOST - count ? (draw[1] % 2 ? draw[1] : -draw[1]) % 5 : 0);
        break;
    case 10:
        assert_ok(twin_commit(t, NULL));
        st = CALL(t, add_axis, "x", draw[1] % 2, "run");
        assert_true(st == DRX_OK || st == DRX_ENOENT || st == DRX_EINVAL); /* it is not there, or has that axis */
        break;
    default:
        st = twin_grow(t, dim, draw[1] % 5 < MOST - count ? (draw[0] == 7 ? draw[1] : -draw[1]) % 5 : 0);
        assert_true(st == DRX_OK || st == DRX_EINVAL); /* this transaction trims that end */
    }
}

/* Ranks write elements and do not commit them. A reservation settles the checksums of the arrays that it grows. When a
 * transaction in progress makes it fail, it changes nothing. */
static void reserve_after_elements(const struct twin *t)
{
    twin_number(t, 7);
    reserve(t, "time", 1);
}

static void reserve_in_a_transaction(const struct twin *t)
{
    assert_ok(twin_grow(t, "lon", 1));
    reserve_after_elements(t);
}

TEST(reservations_settle_elements)
{
    make_twins();
    twins_play(reserve_after_elements);
    make_twins();
    twins_play(reserve_in_a_transaction);
}

/* What readers see at the end of a history, on all ranks and on one. */
static void assert_read_alike(void)
{
    static int32_t buf[MOST * MOST], other[MOST * MOST];
    drxmp_dataset *d = open_many(DRX_RDONLY);
    struct mp_box box = { .step = { 0, 0 } };
    drx_dataset *ds;
    drxmp_array *m;
    drx_array *a;

    assert_ok(drx_dataset_open("one", DRX_RDONLY, DRX_LAST, &ds));
    assert_ok(drxmp_dataset_array(d, "u", &m));
    assert_ok(drx_dataset_array(ds, "u", &a));
    memcpy(box.lo, drx_lower(a), sizeof box.lo);
    memcpy(box.count, drx_shape(a), sizeof box.count);
    assert_ok(mp_read_all(m, &box, buf));
    assert_ok(drx_read(a, box.lo, box.count, DRX_ROW_MAJOR, other));
    assert_memory_equal(buf, other, (size_t)mp_box_size(&box) * sizeof *buf);
    assert_ok(drxmp_dataset_close(d));
    assert_ok(drx_dataset_close(ds));
    (void)MPI_Barrier(mp_comm);
}

static void play_steps(const struct twin *t)
{
    for (int i = 0; i < 25; i++) {
        const int draw[2] = { (int)mp_below(13), (int)mp_below(12) };

        if (draw[0] == 12 && twins_packed) /* after a reservation their epochs may be one apart */
            continue;
        play(t, draw, (int)mp_below(1000));
    }
}

static void transactions(void)
{
    for (int round = 0; round < 8; round++) {
        twins_play(play_steps);
        assert_read_alike();
    }
}

TEST(random_transactions)
{
    make_twins();
    transactions();
}

TEST(random_transactions_of_compressed_variables)
{
    make_packed_twins();
    transactions();
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

/* Made and lent on all ranks, each of which has nothing of it. */
TEST(a_null_variable)
{
    struct twin many;
    drxmp_dataset *r;
    drxmp_array *m;
    double nothing = 0;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    assert_fails(drxmp_dataset_add(many.d, "null", &(drx_spec){ .type = DRX_FLOAT64, .align = 8 }, &m), DRX_EINVAL,
                 "null: spec has align");
    assert_ok(drxmp_dataset_add(many.d, "null", &(drx_spec){ .type = DRX_FLOAT64 }, &m));
    assert_ok(drxmp_attr_set_text(m, "units", "m"));
    assert_fails(drxmp_extend(m, 0, 1), DRX_EINVAL, "drx_dataset_extend");
    assert_ok(drxmp_write_all(m, (int64_t[]){ 0 }, (int64_t[]){ 0 }, DRX_ROW_MAJOR, &nothing));
    assert_ok(twin_commit(&many, "null"));
    assert_ok(drxmp_dataset_extend(many.d, "time", 1));
    assert_ok(twin_commit(&many, "more"));
    for (int64_t at = DRX_LAST; at < 3; at += 3) {
        assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, at, &r));
        assert_ok(drxmp_dataset_array(r, "null", &m));
        assert_int_equal(drx_dataset_ndim(drxmp_dataset_serial(r), drx_dataset_find(drxmp_dataset_serial(r), "null")),
                         -1);
        assert_int_equal(drx_shape(drxmp_serial(m))[0], 0);
        assert_int_equal(drx_attr_count(drxmp_serial(m)), 1);
        assert_ok(drxmp_read_all(m, (int64_t[]){ 0 }, (int64_t[]){ 0 }, DRX_ROW_MAJOR, &nothing));
        assert_fails(drxmp_read_all(m, (int64_t[]){ 0 }, (int64_t[]){ 1 }, DRX_ROW_MAJOR, &nothing), DRX_ERANGE, "");
        assert_ok(drxmp_dataset_close(r));
    }
    assert_ok(drxmp_open(mp_comm, "many/null", DRX_RDONLY, &m));
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_dataset_remove(many.d, "null"));
    assert_ok(twin_commit(&many, "gone"));
    assert_ok(drxmp_dataset_close(many.d));
}

/* A trim that frees chunks gives the root's log a SYNC that no other rank has. What the root refuses changes
 * nothing. */
TEST(attributes_of_lent_arrays)
{
    struct twin many;
    drxmp_array *u;

    make_twins();
    assert_status(drxmp_dataset_open(mp_comm, "many", DRX_SHARED, DRX_LAST, &many.d), DRX_EUNSUPPORTED);
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
