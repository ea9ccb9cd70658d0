/* Boxes of an array in the memory of a job, chunk by chunk. What the box takes of a chunk is one strided part: a copy
 * moves it where the chunk is on this node, and one RMA operation, or some, elsewhere. Large parts without gaps that
 * are put where this rank has touched nothing yet, as in a new slab, go by calls. */
#include "mp/memory/job.h"

enum { LEAST_STORED_BYTES = 1 << 14, STAGE_BYTES = 1 << 20 };

struct mover {
    const drxmp_array *m;
    const struct drxi_job *job;
    const struct drxi_box *box;
    struct drxi_whole whole;
    struct drxi_portion part;
    uint8_t *stage; /* STAGE_BYTES, or NULL */
};

/* Set the axes of the part, and the place of its first element. Returns the bytes up to its last one. */
static int64_t set_part(struct mover *x, const struct drxi_piece *piece, uint8_t *buf, struct drxi_job_place *place)
{
    const struct drxi_data *data = drxi_data_of(x->m->a);
    struct drxi_portion *p = &x->part;
    int64_t span = x->job->item_bytes;

    p->n = 0;
    p->buf = buf;
    for (int j = 0; j < data->ndim; j++) {
        const int64_t step = x->box->step ? x->box->step[j] : 1;

        place->offset += piece->start[j] * data->item_pitch_bytes[j];
        p->buf += piece->from[j] * x->box->stride_bytes[j];
        span += (piece->count[j] - 1) * step * data->item_pitch_bytes[j];
        if (piece->count[j] > 1)
            p->axes[p->n++] =
                (struct drxi_copy_axis){ piece->count[j], step * data->item_pitch_bytes[j], x->box->stride_bytes[j] };
    }
    return span;
}

/* Whether a part of this many bytes, from its first to its last, has a stage and is to go by a call. */
static bool stores(struct mover *x, const struct drxi_job_place *place, int64_t span)
{
    int64_t bytes = x->job->item_bytes;

    if (x->part.access != DRXI_PUT || span < LEAST_STORED_BYTES || span > STAGE_BYTES ||
        drxi_job_touched(x->job, place, span))
        return false;
    for (int j = 0; j < x->part.n; j++)
        bytes *= x->part.axes[j].count;
    if (bytes == span && !x->stage)
        x->stage = drxi_malloc(STAGE_BYTES);
    return bytes == span && x->stage;
}

static drx_status store(struct mover *x, const struct drxi_job_place *place, int64_t span)
{
    drxi_copy_axes(x->part.n, x->part.axes, (size_t)x->job->item_bytes, x->stage, x->part.buf, false);
    return drxi_job_store(x->job, place, x->stage, span);
}

static drx_status move_job_piece(struct mover *x, const struct drxi_piece *piece, void *buf)
{
    const struct drxi_job *job = x->job;
    struct drxi_job_place place = drxi_job_find(job, piece->address);
    const bool adds = x->part.access == DRXI_ADD;
    const int64_t span = set_part(x, piece, buf, &place);
    drx_status st = DRX_OK, one;

    drxi_job_target(job, &place, &x->part.at);
    if (x->part.at.near && stores(x, &place, span))
        return store(x, &place, span);
    if (x->part.at.near)
        st = drxi_job_touch(job, &place, span);
    if (!st && adds)
        st = drxi_job_lock(job, place.rank);
    if (st)
        return st;
    st = drxi_move_part(&x->whole, &x->part);
    one = adds ? drxi_job_unlock(job, place.rank) : DRX_OK;
    return st ? st : one;
}

drx_status drxi_job_move(drxmp_array *m, enum drxi_access access, const void *alpha, const struct drxi_box *box,
                         void *buf, struct drxi_begun *begun)
{
    struct mover x;
    struct drxi_cursor cursor;
    drx_status st = DRX_OK;

    x.m = m;
    x.job = m->job;
    x.box = box;
    x.part.access = access;
    x.part.alpha = alpha;
    x.stage = NULL;
    x.whole =
        (struct drxi_whole){ m->job->type, (size_t)m->job->item_bytes,
                             drxi_times(m->job->item_bytes, drx_ndim(m->a), box->count), m->job->buffer_bytes, begun };
    atomic_thread_fence(memory_order_acquire);
    drxi_cursor_start(&cursor, drxi_data_of(m->a), box->lo, box->count, box->step);
    while (!st && drxi_cursor_next(&cursor))
        if (!drxi_leaves_out(box, cursor.piece.address))
            st = move_job_piece(&x, &cursor.piece, buf);
    atomic_thread_fence(memory_order_release);
    drxi_free(x.stage);
    return st;
}

void drxi_job_complete(const drxmp_array *m)
{
    if (m->job)
        drxi_begun_before(&m->job->outstanding, true, NULL);
}
