/* Element types: sizes, names, filling, byte order; and the names of codecs. */
#include "drx_tools.h"
#include "types/types.h"

#include <pthread.h>

#define TYPE(name, number, ...) [number] = { __VA_ARGS__ },
#define TEXT(name, number, text) [number] = (text),
#define CODEC(name, number, text, ...) [number] = (text),
#define LISTED(name, number, text, ...) ", " text

static const struct {
    const char *name;
    uint8_t bytes;
    uint8_t unit_bytes; /* swapped as a unit: a complex is two floats */
} types[] = { DRX_TYPE_LIST(TYPE) };
static const char *const codec_names[] = { [DRX_RAW] = "raw", DRX_CODEC_LIST(CODEC) };
static const char *const shuffle_names[] = { DRX_SHUFFLE_LIST(TEXT) };

enum { CODECS = sizeof codec_names / sizeof *codec_names, SHUFFLES = sizeof shuffle_names / sizeof *shuffle_names };
enum { TYPES = sizeof types / sizeof types[0], LENGTH_SHIFT = 8, CODE_POINT_BYTES = 4, NAME_BYTES = 6 };

/* Names of strings, which last as long as the process, as others do. */
static char bytes_name[DRX_MAX_STRING_BYTES + 1][NAME_BYTES];
static char unicode_name[DRX_MAX_STRING_BYTES / CODE_POINT_BYTES + 1][NAME_BYTES];
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

int drxi_swapped_bytes(drx_type type)
{
    return DRX_IS_UNICODE(type) ? CODE_POINT_BYTES : DRX_IS_BYTES(type) ? 1 : types[type].unit_bytes;
}

static bool is_type(drx_type type)
{
    return (int)type > 0 && (int)type < TYPES;
}

/* Bytes of a string that its type states; 0: there is no such type. */
static size_t string_bytes(drx_type type)
{
    const int bytes = (int)type >> LENGTH_SHIFT;

    return (int)type > 0 && DRX_IS_STRING(type) && bytes <= DRX_MAX_STRING_BYTES &&
                   bytes % drxi_swapped_bytes(type) == 0
               ? (size_t)bytes
               : 0;
}

size_t drx_type_size(drx_type type)
{
    const struct drxi_defined *d;

    if (is_type(type))
        return types[type].bytes;
    return (d = drxi_defined(type)) ? d->info.bytes : string_bytes(type);
}

static void write_name(char letter, int length, char name[NAME_BYTES])
{
    char digits[NAME_BYTES];
    int n = 0;

    do
        digits[n++] = (char)('0' + length % 10);
    while ((length /= 10) > 0);
    *name++ = letter;
    while (n > 0)
        *name++ = digits[--n];
    *name = '\0';
}

static void write_names(void)
{
    for (int n = 1; n <= DRX_MAX_STRING_BYTES; n++)
        write_name('S', n, bytes_name[n]);
    for (int n = 1; n <= DRX_MAX_STRING_BYTES / CODE_POINT_BYTES; n++)
        write_name('U', n, unicode_name[n]);
}

const char *drx_type_name(drx_type type)
{
    const size_t bytes = string_bytes(type);
    const struct drxi_defined *d;

    if (is_type(type))
        return types[type].name;
    if (bytes == 0)
        return (d = drxi_defined(type)) ? d->text : NULL;
    (void)pthread_once(&names_once, write_names);
    return DRX_IS_BYTES(type) ? bytes_name[bytes] : unicode_name[bytes / CODE_POINT_BYTES];
}

/* "S12" or "U12": no sign, no space, no zero in front. */
static drx_type string_named(const char *name)
{
    const char letter = *name++;
    int n = 0;

    if ((letter != 'S' && letter != 'U') || *name == '0')
        return (drx_type)0;
    for (; *name >= '0' && *name <= '9' && n <= DRX_MAX_STRING_BYTES; name++)
        n = 10 * n + (*name - '0');
    if (*name != '\0' || n < 1 || n > DRX_MAX_STRING_BYTES / (letter == 'U' ? CODE_POINT_BYTES : 1))
        return (drx_type)0;
    return letter == 'U' ? DRX_UNICODE(n) : DRX_BYTES(n);
}

drx_type drx_type_named(const char *name)
{
    for (int i = 1; name && i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return (drx_type)i;
    return name ? string_named(name) : (drx_type)0;
}

static int named(const char *name, const char *const names[], int n)
{
    for (int i = 0; name && i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *drx_codec_name(drx_codec codec)
{
    return (unsigned)codec < CODECS ? codec_names[codec] : NULL;
}

const char *drx_codec_names(void)
{
    return &(DRX_CODEC_LIST(LISTED))[sizeof ", " - 1];
}

int drx_codec_named(const char *name)
{
    return named(name, codec_names, CODECS);
}

const char *drx_shuffle_name(drx_shuffle shuffle)
{
    return (unsigned)shuffle < SHUFFLES ? shuffle_names[shuffle] : NULL;
}

int drx_shuffle_named(const char *name)
{
    return named(name, shuffle_names, SHUFFLES);
}

static void swap_units(uint8_t *p, size_t bytes, size_t unit)
{
    for (size_t at = 0; at < bytes; at += unit)
        for (size_t i = 0, j = unit - 1; i < j; i++, j--) {
            const uint8_t kept = p[at + i];

            p[at + i] = p[at + j];
            p[at + j] = kept;
        }
}

/* Fields by themselves; what lies between them has no order. */
static void swap_defined(uint8_t *p, size_t bytes, const struct drxi_defined *d)
{
    const drx_type_info *info = &d->info;

    if (info->type_class != DRX_COMPOUND) {
        swap_units(p, bytes, info->bytes);
        return;
    }
    for (size_t at = 0; at < bytes; at += info->bytes)
        for (int i = 0; i < info->nmembers; i++) {
            const drx_member *m = &info->members[i];

            drxi_swap_always(p + at + m->offset,
                             (size_t)drxi_times((int64_t)drx_type_size(m->type), m->rank, m->extents), m->type);
        }
}

void drxi_swap_always(void *buf, size_t bytes, drx_type type)
{
    const struct drxi_defined *d = drxi_defined(type);

    if (!d)
        swap_units(buf, bytes, (size_t)drxi_swapped_bytes(type));
    else if (!d->as_is)
        swap_defined(buf, bytes, d);
}
