/* The records of attributes. */
#include "store/kinds.h"

struct attribute {
    struct drxi_attr attr;
    struct drxi_text name;
    int64_t extents[DRX_MAX_NDIM];
    const uint8_t *values;
    int text;
    bool texts, known, good; /* texts: its values are texts, good is whether they are UTF-8 */
};

/* The bytes of the values, all of which the payload has. */
static void read_values(struct drxi_fields *f, struct attribute *a, uint32_t item_bytes)
{
    const size_t begin = f->at;
    int64_t bytes;

    a->values = f->p + begin;
    a->good = true;
    if (!a->known) {
        f->at = f->too_short ? f->at : f->n;
    } else if (!a->texts) {
        if (!drxi_mul(a->attr.n, item_bytes, &bytes) || !drxi_field_bytes(f, (uint64_t)bytes))
            f->too_short = true;
    } else {
        for (int64_t i = 0; i < a->attr.n && !f->too_short; i++) {
            const struct drxi_text t = drxi_field_long_text(f);

            a->good = a->good && drxi_is_utf8(t.p, t.n);
        }
    }
    a->attr.bytes = f->at - begin;
}

static bool read_extents(struct drxi_fields *f, struct attribute *a)
{
    bool good = a->attr.rank <= DRX_MAX_NDIM || a->attr.rank == DRXI_NULL, none = false;

    a->attr.n = a->attr.rank == DRXI_NULL ? 0 : 1;
    for (int j = 0; good && a->attr.rank != DRXI_NULL && j < a->attr.rank; j++) {
        a->extents[j] = drxi_field64(f);
        good = a->extents[j] >= 0;
        none = none || a->extents[j] == 0;
        a->attr.n = good ? drxi_mul_saturated(a->attr.n, a->extents[j]) : 0;
    }
    a->attr.n = none ? 0 : a->attr.n;
    return good;
}

static drx_status read_attribute(const struct drxi_store *s, struct drxi_fields *f, struct attribute *a)
{
    uint32_t item_bytes;
    drx_status st;

    a->attr.rank = drxi_field8(f);
    a->text = drxi_field8(f);
    drxi_field_zeros(f, 1);
    a->attr.stored = drxi_field32(f);
    if (!read_extents(f, a))
        return drxi_cannot("the extents of an attribute");
    a->name = drxi_field_text(f);
    drxi_field_pad(f);
    if (f->too_short)
        return drxi_end_fields(f);
    if ((st = drxi_store_type_bytes(s, a->attr.stored, &item_bytes, &a->known)))
        return st;
    a->texts = a->known && item_bytes == 0;
    read_values(f, a, item_bytes);
    return drxi_end_fields(f);
}

static drx_status check_attribute(const struct attribute *a)
{
    const struct drxi_text values = { (const char *)a->values, a->attr.bytes };

    if (!drxi_is_name(a->name, DRXI_NAME_MAX_BYTES))
        return drxi_cannot("the name of an attribute");
    if (!a->known)
        return DRX_OK;
    if (a->text > 1 || (a->text && (a->attr.stored != DRX_UINT8 || a->attr.rank != 1)) ||
        a->attr.bytes > DRXI_ATTR_MAX_BYTES)
        return drxi_cannot("an attribute that contradicts itself");
    if (!a->good || (a->text && !drxi_is_utf8(values.p, values.n)))
        return drxi_cannot("an attribute whose text is not UTF-8");
    return DRX_OK;
}

static drx_status set_attribute(const struct drxi_store *s, struct drxi_attrs *t, const struct attribute *a)
{
    const int rank = a->attr.rank == DRXI_NULL ? 0 : a->attr.rank;
    struct drxi_attr made = a->attr;
    drx_status st = drxi_attrs_reserve(t);

    if (st)
        return st;
    made.type = drxi_store_drx_type(s, a->attr.stored);
    if (DRX_IS_STRING(made.type))
        made.type = (drx_type)0;
    made.is_text = a->text;
    made.name = drxi_copy_with_nul(a->name.p, a->name.n);
    made.values = drxi_copy_with_nul(a->values, a->attr.bytes);
    made.extents = drxi_malloc((size_t)rank * sizeof *made.extents);
    if (!made.name || !made.values || !made.extents) {
        drxi_attr_free(&made);
        return DRX_ENOMEM;
    }
    memcpy(made.extents, a->extents, (size_t)rank * sizeof *made.extents);
    if (made.type)
        drxi_swap(made.values, made.bytes, made.type);
    drxi_attrs_set(t, &made);
    return DRX_OK;
}

drx_status drxi_read_attribute_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    struct attribute a = { .text = 0 };
    struct drxi_thing *t;
    int what;
    drx_status st = drxi_read_what(&f, &what);

    if (!st)
        st = read_attribute(s, &f, &a);
    if (!st)
        st = drxi_find_thing(s, (enum drxi_what)what, record->number, &t);
    if (!st)
        st = check_attribute(&a);
    return st ? st : set_attribute(s, &t->attrs, &a);
}

drx_status drxi_read_attribute_delete_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_thing *t;
    struct drxi_text name;
    int64_t i;
    int what;
    drx_status st = drxi_read_subject(s, record, &what, &name, &t);

    if (st)
        return st;
    i = drxi_is_name(name, DRXI_NAME_MAX_BYTES) ? drxi_attrs_find(&t->attrs, name.p, name.n) : -1;
    if (i < 0)
        return drxi_cannot("no attribute of that name to delete");
    drxi_attrs_delete(&t->attrs, i);
    s->holes = true;
    return DRX_OK;
}
