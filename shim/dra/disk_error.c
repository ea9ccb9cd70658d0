#include <stdio.h>
#include <stdlib.h>

#include "disk.h"
#include "drx_tools.h"

enum { DETAIL_BYTES = 1024 };

bool disk_is_root(MPI_Comm comm)
{
    int rank = 0;

    (void)MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

drx_status disk_agree(MPI_Comm comm, drx_status st)
{
    char detail[DETAIL_BYTES];
    struct {
        int st, rank;
    } worst = { st, 0 };

    (void)MPI_Comm_rank(comm, &worst.rank);
    if (MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_2INT, MPI_MINLOC, comm) != MPI_SUCCESS)
        return drxgai_fail(DRX_EMPI, "the processes could not agree");
    if (worst.st == DRX_OK)
        return DRX_OK;
    (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
    if (MPI_Bcast(detail, sizeof detail, MPI_CHAR, worst.rank, comm) != MPI_SUCCESS)
        return drxgai_fail(DRX_EMPI, "the processes could not tell each other what failed");
    return drx_fail((drx_status)worst.st, detail);
}

static bool is_set(const char *variable)
{
    const char *text = getenv(variable);

    return text && text[0] && !(text[0] == '0' && !text[1]);
}

static int end(const char *call, drx_status st, bool one_of_all)
{
    const char *detail = drx_last_error();
    char text[DETAIL_BYTES + 64];

    if (st && one_of_all && !is_set("DRX_DRA_QUIET"))
        (void)fprintf(stderr, "%s: %s%s%s\n", call, drx_strerror(st), detail[0] ? ": " : "", detail);
    if (st && is_set("DRX_DRA_ABORT")) {
        (void)snprintf(text, sizeof text, "%s: %s", call, detail);
        GA_Error(text, st);
    }
    return st;
}

int disk_result(const char *call, drx_status st)
{
    return end(call, st, disk_is_root(disk_comm()));
}

int disk_own_result(const char *call, drx_status st)
{
    return end(call, st, true);
}
