#include <stdio.h>
#include <stdlib.h>

#include "disk.h"

bool disk_is_root(MPI_Comm comm)
{
    int rank = 0;

    (void)MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

static bool is_set(const char *variable)
{
    const char *text = getenv(variable);

    return text && text[0] && !(text[0] == '0' && !text[1]);
}

static int end(const char *call, drx_status st, bool one_of_all)
{
    const char *detail = drx_last_error();
    char text[1100];

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
