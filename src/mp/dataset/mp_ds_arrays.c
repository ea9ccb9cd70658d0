/* The arrays that a dataset lends. */
#include "mp/dataset/mp_dataset.h"

static drxmp_array *find_open_array(const drxmp_dataset *d, const drx_array *a)
{
    for (int64_t i = 0; a && i < d->arrays; i++)
        if (d->array[i]->a == a)
            return d->array[i];
    return NULL;
}

void drxi_ds_free_arrays(drxmp_dataset *d)
{
    for (int64_t i = 0; i < d->arrays; i++) {
        drxi_set_parallel(d->array[i]->a, 0);
        drxi_free_handle(d->array[i]);
    }
    d->arrays = 0;
}

/* The root has m->a, or failed with `st`. The others get theirs, and all have it in the list. */
static drx_status take_array_made(drxmp_dataset *d, drxmp_array *m, drx_status st, const char *name)
{
    if (!st)
        st = drxi_reserve(&d->array, &d->room, d->arrays + 1, sizeof *d->array);
    st = drxi_agree(d->comm, st, NULL);
    if (!st)
        st = drxi_ds_followed(d, d->rank == DRXI_ROOT ? DRX_OK : drx_dataset_array(d->ds, name, &m->a));
    m->lent = &d->broken;
    if (!st)
        st = drxi_share_lent(m);
    if (st) {
        drxi_free_handle(m);
        return st;
    }
    drxi_set_parallel(m->a, m->ranks);
    d->array[d->arrays++] = m;
    return DRX_OK;
}

static drx_status begin_handle(drxmp_dataset *d, drxmp_array **out)
{
    drx_status st = drxi_new_handle(d->comm, out);

    if (!st)
        (*out)->settings = d->settings;
    return st;
}

drx_status drxi_ds_lend_all(drxmp_dataset *d, const char *name, drxmp_array **out)
{
    drxmp_array *m = find_open_array(d, drxi_ds_lent(d->ds, name));
    drx_status st;

    *out = m;
    if (m)
        return DRX_OK;
    if ((st = begin_handle(d, &m)))
        return st;
    if (d->rank == DRXI_ROOT)
        st = drx_dataset_array(d->ds, name, &m->a);
    st = take_array_made(d, m, st, name);
    if (!st)
        *out = m;
    return st;
}

drx_status drxmp_dataset_array(drxmp_dataset *d, const char *name, drxmp_array **out)
{
    struct drxi_call call;
    drx_status st = DRX_OK;

    if (out)
        *out = NULL;
    drxi_call_start(&call, "drxmp_dataset_array");
    drxi_call_text(&call, "the name", name);
    if (!name || !out)
        st = drxi_fail(DRX_EINVAL, "drxmp_dataset_array: name or out is a null pointer");
    st = drxi_ds_agree(d, st, &call);
    return st ? st : drxi_ds_lend_all(d, name, out);
}

drx_status drxmp_dataset_add(drxmp_dataset *d, const char *name, const drx_spec *spec, drxmp_array **out)
{
    struct drxi_call call;
    drxmp_array *m;
    drx_status st = DRX_OK;

    if (out)
        *out = NULL;
    drxi_call_start(&call, "drxmp_dataset_add");
    drxi_call_text(&call, "the name", name);
    if (!name || !spec)
        st = drxi_fail(DRX_EINVAL, "drxmp_dataset_add: name or spec is a null pointer");
    else
        drxi_call_spec(&call, spec);
    if ((st = drxi_ds_agree(d, st, &call)) || (st = begin_handle(d, &m)))
        return st;
    if (d->rank == DRXI_ROOT)
        st = drx_dataset_add(d->ds, name, spec, &m->a);
    st = drxi_ds_tell_others(d, st);
    st = take_array_made(d, m, st, name);
    if (!st && out)
        *out = m;
    return st;
}
