/* What the tests that run on several ranks include. All ranks run the same cmocka tests; what rank 0 prints counts, and
 * any rank that fails ends the job. */
#ifndef MP_TESTING_H
#define MP_TESTING_H

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drxmp.h"
#include "testing.h"

extern int mp_rank, mp_ranks;
extern int mp_thread_level; /* what a test wants of MPI, before mp_main, and what it has */

/* MPI begun and ended around a group of tests. */
int mp_run(int argc, char **argv, const struct CMUnitTest tests[], size_t n);
#define mp_main(tests) mp_run(argc, argv, tests, sizeof(tests) / sizeof(tests)[0])

/* The same on all ranks, and the same on each run when DRX_SEED says so; printed. */
uint64_t mp_seed(void);

/* Both files of an array are, byte for byte, those of another; on rank 0, the others wait. */
void mp_assert_same_files(const char *path, const char *expected);

#endif
