/* What the files of the team of MPI ranks share. */
#ifndef TEAM_MPI_H
#define TEAM_MPI_H

#include "drxmp.h"
#include "frame/team.h"

/* The ranks that work on the verb: all, or rank 0 alone. */
MPI_Comm team_comm(void);

#endif
