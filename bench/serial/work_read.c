/* Reads of a cube and of a table. Each array is made once (the workloads `build-`), then read by one workload after the
 * other. Timed: the reading alone. */
#include <string.h>

#include "requests.h"

static enum outcome run_build(const struct work *work, const struct job *job)
{
    const char *const array = strchr(work->name, '-') + 1;
    const struct layout layout = array_layout(array, job->size);

    return build_array(job, array, &layout);
}

#define READ(name, array, access, ...)                                \
    {                                                                 \
        name, run_reading, access, 0, &(const struct reading)         \
        {                                                             \
            array, .step = { { "seconds", { access, __VA_ARGS__ } } } \
        }                                                             \
    }

const struct work read_works[] = {
    { "build-cube", run_build, WHOLE, 0, NULL },
    { "drop-cube", drop_array, WHOLE, 0, NULL },
    { "build-table", run_build, STRIPS, 0, NULL },
    { "drop-table", drop_array, STRIPS, 0, NULL },
    READ("whole-c", "cube", WHOLE, .count = 1),
    READ("whole-f", "cube", FORTRAN, .count = 1),
    READ("planes-0", "cube", PLANES, .axis = 0, .count = 64),
    READ("planes-1", "cube", PLANES, .axis = 1, .count = 64),
    READ("planes-2", "cube", LAST_PLANES, .axis = 2, .count = 64),
    READ("elements", "cube", ELEMENTS, .count = 200000, .least = 1000),
    READ("boxes", "cube", BOXES, .count = 20000, .least = 20, .edge = 16),
    READ("boxes-shared", "cube", SHARED_BOXES, .count = 20000, .least = 20, .edge = 16),
    READ("strips", "table", STRIPS, .count = 16, .edge = 64),
    { 0 },
};
