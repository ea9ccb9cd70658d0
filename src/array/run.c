/* Carries out changes: effects on files, then the record, then memory. A change is prepared in grow.c or attr.c. One
 * function carries out every kind, for a process alone and for the ranks of a job.
 *
 * Invariants
 *   1. Preparing finds all errors but those of files, and changes nothing that anybody sees.
 *   2. The root alone changes files and appends the record. What it has begun and cannot end, it undoes.
 *   3. Memory follows on each rank when the record is there. That cannot fail. */
#include "array/array.h"

static drx_status settle_step(const struct drxi_team *t, const struct drxi_step *step, bool doubt)
{
    (void)t;
    (void)step;
    (void)doubt;
    return DRX_OK;
}

static drx_status same(const struct drxi_team *t, drx_status st)
{
    (void)t;
    return st;
}

static drx_status close_alone(const struct drxi_team *t, drx_array *a, drxi_close_what *what, const void *arg)
{
    (void)t;
    return what(a, NULL, arg);
}

const struct drxi_team drxi_alone = { 0, settle_step, same, close_alone, same, same };

void drxi_change_end(struct drxi_change *c)
{
    drxi_attr_free(&c->attr);
    drxi_free(c->name);
    drxi_data_end_grown(&c->after);
}

drx_status drxi_change_check(drx_array *a, const struct drxi_team *t)
{
    const drx_status st = t == &drxi_alone || !a->owner->begin ? DRX_OK : a->owner->begin(a);

    return st ? st : drxi_start_changes(a);
}

drx_status drxi_change_finish(drx_array *a, struct drxi_change *c, const struct drxi_team *t, drx_status st)
{
    const bool root = t->rank == 0;

    if (!st && root)
        st = drxi_log_append(&a->log, &c->record);
    if (st && root && c->undo)
        st = c->undo(a, c, st);
    if (!st && root)
        c->publish(a, c);
    st = t->share(t, st);
    if (!st && !root)
        st = drxi_log_append(&a->log, &c->record);
    else if (st && !root)
        (void)drxi_log_cut_rest(&a->log);
    if (!st && !root)
        c->publish(a, c);
    return t->end(t, st);
}

drx_status drxi_change_run(drx_array *a, struct drxi_change *c, const struct drxi_team *t)
{
    drx_status st;

    if (!c->publish) /* nothing changes */
        return DRX_OK;
    if (c->before)
        st = c->before(a, c, t);
    else
        st = t->rank == 0 ? drxi_change_check(a, t) : DRX_OK;
    return drxi_change_finish(a, c, t, st);
}
