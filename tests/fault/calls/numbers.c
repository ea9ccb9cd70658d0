#include "numbers.h"
#include "drx_tools.h"

static const int64_t origin[2] = { 0, 0 }, shape[2] = { NUMBERS_ROWS, NUMBERS_COLUMNS }, first[2] = { 5, 7 },
                     chunk[2] = { 4, 3 };
static const int32_t fill = NUMBERS_FILL;
static const char *const dims[2] = { "row", NULL }, *const beside[] = { "../s0", "../s1", "../s2" };

bool numbers_sums;
drx_codec numbers_codec;

drx_spec numbers_spec(int stripes, unsigned flags)
{
    return (drx_spec){ .ndim = 2,
                       .type = DRX_INT32,
                       .shape = first,
                       .chunk = chunk,
                       .fill = &fill,
                       .dims = dims,
                       .align = 64,
                       .flags = flags | (numbers_sums ? DRX_CHECKSUM : 0),
                       .codec = stripes > 0 ? DRX_RAW : numbers_codec,
                       .nstripes = stripes,
                       .stripes = stripes > 0 ? beside : NULL };
}

void numbers_compose(drx_order order, int32_t buf[NUMBERS])
{
    for (int64_t i = 0; i < NUMBERS_ROWS; i++)
        for (int64_t j = 0; j < NUMBERS_COLUMNS; j++)
            buf[order == DRX_ROW_MAJOR ? i * NUMBERS_COLUMNS + j : j * NUMBERS_ROWS + i] = number(i, j);
}

void numbers_make(const char *path, int stripes)
{
    const drx_spec spec = numbers_spec(stripes, 0);
    int32_t buf[NUMBERS];
    drx_array *a;

    numbers_compose(DRX_ROW_MAJOR, buf);
    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_attr_set_text(a, "title", "numbers"));
    assert_ok(drx_extend(a, 0, NUMBERS_ROWS - first[0]));
    assert_ok(drx_extend(a, 1, NUMBERS_COLUMNS - first[1]));
    assert_ok(drx_write(a, origin, shape, DRX_ROW_MAJOR, buf));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

/* All of them, and fill behind them. */
static void require_all(drx_array *a)
{
    const int64_t *bounds = drx_shape(a);
    int32_t *buf = malloc((size_t)(bounds[0] * bounds[1]) * sizeof *buf);

    assert_non_null(buf);
    assert_true(bounds[0] >= NUMBERS_ROWS && bounds[1] >= NUMBERS_COLUMNS);
    assert_ok(drx_read(a, origin, bounds, DRX_COL_MAJOR, buf));
    for (int64_t i = 0; i < bounds[0]; i++)
        for (int64_t j = 0; j < bounds[1]; j++)
            assert_int_equal(buf[i + j * bounds[0]],
                             i < NUMBERS_ROWS && j < NUMBERS_COLUMNS ? number(i, j) : NUMBERS_FILL);
    free(buf);
    assert_int_equal(drx_attr_count(a), 1);
    assert_string_equal(drx_dim_name(a, 0), "row");
}

void numbers_require(drx_array *a)
{
    require_all(a);
    assert_int_equal(drx_shape(a)[0], NUMBERS_ROWS);
    assert_int_equal(drx_shape(a)[1], NUMBERS_COLUMNS);
}

bool numbers_there(const char *path)
{
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDWR, &a);

    if (st == DRX_ENOENT)
        return false;
    assert_ok(st);
    require_all(a);
    assert_ok(drx_check(path, NULL, NULL, NULL, NULL));
    assert_ok(drx_extend(a, 1, 4));
    assert_ok(drx_extend(a, 0, 3));
    require_all(a);
    assert_ok(drx_close(a));
    return true;
}
