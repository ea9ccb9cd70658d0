/* Types that a program defines: what is described, what is refused, threads, failing memory, the order of bytes, and
 * conversion. test_types_stored.c has files. */
#include <pthread.h>

#include "defined.h"
#include "types/types.h"

TEST(each_class)
{
    const drx_type sky = sky_type(), flags = flags_type(), raw = raw_type(), sample = sample_type("sample");
    const drx_type_info *info = drx_type_describe(sky);

    assert_true(DRX_IS_DEFINED(sky) && !DRX_IS_NUMBER(sky) && !DRX_IS_STRING(sky));
    assert_true(DRX_IS_NUMBER(DRX_INT8) && DRX_IS_NUMBER(DRX_BOOL) && !DRX_IS_NUMBER(DRX_BYTES(1)) &&
                !DRX_IS_NUMBER(0));
    assert_int_equal(info->type_class, DRX_ENUM);
    assert_string_equal(info->name, "sky");
    assert_int_equal(info->base, DRX_INT8);
    assert_int_equal(info->nmembers, 4);
    assert_string_equal(info->members[3].name, "overcast");
    assert_int_equal(*(const int8_t *)info->members[2].value, -1);
    assert_string_equal(drx_type_name(sky), "sky enum int8 {clear=0, cloudy=1, unknown=-1, overcast=1}");
    assert_string_equal(drx_type_name(flags), "bitfield uint16 (bits 3 to 11)");
    assert_string_equal(drx_type_name(raw), "opaque 5 \"five, as they are\"");
    assert_string_equal(drx_type_describe(raw)->tag, "five, as they are");
    assert_string_equal(drx_type_describe(flags)->name, "");
    assert_string_equal(drx_type_name(place_type()), "place {x: int16 @1, y: complex64 @3}");
    assert_string_equal(drx_type_name(sample),
                        "sample {flags: bitfield uint16 (bits 3 to 11) @2, sky: sky @1, level: float32[3] @4, "
                        "name: S4 @16, raw: opaque 5 \"five, as they are\" @20, place: place[1][1] @32}");
    info = drx_type_describe(sample);
    assert_int_equal(info->members[2].extents[0], 3);
    assert_int_equal(info->members[5].rank, 2);
    assert_int_equal(info->members[5].type, place_type());
    assert_int_equal(drx_type_size(sample), SAMPLE_BYTES);
    assert_int_equal(drx_type_named(drx_type_name(sky)), 0);
    assert_null(drx_type_describe(DRX_INT8));
    assert_null(drx_type_describe(DRX_BYTES(4)));
    for (int i = 0; i < 3; i++) {
        const drx_type none = (drx_type)((int[]){ DRX_DEFINED_, DRX_DEFINED_ | 0x7fff00, DRX_DEFINED_ | INT32_MIN }[i]);

        assert_null(drx_type_describe(none));
        assert_int_equal(drx_type_size(none), 0);
        assert_null(drx_type_name(none));
    }
}

/* Alike, with a name, is one; what a class does not have does not count. */
TEST(equal_descriptions)
{
    drx_type_info info = { .type_class = DRX_OPAQUE, .bytes = 7 };
    const drx_type seven = define_type(&info);

    assert_int_equal(sample_type("sample"), sample_type("sample"));
    assert_int_not_equal(sample_type("sample"), sample_type("another"));
    info.name = info.tag = "";
    info.base = DRX_INT8;
    info.nbits = 3;
    assert_int_equal(define_type(&info), seven);
    info.tag = "t";
    assert_int_not_equal(define_type(&info), seven);
    info.tag = NULL;
    info.bytes = 8;
    assert_int_not_equal(define_type(&info), seven);
    assert_int_equal(drx_type_describe(seven)->nmembers, 0);
}

TEST(an_empty_compound_and_enum)
{
    const drx_type gap = define_type(&(drx_type_info){ .type_class = DRX_COMPOUND, .bytes = 3 });
    const drx_type none = define_type(&(drx_type_info){ .type_class = DRX_ENUM, .bytes = 8, .base = DRX_UINT64 });

    assert_string_equal(drx_type_name(gap), "{}");
    assert_string_equal(drx_type_name(none), "enum uint64 {}");
}

static void refuse(const drx_type_info *info, drx_status st, const char *detail)
{
    drx_type type = DRX_INT8;

    assert_status(drx_type_define(info, &type), st);
    assert_detail(detail);
    assert_int_equal(type, DRX_INT8);
}

static void refuse_fields(int n, const drx_member members[], const char *detail)
{
    refuse(&(drx_type_info){ .type_class = DRX_COMPOUND, .name = "t", .bytes = 16, .nmembers = n, .members = members },
           DRX_EINVAL, detail);
}

TEST(what_is_refused)
{
    static const int64_t no[] = { 0 }, many[] = { INT64_MAX, 4 }, four[] = { 2, 2 };
    char name[202];
    drx_type type;
    drx_type_info info = { .type_class = DRX_OPAQUE, .bytes = 1 };
    const int8_t one = 1;

    refuse(NULL, DRX_EINVAL, "null pointer");
    assert_status(drx_type_define(&info, NULL), DRX_EINVAL);
    for (int class = -1; class <= 8; class ++)
        if (class < DRX_ENUM || class > DRX_BITFIELD)
            refuse(&(drx_type_info){ .type_class = class, .bytes = 1 }, DRX_EINVAL, "the class is not");
    memset(name, 'n', 201);
    name[201] = '\0';
    for (int i = 0; i < 4; i++) {
        info.name = (const char *[]){ ".x", "a/b", "\xff", name }[i];
        refuse(&info, DRX_EINVAL, "the name is not 1 to 200 bytes");
    }
    info.name = name + 1;
    assert_ok(drx_type_define(&info, &type));
    info.name = NULL;
    info.bytes = 0;
    refuse(&info, DRX_EINVAL, "elements of 0 bytes, expected 1 to 65536");
    info.bytes = 65537;
    refuse(&info, DRX_EINVAL, "elements of 65537 bytes");
    info.bytes = 65536;
    assert_int_equal(drx_type_size(define_type(&info)), 65536);
    info.tag = "\xc0";
    refuse(&info, DRX_EINVAL, "the tag is not UTF-8");
    info.tag = NULL;
    info.reserved[3] = 1;
    refuse(&info, DRX_EINVAL, "reserved is not zero");

    for (int i = 0; i < 6; i++)
        refuse(&(drx_type_info){ .type_class = DRX_BITFIELD,
                                 .bytes = (size_t[]){ 3, 16, 2, 2, 2, 2 }[i],
                                 .first_bit = (int[]){ 0, 0, -1, 0, 8, 16 }[i],
                                 .nbits = (int[]){ 8, 8, 8, 0, 9, 1 }[i] },
               DRX_EINVAL, "a bitfield has 1, 2, 4 or 8 bytes");
    for (int i = 0; i < 4; i++)
        refuse(&(drx_type_info){ .type_class = DRX_ENUM,
                                 .bytes = 4,
                                 .base = (drx_type)((int[]){ DRX_INT8, DRX_FLOAT32, 0, DRX_BYTES(4) }[i]) },
               DRX_EINVAL, "the base of an enum is an integer type of as many bytes");
    info = (drx_type_info){ .type_class = DRX_ENUM, .name = "e", .bytes = 1, .base = DRX_INT8, .nmembers = 1 };
    refuse(&info, DRX_EINVAL, "e: a negative number of members, or no pointer");
    info.nmembers = -1;
    refuse(&info, DRX_EINVAL, "a negative number of members");
    info.nmembers = 2;
    info.members = (drx_member[]){ { .name = "a", .value = &one }, { .name = "b" } };
    refuse(&info, DRX_EINVAL, "e: name 1, b: expected a value");
    info.members = (drx_member[]){ { .name = "a", .value = &one }, { .name = "", .value = &one } };
    refuse(&info, DRX_EINVAL, "e: name 1: expected a name of 1 to 1024 bytes");

    refuse_fields(1, (drx_member[]){ { .name = NULL, .type = DRX_INT8 } }, "t: field 0: expected a name");
    refuse_fields(1, (drx_member[]){ { .name = "x" } }, "t: field 0, x: its type is not one of drx_type");
    refuse_fields(1, (drx_member[]){ { .name = "x", .type = DRX_INT8, .offset = 16 } }, "a place inside the bytes");
    refuse_fields(1, (drx_member[]){ { .name = "x", .type = DRX_INT16, .offset = 15 } }, "a place inside the bytes");
    refuse_fields(1, (drx_member[]){ { .name = "x", .type = DRX_INT8, .rank = 1, .extents = no } }, "each 1 or more");
    refuse_fields(1, (drx_member[]){ { .name = "x", .type = DRX_INT8, .rank = 2, .extents = many } }, "a place inside");
    refuse_fields(1, (drx_member[]){ { .name = "x", .type = DRX_INT8, .rank = 256, .extents = no } }, "up to 255");
    refuse_fields(1, (drx_member[]){ { .name = "x", .type = DRX_INT8, .rank = 1 } }, "up to 255 extents");
    refuse_fields(2,
                  (drx_member[]){ { .name = "y", .type = DRX_INT8, .offset = 3 },
                                  { .name = "x", .type = DRX_INT8, .rank = 2, .extents = four } },
                  "t: field 0, y: it overlaps");
    refuse_fields(2,
                  (drx_member[]){ { .name = "x", .type = DRX_INT8 }, { .name = "x", .type = DRX_INT8, .offset = 1 } },
                  "x: another field has this name");
}

TEST(deep_compounds)
{
    drx_type type = DRX_INT16;
    drx_member m = { .name = "x" };
    const drx_type_info info = { .type_class = DRX_COMPOUND, .bytes = 2, .nmembers = 1, .members = &m };

    for (int i = 0; i < 32; i++) {
        m.type = type;
        type = define_type(&info);
    }
    m.type = type;
    refuse(&info, DRX_EUNSUPPORTED, "more than 32 deep");
}

/* A text of any description ends in time. */
TEST(long_texts)
{
    enum { N = 1000 };
    static char names[N][1025];
    static drx_member members[N];
    const drx_type_info info = { .type_class = DRX_COMPOUND, .bytes = N, .nmembers = N, .members = members };
    const char *text;

    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "%0*d", i % 7 ? 6 : 1024, i);
        members[i] = (drx_member){ .name = names[i], .type = DRX_INT8, .offset = (size_t)i };
    }
    text = drx_type_name(define_type(&info));
    assert_true(strlen(text) < 400);
    assert_string_equal(text + strlen(text) - 3, "...");
}

/* ---- threads ---- */

enum { THREADS = 8, TYPES = 3000 };
static drx_type found[THREADS][TYPES];

static void *define_many(void *of)
{
    drx_type *mine = of;

    for (int i = 0; i < TYPES; i++) {
        const uint16_t value = (uint16_t)i;
        const drx_member m = { .name = "n", .value = &value };
        const drx_type_info info = {
            .type_class = DRX_ENUM, .name = "many", .bytes = 2, .base = DRX_UINT16, .nmembers = 1, .members = &m
        };

        if (drx_type_define(&info, &mine[i]) || *(const uint16_t *)drx_type_describe(mine[i])->members->value != i)
            mine[i] = (drx_type)0;
    }
    return NULL;
}

TEST(threads)
{
    pthread_t thread[THREADS];

    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, define_many, found[t]), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(thread[t], NULL), 0);
    for (int i = 0; i < TYPES; i++) {
        assert_true(DRX_IS_DEFINED(found[0][i]));
        assert_true(i == 0 || found[0][i] != found[0][i - 1]);
        for (int t = 1; t < THREADS; t++)
            assert_int_equal(found[t][i], found[0][i]);
    }
}

TEST(failing_memory)
{
    const drx_member m = { .name = "only once", .type = DRX_INT32 };
    const drx_type_info info = { .type_class = DRX_COMPOUND, .bytes = 4, .nmembers = 1, .members = &m };
    drx_type type = (drx_type)0;
    drx_status st = DRX_ENOMEM;
    long n;

    for (n = 1; st; n++) {
        drxi_fail_allocation = n;
        st = drx_type_define(&info, &type);
        assert_true(st == DRX_OK || st == DRX_ENOMEM);
    }
    drxi_fail_allocation = 0;
    assert_true(n > 4);
    assert_int_equal(define_type(&info), type);
}

/* ---- the order of bytes ---- */

/* What a machine of the other order swaps, as a list. */
static const struct {
    size_t at, unit, n;
} units[] = { { FLAGS_AT, 2, 1 }, { LEVEL_AT, 4, 3 }, { PLACE_AT + 1, 2, 1 }, { PLACE_AT + 3, 4, 2 } };

TEST(swapped_units)
{
    uint8_t expected[3 * SAMPLE_BYTES], is[3 * SAMPLE_BYTES];

    for (size_t i = 0; i < sizeof is; i++)
        is[i] = expected[i] = (uint8_t)(i * 7 + 3);
    for (size_t e = 0; e < 3; e++)
        for (size_t u = 0; u < sizeof units / sizeof *units; u++)
            for (size_t k = 0; k < units[u].n; k++)
                for (size_t b = 0; b < units[u].unit; b++) {
                    const size_t at = e * SAMPLE_BYTES + units[u].at + k * units[u].unit;

                    expected[at + b] = is[at + units[u].unit - 1 - b];
                }
    drxi_swap_always(is, sizeof is, sample_type("sample"));
    assert_memory_equal(is, expected, sizeof is);
    drxi_swap_always(is, 10, flags_type());
    drxi_swap_always(expected, 10, DRX_UINT16);
    assert_memory_equal(is, expected, sizeof is);
    drxi_swap_always(is, sizeof is, raw_type());
    drxi_swap_always(is, sizeof is, sky_type());
    assert_memory_equal(is, expected, sizeof is);
}

/* ---- conversion ---- */

static drx_type pair_type(drx_type x, drx_type y, const char *x_name, const char *y_name)
{
    const drx_member members[] = { { .name = x_name, .type = x },
                                   { .name = y_name, .type = y, .offset = drx_type_size(x) } };

    return define_type(&(drx_type_info){
        .type_class = DRX_COMPOUND, .bytes = drx_type_size(x) + drx_type_size(y), .nmembers = 2, .members = members });
}

TEST(enums_and_bitfields_as_numbers)
{
    const int8_t skies[] = { 1, -1, 7 };
    const uint16_t bits[] = { 1, 300, 65535 };
    int32_t wide[3];
    double real[3];
    int8_t back[3];
    uint8_t narrow[3];

    assert_ok(drx_convert(sky_type(), skies, DRX_INT32, wide, 3, DRX_EXACT));
    assert_int_equal(wide[1], -1);
    assert_ok(drx_convert(DRX_INT32, wide, sky_type(), back, 3, DRX_EXACT));
    assert_memory_equal(back, skies, 3);
    assert_ok(drx_convert(flags_type(), bits, DRX_FLOAT64, real, 3, DRX_EXACT));
    assert_true(real[2] == 65535);
    assert_status(drx_convert(flags_type(), bits, DRX_UINT8, narrow, 3, DRX_EXACT), DRX_EMISMATCH);
    assert_detail("element 1 is 300, which uint8 does not hold");
    assert_ok(drx_convert(flags_type(), bits, DRX_UINT8, narrow, 3, DRX_NEAREST));
    assert_int_equal(narrow[2], 255);
    wide[0] = 200;
    assert_status(drx_convert(DRX_INT32, wide, sky_type(), back, 3, DRX_EXACT), DRX_EMISMATCH);
    assert_detail("element 0 is 200, which sky enum int8 {");
    assert_status(drx_convert(sky_type(), skies, flags_type(), wide, 1, DRX_EXACT), DRX_EINVAL);
    assert_detail("no conversion between sky enum int8 {");
    assert_status(drx_convert(raw_type(), skies, DRX_INT8, wide, 1, DRX_EXACT), DRX_EINVAL);
    assert_status(drx_convert(DRX_BYTES(5), skies, raw_type(), wide, 1, DRX_EXACT), DRX_EINVAL);
}

TEST(compounds_by_fields)
{
    const drx_type from = pair_type(DRX_INT16, DRX_COMPLEX64, "x", "y"),
                   to = pair_type(DRX_COMPLEX128, DRX_INT8, "y", "x");
    uint8_t elements[2 * 10], there[2 * 17], only[2 * 8];
    const int16_t x[] = { -5, 100 };
    const float y[] = { 1, 2, 3, 4 };
    const drx_member m = { .name = "y", .type = DRX_COMPLEX64 };
    const drx_type part =
        define_type(&(drx_type_info){ .type_class = DRX_COMPOUND, .bytes = 8, .nmembers = 1, .members = &m });
    int8_t small;
    double wide;

    for (int i = 0; i < 2; i++) {
        memcpy(elements + 10 * i, &x[i], 2);
        memcpy(elements + 10 * i + 2, &y[2 * i], 8);
    }
    assert_ok(drx_convert(from, elements, to, there, 2, DRX_EXACT));
    memcpy(&wide, there + 17 + 8, 8);
    memcpy(&small, there + 17 + 16, 1);
    assert_true(wide == 4 && small == 100);
    assert_ok(drx_convert(from, elements, part, only, 2, DRX_EXACT));
    assert_memory_equal(only, y, sizeof y);
    elements[11] = 1; /* 356 */
    assert_status(drx_convert(from, elements, to, there, 2, DRX_EXACT), DRX_EMISMATCH);
    assert_detail("field 'x' of element 1 is 356, which int8 does not hold");
    assert_status(drx_convert(part, only, from, elements, 2, DRX_EXACT), DRX_EINVAL);
    assert_detail("no field 'x' in {y: complex64 @0}, for one of {x: int16 @0, y: complex64 @2}");
    assert_status(drx_convert(from, elements, pair_type(DRX_BYTES(2), DRX_COMPLEX64, "x", "y"), there, 1, DRX_EXACT),
                  DRX_EINVAL);
    assert_detail("field 'x': no conversion between int16 and S2");
    assert_status(drx_convert(from, elements, DRX_INT16, there, 1, DRX_EXACT), DRX_EINVAL);
}

/* Nested ones, several values, and types that differ in their names alone. */
TEST(nested_fields)
{
    uint8_t elements[4 * SAMPLE_BYTES], same[4 * SAMPLE_BYTES], part[4 * 6];
    static const int64_t three = 3;
    const drx_member x[] = { { .name = "x", .type = DRX_INT32 } };
    const drx_type inner =
        define_type(&(drx_type_info){ .type_class = DRX_COMPOUND, .bytes = 4, .nmembers = 1, .members = x });
    const drx_member members[] = { { .name = "place", .type = inner, .rank = 1, .extents = (int64_t[]){ 1 } },
                                   { .name = "sky", .type = DRX_INT16, .offset = 4 } };
    drx_member level = { .name = "level", .type = DRX_FLOAT64 };
    drx_type_info info = { .type_class = DRX_COMPOUND, .bytes = 6, .nmembers = 2, .members = members };
    double levels[3];
    int32_t number;
    int16_t sky;

    for (size_t i = 0; i < sizeof elements; i++)
        elements[i] = (uint8_t)(i * 5);
    assert_ok(drx_convert(sample_type("sample"), elements, sample_type("other"), same, 4, DRX_EXACT));
    assert_memory_equal(same, elements, sizeof same);
    assert_ok(drx_convert(sample_type("sample"), elements, define_type(&info), part, 4, DRX_EXACT));
    for (int i = 0; i < 4; i++) {
        int16_t expected;

        memcpy(&expected, elements + SAMPLE_BYTES * i + PLACE_AT + 1, 2);
        memcpy(&number, part + 6 * i, 4);
        memcpy(&sky, part + 6 * i + 4, 2);
        assert_int_equal(number, expected);
        assert_int_equal(sky, (int8_t)elements[SAMPLE_BYTES * i + SKY_AT]);
    }
    info = (drx_type_info){ .type_class = DRX_COMPOUND, .bytes = 24, .nmembers = 1, .members = &level };
    assert_status(drx_convert(sample_type("sample"), elements, define_type(&info), levels, 1, DRX_EXACT), DRX_EINVAL);
    assert_detail("field 'level' has 3 values in sample");
    level.rank = 1;
    level.extents = &three;
    memcpy(elements + LEVEL_AT, (float[]){ 1, 2.5f, -3 }, 12);
    assert_ok(drx_convert(sample_type("sample"), elements, define_type(&info), levels, 1, DRX_EXACT));
    assert_true(levels[0] == 1 && levels[1] == 2.5 && levels[2] == -3);
}
