/* How fast the machine is at the moment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

enum { MIB = 1 << 20, LEAST_BYTES = 16 * MIB, MOST_BYTES = 128 * MIB };

enum outcome prepare_calibration(const char *folder, int64_t array_bytes, int ranks, struct calibration *c)
{
    const int64_t all = array_bytes < LEAST_BYTES ? LEAST_BYTES : array_bytes > MOST_BYTES ? MOST_BYTES : array_bytes;
    char path[PATH_BYTES];

    c->bytes = (size_t)(all / ranks / MIB * MIB);
    c->ranks = ranks;
    c->from = buffer(TARGET, c->bytes);
    c->to = buffer(STAGE, c->bytes);
    if (!c->from || !c->to)
        return FAILED;
    join_path(path, folder, "calibration-XXXXXX");
    c->fd = mkstemp(path);
    if (c->fd < 0)
        return complain("%s: %s", folder, strerror(errno));
    (void)unlink(path); /* the file lives while it is open */
    return move_bytes(c->fd, true, c->from, c->bytes, 0);
}

enum outcome calibrate_machine(const struct calibration *c, double start(void), double since(double start))
{
    const double all = (double)c->bytes * c->ranks / 1e9;
    enum outcome outcome = DONE;
    double begun = start();

    memcpy(c->to, c->from, c->bytes);
    answer_number("memcpy", all / since(begun));
    memset(c->to, 1, c->bytes);
    begun = start();
    for (size_t at = 0; at < c->bytes && outcome == DONE; at += MIB)
        outcome = move_bytes(c->fd, false, c->to + at, MIB, (int64_t)at);
    answer_number("pread", all / since(begun));
    close(c->fd);
    if (outcome == DONE && memcmp(c->from, c->to, c->bytes) != 0)
        return complain("the calibration file reads wrong");
    return outcome;
}
