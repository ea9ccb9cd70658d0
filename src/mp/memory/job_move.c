/* Boxes of an array in the memory of a job, chunk by chunk. What the box takes of a chunk is one strided part: a copy
 * moves it where the chunk is on this node, and one RMA operation, or some, elsewhere. Large parts without gaps that are
 * put where this rank has touched nothing yet, as in a new slab, go by calls. */
#include "mp/memory/job.h"

enum { LEAST_STORED_BYTES = 1 << 14, STAGE_BYTES = 1 << 20 };

struct mover {
    const drxmp_array *m;
    const struct drxi_job *job;
    const struct drxi_box *box;
    int64_t bytes; /* of the box */
    struct drxi_portion part;
    struct drxi_begun *begun; /* collects what goes on after the call; NULL: nothing does */
    uint8_t *stage;           /* STAGE_BYTES, or NULL */
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

static drx_status move_far(struct mover *x, const struct drxi_job_place *place)
{
    const struct drxi_job *job = x->job;
    const struct drxi_far far = { job->piece[place->piece].win, job->type, (size_t)job->item_bytes, job->buffer_bytes };

    x->part.offset = drxi_job_in_window(job, place);
    return x->begun && x->part.access != DRXI_ADD ? drxi_far_begin(&far, &x->part, x->begun)
                                                  : drxi_far_move(&far, &x->part);
}

/* Whether a part of so many bytes, from its first to its last, has a stage and is to go by a call. */
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

static drx_status move_piece(struct mover *x, const struct drxi_piece *piece, void *buf)
{
    const struct drxi_job *job = x->job;
    struct drxi_job_place place = drxi_job_find(job, piece->address);
    const bool adds = x->part.access == DRXI_ADD;
    const int64_t span = set_part(x, piece, buf, &place);
    uint8_t *near = drxi_job_near(job, &place);
    drx_status st = DRX_OK, one;

    if (near && stores(x, &place, span))
        return store(x, &place, span);
    if (near)
        st = drxi_job_touch(job, &place, span);
    if (!st && adds)
        st = drxi_lock(job->locks, place.rank);
    if (st)
        return st;
    x->part.rank = place.rank;
    if (adds && near && job->far) /* see what a rank of another node added */
        drxi_job_fence(job);
    if (near)
        drxi_near_move(&x->part, job->type, (size_t)job->item_bytes, x->bytes, near);
    else
        st = move_far(x, &place);
    if (adds && job->far)
        drxi_job_fence(job);
    one = adds ? drxi_unlock(job->locks, place.rank) : DRX_OK;
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
    x.begun = begun;
    x.stage = NULL;
    x.bytes = drxi_times(m->job->item_bytes, drx_ndim(m->a), box->count);
    atomic_thread_fence(memory_order_acquire);
    drxi_cursor_start(&cursor, drxi_data_of(m->a), box->lo, box->count, box->step);
    while (!st && drxi_cursor_next(&cursor))
        if (!drxi_leaves_out(box, cursor.piece.address))
            st = move_piece(&x, &cursor.piece, buf);
    atomic_thread_fence(memory_order_release);
    drxi_free(x.stage);
    return st;
}

void drxi_job_complete(const drxmp_array *m)
{
    if (m->job)
        drxi_begun_before(&m->job->outstanding, true, NULL);
}
