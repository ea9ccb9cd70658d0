/* A call that fails leaves its output arguments alone, and sets handles to NULL (drx.h, conventions). */
#include <signal.h>
#include <sys/resource.h>

#include "drx_tools.h"
#include "testing.h"

static const int64_t shape[2] = { 4, 6 }, chunk[2] = { 2, 3 }, outside[2] = { 4, 0 };

/* Room for whatever a call may set; a call that fails must not touch it. */
static union {
    unsigned char bytes[1024];
    int64_t numbers[2 * DRX_MAX_NDIM];
    int number;
    drx_type type;
    const void *pointer;
    drx_copy_plan plan;
    drx_advice advice;
    drx_counters counters;
} out[3];

static drx_array *a;

static drx_status growth(void)
{
    return drx_growth(a, 0, &out[0].number, out[1].numbers);
}

static drx_status reserve(void)
{
    return drx_reserve(a, 2, 1, out[0].numbers, out[1].numbers);
}

static drx_status reserve_less(void)
{
    return drx_reserve(a, 0, -1, out[0].numbers, out[1].numbers);
}

static drx_status get(void)
{
    return drx_get(a, outside, out[0].bytes);
}

static drx_status read_outside(void)
{
    return drx_read(a, outside, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, out[0].bytes);
}

static drx_status read_box(void)
{
    const drx_box box = { .lo = (int64_t[]){ 0, 0 }, .count = shape, .flags = 8 };

    return drx_read_box(a, &box, out[0].bytes);
}

static drx_status address(void)
{
    return drx_chunk_address(a, outside, out[0].numbers);
}

static drx_status chunk_index(void)
{
    return drx_chunk_index(a, 4, out[0].numbers);
}

static drx_status axial_record(void)
{
    return drx_axial_record(a, 1, 1, out[0].numbers, out[1].numbers, out[2].numbers);
}

static drx_status attr_get(void)
{
    return drx_attr_get(a, "none", &out[0].type, out[1].numbers, &out[2].pointer);
}

static drx_status attr_info(void)
{
    return drx_attr_info(a, 0, (const char **)&out[0].pointer, &out[1].type, out[2].numbers, NULL);
}

static drx_status plan_copy(void)
{
    return drx_plan_copy(a, &(drx_copy_spec){ .permute = (int[]){ 1, 1 } }, &out[0].plan, (char *)out[1].bytes, 100,
                         (size_t *)out[2].numbers);
}

static drx_status advise(void)
{
    return drx_advise(a, 1, &(drx_access){ .count = (int64_t[]){ 5, 1 } }, NULL, &out[0].advice, NULL, NULL);
}

static drx_status counters(void)
{
    return drx_count(NULL, &out[0].counters);
}

TEST(nothing_is_set)
{
    static drx_status (*const calls[])(void) = { growth,    reserve,   reserve_less, get,          read_outside,
                                                 read_box,  address,   chunk_index,  axial_record, attr_get,
                                                 attr_info, plan_copy, advise,       counters };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    unsigned char before[sizeof out];

    assert_ok(drx_create(NULL, &spec, &a));
    memset(out, 0xa5, sizeof out);
    memcpy(before, out, sizeof out);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        assert_int_not_equal(calls[i](), DRX_OK);
        assert_memory_equal(out, before, sizeof out);
    }
    assert_ok(drx_close(a));
}

/* What memory would do is told, and nothing else. */
TEST(least_memory)
{
    const drx_copy_spec spec = { .chunk = (int64_t[]){ 4, 1 }, .memory_bytes = 1 };
    drx_copy_plan plan;
    char text[8] = "before";
    size_t length = 7;

    assert_ok(drx_create(NULL, &(drx_spec){ .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk }, &a));
    memset(&plan, 0xa5, sizeof plan);
    assert_status(drx_plan_copy(a, &spec, &plan, text, sizeof text, &length), DRX_ERANGE);
    assert_true(plan.memory_bytes > 1 && plan.memory_bytes < 1 << 20);
    assert_int_equal(plan.read_bytes, (int64_t)UINT64_C(0xa5a5a5a5a5a5a5a5));
    assert_string_equal(text, "before");
    assert_int_equal(length, 7);
    assert_ok(drx_close(a));
}

TEST(handles_are_null)
{
    const drx_spec bad = { .ndim = 0 };
    drx_array *handle = (drx_array *)out;
    drx_request *request = (drx_request *)out;

    assert_status(drx_create("x", &bad, &handle), DRX_EINVAL);
    assert_null(handle);
    handle = (drx_array *)out;
    assert_status(drx_open("not there", DRX_RDONLY, &handle), DRX_ENOENT);
    assert_null(handle);
    handle = (drx_array *)out;
    assert_status(drx_copy(NULL, "x", NULL, &handle), DRX_EINVAL);
    assert_null(handle);
    assert_status(drx_read_async(NULL, &(drx_box){ .lo = shape, .count = shape }, out, &request), DRX_EINVAL);
    assert_null(request);
}

/* A file may not get so long: no space for it, and no box that somebody could take for reserved. */
TEST(too_long_a_file)
{
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    int64_t lo[2] = { -1, -1 }, count[2] = { -1, -1 };
    struct rlimit limit, small;

    assert_ok(drx_create("a", &spec, &a));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 1 << 20;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_status(drx_reserve(a, 0, 1 << 20, lo, count), DRX_ENOSPC);
    assert_detail("a.xta");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int j = 0; j < 2; j++)
        assert_true(lo[j] == -1 && count[j] == -1);
    assert_memory_equal(drx_shape(a), shape, sizeof shape);
    assert_ok(drx_reserve(a, 0, 1, lo, count));
    assert_true(lo[0] == 4 && lo[1] == 0 && count[0] == 1 && count[1] == 6);
    assert_ok(drx_close(a));
}
