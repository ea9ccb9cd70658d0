/* Threads that read boxes of an array in the page cache, alone and while another thread appends to it through the same
 * handle. */
#include <drx.h>
#include <drx_tools.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../common/bench.h"
#include "peer_drx.h"

enum { READERS = 4, ROW = 1024, CHUNK_ROWS = 128, BOX_ROWS = 512, SLAB_ROWS = 1024 };

static const double least_seconds = 2;

struct run {
    drx_array *a;
    int64_t rows; /* at the start */
    atomic_bool over, failed;
};

struct reader {
    pthread_t thread;
    struct run *run;
    unsigned at;
    int64_t boxes;
    double longest; /* call, in seconds */
    double box[BOX_ROWS * ROW];
};

/* Each element of a row is its index. */
static void fill_rows(int64_t first, int64_t rows, double *out)
{
    for (int64_t i = 0; i < rows * ROW; i++)
        out[i] = (double)(first + i / ROW);
}

static void *keep_reading(void *arg)
{
    struct reader *r = arg;

    while (!atomic_load(&r->run->over) && !atomic_load(&r->run->failed)) {
        const int64_t lo[2] = { (r->at = r->at * 1103515245u + 12345u) / 65536 % (r->run->rows - BOX_ROWS), 0 };
        const int64_t count[2] = { BOX_ROWS, ROW };
        const double start = now();

        if (drx_read(r->run->a, lo, count, DRX_ROW_MAJOR, r->box) || r->box[0] != (double)lo[0] ||
            r->box[BOX_ROWS * ROW - 1] != (double)(lo[0] + BOX_ROWS - 1))
            atomic_store(&r->run->failed, true);
        r->longest = now() - start > r->longest ? now() - start : r->longest;
        r->boxes++;
    }
    return NULL;
}

/* Until the time is over; `appends`: NULL for nothing. */
static drx_status append_meanwhile(struct run *run, double *slab, int64_t *appends)
{
    const double start = now();
    drx_status st = DRX_OK;

    while (now() - start < least_seconds && !st)
        if (appends) {
            fill_rows(run->rows + *appends * SLAB_ROWS, SLAB_ROWS, slab);
            st = drx_append(run->a, 0, SLAB_ROWS, DRX_ROW_MAJOR, slab);
            ++*appends;
        } else {
            (void)nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
        }
    atomic_store(&run->over, true);
    return st;
}

static enum outcome read_beside(struct run *run, struct reader *readers, double *slab, bool append)
{
    const double start = now();
    int64_t boxes = 0, appends = 0;
    double longest = 0, seconds;
    drx_status st;

    for (int i = 0; i < READERS; i++) {
        readers[i].run = run;
        readers[i].at = (unsigned)i;
        readers[i].boxes = 0;
        readers[i].longest = 0;
        if (pthread_create(&readers[i].thread, NULL, keep_reading, &readers[i]))
            return complain("no thread");
    }
    st = append_meanwhile(run, slab, append ? &appends : NULL);
    for (int i = 0; i < READERS; i++) {
        (void)pthread_join(readers[i].thread, NULL);
        boxes += readers[i].boxes;
        longest = readers[i].longest > longest ? readers[i].longest : longest;
    }
    seconds = now() - start;
    if (st || atomic_load(&run->failed))
        return complain("%s", st ? drx_last_error() : "a box was not what it should be");
    answer_number("seconds", seconds / (double)boxes);
    answer_number("longest_seconds", longest);
    answer_number("appends_a_second", (double)appends / seconds);
    return DONE;
}

/* work->number is 1: another appends. */
static enum outcome run_beside(const struct work *work, const struct job *job)
{
    const int64_t shape[2] = { 0, ROW }, chunk[2] = { CHUNK_ROWS, ROW };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    struct run run = { .rows = job->size * job->size / 8 };
    struct reader *readers = buffer(TARGET, READERS * sizeof *readers);
    double *slab = buffer(SLAB, (size_t)SLAB_ROWS * ROW * sizeof *slab);
    char path[PATH_BYTES];
    enum outcome outcome = DONE;
    drx_status st;

    if (!readers || !slab)
        return FAILED;
    run.rows = run.rows < 4 * BOX_ROWS ? 4 * BOX_ROWS : run.rows - run.rows % SLAB_ROWS;
    array_path(job->folder, job->peer->files, work->name, path);
    remove_files(drx_suffixes, path);
    st = drx_create(path, &spec, &run.a);
    for (int64_t row = 0; row < run.rows && !st; row += SLAB_ROWS) {
        fill_rows(row, SLAB_ROWS, slab);
        st = drx_append(run.a, 0, SLAB_ROWS, DRX_ROW_MAJOR, slab);
    }
    if (st)
        return complain("%s", drx_last_error());
    outcome = read_beside(&run, readers, slab, work->number == 1);
    if (drx_close(run.a) && outcome == DONE)
        outcome = complain("%s", drx_last_error());
    remove_files(drx_suffixes, path);
    return outcome;
}

const struct work beside_works[] = {
    { "beside-nobody", run_beside, GROWTH, 0 },
    { "beside-appends", run_beside, GROWTH, 1 },
    { 0 },
};
