/* Boxes through MPI-IO. A rank's box takes runs of bytes from its chunks. In the order of the file they make an indexed
 * file view, through which one call moves them (Otoo and Rotem 2009, section IV, the irregular array method). The bytes
 * pass through a stage, so no indexed memory type is needed.
 *
 * Invariants
 *   1. A part is a region of a chunk. To write, it has no gaps between its elements; to read, only gaps that cost less
 *      than another run. The stage holds its bytes as the file does.
 *   2. A round moves as many parts as the stage and the lists of runs have room for. All ranks make the same number of
 *      rounds, with the same calls in each, whatever has failed. A rank with nothing left moves 0 bytes.
 *   3. Collective calls are used only where each rank learns of its failure: see drxi_runs_together.
 *   4. Reads do not reach beyond the end of the file, where some MPI libraries count them wrongly. The rest is fill. */
#include "copy/copy.h"
#include "mp/move/move.h"

enum {
    MOST_STAGE_BYTES = 1 << 30, /* counts are int, and some MPI libraries fail with more */
    MOST_RUNS = 1 << 16,
    PARTS_A_STAGE = 8,           /* at least */
    READ_THROUGH_BYTES = 1 << 12 /* about what a run costs */
};

/* Open MPI has two implementations of MPI-IO, and a program cannot tell which one it uses. One of them, OMPIO, returns
 * success and the full count from its collective calls even when the device is full or broken, whatever the hints. */
#ifdef OPEN_MPI
bool drxi_runs_together = false;
#else
bool drxi_runs_together = true;
#endif

/* See invariant 1. */
struct part {
    int64_t offset, bytes; /* in the file */
    int64_t count[DRX_MAX_NDIM];
    uint8_t *mem;
};

/* The parts, in the order of the file. */
struct parts {
    struct drxi_cursor cursor;
    bool more;
    int64_t offset;                                 /* of the piece of the present chunk, in the file */
    uint8_t *mem;                                   /* of that piece */
    int64_t extent[DRX_MAX_NDIM], at[DRX_MAX_NDIM]; /* of a part; first index of the present part, in the piece */
    struct part part;
};

struct mover {
    drxmp_array *m;
    const drx_array *a;
    bool writing;
    const struct drxi_box *box;
    uint8_t *mem;
    int axes[DRX_MAX_NDIM];            /* of a chunk, fastest first */
    int64_t file_stride[DRX_MAX_NDIM]; /* bytes, of one step inside a chunk */
    int64_t file_bytes;
    struct parts parts;

    uint8_t *stage;
    int64_t stage_bytes;
    int *length;                 /* of each run of this round */
    MPI_Aint *begin;             /* its offset in the file */
    int64_t runs, filled, there; /* number of runs; bytes on the stage; those of them that the file has */
    int64_t missing;             /* offset of the first byte that the file lacks */
    drx_status st;
};

static void note_run_error(struct mover *mv, drx_status st)
{
    if (!mv->st)
        mv->st = st;
}

/* Cut a new piece into parts. A part has the fastest axes whole while the gaps are small enough, a part of the first
 * axis that does not fit, and one index of each slower axis. */
static void cut_piece(struct mover *mv)
{
    struct parts *p = &mv->parts;
    const struct drxi_piece *piece = &p->cursor.piece;
    const int64_t most = mv->stage_bytes / PARTS_A_STAGE, gap = mv->writing ? 0 : READ_THROUGH_BYTES;
    int64_t span = (int64_t)drxi_data_of(mv->a)->item_bytes;
    bool whole = true;

    p->offset = piece->address * drxi_data_of(mv->a)->chunk_pitch_bytes;
    p->mem = mv->mem;
    for (int i = 0; i < drx_ndim(mv->a); i++) {
        const int j = mv->axes[i];
        const int64_t stride = mv->file_stride[j];

        p->offset += piece->start[j] * drxi_data_of(mv->a)->item_pitch_bytes[j];
        p->mem += piece->from[j] * mv->box->stride_bytes[j];
        p->extent[j] = 1;
        p->at[j] = 0;
        if (piece->count[j] == 1 || !whole)
            continue;
        if (stride - span <= gap)
            p->extent[j] = drxi_min(piece->count[j], (most - span) / stride + 1);
        span += (p->extent[j] - 1) * stride;
        whole = p->extent[j] == piece->count[j];
    }
}

static void set_part(struct mover *mv)
{
    struct parts *p = &mv->parts;

    p->part.offset = p->offset;
    p->part.bytes = (int64_t)drxi_data_of(mv->a)->item_bytes;
    p->part.mem = p->mem;
    for (int j = 0; j < drx_ndim(mv->a); j++) {
        const int64_t count = drxi_min(p->extent[j], p->cursor.piece.count[j] - p->at[j]);

        p->part.count[j] = count;
        p->part.offset += p->at[j] * mv->file_stride[j];
        p->part.bytes += (count - 1) * mv->file_stride[j];
        p->part.mem += p->at[j] * mv->box->stride_bytes[j];
    }
}

static bool next_piece(struct mover *mv)
{
    struct parts *p = &mv->parts;
    bool more;

    do
        more = drxi_cursor_next(&p->cursor);
    while (more && drxi_leaves_out(mv->box, p->cursor.piece.address));
    if (more)
        cut_piece(mv);
    return more;
}

static bool next_in_piece(struct mover *mv)
{
    struct parts *p = &mv->parts;

    for (int i = 0; i < drx_ndim(mv->a); i++) {
        const int j = mv->axes[i];

        p->at[j] += p->extent[j];
        if (p->at[j] < p->cursor.piece.count[j])
            return true;
        p->at[j] = 0;
    }
    return false;
}

static void next_part(struct mover *mv)
{
    mv->parts.more = next_in_piece(mv) || next_piece(mv);
    if (mv->parts.more)
        set_part(mv);
}

static void first_part(struct mover *mv)
{
    struct parts *p = &mv->parts;

    memset(p, 0, sizeof *p);
    if (!mv->box || mv->st)
        return;
    drxi_cursor_start(&p->cursor, drxi_data_of(mv->a), mv->box->lo, mv->box->count, mv->box->step);
    p->more = next_piece(mv);
    if (p->more)
        set_part(mv);
}

static void copy_staged(const struct mover *mv, const struct part *part, uint8_t *staged)
{
    struct drxi_copy_axis axes[DRX_MAX_NDIM];
    const int ndim = drx_ndim(mv->a);

    for (int j = 0; j < ndim; j++) {
        const int64_t in_memory = mv->box->stride_bytes[j], on_stage = mv->file_stride[j];

        axes[j] = (struct drxi_copy_axis){ part->count[j], mv->writing ? on_stage : in_memory,
                                           mv->writing ? in_memory : on_stage };
    }
    drxi_copy_axes(ndim, axes, drxi_data_of(mv->a)->item_bytes, mv->writing ? staged : part->mem,
                   mv->writing ? part->mem : staged, false);
}

/* Add the part to the runs of the round; false when there is no room. */
static bool add_part(struct mover *mv, const struct part *part)
{
    const int64_t item = (int64_t)drxi_data_of(mv->a)->item_bytes;
    const int64_t left = drxi_max(mv->file_bytes - part->offset, 0) / item * item;
    const int64_t there = mv->writing ? part->bytes : drxi_min(part->bytes, left);
    const bool follows = mv->runs > 0 && mv->begin[mv->runs - 1] + mv->length[mv->runs - 1] == part->offset;

    if (mv->filled + part->bytes > mv->stage_bytes || (!follows && mv->runs == MOST_RUNS))
        return false;
    if (there < part->bytes && mv->there == mv->filled)
        mv->missing = part->offset + there;
    mv->filled += part->bytes;
    mv->there += there;
    if (there == 0)
        return true;
    if (!follows) {
        mv->begin[mv->runs] = part->offset;
        mv->length[mv->runs++] = 0;
    }
    mv->length[mv->runs - 1] += (int)there;
    return true;
}

/* Collect the parts of the next round; with `copy`, copy them between the stage and memory. */
static void walk_round(struct mover *mv, bool copy)
{
    mv->runs = mv->filled = mv->there = 0;
    while (mv->parts.more) {
        const int64_t at = mv->filled;

        if (!add_part(mv, &mv->parts.part))
            return;
        if (copy)
            copy_staged(mv, &mv->parts.part, mv->stage + at);
        next_part(mv);
    }
}

static int64_t count_rounds(struct mover *mv)
{
    int64_t n = 0;

    for (first_part(mv); mv->parts.more; n++)
        walk_round(mv, false);
    return n;
}

/* Set the view of this round. Returns the bytes to move through it; 0 after a failure. */
static int set_view(struct mover *mv)
{
    const char *path = drxi_data_of(mv->a)->file->io->path;
    MPI_Datatype runs = MPI_BYTE; /* some MPI libraries fail with an empty type */
    bool made = !mv->st && mv->runs > 0;
    int code;

    if (made) {
        code = MPI_Type_create_hindexed((int)mv->runs, mv->length, mv->begin, MPI_BYTE, &runs);
        made = code == MPI_SUCCESS;
        if (made)
            code = MPI_Type_commit(&runs);
        note_run_error(mv, drxi_mpi_file(code, path, "describing a file view"));
    }
    code = MPI_File_set_view(mv->m->file, 0, MPI_BYTE, runs, "native", MPI_INFO_NULL);
    note_run_error(mv, drxi_mpi_file(code, path, "setting a file view"));
    if (made)
        (void)MPI_Type_free(&runs); /* the view keeps it */
    return mv->st ? 0 : (int)mv->there;
}

static void write_runs(struct mover *mv, int n)
{
    MPI_Status status;
    const MPI_File file = mv->m->file;
    const int code = drxi_runs_together ? MPI_File_write_all(file, mv->stage, n, MPI_BYTE, &status)
                                        : MPI_File_write(file, mv->stage, n, MPI_BYTE, &status);

    if (n > 0 && (code != MPI_SUCCESS || drxi_mpi_moved(&status) != n))
        note_run_error(mv, drxi_mpi_write_failed(drxi_data_of(mv->a)->file->io, code, mv->begin[0],
                                                 mv->begin[mv->runs - 1] + mv->length[mv->runs - 1]));
}

static void read_runs(struct mover *mv, int n)
{
    const char *path = drxi_data_of(mv->a)->file->io->path;
    MPI_Status status;
    const MPI_File file = mv->m->file;
    const int code = drxi_runs_together ? MPI_File_read_all(file, mv->stage, n, MPI_BYTE, &status)
                                        : MPI_File_read(file, mv->stage, n, MPI_BYTE, &status);
    const int got = n > 0 && code == MPI_SUCCESS ? drxi_mpi_moved(&status) : 0; /* without bytes there is no status */

    note_run_error(mv, drxi_mpi_file(code, path, "reading"));
    if (!mv->st && got != n)
        note_run_error(mv, drxi_fail(DRX_EIO, "%s: reading %d bytes from offset %lld on: MPI-IO gave %d", path, n,
                                     (long long)mv->begin[0], got));
    if (!mv->st)
        note_run_error(mv, drxi_data_complete(drxi_data_of(mv->m->a), mv->stage, (size_t)mv->filled, (size_t)mv->there,
                                              mv->missing));
}

static void write_round(struct mover *mv)
{
    drx_array *a = mv->m->a;
    int n;

    walk_round(mv, !mv->st);
    drxi_swap(mv->stage, (size_t)mv->filled, drx_dtype(a));
    n = set_view(mv);
    if (n > 0) {
        atomic_store_explicit(&drxi_data_of(a)->file->unsynced, true, memory_order_relaxed);
        drxi_count(&drxi_data_of(a)->file->counts.writes, 1);
        drxi_count(&drxi_data_of(a)->file->counts.written_bytes, n);
    }
    write_runs(mv, n);
}

static void read_round(struct mover *mv)
{
    const struct parts before = mv->parts;
    drx_array *a = mv->m->a;
    int n;

    walk_round(mv, false);
    n = set_view(mv);
    if (n > 0) {
        drxi_count(&drxi_data_of(a)->file->counts.reads, 1);
        drxi_count(&drxi_data_of(a)->file->counts.read_bytes, n);
    }
    read_runs(mv, n);
    if (mv->st)
        return;
    mv->parts = before;
    walk_round(mv, true);
}

static int64_t runs_bytes(const struct mover *mv)
{
    return drxi_times((int64_t)drxi_data_of(mv->a)->item_bytes, drx_ndim(mv->a), mv->box->count);
}

static void prepare_runs(struct mover *mv)
{
    const drx_array *a = mv->a;
    const int ndim = drx_ndim(a);
    const struct drxi_box *box = mv->box;

    for (int j = 0; j < ndim; j++) {
        mv->axes[j] = drxi_data_of(a)->chunk_order == DRX_ROW_MAJOR ? ndim - 1 - j : j;
        mv->file_stride[j] =
            drxi_mul_saturated(drxi_data_of(a)->item_pitch_bytes[j], box->count[j] > 1 ? box->step[j] : 1);
    }
    mv->stage_bytes = drxi_min(mv->m->settings.buffer_bytes / 2, MOST_STAGE_BYTES);
    mv->stage = drxi_malloc((size_t)mv->stage_bytes);
    mv->length = drxi_malloc(MOST_RUNS * sizeof *mv->length);
    mv->begin = drxi_malloc(MOST_RUNS * sizeof *mv->begin);
    if (!mv->stage || !mv->length || !mv->begin)
        note_run_error(mv, DRX_ENOMEM);
    if (!mv->writing) {
        note_run_error(mv, drxi_data_of(a)->file->io->ops->size(drxi_data_of(a)->file->io, &mv->file_bytes));
        drxi_count(&drxi_data_of(mv->m->a)->file->counts.wanted_bytes, runs_bytes(mv));
    }
}

drx_status drxi_move_runs(drxmp_array *m, bool writing, const struct drxi_box *box, void *mem)
{
    struct mover mv = { .m = m, .a = m->a, .writing = writing, .box = box, .mem = mem };
    int64_t rounds;

    if (box)
        prepare_runs(&mv);
    rounds = count_rounds(&mv);
    note_run_error(
        &mv, drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, m->comm), "agreeing on rounds"));
    for (first_part(&mv); rounds > 0; rounds--) {
        if (writing)
            write_round(&mv);
        else
            read_round(&mv);
    }
    drxi_free(mv.stage);
    drxi_free(mv.length);
    drxi_free(mv.begin);
    return mv.st;
}
