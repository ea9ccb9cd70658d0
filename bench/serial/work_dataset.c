/* A dataset of many variables that share a dimension: opening it after a long history, growing it, and how often a
 * commit waits for the disk. */
#include <drx_dataset.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common/bench_drx.h"

enum { VARIABLES = 100, COMMITS = 10000, OPENINGS = 10, WRITTEN = 10, COLUMNS = 8, NAME_ROOM = 16 };

static bool disk = true; /* false: a sync returns at once */
static int syncs;

/* The library's own calls come here. */
int fdatasync(int fd)
{
    syncs++;
    return disk ? (int)syscall(SYS_fdatasync, fd) : 0;
}

/* Variable i has the dimensions t, which all have, and x. */
static drx_status add(drx_dataset *ds, int i, int n, uint32_t flags, drx_codec codec)
{
    const int64_t shape[] = { 0, COLUMNS }, chunk[] = { 1, COLUMNS };
    const char *const dims[] = { "t", "x" };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .dims = dims, .flags = flags, .codec = codec
    };
    char name[NAME_ROOM];
    drx_status st = DRX_OK;

    for (; i < n && !st; i++) {
        (void)snprintf(name, sizeof name, "v%d", i);
        st = drx_dataset_add(ds, name, &spec, NULL);
    }
    return st;
}

static drx_status make(const char *path, int n, uint32_t flags, drx_codec codec, drx_dataset **ds)
{
    drx_status st = access(path, F_OK) == 0 ? drx_dataset_delete(path) : DRX_OK;

    if (!st)
        st = drx_dataset_create(path, ds);
    if (!st)
        st = add(*ds, 0, n, flags, codec);
    return st ? st : drx_dataset_commit(*ds, NULL);
}

/* Nobody writes an element; a sync does not wait. */
static drx_status grow(const char *path, int64_t commits)
{
    drx_dataset *ds = NULL;
    double start;
    drx_status st = make(path, VARIABLES, 0, DRX_RAW, &ds);

    disk = false;
    start = now();
    for (int64_t i = 0; !st && i < commits; i++) {
        st = drx_dataset_extend(ds, "t", 1);
        if (!st)
            st = drx_dataset_commit(ds, NULL);
    }
    answer_number("growth_seconds", (now() - start) / (double)commits);
    disk = true;
    if (ds && drx_dataset_close(ds) && !st)
        st = DRX_EIO;
    return st;
}

static drx_status time_opening(const char *path)
{
    double seconds = 0, array_seconds = 0;
    drx_status st = DRX_OK;

    for (int i = 0; i < OPENINGS && !st; i++) {
        const double start = now();
        drx_dataset *ds;
        drx_array *a;
        double opened;

        if ((st = drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds)))
            break;
        opened = now();
        seconds += opened - start;
        st = drx_dataset_array(ds, "v50", &a);
        array_seconds += now() - opened;
        if (drx_dataset_close(ds) && !st)
            st = DRX_EIO;
    }
    answer_number("seconds", seconds / OPENINGS);
    answer_number("array_seconds", array_seconds / OPENINGS);
    return st;
}

/* The syncs of one commit, of a row in each variable. */
static drx_status count_syncs(const char *path, const char *key, uint32_t flags, drx_codec codec)
{
    const double row[COLUMNS] = { 1 };
    drx_dataset *ds = NULL;
    char name[NAME_ROOM];
    drx_status st = make(path, WRITTEN, flags, codec, &ds);

    for (int64_t t = 0; t < 3 && !st; t++) { /* the last one is like all that follow */
        syncs = 0;
        st = drx_dataset_extend(ds, "t", 1);
        for (int i = 0; i < WRITTEN && !st; i++) {
            drx_array *a;

            (void)snprintf(name, sizeof name, "v%d", i);
            st = drx_dataset_array(ds, name, &a);
            if (!st)
                st = drx_write(a, (const int64_t[]){ t, 0 }, (const int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, row);
        }
        if (!st)
            st = drx_dataset_commit(ds, NULL);
    }
    answer_integer(key, syncs);
    if (ds && drx_dataset_close(ds) && !st)
        st = DRX_EIO;
    return st;
}

static enum outcome run_dataset(const struct work *work, const struct job *job)
{
    const int64_t commits = job->size < 256 ? COMMITS / 100 : COMMITS;
    const char *const path = path_of(job, work->name);
    drx_status st;

    answer_integer("commits", commits);
    st = grow(path, commits);
    if (!st)
        st = time_opening(path);
    if (!st)
        st = count_syncs(path, "raw_syncs", 0, DRX_RAW);
    if (!st)
        st = count_syncs(path, "summed_syncs", DRX_CHECKSUM, DRX_RAW);
    if (!st)
        st = count_syncs(path, "packed_syncs", 0, DRX_LZ4);
    return of_drx(st ? st : drx_dataset_delete(path));
}

const struct work dataset_works[] = {
    { "dataset", run_dataset, GROWTH, 0, NULL },
    { 0 },
};
