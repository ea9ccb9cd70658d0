#ifndef LATE_RMA_H
#define LATE_RMA_H

#include <mpi.h>
#include <stdbool.h>

extern bool late_rma; /* from now on, in this process */

#endif
