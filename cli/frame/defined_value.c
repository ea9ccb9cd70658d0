#include "defined_value.h"

#include <string.h>

drx_type integer_of(drx_type type)
{
    const drx_type_info *info = drx_type_describe(type);

    return info && info->base ? info->base : type;
}

/* The values of a field. */
static int64_t values_of(const drx_member *m)
{
    int64_t n = 1;

    for (int j = 0; j < m->rank; j++)
        n *= m->extents[j];
    return n;
}

/* NULL: the value has no name. */
static const char *name_of_value(const drx_type_info *info, const void *value)
{
    for (int i = 0; i < info->nmembers; i++)
        if (memcmp(info->members[i].value, value, info->bytes) == 0)
            return info->members[i].name;
    return NULL;
}

/* ---- text ---- */

struct piece {
    char *at;
    size_t room; /* with that for the dots and the end */
};

static void add_text(struct piece *p, const char *text)
{
    const size_t n = strlen(text), dots = 4;

    if (p->room < dots)
        return;
    if (n + dots > p->room) {
        memcpy(p->at, "...", dots);
        p->room = 0;
        return;
    }
    memcpy(p->at, text, n + 1);
    p->at += n;
    p->room -= n;
}

static void add_bytes(struct piece *p, const unsigned char *bytes, size_t n)
{
    char text[3] = "0x";

    add_text(p, text);
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, "%02x", bytes[i]);
        add_text(p, text);
    }
}

static void add_plain(struct piece *p, drx_type type, const void *value)
{
    char text[VALUE_TEXT_BYTES];

    plain_text(type, value, text);
    add_text(p, text);
}

static void add_value(struct piece *p, drx_type type, const void *value);

static void add_fields(struct piece *p, const drx_type_info *info, const char *value)
{
    add_text(p, "{");
    for (int i = 0; i < info->nmembers; i++) {
        const drx_member *m = &info->members[i];
        const int64_t n = values_of(m);

        add_text(p, i ? ", " : "");
        add_text(p, m->rank ? "{" : "");
        for (int64_t k = 0; k < n; k++) {
            add_text(p, k ? ", " : "");
            add_value(p, m->type, value + m->offset + (size_t)k * drx_type_size(m->type));
        }
        add_text(p, m->rank ? "}" : "");
    }
    add_text(p, "}");
}

static void add_value(struct piece *p, drx_type type, const void *value)
{
    const drx_type_info *info = drx_type_describe(type);
    const char *name = info && info->type_class == DRX_ENUM ? name_of_value(info, value) : NULL;

    if (name)
        add_text(p, name);
    else if (info && info->type_class == DRX_COMPOUND)
        add_fields(p, info, value);
    else if (info && info->type_class == DRX_OPAQUE)
        add_bytes(p, value, info->bytes);
    else
        add_plain(p, integer_of(type), value);
}

void value_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES])
{
    struct piece p = { out, VALUE_TEXT_BYTES };

    out[0] = '\0';
    if (DRX_IS_DEFINED(type))
        add_value(&p, type, value);
    else
        plain_text(type, value, out);
}

/* ---- JSON ---- */

static void json_field(struct json *j, const drx_member *m, const char *value)
{
    const int64_t n = values_of(m);

    if (m->rank == 0) {
        json_value(j, m->name, m->type, value);
        return;
    }
    json_begin(j, m->name, '[', false);
    for (int64_t k = 0; k < n; k++)
        json_value(j, NULL, m->type, value + (size_t)k * drx_type_size(m->type));
    json_end(j, ']');
}

static void json_opaque(struct json *j, const char *key, drx_type type, const void *value)
{
    char text[VALUE_TEXT_BYTES];

    value_text(type, value, text);
    json_string(j, key, text);
}

void json_value(struct json *j, const char *key, drx_type type, const void *value)
{
    const drx_type_info *info = drx_type_describe(type);

    if (!info || integer_of(type) != type) {
        json_plain_value(j, key, integer_of(type), value);
    } else if (info->type_class == DRX_OPAQUE) {
        json_opaque(j, key, type, value);
    } else {
        json_begin(j, key, '{', false);
        for (int i = 0; i < info->nmembers; i++)
            json_field(j, &info->members[i], (const char *)value + info->members[i].offset);
        json_end(j, '}');
    }
}

static void json_member(struct json *j, const drx_type_info *info, const drx_member *m)
{
    json_begin(j, NULL, '{', false);
    json_string(j, "name", m->name);
    if (info->type_class == DRX_ENUM) {
        json_value(j, "value", info->base, m->value);
    } else {
        json_number(j, "offset", (int64_t)m->offset);
        json_numbers(j, "shape", m->rank, m->extents);
        json_type_of(j, m->type);
    }
    json_end(j, '}');
}

void json_defined(struct json *j, const char *key, drx_type type)
{
    static const char *const classes[] = { [DRX_ENUM] = "enum", "compound", "opaque", "bitfield" };
    const drx_type_info *info = drx_type_describe(type);

    json_begin(j, key, '{', false);
    json_string(j, "class", classes[info->type_class]);
    json_string(j, "name", *info->name ? info->name : NULL);
    json_number(j, "bytes", (int64_t)info->bytes);
    if (info->type_class == DRX_ENUM)
        json_string(j, "base", drx_type_name(info->base));
    if (info->type_class == DRX_OPAQUE)
        json_string(j, "tag", info->tag);
    if (info->type_class == DRX_BITFIELD) {
        json_number(j, "first_bit", info->first_bit);
        json_number(j, "bits", info->nbits);
    }
    if (info->type_class == DRX_ENUM || info->type_class == DRX_COMPOUND) {
        json_begin(j, info->type_class == DRX_ENUM ? "values" : "fields", '[', false);
        for (int i = 0; i < info->nmembers; i++)
            json_member(j, info, &info->members[i]);
        json_end(j, ']');
    }
    json_end(j, '}');
}

void json_type_of(struct json *j, drx_type type)
{
    json_string(j, "type", drx_type_name(type));
    if (DRX_IS_DEFINED(type))
        json_defined(j, "defined", type);
}
