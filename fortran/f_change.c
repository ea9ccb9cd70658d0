/* What changes an array or a dataset: its arguments, converted, and the call, which its kind makes. */
#include <stdlib.h>

#include "drxf.h"

static drx_status find(int64_t id, enum drxf_to what, int part, struct drxf_target *out)
{
    drx_status st;

    if (what >= DRXF_TO_REMOVE)
        return drxf_a_dataset(id, out);
    if (what >= DRXF_TO_SYNC)
        return drxf_an_array(id, out);
    if (what != DRXF_TO_REFRESH)
        return drxf_an_owner(id, part, out);
    st = drxf_any(id, out);
    return st || out->kind->change ? st : drxf_other(out->kind, "an array or a dataset");
}

/* Where a new axis goes: from 1 to one past the last one. */
static drx_status new_axis(const struct drxf_target *t, const CFI_cdesc_t *at, const char *name, int *axis)
{
    const int most = t->a ? drx_ndim(t->a) + 1 : DRX_MAX_NDIM;
    int64_t number = 0;
    drx_status st = drxf_integer(at, "at", &number);

    if (st)
        return st;
    *axis = (int)number - 1;
    if (number >= 1 && number <= most)
        return DRX_OK;
    if (t->a)
        return drxf_fail_of(t->a, DRX_EINVAL, "at is %lld, expected 1 to %d", (long long)number, most);
    return drxf_fail(DRX_EINVAL, "at is %lld, expected 1 to one more than the axes of \"%.200s\"", (long long)number,
                     name);
}

/* The values of an attribute, in one piece. */
static drx_status attribute(const CFI_cdesc_t *values, const char *name, struct drxf_given *g, void **made)
{
    drx_status st = drxf_check_there(values, "values");

    if (st)
        return st;
    if (!drxf_type_of(values))
        return drxf_fail(DRX_EINVAL, "attribute \"%.200s\": expected a text, or integers, real or complex numbers",
                         name);
    g->values = drxf_in_one_piece(values, made);
    g->type = drxf_type_of(values);
    g->n = drxf_size(values);
    return g->values ? DRX_OK : DRX_ENOMEM;
}

/* `axis` is where a new one goes, too, and `by` the number of a commit. */
DRX_API drx_status drxf_change(int64_t id, int what, const char *name, const char *text, const int *part,
                               const char *of, const CFI_cdesc_t *axis, const CFI_cdesc_t *by,
                               const CFI_cdesc_t *before, const CFI_cdesc_t *after, const CFI_cdesc_t *values,
                               int64_t *first)
{
    struct drxf_given g = { .name = name, .text = text, .part = part ? *part : 0, .of = of, .first = first };
    struct drxf_target t;
    struct drxf_kept wrong;
    void *made = NULL;
    drx_status st = find(id, what, g.part, &t);

    if (st)
        return st;
    if (axis && (what == DRXF_TO_ADD_AXIS || what == DRXF_TO_WIDEN))
        st = new_axis(&t, axis, name, &g.axis);
    else if (axis)
        st = drxf_axis(t.a, axis, &g.axis);
    if (!st && by)
        st = drxf_integer(by, what == DRXF_TO_FORGET ? "n" : "by", &g.by);
    if (!st && before)
        st = drxf_integer(before, "before", &g.before);
    if (!st && after)
        st = drxf_integer(after, "after", &g.after);
    if (!st && values)
        st = attribute(values, name, &g, &made);
    if (name && !*name && t.a && what >= DRXF_TO_SYNC) /* an axis may have none */
        g.name = NULL;
    if (what == DRXF_TO_COMMIT && !*text)
        g.text = NULL;
    drxf_keep(&wrong, st);
    if (st) {
        g.axis = -1;
        g.by = g.before = -1;
        g.type = 0;
        g.n = 0;
        g.values = NULL;
    }
    st = drxf_tell(&wrong, t.kind->together, t.kind->change(t.it, what, &g));
    free(made);
    return st;
}
