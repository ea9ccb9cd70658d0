/* A collective write to a compressed array. The ranks go through the chunks that they write together, in the order of
 * their addresses, in rounds (round.c): the owner of a chunk gets its elements from whoever has them, compresses it and
 * writes it. The files are those of one process that writes all of these elements by one call. Where ranks give the
 * same element, that of the highest rank stays.
 *
 * Invariants
 *   1. All memory is allocated before the first round.
 *   2. A rank sends what it has for a round before it receives, and no rank receives of a later round meanwhile: so two
 *      ranks send and receive in the same order, and one tag is enough. */
#include "box/packed.h"
#include "mp/move/move.h"

enum { TAG = 2, COPIES = 4 /* of a chunk that its owner has in memory */ };

struct place {
    int64_t address, index[DRX_MAX_NDIM];
};

struct writing {
    struct drxi_round round;
    drxmp_array *m;
    const struct drxi_part_of_all *part;
    struct drxi_data *data;
    struct drxi_cut cut; /* a chunk is one block */
    struct drxi_packed_bounds bounds;

    struct drxi_cursor *cursor; /* of each rank */
    bool *more;
    struct place *place;         /* the chunks of the round */
    struct drxi_packed_chunk *c; /* those that this rank owns */
    uint8_t *images, *marks, *piece, *sent;
    MPI_Request *sends;
};

static const struct drxi_axis_set *sets_of(const struct writing *w, int rank)
{
    return w->part->sets + (int64_t)rank * drx_ndim(w->m->a);
}

static void note_payload_error(struct writing *w, drx_status st)
{
    drxi_round_note(&w->round, st);
}

/* ---- the chunks of a round ---- */

static void start_writing(struct writing *w)
{
    w->bounds = drxi_packed_bounds_of(w->data);
    for (int rank = 0; rank < w->m->ranks; rank++) {
        int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM];

        w->more[rank] = drxi_chunks_hull(w->m->a, sets_of(w, rank), first, end);
        if (!w->more[rank])
            continue;
        drxi_chunks_start(&w->cursor[rank], w->m->a, sets_of(w, rank), first, end);
        w->more[rank] = drxi_cursor_next(&w->cursor[rank]);
        for (int j = 0; j < w->data->ndim; j++) {
            int64_t low, last;

            (void)drxi_axis_bounds(&sets_of(w, rank)[j], &low, &last);
            w->bounds.lower[j] = drxi_min(w->bounds.lower[j], low);
            w->bounds.upper[j] = drxi_max(w->bounds.upper[j], last + 1);
        }
    }
}

/* The next chunk that a rank takes part in; false after the last one. */
static bool next_chunk(struct writing *w, struct place *place)
{
    int64_t least = INT64_MAX;

    for (int rank = 0; rank < w->m->ranks; rank++)
        if (w->more[rank])
            least = drxi_min(least, w->cursor[rank].piece.address);
    if (least == INT64_MAX)
        return false;
    place->address = least;
    for (int rank = 0; rank < w->m->ranks; rank++)
        if (w->more[rank] && w->cursor[rank].piece.address == least) {
            memcpy(place->index, w->cursor[rank].index, sizeof place->index);
            w->more[rank] = drxi_cursor_next(&w->cursor[rank]);
        }
    return true;
}

static bool next_round(struct writing *w)
{
    const int64_t most = drxi_round_most(&w->round);
    int64_t n = 0;

    while (n < most && next_chunk(w, &w->place[n]))
        n++;
    drxi_round_deal(&w->round, n);
    return n > 0;
}

/* ---- pieces ---- */

static void block_of(const struct writing *w, int64_t i, struct drxi_block *block)
{
    drxi_cut_block(&w->cut, w->place[i].address, w->place[i].index, 0, block);
}

/* At most INT_MAX, as the bytes of any compressed chunk. */
static int64_t payload_piece_bytes(const struct writing *w, const struct drxi_block *block, int rank)
{
    return drxi_block_count(block, drx_ndim(w->m->a), sets_of(w, rank)) * (int64_t)w->data->item_bytes;
}

static struct drxi_place my_memory(const struct writing *w)
{
    return (struct drxi_place){ DRXI_MEMORY, w->part->mem, w->part->stride_bytes };
}

/* Returns the number of sends. */
static int send_pieces(struct writing *w)
{
    const int me = w->m->rank;
    uint8_t *to = w->sent;
    int n = 0;

    for (int64_t i = 0; i < w->round.n; i++) {
        struct drxi_block block;
        int64_t bytes;

        block_of(w, i, &block);
        bytes = drxi_round_owner(&w->round, i) == me ? 0 : payload_piece_bytes(w, &block, me);
        if (bytes == 0)
            continue;
        drxi_block_copy(&w->cut, &block, sets_of(w, me), (struct drxi_place){ DRXI_PACKED, to, NULL }, my_memory(w));
        note_payload_error(w, drxi_mpi(MPI_Isend(to, (int)bytes, MPI_BYTE, drxi_round_owner(&w->round, i), TAG,
                                                 w->part->comm, &w->sends[n++]),
                                       "sending a piece"));
        to += bytes;
    }
    return n;
}

/* Assemble a chunk that this rank owns. */
static void assemble(struct writing *w, int64_t i, struct drxi_packed_chunk *c)
{
    const struct drxi_place image = { DRXI_IMAGE, c->image, NULL }, piece = { DRXI_PACKED, w->piece, NULL };
    struct drxi_block block;

    block_of(w, i, &block);
    c->address = w->place[i].address;
    memcpy(c->index, w->place[i].index, sizeof c->index);
    memset(c->marks, 0, (size_t)(w->data->chunk_bytes / (int64_t)w->data->item_bytes));
    for (int rank = 0; rank < w->m->ranks; rank++) {
        const int64_t bytes = payload_piece_bytes(w, &block, rank);

        if (bytes == 0)
            continue;
        if (rank != w->m->rank)
            note_payload_error(
                w, drxi_mpi(MPI_Recv(w->piece, (int)bytes, MPI_BYTE, rank, TAG, w->part->comm, MPI_STATUS_IGNORE),
                            "receiving a piece"));
        drxi_block_copy(&w->cut, &block, sets_of(w, rank), image, rank == w->m->rank ? my_memory(w) : piece);
        drxi_block_mark(&w->cut, &block, sets_of(w, rank), c->marks);
    }
}

static void exchange_payloads(struct writing *w)
{
    const int n = send_pieces(w);

    for (int64_t k = 0; k < w->round.mine; k++)
        assemble(w, w->round.first + k, &w->c[k]);
    for (int i = 0; i < n; i++)
        note_payload_error(w, drxi_mpi(MPI_Wait(&w->sends[i], MPI_STATUS_IGNORE), "sending pieces"));
}

static bool write_round(struct writing *w)
{
    bool good;

    exchange_payloads(w);
    if (!w->round.st)
        note_payload_error(w, drxi_packed_begin(w->data, &w->bounds, w->round.mine, w->c));
    good = drxi_round_place(&w->round, w->c);
    if (good)
        drxi_pack_note(w->data->file->pack); /* as if this rank had written all of it */
    note_payload_error(w, drxi_packed_end(w->data, w->round.mine, w->c, good));
    return good;
}

/* ---- the whole ---- */

static void cut_whole_chunks(struct writing *w)
{
    const drx_array *a = w->m->a;

    w->cut = (struct drxi_cut){ .a = a, .bytes = w->data->chunk_bytes };
    for (int j = 0; j < drx_ndim(a); j++) {
        w->cut.extent[j] = drx_chunk(a)[j];
        w->cut.count[j] = 1;
    }
}

/* The bytes of all elements that this rank gives. */
static int64_t my_bytes(const struct writing *w)
{
    int64_t bytes = (int64_t)w->data->item_bytes, first, last;

    for (int j = 0; j < drx_ndim(w->m->a); j++) {
        const struct drxi_axis_set *set = &sets_of(w, w->m->rank)[j];

        if (!drxi_axis_bounds(set, &first, &last))
            return 0;
        bytes = drxi_mul_saturated(bytes, drxi_axis_count(set, first, last + 1));
    }
    return bytes;
}

static drx_status take_payload_memory(struct writing *w)
{
    const size_t ranks = (size_t)w->m->ranks, slots = (size_t)w->round.slots,
                 round = (size_t)drxi_round_most(&w->round), bytes = (size_t)w->data->chunk_bytes,
                 items = bytes / w->data->item_bytes;

    w->cursor = drxi_malloc(ranks * sizeof *w->cursor);
    w->more = drxi_malloc(ranks * sizeof *w->more);
    w->place = drxi_malloc(round * sizeof *w->place);
    w->c = drxi_calloc(slots, sizeof *w->c);
    w->images = drxi_malloc(slots * bytes);
    w->marks = drxi_malloc(slots * items);
    w->piece = drxi_malloc(bytes);
    w->sent = drxi_malloc((size_t)drxi_min((int64_t)(round * bytes), my_bytes(w)));
    w->sends = drxi_malloc(round * sizeof(MPI_Request));
    if (!w->cursor || !w->more || !w->place || !w->c || !w->images || !w->marks || !w->piece || !w->sent || !w->sends)
        return DRX_ENOMEM;
    for (size_t k = 0; k < slots; k++) {
        w->c[k].image = w->images + k * bytes;
        w->c[k].marks = w->marks + k * items;
    }
    return DRX_OK;
}

static void release_writing(struct writing *w)
{
    drxi_free(w->cursor);
    drxi_free(w->more);
    drxi_free(w->place);
    drxi_free(w->c);
    drxi_free(w->images);
    drxi_free(w->marks);
    drxi_free(w->piece);
    drxi_free(w->sent);
    drxi_free(w->sends);
}

drx_status drxi_packed_write_all(drxmp_array *m, const struct drxi_part_of_all *part, drx_status st)
{
    struct writing w = { .m = m, .part = part, .data = drxi_data_of(m->a) };

    cut_whole_chunks(&w);
    drxi_round_new(&w.round, m, part->comm, COPIES);
    note_payload_error(&w, take_payload_memory(&w));
    w.round.st = drxi_agree(part->comm, st ? st : w.round.st, NULL);
    if (!w.round.st)
        drxi_round_start(&w.round);
    if (!w.round.st) {
        start_writing(&w);
        while (next_round(&w) && write_round(&w))
            ;
    }
    release_writing(&w);
    return drxi_round_end(&w.round);
}
