/* The text that tells what a defined type is: drx_type_name of it. */
#include "types/types.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { TEXT_BYTES = 400 };

struct line {
    char text[TEXT_BYTES];
    size_t n;
    bool full;
};

/* Add a piece if it fits with the end of a text behind it; else this is its end. */
static __attribute__((format(printf, 2, 3))) void add_piece(struct line *l, const char *format, ...)
{
    static const char end[] = "...";
    const size_t room = sizeof l->text - sizeof end - l->n;
    va_list args;
    int n;

    if (l->full)
        return;
    va_start(args, format);
    n = vsnprintf(l->text + l->n, room, format, args);
    va_end(args);
    l->full = n < 0 || (size_t)n >= room;
    if (l->full)
        memcpy(l->text + l->n, end, sizeof end);
    else
        l->n += (size_t)n;
}

/* A type in a compound: that which has a name by that alone. */
static const char *type_word(drx_type type)
{
    const struct drxi_defined *d = drxi_defined(type);

    return d && *d->info.name ? d->info.name : drx_type_name(type);
}

/* An integer. */
static void say_value(struct line *l, drx_type base, const uint8_t *value)
{
    const int bytes = (int)drx_type_size(base), above = 64 - 8 * bytes;
    uint64_t bits = 0;

    for (int i = 0; i < bytes; i++)
        bits |= (uint64_t)value[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : bytes - 1 - i] << 8 * i;
    if (base >= DRX_UINT8)
        add_piece(l, "=%" PRIu64, bits);
    else
        add_piece(l, "=%" PRId64, (int64_t)(bits << above) >> above);
}

static void say_member(struct line *l, const drx_type_info *info, const drx_member *m)
{
    add_piece(l, "%s%s", m == info->members ? "" : ", ", m->name);
    if (info->type_class == DRX_ENUM) {
        say_value(l, info->base, m->value);
        return;
    }
    add_piece(l, ": %s", type_word(m->type));
    for (int j = 0; j < m->rank; j++)
        add_piece(l, "[%" PRId64 "]", m->extents[j]);
    add_piece(l, " @%zu", m->offset);
}

char *drxi_type_text(const drx_type_info *info)
{
    struct line l = { .n = 0 };

    add_piece(&l, "%s%s", info->name, *info->name ? " " : "");
    if (info->type_class == DRX_OPAQUE)
        add_piece(&l, "opaque %zu%s%s%s", info->bytes, *info->tag ? " \"" : "", info->tag, *info->tag ? "\"" : "");
    else if (info->type_class == DRX_BITFIELD)
        add_piece(&l, "bitfield uint%zu (bits %d to %d)", 8 * info->bytes, info->first_bit,
                  info->first_bit + info->nbits - 1);
    else if (info->type_class == DRX_ENUM)
        add_piece(&l, "enum %s ", drx_type_name(info->base));
    if (info->type_class <= DRX_COMPOUND)
        add_piece(&l, "{");
    for (int i = 0; i < info->nmembers && !l.full; i++)
        say_member(&l, info, &info->members[i]);
    if (info->type_class <= DRX_COMPOUND)
        add_piece(&l, "}");
    return drxi_strdup(l.text);
}
