#include "mp_plane.h"
#include "base/hooks.h"
#include "late_rma.h"
#include "mp/mp.h"

const int64_t plane_shape[2] = { ROWS, COLUMNS }, plane_chunk[2] = { 4, 5 };
static const char *const ways[] = { "direct", "2", "1", "rma", "direct", "rma" };

void plane_in_each_way(void (*check)(void))
{
    for (int i = 0; i < 6; i++) {
        assert_int_equal(setenv("DRXMP_ONESIDED", ways[i], 1), 0);
        drxi_hooks.no_aliases = i == 4;
        late_rma = i == 5;
        drxi_job_least_bytes = i % 2 ? 1 : 1 << 20;
        check();
    }
    late_rma = false;
    drxi_job_least_bytes = 1 << 20;
}

drxmp_array *plane_make(drx_type type)
{
    return mp_create(NULL, &(drx_spec){ .ndim = 2, .type = type, .shape = plane_shape, .chunk = plane_chunk });
}

void plane_fill(drxmp_array *m, int version)
{
    int32_t buf[ROWS * COLUMNS];
    const struct mp_box mine = mp_part(0, (struct mp_box){ { 0, 0 }, { ROWS, COLUMNS } });

    mp_number_box(version, &mine, buf);
    assert_ok(mp_write_all(m, &mine, buf));
}

void plane_check(drxmp_array *m, int version)
{
    const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } };
    int32_t buf[ROWS * COLUMNS];

    assert_ok(drxmp_get(m, all.lo, all.count, DRX_ROW_MAJOR, buf));
    mp_assert_numbers(version, &all, buf);
}
