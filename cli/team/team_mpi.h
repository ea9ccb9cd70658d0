/* What the files of the team of MPI ranks share. */
#ifndef TEAM_MPI_H
#define TEAM_MPI_H

#include "drxmp.h"
#include "frame/team.h"

/* Of the ranks that work on the verb: all, or none but rank 0. */
MPI_Comm team_comm(void);

#endif
