/* What every file of cases that several ranks run together includes. mp_driver.c runs them; its first comment tells how
 * to add one. */
#ifndef MP_TESTING_H
#define MP_TESTING_H

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drxmp.h"
#include "testing.h"

extern MPI_Comm mp_comm; /* the ranks that run the case; the others run something else, so not MPI_COMM_WORLD */
extern int mp_rank, mp_ranks;
extern int mp_thread_level; /* MPI_THREAD_MULTIPLE with DRX_TEST_THREADS in the environment, otherwise SINGLE */

struct mp_suite {
    const char *name;
    const struct CMUnitTest *cases;
    size_t n;
    struct mp_suite *next;
};

void mp_add_suite(struct mp_suite *s);

/* MP_SUITE(name of the file, cmocka_unit_test(case), ...) */
#define MP_SUITE(suite, ...)                                                                            \
    __attribute__((constructor)) static void add_suite(void)                                            \
    {                                                                                                   \
        static const struct CMUnitTest cases[] = { __VA_ARGS__ };                                       \
        static struct mp_suite mp_this_suite = { #suite, cases, sizeof cases / sizeof cases[0], NULL }; \
                                                                                                        \
        mp_add_suite(&mp_this_suite);                                                                   \
    }

/* The same on all ranks, and the same on each run when DRX_SEED says so; printed. */
uint64_t mp_seed(void);

/* Both files of an array are, byte for byte, those of another; on rank 0, the others wait. */
void mp_assert_same_files(const char *path, const char *expected);

#endif
