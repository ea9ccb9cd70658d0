/* What every collective call on a dataset does. */
#include "mp/dataset/mp_dataset.h"

enum { TOLD_AT_ONCE = 15 /* so that they go in one message */ };

drx_status drxi_ds_flush_puts(const drxmp_dataset *d, drx_status mine)
{
    if (!mine)
        mine = drxi_check_running();
    for (int64_t i = 0; !mine && i < d->arrays; i++) {
        const drx_array *a = d->array[i]->a;

        if (drxi_data_of(a)->file->pool && !drxi_parts_of(a)->gone)
            mine = drxi_pool_flush(drxi_data_of(a)->file->pool);
    }
    return mine;
}

drx_status drxi_ds_agree(drxmp_dataset *d, drx_status mine, const struct drxi_call *call)
{
    if (!d)
        return drxi_fail(DRX_EINVAL, "the dataset is a null pointer");
    if (!mine)
        mine = drxi_ds_call(d->ds, d->broken);
    return drxi_agree(d->comm, drxi_ds_flush_puts(d, mine), call);
}

drx_status drxi_ds_check_idle(const drxmp_dataset *d)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < d->arrays; i++)
        st = drxi_check_idle(d->array[i]);
    return st;
}

drx_status drxi_ds_followed(drxmp_dataset *d, drx_status mine)
{
    return d->broken = drxi_agree(d->comm, mine, NULL);
}

drx_status drxi_ds_tell_others(drxmp_dataset *d, drx_status roots)
{
    struct drxi_ds_news news = { 0 };
    uint8_t *log = NULL;
    drx_status st = DRX_OK;

    if (d->rank == DRXI_ROOT)
        st = drxi_ds_tell(d->ds, &news, &log);
    st = drxi_from_root(d->comm, st, &news, sizeof news);
    if (!st && news.bytes > 0)
        st = drxi_share_bytes(d->comm, &log, news.bytes);
    if (!st && d->rank != DRXI_ROOT)
        st = drxi_ds_follow(d->ds, &news, log);
    drxi_free(log);
    st = drxi_ds_followed(d, st);
    roots = drxi_from_root(d->comm, roots, NULL, 0);
    return roots ? roots : st;
}

drx_status drxi_ds_each(drxmp_dataset *d, drx_status (*call)(drx_array *a, void *none))
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < d->arrays; i++)
        if (!drxi_parts_of(d->array[i]->a)->gone)
            st = drxi_shut_out(d->array[i]->a, call, NULL);
    return drxi_agree(d->comm, st, NULL);
}

static drx_status settle_member(drx_array *a, void *of)
{
    (void)a;
    return drxi_settle_payloads(of);
}

drx_status drxi_ds_settle(drxmp_dataset *d)
{
    bool some = false;
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < d->arrays; i++) {
        drx_array *a = d->array[i]->a;

        if (!drxi_data_of(a)->file->stored->epochs)
            continue;
        some = true;
        if (!st && !drxi_parts_of(a)->gone)
            st = drxi_shut_out(a, settle_member, d->array[i]);
    }
    if (some)
        st = drxi_agree(d->comm, st, NULL);
    for (int64_t i = 0; !st && i < d->arrays; i++)
        st = drxi_share_written(d->array[i]);
    return st;
}

/* Those of n arrays. */
static drx_status share_epochs(drxmp_dataset *d, int n, drxmp_array *const of[])
{
    struct drxi_epochs epochs[TOLD_AT_ONCE];
    drx_status st;

    for (int i = 0; i < n; i++)
        epochs[i] = drxi_epochs_of(of[i]);
    st = drxi_from_root(d->comm, DRX_OK, epochs, n * (int)sizeof *epochs);
    for (int i = 0; !st && i < n; i++)
        (void)drxi_shut_out(of[i]->a, drxi_take_epochs, &epochs[i]);
    return st;
}

drx_status drxi_ds_share_epochs(drxmp_dataset *d)
{
    drxmp_array *of[TOLD_AT_ONCE];
    int n = 0;
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < d->arrays; i++) {
        if (drxi_data_of(d->array[i]->a)->file->stored->epochs)
            of[n++] = d->array[i];
        if (n == TOLD_AT_ONCE && !st)
            st = share_epochs(d, n, of);
        n %= TOLD_AT_ONCE;
    }
    return st || n == 0 ? st : share_epochs(d, n, of);
}
