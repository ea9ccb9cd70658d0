/* Handles that share a dataset: each sees what the others have committed, and nothing else. */
#include "wind_dataset.h"

enum { HANDLES = 3, MOST = 400, VARIABLES = 5 };

static const char *const names[VARIABLES] = { "u", "v", "w", "z", "t" };

/* What each step of time holds. */
static struct model {
    int64_t lower, upper;
    int32_t value[2 * MOST];
} model;

static void make(void)
{
    static const int32_t fill = -9;
    const char *const dims[] = { "time", "x", "time" };
    drx_dataset *ds;

    assert_ok(drx_dataset_create("s", &ds));
    for (int i = 0; i < VARIABLES; i++) {
        const int64_t shape[] = { 0, 5, 0 }, chunk[] = { 4, 3, 4 };
        const int from = i == 1;

        assert_ok(drx_dataset_add(ds, names[i],
                                  &(drx_spec){ .ndim = i == 4 ? 1 : 2,
                                               .type = DRX_INT32,
                                               .shape = shape + from,
                                               .chunk = chunk + from,
                                               .dims = dims + from,
                                               .fill = i % 2 ? &fill : NULL,
                                               .flags = i == 2 ? DRX_CHECKSUM : 0,
                                               .codec = i == 3 ? DRX_LZ4 : 0 },
                                  NULL));
    }
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
    model = (struct model){ .lower = 0 };
}

static drx_array *array(drx_dataset *ds, int i)
{
    drx_array *a;

    assert_ok(drx_dataset_array(ds, names[i], &a));
    return a;
}

static void box_of(int i, int64_t t, int64_t lo[2], int64_t count[2])
{
    lo[i == 1] = t;
    count[i == 1] = 1;
    lo[i != 1] = 0;
    count[i != 1] = 5;
}

static void write_step_of(drx_dataset *ds, int64_t t, int32_t value)
{
    const int32_t row[] = { value, value, value, value, value };

    for (int i = 0; i < VARIABLES; i++) {
        int64_t lo[2], count[2];

        box_of(i, t, lo, count);
        assert_ok(drx_write(array(ds, i), lo, count, DRX_ROW_MAJOR, row));
    }
}

static void expect(drx_dataset *ds)
{
    const int d = drx_dataset_dim_find(ds, "time");
    int64_t upper;

    (void)drx_dataset_dim(ds, d, &upper);
    assert_int_equal(drx_dataset_dim_lower(ds, d), model.lower);
    assert_int_equal(upper, model.upper);
    for (int i = 0; i < VARIABLES; i++)
        for (int64_t t = model.lower; t < model.upper; t++) {
            int64_t lo[2], count[2];
            int32_t row[5];
            const int32_t value = model.value[MOST + t] ? model.value[MOST + t] : i % 2 ? -9 : 0;

            box_of(i, t, lo, count);
            assert_ok(drx_read(array(ds, i), lo, count, DRX_ROW_MAJOR, row));
            for (int k = 0; k < (i == 4 ? 1 : 5); k++)
                if (row[k] != value)
                    fail_msg("%s at step %lld has %d, expected %d", names[i], (long long)t, row[k], value);
        }
}

static void grow(drx_dataset *ds, bool low, int64_t by)
{
    assert_ok((low ? drx_dataset_extend_before : drx_dataset_extend)(ds, "time", by));
    model.lower -= low ? by : 0;
    model.upper += low ? 0 : by;
}

static void transact(drx_dataset *ds, uint64_t *random, int32_t value)
{
    const bool low = random_below(random, 2);
    const int64_t by = 1 + random_below(random, 3);
    const struct model before = model;

    assert_ok(drx_dataset_begin(ds));
    expect(ds);
    grow(ds, low, by);
    for (int64_t k = 0; k < by; k++) {
        const int64_t t = low ? model.lower + k : model.upper - 1 - k;

        write_step_of(ds, t, value);
        model.value[MOST + t] = value;
    }
    if (random_below(random, 4) == 0) {
        assert_ok(drx_dataset_abort(ds));
        model = before;
    } else {
        assert_ok(drx_dataset_commit(ds, "steps"));
    }
    expect(ds);
}

static void reserve(drx_dataset *ds, uint64_t *random, int32_t value)
{
    const bool low = random_below(random, 2);
    const int64_t by = 1 + random_below(random, 3);
    int64_t first;

    assert_ok((low ? drx_dataset_reserve_before : drx_dataset_reserve)(ds, "time", by, &first));
    assert_int_equal(first, low ? model.lower - by : model.upper);
    model.lower -= low ? by : 0;
    model.upper += low ? 0 : by;
    for (int64_t k = 0; k < by; k++) {
        model.value[MOST + first + k] = 0;
        if (random_below(random, 3)) {
            write_step_of(ds, first + k, value);
            model.value[MOST + first + k] = value;
        }
    }
}

TEST(what_was_removed_is_not_told)
{
    drx_dataset *ds;

    make();
    assert_ok(drx_dataset_open("s", DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_remove(ds, "z"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_open("s", DRX_SHARED, DRX_LAST, &ds));
    assert_ok(drx_dataset_begin(ds));
    assert_string_equal(drx_last_error(), "");
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_delete("s"));
}

TEST(handles_take_turns)
{
    uint64_t random = starting_seed(0);
    drx_dataset *ds[HANDLES], *reader;

    skip_if_emulated();
    for (int round = 0; round < 10; round++) {
        make();
        for (int i = 0; i < HANDLES; i++)
            assert_ok(drx_dataset_open("s", DRX_SHARED, DRX_LAST, &ds[i]));
        assert_ok(drx_dataset_open("s", DRX_RDONLY, DRX_LAST, &reader));
        for (int32_t i = 1; i < 60; i++) {
            drx_dataset **one = &ds[random_below(&random, HANDLES)];

            if (random_below(&random, 12) == 0) {
                assert_ok(drx_dataset_close(*one));
                assert_ok(drx_dataset_open("s", DRX_SHARED, DRX_LAST, one));
            }
            (random_below(&random, 2) ? transact : reserve)(*one, &random, i);
            assert_ok(drx_dataset_refresh(reader));
            expect(reader);
            if (random_below(&random, 5) == 0) {
                assert_ok(drx_dataset_refresh(ds[0]));
                expect(ds[0]);
            }
        }
        for (int i = 0; i < HANDLES; i++)
            assert_ok(drx_dataset_close(ds[i]));
        assert_ok(drx_dataset_close(reader));
        assert_ok(drx_dataset_check("s", NULL, NULL, NULL, NULL));
        assert_ok(drx_dataset_delete("s"));
    }
}
