/* Changes of an array by all ranks together: growth at either end, trims, new axes, attributes. All ranks prepare the
 * change and agree on the call. Then they run it as a team (array/run.c): the root changes the files and writes the
 * record, and the others follow. */
#include <stdio.h>

#include "mp/move/move.h"

/* ---- the team ---- */

struct ranks {
    struct drxi_team team; /* first */
    drxmp_array *m;
    bool refused; /* the root has failed, and no rank has changed anything */
};

static struct ranks *ranks_of(const struct drxi_team *t)
{
    return (struct ranks *)(uintptr_t)t;
}

static drxmp_array *array_of(const struct drxi_team *t)
{
    return ranks_of(t)->m;
}

static drx_status settle_change(const struct drxi_team *t, const struct drxi_step *step, bool doubt)
{
    return array_of(t)->ways->settle(array_of(t), step, doubt);
}

static drx_status from_root(const struct drxi_team *t, drx_status roots)
{
    return drxi_from_root(array_of(t)->comm, roots, NULL, 0);
}

static drx_status close_team(const struct drxi_team *t, drx_array *a, drxi_close_what *what, const void *arg)
{
    (void)a;
    return drxi_packed_close(array_of(t), what, arg);
}

/* The logs of an array that a dataset lends differ: the root's alone has SYNCs. */
static drx_status share_status(const struct drxi_team *t, drx_status roots)
{
    drxmp_array *m = array_of(t);
    const drx_status st = m->lent ? drxi_from_root(m->comm, roots, NULL, 0) : drxi_share_log_end(m, roots);

    ranks_of(t)->refused = st != DRX_OK;
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

static drx_status end_step(const struct drxi_team *t, drx_status st)
{
    drxmp_array *m = array_of(t);
    drx_status shared;

    if (m->lent) /* each has handed its record to the dataset */
        return ranks_of(t)->refused ? st : (*m->lent = drxi_agree(m->comm, st, NULL));
    if (st)
        end_failure(m);
    shared = drxi_share_epochs(m, true);
    return st ? st : shared;
}

/* ---- any change ---- */

/* A change as this rank makes it. */
struct changing {
    drxmp_array *m;
    struct ranks ranks;
    struct drxi_call call;
    struct drxi_change c;
};

static void hash_change(struct drxi_call *call, const char *name, const struct drxi_asked *x)
{
    int64_t bytes;

    if (!x->values || x->n < 0 || !drxi_mul(x->n, (int64_t)drx_type_size(x->type), &bytes))
        bytes = 0; /* an error */
    drxi_call_start(call, name);
    drxi_call_text(call, "the name", x->name);
    drxi_call_int(call, "axis", x->axis);
    drxi_call_int(call, x->kind == DRXI_TRIM ? "before" : "by", x->by);
    drxi_call_int(call, "after", x->after);
    drxi_call_type(call, "type", x->type);
    drxi_call_int(call, "n", x->n);
    if (x->is_text)
        drxi_call_text(call, "the text", x->values);
    else
        drxi_call_bytes(call, "the values", x->values, (size_t)bytes);
}

/* Requests go on beside attributes and names alone. */
static drx_status check_idle(drxmp_array *m, enum drxi_kind kind)
{
    drx_status st;

    if (kind == DRXI_ATTR || kind == DRXI_ATTR_DELETE || kind == DRXI_DIM_NAME)
        return DRX_OK;
    st = drxi_check_idle(m);
    if (!st && kind == DRXI_TRIM)
        st = drxi_job_check_idle(m);
    if (!st && kind == DRXI_ADD_AXIS)
        st = drxi_move_memory(m, drx_ndim(m->a) + 1);
    return st;
}

/* Name the call, and prepare. */
static drx_status start_change(struct changing *x, drxmp_array *m, const char *name, const struct drxi_asked *asked)
{
    drx_status st;

    x->m = m;
    x->c.team = NULL;
    hash_change(&x->call, name, asked);
    if (!m) /* which drxi_begin says */
        return DRX_OK;
    x->ranks = (struct ranks){ { m->rank, settle_change, from_root, close_team, share_status, end_step }, m, false };
    st = check_idle(m, asked->kind);
    if (!st)
        st = drxi_prepare(m->a, asked, &x->ranks.team, &x->c);
    return st || !m->job || !x->c.publish ? st : drxi_job_check(m, x->c.step.chunks_after);
}

/* Agree on what was prepared with this rank's status `st`, and run it. */
static drx_status finish_change(struct changing *x, drx_status st)
{
    st = drxi_begin(x->m, st, &x->call);
    return drxi_carry_out(x->m ? x->m->a : NULL, &x->c, st);
}

static drx_status change_together(drxmp_array *m, const char *name, const struct drxi_asked *asked)
{
    struct changing x;
    const drx_status st = start_change(&x, m, name, asked);

    return finish_change(&x, st);
}

/* ---- growth ---- */

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

/* What is written to a slab: this rank's part, or the pieces that the caller gives. */
struct writing {
    drxmp_array *m;
    struct part *part;
    const struct slab *slab;
};

static drx_status write_mine(drx_array *a, const struct drxi_change *c, void *with)
{
    const struct writing *w = with;

    (void)a;
    return w->part ? write_part(w->m, w->part) : append_slab(w->m, &c->step.growth, w->slab);
}

/* Grow, and write the new slab. */
static drx_status append_together(drxmp_array *m, const char *name, int axis, enum drxi_end end, int64_t by,
                                  struct part *part, const struct slab *slab)
{
    struct writing w = { m, part, slab };
    const struct drxi_asked asked = {
        .kind = DRXI_GROW, .end = end, .axis = axis, .by = by, .write = write_mine, .with = &w
    };
    struct changing x;
    drx_status st = start_change(&x, m, name, &asked);

    if (!st && m && part)
        st = check_part(m, &x.c.step.growth, part);
    if (!st && m && slab && !slab->next)
        st = drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", drxi_parts_of(m->a)->label);
    return finish_change(&x, st);
}

drx_status drxmp_extend(drxmp_array *m, int axis, int64_t by)
{
    return change_together(m, "drxmp_extend", &(struct drxi_asked){ .kind = DRXI_GROW, .axis = axis, .by = by });
}

drx_status drxmp_extend_before(drxmp_array *m, int axis, int64_t by)
{
    return change_together(m, "drxmp_extend_before",
                           &(struct drxi_asked){ .kind = DRXI_GROW, .end = DRXI_LOW, .axis = axis, .by = by });
}

static struct part slab_part(int64_t by, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return (struct part){ .n = by, .box = { .lo = lo, .count = count, .order = order }, .buf = buf, .empty = true };
}

drx_status drxmp_append_all(drxmp_array *m, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                            drx_order order, const void *buf)
{
    struct part part = slab_part(by, lo, count, order, buf);

    return append_together(m, "drxmp_append_all", axis, DRXI_HIGH, by, &part, NULL);
}

drx_status drxmp_prepend_all(drxmp_array *m, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                             drx_order order, const void *buf)
{
    struct part part = slab_part(by, lo, count, order, buf);

    return append_together(m, "drxmp_prepend_all", axis, DRXI_LOW, by, &part, NULL);
}

drx_status drxmp_append_pieces(drxmp_array *m, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                               void *with)
{
    const struct slab slab = { by, order, next, with };

    return append_together(m, "drxmp_append_pieces", axis, DRXI_HIGH, by, NULL, &slab);
}

drx_status drxmp_prepend_pieces(drxmp_array *m, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                                void *with)
{
    const struct slab slab = { by, order, next, with };

    return append_together(m, "drxmp_prepend_pieces", axis, DRXI_LOW, by, NULL, &slab);
}

/* ---- others ---- */

drx_status drxmp_trim(drxmp_array *m, int axis, int64_t before, int64_t after)
{
    return change_together(m, "drxmp_trim",
                           &(struct drxi_asked){ .kind = DRXI_TRIM, .axis = axis, .by = before, .after = after });
}

drx_status drxmp_add_axis(drxmp_array *m, int at, const char *name)
{
    return change_together(m, "drxmp_add_axis",
                           &(struct drxi_asked){ .kind = DRXI_ADD_AXIS, .axis = at, .name = name });
}

drx_status drxmp_attr_set(drxmp_array *m, const char *name, drx_type type, int64_t n, const void *values)
{
    return change_together(
        m, "drxmp_attr_set",
        &(struct drxi_asked){ .kind = DRXI_ATTR, .name = name, .type = type, .n = n, .values = values });
}

drx_status drxmp_attr_set_text(drxmp_array *m, const char *name, const char *utf8)
{
    return change_together(m, "drxmp_attr_set_text",
                           &(struct drxi_asked){ .kind = DRXI_ATTR, .name = name, .is_text = true, .values = utf8 });
}

drx_status drxmp_attr_delete(drxmp_array *m, const char *name)
{
    return change_together(m, "drxmp_attr_delete", &(struct drxi_asked){ .kind = DRXI_ATTR_DELETE, .name = name });
}

drx_status drxmp_dim_rename(drxmp_array *m, int axis, const char *name)
{
    return change_together(m, "drxmp_dim_rename",
                           &(struct drxi_asked){ .kind = DRXI_DIM_NAME, .axis = axis, .name = name });
}
