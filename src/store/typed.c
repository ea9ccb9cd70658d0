/* Types (spec/drx-format.md, section 4.3). */
#include "store/kinds.h"

enum { BYTES = 1, UNICODE = 2, TEXTS = 7, OWN = 256, MOST_BASIC = 255 };

drx_status drxi_store_type_bytes(const struct drxi_store *s, uint32_t type, uint32_t *bytes, bool *known)
{
    const struct drxi_type *own;

    *bytes = 0;
    *known = true;
    if (type == 0)
        return drxi_cannot("type 0");
    if (type <= MOST_BASIC) {
        *bytes = type <= DRX_BOOL ? (uint32_t)drx_type_size((drx_type)type) : 0;
        *known = *bytes > 0;
        return DRX_OK;
    }
    own = type - OWN <= DRXI_MOST_THINGS ? drxi_store_type(s, (uint16_t)(type - OWN)) : NULL;
    if (!own)
        return drxi_fail(DRX_EDAMAGED, "type %u, which is not there", type);
    *bytes = own->known ? own->bytes : 0;
    *known = own->known;
    return DRX_OK;
}

drx_type drxi_store_drx_type(const struct drxi_store *s, uint32_t type)
{
    const struct drxi_type *own = type > MOST_BASIC ? drxi_store_type(s, (uint16_t)(type - OWN)) : NULL;

    if (own)
        return own->type;
    return type <= DRX_BOOL ? (drx_type)type : (drx_type)0;
}

/* What a type is while it is read: from a copy of the payload, in which its texts get their ends. */
struct reading {
    const struct drxi_store *s;
    drx_type_info info;
    bool known;      /* each field is of a type that is known */
    size_t end;      /* of the fields, in the payload */
    const char *why; /* it cannot be; NULL: it can */
    int64_t n, room, extents, extent_room;
    drx_member *member;
    int64_t *extent; /* of all members */
};

static void must(struct reading *r, bool holds, const char *why)
{
    if (!holds && !r->why)
        r->why = why;
}

/* The text, one byte before where it was, with an end. */
static const char *end_text(struct drxi_text t)
{
    char *to = (char *)(uintptr_t)t.p - 1;

    memmove(to, t.p, t.n);
    to[t.n] = '\0';
    return to;
}

static drx_status add_member(struct reading *r, const drx_member *m, struct drxi_text name)
{
    drx_status st;

    must(r, drxi_is_name(name, DRXI_NAME_MAX_BYTES), "the name of a member");
    if ((st = drxi_reserve(&r->member, &r->room, r->n + 1, sizeof *r->member)))
        return st;
    r->member[r->n] = *m;
    r->member[r->n++].name = end_text(name);
    return DRX_OK;
}

static drx_status read_enum(struct drxi_fields *f, struct reading *r)
{
    uint32_t n;
    drx_status st = DRX_OK;

    r->info.base = (drx_type)drxi_field32(f);
    n = drxi_field32(f);
    for (uint32_t i = 0; !st && i < n && !f->too_short; i++) {
        const uint8_t *value = drxi_field_bytes(f, r->info.bytes);
        const struct drxi_text name = drxi_field_text(f);

        if (f->too_short)
            return DRX_OK;
        if (DRX_IS_NUMBER(r->info.base) && drx_type_size(r->info.base) == r->info.bytes)
            drxi_swap((uint8_t *)(uintptr_t)value, r->info.bytes, r->info.base);
        st = add_member(r, &(drx_member){ .value = value }, name);
    }
    return st;
}

static drx_status read_extents(struct drxi_fields *f, struct reading *r, int rank)
{
    drx_status st = drxi_reserve(&r->extent, &r->extent_room, r->extents + rank, sizeof *r->extent);

    for (int j = 0; !st && j < rank; j++)
        must(r, (r->extent[r->extents++] = drxi_field32(f)) > 0, "a field without elements");
    return st;
}

/* One field; its type may be one that is not there, which decides before all else. */
static drx_status read_field(struct drxi_fields *f, struct reading *r)
{
    drx_member m = { .offset = drxi_field32(f) };
    const uint32_t type = drxi_field32(f);
    struct drxi_text name;
    uint32_t bytes;
    bool known;
    drx_status st;

    m.rank = drxi_field8(f);
    drxi_field_zeros(f, 3);
    if ((st = read_extents(f, r, m.rank)))
        return st;
    name = drxi_field_text(f);
    if (f->too_short)
        return DRX_OK;
    st = drxi_store_type_bytes(r->s, type, &bytes, &known);
    must(r, !st, "a field of a type that is not there");
    must(r, st || !known || bytes > 0, "a field of texts");
    r->known = r->known && (st || known);
    m.type = drxi_store_drx_type(r->s, type);
    return add_member(r, &m, name);
}

static drx_status read_compound(struct drxi_fields *f, struct reading *r)
{
    const uint32_t n = drxi_field32(f);
    drx_status st = DRX_OK;

    for (uint32_t i = 0; !st && i < n && !f->too_short; i++)
        st = read_field(f, r);
    return st;
}

/* Behind the class, to the end of the payload. */
static drx_status read_fields(struct drxi_fields *f, struct reading *r)
{
    const int class = r->info.type_class;
    drx_status st = DRX_OK;

    drxi_field_zeros(f, 3);
    r->info.bytes = drxi_field32(f);
    if (class == DRX_ENUM)
        st = read_enum(f, r);
    else if (class == DRX_COMPOUND)
        st = read_compound(f, r);
    if (class == DRX_BITFIELD) {
        r->info.first_bit = drxi_field8(f);
        r->info.nbits = drxi_field8(f);
    }
    if (class == DRX_OPAQUE) {
        const struct drxi_text tag = drxi_field_text(f);

        must(r, drxi_is_utf8(tag.p, tag.n), "a tag that is not UTF-8");
        r->info.tag = f->too_short ? NULL : end_text(tag);
    }
    r->end = f->at;
    if (!st && (st = drxi_fields_end(f)) == DRX_EDAMAGED)
        st = drxi_cannot("the payload of a type is shorter or longer than its fields");
    if (st)
        return st;
    return r->why ? drxi_cannot(r->why) : DRX_OK;
}

/* Its number in this process, with that name. */
static drx_status define(struct reading *r, drx_type *type)
{
    const size_t n = r->info.bytes;
    int64_t extents = 0;
    drx_status st;

    if (r->info.type_class == TEXTS)
        return n == 0 ? DRX_OK : drxi_cannot("the bytes of an element");
    if (r->info.type_class <= UNICODE) {
        if (n < 1 || n > DRX_MAX_STRING_BYTES || (r->info.type_class == UNICODE && n % 4 != 0))
            return drxi_cannot("the bytes of an element");
        *type = r->info.type_class == BYTES ? DRX_BYTES((int)n) : DRX_UNICODE((int)n / 4);
        return DRX_OK;
    }
    for (int64_t i = 0; i < r->n; i++) {
        r->member[i].extents = r->member[i].rank > 0 ? r->extent + extents : NULL;
        extents += r->member[i].rank;
    }
    r->info.members = r->member;
    r->info.nmembers = (int)r->n;
    st = drx_type_define(&r->info, type);
    r->known = st != DRX_EUNSUPPORTED && st != DRX_EOVERFLOW; /* what this library does not carry */
    return !r->known ? DRX_OK : st == DRX_EINVAL ? drxi_cannot(drx_last_error()) : st;
}

static drx_status read_type(struct reading *r, struct drxi_fields *f, const struct drxi_text *name, drx_type *type)
{
    drx_status st = read_fields(f, r);

    if (!st && name->n > 0 && !drxi_is_path_name(*name, DRXI_PATH_NAME_BYTES))
        return drxi_cannot("the name of a type");
    if (st || !r->known)
        return st;
    r->info.name = name->n > 0 ? end_text(*name) : NULL;
    return define(r, type);
}

/* From a copy of the payload. */
static drx_status read_payload(struct drxi_store *s, const struct drxi_log_record *record, uint8_t *copy)
{
    struct drxi_fields f = { .p = copy, .n = record->payload_bytes };
    const uint16_t group = drxi_field16(&f);
    const struct drxi_text name = drxi_field_text(&f);
    struct reading r = { .s = s, .info = { .type_class = drxi_field8(&f) }, .known = true };
    const size_t begin = f.at;
    drx_type type = (drx_type)0;
    struct drxi_type *t;
    drx_status st = DRX_OK;

    if (f.too_short)
        return drxi_cannot("the payload of a type is too short");
    r.known = r.info.type_class >= BYTES && r.info.type_class <= TEXTS;
    if (r.known)
        st = read_type(&r, &f, &name, &type);
    else if (name.n > 0 && !drxi_is_path_name(name, DRXI_PATH_NAME_BYTES))
        st = drxi_cannot("the name of a type");
    drxi_free(r.member);
    drxi_free(r.extent);
    if (st)
        return st;
    if ((st = drxi_store_add(s, DRXI_A_TYPE, record->number, group,
                             (struct drxi_text){ (const char *)record->payload + 4, name.n }, sizeof *t, &t)))
        return st;
    t->class = r.info.type_class;
    t->bytes = (uint32_t)r.info.bytes;
    t->known = r.known;
    t->type = type;
    t->n_fields = (r.end ? r.end : record->payload_bytes) - begin;
    if (!(t->fields = drxi_malloc(t->n_fields)))
        return DRX_ENOMEM;
    memcpy(t->fields, record->payload + begin, t->n_fields);
    return DRX_OK;
}

drx_status drxi_read_type_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    uint8_t *copy = drxi_malloc(record->payload_bytes);
    drx_status st;

    if (!copy)
        return DRX_ENOMEM;
    st = read_payload(s, record, memcpy(copy, record->payload, record->payload_bytes));
    drxi_free(copy);
    return st;
}
