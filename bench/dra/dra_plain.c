/* plain: each process writes and reads its share of the rows of the same square in a plain file, 1 MiB at a
 * time. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dra_job.h"

enum { MIB = 1 << 20 };

static int64_t first, rows;
static double *elements; /* of the rows of this process */

static enum outcome move(int fd, bool writing)
{
    const int64_t offset = first * size * (int64_t)sizeof *elements, bytes = rows * size * (int64_t)sizeof *elements;
    enum outcome outcome = DONE;

    for (int64_t at = 0; at < bytes && outcome == DONE; at += MIB)
        outcome =
            move_bytes(fd, writing, (char *)elements + at, (size_t)(bytes - at < MIB ? bytes - at : MIB), offset + at);
    return outcome;
}

static enum outcome measure(const char *what, int fd, bool writing)
{
    enum outcome outcome;
    double start;

    if (!writing)
        memset(elements, 0, (size_t)(rows * size) * sizeof *elements);
    start = start_together();
    outcome = move(fd, writing);
    answer_number(what, seconds_since(start));
    for (int64_t i = 0; outcome == DONE && i < rows * size; i++)
        if (elements[i] != element_of(first, i))
            outcome = complain("%s: element %lld is wrong", what, (long long)i);
    return outcome;
}

enum outcome run_plain(const struct work *work, const struct job *job)
{
    const char *const path = path_in(folder, "plain");
    enum outcome outcome;
    int fd;

    (void)work, (void)job;
    first = (int64_t)size * bench_rank / bench_ranks;
    rows = (int64_t)size * (bench_rank + 1) / bench_ranks - first;
    elements = malloc((size_t)(rows * size + 1) * sizeof *elements);
    if (!elements)
        return complain("no memory");
    for (int64_t i = 0; i < rows * size; i++)
        elements[i] = element_of(first, i);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return complain("%s: %s", path, strerror(errno));
    outcome = measure("write", fd, true);
    settle_files("plain", SYNCED);
    if (outcome == DONE)
        outcome = measure("read", fd, false);
    settle_files("plain", DROPPED);
    if (outcome == DONE)
        outcome = measure("read-cold", fd, false);
    close(fd);
    remove_all("plain");
    free(elements);
    return outcome;
}
