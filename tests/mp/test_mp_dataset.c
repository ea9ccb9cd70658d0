/* Transactions of many ranks. The files are those of one process that makes the same calls, and what fails on one rank
 * fails on all, with one whole commit left. */
#include "drx_dataset.h"
#include "drx_tools.h"
#include "drxmp_dataset.h"
#include "mp_testing.h"

enum { MOST = 60 }; /* bound of a dimension */

static const char *const u_dims[] = { "time", "lon" }, *const v_dims[] = { "time" };
static const int32_t u_fill = -1;

static drx_spec u_spec(const int64_t shape[])
{
    static const int64_t chunk[] = { 4, 5 };

    return (drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = u_dims, .fill = &u_fill };
}

static drx_spec v_spec(const int64_t shape[])
{
    static const int64_t chunk[] = { 8 };

    return (drx_spec){
        .ndim = 1, .type = DRX_INT64, .shape = shape, .chunk = chunk, .dims = v_dims, .flags = DRX_CHECKSUM
    };
}

/* The creation id of the next array. The driver restores the environment. */
static void number_next(int n)
{
    char text[40];

    (void)snprintf(text, sizeof text, "%032d", n);
    (void)setenv("DRX_CREATION_ID", text, 1);
}

/* Two datasets with equal creation ids, so that equal calls make equal files: "many" and "one", of two variables. */
static void make_twins(void)
{
    const drx_spec u = u_spec((int64_t[]){ 3, 4 }), v = v_spec((int64_t[]){ 3 });
    drx_dataset *ds;

    (void)setenv("SOURCE_DATE_EPOCH", "0", 1);
    mp_shell("rm -rf one many");
    if (mp_rank == 0) {
        number_next(1);
        assert_ok(drx_dataset_create("one", &ds));
        number_next(2);
        assert_ok(drx_dataset_add(ds, "u", &u, NULL));
        number_next(3);
        assert_ok(drx_dataset_add(ds, "v", &v, NULL));
        assert_ok(drx_dataset_commit(ds, "begin"));
        assert_ok(drx_dataset_close(ds));
    }
    number_next(4);
    mp_shell("cp -r one many");
}

static void assert_twins(void)
{
    mp_shell("diff -r one many");
}

static drxmp_dataset *open_many(int mode)
{
    drxmp_dataset *d;

    assert_ok(drxmp_dataset_open(mp_comm, "many", mode, DRX_LAST, &d));
    return d;
}

/* All ranks, or one process, that make the same changes. */
struct twin {
    drxmp_dataset *d; /* NULL: */
    drx_dataset *ds;
};

/* At the high end; by < 0: at the low end. */
static drx_status grow(const struct twin *t, const char *dim, int64_t by)
{
    if (by < 0)
        return t->d ? drxmp_dataset_extend_before(t->d, dim, -by) : drx_dataset_extend_before(t->ds, dim, -by);
    return t->d ? drxmp_dataset_extend(t->d, dim, by) : drx_dataset_extend(t->ds, dim, by);
}

static drx_status trim(const struct twin *t, const char *dim, int64_t before, int64_t after)
{
    return t->d ? drxmp_dataset_trim(t->d, dim, before, after) : drx_dataset_trim(t->ds, dim, before, after);
}

static drx_status commit(const struct twin *t, const char *message)
{
    return t->d ? drxmp_dataset_commit(t->d, message) : drx_dataset_commit(t->ds, message);
}

static const drx_dataset *view(const struct twin *t)
{
    return t->d ? drxmp_dataset_serial(t->d) : t->ds;
}

/* The first index of a dimension, and how many there are. */
static void bounds_of(const drx_dataset *ds, const char *dim, int64_t *lower, int64_t *count)
{
    const int d = drx_dataset_dim_find(ds, dim);

    *lower = drx_dataset_dim_lower(ds, d);
    (void)drx_dataset_dim(ds, d, count);
    *count -= *lower;
}

static void write_first(drx_array *u, drx_array *v, int version, int64_t i)
{
    const int64_t index[] = { i, drx_lower(u)[1] }, value = version * 1000 + i;
    const int32_t first = mp_number(version, i, index[1]);

    assert_ok(drx_put(u, index, &first));
    assert_ok(drx_put(v, index, &value));
}

/* Number all of u, the ranks a few columns each, but for the first column; that and v are the last rank's, element by
 * element, which go through the pool. */
static void number(const struct twin *t, int version)
{
    struct mp_box box = { .step = { 0, 0 } };
    int32_t buf[MOST * MOST];
    drxmp_array *mu, *mv;
    drx_array *u, *v;

    bounds_of(view(t), "time", &box.lo[0], &box.count[0]);
    bounds_of(view(t), "lon", &box.lo[1], &box.count[1]);
    if (box.count[1] == 0)
        return;
    box.lo[1]++;
    box.count[1]--;
    if (t->d) {
        assert_ok(drxmp_dataset_array(t->d, "u", &mu));
        assert_ok(drxmp_dataset_array(t->d, "v", &mv));
        u = drxmp_serial(mu);
        v = drxmp_serial(mv);
        box = mp_part(1, box);
        mp_number_box(version, &box, buf);
        assert_ok(mp_write_all(mu, &box, buf));
    } else {
        assert_ok(drx_dataset_array(t->ds, "u", &u));
        assert_ok(drx_dataset_array(t->ds, "v", &v));
        mp_number_box(version, &box, buf);
        assert_ok(drx_write(u, box.lo, box.count, DRX_ROW_MAJOR, buf));
    }
    for (int64_t i = 0; (!t->d || mp_rank == mp_ranks - 1) && i < drx_shape(v)[0]; i++)
        write_first(u, v, version, drx_lower(v)[0] + i);
}

/* What `d` shows on this rank is numbered so. */
static void assert_numbered(drxmp_dataset *d, int version)
{
    struct mp_box box = { .step = { 0, 0 } };
    int32_t buf[MOST * MOST];
    int64_t value[MOST];
    drxmp_array *u, *v;

    assert_ok(drxmp_dataset_array(d, "u", &u));
    assert_ok(drxmp_dataset_array(d, "v", &v));
    memcpy(box.lo, drx_lower(drxmp_serial(u)), sizeof box.lo);
    memcpy(box.count, drx_shape(drxmp_serial(u)), sizeof box.count);
    assert_int_equal(drx_shape(drxmp_serial(v))[0], box.count[0]);
    assert_ok(mp_read_all(u, &box, buf));
    mp_assert_numbers(version, &box, buf);
    assert_ok(drxmp_read(v, box.lo, box.count, DRX_ROW_MAJOR, value));
    for (int64_t i = 0; i < box.count[0]; i++)
        assert_int_equal(value[i], version * 1000 + box.lo[0] + i);
}

static void assert_bound(const drx_dataset *ds, const char *dim, int64_t expected)
{
    int64_t bound = -1;

    assert_non_null(drx_dataset_dim(ds, drx_dataset_dim_find(ds, dim), &bound));
    assert_int_equal(bound, expected);
}

static void change_much(const struct twin *t)
{
    drxmp_array *m;
    drx_array *a;

    assert_ok(grow(t, "time", 5));
    number(t, 1);
    assert_ok(commit(t, "five"));
    assert_ok(grow(t, "lon", 7));
    assert_ok(grow(t, "time", 1));
    assert_ok(grow(t, "time", 2));
    assert_ok(grow(t, "lon", -3));
    if (t->d) {
        assert_ok(drxmp_dataset_attr_set_text(t->d, "title", "many"));
        assert_ok(drxmp_dataset_attr_set(t->d, "n", DRX_INT64, 1, &(int64_t){ 7 }));
        assert_ok(drxmp_dataset_array(t->d, "u", &m));
        assert_ok(drxmp_attr_set_text(m, "units", "K"));
        assert_non_null(strstr(drx_dataset_name(drxmp_dataset_serial(t->d), 0), "u"));
    } else {
        assert_ok(drx_dataset_attr_set_text(t->ds, "title", "many"));
        assert_ok(drx_dataset_attr_set(t->ds, "n", DRX_INT64, 1, &(int64_t){ 7 }));
        assert_ok(drx_dataset_array(t->ds, "u", &a));
        assert_ok(drx_attr_set_text(a, "units", "K"));
    }
    number(t, 2);
    assert_ok(commit(t, "wider"));
    assert_ok(t->d ? drxmp_dataset_attr_delete(t->d, "n") : drx_dataset_attr_delete(t->ds, "n"));
    assert_ok(grow(t, "time", 9));
    number(t, 3);
    assert_ok(t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds));
    assert_ok(grow(t, "time", 1));
    assert_ok(trim(t, "time", 2, 0));
    assert_ok(trim(t, "lon", 1, 3));
    number(t, 4);
    assert_ok(commit(t, NULL));
}

TEST(files_are_those_of_one)
{
    struct twin many = { NULL, NULL }, one = { NULL, NULL };
    const char *text;
    drxmp_array *u;

    make_twins();
    many.d = open_many(DRX_RDWR);
    change_much(&many);
    assert_numbered(many.d, 4);
    assert_bound(view(&many), "time", 12);
    assert_bound(view(&many), "lon", 8);
    assert_int_equal(drx_dataset_dim_lower(view(&many), drx_dataset_dim_find(view(&many), "lon")), -2);
    assert_int_equal(drx_dataset_last(view(&many)), 4);
    assert_int_equal(drx_dataset_attr_count(view(&many)), 2);
    assert_ok(drx_dataset_attr_get(view(&many), "title", NULL, NULL, (const void **)&text));
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

    if (drx_dataset_find(view(t), "x") >= 0) {
        st = t->d ? drxmp_dataset_remove(t->d, "x") : drx_dataset_remove(t->ds, "x");
    } else {
        number_next(100 + version);
        bounds_of(view(t), "lon", lower, shape);
        st = t->d ? drxmp_dataset_add(t->d, "x", &spec, NULL) : drx_dataset_add(t->ds, "x", &spec, NULL);
    }
    assert_true(st == DRX_OK || st == DRX_EINVAL || st == DRX_EEXIST); /* it came or went in this transaction */
}

/* Changes drawn at random, made by both; the files are compared at each end. */
static void play(const struct twin *t, const int draw[], int version)
{
    const char *const dim = draw[1] % 2 ? "time" : "lon";
    int64_t lower, count;
    drx_status st;

    bounds_of(view(t), dim, &lower, &count);
    switch (draw[0]) {
    case 0:
        assert_ok(t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds));
        break;
    case 1:
    case 2:
        assert_ok(commit(t, draw[1] % 3 ? "a message" : NULL));
        break;
    case 3:
        st = t->d ? drxmp_dataset_attr_set(t->d, dim, DRX_INT32, 1, &version)
                  : drx_dataset_attr_set(t->ds, dim, DRX_INT32, 1, &version);
        assert_true(st == DRX_OK || st == DRX_EINVAL); /* this transaction adds axes */
        break;
    case 4:
        number(t, version);
        break;
    case 5:
        add_or_remove(t, version);
        break;
    case 6:
        st = trim(t, dim, draw[1] % 3, draw[1] % 4);
        assert_true(st == DRX_OK || st == DRX_ERANGE || st == DRX_EINVAL); /* it has fewer */
        break;
    case 10:
        assert_ok(commit(t, NULL));
        st = t->d ? drxmp_dataset_add_axis(t->d, "x", draw[1] % 2, "run")
                  : drx_dataset_add_axis(t->ds, "x", draw[1] % 2, "run");
        assert_true(st == DRX_OK || st == DRX_ENOENT || st == DRX_EINVAL); /* it is not there, or has that axis */
        break;
    default:
        st = grow(t, dim, draw[1] % 5 < MOST - count ? (draw[0] == 7 ? draw[1] : -draw[1]) % 5 : 0);
        assert_true(st == DRX_OK || st == DRX_EINVAL); /* this transaction trims that end */
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
            draw[i][0] = (int)mp_below(11);
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
    assert_ok(grow(&many, "lon", 2));
    add_or_remove(&many, 0);
    assert_ok(commit(&many, "wider, with x"));
    assert_ok(drxmp_dataset_close(many.d));
    many.d = open_many(DRX_RDWR);
    assert_ok(drxmp_dataset_array(many.d, "x", &x));
    assert_ok(grow(&many, "time", 1));
    assert_ok(commit(&many, "one"));
    assert_ok(grow(&many, "lon", 1));
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
    number(&many, 1);
    assert_ok(commit(&many, "numbered"));
    assert_fails(drxmp_dataset_add_axis(many.d, "u", 3, "run"), DRX_EINVAL, "expected 0 to 2");
    assert_ok(drxmp_dataset_add_axis(many.d, "u", 1, "run"));
    assert_fails(drxmp_dataset_extend(many.d, "run", 1), DRX_EINVAL, "adds axes");
    assert_ok(commit(&many, "runs"));
    assert_ok(drxmp_dataset_array(many.d, "u", &u));
    assert_int_equal(drx_ndim(drxmp_serial(u)), 3);
    assert_ok(drxmp_dataset_extend(many.d, "run", 2));
    assert_ok(commit(&many, "more"));
    assert_ok(drxmp_read(u, (int64_t[]){ 2, 0, 3 }, (int64_t[]){ 1, 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, mp_number(1, 2, 3));
    assert_ok(drxmp_read(u, (int64_t[]){ 2, 1, 3 }, (int64_t[]){ 1, 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, u_fill);
    assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 2, &old));
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
    assert_ok(commit(&many, "a scalar"));
    assert_ok(drxmp_dataset_add_axis(many.d, "s", 0, "run"));
    assert_ok(commit(&many, "runs"));
    assert_ok(drxmp_dataset_extend(many.d, "run", 3));
    assert_ok(commit(&many, "more"));
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

/* Readers see a later commit whole, and an earlier one. */
TEST(readers)
{
    drxmp_dataset *reader, *old;
    struct twin many;
    drxmp_array *u;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    reader = open_many(DRX_RDONLY);
    assert_ok(drxmp_dataset_array(reader, "u", &u));
    assert_ok(grow(&many, "time", 4));
    number(&many, 1);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 3);
    assert_ok(commit(&many, "four"));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 3);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 7);
    assert_numbered(reader, 1);
    assert_ok(grow(&many, "lon", 4));
    number(&many, 2);
    assert_ok(commit(&many, "four more"));
    assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 2, &old));
    assert_bound(drxmp_dataset_serial(old), "lon", 4);
    assert_numbered(old, 2);
    assert_status(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 9, &(drxmp_dataset *){ NULL }), DRX_ERANGE);
    assert_fails(drxmp_dataset_open(mp_comm, "many", DRX_RDWR, DRX_LAST, &(drxmp_dataset *){ NULL }), DRX_EBUSY,
                 "rank 0");
    assert_ok(drxmp_dataset_close(old));
    assert_ok(drxmp_dataset_close(reader));
    assert_ok(drxmp_dataset_close(many.d));
}

/* A crash may take from the logs of members what the dataset has committed: then the journal tells it. */
TEST(logs_that_lag)
{
    struct twin many;
    drxmp_dataset *reader, *later;
    drxmp_array *u;

    make_twins();
    reader = open_many(DRX_RDONLY);
    assert_ok(drxmp_dataset_array(reader, "u", &u));
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    mp_shell("cp many/u.xmd many/v.xmd .");
    assert_ok(grow(&many, "time", 4));
    number(&many, 1);
    assert_ok(commit(&many, "four"));
    assert_ok(drxmp_dataset_close(many.d));
    mp_shell("cat u.xmd >many/u.xmd; cat v.xmd >many/v.xmd");
    later = open_many(DRX_RDONLY);
    assert_numbered(later, 1);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_bound(drxmp_dataset_serial(reader), "time", 7);
    assert_numbered(reader, 1);
    assert_ok(drxmp_dataset_close(reader));
    assert_ok(drxmp_dataset_close(later));
}

TEST(a_folder_of_arrays)
{
    drxmp_dataset *d;
    struct twin many;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    number(&many, 0);
    assert_ok(drxmp_dataset_close(many.d));
    mp_shell("rm many/dataset.xds");
    d = open_many(DRX_RDONLY);
    assert_bound(drxmp_dataset_serial(d), "time", 3);
    assert_numbered(d, 0);
    assert_ok(drxmp_dataset_refresh(d));
    assert_ok(drxmp_dataset_close(d));
    assert_ok(drxmp_dataset_adopt(mp_comm, "many", &d));
    many.d = d;
    assert_ok(grow(&many, "time", 2));
    number(&many, 5);
    assert_ok(commit(&many, "two"));
    assert_ok(drxmp_dataset_close(d));
    d = open_many(DRX_RDONLY);
    assert_numbered(d, 5);
    assert_ok(drxmp_dataset_close(d));
}

TEST(failing_alike)
{
    const bool last = mp_rank == mp_ranks - 1;
    drxmp_dataset *d;
    drx_request *req;
    drxmp_array *u;
    int32_t value = 3;

    make_twins();
    assert_status(drxmp_dataset_open(mp_comm, "nowhere", DRX_RDONLY, DRX_LAST, &d), DRX_ENOENT);
    assert_null(d);
    assert_status(drxmp_dataset_open(mp_comm, NULL, DRX_RDONLY, DRX_LAST, &d), DRX_EINVAL);
    assert_status(drxmp_dataset_commit(NULL, NULL), DRX_EINVAL);
    assert_ok(drxmp_dataset_close(NULL));
    d = open_many(DRX_RDWR);
    if (mp_ranks > 1) {
        assert_fails(drxmp_dataset_extend(d, "time", last ? 2 : 1), DRX_EMISMATCH, "by is");
        assert_fails(drxmp_dataset_commit(d, last ? "x" : "y"), DRX_EMISMATCH, "the text");
        assert_fails(last ? drxmp_dataset_abort(d) : drxmp_dataset_commit(d, NULL), DRX_EMISMATCH, "drxmp_dataset_");
    }
    assert_fails(drxmp_dataset_extend(d, "depth", 1), DRX_ENOENT, "no dimension 'depth'");
    assert_status(drxmp_dataset_extend(d, "time", -1), DRX_EINVAL);
    assert_status(drxmp_dataset_array(d, "t", &u), DRX_ENOENT);
    assert_status(drxmp_dataset_attr_delete(d, "t"), DRX_ENOENT);
    assert_ok(drxmp_dataset_array(d, "u", &u));
    assert_fails(drxmp_dim_rename(u, 0, "t"), DRX_EINVAL, "keep their names");
    assert_ok(drxmp_iwrite_all(u, &(drx_box){ .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ mp_rank == 0, 1 } },
                               &value, &req));
    assert_fails(drxmp_dataset_commit(d, NULL), DRX_EBUSY, "pending");
    assert_fails(drxmp_dataset_close(d), DRX_EBUSY, "pending");
    assert_ok(drx_wait(req));
    assert_ok(drxmp_dataset_extend(d, "time", 1));
    assert_ok(drxmp_dataset_close(d)); /* which takes it back */
    d = open_many(DRX_RDONLY);
    assert_bound(drxmp_dataset_serial(d), "time", 3);
    assert_int_equal(drx_dataset_last(drxmp_dataset_serial(d)), 1);
    assert_ok(drxmp_dataset_close(d));
}

/* One transaction, until something fails. */
static drx_status transact(void)
{
    const drx_spec w = v_spec((int64_t[]){ 4 });
    struct twin many = { NULL, NULL };
    drxmp_array *m;
    drx_status st = drxmp_dataset_open(mp_comm, "many", DRX_RDWR, DRX_LAST, &many.d), closed;
    int32_t buf[MOST];

    if (st)
        return st;
    st = grow(&many, "time", 1);
    if (!st)
        st = drxmp_dataset_array(many.d, "u", &m);
    if (!st)
        st = drxmp_attr_set_text(m, "units", "K");
    if (!st) {
        const struct mp_box row = mp_part(1, (struct mp_box){ { 3, 0 }, { 1, 4 } });

        mp_number_box(1, &row, buf);
        st = mp_write_all(m, &row, buf);
    }
    if (!st)
        st = drxmp_dataset_add(many.d, "w", &w, NULL);
    if (!st)
        st = drxmp_dataset_attr_set_text(many.d, "title", "w");
    if (!st)
        st = commit(&many, "all of it");
    mp_assert_alike(st, -1);
    closed = drxmp_dataset_close(many.d);
    mp_assert_alike(closed, -2);
    return st ? st : closed;
}

/* The dataset is that of the beginning, or that of the end; and can be written. */
static void assert_one_commit(bool done)
{
    drxmp_dataset *d = open_many(DRX_RDWR);
    const drx_dataset *ds = drxmp_dataset_serial(d);
    const bool there = drx_dataset_last(ds) == 2;
    drxmp_array *u;

    assert_true(there || !done);
    assert_bound(ds, "time", there ? 4 : 3);
    assert_int_equal(drx_dataset_count(ds), there ? 3 : 2);
    assert_int_equal(drx_dataset_attr_count(ds), there);
    assert_ok(drxmp_dataset_array(d, "u", &u));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], there ? 4 : 3);
    assert_int_equal(drx_attr_count(drxmp_serial(u)), there);
    assert_ok(drxmp_dataset_extend(d, "time", 1));
    assert_ok(drxmp_dataset_commit(d, "again"));
    assert_ok(drxmp_dataset_close(d));
    if (mp_rank == 0)
        assert_int_equal(drx_dataset_check("many", NULL, NULL, NULL, NULL), DRX_OK);
    (void)MPI_Barrier(mp_comm);
}

static void fail_each(enum mp_fault fault, int culprit, long every)
{
    bool came = true;

    for (long n = 1; came; n = every * mp_next(n / every) + 1) {
        drx_status st;

        make_twins();
        mp_arm(fault, culprit, n);
        st = transact();
        came = mp_disarm(fault, culprit);
        mp_assert_alike(st, n);
        assert_one_commit(!st);
    }
}

TEST(each_fault)
{
    const long every = 5 + mp_below(8); /* each run others */

    fail_each(MP_CALL, 0, every);
    fail_each(MP_CALLS, 0, every);
    fail_each(MP_ALLOCATION, 0, every);
    if (mp_ranks > 1) {
        fail_each(MP_CALL, mp_ranks - 1, 1 + every / 4);
        fail_each(MP_ALLOCATION, mp_ranks - 1, every);
    }
}
