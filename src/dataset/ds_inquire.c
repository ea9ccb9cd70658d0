/* What a dataset can be asked. */
#include "dataset/dataset.h"

static const struct drxi_variable *variable(const drx_dataset *ds, int i)
{
    return i >= 0 && i < ds->variables.n ? drxi_store_variable(&ds->store, ds->variables.number[i]) : NULL;
}

static const struct drxi_dimension *dimension(const drx_dataset *ds, int d)
{
    return d >= 0 && d < ds->dimensions.n ? drxi_store_dimension(&ds->store, ds->dimensions.number[d]) : NULL;
}

/* Where a number stands in a list; -1: not there. */
static int place_of(const struct drxi_ds_list *list, int number)
{
    int64_t lo = 0, hi = list->n;

    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;

        if (list->number[middle] < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return number > 0 && lo < list->n && list->number[lo] == number ? (int)lo : -1;
}

int drx_dataset_count(const drx_dataset *ds)
{
    return (int)ds->variables.n;
}

const char *drx_dataset_name(const drx_dataset *ds, int i)
{
    const struct drxi_variable *v = variable(ds, i);

    return v ? drxi_thing_name(&v->thing) : NULL;
}

int drx_dataset_find(const drx_dataset *ds, const char *name)
{
    const struct drxi_variable *v = drxi_ds_find_variable(ds, name);

    return v ? place_of(&ds->variables, v->thing.number) : -1;
}

int drx_dataset_ndim(const drx_dataset *ds, int i)
{
    const struct drxi_variable *v = variable(ds, i);

    return v ? v->ndim : -1;
}

int drx_dataset_dim_count(const drx_dataset *ds)
{
    return (int)ds->dimensions.n;
}

int drx_dataset_axis(const drx_dataset *ds, int i, int axis)
{
    const struct drxi_variable *v = variable(ds, i);

    return v && axis >= 0 && axis < v->ndim ? place_of(&ds->dimensions, v->dim[axis]) : -1;
}

int drx_dataset_dim_find(const drx_dataset *ds, const char *name)
{
    const struct drxi_dimension *d = drxi_ds_find_dimension(ds, name);

    return d ? place_of(&ds->dimensions, d->thing.number) : -1;
}

const char *drx_dataset_dim(const drx_dataset *ds, int d, int64_t *bound)
{
    const struct drxi_dimension *dim = dimension(ds, d);

    if (!dim)
        return NULL;
    if (bound)
        *bound = dim->upper;
    return drxi_thing_name(&dim->thing);
}

int64_t drx_dataset_dim_lower(const drx_dataset *ds, int d)
{
    return dimension(ds, d) ? dimension(ds, d)->lower : 0;
}

int drx_dataset_dim_grew(const drx_dataset *ds, int d)
{
    return dimension(ds, d) && dimension(ds, d)->growths > 0;
}

int64_t drx_dataset_shown(const drx_dataset *ds)
{
    return ds->store.commits > 0 ? ds->store.commit[ds->store.commits - 1].number : -1;
}

int64_t drx_dataset_last(const drx_dataset *ds)
{
    return drxi_ds_last(ds);
}

/* ---- commits ---- */

/* The commit of that number. */
static drx_status find_commit(const drx_dataset *ds, int64_t number, const void *out, int64_t *at)
{
    drx_status st = ds ? drxi_ds_check_commit(ds, number) : drxi_no_dataset();

    *at = st ? 0 : number - drx_dataset_oldest(ds);
    return st || out ? st : drxi_fail(DRX_EINVAL, "%s: out is a null pointer", ds->path);
}

static uint64_t begin_of(const struct drxi_store *s, int64_t at)
{
    return at > 0 ? s->commit[at - 1].sequence : s->counted;
}

/* The first step behind a record. */
static int64_t first_step(const struct drxi_store *s, uint64_t sequence)
{
    int64_t lo = 0, hi = s->steps;

    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;

        if (s->step[middle].sequence <= sequence)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Changes of a commit, one for each end of a dimension that grew or was trimmed: walked in the order of the log. */
struct walk {
    const struct drxi_store *s;
    int64_t step, end;
    bool second; /* of a trim of both ends, the high one comes next */
};

static struct walk changes_of(const struct drxi_store *s, int64_t at)
{
    return (struct walk){ s, first_step(s, begin_of(s, at)), first_step(s, s->commit[at].sequence), false };
}

/* The bounds of a dimension before a step. */
static void bounds_before(const struct drxi_store *s, uint16_t number, int64_t step, int64_t bound[2])
{
    memcpy(bound, drxi_store_dimension(s, number)->made, 2 * sizeof *bound);
    for (int64_t i = 0; i < step; i++) {
        const struct drxi_change_of *c = &s->step[i];

        if (c->number != number || c->kind == DRXI_LOG_AXIS)
            continue;
        if (c->kind == DRXI_LOG_GROW) {
            bound[c->a < 0 ? DRXI_LOW : DRXI_HIGH] = c->b;
        } else {
            bound[DRXI_LOW] = c->a;
            bound[DRXI_HIGH] = c->b;
        }
    }
}

static bool is_same_growth(const struct drxi_change_of *a, const struct drxi_change_of *b)
{
    return a->kind == DRXI_LOG_GROW && b->kind == DRXI_LOG_GROW && a->number == b->number && (a->a < 0) == (b->a < 0);
}

/* The next change; false: there is none. */
static bool next(struct walk *w, uint16_t *number, int64_t before[2], int64_t after[2])
{
    const struct drxi_change_of *c;

    while (w->step < w->end && w->s->step[w->step].kind == DRXI_LOG_AXIS)
        w->step++;
    if (w->step >= w->end)
        return false;
    c = &w->s->step[w->step];
    *number = c->number;
    bounds_before(w->s, c->number, w->step, before);
    memcpy(after, before, 2 * sizeof *after);
    if (c->kind == DRXI_LOG_GROW) {
        for (; w->step < w->end && is_same_growth(c, &w->s->step[w->step]); w->step++)
            after[c->a < 0 ? DRXI_LOW : DRXI_HIGH] = w->s->step[w->step].b;
        return true;
    }
    if (!w->second && c->a != before[DRXI_LOW]) {
        after[DRXI_LOW] = c->a;
        w->second = c->b != before[DRXI_HIGH];
        w->step += !w->second;
        return true;
    }
    before[DRXI_LOW] = after[DRXI_LOW] = c->a;
    after[DRXI_HIGH] = c->b;
    w->second = false;
    w->step++;
    return true;
}

drx_status drx_dataset_commit_info(const drx_dataset *ds, int64_t number, drx_commit *out)
{
    const struct drxi_store *s;
    int64_t at, before[2], after[2];
    struct walk w;
    uint16_t dim;
    drx_status st = find_commit(ds, number, out, &at);

    if (st)
        return st;
    s = ds->whole;
    memset(out, 0, sizeof *out);
    out->number = number;
    out->time = s->commit[at].time;
    out->message = s->commit[at].message ? s->commit[at].message : "";
    w = changes_of(s, at);
    while (next(&w, &dim, before, after))
        out->changes++;
    for (int i = 1; i <= s->variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(s, (uint16_t)i);

        out->added += v && v->made > begin_of(s, at) && v->made < s->commit[at].sequence;
        out->removed += v && v->thing.removed && v->gone > begin_of(s, at) && v->gone < s->commit[at].sequence;
    }
    return DRX_OK;
}

drx_status drx_dataset_commit_change(const drx_dataset *ds, int64_t number, int i, drx_dim_change *out)
{
    int64_t at, before[2], after[2];
    uint16_t dim = 0;
    bool is = true;
    struct walk w;
    drx_status st = find_commit(ds, number, out, &at);

    if (st)
        return st;
    w = changes_of(ds->whole, at);
    for (int k = 0; is && k <= i; k++)
        is = next(&w, &dim, before, after);
    if (i < 0 || !is)
        return drxi_fail(DRX_ERANGE, "%s: commit %lld has no change %d of a dimension", ds->path, (long long)number, i);
    *out = (drx_dim_change){ .dim = drxi_thing_name(&drxi_store_dimension(ds->whole, dim)->thing),
                             .lower_before = before[DRXI_LOW],
                             .upper_before = before[DRXI_HIGH],
                             .lower = after[DRXI_LOW],
                             .upper = after[DRXI_HIGH] };
    return DRX_OK;
}

/* ---- attributes ---- */

drx_status drx_dataset_attr_get(const drx_dataset *ds, const char *name, drx_type *type, int64_t *n,
                                const void **values)
{
    return ds ? drxi_attrs_get(&ds->store.root.thing.attrs, ds->path, name, type, n, values) : drxi_no_dataset();
}

int drx_dataset_attr_count(const drx_dataset *ds)
{
    return (int)ds->store.root.thing.attrs.n;
}

drx_status drx_dataset_attr_info(const drx_dataset *ds, int i, const char **name, drx_type *type, int64_t *n,
                                 int *is_text)
{
    return ds ? drxi_attrs_info(&ds->store.root.thing.attrs, ds->path, i, name, type, n, is_text) : drxi_no_dataset();
}
