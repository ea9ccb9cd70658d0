/* Growth at low ends beside growth at high ends; and a rolling archive, which is appended to at one end and trimmed at
 * the other. */
#include <drx.h>
#include <drx_tools.h>

#include "../common/bench_drx.h"
#include "peer_drx.h"

enum { CHUNK = 32, ROW = 512, KEPT = 365, SYNC_EVERY = 1000, OPENINGS = 10 };

static enum outcome make(const char *path, const int64_t shape[], const int64_t chunk[], int ndim, drx_array **out)
{
    const drx_spec spec = { .ndim = ndim, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };

    remove_files(drx_suffixes, path);
    return of_drx(drx_create(path, &spec, out));
}

/* Every axis in turn, a chunk at a time, until each has as many as the cube; work->number is 1: at the low ends. */
static enum outcome run_ends(const struct work *work, const struct job *job)
{
    const int64_t chunk[3] = { CHUNK, CHUNK, CHUNK };
    const int64_t growths = 3 * (job->size / CHUNK - 1);
    double seconds = 0, *slab = buffer(SLAB, (size_t)(job->size * job->size) * CHUNK * sizeof *slab);
    const char *const path = path_of(job, work->name);
    enum outcome outcome;
    drx_array *a;

    outcome = slab ? make(path, chunk, chunk, 3, &a) : FAILED;
    if (outcome != DONE)
        return outcome;
    for (int64_t g = 0; g < growths && outcome == DONE; g++) {
        const int axis = (int)(g % 3);
        const double start = now();

        outcome = of_drx(work->number ? drx_prepend(a, axis, CHUNK, DRX_ROW_MAJOR, slab)
                                      : drx_append(a, axis, CHUNK, DRX_ROW_MAJOR, slab));
        seconds += now() - start;
    }
    answer_number("seconds", seconds);
    if (drx_close(a) && outcome == DONE)
        outcome = of_drx(DRX_EIO);
    remove_files(drx_suffixes, path);
    return outcome;
}

/* How long it takes to open it and to read its first element. */
static enum outcome time_opening(const char *path)
{
    const double start = now();
    drx_status st = DRX_OK;

    for (int i = 0; i < OPENINGS && !st; i++) {
        drx_array *a;
        double element;

        st = drx_open(path, DRX_RDONLY, &a);
        if (!st)
            st = drx_get(a, drx_lower(a), &element);
        if (!st)
            st = drx_close(a);
    }
    answer_number("open_seconds", (now() - start) / OPENINGS);
    return of_drx(st);
}

/* Days of a row each. A year of them is kept. */
static enum outcome roll(drx_array *a, int64_t days, double *row)
{
    drx_status st = DRX_OK;

    for (int64_t day = 0; day < days && !st; day++) {
        const int64_t lo[2] = { day, 0 }, count[2] = { 1, ROW };

        fill_box(2, lo, count, false, row);
        st = drx_append(a, 0, 1, DRX_ROW_MAJOR, row);
        if (!st && day >= KEPT)
            st = drx_trim(a, 0, 1, 0);
        if (!st && day % SYNC_EVERY == 0)
            st = drx_sync(a);
    }
    return of_drx(st ? st : drx_sync(a));
}

static enum outcome check_year(drx_array *a, int64_t days)
{
    const int64_t lo[2] = { days - KEPT, 0 }, count[2] = { KEPT, ROW };
    double *year = buffer(TARGET, sizeof *year * KEPT * ROW);
    enum outcome outcome;

    if (!year || drx_lower(a)[0] != lo[0] || drx_shape(a)[0] != KEPT)
        return complain("the archive has %lld days", (long long)drx_shape(a)[0]);
    outcome = of_drx(drx_read(a, lo, count, DRX_ROW_MAJOR, year));
    return outcome == DONE ? check_box(2, lo, count, false, year) : outcome;
}

static enum outcome run_rolling(const struct work *work, const struct job *job)
{
    const int64_t days = job->size < 256 ? KEPT + work->number / 100 : work->number;
    const int64_t shape[2] = { 0, ROW }, chunk[2] = { 1, ROW };
    double start = now(), row[ROW];
    const char *const path = path_of(job, work->name);
    enum outcome outcome;
    drx_array *a;

    outcome = make(path, shape, chunk, 2, &a);
    if (outcome != DONE)
        return outcome;
    outcome = roll(a, days, row);
    answer_number("seconds", (now() - start) / (double)days);
    answer_integer("days", days);
    if (outcome == DONE)
        outcome = check_year(a, days);
    if (drx_close(a) && outcome == DONE)
        outcome = of_drx(DRX_EIO);
    answer_integer("data_bytes", stored_bytes(path, ".xta"));
    answer_integer("metadata_bytes", stored_bytes(path, ".xmd"));
    if (outcome == DONE)
        outcome = time_opening(path);
    remove_files(drx_suffixes, path);
    return outcome;
}

const struct work ends_works[] = {
    { "ends-high", run_ends, GROWTH, 0, NULL },
    { "ends-low", run_ends, GROWTH, 1, NULL },
    { "rolling-1000", run_rolling, GROWTH, 1000, NULL },
    { "rolling-10000", run_rolling, GROWTH, 10000, NULL },
    { "rolling-1000000", run_rolling, GROWTH, 1000000, NULL },
    { 0 },
};
