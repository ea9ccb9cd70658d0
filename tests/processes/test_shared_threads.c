/* Several threads of one process use each of several handles that share an array or a dataset. */
#include <pthread.h>

#include "drx_dataset.h"
#include "testing.h"

enum { HANDLES = 2, THREADS = 3, GROWTHS = 60 };

struct thread {
    pthread_t id;
    drx_array *a;
    int number;
    bool good;
};

static void *grow(void *arg)
{
    struct thread *t = arg;

    t->good = true;
    for (int i = 0; t->good && i < GROWTHS; i++) {
        const int32_t row[2] = { t->number, i };
        int64_t lo[2], count[2];

        if (i % 2)
            t->good = drx_append(t->a, 0, 1, DRX_ROW_MAJOR, row) == DRX_OK;
        else
            t->good = drx_reserve(t->a, 0, 1, lo, count) == DRX_OK &&
                      drx_write(t->a, lo, count, DRX_ROW_MAJOR, row) == DRX_OK;
        if (t->good && i % 20 == 9)
            t->good = drx_refresh(t->a) == DRX_OK && drx_sync(t->a) == DRX_OK;
    }
    return NULL;
}

static void grow_together(drx_codec codec)
{
    const int64_t shape[2] = { 0, 2 }, chunk[2] = { 5, 2 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .codec = codec, .flags = DRX_REPLACE
    };
    struct thread thread[HANDLES * THREADS];
    static int32_t row[HANDLES * THREADS * GROWTHS][2];
    int seen[HANDLES * THREADS][GROWTHS] = { { 0 } };
    drx_array *a[HANDLES];

    assert_ok(drx_create("threads", &spec, &a[0]));
    assert_ok(drx_close(a[0]));
    for (int h = 0; h < HANDLES; h++)
        assert_ok(drx_open("threads", DRX_SHARED, &a[h]));
    for (int t = 0; t < HANDLES * THREADS; t++) {
        thread[t] = (struct thread){ .a = a[t % HANDLES], .number = t };
        assert_int_equal(pthread_create(&thread[t].id, NULL, grow, &thread[t]), 0);
    }
    for (int t = 0; t < HANDLES * THREADS; t++) {
        assert_int_equal(pthread_join(thread[t].id, NULL), 0);
        assert_true(thread[t].good);
    }
    assert_ok(drx_close(a[1]));
    assert_ok(drx_refresh(a[0]));
    assert_int_equal(drx_shape(a[0])[0], HANDLES * THREADS * GROWTHS);
    assert_ok(drx_read(a[0], (int64_t[]){ 0, 0 }, drx_shape(a[0]), DRX_ROW_MAJOR, row));
    for (int i = 0; i < HANDLES * THREADS * GROWTHS; i++)
        assert_int_equal(seen[row[i][0]][row[i][1]]++, 0);
    assert_ok(drx_close(a[0]));
}

TEST(threads_of_several_handles)
{
    grow_together(DRX_RAW);
    grow_together(DRX_LZ4);
}

/* ---- datasets: one thread at a time asks one; elements are written at once ---- */

static struct shared {
    drx_dataset *ds;
    pthread_mutex_t lock;
} shared[HANDLES];

static bool append_step(struct shared *s, int number, int i, drx_array *a[2])
{
    const int32_t row[2] = { number, i };
    int64_t t;
    bool good;

    (void)pthread_mutex_lock(&s->lock);
    good = drx_dataset_reserve(s->ds, "t", 1, &t) == DRX_OK && drx_dataset_array(s->ds, "u", &a[0]) == DRX_OK &&
           drx_dataset_array(s->ds, "v", &a[1]) == DRX_OK;
    (void)pthread_mutex_unlock(&s->lock);
    for (int k = 0; good && k < 2; k++)
        good = drx_write(a[k], (int64_t[]){ t, 0 }, (int64_t[]){ 1, 2 }, DRX_ROW_MAJOR, row) == DRX_OK;
    (void)pthread_mutex_lock(&s->lock);
    good = good && (i % 7 || drx_dataset_commit(s->ds, NULL) == DRX_OK);
    (void)pthread_mutex_unlock(&s->lock);
    return good;
}

static void *grow_dataset(void *arg)
{
    struct thread *t = arg;
    drx_array *a[2];

    t->good = true;
    for (int i = 0; t->good && i < GROWTHS; i++)
        t->good = append_step(&shared[t->number % HANDLES], t->number, i, a);
    if (!t->good)
        print_error("%s\n", drx_last_error());
    return NULL;
}

TEST(threads_of_a_dataset)
{
    const int64_t shape[2] = { 0, 2 }, chunk[2] = { 5, 2 };
    const char *const dims[] = { "t", "x" };
    drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims };
    static int32_t row[2][HANDLES * THREADS * GROWTHS][2];
    int seen[HANDLES * THREADS][GROWTHS] = { { 0 } };
    struct thread thread[HANDLES * THREADS];
    drx_dataset *ds;

    assert_ok(drx_dataset_create("many", &ds));
    assert_ok(drx_dataset_add(ds, "u", &spec, NULL));
    spec.codec = DRX_LZ4;
    assert_ok(drx_dataset_add(ds, "v", &spec, NULL));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    for (int h = 0; h < HANDLES; h++) {
        (void)pthread_mutex_init(&shared[h].lock, NULL);
        assert_ok(drx_dataset_open("many", DRX_SHARED, DRX_LAST, &shared[h].ds));
    }
    for (int t = 0; t < HANDLES * THREADS; t++) {
        thread[t] = (struct thread){ .number = t };
        assert_int_equal(pthread_create(&thread[t].id, NULL, grow_dataset, &thread[t]), 0);
    }
    for (int t = 0; t < HANDLES * THREADS; t++) {
        assert_int_equal(pthread_join(thread[t].id, NULL), 0);
        assert_true(thread[t].good);
    }
    for (int h = 0; h < HANDLES; h++)
        assert_ok(drx_dataset_close(shared[h].ds));
    assert_ok(drx_dataset_open("many", DRX_RDONLY, DRX_LAST, &ds));
    for (int k = 0; k < 2; k++) {
        drx_array *a;

        assert_ok(drx_dataset_array(ds, k ? "v" : "u", &a));
        assert_int_equal(drx_shape(a)[0], HANDLES * THREADS * GROWTHS);
        assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, row[k]));
    }
    assert_memory_equal(row[0], row[1], sizeof row[0]);
    for (int i = 0; i < HANDLES * THREADS * GROWTHS; i++)
        assert_int_equal(seen[row[0][i][0]][row[0][i][1]]++, 0);
    assert_ok(drx_dataset_close(ds));
}
