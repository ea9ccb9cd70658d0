/* Transactions of many ranks on compressed variables: the files are those of one process that makes the same calls. */
#include "drx_dataset.h"
#include "drxmp_dataset.h"
#include "mp_testing.h"

enum { MOST = 50, STEPS = 25 };

static const char *const dims[] = { "time", "lon" };
static int32_t buf[MOST * MOST];

/* All ranks, or one process. */
struct twin {
    drxmp_dataset *d; /* NULL: */
    drx_dataset *ds;
};

static const drx_dataset *view(const struct twin *t)
{
    return t->d ? drxmp_dataset_serial(t->d) : t->ds;
}

static void number_next(int n)
{
    char text[40];

    (void)snprintf(text, sizeof text, "%032d", n);
    (void)setenv("DRX_CREATION_ID", text, 1);
}

static void add(const struct twin *t, const char *name, int ndim, drx_codec codec)
{
    const int64_t shape[] = { 3, 4 }, chunk[] = { 4, 5 };
    const drx_spec spec = {
        .ndim = ndim, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims, .codec = codec
    };

    assert_ok(t->d ? drxmp_dataset_add(t->d, name, &spec, NULL) : drx_dataset_add(t->ds, name, &spec, NULL));
}

static drx_status commit(const struct twin *t)
{
    return t->d ? drxmp_dataset_commit(t->d, "a message") : drx_dataset_commit(t->ds, "a message");
}

static struct mp_box bounds_of(const struct twin *t)
{
    struct mp_box box = { .step = { 0, 0 } };

    for (int j = 0; j < 2; j++) {
        const int d = drx_dataset_dim_find(view(t), dims[j]);

        box.lo[j] = drx_dataset_dim_lower(view(t), d);
        (void)drx_dataset_dim(view(t), d, &box.count[j]);
        box.count[j] -= box.lo[j];
    }
    return box;
}

/* Number a variable, each rank a part. Of v, which has one axis, the first column. */
static void number(const struct twin *t, const char *name, int version)
{
    struct mp_box box = bounds_of(t);
    drxmp_array *m;
    drx_array *a;

    if (*name == 'v') {
        box.lo[1] = 0;
        box.count[1] = 1;
    }
    if (t->d) {
        assert_ok(drxmp_dataset_array(t->d, name, &m));
        box = mp_part(0, box);
        mp_number_box(version, &box, buf);
        assert_ok(mp_write_all(m, &box, buf));
    } else {
        assert_ok(drx_dataset_array(t->ds, name, &a));
        mp_number_box(version, &box, buf);
        assert_ok(drx_write(a, box.lo, box.count, DRX_ROW_MAJOR, buf));
    }
}

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

static void play(const struct twin *t, const int draw[], int version)
{
    const int j = draw[1] % 2;
    const int64_t room = MOST - bounds_of(t).count[j];
    int64_t n;
    drx_status st;

    switch (draw[0]) {
    case 0:
        assert_ok(t->d ? drxmp_dataset_abort(t->d) : drx_dataset_abort(t->ds));
        break;
    case 1:
    case 2:
        assert_ok(commit(t));
        break;
    case 3:
    case 4:
    case 5:
        number(t, draw[0] == 3 ? "v" : "u", version);
        break;
    case 6:
        st = trim(t, dims[j], draw[1] % 3, draw[1] % 4);
        assert_true(st == DRX_OK || st == DRX_ERANGE); /* it has fewer */
        break;
    case 9:
        assert_ok(commit(t));
        n = drx_dataset_last(view(t));
        assert_ok(t->d ? drxmp_dataset_forget(t->d, n) : drx_dataset_forget(t->ds, n));
        break;
    default:
        st = grow(t, dims[j], draw[1] % 5 < room ? (draw[0] == 7 ? -draw[1] : draw[1]) % 5 : 0);
        assert_true(st == DRX_OK || st == DRX_EINVAL); /* this transaction trims that end */
    }
}

static void make(struct twin *t)
{
    number_next(2);
    add(t, "u", 2, DRX_ZSTD);
    number_next(3);
    add(t, "v", 1, DRX_ZLIB);
    number(t, "u", 0);
    assert_ok(commit(t));
}

/* What readers see at the end of a history, on all ranks and on one. */
static void assert_read_alike(void)
{
    struct twin many = { NULL, NULL }, one = { NULL, NULL };
    static int32_t other[MOST * MOST];
    struct mp_box box;
    drxmp_array *m;
    drx_array *a;

    assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, DRX_LAST, &many.d));
    assert_ok(drx_dataset_open("one", DRX_RDONLY, DRX_LAST, &one.ds));
    assert_ok(drxmp_dataset_array(many.d, "u", &m));
    assert_ok(drx_dataset_array(one.ds, "u", &a));
    box = bounds_of(&many);
    assert_ok(mp_read_all(m, &box, buf));
    assert_ok(drx_read(a, box.lo, box.count, DRX_ROW_MAJOR, other));
    assert_memory_equal(buf, other, (size_t)mp_box_size(&box) * sizeof *buf);
    assert_ok(drxmp_dataset_close(many.d));
    assert_ok(drx_dataset_close(one.ds));
    (void)MPI_Barrier(mp_comm);
}

TEST(random_transactions)
{
    int draw[STEPS][2];

    (void)setenv("SOURCE_DATE_EPOCH", "0", 1);
    mp_shell("rm -rf one many");
    for (int round = 0; round < 8; round++) {
        struct twin many = { NULL, NULL }, one = { NULL, NULL };

        number_next(1);
        if (round == 0) {
            assert_ok(drxmp_dataset_create(mp_comm, "many", &many.d));
            make(&many);
        } else {
            assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDWR, DRX_LAST, &many.d));
        }
        for (int i = 0; i < STEPS; i++) {
            draw[i][0] = (int)mp_below(11);
            draw[i][1] = (int)mp_below(12);
            play(&many, draw[i], round * STEPS + i);
        }
        assert_ok(drxmp_dataset_close(many.d));
        number_next(1);
        if (mp_rank == 0) {
            assert_ok(round == 0 ? drx_dataset_create("one", &one.ds)
                                 : drx_dataset_open("one", DRX_RDWR, DRX_LAST, &one.ds));
            if (round == 0)
                make(&one);
            for (int i = 0; i < STEPS; i++)
                play(&one, draw[i], round * STEPS + i);
            assert_ok(drx_dataset_close(one.ds));
        }
        mp_shell("diff -r one many");
        assert_read_alike();
    }
}
