/* Making windows in turn.
 *
 * Open MPI 4.1 keeps the state of a window in a file that the ranks of a node share for a moment. Its name has the job
 * and the communicator's number, and communicators without a rank in common may have the same number. If they make
 * windows at the same time, one of them may open the file of the other. So each node's first rank locks the node
 * meanwhile: a folder, which leaves nothing behind.
 *
 * The nodes are locked in the same order by all, so two communicators never wait for each other. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mp/darray/sections.h"

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5

static const char folder[] = "/dev/shm";

enum { TAG = 1, MOST_WAITS = 10000 }; /* each a millisecond; a lock that others do not release is ignored */

/* A number that is the same on all ranks that see the same folder, and almost never on others. */
static int node_number(void)
{
    struct stat s = { 0 };
    uint64_t number;

    (void)stat(folder, &s);
    number = ((uint64_t)drxi_boot_tag() << 24 ^ (uint64_t)s.st_dev << 8 ^ (uint64_t)s.st_ino) * 0x9e3779b97f4a7c15u;
    return (int)(number >> 33);
}

static int lock_node(void)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (int i = 0; fd >= 0 && i < MOST_WAITS; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        (void)nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    }
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

/* Lock the node after the one before it in the order, unless that is the same. */
static int lock_after(MPI_Comm firsts, int number)
{
    int rank, ranks, before = -1, fd = -1;

    (void)MPI_Comm_rank(firsts, &rank);
    (void)MPI_Comm_size(firsts, &ranks);
    if (rank > 0)
        (void)MPI_Recv(&before, 1, MPI_INT, rank - 1, TAG, firsts, MPI_STATUS_IGNORE);
    if (before != number)
        fd = lock_node();
    if (rank + 1 < ranks)
        (void)MPI_Send(&number, 1, MPI_INT, rank + 1, TAG, firsts);
    return fd;
}

int drxi_turn_begin(MPI_Comm comm, const struct drxi_node *node)
{
    const bool first = !node || node->rank == 0;
    const int number = node_number();
    MPI_Comm firsts = MPI_COMM_NULL;
    int fd = -1;

    if (MPI_Comm_split(comm, first ? 0 : MPI_UNDEFINED, number, &firsts) != MPI_SUCCESS || firsts == MPI_COMM_NULL)
        return -1;
    fd = lock_after(firsts, number);
    (void)MPI_Comm_free(&firsts);
    return fd;
}

#else /* MPICH and Open MPI 5 use names that differ */

int drxi_turn_begin(MPI_Comm comm, const struct drxi_node *node)
{
    (void)comm, (void)node;
    return -1;
}

#endif

void drxi_turn_end(int turn)
{
    if (turn >= 0)
        (void)close(turn);
}
