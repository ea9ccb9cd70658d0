/* Bad input: the status, a detail that names what is wrong, and nothing changed. */
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "drx_tools.h"

static const int64_t shape2[2] = { 4, 6 };
static const int64_t chunk2[2] = { 2, 3 };

static drx_spec spec2(void)
{
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape2, .chunk = chunk2 };

    return spec;
}

static void make(const char *path)
{
    drx_spec spec = spec2();
    drx_array *a;

    spec.flags = DRX_REPLACE;
    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void check_spec_refused(const drx_spec *spec, drx_status expected, const char *what)
{
    drx_array *a = (drx_array *)1;

    for (int in_memory = 0; in_memory < 2; in_memory++) {
        assert_status(drx_create(in_memory ? NULL : "refused", spec, &a), expected);
        assert_detail(what);
        assert_null(a);
        assert_int_equal(access("refused.xmd", F_OK), -1);
        assert_int_equal(access("refused.xta", F_OK), -1);
    }
}

TEST(specs)
{
    const int64_t negative[2] = { 4, -1 }, zero_chunk[2] = { 2, 0 }, huge[2] = { INT64_MAX, INT64_MAX };
    const char *const bad_dims[2] = { "ok", "\xff" };
    const char *const stripes[2] = { ".", "" };
    drx_spec s;

    s = spec2(), s.ndim = 0, check_spec_refused(&s, DRX_EINVAL, "ndim is 0");
    s = spec2(), s.ndim = 33, check_spec_refused(&s, DRX_EINVAL, "ndim is 33, expected 1 to 32");
    s = spec2(), s.type = (drx_type)15, check_spec_refused(&s, DRX_EINVAL, "type is 15");
    s = spec2(), s.shape = negative, check_spec_refused(&s, DRX_EINVAL, "axis 1: bound -1");
    s = spec2(), s.shape = NULL, check_spec_refused(&s, DRX_EINVAL, "shape");
    s = spec2(), s.chunk = zero_chunk, check_spec_refused(&s, DRX_EINVAL, "axis 1: chunk extent 0");
    s = spec2(), s.shape = huge, check_spec_refused(&s, DRX_EOVERFLOW, "overflow");
    s = spec2(), s.chunk = huge, check_spec_refused(&s, DRX_EOVERFLOW, "overflow");
    s = spec2(), s.align = 3, check_spec_refused(&s, DRX_EINVAL, "align is 3");
    s = spec2(), s.flags = 64, check_spec_refused(&s, DRX_EINVAL, "flags are 0x40");
    s = spec2(), s.reserved[3] = 1, check_spec_refused(&s, DRX_EINVAL, "reserved");
    s = spec2(), s.chunk_order = (drx_order)2, check_spec_refused(&s, DRX_EINVAL, "chunk_order is 2");
    s = spec2(), s.dims = bad_dims, check_spec_refused(&s, DRX_EINVAL, "UTF-8");
    s = spec2(), s.nstripes = 2, s.stripes = stripes, check_spec_refused(&s, DRX_EINVAL, "stripe 1");
    s = spec2(), s.nstripes = 2, check_spec_refused(&s, DRX_EINVAL, "nstripes");
}

TEST(paths)
{
    const drx_spec spec = spec2();
    drx_spec replace = spec;
    drx_array *a;

    assert_status(drx_create("no/such/folder/x", &spec, &a), DRX_ENOENT);
    assert_detail("no/such/folder/x");
    assert_status(drx_create("", &spec, &a), DRX_EINVAL);
    assert_status(drx_create("folder/", &spec, &a), DRX_EINVAL);
    assert_status(drx_create(".", &spec, &a), DRX_EINVAL);
    assert_status(drx_create("folder/..", &spec, &a), DRX_EINVAL);
    assert_status(drx_remove(NULL), DRX_EINVAL);
    assert_status(drx_open("nothing", DRX_RDONLY, &a), DRX_ENOENT);
    assert_detail("nothing.xmd");
    assert_status(drx_remove("nothing"), DRX_ENOENT);
    make("there");
    assert_status(drx_create("there", &spec, &a), DRX_EEXIST);
    assert_detail("there.xmd");
    replace.flags = DRX_REPLACE;
    assert_ok(drx_create("there", &replace, &a));
    assert_ok(drx_close(a));
    assert_ok(drx_remove("there"));
    assert_int_equal(access("there.xta", F_OK), -1);
}

TEST(half_a_pair)
{
    const drx_spec spec = spec2();
    drx_array *a;

    make("half");
    assert_int_equal(unlink("half.xta"), 0);
    assert_status(drx_open("half", DRX_RDONLY, &a), DRX_ENOENT);
    assert_detail("half.xta: missing");
    assert_ok(drx_remove("half"));

    make("half");
    assert_int_equal(unlink("half.xmd"), 0);
    assert_status(drx_open("half", DRX_RDWR, &a), DRX_ENOENT);
    assert_detail("half.xmd");
    assert_status(drx_create("half", &spec, &a), DRX_EEXIST);
    assert_detail("half.xta");
    assert_ok(drx_remove("half"));
    assert_ok(drx_create("half", &spec, &a));
    assert_ok(drx_close(a));
}

TEST(not_an_array)
{
    drx_array *a;

    store("other.xmd", "CDF\001 something else altogether", 30);
    store("other.xta", "", 0);
    assert_status(drx_open("other", DRX_RDWR, &a), DRX_EFORMAT);
    assert_detail("other.xmd");
    assert_detail("magic");
    assert_int_equal(mkdir("folder.xmd", 0777), 0);
    assert_status(drx_open("folder", DRX_RDONLY, &a), DRX_EFORMAT);
    assert_detail("folder.xmd");
}

TEST(modes)
{
    double value = 1;
    const int64_t origin[2] = { 0, 0 }, one[2] = { 1, 1 };
    drx_array *a;
    drx_array *b;

    make("modes");
    assert_status(drx_open("modes", 7, &a), DRX_EINVAL);
    assert_status(drx_open(NULL, DRX_RDONLY, &a), DRX_EINVAL);

    assert_ok(drx_open("modes", DRX_RDONLY, &a));
    assert_status(drx_extend(a, 0, 1), DRX_EACCES);
    assert_detail("modes: opened read-only");
    assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, &value), DRX_EACCES);
    assert_status(drx_write(a, origin, one, DRX_ROW_MAJOR, &value), DRX_EACCES);
    assert_status(drx_put(a, origin, &value), DRX_EACCES);
    assert_status(drx_attr_set_text(a, "x", "y"), DRX_EACCES);
    assert_status(drx_attr_delete(a, "x"), DRX_EACCES);
    assert_status(drx_dim_rename(a, 0, "x"), DRX_EACCES);
    assert_ok(drx_close(a));

    assert_ok(drx_open("modes", DRX_RDWR, &a));
    assert_status(drx_open("modes", DRX_RDWR, &b), DRX_EBUSY);
    assert_detail("modes.xmd");
    assert_status(drx_remove("modes"), DRX_EBUSY);
    {
        drx_spec spec = spec2();

        spec.flags = DRX_REPLACE;
        assert_status(drx_create("modes", &spec, &b), DRX_EBUSY);
    }
    assert_ok(drx_open("modes", DRX_RDONLY, &b));
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
    assert_ok(drx_close(NULL));
}

TEST(bounds)
{
    double buf[64];
    const int64_t origin[2] = { 0, 0 }, past[2] = { 0, 7 }, inside[2] = { 3, 5 }, two[2] = { 2, 2 }, none[2] = { 0, 2 };
    const int64_t negative[2] = { 1, -1 }, most[2] = { 1, INT64_MAX }, zero_step[2] = { 1, 0 },
                  wide[2] = { 1, INT64_MAX };
    const int64_t stride[2] = { 1, INT64_MAX };
    int64_t address;
    int64_t index[2];
    drx_array *a;

    make("bounds");
    assert_ok(drx_open("bounds", DRX_RDWR, &a));
    assert_status(drx_read(a, past, two, DRX_ROW_MAJOR, buf), DRX_ERANGE);
    assert_detail("bounds: axis 1");
    assert_detail("the bound is 6");
    assert_status(drx_write(a, inside, two, DRX_ROW_MAJOR, buf), DRX_ERANGE);
    assert_status(drx_read(a, origin, most, DRX_ROW_MAJOR, buf), DRX_ERANGE);
    assert_status(drx_read(a, negative, two, DRX_ROW_MAJOR, buf), DRX_ERANGE);
    assert_status(drx_read(a, origin, negative, DRX_ROW_MAJOR, buf), DRX_EINVAL);
    assert_status(drx_read(a, origin, two, (drx_order)5, buf), DRX_EINVAL);
    assert_status(drx_read(a, origin, two, DRX_ROW_MAJOR, NULL), DRX_EINVAL);
    assert_ok(drx_read(a, origin, none, DRX_ROW_MAJOR, NULL)); /* nothing is nothing */
    assert_status(drx_read_box(a, &(drx_box){ .lo = origin, .count = two, .step = zero_step, .stride = two }, buf),
                  DRX_EINVAL);
    assert_status(drx_read_box(a, &(drx_box){ .lo = origin, .count = two, .step = wide, .stride = two }, buf),
                  DRX_ERANGE);
    assert_status(drx_read_box(a, &(drx_box){ .lo = origin, .count = two, .stride = stride }, buf), DRX_EOVERFLOW);
    assert_status(drx_get(a, past, buf), DRX_ERANGE);
    assert_status(drx_put(a, negative, buf), DRX_ERANGE);
    assert_status(drx_extend(a, 2, 1), DRX_EINVAL);
    assert_detail("axis 2, expected 0 to 1");
    assert_status(drx_extend(a, -1, 1), DRX_EINVAL);
    assert_status(drx_extend(a, 0, -1), DRX_EINVAL);
    assert_status(drx_extend(a, 0, INT64_MAX), DRX_EOVERFLOW);
    assert_status(drx_extend(a, 1, INT64_MAX / 16), DRX_EOVERFLOW);
    assert_detail("overflow");
    assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, NULL), DRX_EINVAL);
    assert_status(drx_append(a, 0, 1, (drx_order)2, buf), DRX_EINVAL);
    assert_status(drx_chunk_address(a, most, &address), DRX_ERANGE);
    assert_status(drx_chunk_index(a, 4, index), DRX_ERANGE);
    assert_status(drx_chunk_index(a, -1, index), DRX_ERANGE);
    assert_memory_equal(drx_shape(a), shape2, sizeof shape2);
    assert_int_equal(drx_growth_count(a), 0);
    assert_ok(drx_close(a));
}

TEST(attributes)
{
    char long_name[1026];
    double value = 0;
    drx_array *a;

    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    make("attributes");
    assert_ok(drx_open("attributes", DRX_RDWR, &a));
    assert_status(drx_attr_set(a, "", DRX_FLOAT64, 1, &value), DRX_EINVAL);
    assert_status(drx_attr_set(a, NULL, DRX_FLOAT64, 1, &value), DRX_EINVAL);
    assert_status(drx_attr_set(a, long_name, DRX_FLOAT64, 1, &value), DRX_EINVAL);
    assert_status(drx_attr_set(a, "x", (drx_type)0, 1, &value), DRX_EINVAL);
    assert_status(drx_attr_set(a, "x", DRX_FLOAT64, -1, &value), DRX_EINVAL);
    assert_status(drx_attr_set(a, "x", DRX_FLOAT64, 1, NULL), DRX_EINVAL);
    assert_status(drx_attr_set(a, "x", DRX_FLOAT64, 1 << 24, &value), DRX_EOVERFLOW);
    assert_status(drx_attr_set_text(a, "x", "\xff"), DRX_EINVAL);
    assert_status(drx_attr_set_text(a, "x", NULL), DRX_EINVAL);
    assert_status(drx_attr_get(a, "x", NULL, NULL, NULL), DRX_ENOENT);
    assert_detail("\"x\"");
    assert_status(drx_attr_delete(a, "x"), DRX_ENOENT);
    assert_status(drx_attr_info(a, 0, NULL, NULL, NULL, NULL), DRX_ERANGE);
    assert_status(drx_dim_rename(a, 2, "z"), DRX_EINVAL);
    assert_int_equal(drx_attr_count(a), 0);
    assert_null(drx_dim_name(a, 2));
    assert_ok(drx_close(a));
}

TEST(requests)
{
    double buf[4];
    const int64_t past[2] = { 9, 9 }, two[2] = { 2, 2 };
    drx_request *req;
    drx_array *a;
    int done = 0;

    make("requests");
    assert_ok(drx_open("requests", DRX_RDONLY, &a));
    assert_ok(drx_read_async(a, &(drx_box){ .lo = past, .count = two }, buf, &req));
    assert_status(drx_open("nothing at all", DRX_RDONLY, &(drx_array *){ NULL }), DRX_ENOENT);
    while (!done)
        assert_ok(drx_test(req, &done));
    assert_int_equal(done, 1);
    assert_status(drx_wait(req), DRX_ERANGE);
    assert_detail("requests: axis 0"); /* of the request, not of the call between */
    assert_status(drx_wait(NULL), DRX_EINVAL);
    assert_ok(drx_close(a));
}

TEST(creation_ids)
{
    const drx_spec spec = spec2();
    drx_array *a;

    assert_int_equal(setenv("DRX_CREATION_ID", "too short", 1), 0);
    assert_status(drx_create("id", &spec, &a), DRX_EINVAL);
    assert_detail("DRX_CREATION_ID");
    assert_int_equal(setenv("DRX_CREATION_ID", "0123456789abcdef0123456789abcdeX", 1), 0);
    assert_status(drx_create("id", &spec, &a), DRX_EINVAL);
    assert_int_equal(setenv("DRX_CREATION_ID", "0123456789abcdef0123456789abcdef", 1), 0);
    assert_ok(drx_create("id", &spec, &a));
    assert_ok(drx_close(a));
    assert_int_equal(unsetenv("DRX_CREATION_ID"), 0);
}

/* A handle that a failed create or open left NULL is refused, not followed. */
TEST(null_handles)
{
    const int64_t origin[2] = { 0, 0 };
    int64_t address;
    double value = 0;

    assert_status(drx_extend(NULL, 0, 1), DRX_EINVAL);
    assert_status(drx_append(NULL, 0, 1, DRX_ROW_MAJOR, &value), DRX_EINVAL);
    assert_status(drx_read(NULL, origin, origin, DRX_ROW_MAJOR, &value), DRX_EINVAL);
    assert_status(drx_write(NULL, origin, origin, DRX_ROW_MAJOR, &value), DRX_EINVAL);
    assert_status(drx_get(NULL, origin, &value), DRX_EINVAL);
    assert_status(drx_put(NULL, origin, &value), DRX_EINVAL);
    assert_status(drx_sync(NULL), DRX_EINVAL);
    assert_status(drx_refresh(NULL), DRX_EINVAL);
    assert_status(drx_persist(NULL, 0), DRX_EINVAL);
    assert_status(drx_set_pool(NULL, 0), DRX_EINVAL);
    assert_status(drx_attr_set_text(NULL, "a", "b"), DRX_EINVAL);
    assert_status(drx_attr_delete(NULL, "a"), DRX_EINVAL);
    assert_status(drx_dim_rename(NULL, 0, "a"), DRX_EINVAL);
    assert_status(drx_chunk_address(NULL, origin, &address), DRX_EINVAL);
    assert_status(drx_create(NULL, NULL, NULL), DRX_EINVAL);
    assert_status(drx_open("x", DRX_RDONLY, NULL), DRX_EINVAL);
}

TEST(texts)
{
#define CHECK_TEXT(name, value, text) assert_string_equal(drx_strerror(DRX_##name), text);
    DRX_STATUS_LIST(CHECK_TEXT)
    assert_non_null(drx_strerror((drx_status)-99));
    assert_string_equal(drx_type_name(DRX_COMPLEX128), "complex128");
    assert_string_equal(drx_type_name(DRX_FLOAT16), "float16");
    assert_int_equal(drx_type_named("bool"), DRX_BOOL);
    assert_int_equal(drx_type_size(DRX_FLOAT16), 2);
    assert_int_equal(drx_type_size(DRX_BOOL), 1);
    assert_int_equal(drx_type_named("uint16"), DRX_UINT16);
    assert_int_equal(drx_type_named("quad"), 0);
    assert_null(drx_type_name((drx_type)0));
    assert_int_equal(drx_type_size((drx_type)99), 0);
}
