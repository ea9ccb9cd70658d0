#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

drx_type type_named(const char *name)
{
    static const struct {
        const char *name;
        drx_type type;
    } aliases[] = {
        { "i1", DRX_INT8 },        { "i2", DRX_INT16 },           { "i4", DRX_INT32 },      { "i8", DRX_INT64 },
        { "u1", DRX_UINT8 },       { "u2", DRX_UINT16 },          { "u4", DRX_UINT32 },     { "u8", DRX_UINT64 },
        { "f4", DRX_FLOAT32 },     { "f8", DRX_FLOAT64 },         { "c8", DRX_COMPLEX64 },  { "c16", DRX_COMPLEX128 },
        { "int", DRX_INT64 },      { "uint", DRX_UINT64 },        { "float", DRX_FLOAT64 }, { "double", DRX_FLOAT64 },
        { "single", DRX_FLOAT32 }, { "complex", DRX_COMPLEX128 }, { "f2", DRX_FLOAT16 },    { "half", DRX_FLOAT16 },
        { "b1", DRX_BOOL },
    };
    drx_type type = drx_type_named(name);

    if (type)
        return type;
    if (name[0] && strchr("<=|", name[0]) && name[1] && isdigit((unsigned char)name[2]))
        name++;
    type = drx_type_named(name);
    if (DRX_IS_STRING(type))
        return type;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].type;
    return (drx_type)0;
}

bool type_is_complex(drx_type type)
{
    return type == DRX_COMPLEX64 || type == DRX_COMPLEX128;
}

bool type_is_whole(drx_type type)
{
    return DRX_IS_NUMBER(type) && (type < DRX_FLOAT32 || type == DRX_BOOL);
}

bool type_is_real(drx_type type)
{
    return DRX_IS_NUMBER(type) && !type_is_complex(type);
}

static bool is_single(drx_type type)
{
    return type == DRX_FLOAT32 || type == DRX_COMPLEX64;
}

double real_rounded(drx_type type, double part)
{
    const drx_type own = type == DRX_FLOAT16 ? DRX_FLOAT16 : is_single(type) ? DRX_FLOAT32 : DRX_FLOAT64;
    unsigned char stored[2 * sizeof(double)];
    double back = part;

    if (drx_convert(DRX_FLOAT64, &part, own, stored, 1, DRX_NEAREST) == DRX_OK)
        (void)drx_convert(own, stored, DRX_FLOAT64, &back, 1, DRX_EXACT);
    return back;
}

/* Lay out "d.dddde+xx" as people write it: 0.00012, 1200, 1.2e+20. */
static void lay_out(const char *e, char *out)
{
    char digits[24] = "0";
    int n = 0;
    const int exponent = (int)strtol(strchr(e, 'e') + 1, NULL, 10);

    if (*e == '-')
        *out++ = *e++;
    for (; *e != 'e'; e++)
        if (isdigit((unsigned char)*e))
            digits[n++] = *e;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (exponent < -4 || exponent > 15) {
        (void)snprintf(out, 30, "%c%s%.*se%+03d", digits[0], n > 1 ? "." : "", n - 1, digits + 1, exponent);
        return;
    }
    if (exponent < 0)
        *out++ = '0';
    for (int place = exponent < 0 ? -1 : exponent; place >= 0 || place > exponent - n; place--) {
        const int i = exponent - place;

        if (place == -1)
            *out++ = '.';
        *out++ = i < 0 || i >= n ? '0' : digits[i];
    }
    *out = '\0';
}

bool is_nan(drx_type type, const void *value)
{
    double part;

    if (type_is_whole(type) || !DRX_IS_NUMBER(type))
        return false;
    for (int i = 0; i < (type_is_complex(type) ? 2 : 1); i++) {
        part = real_part(type, value, i);
        if (part != part)
            return true;
    }
    return false;
}

void real_text(drx_type type, double part, char out[REAL_TEXT_BYTES])
{
    const bool half = type == DRX_FLOAT16, single = is_single(type);
    const int most = half ? 5 : single ? 9 : 17; /* always enough */
    char e[40];
    int digits = half ? 3 : single ? 6 : 15; /* fewer digits only drop zeros at the end */

    if (!isfinite(part)) {
        (void)snprintf(out, REAL_TEXT_BYTES, "%s", isnan(part) ? "nan" : part < 0 ? "-inf" : "inf");
        return;
    }
    for (;; digits++) {
        (void)snprintf(e, sizeof e, "%.*e", digits - 1, part);
        if (digits == most || (single ? strtof(e, NULL) == (float)part : real_rounded(type, strtod(e, NULL)) == part))
            break;
    }
    lay_out(e, out);
}

double real_part(drx_type type, const void *value, int part)
{
    const char *at = value;
    float single;
    double twice;

    if (type == DRX_FLOAT16) {
        (void)drx_convert(type, value, DRX_FLOAT64, &twice, 1, DRX_EXACT);
        return twice;
    }
    if (is_single(type)) {
        memcpy(&single, at + (size_t)part * sizeof single, sizeof single);
        return single;
    }
    memcpy(&twice, at + (size_t)part * sizeof twice, sizeof twice);
    return twice;
}

/* The place in an integer of its `bytes` low ones. */
static char *low_bytes(uint64_t *integer, size_t bytes)
{
    return (char *)integer + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof *integer - bytes);
}

int64_t whole_value(drx_type type, const void *value)
{
    const size_t bytes = drx_type_size(type);
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    uint64_t bits = 0;

    memcpy(low_bytes(&bits, bytes), value, bytes);
    if (type == DRX_BOOL)
        return bits != 0;
    return type <= DRX_INT64 ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

void plain_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES])
{
    char part[2][REAL_TEXT_BYTES];

    if (DRX_IS_STRING(type)) {
        string_text(type, value, out, VALUE_TEXT_BYTES);
    } else if (type == DRX_BOOL) {
        (void)snprintf(out, VALUE_TEXT_BYTES, "%s", whole_value(type, value) ? "true" : "false");
    } else if (type == DRX_UINT64) {
        (void)snprintf(out, VALUE_TEXT_BYTES, "%" PRIu64, (uint64_t)whole_value(type, value));
    } else if (type_is_whole(type)) {
        (void)snprintf(out, VALUE_TEXT_BYTES, "%" PRId64, whole_value(type, value));
    } else if (!type_is_complex(type)) {
        real_text(type, real_part(type, value, 0), out);
    } else {
        for (int i = 0; i < 2; i++)
            real_text(type, real_part(type, value, i), part[i]);
        (void)snprintf(out, VALUE_TEXT_BYTES, "%s%s%sj", part[0], part[1][0] == '-' ? "" : "+", part[1]);
    }
}

static const char invalid[] = "is not a value of that type";
static const char out_of_range[] = "is out of range";

static const char *truth_of_text(const char *text, void *out)
{
    const bool yes = strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0;
    const unsigned char stored = yes;

    if (!yes && strcasecmp(text, "false") != 0 && strcmp(text, "0") != 0)
        return "is not true or false";
    memcpy(out, &stored, sizeof stored);
    return NULL;
}

static const char *whole_of_text(drx_type type, const char *text, void *out)
{
    const size_t bytes = drx_type_size(type);
    const bool is_signed = type <= DRX_INT64;
    const int bits = (int)bytes * 8;
    char *end;
    int64_t s = 0;
    uint64_t u = 0;

    if (!isdigit((unsigned char)text[text[0] == '-']))
        return invalid;
    errno = 0;
    if (is_signed)
        s = strtoll(text, &end, 10);
    else
        u = strtoull(text, &end, 10);
    if (*end)
        return invalid;
    if (errno || (!is_signed && text[0] == '-'))
        return out_of_range;
    if (is_signed ? s < -1 - (INT64_MAX >> (64 - bits)) || s > INT64_MAX >> (64 - bits) : u > UINT64_MAX >> (64 - bits))
        return out_of_range;
    if (is_signed)
        u = (uint64_t)s;
    memcpy(out, low_bytes(&u, bytes), bytes);
    return NULL;
}

static const char *real_of_text(drx_type type, const char *text, const char **end, double *out)
{
    char *stop;

    if (isspace((unsigned char)text[0]))
        return invalid;
    errno = 0;
    *out = is_single(type) ? strtof(text, &stop) : strtod(text, &stop);
    *end = stop;
    if (stop == text)
        return invalid;
    if (errno == ERANGE && (isinf(*out) || *out == 0.0))
        return out_of_range;
    if (type == DRX_FLOAT16 && isfinite(*out) &&
        (isinf(real_rounded(type, *out)) || (*out != 0 && real_rounded(type, *out) == 0)))
        return out_of_range;
    return NULL;
}

/* a, bj or a+bj */
static const char *complex_of_text(drx_type type, const char *text, double out[2])
{
    const char *end;
    const char *wrong = real_of_text(type, text, &end, &out[0]);

    out[1] = 0.0;
    if (wrong || !*end)
        return wrong;
    if (*end == '+' || *end == '-') {
        wrong = real_of_text(type, end, &end, &out[1]);
    } else {
        out[1] = out[0];
        out[0] = 0.0;
    }
    if (wrong)
        return wrong;
    return strcmp(end, "j") == 0 ? NULL : invalid;
}

const char *value_of_text(drx_type type, const char *text, void *out)
{
    double parts[2] = { 0.0, 0.0 };
    const int n = type_is_complex(type) ? 2 : 1;
    const char *end = "";
    const char *wrong;
    char *at = out;

    if (DRX_IS_STRING(type))
        return string_of_utf8(type, text, strlen(text), out);
    if (!DRX_IS_NUMBER(type))
        return "is a text, which elements of a defined type are not read from";
    if (type == DRX_BOOL)
        return truth_of_text(text, out);
    if (type_is_whole(type))
        return whole_of_text(type, text, out);
    wrong = n == 2 ? complex_of_text(type, text, parts) : real_of_text(type, text, &end, parts);
    if (wrong || *end)
        return wrong ? wrong : invalid;
    for (int i = 0; i < n; i++) {
        const float single = (float)parts[i];

        if (type == DRX_FLOAT16)
            (void)drx_convert(DRX_FLOAT64, parts, type, out, 1, DRX_NEAREST);
        else if (is_single(type))
            memcpy(at + (size_t)i * sizeof single, &single, sizeof single);
        else
            memcpy(at + (size_t)i * sizeof parts[i], &parts[i], sizeof parts[i]);
    }
    return NULL;
}

bool convert_value(drx_type from, const void *value, drx_type to, void *out)
{
    char text[VALUE_TEXT_BYTES];
    double wide;

    if (from == to) {
        memcpy(out, value, drx_type_size(to));
        return true;
    }
    if (!DRX_IS_NUMBER(from) || !DRX_IS_NUMBER(to))
        return false;
    if (from == DRX_BOOL) {
        (void)snprintf(text, sizeof text, "%d", (int)whole_value(from, value));
    } else if (from == DRX_FLOAT16 || from == DRX_FLOAT32) { /* its shortest text is another double */
        wide = real_part(from, value, 0);
        plain_text(DRX_FLOAT64, &wide, text);
    } else {
        plain_text(from, value, text);
    }
    return value_of_text(to, text, out) == NULL;
}
