/* The records that make a variable and say where its elements lie. */
#include "drx_tools.h"
#include "store/kinds.h"

struct made {
    struct drxi_variable v;
    uint16_t group;
    struct drxi_text name, stem;
    const uint8_t *fill;
    uint32_t fill_bytes;
};

static drx_status read_variable(struct drxi_fields *f, struct made *m)
{
    struct drxi_variable *v = &m->v;
    int n;

    m->group = drxi_field16(f);
    n = drxi_field8(f);
    v->order = drxi_field8(f);
    v->initial = drxi_field8(f);
    v->flags = drxi_field8(f);
    v->codec = drxi_field8(f);
    v->level = drxi_field8(f);
    v->shuffle = drxi_field8(f);
    drxi_field_zeros(f, 3);
    v->type = drxi_field32(f);
    v->align = drxi_field64(f);
    v->null = n == DRXI_NULL;
    v->ndim = v->null ? 0 : n;
    if (v->ndim > DRX_MAX_NDIM)
        return drxi_fail(DRX_EDAMAGED, "%d axes", n);
    for (int j = 0; j < v->ndim; j++)
        v->dim[j] = drxi_field16(f);
    drxi_field_pad(f);
    for (int j = 0; j < v->ndim; j++)
        v->chunk[j] = drxi_field64(f);
    m->fill_bytes = drxi_field32(f);
    m->fill = drxi_field_bytes(f, m->fill_bytes);
    drxi_field_pad(f);
    m->name = drxi_field_text(f);
    m->stem = drxi_field_text(f);
    return drxi_end_fields(f);
}

/* What a null variable may not have, and no other two things together. */
static bool is_consistent(const struct drxi_store *s, const struct made *m)
{
    const struct drxi_variable *v = &m->v;
    const bool zero_orders = v->order == 0 && v->initial == 0;
    bool chunks = true;

    for (int j = 0; j < v->ndim; j++)
        chunks = chunks && v->chunk[j] >= 1;
    if (!chunks || v->item_bytes == 0 || v->align < 1 || v->align > 1 << 30 || (v->align & (v->align - 1)) != 0 ||
        (m->fill_bytes != 0 && m->fill_bytes != v->item_bytes))
        return false;
    if ((v->flags & 2 && s->kind == DRXI_DATASET) || (v->codec && v->flags) || (v->shuffle > 0) != (v->codec > 0) ||
        (v->codec ? v->level < 1 || v->level > 9 : v->level != 0))
        return false;
    if (v->null)
        return zero_orders && !v->flags && !v->codec && v->align == 1 && m->fill_bytes == 0;
    return v->ndim > 0 || v->initial == 0;
}

static drx_status check_names(const struct drxi_store *s, const struct drxi_log_record *record, const struct made *m)
{
    const struct drxi_group *g = drxi_store_group(s, m->group);

    if (!g || g->thing.removed)
        return drxi_cannot("a variable of a group that is not there");
    if (s->kind == DRXI_LONE_ARRAY && (record->number > 1 || m->group > 0 || m->name.n > 0 || m->stem.n > 0))
        return drxi_cannot("a lone array's variable has a name, or is not the only one");
    if (s->kind == DRXI_DATASET &&
        (!drxi_is_path_name(m->name, DRXI_PATH_NAME_BYTES) || !drxi_is_path_name(m->stem, DRXI_STEM_BYTES)))
        return drxi_cannot("the name or the stem of a variable");
    for (int j = 0; j < m->v.ndim; j++) {
        const struct drxi_thing *d = drxi_store_thing(s, DRXI_A_DIMENSION, m->v.dim[j]);

        if (!d || !drxi_store_is_above(s, d->group, m->group))
            return drxi_fail(DRX_EDAMAGED, "axis %d has dimension %d, which it does not see", j, m->v.dim[j]);
    }
    return DRX_OK;
}

/* Take over what was read; the thing is there already. */
static drx_status fill_in(struct drxi_store *s, const struct made *m, struct drxi_variable *v)
{
    const struct drxi_thing thing = v->thing;

    *v = m->v;
    v->thing = thing;
    for (int j = 0; j < v->ndim; j++) {
        const struct drxi_dimension *d = drxi_store_dimension(s, v->dim[j]);

        v->made_lower[j] = d->lower;
        v->made_upper[j] = d->upper;
    }
    v->made_ndim = v->ndim;
    memcpy(v->made_dim, v->dim, sizeof v->dim);
    memcpy(v->made_chunk, v->chunk, sizeof v->chunk);
    v->first_step = s->steps;
    v->last_step = INT64_MAX;
    v->made = s->end.sequence + 1;
    if (m->fill_bytes == v->item_bytes && !drxi_is_zero(m->fill, m->fill_bytes)) { /* a refused one has any length */
        if (!(v->fill = drxi_keep_element(m->fill, m->fill_bytes)))
            return DRX_ENOMEM;
    }
    if (s->kind == DRXI_DATASET)
        return drxi_store_set_stem(s, &v->thing, m->stem);
    return DRX_OK;
}

drx_status drxi_read_variable_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    struct made m = { .group = 0 };
    struct drxi_variable *v;
    bool known;
    drx_status st = read_variable(&f, &m);

    if (!st)
        st = check_names(s, record, &m);
    if (!st)
        st = drxi_store_type_bytes(s, m.v.type, &m.v.item_bytes, &known);
    if (st)
        return st;
    m.v.refused = m.v.order > 1 || m.v.initial > 2 || m.v.flags > 3 || !drx_codec_name((drx_codec)m.v.codec) ||
                  !drx_shuffle_name((drx_shuffle)m.v.shuffle) || !known;
    if (!m.v.refused && !is_consistent(s, &m))
        return drxi_cannot("a variable that contradicts itself");
    if ((st = drxi_store_add(s, DRXI_A_VARIABLE, record->number, m.group, m.name, sizeof *v, &v)))
        return st;
    if ((st = fill_in(s, &m, v)) || v->refused)
        return st;
    s->run.awaited = v->flags & 2 ? record->number : 0;
    return drxi_store_check_made(v);
}

drx_status drxi_read_axis_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const int at = drxi_field16(&f);
    const uint16_t number = drxi_field16(&f);
    struct drxi_variable *v;
    struct drxi_dimension *d;
    drx_status st = drxi_end_about(&f, s, DRXI_A_VARIABLE, record->number, &v);

    if (!st)
        st = drxi_find_thing(s, DRXI_A_DIMENSION, number, &d);
    if (st)
        return st;
    if (!drxi_store_is_above(s, d->thing.group, v->thing.group) || d->lower != 0 || d->upper != 1)
        return drxi_cannot("an axis of a dimension that it does not see, or that has other bounds than 0 and 1");
    if (v->thing.made_by == s->run.number || v->axis_by == s->run.number || v->null || at > v->ndim ||
        v->ndim == DRX_MAX_NDIM)
        return drxi_cannot("an axis that this variable cannot get");
    st = drxi_note_step(s, record,
                        (struct drxi_change_of){ .number = number, .variable = record->number, .at = (uint8_t)at });
    if (st)
        return st;
    memmove(v->dim + at + 1, v->dim + at, (size_t)(v->ndim - at) * sizeof *v->dim);
    memmove(v->chunk + at + 1, v->chunk + at, (size_t)(v->ndim - at) * sizeof *v->chunk);
    v->dim[at] = number;
    v->chunk[at] = 1;
    v->ndim++;
    v->axis_by = s->run.number;
    return DRX_OK;
}

drx_status drxi_read_epoch_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const uint32_t epoch = drxi_field32(&f);
    struct drxi_variable *v;
    drx_status st;

    drxi_field_zeros(&f, 4);
    if ((st = drxi_end_about(&f, s, DRXI_A_VARIABLE, record->number, &v)))
        return st;
    if (!v->refused && (epoch < v->epoch || v->codec == 0 || v->null))
        return drxi_cannot("an epoch that is lower, or of a variable that is not compressed");
    v->epoch = epoch;
    return DRX_OK;
}

static bool is_text_of_bytes(struct drxi_text t, size_t most)
{
    return t.n >= 1 && t.n <= most && !memchr(t.p, '\0', t.n);
}

/* Whether those are its stripes. */
static bool are_stripes_of(const struct drxi_variable *v, struct drxi_text stem, int n)
{
    if (v->refused)
        return true;
    return v->flags & 2 && (v->stripes.n == 0 || (v->stripes.n == n && strlen(v->stripes.stem) == stem.n &&
                                                  memcmp(v->stripes.stem, stem.p, stem.n) == 0));
}

static drx_status set_stripes(struct drxi_variable *v, struct drxi_text stem, int n, const struct drxi_text text[])
{
    struct drxi_stripes made = { .n = n,
                                 .stem = drxi_copy_with_nul(stem.p, stem.n),
                                 .folder = drxi_calloc((size_t)n, sizeof(char *)) };
    bool all = made.stem && made.folder;

    for (int k = 0; all && k < n; k++)
        all = (made.folder[k] = drxi_copy_with_nul(text[k].p, text[k].n)) != NULL;
    drxi_stripes_free(all ? &v->stripes : &made);
    if (!all)
        return DRX_ENOMEM;
    v->stripes = made;
    return DRX_OK;
}

drx_status drxi_read_stripes_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const int n = drxi_field16(&f);
    const struct drxi_text stem = drxi_field_text(&f);
    struct drxi_text folder[DRX_MAX_STRIPES];
    bool good = n >= 1 && n <= DRX_MAX_STRIPES;
    struct drxi_variable *v;
    drx_status st;

    for (int k = 0; k < n; k++) {
        const struct drxi_text t = drxi_field_text(&f);

        good = good && is_text_of_bytes(t, 4095);
        if (k < DRX_MAX_STRIPES)
            folder[k] = t;
    }
    if ((st = drxi_end_about(&f, s, DRXI_A_VARIABLE, record->number, &v)))
        return st;
    if (!good || !is_text_of_bytes(stem, DRXI_STEM_BYTES) || memchr(stem.p, '/', stem.n) || !are_stripes_of(v, stem, n))
        return drxi_cannot("stripes that this variable does not have");
    s->run.awaited = 0;
    return set_stripes(v, stem, n, folder);
}

drx_status drxi_read_source_record(struct drxi_store *s, const struct drxi_log_record *record)
{
    struct drxi_fields f = drxi_fields_of(record);
    const int order = drxi_field8(&f);
    struct drxi_variable *v;
    drx_source *made;
    uint32_t m, *words;
    size_t begin, n;
    drx_status st;

    drxi_field_zeros(&f, 3);
    m = drxi_field32(&f);
    begin = f.at;
    for (uint32_t i = 0; i < m && !f.too_short; i++) {
        (void)drxi_field32(&f);
        (void)drxi_field_bytes(&f, UINT64_C(4) * drxi_field32(&f));
    }
    n = (f.at - begin) / 4;
    if ((st = drxi_end_about(&f, s, DRXI_A_VARIABLE, record->number, &v)))
        return st;
    if (!(made = drxi_source_new(n)))
        return DRX_ENOMEM;
    made->byte_order = order <= DRX_BIG_ENDIAN ? order : 0;
    words = (uint32_t *)(made + 1);
    for (size_t i = 0; i < n; i++)
        words[i] = drxi_get32(record->payload + begin + 4 * i);
    drxi_free(v->source);
    v->source = made;
    return DRX_OK;
}
