/* The workloads of the part of netCDF, by the protocol of bench.h. */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench_netcdf.h"

enum { MANY = 1000, SEED = 6 << 28, MOST_REQUESTS = 64, LARGE_BYTES = 32 << 20, KEPT_BYTES = 1 << 30 };
enum shape { ALL, SERIES, STRIP, MAP };

struct task {
    const struct reader *reader;
    char data[NAME_BYTES], path[PATH_BYTES];
    int64_t extent[NDIM], count;
    bool cold;
};

/* An entry of the table of works begins with its name. */
struct activity {
    const char *name;
    enum outcome (*run)(const struct activity *activity, const struct task *task);
    enum shape shape;
    bool ask;
};

static void request(enum shape shape, const struct task *t, int64_t which, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < NDIM; j++) {
        const bool one = shape == SERIES ? j > 0 : shape == STRIP ? j == 1 : shape == MAP && j == 0;
        const uint64_t place = mix(SEED + (uint64_t)(NDIM * which + j)) % (uint64_t)t->extent[j];

        lo[j] = one ? (int64_t)place : 0;
        count[j] = one ? 1 : t->extent[j];
    }
}

static enum outcome make_requests(const struct activity *a, const struct task *t, void *file, float *out)
{
    enum outcome outcome = DONE;

    for (int64_t i = 0; i < t->count && outcome == DONE; i++) {
        int64_t lo[NDIM], count[NDIM];

        request(a->shape, t, i, lo, count);
        outcome = t->reader->read(file, lo, count, out);
        out += box_elements(NDIM, count);
    }
    return outcome;
}

static enum outcome check_requests(const struct activity *a, const struct task *t, const float *out)
{
    enum outcome outcome = DONE;

    for (int64_t i = 0; i < t->count && outcome == DONE; i++) {
        int64_t lo[NDIM], count[NDIM];

        request(a->shape, t, i, lo, count);
        outcome = check_grid(lo, count, out);
        out += box_elements(NDIM, count);
    }
    return outcome;
}

static enum outcome run_read(const struct activity *a, const struct task *t)
{
    int64_t lo[NDIM], count[NDIM], elements;
    enum outcome outcome;
    double start, seconds;
    float *out;
    void *file;

    request(a->shape, t, 0, lo, count);
    elements = t->count * box_elements(NDIM, count);
    out = buffer(TARGET, (size_t)box_elements(NDIM, t->extent) * sizeof *out);
    if (!out)
        return FAILED;
    memset(out, 0xff, (size_t)elements * sizeof *out); /* what another one read */
    outcome = settle_cache(t->reader->suffixes, t->path, t->cold);
    if (outcome == DONE)
        outcome = t->reader->open(t->path, false, &file);
    if (outcome != DONE)
        return outcome;
    outcome = t->reader->take_variable(file);
    start = now();
    if (outcome == DONE)
        outcome = make_requests(a, t, file, out);
    seconds = now() - start;
    if (t->reader->close(file) != DONE && outcome == DONE)
        outcome = FAILED;
    answer_number("took", seconds);
    answer_number("seconds", seconds / (double)t->count);
    return outcome == DONE ? check_requests(a, t, out) : outcome;
}

static enum outcome run_open(const struct activity *a, const struct task *t)
{
    enum outcome outcome = DONE;
    double start = 0, seconds;
    void *file;

    for (int64_t i = -1; i < t->count && outcome == DONE; i++) { /* the first one warms the cache */
        if (i == 0)
            start = now();
        outcome = t->reader->open(t->path, a->ask, &file);
        if (outcome == DONE)
            outcome = t->reader->close(file);
    }
    seconds = now() - start;
    answer_number("took", seconds);
    answer_number("seconds", seconds / (double)t->count);
    return outcome;
}

static enum outcome run_build(const struct activity *a, const struct task *t)
{
    const enum stored stored = strcmp(t->data, "packed") == 0 ? PACKED : RAW;

    (void)a;
    if (strcmp(t->data, "many") != 0)
        return t->reader->build ? t->reader->build(t->reader, t->path, t->extent, stored) : DECLINED;
    return t->reader->build_many
               ? t->reader->build_many(t->reader, t->path, (int)(t->count < MANY ? t->count : MANY), (int)t->count)
               : DECLINED;
}

static const struct activity activities[] = {
    { "build", run_build, ALL, false },    { "open", run_open, ALL, false },
    { "ask", run_open, ALL, true },        { "whole", run_read, ALL, false },
    { "series", run_read, SERIES, false }, { "strip", run_read, STRIP, false },
    { "map", run_read, MAP, false },       { 0 },
};
static const struct reader *const readers[] = { &reader_bridge, &reader_drx, &reader_default, &reader_same, NULL };

static enum outcome run(char *line)
{
    static const void *const tables[] = { activities, NULL };
    const struct known known = { tables, sizeof activities[0], (const void *const *)readers };
    const void *activity = NULL, *reader = NULL;
    struct task task = { .count = 1 };
    struct command c;
    enum outcome outcome = parse_command(line, "WORKLOAD-DATA[:COUNT] PEER SIZE warm|cold FOLDER", &c);
    char *colon, *dash;

    if (outcome != DONE)
        return outcome;
    colon = strchr(c.name, ':');
    dash = strchr(c.name, '-');
    if (!dash)
        return complain("'%s': expected WORKLOAD-DATA", c.name);
    if (colon) {
        *colon = '\0';
        task.count = strtoll(colon + 1, NULL, 10);
    }
    *dash = '\0';
    (void)snprintf(task.data, sizeof task.data, "%s", dash + 1);
    outcome = look_up(&c, &known, &activity, &reader);
    if (outcome != DONE)
        return outcome;
    if (task.count < 1 || (((const struct activity *)activity)->run == run_read && task.count > MOST_REQUESTS))
        return complain("%" PRId64 " requests, expected 1 to %d", task.count, MOST_REQUESTS);
    task.reader = reader;
    task.cold = strcmp(c.word, "cold") == 0;
    task.extent[0] = 2 * c.size;
    task.extent[1] = task.extent[2] = c.size;
    array_path(c.folder, task.reader->files, task.data, task.path);
    return ((const struct activity *)activity)->run(activity, &task);
}

/* A dataset of which each variable was asked about has two files of each open. */
static void permit_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(void)
{
    char line[LINE_BYTES];

    /* What malloc has got from the system it keeps, so that nobody pays for new pages in each repetition. */
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    permit_files();
    while (fgets(line, sizeof line, stdin)) {
        char work[NAME_BYTES] = "";
        enum outcome outcome;

        begin_answer();
        (void)sscanf(line, "%63[^ -]", work);
        outcome = run(line);
        if (!end_answer(work, outcome))
            return 1;
    }
    return 0;
}
