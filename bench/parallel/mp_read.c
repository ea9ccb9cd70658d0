/* Reads of an array in pieces, one call each: its blocks, strips of columns and square sections, which the ranks read
 * together, and small boxes, which each rank reads alone. Timed: the reading alone. */
#include <string.h>

#include "bench_mp.h"

enum { STRIPS_READ = 16, STRIP = 64, SECTIONS = 8, BOX = 16, LEAST_BOXES = 50 };
enum { STRIP_SEED = 7 << 28, BOX_SEED = 6 << 28 };
#define SECTION_SEED (8ull << 28)

static int64_t place(uint64_t seed, int64_t free_places)
{
    return (int64_t)(mix(seed) % (uint64_t)(free_places + 1));
}

/* Of an array of 1 GiB 2000 boxes; of a smaller one in proportion. */
static int64_t piece_count(const struct work *work, const struct job *job)
{
    const int64_t boxes = 2000 * job->size * job->size / (512 * 512);

    if (work->access == BOXES)
        return boxes < LEAST_BOXES ? LEAST_BOXES : boxes;
    return (work->number & IN_STRIPS) ? STRIPS_READ : (work->number & IN_SECTIONS) ? SECTIONS : 1;
}

/* What this rank reads of piece `which`: a box of its own, of a strip its rows, of a section or of all its block. */
static struct part part_of_piece(const struct work *work, const struct job *job, int64_t which)
{
    const struct layout layout = plane_layout(job), section = { 2, { 4 * job->size, 4 * job->size }, { 0 } };
    const int64_t *n = layout.extent, rows = n[0] / bench_ranks, none[2] = { 0 };
    uint64_t seed = SECTION_SEED + 2 * (uint64_t)which;
    struct part part = part_of(work, job, bench_rank);

    if (work->access == BOXES) {
        seed = BOX_SEED + ((uint64_t)bench_rank << 32) + 2 * (uint64_t)which;
        part = (struct part){ { place(seed, n[0] - BOX), place(seed + 1, n[1] - BOX) }, { BOX, BOX }, false };
    } else if (work->number & IN_STRIPS) {
        part = (struct part){ { bench_rank * rows, place(STRIP_SEED + (uint64_t)which, n[1] - STRIP) },
                              { rows, STRIP },
                              false };
    } else if (work->number & IN_SECTIONS) {
        part = block_of(&section, none, bench_rank);
        for (int j = 0; j < 2; j++)
            part.lo[j] += place(seed + (uint64_t)j, n[j] - section.extent[j]);
    }
    return part;
}

/* Bring the array into the page cache, and open it. Collective. */
static enum outcome open_warm(const struct work *work, const struct job *job, void **out)
{
    const struct layout layout = plane_layout(job);
    const char *const path = kept_path(work, job);

    if (agree(bench_rank == 0 ? settle_cache(job->peer->suffixes, path, false) : DONE) != DONE)
        return FAILED;
    return agree(job->peer->open(job->peer, path, &layout, work->access, out));
}

static enum outcome run_read(const struct work *work, const struct job *job)
{
    const bool alone = work->access == BOXES;
    const int64_t pieces = piece_count(work, job);
    struct part part = part_of_piece(work, job, 0);
    const int64_t n = box_elements(2, part.count);
    double *out = memory_for(TARGET, &part, pieces);
    enum outcome outcome = check_history(work, job);
    struct measure measure;
    void *array;
    bool known;

    if (outcome != DONE)
        return outcome;
    if (!out || open_warm(work, job, &array) != DONE)
        return FAILED;
    known = !alone && is_known(work, job);
    if (!known) /* forget what another peer read */
        memset(out, 0xff, (size_t)(n * pieces) * sizeof *out);
    start_measure(&measure);
    for (int64_t p = 0; p < pieces && outcome == DONE; p++) {
        part = part_of_piece(work, job, p);
        outcome = alone ? read_box(job->peer, array, part.lo, part.count, out + p * n)
                        : move_part(job->peer, array, false, &part, out + p * n);
    }
    answer_measure(&measure, 1);
    if (alone)
        answer_integer("boxes", pieces);
    if (agree(outcome) != DONE || agree(job->peer->close(array)) != DONE)
        return FAILED;
    for (int64_t p = 0; p < pieces && !known && outcome == DONE; p++) {
        part = part_of_piece(work, job, p);
        outcome = check_box(2, part.lo, part.count, part.fortran, out + p * n);
    }
    return agree(outcome);
}

const struct work mp_read_works[] = {
    { "read", run_read, WHOLE, 0, NULL },
    { "read-fortran", run_read, WHOLE, IN_FORTRAN, NULL },
    { "read-history", run_read, WHOLE, HISTORY, NULL },
    { "read-unaligned", run_read, WHOLE, UNALIGNED, NULL },
    { "strips", run_read, WHOLE, IN_STRIPS, NULL },
    { "sections", run_read, WHOLE, IN_SECTIONS, NULL },
    { "boxes", run_read, BOXES, 0, NULL },
    { 0 },
};
