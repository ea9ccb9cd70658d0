/* Makes helper threads read and write files slowly, or only when a test lets them, so that a test does not pass by
 * luck. Include this in one file of a program. */
#ifndef SLOW_HELPERS_H
#define SLOW_HELPERS_H

#include <unistd.h>

#include "io/io.h"
#include "testing.h"

static const struct drxi_io_ops *fast;
static struct drxi_io_ops slow;
static struct drxi_files files;
static _Thread_local bool makes_calls; /* this thread is no helper */
static void (*in_helper)(void);        /* before a helper reads or writes */

static void sleep_a_moment(void)
{
    (void)usleep(3000);
}

static drx_status slow_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    if (!makes_calls && in_helper)
        in_helper();
    return fast->read(io, buf, n, offset, got);
}

static drx_status slow_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    if (!makes_calls && in_helper)
        in_helper();
    return fast->write(io, buf, n, offset);
}

static drx_status open_slow(const char *path, enum drxi_how how, drxi_io **out)
{
    const drx_status st = drxi_posix.open(path, how, out);

    if (!st) {
        fast = (*out)->ops;
        slow = *fast;
        slow.read = slow_read;
        slow.write = slow_write;
        (*out)->cost.depth = 0; /* all reads are calls of `read` */
        (*out)->cost.mapped = false;
        (*out)->ops = &slow;
    }
    return st;
}

/* For cmocka; the thread that calls it is not a helper. */
static int be_slow(void **state)
{
    files = drxi_posix;
    files.open = open_slow;
    drxi_files = &files;
    in_helper = sleep_a_moment;
    makes_calls = true;
    return 0;
}

static int be_fast(void **state)
{
    drxi_files = &drxi_posix;
    return 0;
}

#endif
