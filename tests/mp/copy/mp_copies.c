#include "mp_copies.h"

#include "base/hooks.h"
#include "layout/run/run.h"

void write_all(drxmp_array *m)
{
    const int ndim = drx_ndim(drxmp_serial(m));
    const int64_t *shape = drx_shape(drxmp_serial(m)), *lo = drx_lower(drxmp_serial(m));
    int64_t count[MAX_TEST_NDIM] = { 0 };
    size_t bytes = drx_type_size(drx_dtype(drxmp_serial(m)));
    uint8_t *values;

    for (int j = 0; j < ndim; j++)
        bytes *= (size_t)shape[j];
    values = malloc(bytes + 1);
    assert_non_null(values);
    for (size_t i = 0; i < bytes; i++)
        values[i] = (uint8_t)random_next(&mp_stream);
    memcpy(count, shape, (size_t)ndim * sizeof *count);
    if (mp_rank > 0)
        memset(count, 0, sizeof count);
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, values));
    free(values);
}

void copy_alone(drxmp_array *m, const drx_copy_spec *wishes)
{
    drx_copy_spec spec = *wishes;

    spec.memory_bytes = 0;
    spec.flags |= DRX_REPLACE;
    spec.progress = NULL;
    if (mp_rank == 0)
        assert_ok(drx_copy(drxmp_serial(m), "alone", &spec, NULL));
    (void)MPI_Barrier(mp_comm);
}

/* Checksums that are not durable differ in when they were written. */
static void settle(const char *path)
{
    drx_array *a;

    if (mp_rank == 0) {
        assert_ok(drx_open(path, DRX_RDWR, &a));
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
    }
}

void copy_and_compare(drxmp_array *m, const drx_copy_spec *spec, bool stays_open)
{
    static int times;
    drxmp_array *to;

    times++; /* each rank in a way of its own */
    drxi_hooks.way = (times + mp_rank) % 3 ? DRXI_STAGED : DRXI_MAPPED;
    drxi_hooks.never_direct = (times + mp_rank) % 2;
    if (stays_open) {
        assert_ok(drxmp_copy(m, "to", spec, &to));
        assert_status(drxmp_copy(m, "to", spec, NULL), spec->flags & DRX_REPLACE ? DRX_EBUSY : DRX_EEXIST);
        assert_ok(drxmp_close(to));
    } else {
        assert_ok(drxmp_copy(m, "to", spec, NULL));
    }
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.never_direct = false;
    if (spec->flags & DRX_CHECKSUM) {
        settle("to");
        settle("alone");
    }
    mp_assert_same_files("to", "alone");
    assert_int_equal(mp_count_files("to* .[a-z]*"), spec->flags & DRX_CHECKSUM ? 3 : 2);
}

drxmp_array *make_small(const char *path, int64_t first, int64_t rows)
{
    const int64_t shape[2] = { rows, 18 }, chunk[2] = { 16, 3 };
    const int16_t fill = 7;
    const int64_t lower[2] = { first, 0 };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT16,
                            .shape = shape,
                            .chunk = chunk,
                            .lower = lower,
                            .fill = &fill,
                            .flags = DRX_REPLACE };
    drxmp_array *m = mp_create(path, &spec);

    write_all(m);
    assert_ok(drxmp_attr_set_text(m, "title", "numbers"));
    return m;
}
