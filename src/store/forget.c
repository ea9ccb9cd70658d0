/* A shorter log of a dataset, without its older commits (spec/drx-format.md, 5.6).
 *
 * Each run up to commit n keeps what makes things and steps, so that all addresses stay. Attributes that it found
 * come in a run before its own. Each variable's last EPOCH comes before COMMIT n, or, if that commit
 * does not have the variable, before the last one. */
#include "store/store.h"

struct shortening {
    const struct drxi_store *now, *then; /* as of the commit before commit n; NULL: there is none */
    struct drxi_run *run;
    uint64_t begin, end; /* the sequence numbers of the last C before the run of commit n, and of its COMMIT */
    bool attributes;     /* those of then are written */
    int64_t counted;     /* this many bytes of the run end with C */
};

/* Whether it is of a variable that was removed before commit n, whose files are gone. */
static bool is_dropped(const struct shortening *x, const struct drxi_log_record *r)
{
    const bool any = r->kind == DRXI_LOG_RENAME || r->kind == DRXI_LOG_REMOVE;
    const bool own = r->kind == DRXI_LOG_VARIABLE || r->kind == DRXI_LOG_AXIS || r->kind == DRXI_LOG_SOURCE;
    const struct drxi_variable *v = drxi_store_variable(x->now, r->number);

    return (own || (any && r->payload[0] == DRXI_A_VARIABLE)) && v && v->thing.removed && v->thing.gone <= x->begin;
}

static bool is_left_out(const struct shortening *x, const struct drxi_log_record *r)
{
    if (r->kind == DRXI_LOG_BASE || r->kind == DRXI_LOG_SYNC || r->kind == DRXI_LOG_EPOCH)
        return true;
    if (r->kind == DRXI_LOG_ATTRIBUTE || r->kind == DRXI_LOG_ATTRIBUTE_DELETE)
        return x->then && r->sequence <= x->begin;
    if (r->kind == DRXI_LOG_COMMIT)
        return r->sequence < x->end;
    return is_dropped(x, r);
}

static void count_variables(struct shortening *x)
{
    if (x->run->n > x->counted)
        drxi_run_count(x->run);
    x->counted = x->run->n;
}

static void put_epochs(const struct shortening *x, bool early)
{
    for (int i = 1; i <= x->now->variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(x->now, (uint16_t)i);

        if (v && !v->thing.removed && v->epoch > 0 && (v->made < x->end) == early)
            drxi_put_epoch(x->run, (uint16_t)i, v->epoch);
    }
}

static drx_status take_history(void *arg, const struct drxi_log_record *r)
{
    struct shortening *x = arg;

    if (x->then && !x->attributes && r->sequence > x->begin) {
        drxi_put_attributes(x->run, x->then);
        count_variables(x);
        x->attributes = true;
    }
    if (r->sequence == x->end)
        put_epochs(x, true);
    if (r->sequence == x->now->commit[x->now->commits - 1].sequence)
        put_epochs(x, false);
    if (!is_left_out(x, r))
        drxi_put_again(x->run, r);
    if (r->flags & DRXI_C)
        count_variables(x);
    return x->run->failed;
}

drx_status drxi_store_forget(const struct drxi_store *s, drxi_io *log, int64_t n, struct drxi_run *run)
{
    const int64_t i = n - s->commit[0].number;
    struct drxi_log_place at = s->head;
    struct shortening x = { .now = s, .run = run };
    struct drxi_store then;
    enum drxi_log_tail tail;
    drx_status st = drxi_store_begin(&then, log, s->kind);

    if (!st && i > 0)
        st = drxi_store_read(&then, log, n - 1, false, &tail);
    x.then = i > 0 ? &then : NULL;
    x.begin = i > 0 ? s->commit[i - 1].sequence : s->counted;
    x.end = s->commit[i].sequence;
    run->sequence = s->end.sequence;
    drxi_put_base(run, s, n);
    if (!st)
        st = drxi_store_skim(log, &at, s->end.end, false, take_history, &x, NULL);
    drxi_store_free(&then);
    return st;
}
