/* Types (spec/drx-format.md, section 4.3). */
#include <stdlib.h>

#include "store/kinds.h"
#include "store/store.h"

enum { BYTES = 1, UNICODE, ENUM, COMPOUND, OPAQUE, BITS, TEXTS, OWN = 256, MOST_BASIC = 255, MOST_TYPE_BYTES = 65536 };

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

struct field {
    uint64_t begin, end; /* in the element */
    struct drxi_text name;
};

/* What a type is while it is read. */
struct reading {
    const struct drxi_store *s;
    int class;
    uint32_t bytes;
    bool known;      /* each field is of a type that is known */
    size_t end;      /* of the fields, in the payload */
    const char *why; /* it cannot be; NULL: it can */
    struct field *field;
    int64_t n_fields, room;
};

static void must(struct reading *r, bool holds, const char *why)
{
    if (!holds && !r->why)
        r->why = why;
}

static void read_enum(struct drxi_fields *f, struct reading *r)
{
    const uint32_t base = drxi_field32(f), n = drxi_field32(f);

    must(r, base >= DRX_INT8 && base <= DRX_UINT64 && drx_type_size((drx_type)base) == r->bytes, "the type of an enum");
    for (uint32_t i = 0; i < n && !f->too_short; i++) {
        (void)drxi_field_bytes(f, r->bytes);
        must(r, drxi_is_name(drxi_field_text(f), DRXI_NAME_MAX_BYTES), "the name of a value of an enum");
    }
}

/* One field; its type may be one that is not there, which decides before all else. */
static drx_status read_field(struct drxi_fields *f, struct reading *r)
{
    struct field field = { .begin = drxi_field32(f) };
    const uint32_t type = drxi_field32(f);
    const int rank = drxi_field8(f);
    uint64_t n = 1;
    uint32_t bytes;
    bool known;
    drx_status st;

    drxi_field_zeros(f, 3);
    for (int j = 0; j < rank; j++) {
        const uint32_t extent = drxi_field32(f);

        must(r, extent > 0, "a field without elements");
        n = n > MOST_TYPE_BYTES ? n : n * extent;
    }
    field.name = drxi_field_text(f);
    if (f->too_short)
        return DRX_OK;
    must(r, drxi_is_name(field.name, DRXI_NAME_MAX_BYTES), "the name of a field");
    if ((st = drxi_store_type_bytes(r->s, type, &bytes, &known)) == DRX_EDAMAGED) {
        must(r, false, "a field of a type that is not there");
        return DRX_OK;
    }
    r->known = r->known && known;
    must(r, !known || bytes > 0, "a field of texts");
    field.end = field.begin + n * bytes;
    st = drxi_reserve(&r->field, &r->room, r->n_fields + 1, sizeof *r->field);
    if (!st)
        r->field[r->n_fields++] = field;
    return st;
}

static int by_place(const void *a, const void *b)
{
    const struct field *x = a, *y = b;

    return x->begin != y->begin ? (x->begin > y->begin ? 1 : -1) : (x->end > y->end) - (x->end < y->end);
}

static int by_name(const void *a, const void *b)
{
    const struct drxi_text x = ((const struct field *)a)->name, y = ((const struct field *)b)->name;
    const int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

    return order ? order : (x.n > y.n) - (x.n < y.n);
}

static void check_fields(struct reading *r)
{
    if (r->n_fields == 0)
        return;
    qsort(r->field, (size_t)r->n_fields, sizeof *r->field, by_place);
    for (int64_t i = 0; i < r->n_fields; i++)
        must(r, r->field[i].end <= (i + 1 < r->n_fields ? r->field[i + 1].begin : r->bytes),
             "fields that overlap, or are not inside");
    qsort(r->field, (size_t)r->n_fields, sizeof *r->field, by_name);
    for (int64_t i = 1; i < r->n_fields; i++)
        must(r, by_name(&r->field[i - 1], &r->field[i]) != 0, "two fields of one name");
}

static drx_status read_compound(struct drxi_fields *f, struct reading *r)
{
    const uint32_t n = drxi_field32(f);
    drx_status st = DRX_OK;

    for (uint32_t i = 0; !st && i < n && !f->too_short; i++)
        st = read_field(f, r);
    return st;
}

static void read_bits(struct drxi_fields *f, struct reading *r)
{
    const unsigned first = drxi_field8(f), n = drxi_field8(f);

    must(r, (r->bytes == 1 || r->bytes == 2 || r->bytes == 4 || r->bytes == 8) && n >= 1 && first + n <= 8 * r->bytes,
         "the bits of a bitfield");
}

static void check_bytes(struct reading *r)
{
    const uint32_t least = r->class != TEXTS, most = r->class == TEXTS     ? 0
                                                     : r->class <= UNICODE ? DRX_MAX_STRING_BYTES
                                                                           : MOST_TYPE_BYTES;

    must(r, r->bytes >= least && r->bytes <= most && (r->class != UNICODE || r->bytes % 4 == 0),
         "the bytes of an element");
}

/* Behind the class, to the end of the payload. */
static drx_status read_fields(struct drxi_fields *f, struct reading *r)
{
    drx_status st = DRX_OK;

    drxi_field_zeros(f, 3);
    r->bytes = drxi_field32(f);
    if (r->class == ENUM)
        read_enum(f, r);
    else if (r->class == COMPOUND)
        st = read_compound(f, r);
    else if (r->class == BITS)
        read_bits(f, r);
    else if (r->class == OPAQUE) {
        const struct drxi_text tag = drxi_field_text(f);

        must(r, drxi_is_utf8(tag.p, tag.n), "a tag that is not UTF-8");
    }
    r->end = f->at;
    if (!st && (st = drxi_fields_end(f)) == DRX_EDAMAGED)
        st = drxi_cannot("the payload of a type is shorter or longer than its fields");
    if (st)
        return st;
    if (r->known) {
        check_bytes(r);
        check_fields(r);
    }
    return r->why ? drxi_cannot(r->why) : DRX_OK;
}

drx_status drxi_read_type_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const uint16_t group = drxi_field16(&f);
    const struct drxi_text name = drxi_field_text(&f);
    struct reading r = { .s = s, .class = drxi_field8(&f), .known = true };
    const size_t begin = f.at;
    struct drxi_type *t;
    drx_status st = DRX_OK;

    if (f.too_short)
        return drxi_cannot("the payload of a type is too short");
    r.known = r.class >= BYTES && r.class <= TEXTS;
    if (r.known)
        st = read_fields(&f, &r);
    drxi_free(r.field);
    if (st)
        return st;
    if (name.n > 0 && !drxi_is_path_name(name, DRXI_PATH_NAME_BYTES))
        return drxi_cannot("the name of a type");
    if ((st = drxi_store_add(s, DRXI_A_TYPE, record->number, group, name, sizeof *t, &t)))
        return st;
    t->class = r.class;
    t->bytes = r.bytes;
    t->known = r.known;
    t->n_fields = (r.end ? r.end : record->payload_bytes) - begin;
    if (!(t->fields = drxi_malloc(t->n_fields)))
        return DRX_ENOMEM;
    memcpy(t->fields, record->payload + begin, t->n_fields);
    return DRX_OK;
}
