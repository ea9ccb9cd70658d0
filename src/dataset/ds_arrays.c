/* The arrays that a dataset lends. */
#include "dataset/dataset.h"

/* What a lent array would append to its log. Growths stand in the COMMIT. */
static drx_status take_record(void *user, enum drxi_kind kind, const uint8_t *payload, size_t bytes)
{
    struct drxi_lent *lent = user;
    drx_status st = drxi_ds_check_writable(lent->ds);

    if (st || kind == DRXI_GROW)
        return st;
    if (kind == DRXI_ATTR || kind == DRXI_ATTR_DELETE)
        return drxi_journal_attr(&lent->ds->j, lent->member, kind, payload, bytes);
    return drxi_fail(DRX_EINVAL, "%s: a variable of a dataset: this cannot change", lent->a->parts.label);
}

drx_status drxi_ds_take(drx_dataset *ds, int64_t member, drx_array *a, struct drxi_lent **out)
{
    struct drxi_lent *lent = drxi_calloc(1, sizeof *lent);
    drx_status st =
        lent ? drxi_reserve(&ds->lent, &ds->lent_room, ds->lents + 1, sizeof(struct drxi_lent *)) : DRX_ENOMEM;

    if (st) {
        drxi_free(lent);
        (void)drxi_array_free(a);
        return st;
    }
    *lent = (struct drxi_lent){ .ds = ds, .a = a, .member = member, .defer = { take_record, lent } };
    a->lent = a->in_dataset = true;
    if (ds->writable)
        a->log.defer = &lent->defer;
    ds->lent[ds->lents++] = lent;
    if (out)
        *out = lent;
    return DRX_OK;
}

/* Give the state the bounds of a commit; it has all growths up to it. */
static drx_status clamp(const drx_dataset *ds, drx_array *a, int64_t member, int64_t commit)
{
    const struct drxi_journal_member *m = &ds->j.member[member];
    struct drxi_state *s = &a->log.state;

    for (int axis = 0; axis < m->ndim; axis++) {
        const int64_t bound = drxi_journal_bound(&ds->j, m->dim[axis], commit);

        if (bound > s->shape[axis])
            return drxi_fail(DRX_EDAMAGED, "%s: axis %d has bound %lld, commit %lld has %lld", a->parts.label, axis,
                             (long long)s->shape[axis], (long long)commit, (long long)bound);
        s->shape[axis] = bound;
    }
    return DRX_OK;
}

/* Does the array have the creation id and the number of axes that the journal says, and is it of no other dataset? */
static drx_status check_member(const drx_dataset *ds, const drx_array *a, int64_t member)
{
    const struct drxi_journal_member *m = &ds->j.member[member];
    const struct drxi_state *s = &a->log.state;

    if (!ds->folder && s->is_member && memcmp(s->member.dataset, ds->j.id, sizeof ds->j.id) != 0)
        return drxi_fail(DRX_EMISMATCH, "%s: its log says that it is a variable of another dataset", a->parts.label);
    if (memcmp(s->desc.id, m->id, sizeof m->id) == 0 && s->desc.ndim == (m->ndim > 0 ? m->ndim : 1) &&
        (m->ndim > 0 || s->shape[0] == 1))
        return DRX_OK;
    return drxi_fail(DRX_EMISMATCH, "%s: another array than the one that the dataset has under that name",
                     a->parts.label);
}

drx_status drxi_ds_check_bounds(const drx_dataset *ds, const drx_array *a, int64_t member, const int64_t shape[])
{
    const struct drxi_journal_member *m = &ds->j.member[member];

    if (a->log.state.member.settled >= ds->j.commits)
        return drxi_fail(DRX_EMISMATCH, "%s: it knows commit %lld, the last one is %lld: dataset.xds is an old one",
                         a->parts.label, (long long)a->log.state.member.settled, (long long)ds->j.commits - 1);
    for (int axis = 0; axis < m->ndim; axis++) {
        const int64_t bound = drxi_journal_bound(&ds->j, m->dim[axis], ds->j.commits - 1);

        if (shape[axis] != bound)
            return drxi_fail(DRX_EMISMATCH,
                             "%s: axis %d has bound %lld, the last commit has %lld: it grew outside of its dataset, or "
                             "dataset.xds is an old one",
                             a->parts.label, axis, (long long)shape[axis], (long long)bound);
    }
    return DRX_OK;
}

drx_status drxi_ds_show(const drx_dataset *ds, int64_t member, int64_t commit, drx_array *a)
{
    drx_status st = check_member(ds, a, member);

    if (!st && (!ds->writable || ds->replica)) /* attributes have their present values at every commit */
        st = drxi_member_settle(a, &ds->j, member, ds->j.commits - 1, DRXI_SETTLE_STATE);
    if (!st && !ds->writable)
        st = clamp(ds, a, member, commit);
    return st;
}

/* Open the array of a member as of a commit. */
static drx_status open_member(const drx_dataset *ds, int64_t member, int64_t commit, drx_array **out)
{
    const struct drxi_journal_member *m = &ds->j.member[member];
    char *path = drxi_ds_member_path(ds, m->name);
    drx_array *a = NULL;
    drx_status st = path ? drxi_open(path, ds->writable ? DRX_RDWR : DRX_RDONLY, &ds->j, &a) : DRX_ENOMEM;

    drxi_free(path);
    if (st == DRX_ENOENT && m->removed < ds->j.commits)
        st = drxi_fail(DRX_ENOENT, "%s: commit %lld removed %s", ds->path, (long long)m->removed, m->name);
    if (!st)
        st = drxi_ds_show(ds, member, commit, a);
    if (!st && ds->writable)
        st = drxi_ds_check_bounds(ds, a, member, a->log.state.shape);
    if (st && a)
        (void)drxi_array_free(a);
    *out = st ? NULL : a;
    return st;
}

drx_status drxi_ds_lend(drx_dataset *ds, int64_t member, struct drxi_lent **out)
{
    drx_array *a;
    drx_status st;

    for (int64_t i = 0; i < ds->lents; i++)
        if (ds->lent[i]->member == member && !ds->lent[i]->gone) {
            *out = ds->lent[i];
            return DRX_OK;
        }
    st = open_member(ds, member, ds->shown, &a);
    return st ? st : drxi_ds_take(ds, member, a, out);
}

drx_status drx_dataset_array(drx_dataset *ds, const char *name, drx_array **out)
{
    struct drxi_lent *lent;
    int64_t member;
    drx_status st;

    if (out)
        *out = NULL;
    if (!ds)
        return drxi_no_dataset();
    if (!out || !name)
        return drxi_fail(DRX_EINVAL, "%s: name or out is a null pointer", ds->path);
    drxi_report_clear();
    member = drxi_journal_find(&ds->j, name, drxi_ds_now(ds));
    if (member < 0)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s' at commit %lld", ds->path, name, (long long)ds->shown);
    st = drxi_ds_lend(ds, member, &lent);
    if (!st)
        *out = lent->a;
    return st;
}

static void swap_in(drx_array *a, drx_array *b)
{
    drxi_gate_shut(&a->gate);
    drxi_swap_logs(a, b);
    drxi_data_resized(&a->data);
    drxi_gate_open(&a->gate);
}

drx_status drxi_ds_reload(drx_dataset *ds, int64_t commit)
{
    drx_array **fresh = drxi_calloc((size_t)ds->lents + 1, sizeof(drx_array *));
    drx_status st = fresh ? DRX_OK : DRX_ENOMEM;

    for (int64_t i = 0; !st && i < ds->lents; i++)
        if (drxi_journal_has(&ds->j, ds->lent[i]->member, commit))
            st = open_member(ds, ds->lent[i]->member, commit, &fresh[i]);
    for (int64_t i = 0; fresh && i < ds->lents; i++)
        if (fresh[i]) {
            if (!st)
                swap_in(ds->lent[i]->a, fresh[i]);
            (void)drxi_array_free(fresh[i]);
        }
    drxi_free(fresh);
    if (!st)
        ds->shown = commit;
    return st;
}
