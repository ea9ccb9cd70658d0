/* A transaction: the root makes each change in the files, the others in their copies. */
#include "mp/dataset/mp_dataset.h"

static drx_status make_change(drx_dataset *ds, const struct drxi_ds_asked *c)
{
    switch (c->what) {
    case DRXI_DS_SET_VALUES:
        return drx_dataset_attr_set(ds, c->part, c->of, c->name, c->type, c->n, c->values);
    case DRXI_DS_SET_TEXT:
        return drx_dataset_attr_set_text(ds, c->part, c->of, c->name, c->text);
    case DRXI_DS_DELETE:
        return drx_dataset_attr_delete(ds, c->part, c->of, c->name);
    case DRXI_DS_ADD_GROUP:
        return drx_dataset_add_group(ds, c->name);
    case DRXI_DS_ADD_DIM:
        return drx_dataset_add_dim(ds, c->name, c->by, c->after);
    case DRXI_DS_ADD_TYPE:
        return drx_dataset_add_type(ds, c->name, c->type);
    case DRXI_DS_REMOVE:
        return drx_dataset_remove(ds, c->name);
    case DRXI_DS_REMOVE_GROUP:
        return drx_dataset_remove_group(ds, c->name);
    case DRXI_DS_SET_NAME:
        return drx_dataset_set_name(ds, c->part, c->name, c->text);
    case DRXI_DS_EXTEND:
        return drx_dataset_extend(ds, c->name, c->by);
    case DRXI_DS_EXTEND_BEFORE:
        return drx_dataset_extend_before(ds, c->name, c->by);
    case DRXI_DS_TRIM:
        return drx_dataset_trim(ds, c->name, c->by, c->after);
    case DRXI_DS_ADD_AXIS:
        return drx_dataset_add_axis(ds, c->name, (int)c->by, c->text);
    case DRXI_DS_BEGIN:
        return drx_dataset_begin(ds);
    case DRXI_DS_RESERVE:
        return drx_dataset_reserve(ds, c->name, c->by, NULL);
    case DRXI_DS_RESERVE_BEFORE:
        return drx_dataset_reserve_before(ds, c->name, c->by, NULL);
    case DRXI_DS_COMMIT:
        return drx_dataset_commit(ds, c->text);
    case DRXI_DS_FORGET:
        return drx_dataset_forget(ds, c->by);
    default:
        return drx_dataset_abort(ds);
    }
}

static void hash_ds_change(struct drxi_call *call, const struct drxi_ds_asked *c)
{
    int64_t bytes;

    if (!c->values || c->n < 0 || !drxi_mul(c->n, (int64_t)drx_type_size(c->type), &bytes))
        bytes = 0; /* the root reports the error */
    drxi_call_start(call, c->call);
    drxi_call_int(call, "the part", c->part);
    drxi_call_text(call, "its path", c->of);
    drxi_call_text(call, "the name", c->name);
    drxi_call_text(call, "the text", c->text);
    drxi_call_int(call, "by", c->by);
    drxi_call_int(call, "after", c->after);
    drxi_call_type(call, "type", c->type);
    drxi_call_int(call, "n", c->n);
    drxi_call_bytes(call, "the values", c->values, (size_t)bytes);
}

/* Agree on the call, while no request is pending. */
static drx_status begin_ds_change(drxmp_dataset *d, const struct drxi_ds_asked *c)
{
    struct drxi_call call;

    hash_ds_change(&call, c);
    return drxi_ds_agree(d, d ? drxi_ds_check_idle(d) : DRX_OK, &call);
}

/* The root makes the change, and the others follow its log. Even if it failed, the root may have made some arrays
 * durable, and appended a SYNC. */
static drx_status make_everywhere(drxmp_dataset *d, const struct drxi_ds_asked *c)
{
    drx_status st = d->rank == DRXI_ROOT ? make_change(d->ds, c) : DRX_OK, shared;

    st = drxi_ds_tell_others(d, st);
    shared = drxi_ds_share_epochs(d);
    return st ? st : shared;
}

static drx_status change_dataset(drxmp_dataset *d, const struct drxi_ds_asked *c)
{
    drx_status st = begin_ds_change(d, c);

    return st ? st : make_everywhere(d, c);
}

/* ---- attributes ---- */

drx_status drxmp_dataset_attr_set(drxmp_dataset *d, int part, const char *of, const char *name, drx_type type,
                                  int64_t n, const void *values)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_attr_set", DRXI_DS_SET_VALUES, .part = part,
                                                      .of = of, .name = name, .type = type, .n = n, .values = values });
}

drx_status drxmp_dataset_attr_set_text(drxmp_dataset *d, int part, const char *of, const char *name, const char *utf8)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_attr_set_text", DRXI_DS_SET_TEXT, .part = part,
                                                      .of = of, .name = name, .text = utf8 });
}

drx_status drxmp_dataset_attr_delete(drxmp_dataset *d, int part, const char *of, const char *name)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_attr_delete", DRXI_DS_DELETE, .part = part,
                                                      .of = of, .name = name });
}

/* ---- groups and names ---- */

drx_status drxmp_dataset_add_group(drxmp_dataset *d, const char *path)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_add_group", DRXI_DS_ADD_GROUP, .name = path });
}

drx_status drxmp_dataset_add_dim(drxmp_dataset *d, const char *path, int64_t lower, int64_t upper)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_add_dim", DRXI_DS_ADD_DIM, .name = path,
                                                      .by = lower, .after = upper });
}

drx_status drxmp_dataset_add_type(drxmp_dataset *d, const char *path, drx_type type)
{
    return change_dataset(
        d, &(struct drxi_ds_asked){ "drxmp_dataset_add_type", DRXI_DS_ADD_TYPE, .name = path, .type = type });
}

drx_status drxmp_dataset_remove(drxmp_dataset *d, const char *name)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_remove", DRXI_DS_REMOVE, .name = name });
}

drx_status drxmp_dataset_remove_group(drxmp_dataset *d, const char *path)
{
    return change_dataset(d,
                          &(struct drxi_ds_asked){ "drxmp_dataset_remove_group", DRXI_DS_REMOVE_GROUP, .name = path });
}

drx_status drxmp_dataset_set_name(drxmp_dataset *d, int part, const char *old_path, const char *new_path)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_set_name", DRXI_DS_SET_NAME, .part = part,
                                                      .name = old_path, .text = new_path });
}

/* ---- dimensions: every rank needs the arrays that the root takes ---- */

static bool has_dim(const drx_dataset *ds, int member, int dim)
{
    for (int axis = 0; axis < drx_dataset_ndim(ds, member); axis++)
        if (drx_dataset_axis(ds, member, axis) == dim)
            return true;
    return false;
}

/* And make a call for each, on every rank; NULL: none. */
static drx_status lend_those_with(drxmp_dataset *d, int dim, drx_status (*call)(drx_array *a, void *none))
{
    drx_status st = DRX_OK, mine = DRX_OK;

    for (int i = 0; !st && i < drx_dataset_count(d->ds); i++) {
        drxmp_array *m;

        if (!has_dim(d->ds, i, dim))
            continue;
        st = drxi_ds_lend_all(d, drx_dataset_name(d->ds, i), &m);
        if (!st && !mine && call)
            mine = drxi_shut_out(m->a, call, NULL);
    }
    return st || !call ? st : drxi_agree(d->comm, mine, NULL);
}

/* Of compressed arrays, drxi_ds_settle does it; the root's commit counts when it makes these durable. */
static drx_status sync_member(drx_array *a, void *none)
{
    (void)none;
    return drxi_parts_of(a)->writable && !drxi_data_of(a)->file->stored->epochs ? drxi_sync_data(a) : DRX_OK;
}

/* What the root refuses, or what changes nothing, touches no variable, as with one process. */
static drx_status begin_checked(drxmp_dataset *d, const struct drxi_ds_asked *c)
{
    const drx_status st = begin_ds_change(d, c);

    return st ? st : drxi_from_root(d->comm, d->rank == DRXI_ROOT ? drxi_ds_check(d->ds, c) : DRX_OK, NULL, 0);
}

/* Change the bounds of the dimension that the change names. A reservation is a commit, too, of the arrays that grow:
 * what all ranks have written to these is durable before. */
static drx_status change_bounds(drxmp_dataset *d, const struct drxi_ds_asked *c)
{
    const bool reserves = c->what == DRXI_DS_RESERVE || c->what == DRXI_DS_RESERVE_BEFORE,
               commits = reserves && c->by != 0;
    drx_status st = begin_checked(d, c);
    int dim;

    if (st || (c->by == 0 && c->after == 0 && !reserves))
        return st;
    dim = drx_dataset_dim_find(d->ds, c->name);
    st = lend_those_with(d, dim, commits ? sync_member : NULL);
    if (!st)
        st = drxi_ds_settle(d);
    if (!st && commits)
        st = lend_those_with(d, dim, drxi_settle_sums);
    return st ? st : make_everywhere(d, c);
}

drx_status drxmp_dataset_extend(drxmp_dataset *d, const char *dim, int64_t by)
{
    return change_bounds(d, &(struct drxi_ds_asked){ "drxmp_dataset_extend", DRXI_DS_EXTEND, .name = dim, .by = by });
}

drx_status drxmp_dataset_extend_before(drxmp_dataset *d, const char *dim, int64_t by)
{
    return change_bounds(
        d, &(struct drxi_ds_asked){ "drxmp_dataset_extend_before", DRXI_DS_EXTEND_BEFORE, .name = dim, .by = by });
}

/* All ranks know the bounds from before. */
static drx_status reserve_together(drxmp_dataset *d, const struct drxi_ds_asked *c, int64_t *first)
{
    const int dim = d && c->name ? drx_dataset_dim_find(d->ds, c->name) : -1;
    int64_t bound = 0, lower;

    if (dim >= 0)
        (void)drx_dataset_dim(d->ds, dim, &bound);
    lower = dim >= 0 ? drx_dataset_dim_lower(d->ds, dim) - c->by : 0;
    if (first)
        *first = c->what == DRXI_DS_RESERVE ? bound : lower;
    return change_bounds(d, c);
}

drx_status drxmp_dataset_reserve(drxmp_dataset *d, const char *dim, int64_t by, int64_t *first)
{
    return reserve_together(
        d, &(struct drxi_ds_asked){ "drxmp_dataset_reserve", DRXI_DS_RESERVE, .name = dim, .by = by }, first);
}

drx_status drxmp_dataset_reserve_before(drxmp_dataset *d, const char *dim, int64_t by, int64_t *first)
{
    return reserve_together(
        d, &(struct drxi_ds_asked){ "drxmp_dataset_reserve_before", DRXI_DS_RESERVE_BEFORE, .name = dim, .by = by },
        first);
}

drx_status drxmp_dataset_trim(drxmp_dataset *d, const char *dim, int64_t before, int64_t after)
{
    return change_bounds(
        d, &(struct drxi_ds_asked){ "drxmp_dataset_trim", DRXI_DS_TRIM, .name = dim, .by = before, .after = after });
}

drx_status drxmp_dataset_add_axis(drxmp_dataset *d, const char *name, int at, const char *dim)
{
    const struct drxi_ds_asked c = { "drxmp_dataset_add_axis", DRXI_DS_ADD_AXIS, .name = name, .text = dim, .by = at };
    drxmp_array *m;
    drx_status st = begin_ds_change(d, &c);

    if (!st && name && drx_dataset_find(d->ds, name) >= 0) {
        st = drxi_ds_lend_all(d, name, &m);
        if (!st) /* which has the axis from the commit on */
            st = drxi_agree(d->comm, drxi_move_memory(m, drx_ndim(m->a) + 1), NULL);
    }
    return st ? st : make_everywhere(d, &c);
}

/* ---- commit and abort ---- */

/* A change before which the elements that all ranks have written are durable. */
static drx_status make_durably(drxmp_dataset *d, const struct drxi_ds_asked *c)
{
    drx_status st = begin_checked(d, c);

    if (!st)
        st = drxi_ds_each(d, sync_member);
    if (!st)
        st = drxi_ds_settle(d);
    if (!st) /* once the data of all ranks are durable */
        st = drxi_ds_each(d, drxi_settle_sums);
    return st ? st : make_everywhere(d, c);
}

drx_status drxmp_dataset_commit(drxmp_dataset *d, const char *message)
{
    return make_durably(d, &(struct drxi_ds_asked){ "drxmp_dataset_commit", DRXI_DS_COMMIT, .text = message });
}

drx_status drxmp_dataset_begin(drxmp_dataset *d)
{
    return change_dataset(d, &(struct drxi_ds_asked){ "drxmp_dataset_begin", DRXI_DS_BEGIN, .name = NULL });
}

int64_t drxmp_dataset_oldest(const drxmp_dataset *d)
{
    return drx_dataset_oldest(d->ds);
}

drx_status drxmp_dataset_forget(drxmp_dataset *d, int64_t n)
{
    return make_durably(d, &(struct drxi_ds_asked){ "drxmp_dataset_forget", DRXI_DS_FORGET, .by = n });
}

drx_status drxmp_dataset_compact(drxmp_dataset *d)
{
    return make_durably(
        d, &(struct drxi_ds_asked){ "drxmp_dataset_compact", DRXI_DS_FORGET, .by = d ? drxmp_dataset_oldest(d) : 0 });
}

drx_status drxmp_dataset_abort(drxmp_dataset *d)
{
    const struct drxi_ds_asked c = { "drxmp_dataset_abort", DRXI_DS_ABORT, .name = NULL };
    drx_status st = begin_ds_change(d, &c);

    if (!st)
        st = drxi_ds_settle(d);
    return st ? st : make_everywhere(d, &c);
}
