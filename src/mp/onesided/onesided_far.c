/* MPI RMA of strided parts, and of contiguous bytes. One operation moves as many elements as the buffer holds. They are
 * packed in the buffer, and a derived type describes their places in the section. Each operation is complete before the
 * next one begins, except those of a request. */
#include "mp/onesided/onesided.h"

enum { MOST_BYTES = 1 << 28 }; /* of an operation: counts are int */

/* Reverse axes with negative strides, because MPI libraries reject a type with negative displacements as outside the
 * window. */
static void turn(struct drxi_portion *p)
{
    for (int j = 0; j < p->n; j++) {
        struct drxi_copy_axis *axis = &p->axes[j];

        if (axis->dst >= 0)
            continue;
        p->at.at += (axis->count - 1) * axis->dst;
        p->buf += (axis->count - 1) * axis->src;
        axis->dst = -axis->dst;
        axis->src = -axis->src;
    }
}

/* Sort the axes by stride in the section, the widest first, so that runs of bytes are innermost. */
static void sort(int n, struct drxi_copy_axis axes[])
{
    for (int j = 1; j < n; j++) {
        const struct drxi_copy_axis axis = axes[j];
        int at = j;

        for (; at > 0 && axes[at - 1].dst < axis.dst; at--)
            axes[at] = axes[at - 1];
        axes[at] = axis;
    }
}

static drx_status make_type(const struct drxi_portion *p, size_t item_bytes, MPI_Datatype *type)
{
    int64_t run = (int64_t)item_bytes;
    int n = p->n;
    drx_status st;

    while (n > 0 && p->axes[n - 1].dst == run)
        run *= p->axes[--n].count;
    st = drxi_mpi(MPI_Type_contiguous((int)run, MPI_BYTE, type), "describing a section");
    while (!st && n-- > 0) {
        MPI_Datatype inner = *type;

        st = drxi_mpi(MPI_Type_create_hvector((int)p->axes[n].count, 1, (MPI_Aint)p->axes[n].dst, inner, type),
                      "describing a section");
        (void)MPI_Type_free(&inner);
    }
    return st ? st : drxi_mpi(MPI_Type_commit(type), "describing a section");
}

struct packing {
    const struct drxi_whole *whole;
    struct drxi_begun *begun; /* pieces go on there; NULL: each is complete before the next */
    uint8_t *packed;
    int64_t most; /* elements of a piece */
};

static drx_status begin_transfer(const struct packing *f, const struct drxi_portion *p, bool get, int64_t bytes)
{
    const struct drxi_target *at = &p->at;
    MPI_Datatype type;
    drx_status st = make_type(p, f->whole->item_bytes, &type);

    if (st)
        return st;
    st = drxi_mpi(get ? MPI_Get(f->packed, (int)bytes, MPI_BYTE, at->rank, at->at, 1, type, at->win)
                      : MPI_Put(f->packed, (int)bytes, MPI_BYTE, at->rank, at->at, 1, type, at->win),
                  "one-sided access");
    (void)MPI_Type_free(&type);
    return st;
}

static drx_status flush(int rank, MPI_Win win)
{
    return drxi_mpi(MPI_Win_flush(rank, win), "one-sided access");
}

static drx_status transfer(const struct packing *f, const struct drxi_portion *p, bool get, int64_t bytes)
{
    const drx_status st = begin_transfer(f, p, get, bytes);

    return st ? st : flush(p->at.rank, p->at.win);
}

/* Set axes[] to copy between the buffer and the packed form; `into`: the packed form is the destination. */
static void set_packed(const struct drxi_portion *p, size_t item_bytes, bool into, struct drxi_copy_axis axes[])
{
    int64_t bytes = (int64_t)item_bytes;

    for (int j = p->n - 1; j >= 0; j--) {
        axes[j] = into ? (struct drxi_copy_axis){ p->axes[j].count, bytes, p->axes[j].src }
                       : (struct drxi_copy_axis){ p->axes[j].count, p->axes[j].src, bytes };
        bytes *= p->axes[j].count;
    }
}

static drx_status move_far_piece(const struct packing *f, const struct drxi_portion *p, int64_t elements)
{
    const size_t item = f->whole->item_bytes;
    const int64_t bytes = elements * (int64_t)item;
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    drx_status st = DRX_OK;

    set_packed(p, item, p->access != DRXI_GET, axes);
    if (p->access != DRXI_PUT)
        st = transfer(f, p, true, bytes);
    if (st)
        return st;
    if (p->access == DRXI_GET)
        drxi_copy_axes(p->n, axes, item, p->buf, f->packed, false);
    else if (p->access == DRXI_PUT)
        drxi_copy_axes(p->n, axes, item, f->packed, p->buf, false);
    else
        drxi_accumulate(p->n, axes, f->whole->type, p->alpha, f->packed, p->buf);
    return p->access == DRXI_GET ? DRX_OK : transfer(f, p, false, bytes);
}

/* Begin to move a piece; when those that have begun fill the buffer, complete them first. */
static drx_status begin_piece(struct packing *f, const struct drxi_portion *p, int64_t elements)
{
    const int64_t bytes = elements * (int64_t)f->whole->item_bytes;
    const int64_t room = (int64_t)sizeof(struct drxi_parcel) + bytes; /* of small pieces, most is the parcel's own */
    struct drxi_copy_axis axes[DRXI_COPY_AXES];
    struct drxi_parcel *piece;
    drx_status st = DRX_OK;

    if (f->begun->bytes > 0 && f->begun->bytes + room > f->whole->buffer_bytes)
        st = drxi_begun_finish(f->begun);
    if (st)
        return st;
    piece = drxi_malloc((size_t)room);
    if (!piece)
        return drxi_fail(DRX_ENOMEM, "out of memory for a buffer of %lld bytes", (long long)bytes);
    *piece = (struct drxi_parcel){ f->begun->first, *p, (uint8_t *)(piece + 1), bytes };
    f->packed = piece->packed;
    set_packed(p, f->whole->item_bytes, true, axes);
    if (p->access == DRXI_PUT)
        drxi_copy_axes(p->n, axes, f->whole->item_bytes, piece->packed, p->buf, false);
    st = begin_transfer(f, p, p->access == DRXI_GET, bytes);
    if (st) {
        drxi_free(piece);
        return st;
    }
    f->begun->first = piece;
    f->begun->bytes += room;
    return DRX_OK;
}

drx_status drxi_begun_finish(struct drxi_begun *begun)
{
    drx_status st = DRX_OK;
    MPI_Win win = MPI_WIN_NULL;
    int flushed = -1; /* rank of that window */

    while (begun->first) {
        struct drxi_parcel *piece = begun->first;
        const struct drxi_portion *p = &piece->part;
        struct drxi_copy_axis axes[DRXI_COPY_AXES];

        if (p->at.rank != flushed || p->at.win != win) {
            const drx_status one = flush(p->at.rank, p->at.win);

            st = st ? st : one;
            flushed = p->at.rank;
            win = p->at.win;
        }
        set_packed(p, begun->item_bytes, false, axes);
        if (!st && p->access == DRXI_GET)
            drxi_copy_axes(p->n, axes, begun->item_bytes, p->buf, piece->packed, false);
        begun->first = piece->next;
        drxi_free(piece);
    }
    begun->bytes = 0;
    return st;
}

static int64_t count_elements(const struct drxi_portion *p)
{
    int64_t n = 1;

    for (int j = 0; j < p->n; j++)
        n *= p->axes[j].count;
    return n;
}

/* Move a part; halve it along the widest axis that has two indices until `packed` holds it. */
static drx_status move_portion(struct packing *f, const struct drxi_portion *p)
{
    struct drxi_portion half = *p;
    const int64_t n = count_elements(p);
    int j = 0;
    drx_status st;

    if (n <= f->most)
        return f->begun ? begin_piece(f, p, n) : move_far_piece(f, p, n);
    while (p->axes[j].count == 1)
        j++;
    half.axes[j].count = p->axes[j].count / 2;
    st = move_portion(f, &half);
    half.at.at += half.axes[j].count * half.axes[j].dst;
    half.buf += half.axes[j].count * half.axes[j].src;
    half.axes[j].count = p->axes[j].count - half.axes[j].count;
    return st ? st : move_portion(f, &half);
}

drx_status drxi_far_move(const struct drxi_whole *whole, const struct drxi_portion *part)
{
    struct packing f = { .whole = whole, .begun = part->access == DRXI_ADD ? NULL : whole->begun };
    struct drxi_portion sorted = *part;
    const int64_t item = (int64_t)whole->item_bytes;
    drx_status st;

    f.most = drxi_max(drxi_min(drxi_min(whole->buffer_bytes, MOST_BYTES) / item, count_elements(part)), 1);
    if (!f.begun && !(f.packed = drxi_malloc((size_t)(f.most * item))))
        return drxi_fail(DRX_ENOMEM, "out of memory for a buffer of %lld bytes", (long long)(f.most * item));
    turn(&sorted);
    sort(sorted.n, sorted.axes);
    st = move_portion(&f, &sorted);
    if (!f.begun)
        drxi_free(f.packed);
    return st;
}

/* ---- contiguous bytes ---- */

/* Note that something is in progress there; when there is no room for that, complete the rest first. */
static drx_status note_target(struct drxi_rma *r, const struct drxi_target *at)
{
    drx_status st = DRX_OK;
    int i = 0;

    if (r->begun == DRXI_MOST_BEGUN)
        st = drxi_rma_finish(r);
    while (i < r->targets && (r->target[i].rank != at->rank || r->target[i].win != at->win))
        i++;
    if (i == DRXI_MOST_TARGETS) {
        st = drxi_rma_finish(r);
        i = 0;
    }
    r->target[i].rank = at->rank;
    r->target[i].win = at->win;
    r->targets = i < r->targets ? r->targets : i + 1;
    r->begun++;
    return st;
}

drx_status drxi_rma_begin(struct drxi_rma *r, bool get, const struct drxi_target *at, void *mem, int64_t bytes)
{
    uint8_t *p = mem;
    MPI_Aint to = at->at;
    drx_status st = note_target(r, at);

    for (; !st && bytes > 0; bytes -= MOST_BYTES, p += MOST_BYTES, to += MOST_BYTES) {
        const int n = (int)drxi_min(bytes, MOST_BYTES);

        st = drxi_mpi(get ? MPI_Get(p, n, MPI_BYTE, at->rank, to, n, MPI_BYTE, at->win)
                          : MPI_Put(p, n, MPI_BYTE, at->rank, to, n, MPI_BYTE, at->win),
                      "one-sided access");
    }
    return st;
}

drx_status drxi_rma_finish(struct drxi_rma *r)
{
    drx_status st = DRX_OK;

    for (int i = 0; i < r->targets; i++) { /* all, since MPI must no longer use the memory of the call */
        const drx_status one = flush(r->target[i].rank, r->target[i].win);

        st = st ? st : one;
    }
    r->begun = r->targets = 0;
    return st;
}
