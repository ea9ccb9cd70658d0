#include "mp_twins.h"

const char *const u_dims[] = { "time", "lon" };
const int32_t u_fill = -1;
bool twins_packed;
static const char *const v_dims[] = { "time" };

drx_spec u_spec(const int64_t shape[])
{
    static const int64_t chunk[] = { 4, 5 };

    return (drx_spec){ .ndim = 2,
                       .type = DRX_INT32,
                       .shape = shape,
                       .chunk = chunk,
                       .dims = u_dims,
                       .fill = &u_fill,
                       .codec = twins_packed ? DRX_ZSTD : DRX_RAW };
}

drx_spec v_spec(const int64_t shape[])
{
    static const int64_t chunk[] = { 8 };

    return (drx_spec){ .ndim = 1,
                       .type = DRX_INT64,
                       .shape = shape,
                       .chunk = chunk,
                       .dims = v_dims,
                       .codec = twins_packed ? DRX_ZLIB : DRX_RAW,
                       .flags = twins_packed ? 0 : DRX_CHECKSUM };
}

void number_next(int n)
{
    char text[40];

    (void)snprintf(text, sizeof text, "%032d", n);
    (void)setenv("DRX_CREATION_ID", text, 1);
}

static void make(bool many)
{
    const drx_spec u = u_spec((int64_t[]){ 3, 4 }), v = v_spec((int64_t[]){ 3 });
    struct twin t = { NULL, NULL };

    number_next(1);
    assert_ok(many ? drxmp_dataset_create(mp_comm, "many", &t.d) : drx_dataset_create("one", &t.ds));
    number_next(2);
    assert_ok(CALL(&t, add, "u", &u, NULL));
    number_next(3);
    assert_ok(CALL(&t, add, "v", &v, NULL));
    assert_ok(twin_commit(&t, "begin"));
    assert_ok(t.d ? drxmp_dataset_close(t.d) : drx_dataset_close(t.ds));
}

static void make_both(bool compressed)
{
    twins_packed = compressed;
    (void)setenv("SOURCE_DATE_EPOCH", "0", 1);
    mp_shell("rm -rf one many");
    if (mp_rank == 0)
        make(false);
    make(true);
    assert_twins();
    number_next(4);
}

void make_twins(void)
{
    make_both(false);
}

void make_packed_twins(void)
{
    make_both(true);
}

void assert_twins(void)
{
    mp_shell("diff -r one many");
}

void twins_play(void (*calls)(const struct twin *t))
{
    struct twin many = { open_many(DRX_RDWR), NULL }, one = { NULL, NULL };
    const uint64_t before = mp_stream;
    uint64_t after;

    calls(&many);
    assert_ok(drxmp_dataset_close(many.d));
    after = mp_stream;
    mp_stream = before;
    if (mp_rank == 0) {
        assert_ok(drx_dataset_open("one", DRX_RDWR, DRX_LAST, &one.ds));
        calls(&one);
        assert_ok(drx_dataset_close(one.ds));
    }
    mp_stream = after;
    assert_twins();
}

drxmp_dataset *open_many(int mode)
{
    drxmp_dataset *d;

    assert_ok(drxmp_dataset_open(mp_comm, "many", mode, DRX_LAST, &d));
    return d;
}

drx_status twin_grow(const struct twin *t, const char *dim, int64_t by)
{
    return by < 0 ? CALL(t, extend_before, dim, -by) : CALL(t, extend, dim, by);
}

drx_status twin_trim(const struct twin *t, const char *dim, int64_t before, int64_t after)
{
    return CALL(t, trim, dim, before, after);
}

drx_status twin_commit(const struct twin *t, const char *message)
{
    return CALL(t, commit, message);
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

static int64_t value_of_v(int version, int64_t i)
{
    return version * 1000 + i;
}

static void write_first(drx_array *u, drx_array *v, int version, int64_t i)
{
    const int64_t index[] = { i, drx_lower(u)[1] }, value = value_of_v(version, i);
    const int32_t first = mp_number(version, i, index[1]);

    assert_ok(drx_put(u, index, &first));
    assert_ok(drx_put(v, index, &value));
}

void twin_number(const struct twin *t, int version)
{
    struct mp_box box = { .step = { 0, 0 } };
    int32_t buf[MOST * MOST];
    int64_t values[MOST];
    drxmp_array *mu, *mv;
    drx_array *u, *v;

    bounds_of(twin_view(t), "time", &box.lo[0], &box.count[0]);
    bounds_of(twin_view(t), "lon", &box.lo[1], &box.count[1]);
    if (box.count[1] == 0)
        return;
    for (int64_t i = 0; i < box.count[0]; i++)
        values[i] = value_of_v(version, box.lo[0] + i);
    box.lo[1] += !twins_packed;
    box.count[1] -= !twins_packed;
    if (t->d) {
        assert_ok(drxmp_dataset_array(t->d, "u", &mu));
        assert_ok(drxmp_dataset_array(t->d, "v", &mv));
        u = drxmp_serial(mu);
        v = drxmp_serial(mv);
        if (twins_packed)
            assert_ok(drxmp_write_all(mv, box.lo, &(int64_t){ mp_rank ? 0 : box.count[0] }, DRX_ROW_MAJOR, values));
        box = mp_part(1, box);
        mp_number_box(version, &box, buf);
        assert_ok(mp_write_all(mu, &box, buf));
    } else {
        assert_ok(drx_dataset_array(t->ds, "u", &u));
        assert_ok(drx_dataset_array(t->ds, "v", &v));
        if (twins_packed)
            assert_ok(drx_write(v, box.lo, box.count, DRX_ROW_MAJOR, values));
        mp_number_box(version, &box, buf);
        assert_ok(drx_write(u, box.lo, box.count, DRX_ROW_MAJOR, buf));
    }
    for (int64_t i = 0; !twins_packed && (!t->d || mp_rank == mp_ranks - 1) && i < drx_shape(v)[0]; i++)
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
        assert_int_equal(value[i], value_of_v(version, box.lo[0] + i));
}

void assert_bound(const drx_dataset *ds, const char *dim, int64_t expected)
{
    int64_t bound = -1;

    assert_non_null(drx_dataset_dim(ds, drx_dataset_dim_find(ds, dim), &bound));
    assert_int_equal(bound, expected);
}
