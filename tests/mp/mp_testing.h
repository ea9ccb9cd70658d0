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

/* Random numbers, the same on all ranks. The driver begins them again for each case, by DRX_SEED if that is set. */
extern uint64_t mp_stream;
int64_t mp_below(int64_t n);
drx_order mp_any_order(void);

/* DRX_SAMPLE=k in the environment: where the same code runs in other suites, too, about one in k of the faults and
 * rounds is tried, each time others. Without it, and with DRX_TORTURE=1, all are. */
long mp_next(long n);    /* the fault that is tried after the n-th; of n = 0, the first */
int mp_rounds(int full); /* at least 2 */

/* The call fails, and its detail says `what`. */
#define assert_fails(call, status, what) \
    do {                                 \
        assert_status(call, status);     \
        assert_detail(what);             \
    } while (0)

/* All ranks have this status; when they do not, `n` is printed, too. */
void mp_assert_alike(drx_status st, long n);

drxmp_array *mp_create(const char *path, const drx_spec *spec);
drxmp_array *mp_open(const char *path, unsigned mode);

/* All ranks have the same epochs of a compressed array; of a raw one there are none. */
void mp_assert_epochs(drxmp_array *m);

/* drxmp_set_info with "key=value,key=value". */
drx_status mp_set(drxmp_array *m, const char *settings, ...) __attribute__((format(printf, 2, 3)));
drx_status mp_set_any(drxmp_array *m); /* ranks for I/O, buffer and backend drawn */

/* Rank 0 does it, and the others wait. */
void mp_shell(const char *command);
void mp_remove(const char *path);
int mp_count_files(const char *patterns); /* all ranks get the number */

/* All files of an array are, byte for byte, those of another; on rank 0, the others wait. */
void mp_assert_same_files(const char *path, const char *expected);

/* A box of a plane. */
struct mp_box {
    int64_t lo[2], count[2];
    int64_t step[2]; /* 0, 0: 1, 1 */
};

/* The part of a rank when all ranks share the box along an axis. */
struct mp_box mp_part_of(int rank, int axis, struct mp_box whole);
struct mp_box mp_part(int axis, struct mp_box whole); /* of this rank */

drx_box mp_drx_box(const struct mp_box *b); /* in row-major order; it points into *b */
int64_t mp_box_size(const struct mp_box *b);
/* The index of its k-th element in row-major order. */
int64_t mp_row(const struct mp_box *b, int64_t k);
int64_t mp_column(const struct mp_box *b, int64_t k);

/* Element [i, j] of a numbered plane. */
int32_t mp_number(int version, int64_t i, int64_t j);
void mp_number_box(int version, const struct mp_box *b, int32_t *buf);
void mp_assert_numbers(int version, const struct mp_box *b, const int32_t *buf);

drx_status mp_write_all(drxmp_array *m, const struct mp_box *b, const void *buf);
drx_status mp_read_all(drxmp_array *m, const struct mp_box *b, void *buf);

/* The n-th file call fails, or all from it on do, or the n-th allocation, or the n-th call of sockets
 * (socket_faults.h), or the connection of that one ends. */
enum mp_fault { MP_CALL, MP_CALLS, MP_ALLOCATION, MP_SOCKET, MP_SOCKET_ENDS };

/* That fault comes on rank `culprit`. */
void mp_arm(enum mp_fault fault, int culprit, long n);
/* Whether it came; no fault comes any more. All ranks get the answer. */
bool mp_disarm(enum mp_fault fault, int culprit);

#endif
