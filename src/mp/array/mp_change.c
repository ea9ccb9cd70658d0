/* Growth, trims and attributes. To grow or trim, each rank prepares, the root grows the array and writes the record, and each other
 * rank follows, which cannot fail. To change an attribute or to add an axis, the root makes the change and sends the record to the
 * others. */
#include <stdio.h>

#include "mp/move/exchange.h"

static drx_status close_before(drx_array *a, const struct drxi_closer *closer, const void *growth)
{
    return drxi_close_before(a, growth, closer);
}

static drx_status close_slab(drx_array *a, const struct drxi_closer *closer, const void *step)
{
    return drxi_close_slab(a, step, closer);
}

/* What crashes or trims have left, the root restores durably before a growth uncovers it. In the memory of the job, all
 * first make sure of theirs. */
static drx_status settle(drxmp_array *m, const struct drxi_step *step)
{
    bool doubt = m->rank == DRXI_ROOT && drxi_root_doubts(m->a, step);
    drx_status st;

    if (m->job) {
        st = drxi_job_grow(m, step->chunks_after);
        return st ? st : drxi_job_fill(m, step->chunks_before, step->chunks_after);
    }
    if (!drxi_data_of(m->a)->pack || m->ranks == 1)
        return DRX_OK;
    st = drxi_from_root(m->comm, DRX_OK, &doubt, sizeof doubt);
    return st || !doubt ? st : drxi_agree(m->comm, drxi_settle_payloads(m), NULL);
}

/* A growth failed on all ranks. The root's log may have an INTENT more than before. Where the root has undone an append to
 * a compressed array, it counts as durable what the others have written: so now they make it durable. The detail stays. */
static void end_failure(drxmp_array *m)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
    st = drxi_share_log_end(m, DRX_OK);
    if (m->job)
        drxi_job_count(m->job, 0); /* the chunks of this growth are not there */
    if (!st && drxi_data_of(m->a)->pack)
        st = drxi_agree(m->comm, drxi_settle_payloads(m), NULL);
    if (st)
        drxi_set_broken(m->a, st);
    drxi_report_set(detail);
}

/* A growth of all ranks is over. */
static drx_status end_growth(drxmp_array *m, drx_status st)
{
    drx_status shared;

    if (st)
        end_failure(m);
    shared = drxi_share_epochs_held(m);
    return st ? st : shared;
}

static drx_status extend(drxmp_array *m, const struct drxi_step *step)
{
    const bool root = m->rank == DRXI_ROOT;
    drx_status st = settle(m, step);

    if (st)
        return st;
    st = root ? drxi_root_begin_extend(m->a, step) : DRX_OK;
    if (drxi_data_of(m->a)->pack) {
        st = drxi_from_root(m->comm, st, NULL, 0);
        if (!st)
            st = drxi_packed_close(m, close_before, &step->growth);
        if (st)
            return st;
    }
    if (!st && root)
        st = drxi_root_end_extend(m->a, step);
    st = drxi_share_log_end(m, st);
    if (!st && m->rank != DRXI_ROOT)
        drxi_follow_growth(m->a, step);
    return st;
}

/* Begin any growth: name the call and prepare the step. The gate is shut on return, also on error. */
static drx_status start_growth(drxmp_array *m, const char *name, int axis, enum drxi_end end, int64_t by,
                               struct drxi_call *call, struct drxi_step *step)
{
    drx_status st = drxi_check_idle(m);

    drxi_call_start(call, name);
    drxi_call_int(call, "axis", axis);
    drxi_call_int(call, "by", by);
    if (!st)
        st = drxi_wait_to_grow(m->a, axis, end);
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    if (!st)
        st = drxi_prepare_growth(m->a, axis, end, by, step);
    return st || !m->job || by == 0 ? st : drxi_job_check(m, step->chunks_after);
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
static drx_status check_part(const drxmp_array *m, const struct drxi_step *step, struct part *part)
{
    const drx_array *a = m->a;
    const struct drxi_state *s = drxi_state_of(a);
    const int axis = step->growth.axis;
    const int64_t first = (step->growth.end == DRXI_LOW ? step->growth.bound : s->upper[axis]) + part->done;
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

/* Write into chunks that the map does not have yet. */
static drx_status write_part(drxmp_array *m, const struct drxi_step *step, const struct part *part)
{
    const struct drxi_box box = { .lo = part->box.lo, .count = part->box.count, .stride_bytes = part->stride_bytes };
    struct drxi_map_mark mark;
    struct drxi_call call;
    drx_status st;

    mark = drxi_show_slab(m->a, step);
    drxi_call_start(&call, "drxmp_append_all");
    drxi_call_int(&call, "n", part->n);
    m->growth = &step->growth;
    st = drxi_move_boxes(m, true, &call, DRX_OK, part->empty ? NULL : &box,
                         (void *)(uintptr_t)part->buf); /* only read */
    m->growth = NULL;
    drxi_hide_slab(m->a, step, mark);
    return st;
}

static drx_status begin_append(drxmp_array *m, const struct drxi_step *step)
{
    const drx_status st = settle(m, step);

    return st ? st
              : drxi_from_root(m->comm, m->rank == DRXI_ROOT ? drxi_root_begin_append(m->a, step) : DRX_OK, NULL, 0);
}

/* `st` is that of all ranks. */
static drx_status end_append(drxmp_array *m, const struct drxi_step *step, drx_status st)
{
    if (!st)
        st = drxi_packed_close(m, close_slab, step);
    if (m->rank == DRXI_ROOT)
        st = drxi_root_end_append(m->a, step, st);
    st = drxi_share_log_end(m, st);
    if (!st && m->rank != DRXI_ROOT)
        drxi_follow_growth(m->a, step);
    return st;
}

static drx_status append_part(drxmp_array *m, const struct drxi_step *step, const struct part *part)
{
    const drx_status st = begin_append(m, step);

    return st ? st : end_append(m, step, write_part(m, step, part));
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
static drx_status append_piece(drxmp_array *m, const struct drxi_step *step, const struct slab *slab, struct part *part)
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
        st = check_part(m, step, part);
    st = drxi_agree(m->comm, st, NULL);
    if (!st && part->done < slab->by)
        st = write_part(m, step, part);
    part->done += part->n;
    return st;
}

static drx_status append_slab(drxmp_array *m, const struct drxi_step *step, const struct slab *slab)
{
    struct part part = { .empty = true };
    bool last = false;
    drx_status st = begin_append(m, step);

    if (st)
        return st;
    while (!st && !last) {
        last = part.done == slab->by;
        st = append_piece(m, step, slab, &part);
    }
    return end_append(m, step, st);
}

/* Grow, and write the new slab: this rank's part of it, or the pieces that the caller gives, or nothing. */
static drx_status grow(drxmp_array *m, const char *name, int axis, enum drxi_end end, int64_t by, struct part *part,
                       const struct slab *slab)
{
    struct drxi_step step;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    st = start_growth(m, name, axis, end, by, &call, &step);
    if (!st && part)
        st = check_part(m, &step, part);
    if (!st && slab && !slab->next)
        st = drxi_fail(DRX_EINVAL, "%s: appending from a null pointer", drxi_parts_of(m->a)->label);
    st = drxi_begin(m, st, &call);
    if (!st && by > 0)
        st = end_growth(m, part ? append_part(m, &step, part) : slab ? append_slab(m, &step, slab) : extend(m, &step));
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

drx_status drxmp_trim(drxmp_array *m, int axis, int64_t before, int64_t after)
{
    struct drxi_trimming trim;
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    drxi_call_start(&call, "drxmp_trim");
    drxi_call_int(&call, "axis", axis);
    drxi_call_int(&call, "before", before);
    drxi_call_int(&call, "after", after);
    st = drxi_check_idle(m);
    if (!st)
        st = drxi_job_check_idle(m);
    if (!st)
        st = drxi_wait_for_all(m->a, true, true);
    drxi_gate_shut(drxi_parts_of(m->a)->gate);
    if (!st)
        st = drxi_prepare_trim(m->a, axis, before, after, &trim);
    st = drxi_begin(m, st, &call);
    if (!st && (before > 0 || after > 0)) {
        st = drxi_share_log_end(m, m->rank == DRXI_ROOT ? drxi_root_trim(m->a, &trim) : DRX_OK);
        if (!st && m->rank != DRXI_ROOT)
            drxi_follow_trim(m->a, &trim);
    }
    drxi_gate_open(drxi_parts_of(m->a)->gate);
    return st;
}

/* A change of the log that the root makes for all. */
struct change {
    const char *call;
    enum { SET_VALUES, SET_TEXT, DELETE, RENAME, ADD_AXIS } what;
    const char *name, *text;
    drx_type type;
    int64_t n;
    const void *values;
    int axis;
};

static drx_status make_change(drx_array *a, const void *arg)
{
    const struct change *c = arg;

    switch (c->what) {
    case SET_VALUES:
        return drx_attr_set(a, c->name, c->type, c->n, c->values);
    case SET_TEXT:
        return drx_attr_set_text(a, c->name, c->text);
    case DELETE:
        return drx_attr_delete(a, c->name);
    case RENAME:
        return drx_dim_rename(a, c->axis, c->name);
    default:
        return drx_add_axis(a, c->axis, c->name);
    }
}

/* Each rank makes the change: there is no log. When only some of them could, they do not agree any more. */
static drx_status change_all(drxmp_array *m, const struct change *c)
{
    const drx_status mine = drxi_as_if_alone(m, make_change, c), st = drxi_agree(m->comm, mine, NULL);
    int made = !mine;

    if (st && MPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MAX, m->comm) == MPI_SUCCESS && made)
        drxi_set_broken(m->a, st);
    return st;
}

/* `st` is this rank's alone. */
static drx_status change_log(drxmp_array *m, drx_status st, const struct change *c)
{
    struct drxi_call call;
    int64_t bytes, before;

    if (!c->values || c->n < 0 || !drxi_mul(c->n, (int64_t)drx_type_size(c->type), &bytes))
        bytes = 0; /* the root reports the error */
    drxi_call_start(&call, c->call);
    drxi_call_int(&call, "axis", c->axis);
    drxi_call_text(&call, "the name", c->name);
    drxi_call_int(&call, "type", c->type);
    drxi_call_int(&call, "n", c->n);
    drxi_call_bytes(&call, "the values", c->values, (size_t)bytes);
    drxi_call_text(&call, "the text", c->text);
    if ((st = drxi_begin(m, st, &call)))
        return st;
    if (m->job)
        return change_all(m, c);
    before = drxi_state_of(m->a)->chain.end;
    st = drxi_share_log(m, drxi_by_root(m, make_change, c), before);
    if (st || !m->lent)
        return st;
    st = m->rank == DRXI_ROOT ? DRX_OK : drxi_as_if_alone(m, make_change, c); /* its record went to the dataset */
    return *m->lent = drxi_agree(m->comm, st, NULL);
}

drx_status drxmp_attr_set(drxmp_array *m, const char *name, drx_type type, int64_t n, const void *values)
{
    return change_log(
        m, DRX_OK,
        &(struct change){ "drxmp_attr_set", SET_VALUES, .name = name, .type = type, .n = n, .values = values });
}

drx_status drxmp_attr_set_text(drxmp_array *m, const char *name, const char *utf8)
{
    return change_log(m, DRX_OK, &(struct change){ "drxmp_attr_set_text", SET_TEXT, .name = name, .text = utf8 });
}

drx_status drxmp_attr_delete(drxmp_array *m, const char *name)
{
    return change_log(m, DRX_OK, &(struct change){ "drxmp_attr_delete", DELETE, .name = name });
}

drx_status drxmp_dim_rename(drxmp_array *m, int axis, const char *name)
{
    return change_log(m, DRX_OK, &(struct change){ "drxmp_dim_rename", RENAME, .name = name, .axis = axis });
}

drx_status drxmp_add_axis(drxmp_array *m, int at, const char *name)
{
    drx_status st = m ? drxi_check_idle(m) : DRX_OK; /* requests are of the axes that there were */

    if (m && !st)
        st = drxi_move_memory(m, drx_ndim(m->a) + 1);
    return change_log(m, st, &(struct change){ "drxmp_add_axis", ADD_AXIS, .name = name, .axis = at });
}
