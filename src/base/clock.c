/* The clock by which the library waits and measures, and that of the world. */
#include <stdlib.h>
#include <time.h>

#include "base/base.h"

double drxi_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int64_t drxi_time(void)
{
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    struct timespec t;

    if (fixed)
        return strtoll(fixed, NULL, 10) * 1000000;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
