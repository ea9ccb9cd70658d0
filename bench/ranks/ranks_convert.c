/* Several processes copy the wide matrix of the part of layouts into chunks of another shape (drxmp_copy), as its
 * workload copy-wide does with one.
 *
 * ranks_convert SIZE ROWS COLUMNS warm|cold FOLDER */
#include <drx_tools.h>
#include <drxmp.h>
#include <stdlib.h>
#include <string.h>

#include "bench_ranks.h"

static const char *const suffixes[] = { ".xmd", ".xta", NULL };

static enum outcome told(drx_status st)
{
    return st ? complain("%s", drx_last_error()) : DONE;
}

/* Cold: the copy is durable in the end. */
static drx_status copy(const char *from, const char *to, const drx_copy_spec *spec, bool cold)
{
    drxmp_array *a, *b = NULL;
    drx_status st = drxmp_open(MPI_COMM_WORLD, from, DRX_RDONLY, &a), closed;

    if (st)
        return st;
    st = drxmp_copy(a, to, spec, &b);
    if (!st && cold)
        st = drxmp_sync(b);
    closed = b ? drxmp_close(b) : DRX_OK;
    st = st ? st : closed;
    closed = drxmp_close(a);
    return st ? st : closed;
}

static enum outcome convert(int64_t size, const int64_t chunk[2], bool cold, const char *folder)
{
    const drx_copy_spec spec = { .chunk = chunk, .memory_bytes = 2048 * size * size };
    char from[PATH_BYTES], to[PATH_BYTES];
    enum outcome outcome = DONE;
    double start;

    array_path(folder, "drx", "wide", from);
    array_path(folder, "drx", "copy", to);
    if (bench_rank == 0) {
        remove_files(suffixes, to);
        outcome = settle_cache(suffixes, from, cold);
    }
    if (agree(outcome) != DONE)
        return FAILED;
    start = start_together();
    outcome = agree(told(copy(from, to, &spec, cold)));
    answer_number("seconds", seconds_since(start));
    return outcome;
}

int main(int argc, char **argv)
{
    enum outcome outcome;

    MPI_Init(&argc, &argv);
    find_ranks();
    begin_answer();
    if (argc != 6 || strlen(argv[5]) >= FOLDER_BYTES)
        outcome = complain("usage: ranks_convert SIZE ROWS COLUMNS warm|cold FOLDER");
    else {
        const int64_t chunk[2] = { strtoll(argv[2], NULL, 10), strtoll(argv[3], NULL, 10) };

        outcome = convert(strtoll(argv[1], NULL, 10), chunk, strcmp(argv[4], "cold") == 0, argv[5]);
    }
    outcome = agree(outcome);
    if (bench_rank == 0)
        (void)end_answer("ranks_convert", outcome);
    MPI_Finalize();
    return outcome != DONE;
}
