/* Threads that read boxes of an array in the page cache, alone and while another thread appends to it through the same
 * handle. */
#include <drx_tools.h>
#include <stdatomic.h>
#include <time.h>

#include "peer_drx.h"

enum { READERS = 4, ROW = 1024, CHUNK_ROWS = 128, BOX_ROWS = 512, SLAB_ROWS = 1024 };

static const double least_seconds = 2;

struct reader {
    int64_t boxes;
    double longest; /* call, in seconds */
    double box[BOX_ROWS * ROW];
};

struct run {
    drx_array *a;
    int64_t rows, appends;
    bool append;
    double *slab;
    struct reader *readers;
    atomic_bool over; /* one failed, or the time is over */
};

/* Each element of a row is its index. */
static drx_status append_slab(struct run *run, int64_t first)
{
    for (int64_t i = 0; i < SLAB_ROWS * ROW; i++)
        run->slab[i] = (double)(first + i / ROW);
    return drx_append(run->a, 0, SLAB_ROWS, DRX_ROW_MAJOR, run->slab);
}

static enum outcome keep_reading(struct run *run, struct reader *r, unsigned at)
{
    while (!atomic_load(&run->over)) {
        const int64_t lo[2] = { (at = at * 1103515245u + 12345u) / 65536 % (run->rows - BOX_ROWS), 0 };
        const int64_t count[2] = { BOX_ROWS, ROW };
        const double start = now();

        if (drx_read(run->a, lo, count, DRX_ROW_MAJOR, r->box) || r->box[0] != (double)lo[0] ||
            r->box[BOX_ROWS * ROW - 1] != (double)(lo[0] + BOX_ROWS - 1)) {
            atomic_store(&run->over, true);
            return complain("a box was not what it should be");
        }
        r->longest = now() - start > r->longest ? now() - start : r->longest;
        r->boxes++;
    }
    return DONE;
}

/* Each thread is a reader, but the first one appends, or waits, until the time is over. */
static enum outcome take_part(void *with, int which)
{
    struct run *run = with;
    const double start = now();
    drx_status st = DRX_OK;

    if (which)
        return keep_reading(run, &run->readers[which - 1], (unsigned)which);
    while (now() - start < least_seconds && !st && !atomic_load(&run->over))
        if (run->append)
            st = append_slab(run, run->rows + run->appends++ * SLAB_ROWS);
        else
            (void)nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    atomic_store(&run->over, true);
    return of_drx(st);
}

static enum outcome read_beside(struct run *run)
{
    const double start = now();
    const enum outcome outcome = in_threads(READERS + 1, take_part, run);
    const double seconds = now() - start;
    int64_t boxes = 0;
    double longest = 0;

    for (int i = 0; i < READERS; i++) {
        boxes += run->readers[i].boxes;
        longest = run->readers[i].longest > longest ? run->readers[i].longest : longest;
    }
    answer_number("seconds", seconds / (double)boxes);
    answer_number("longest_seconds", longest);
    answer_number("appends_a_second", (double)run->appends / seconds);
    return outcome;
}

/* work->number is 1: another appends. */
static enum outcome run_beside(const struct work *work, const struct job *job)
{
    const int64_t shape[2] = { 0, ROW }, chunk[2] = { CHUNK_ROWS, ROW }, rows = job->size * job->size / 8;
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    struct run run = { .rows = rows < 4 * BOX_ROWS ? 4 * BOX_ROWS : rows - rows % SLAB_ROWS,
                       .append = work->number == 1,
                       .slab = buffer(SLAB, (size_t)SLAB_ROWS * ROW * sizeof *run.slab),
                       .readers = buffer(TARGET, READERS * sizeof *run.readers) };
    const char *const path = path_of(job, work->name);
    enum outcome outcome;
    drx_status st;

    if (!run.readers || !run.slab)
        return FAILED;
    for (int i = 0; i < READERS; i++)
        run.readers[i].boxes = run.readers[i].longest = 0;
    remove_files(drx_suffixes, path);
    st = drx_create(path, &spec, &run.a);
    for (int64_t row = 0; row < run.rows && !st; row += SLAB_ROWS)
        st = append_slab(&run, row);
    if (st)
        return of_drx(st);
    outcome = read_beside(&run);
    if (drx_close(run.a) && outcome == DONE)
        outcome = of_drx(DRX_EIO);
    remove_files(drx_suffixes, path);
    return outcome;
}

const struct work beside_works[] = {
    { "beside-nobody", run_beside, GROWTH, 0, NULL },
    { "beside-appends", run_beside, GROWTH, 1, NULL },
    { 0 },
};
