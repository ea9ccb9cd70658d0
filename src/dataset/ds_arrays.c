/* The arrays that a dataset lends. */
#include "dataset/dataset.h"

/* What a lent array would append to its log. Growths stand in the COMMIT. */
static drx_status take_record(void *user, enum drxi_kind kind, const uint8_t *payload, size_t bytes)
{
    struct drxi_lent *lent = user;
    drx_status st = drxi_ds_check_writable(lent->ds);

    if (st || kind == DRXI_GROW || kind == DRXI_GROW_LOW)
        return st;
    if (drxi_journal_new_axes(&lent->ds->j))
        return drxi_ds_fail_axes(lent->ds);
    if (drxi_sets_attr(kind) || kind == DRXI_ATTR_DELETE)
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

/* The first change that trimmed what the member has at a commit; -1: none. What an axis got later has index 0 on it. */
static int64_t trimmed_since(const struct drxi_journal *j, int64_t member, int64_t commit)
{
    int dim[DRX_MAX_NDIM];
    const int ndim = drxi_journal_dims(j, member, commit, dim);
    int64_t change = -1;

    for (int axis = 0; change < 0 && axis < ndim; axis++)
        change = drxi_journal_trimmed_since(j, dim[axis], commit);
    for (int64_t i = drxi_journal_first_axis(j, member, commit + 1); change < 0 && i >= 0;
         i = drxi_journal_first_axis(j, member, j->axis[i].commit + 1))
        change = drxi_journal_trimmed_since(j, j->axis[i].what.dim, j->axis[i].commit);
    return change;
}

/* The log tells of trims by later commits than the handle knows: dataset.xds has what they left. */
static drx_status check_later_trims(const drx_dataset *ds, const drx_array *a, int64_t member, int64_t commit)
{
    struct drxi_journal now;
    bool cut;
    drx_status st = drxi_journal_open(ds->path, DRXI_READ, &now, &cut);

    if (!st && (memcmp(now.id, ds->j.id, sizeof now.id) != 0 || now.commits < ds->j.commits))
        st = drxi_fail(DRX_EMISMATCH, "%s: replaced by another dataset since it was opened", ds->path);
    if (!st && trimmed_since(&now, member, commit) >= 0)
        st = drxi_fail(DRX_ERANGE, "%s: trimmed by a later commit than %lld: refresh the dataset", a->parts.label,
                       (long long)ds->j.commits - 1);
    drxi_journal_free(&now);
    return st;
}

/* Whether all elements that the member has at a commit are still there. */
static drx_status check_trims(const drx_dataset *ds, const drx_array *a, int64_t member, int64_t commit)
{
    const int64_t change = trimmed_since(&ds->j, member, commit);
    const struct drxi_journal_change *c = change >= 0 ? &ds->j.change[change] : NULL;

    if (c)
        return drxi_fail(DRX_ERANGE,
                         "%s: commit %lld can no longer be read, since commit %lld trimmed dimension '%s' to %s %lld",
                         a->parts.label, (long long)commit, (long long)c->commit, ds->j.dim[c->what.dim].name,
                         c->what.end == DRXI_LOW ? "indices from" : "indices below", (long long)c->what.bound);
    if (ds->replica || (!a->log.state.trim_open && a->log.state.trimmed_by < ds->j.commits)) /* the root has looked */
        return DRX_OK;
    return check_later_trims(ds, a, member, commit);
}

/* Whether the array has these bounds. A compacted log has growth inside a chunk after a new axis, where reading a commit
 * from before that axis stops: there, having the chunks is enough. */
static bool reaches(const struct drxi_state *s, int axis, const int64_t bound[2])
{
    const int64_t unit = s->stopped ? s->desc.chunk[axis] : 1;

    return drxi_floor_div(bound[DRXI_LOW], unit) >= drxi_floor_div(s->lower[axis], unit) &&
           drxi_ceil_div(bound[DRXI_HIGH], unit) <= drxi_ceil_div(s->upper[axis], unit);
}

/* The same of the names of axes. */
static drx_status give_name(struct drxi_state *s, int axis, const char *name)
{
    char *own;

    if (!s->stopped || s->dim[axis])
        return DRX_OK;
    own = drxi_strdup(name);
    if (own)
        drxi_state_set_dim(s, axis, own);
    return own ? DRX_OK : DRX_ENOMEM;
}

/* Give the state the bounds of a commit; it has all changes up to it. */
static drx_status clamp(const drx_dataset *ds, drx_array *a, int64_t member, int64_t commit)
{
    struct drxi_state *s = &a->log.state;
    int dim[DRX_MAX_NDIM];
    const int ndim = drxi_journal_dims(&ds->j, member, commit, dim);
    drx_status st = ds->folder ? DRX_OK : check_trims(ds, a, member, commit);

    memcpy(s->logged[DRXI_LOW], s->lower, sizeof s->lower);
    memcpy(s->logged[DRXI_HIGH], s->upper, sizeof s->upper);
    if (!st && ndim == 0)
        drxi_state_set_dim(s, 0, NULL);
    for (int axis = 0; !st && axis < drxi_max(ndim, 1); axis++) {
        int64_t bound[2] = {
            [DRXI_LOW] = 0, [DRXI_HIGH] = 1
        }; /* of a scalar, whose axis may have become one that grows */

        if (ndim > 0)
            drxi_journal_bounds(&ds->j, dim[axis], commit, bound);
        if (!reaches(s, axis, bound))
            st = drxi_fail(DRX_EDAMAGED, "%s: axis %d has the bounds %lld and %lld, commit %lld has %lld and %lld",
                           a->parts.label, axis, (long long)s->lower[axis], (long long)s->upper[axis],
                           (long long)commit, (long long)bound[DRXI_LOW], (long long)bound[DRXI_HIGH]);
        s->lower[axis] = bound[DRXI_LOW];
        s->upper[axis] = bound[DRXI_HIGH];
        s->shape[axis] = bound[DRXI_HIGH] - bound[DRXI_LOW];
        if (!st && ndim > 0)
            st = give_name(s, axis, ds->j.dim[dim[axis]].name);
    }
    drxi_data_follow(&a->data);
    return st;
}

static drx_status fail_other(const drx_array *a)
{
    return drxi_fail(DRX_EMISMATCH, "%s: another array than the one that the dataset has under that name",
                     a->parts.label);
}

/* Does the array have the creation id that the journal says, and is it of no other dataset? */
static drx_status check_member(const drx_dataset *ds, const drx_array *a, int64_t member)
{
    const struct drxi_state *s = &a->log.state;

    if (!ds->folder && s->is_member && memcmp(s->member.dataset, ds->j.id, sizeof ds->j.id) != 0)
        return drxi_fail(DRX_EMISMATCH, "%s: its log says that it is a variable of another dataset", a->parts.label);
    return memcmp(s->desc.id, ds->j.member[member].id, sizeof s->desc.id) == 0 ? DRX_OK : fail_other(a);
}

/* Does it have so many axes? That of a scalar has one element, unless the scalar gets an axis later. */
static drx_status check_ndim(const drx_dataset *ds, const drx_array *a, int64_t member, int64_t commit)
{
    const struct drxi_state *s = &a->log.state;
    int dim[DRX_MAX_NDIM];
    const int ndim = drxi_journal_dims(&ds->j, member, commit, dim);

    if (s->desc.ndim != (ndim > 0 ? ndim : 1))
        return fail_other(a);
    return ndim > 0 || s->shape[0] == 1 || drxi_journal_first_axis(&ds->j, member, commit + 1) >= 0 ? DRX_OK
                                                                                                    : fail_other(a);
}

drx_status drxi_ds_check_bounds(const drx_dataset *ds, const drx_array *a, int64_t member, const int64_t lower[],
                                const int64_t upper[])
{
    const struct drxi_journal_member *m = &ds->j.member[member];

    if (a->log.state.member.settled >= ds->j.commits)
        return drxi_fail(DRX_EMISMATCH, "%s: it knows commit %lld, the last one is %lld: dataset.xds is an old one",
                         a->parts.label, (long long)a->log.state.member.settled, (long long)ds->j.commits - 1);
    for (int axis = 0; axis < m->ndim; axis++) {
        int64_t bound[2];

        drxi_journal_bounds(&ds->j, m->dim[axis], ds->j.commits - 1, bound);
        if (lower[axis] != bound[DRXI_LOW] || upper[axis] != bound[DRXI_HIGH])
            return drxi_fail(DRX_EMISMATCH,
                             "%s: axis %d has the bounds %lld and %lld, the last commit has %lld and %lld: it grew "
                             "outside of its dataset, or dataset.xds is an old one",
                             a->parts.label, axis, (long long)lower[axis], (long long)upper[axis],
                             (long long)bound[DRXI_LOW], (long long)bound[DRXI_HIGH]);
    }
    return DRX_OK;
}

/* The last commit whose changes the array gets. One that is shown without its later axes ends before them. */
static int64_t last_commit(const drx_dataset *ds, int64_t member, int64_t commit)
{
    const int64_t axis = ds->writable ? -1 : drxi_journal_first_axis(&ds->j, member, commit + 1);

    return axis >= 0 ? ds->j.axis[axis].commit - 1 : ds->j.commits - 1;
}

drx_status drxi_ds_show(const drx_dataset *ds, int64_t member, int64_t commit, drx_array *a)
{
    drx_status st = check_member(ds, a, member);

    if (!st && (!ds->writable || ds->replica) && !a->log.state.stopped)
        st = drxi_member_settle(a, &ds->j, member, last_commit(ds, member, commit), DRXI_SETTLE_STATE);
    if (!st)
        st = check_ndim(ds, a, member, commit);
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
    int dim[DRX_MAX_NDIM];
    const int ndim = drxi_journal_dims(&ds->j, member, commit, dim);
    const int most_axes = ds->writable ? 0 : ndim > 0 ? ndim : 1;
    drx_status st = path ? drxi_open(path, ds->writable ? DRX_RDWR : DRX_RDONLY, &ds->j, most_axes, &a) : DRX_ENOMEM;

    drxi_free(path);
    if (st == DRX_ENOENT && m->removed < ds->j.commits)
        st = drxi_fail(DRX_ENOENT, "%s: commit %lld removed %s", ds->path, (long long)m->removed, m->name);
    if (!st)
        st = drxi_ds_show(ds, member, commit, a);
    if (!st && ds->writable)
        st = drxi_ds_check_bounds(ds, a, member, a->log.state.lower, a->log.state.upper);
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

    for (int64_t i = 0; !st && i < ds->lents; i++) {
        if (!drxi_journal_has(&ds->j, ds->lent[i]->member, commit))
            continue;
        st = open_member(ds, ds->lent[i]->member, commit, &fresh[i]);
        if (!st && fresh[i]->log.state.desc.ndim != ds->lent[i]->a->log.state.desc.ndim)
            st = drxi_fail(DRX_EMISMATCH, "%s: has got one more axis since the dataset was opened: open it again",
                           fresh[i]->parts.label);
    }
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
