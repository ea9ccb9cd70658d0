/* For what calls the library that is measured. */
#ifndef BENCH_DRX_H
#define BENCH_DRX_H

#include <drx.h>

#include "bench.h"

static inline enum outcome of_drx(drx_status st)
{
    return st ? complain("%s", drx_last_error()) : DONE;
}

#endif
