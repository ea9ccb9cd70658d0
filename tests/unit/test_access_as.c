/* Boxes read and written with a buffer of another type: many pieces, and refusals. That they convert as drx_convert
 * does, tests/model tells. */
#include "drx_tools.h"
#include "testing.h"

/* A box of many stages: pieces of whole chunks, parts of chunks, and the first of several that do not fit. */
TEST(many_pieces)
{
    static float wide[900][700];
    static int16_t narrow[900][700];
    static double all[900][700];
    const int64_t shape[2] = { 900, 700 }, lo[2] = { 0, 0 };

    for (int round = 0; round < 8; round++) {
        const int64_t chunk[][2] = { { 64, 64 }, { 900, 700 }, { 1, 700 }, { 900, 1 } };
        const drx_spec spec = { .ndim = 2,
                                .type = DRX_FLOAT64,
                                .shape = shape,
                                .chunk = chunk[round % 4],
                                .codec = round == 4 ? DRX_LZ4 : DRX_RAW,
                                .flags = DRX_REPLACE };
        drx_array *a;

        drx_set_memory(round >= 5 ? 1 << 18 : 0);
        assert_ok(drx_create("many", &spec, &a));
        for (int i = 0; i < 900; i++)
            for (int j = 0; j < 700; j++)
                narrow[i][j] = (int16_t)(i * 31 - j * 7);
        assert_ok(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_INT16, DRX_EXACT, narrow));
        assert_ok(drx_read(a, lo, shape, DRX_ROW_MAJOR, all));
        assert_ok(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, wide));
        for (int i = 0; i < 900; i++)
            for (int j = 0; j < 700; j++)
                assert_true(all[i][j] == narrow[i][j] && wide[i][j] == (float)narrow[i][j]);
        for (int k = 0; k < 30; k++)
            wide[100 + k * 20][699 - k * 20] = 0.1f;
        wide[100][650] = 1e9f;
        assert_ok(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, wide));
        assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_INT16, DRX_EXACT, narrow), DRX_EMISMATCH);
        assert_detail("many: element (100, 650) is 1000000000, which int16 does not hold");
        assert_status(drx_read_as(a, lo, shape, DRX_COL_MAJOR, DRX_INT16, DRX_EXACT, narrow), DRX_EMISMATCH);
        assert_detail("many: element (680, 119) is 0.1");
        assert_ok(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_INT16, DRX_NEAREST, narrow));
        assert_int_equal(narrow[100][650], INT16_MAX);
        assert_ok(drx_close(a));
    }
    drx_set_memory(0);
}

TEST(refusals)
{
    const int64_t shape[1] = { 4 }, lo[1] = { 0 }, beyond[1] = { 5 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = shape, .flags = DRX_REPLACE };
    float buf[4] = { 0, 1, 40000, 3 };
    drx_array *a;

    assert_ok(drx_create("refusals", &spec, &a));
    assert_status(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EMISMATCH);
    assert_detail("refusals: element (2) is 40000, which int16 does not hold");
    assert_status(drx_read_as(a, lo, beyond, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_ERANGE);
    assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, (drx_type)0, DRX_EXACT, buf), DRX_EINVAL);
    assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, (drx_conversion)7, buf), DRX_EINVAL);
    assert_status(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, NULL), DRX_EINVAL);
    assert_status(drx_read_as(a, NULL, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EINVAL);
    assert_status(drx_read_box_as(a, NULL, DRX_FLOAT32, DRX_EXACT, buf), DRX_EINVAL);
    assert_status(drx_read_as(NULL, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EINVAL);
    assert_ok(drx_close(a));
    assert_ok(drx_open("refusals", DRX_RDONLY, &a));
    assert_status(drx_write_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf), DRX_EACCES);
    assert_ok(drx_read_as(a, lo, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, buf));
    assert_true(buf[2] == 0);
    assert_ok(drx_close(a));
}
