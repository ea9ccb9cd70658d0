/* Changes of an array by all ranks together: growth at either end, trims, new axes, attributes. All ranks prepare the
 * change and agree on the call. Then they run it as a team (array/run.c): the root changes the files and writes the
 * record, and the others follow. */
#include <stdio.h>

#include "mp/move/exchange.h"

/* ---- the team ---- */

struct ranks {
    struct drxi_team team; /* first */
    drxmp_array *m;
    bool *refused; /* the root has failed, and no rank has changed anything */
};

static const struct ranks *ranks_of(const struct drxi_team *t)
{
    return (const struct ranks *)(const void *)t;
}

static drxmp_array *of(const struct drxi_team *t)
{
    return ranks_of(t)->m;
}

static drx_status settle(const struct drxi_team *t, const struct drxi_step *step, bool doubt)
{
    return of(t)->ways->settle(of(t), step, doubt);
}

static drx_status from_root(const struct drxi_team *t, drx_status roots)
{
    return drxi_from_root(of(t)->comm, roots, NULL, 0);
}

static drx_status close_all(const struct drxi_team *t, drx_array *a, drxi_close_what *what, const void *arg)
{
    (void)a;
    return drxi_packed_close(of(t), what, arg);
}

/* The logs of an array that a dataset lends differ: the root's alone has SYNCs. */
static drx_status share(const struct drxi_team *t, drx_status roots)
{
    drxmp_array *m = of(t);
    const drx_status st = m->lent ? drxi_from_root(m->comm, roots, NULL, 0) : drxi_share_log_end(m, roots);

    *ranks_of(t)->refused = st != DRX_OK;
    return st;
}

/* A change failed on all ranks. The root's log may have an INTENT more than before. Where the root has undone an append
 * to a compressed array, it counts what the others have written as durable. So now they make it durable. The detail
 * stays. */
static void end_failure(drxmp_array *m)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
    st = drxi_share_log_end(m, DRX_OK);
    drxi_job_recount(m);
    if (!st && drxi_data_of(m->a)->file->stored->epochs)
        st = drxi_agree(m->comm, drxi_settle_payloads(m), NULL);
    if (st)
        drxi_set_broken(m->a, st);
    drxi_report_set(detail);
}

static drx_status end(const struct drxi_team *t, drx_status st)
{
    drxmp_array *m = of(t);
    drx_status shared;

    if (m->lent) /* each has handed its record to the dataset */
        return *ranks_of(t)->refused ? st : (*m->lent = drxi_agree(m->comm, st, NULL));
    if (st)
        end_failure(m);
    shared = drxi_share_epochs(m, true);
    return st ? st : shared;
}

static struct ranks team_of(drxmp_array *m, bool *refused)
{
    return (struct ranks){ { m->rank, settle, from_root, close_all, share, end }, m, refused };
}

/* ---- growth ---- */

/* Begin any growth: name the call and prepare it. The gate is shut on return, also on error. */
static drx_status start_growth(drxmp_array *m, const char *name, int axis, enum drxi_end end, int64_t by, bool writes,
                               struct drxi_call *call, struct drxi_change *c)
{
    drx_status st = drxi_check_idle(m);

    drxi_change_start(c);
    drxi_call_start(call, name);
    drxi_call_int(call, "axis", axis);
    drxi_call_int(call, "by", by);
    if (!st)
        st = drxi_wait_to_grow(m->a, axis, end);
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    if (!st)
        st = drxi_prepare_growth(m->a, axis, end, by, writes, c);
    return st || by == 0 ? st : drxi_job_check(m, c->step.chunks_after);
}

/* A part of n indices of the slab, from index `done` of it on. */
struct part {
    int64_t done, n;
    drx_box box;
    const void *buf;
    bool empty;
    int64_t stride_bytes[DRX_MAX_NDIM];
};

/* Check that the part lies there. */
static drx_status check_part(const drxmp_array *m, const struct drxi_growth *g, struct part *part)
{
    const drx_array *a = m->a;
    const struct drxi_state *s = drxi_state_of(a);
    const int axis = g->axis;
    const int64_t first = (g->end == DRXI_LOW ? g->bound : s->upper[axis]) + part->done;
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
    drx_status st;

    memcpy(lower, s->lower, sizeof lower);
    memcpy(upper, s->upper, sizeof upper);
    lower[axis] = drxi_min(lower[axis], first);
    upper[axis] = first + part->n;
    st = drxi_check_box(a, lower, upper, &part->box, part->buf, &part->empty, part->stride_bytes);
    if (!st && !part->empty && part->box.lo[axis] < first)
        st = drxi_fail(DRX_ERANGE, "%s: axis %d: the part begins at index %lld, and the new slab at %lld",
                       drxi_parts_of(a)->label, axis, (long long)part->box.lo[axis], (long long)first);
    return st;
}

static drx_status write_part(drxmp_array *m, const struct part *part)
{
    const struct drxi_box box = { .lo = part->box.lo, .count = part->box.count, .stride_bytes = part->stride_bytes };
    struct drxi_call call;

    drxi_call_start(&call, "drxmp_append_all");
    drxi_call_int(&call, "n", part->n);
    return drxi_move_boxes(m, true, &call, DRX_OK, part->empty ? NULL : &box,
                           (void *)(uintptr_t)part->buf); /* only read */
}

/* A slab as the caller gives it. */
struct slab {
    int64_t by;
    drx_order order;
    drxmp_next_piece *next;
    void *with;
};

/* Write the piece from index part->done of the slab on, and move that past it; at the end of the slab, ask for the last
 * word. */
static drx_status append_piece(drxmp_array *m, const struct drxi_growth *g, const struct slab *slab, struct part *part)
{
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM] = { 0 };
    drx_status st;

    part->n = 0;
    part->buf = NULL;
    part->box = (drx_box){ .lo = lo, .count = count, .order = slab->order };
    drxi_report_clear();
    st = slab->next(slab->with, part->done, &part->n, lo, count, &part->buf);
    st = drxi_refused_piece(m->a, part->done, slab->by, st);
    if (!st && part->done < slab->by)
        st = drxi_check_piece(m->a, part->done, slab->by, part->n);
    if (!st && part->done < slab->by)
        st = check_part(m, g, part);
    st = drxi_agree(m->comm, st, NULL);
    if (!st && part->done < slab->by)
        st = write_part(m, part);
    part->done += part->n;
    return st;
}

static drx_status append_slab(drxmp_array *m, const struct drxi_growth *g, const struct slab *slab)
{
    struct part part = { .empty = true };
    bool last = false;
    drx_status st = DRX_OK;

    while (!st && !last) {
        last = part.done == slab->by;
        st = append_piece(m, g, slab, &part);
    }
    return st;
}

static drx_status append(drxmp_array *m, struct drxi_change *c, const struct part *part, const struct slab *slab)
{
    bool refused = false;
    const struct ranks ranks = team_of(m, &refused);
    const drx_status st = drxi_begin_append(m->a, c, &ranks.team);

    if (st)
        return st;
    return drxi_end_append(m->a, c, &ranks.team, part ? write_part(m, part) : append_slab(m, &c->step.growth, slab));
}

static drx_status run(drxmp_array *m, struct drxi_change *c)
{
    bool refused = false;
    const struct ranks ranks = team_of(m, &refused);

    return drxi_change_run(m->a, c, &ranks.team);
}

/* Grow, and write the new slab: this rank's part of it, or the pieces that the caller gives, or nothing. */
static drx_status grow(drxmp_array *m, const char *name, int axis, enum drxi_end end, int64_t by, struct part *part,
                       const struct slab *slab)
{
    struct drxi_change c;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    st = start_growth(m, name, axis, end, by, part || slab, &call, &c);
    if (!st && part)
        st = check_part(m, &c.step.growth, part);
    if (!st && slab && !slab->next)
        st = drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", drxi_parts_of(m->a)->label);
    st = drxi_begin(m, st, &call);
    if (!st && by > 0)
        st = part || slab ? append(m, &c, part, slab) : run(m, &c);
    drxi_change_end(&c);
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return st;
}

drx_status drxmp_extend(drxmp_array *m, int axis, int64_t by)
{
    return grow(m, "drxmp_extend", axis, DRXI_HIGH, by, NULL, NULL);
}

drx_status drxmp_extend_before(drxmp_array *m, int axis, int64_t by)
{
    return grow(m, "drxmp_extend_before", axis, DRXI_LOW, by, NULL, NULL);
}

static struct part part_of(int64_t by, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return (struct part){ .n = by, .box = { .lo = lo, .count = count, .order = order }, .buf = buf, .empty = true };
}

drx_status drxmp_append_all(drxmp_array *m, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                            drx_order order, const void *buf)
{
    struct part part = part_of(by, lo, count, order, buf);

    return grow(m, "drxmp_append_all", axis, DRXI_HIGH, by, &part, NULL);
}

drx_status drxmp_prepend_all(drxmp_array *m, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                             drx_order order, const void *buf)
{
    struct part part = part_of(by, lo, count, order, buf);

    return grow(m, "drxmp_prepend_all", axis, DRXI_LOW, by, &part, NULL);
}

drx_status drxmp_append_pieces(drxmp_array *m, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                               void *with)
{
    const struct slab slab = { by, order, next, with };

    return grow(m, "drxmp_append_pieces", axis, DRXI_HIGH, by, NULL, &slab);
}

drx_status drxmp_prepend_pieces(drxmp_array *m, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                                void *with)
{
    const struct slab slab = { by, order, next, with };

    return grow(m, "drxmp_prepend_pieces", axis, DRXI_LOW, by, NULL, &slab);
}

/* ---- trims and new axes ---- */

/* What was prepared with the gate shut, and with this rank's status `st`, is agreed on and run; the gate opens. */
static drx_status run_shut(drxmp_array *m, struct drxi_change *c, drx_status st, const struct drxi_call *call)
{
    st = drxi_begin(m, st, call);
    if (!st)
        st = run(m, c);
    drxi_change_end(c);
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return st;
}

/* Requests are of the axes and bounds that there were. */
static drx_status wait_for_requests(drxmp_array *m)
{
    const drx_status st = drxi_check_idle(m);

    return st ? st : drxi_wait_for_all(m->a, true, true);
}

drx_status drxmp_trim(drxmp_array *m, int axis, int64_t before, int64_t after)
{
    struct drxi_change c;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    drxi_change_start(&c);
    drxi_call_start(&call, "drxmp_trim");
    drxi_call_int(&call, "axis", axis);
    drxi_call_int(&call, "before", before);
    drxi_call_int(&call, "after", after);
    st = wait_for_requests(m);
    if (!st)
        st = drxi_job_check_idle(m);
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    if (!st)
        st = drxi_prepare_trim(m->a, axis, before, after, &c);
    return run_shut(m, &c, st, &call);
}

drx_status drxmp_add_axis(drxmp_array *m, int at, const char *name)
{
    struct drxi_change c;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    drxi_change_start(&c);
    drxi_call_start(&call, "drxmp_add_axis");
    drxi_call_int(&call, "axis", at);
    drxi_call_text(&call, "the name", name);
    st = wait_for_requests(m);
    if (!st)
        st = drxi_move_memory(m, drx_ndim(m->a) + 1);
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    if (!st)
        st = drxi_prepare_axis(m->a, at, name, &c);
    return run_shut(m, &c, st, &call);
}

/* ---- attributes and names: requests go on ---- */

static void start(struct drxi_change *c, struct drxi_call *call, const char *what, const char *name)
{
    drxi_change_start(c);
    drxi_call_start(call, what);
    drxi_call_text(call, "the name", name);
}

/* Run what was prepared with this rank's status `st`. */
static drx_status change(drxmp_array *m, struct drxi_change *c, drx_status st, const struct drxi_call *call)
{
    st = drxi_begin(m, st, call);
    if (!st) {
        drxi_gate_shut(drxi_parts_of(m->a)->gate);
        st = run(m, c);
        drxi_gate_open(drxi_parts_of(m->a)->gate);
    }
    drxi_change_end(c);
    return st;
}

drx_status drxmp_attr_set(drxmp_array *m, const char *name, drx_type type, int64_t n, const void *values)
{
    struct drxi_change c;
    struct drxi_call call;
    int64_t bytes;

    if (!values || n < 0 || !drxi_mul(n, (int64_t)drx_type_size(type), &bytes))
        bytes = 0; /* an error */
    start(&c, &call, "drxmp_attr_set", name);
    drxi_call_int(&call, "type", type);
    drxi_call_int(&call, "n", n);
    drxi_call_bytes(&call, "the values", values, (size_t)bytes);
    return change(m, &c, m ? drxi_prepare_attr(m->a, name, type, n, values, &c) : DRX_OK, &call);
}

drx_status drxmp_attr_set_text(drxmp_array *m, const char *name, const char *utf8)
{
    struct drxi_change c;
    struct drxi_call call;

    start(&c, &call, "drxmp_attr_set_text", name);
    drxi_call_text(&call, "the text", utf8);
    return change(m, &c, m ? drxi_prepare_attr_text(m->a, name, utf8, &c) : DRX_OK, &call);
}

drx_status drxmp_attr_delete(drxmp_array *m, const char *name)
{
    struct drxi_change c;
    struct drxi_call call;

    start(&c, &call, "drxmp_attr_delete", name);
    return change(m, &c, m ? drxi_prepare_attr_delete(m->a, name, &c) : DRX_OK, &call);
}

drx_status drxmp_dim_rename(drxmp_array *m, int axis, const char *name)
{
    struct drxi_change c;
    struct drxi_call call;

    start(&c, &call, "drxmp_dim_rename", name);
    drxi_call_int(&call, "axis", axis);
    return change(m, &c, m ? drxi_prepare_rename(m->a, axis, name, &c) : DRX_OK, &call);
}
