/* Each process writes and reads its share of the rows of the same square in a plain file, 1 MiB at a time.
 * Usage: dra_plain SIZE FOLDER */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dra_job.h"

enum { MIB = 1 << 20 };

static int64_t size, first, rows;
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
        if (elements[i] != element_of(size, first, i))
            outcome = complain("%s: element %lld is wrong", what, (long long)i);
    return outcome;
}

static enum outcome all(const char *folder)
{
    char path[PATH_BYTES];
    enum outcome outcome;
    int fd;

    (void)snprintf(path, sizeof path, "%s/plain", folder);
    elements = malloc((size_t)(rows * size + 1) * sizeof *elements);
    if (!elements)
        return complain("no memory");
    for (int64_t i = 0; i < rows * size; i++)
        elements[i] = element_of(size, first, i);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return complain("%s: %s", path, strerror(errno));
    outcome = measure("write", fd, true);
    settle_files(folder, "plain", SYNCED);
    if (outcome == DONE)
        outcome = measure("read", fd, false);
    settle_files(folder, "plain", DROPPED);
    if (outcome == DONE)
        outcome = measure("read-cold", fd, false);
    close(fd);
    remove_all(folder, "plain");
    free(elements);
    return outcome;
}

int main(int argc, char **argv)
{
    enum outcome outcome;
    int code;

    begin_job(&argc, &argv);
    if (argc == 3) {
        size = strtoll(argv[1], NULL, 10);
        first = size * bench_rank / bench_ranks;
        rows = size * (bench_rank + 1) / bench_ranks - first;
        outcome = all(argv[2]);
    } else
        outcome = complain("usage: dra_plain SIZE FOLDER");
    code = end_job("dra_plain", outcome);
    MPI_Finalize();
    return code;
}
