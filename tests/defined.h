/* A defined type of each class, for tests. */
#ifndef DEFINED_H
#define DEFINED_H

#include "testing.h"

/* Of sample_type. */
enum { SAMPLE_BYTES = 48, SKY_AT = 1, FLAGS_AT = 2, LEVEL_AT = 4, NAME_AT = 16, RAW_AT = 20, PLACE_AT = 32 };

static inline drx_type define_type(const drx_type_info *info)
{
    drx_type type = (drx_type)0;

    assert_ok(drx_type_define(info, &type));
    return type;
}

static inline drx_type sky_type(void)
{
    static const int8_t values[] = { 0, 1, -1, 1 };
    const drx_member members[] = { { .name = "clear", .value = &values[0] },
                                   { .name = "cloudy", .value = &values[1] },
                                   { .name = "unknown", .value = &values[2] },
                                   { .name = "overcast", .value = &values[3] } };

    return define_type(&(drx_type_info){
        .type_class = DRX_ENUM, .name = "sky", .bytes = 1, .base = DRX_INT8, .nmembers = 4, .members = members });
}

static inline drx_type flags_type(void)
{
    return define_type(&(drx_type_info){ .type_class = DRX_BITFIELD, .bytes = 2, .first_bit = 3, .nbits = 9 });
}

static inline drx_type raw_type(void)
{
    return define_type(&(drx_type_info){ .type_class = DRX_OPAQUE, .bytes = 5, .tag = "five, as they are" });
}

static inline drx_type place_type(void)
{
    const drx_member members[] = { { .name = "x", .type = DRX_INT16, .offset = 1 },
                                   { .name = "y", .type = DRX_COMPLEX64, .offset = 3 } };

    return define_type(&(drx_type_info){
        .type_class = DRX_COMPOUND, .name = "place", .bytes = 16, .nmembers = 2, .members = members });
}

/* A compound of all classes, with gaps between its fields. */
static inline drx_type sample_type(const char *name)
{
    static const int64_t three = 3, one_each[] = { 1, 1 };
    const drx_member members[] = {
        { .name = "flags", .type = flags_type(), .offset = FLAGS_AT },
        { .name = "sky", .type = sky_type(), .offset = SKY_AT },
        { .name = "level", .type = DRX_FLOAT32, .offset = LEVEL_AT, .rank = 1, .extents = &three },
        { .name = "name", .type = DRX_BYTES(4), .offset = NAME_AT },
        { .name = "raw", .type = raw_type(), .offset = RAW_AT },
        { .name = "place", .type = place_type(), .offset = PLACE_AT, .rank = 2, .extents = one_each }
    };

    return define_type(&(drx_type_info){
        .type_class = DRX_COMPOUND, .name = name, .bytes = SAMPLE_BYTES, .nmembers = 6, .members = members });
}

#endif
