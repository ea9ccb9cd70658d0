#include "mp_twins.h"

const char *const u_dims[] = { "time", "lon" };
const int32_t u_fill = -1;
static const char *const v_dims[] = { "time" };

drx_spec u_spec(const int64_t shape[])
{
    static const int64_t chunk[] = { 4, 5 };

    return (drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = u_dims, .fill = &u_fill };
}

drx_spec v_spec(const int64_t shape[])
{
    static const int64_t chunk[] = { 8 };

    return (drx_spec){
        .ndim = 1, .type = DRX_INT64, .shape = shape, .chunk = chunk, .dims = v_dims, .flags = DRX_CHECKSUM
    };
}

void number_next(int n)
{
    char text[40];

    (void)snprintf(text, sizeof text, "%032d", n);
    (void)setenv("DRX_CREATION_ID", text, 1);
}

void make_twins(void)
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

void assert_twins(void)
{
    mp_shell("diff -r one many");
}

drxmp_dataset *open_many(int mode)
{
    drxmp_dataset *d;

    assert_ok(drxmp_dataset_open(mp_comm, "many", mode, DRX_LAST, &d));
    return d;
}

drx_status twin_grow(const struct twin *t, const char *dim, int64_t by)
{
    if (by < 0)
        return t->d ? drxmp_dataset_extend_before(t->d, dim, -by) : drx_dataset_extend_before(t->ds, dim, -by);
    return t->d ? drxmp_dataset_extend(t->d, dim, by) : drx_dataset_extend(t->ds, dim, by);
}

drx_status twin_trim(const struct twin *t, const char *dim, int64_t before, int64_t after)
{
    return t->d ? drxmp_dataset_trim(t->d, dim, before, after) : drx_dataset_trim(t->ds, dim, before, after);
}

drx_status twin_commit(const struct twin *t, const char *message)
{
    return t->d ? drxmp_dataset_commit(t->d, message) : drx_dataset_commit(t->ds, message);
}

const drx_dataset *twin_view(const struct twin *t)
{
    return t->d ? drxmp_dataset_serial(t->d) : t->ds;
}

void bounds_of(const drx_dataset *ds, const char *dim, int64_t *lower, int64_t *count)
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

void twin_number(const struct twin *t, int version)
{
    struct mp_box box = { .step = { 0, 0 } };
    int32_t buf[MOST * MOST];
    drxmp_array *mu, *mv;
    drx_array *u, *v;

    bounds_of(twin_view(t), "time", &box.lo[0], &box.count[0]);
    bounds_of(twin_view(t), "lon", &box.lo[1], &box.count[1]);
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

void assert_numbered(drxmp_dataset *d, int version)
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

void assert_bound(const drx_dataset *ds, const char *dim, int64_t expected)
{
    int64_t bound = -1;

    assert_non_null(drx_dataset_dim(ds, drx_dataset_dim_find(ds, dim), &bound));
    assert_int_equal(bound, expected);
}
