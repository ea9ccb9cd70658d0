/* Ten jobs that append steps to one dataset at once, beside ten that have a dataset each, and one after the other. */
#include <drx_dataset.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common/bench.h"

enum { JOBS = 10, STEPS = 20, ROWS = 256, COLUMNS = 512 };

enum way { RESERVING, IN_TURN, OWN, ALONE, WAYS };

static const char *const names[] = { "u", "v" };
static double step[ROWS * COLUMNS];

static drx_status make(const char *path)
{
    const int64_t shape[] = { 0, ROWS, COLUMNS }, chunk[] = { 1, ROWS, COLUMNS };
    const char *const dims[] = { "time", "y", "x" };
    const drx_spec spec = { .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .dims = dims };
    drx_dataset *ds = NULL;
    drx_status st = access(path, F_OK) == 0 ? drx_dataset_delete(path) : DRX_OK;

    if (!st)
        st = drx_dataset_create(path, &ds);
    for (int i = 0; i < 2 && !st; i++)
        st = drx_dataset_add(ds, names[i], &spec, NULL);
    if (!st)
        st = drx_dataset_commit(ds, NULL);
    return ds && drx_dataset_close(ds) && !st ? DRX_EIO : st;
}

static drx_status write_step(drx_dataset *ds, int64_t t)
{
    drx_status st = DRX_OK;

    for (int i = 0; i < 2 && !st; i++) {
        drx_array *a;

        st = drx_dataset_array(ds, names[i], &a);
        if (!st)
            st = drx_write(a, (const int64_t[]){ t, 0, 0 }, (const int64_t[]){ 1, ROWS, COLUMNS }, DRX_ROW_MAJOR, step);
    }
    return st;
}

static drx_status append_step(drx_dataset *ds, enum way way)
{
    int64_t t = 0;
    drx_status st = way == RESERVING ? drx_dataset_reserve(ds, "time", 1, &t) : drx_dataset_begin(ds);

    if (!st && way != RESERVING) {
        (void)drx_dataset_dim(ds, drx_dataset_dim_find(ds, "time"), &t);
        st = drx_dataset_extend(ds, "time", 1);
    }
    if (!st)
        st = write_step(ds, t);
    return st ? st : drx_dataset_commit(ds, NULL);
}

static drx_status append(const char *path, enum way way, int steps)
{
    drx_dataset *ds = NULL;
    drx_status st = drx_dataset_open(path, way == OWN || way == ALONE ? DRX_RDWR : DRX_SHARED, DRX_LAST, &ds);

    for (int i = 0; i < steps && !st; i++)
        st = append_step(ds, way);
    return ds && drx_dataset_close(ds) && !st ? DRX_EIO : st;
}

static void path_of(const char *path, enum way way, int i, char out[PATH_BYTES])
{
    (void)snprintf(out, PATH_BYTES, "%.*s-%d", PATH_BYTES - 20, path, way == OWN ? i : 0);
}

/* Each job is a process. */
static drx_status run(const char *path, enum way way)
{
    pid_t job[JOBS];
    int failed = 0;

    for (int i = 0; i < JOBS; i++) {
        job[i] = fork();
        if (job[i] == 0) {
            char of[PATH_BYTES];

            path_of(path, way, i, of);
            _exit(append(of, way, STEPS) != DRX_OK);
        }
    }
    for (int i = 0; i < JOBS; i++) {
        int status;

        failed += job[i] < 0 || waitpid(job[i], &status, 0) != job[i] || status != 0;
    }
    return failed ? DRX_EIO : DRX_OK;
}

static drx_status check(const char *path, int64_t steps)
{
    drx_dataset *ds = NULL;
    int64_t bound = 0;
    drx_status st = drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds);

    if (!st)
        (void)drx_dataset_dim(ds, drx_dataset_dim_find(ds, "time"), &bound);
    (void)drx_dataset_close(ds);
    return st ? st : bound == steps ? drx_dataset_delete(path) : DRX_EMISMATCH;
}

static drx_status measure(const char *path, enum way way)
{
    static const char *const keys[WAYS] = { "reserving_seconds", "seconds", "own_seconds", "alone_seconds" };
    const int n = way == OWN ? JOBS : 1;
    char of[PATH_BYTES];
    drx_status st = DRX_OK;
    double start;

    for (int i = 0; i < n && !st; i++) {
        path_of(path, way, i, of);
        st = make(of);
    }
    start = now();
    if (!st)
        st = way == ALONE ? append(of, way, JOBS * STEPS) : run(path, way);
    answer_number(keys[way], now() - start);
    for (int i = 0; i < n && !st; i++) {
        path_of(path, way, i, of);
        st = check(of, way == OWN ? STEPS : JOBS * STEPS);
    }
    return st;
}

static enum outcome run_jobs(const struct work *work, const struct job *job)
{
    char path[PATH_BYTES];
    drx_status st = DRX_OK;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        step[i] = i;
    array_path(job->folder, job->peer->files, work->name, path);
    for (int way = 0; way < WAYS && !st; way++)
        st = measure(path, (enum way)way);
    return st ? complain("%s", drx_last_error()) : DONE;
}

const struct work jobs_works[] = {
    { "jobs", run_jobs, GROWTH, 0 },
    { 0 },
};
