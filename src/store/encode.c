/* Records of each kind, composed (spec/drx-format.md, section 4). */
#include "store/kinds.h"

void drxi_put_group(struct drxi_run *run, uint16_t number, uint16_t in, const char *name, const char *folder)
{
    drxi_run_begin(run, DRXI_LOG_GROUP, number);
    drxi_run16(run, in);
    drxi_run_text(run, name);
    drxi_run_text(run, folder);
    drxi_run_end(run);
}

void drxi_put_dimension(struct drxi_run *run, uint16_t number, uint16_t group, const int64_t bounds[2],
                        const char *name)
{
    drxi_run_begin(run, DRXI_LOG_DIMENSION, number);
    drxi_run16(run, group);
    drxi_run_zeros(run, 6);
    drxi_run64(run, bounds[0]);
    drxi_run64(run, bounds[1]);
    drxi_run_text(run, name);
    drxi_run_end(run);
}

void drxi_put_variable(struct drxi_run *run, const struct drxi_variable *v)
{
    const uint8_t bytes[] = {
        v->null ? DRXI_NULL : (uint8_t)v->ndim, v->order, v->initial, v->flags, v->codec, v->level, v->shuffle
    };

    drxi_run_begin(run, DRXI_LOG_VARIABLE, v->thing.number);
    drxi_run16(run, v->thing.group);
    drxi_run_bytes(run, bytes, sizeof bytes);
    drxi_run_zeros(run, 3);
    drxi_run32(run, v->type);
    drxi_run64(run, v->align);
    for (int j = 0; j < v->ndim; j++)
        drxi_run16(run, v->dim[j]);
    drxi_run_pad(run);
    for (int j = 0; j < v->ndim; j++)
        drxi_run64(run, v->chunk[j]);
    drxi_run32(run, v->fill ? v->item_bytes : 0);
    drxi_run_bytes(run, v->fill, v->fill ? v->item_bytes : 0);
    drxi_run_pad(run);
    drxi_run_text(run, drxi_thing_name(&v->thing));
    drxi_run_text(run, drxi_thing_stem(&v->thing));
    drxi_run_end(run);
}

static void put_two(struct drxi_run *run, enum drxi_log_kind kind, uint16_t number, int64_t a, int64_t b)
{
    drxi_run_begin(run, kind, number);
    drxi_run64(run, a);
    drxi_run64(run, b);
    drxi_run_end(run);
}

void drxi_put_grow(struct drxi_run *run, uint16_t dimension, int64_t by, int64_t bound)
{
    put_two(run, DRXI_LOG_GROW, dimension, by, bound);
}

void drxi_put_trim(struct drxi_run *run, uint16_t dimension, int64_t lower, int64_t upper)
{
    put_two(run, DRXI_LOG_TRIM, dimension, lower, upper);
}

void drxi_put_axis(struct drxi_run *run, uint16_t variable, int at, uint16_t dimension)
{
    drxi_run_begin(run, DRXI_LOG_AXIS, variable);
    drxi_run16(run, (uint16_t)at);
    drxi_run16(run, dimension);
    drxi_run_end(run);
}

/* NULL: none. */
static void put_name(struct drxi_run *run, enum drxi_log_kind kind, enum drxi_what what, uint16_t number,
                     const char *name)
{
    drxi_run_begin(run, kind, number);
    drxi_run8(run, (uint8_t)what);
    drxi_run_zeros(run, 7);
    if (name)
        drxi_run_text(run, name);
    drxi_run_end(run);
}

void drxi_put_rename(struct drxi_run *run, enum drxi_what what, uint16_t number, const char *name)
{
    put_name(run, DRXI_LOG_RENAME, what, number, name);
}

void drxi_put_remove(struct drxi_run *run, enum drxi_what what, uint16_t number)
{
    put_name(run, DRXI_LOG_REMOVE, what, number, NULL);
}

void drxi_put_attribute_delete(struct drxi_run *run, enum drxi_what what, uint16_t number, const char *name)
{
    put_name(run, DRXI_LOG_ATTRIBUTE_DELETE, what, number, name);
}

/* Values are stored little-endian. */
static void put_attribute(struct drxi_run *run, enum drxi_what what, uint16_t number, const struct drxi_attr *attr)
{
    drxi_run_begin(run, DRXI_LOG_ATTRIBUTE, number);
    drxi_run8(run, (uint8_t)what);
    drxi_run8(run, (uint8_t)attr->rank);
    drxi_run8(run, attr->is_text);
    drxi_run8(run, 0);
    drxi_run32(run, attr->stored);
    for (int j = 0; attr->rank != DRXI_NULL && j < attr->rank; j++)
        drxi_run64(run, attr->extents ? attr->extents[j] : attr->n);
    drxi_run_text(run, attr->name);
    drxi_run_pad(run);
    drxi_run_bytes(run, attr->values, attr->bytes);
    if (!run->failed && attr->type)
        drxi_swap(run->bytes + run->n - attr->bytes, attr->bytes, attr->type);
    drxi_run_end(run);
}

void drxi_put_attribute(struct drxi_run *run, const struct drxi_store *s, enum drxi_what what, uint16_t number,
                        const struct drxi_attr_payload *attr)
{
    const struct drxi_thing *t = drxi_store_thing(s, what, number);
    const uint16_t group = what == DRXI_A_GROUP ? number : t && what != DRXI_THE_STORE ? t->group : 0;
    const uint32_t stored = drxi_put_type(run, s, group, "", attr->type);

    put_attribute(run, what, number,
                  &(struct drxi_attr){ .name = (char *)(uintptr_t)attr->name, /* they are only read */
                                       .values = (void *)(uintptr_t)attr->values,
                                       .type = attr->type,
                                       .stored = stored,
                                       .is_text = attr->is_text,
                                       .rank = 1,
                                       .n = attr->n,
                                       .bytes = (size_t)attr->n * drx_type_size(attr->type) });
}

void drxi_put_epoch(struct drxi_run *run, uint16_t variable, uint32_t epoch)
{
    drxi_run_begin(run, DRXI_LOG_EPOCH, variable);
    drxi_run32(run, epoch);
    drxi_run32(run, 0);
    drxi_run_end(run);
}

void drxi_put_stripes(struct drxi_run *run, uint16_t variable, const struct drxi_stripes *stripes)
{
    if (stripes->n == 0)
        return;
    drxi_run_begin(run, DRXI_LOG_STRIPES, variable);
    drxi_run16(run, (uint16_t)stripes->n);
    drxi_run_text(run, stripes->stem);
    for (int k = 0; k < stripes->n; k++)
        drxi_run_text(run, stripes->folder[k]);
    drxi_run_end(run);
}

void drxi_put_source(struct drxi_run *run, uint16_t variable, const drx_source *source)
{
    uint32_t n = 0;

    if (!source)
        return;
    for (size_t at = 0; at < source->nwords; at += 2 + (size_t)source->filters[at + 1])
        n++;
    drxi_run_begin(run, DRXI_LOG_SOURCE, variable);
    drxi_run8(run, (uint8_t)source->byte_order);
    drxi_run_zeros(run, 3);
    drxi_run32(run, n);
    for (size_t i = 0; i < source->nwords; i++)
        drxi_run32(run, source->filters[i]);
    drxi_run_end(run);
}

void drxi_put_commit(struct drxi_run *run, int64_t number, int64_t time, const char *message)
{
    const size_t n = strlen(message);

    drxi_run_begin(run, DRXI_LOG_COMMIT, 0);
    drxi_run64(run, number);
    drxi_run64(run, time);
    drxi_run32(run, (uint32_t)n);
    drxi_run_bytes(run, message, n);
    drxi_run_end(run);
}

void drxi_put_sync(struct drxi_run *run)
{
    drxi_run_begin(run, DRXI_LOG_SYNC, 0);
    drxi_run_zeros(run, 8);
    drxi_run_end(run);
}

void drxi_put_base(struct drxi_run *run, const struct drxi_store *s, int64_t commit)
{
    drxi_run_begin(run, DRXI_LOG_BASE, 0);
    drxi_run64(run, (int64_t)s->last_trim);
    drxi_run64(run, commit);
    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++)
        drxi_run16(run, (uint16_t)drxi_max(drxi_table_of(s, what)->largest, s->base.is ? s->base.largest[what] : 0));
    drxi_run_end(run);
}

static void put_attributes(struct drxi_run *run, enum drxi_what what, const struct drxi_thing *t)
{
    for (int64_t i = 0; t && i < t->attrs.n; i++)
        put_attribute(run, what, t->number, &t->attrs.item[i]);
}

void drxi_put_attributes(struct drxi_run *run, const struct drxi_store *s)
{
    put_attributes(run, DRXI_THE_STORE, &s->root.thing);
    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++)
        for (int i = 1; i <= drxi_table_of(s, what)->largest; i++)
            put_attributes(run, (enum drxi_what)what, drxi_store_thing(s, (enum drxi_what)what, (uint16_t)i));
}

void drxi_put_again(struct drxi_run *run, const struct drxi_log_record *r)
{
    drxi_run_begin(run, (enum drxi_log_kind)r->kind, r->number);
    drxi_run_bytes(run, r->payload, r->payload_bytes);
    drxi_run_end(run);
}
