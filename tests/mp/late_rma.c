/* An MPI whose one-sided operations happen as late as it may let them: at the flush, and the last one first. On one
 * machine a real one carries them out at once, so nothing shows whether a program waits where it must. */
#include "late_rma.h"

#include "testing.h"

enum { MOST = 4096 };

bool late_rma;

static struct operation {
    bool get;
    void *buf;
    int n, rank, target_n;
    MPI_Aint at;
    MPI_Datatype target_type;
    MPI_Win win;
} waiting[MOST];
static int n_waiting;

/* Carry out what waits for this rank. */
static int carry_out(int rank, MPI_Win win)
{
    int kept = 0, code = MPI_SUCCESS;

    for (int i = n_waiting - 1; i >= 0; i--) {
        struct operation *o = &waiting[i];

        if (o->win != win || o->rank != rank)
            continue;
        if (code == MPI_SUCCESS)
            code = o->get ? PMPI_Get(o->buf, o->n, MPI_BYTE, o->rank, o->at, o->target_n, o->target_type, win)
                          : PMPI_Put(o->buf, o->n, MPI_BYTE, o->rank, o->at, o->target_n, o->target_type, win);
        if (code == MPI_SUCCESS)
            code = PMPI_Win_flush(o->rank, win);
        if (o->target_type != MPI_BYTE)
            (void)MPI_Type_free(&o->target_type);
        o->rank = -1;
    }
    for (int i = 0; i < n_waiting; i++)
        if (waiting[i].rank >= 0)
            waiting[kept++] = waiting[i];
    n_waiting = kept;
    return code;
}

static int keep(struct operation o)
{
    assert_true(n_waiting < MOST);
    if (o.target_type != MPI_BYTE)
        assert_int_equal(MPI_Type_dup(o.target_type, &o.target_type), MPI_SUCCESS);
    waiting[n_waiting++] = o;
    return MPI_SUCCESS;
}

int MPI_Get(void *buf, int n, MPI_Datatype type, int rank, MPI_Aint at, int target_n, MPI_Datatype target_type,
            MPI_Win win)
{
    return late_rma && type == MPI_BYTE ? keep((struct operation){ true, buf, n, rank, target_n, at, target_type, win })
                                        : PMPI_Get(buf, n, type, rank, at, target_n, target_type, win);
}

int MPI_Put(const void *buf, int n, MPI_Datatype type, int rank, MPI_Aint at, int target_n, MPI_Datatype target_type,
            MPI_Win win)
{
    void *const from = (void *)(uintptr_t)buf; /* only read */

    return late_rma && type == MPI_BYTE
               ? keep((struct operation){ false, from, n, rank, target_n, at, target_type, win })
               : PMPI_Put(buf, n, type, rank, at, target_n, target_type, win);
}

int MPI_Win_flush(int rank, MPI_Win win)
{
    const int code = carry_out(rank, win);

    return code == MPI_SUCCESS ? PMPI_Win_flush(rank, win) : code;
}

/* As MPICH 4.0.2, it completes nothing. */
int MPI_Win_flush_all(MPI_Win win)
{
    return late_rma ? MPI_SUCCESS : PMPI_Win_flush_all(win);
}
