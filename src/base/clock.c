/* The clock by which the library waits and measures. */
#include <time.h>

#include "base/base.h"

double drxi_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
