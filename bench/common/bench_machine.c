/* How fast the machine is at the moment, for all ranks together, and what the libraries are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { MIB = 1 << 20, LEAST_BYTES = 16 * MIB, MOST_BYTES = 128 * MIB };

struct calibration {
    char *from, *to;
    size_t bytes;
    int fd;
};

/* Make buffers and a file, as large as the share of each rank in the array, within bounds. */
static enum outcome prepare(const struct job *job, struct calibration *c)
{
    const int64_t array = job->size * job->size * job->size * (int64_t)sizeof(double);
    const int64_t all = array < LEAST_BYTES ? LEAST_BYTES : array > MOST_BYTES ? MOST_BYTES : array;
    char path[PATH_BYTES];

    c->bytes = (size_t)(all / bench_ranks / MIB * MIB);
    c->from = buffer(TARGET, c->bytes);
    c->to = buffer(STAGE, c->bytes);
    if (!c->from || !c->to)
        return FAILED;
    snprintf(path, sizeof path, "%s/calibration-XXXXXX", job->folder);
    c->fd = mkstemp(path);
    if (c->fd < 0)
        return complain("%s: %s", job->folder, strerror(errno));
    (void)unlink(path); /* the file lives while it is open */
    return move_bytes(c->fd, true, c->from, c->bytes, 0);
}

/* Answer the speeds, in GB/s of all ranks, of memcpy between the buffers and of pread of the file, 1 MiB at a time. */
static enum outcome calibrate(const struct work *work, const struct job *job)
{
    struct calibration c;
    enum outcome outcome = agree(prepare(job, &c));
    double all, begun;

    (void)work;
    if (outcome != DONE)
        return outcome;
    all = (double)c.bytes * bench_ranks / 1e9;
    begun = start_together();
    memcpy(c.to, c.from, c.bytes);
    answer_number("memcpy", all / seconds_since(begun));
    memset(c.to, 1, c.bytes);
    begun = start_together();
    for (size_t at = 0; at < c.bytes && outcome == DONE; at += MIB)
        outcome = move_bytes(c.fd, false, c.to + at, MIB, (int64_t)at);
    answer_number("pread", all / seconds_since(begun));
    close(c.fd);
    if (outcome == DONE && memcmp(c.from, c.to, c.bytes) != 0)
        return complain("the calibration file reads wrong");
    return outcome;
}

static enum outcome versions(const struct work *work, const struct job *job)
{
    enum outcome outcome = DONE;

    (void)work, (void)job;
    for (const struct peer *const *p = peers; *p && outcome == DONE; p++)
        if ((*p)->version)
            outcome = (*p)->version();
    answer_group();
    answer_text("compiler", "%s", __VERSION__);
    return outcome;
}

const struct work machine_works[] = {
    { "calibrate", calibrate, GROWTH, 0, NULL },
    { "versions", versions, GROWTH, 0, NULL },
    { 0 },
};
