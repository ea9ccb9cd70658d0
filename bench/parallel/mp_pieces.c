/* Reads of some pieces of an array, one call each: strips of columns and square sections, which the ranks read
 * together, and small boxes, which each rank reads alone. */
#include <string.h>

#include "bench_mp.h"

enum { STRIPS_READ = 16, STRIP = 64, SECTIONS = 8, BOX = 16, LEAST_BOXES = 50 };
enum { STRIP_SEED = 7 << 28, BOX_SEED = 6 << 28 };
#define SECTION_SEED (8ull << 28)

static int64_t place(uint64_t seed, int64_t free_places)
{
    return (int64_t)(mix(seed) % (uint64_t)(free_places + 1));
}

/* What this rank reads of piece `which`: of a strip its rows, of a section its block. */
typedef struct part part_of_piece(const struct job *job, int64_t which);

static struct part part_of_strip(const struct job *job, int64_t which)
{
    const struct layout layout = plane_layout(job);
    const int64_t rows = layout.extent[0] / bench_ranks;

    return (struct part){ .lo = { bench_rank * rows, place(STRIP_SEED + (uint64_t)which, layout.extent[1] - STRIP) },
                          .count = { rows, STRIP } };
}

static struct part part_of_section(const struct job *job, int64_t which)
{
    const struct layout layout = plane_layout(job);
    const int64_t edge = 4 * job->size;
    int blocks[2] = { 0, 0 };
    struct part part = { .fortran = false };

    MPI_Dims_create(bench_ranks, 2, blocks);
    for (int j = 0; j < 2; j++) {
        const int at = j == 0 ? bench_rank / blocks[1] : bench_rank % blocks[1];

        part.count[j] = edge / blocks[j];
        part.lo[j] =
            place(SECTION_SEED + 2 * (uint64_t)which + (uint64_t)j, layout.extent[j] - edge) + at * part.count[j];
    }
    return part;
}

/* Box `which` of this rank. */
static struct part part_of_box(const struct job *job, int64_t which)
{
    const uint64_t seed = BOX_SEED + ((uint64_t)bench_rank << 32) + 2 * (uint64_t)which;
    const struct layout layout = plane_layout(job);
    struct part part = { .count = { BOX, BOX } };

    for (int j = 0; j < 2; j++)
        part.lo[j] = place(seed + (uint64_t)j, layout.extent[j] - BOX);
    return part;
}

/* Together, or (BOXES) each rank alone. */
static enum outcome read_pieces(const struct work *work, const struct job *job, part_of_piece *part_of, int64_t pieces)
{
    const bool alone = work->access == BOXES;
    struct part part = part_of(job, 0);
    const int64_t n = box_elements(2, part.count);
    double *out = buffer(TARGET, (size_t)(n * pieces) * sizeof *out);
    enum outcome outcome = DONE;
    struct measure measure;
    void *array;

    if (agree(out ? DONE : FAILED) != DONE || open_warm(work, job, work->access, &array) != DONE)
        return FAILED;
    memset(out, 0xff, (size_t)(n * pieces) * sizeof *out);
    start_measure(&measure);
    for (int64_t p = 0; p < pieces && outcome == DONE; p++) {
        part = part_of(job, p);
        outcome = alone ? job->peer->read(array, part.lo, part.count, out + p * n)
                        : job->peer->move(array, false, &part, out + p * n);
    }
    if (finish_read(job, &measure, outcome, array) != DONE)
        return FAILED;
    if (!alone && is_known(work, job))
        return DONE;
    for (int64_t p = 0; p < pieces && outcome == DONE; p++) {
        part = part_of(job, p);
        outcome = check_plane(part.lo, part.count, false, out + p * n);
    }
    return agree(outcome);
}

static enum outcome run_strips(const struct work *work, const struct job *job)
{
    return read_pieces(work, job, part_of_strip, STRIPS_READ);
}

static enum outcome run_sections(const struct work *work, const struct job *job)
{
    return read_pieces(work, job, part_of_section, SECTIONS);
}

/* 2000 boxes of an array of 1 GiB; of a smaller one in proportion. */
static int64_t box_count(int64_t size)
{
    const int64_t n = 2000 * size * size / (512 * 512);

    return n < LEAST_BOXES ? LEAST_BOXES : n;
}

static enum outcome run_boxes(const struct work *work, const struct job *job)
{
    const int64_t boxes = box_count(job->size);

    answer_integer("boxes", boxes);
    return read_pieces(work, job, part_of_box, boxes);
}

const struct work mp_piece_works[] = {
    { "strips", run_strips, WHOLE, 0 },
    { "sections", run_sections, WHOLE, 0 },
    { "boxes", run_boxes, BOXES, 0 },
    { 0 },
};
