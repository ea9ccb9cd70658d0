/* A file that appears under its name when it is complete. Once it is open, interrupts wait (progress.h). */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct target {
    const char *name; /* as in messages */
    int fd;
    bool pipe;       /* standard output or a device: written in place and in sequence */
    char *final;     /* `name`, links followed */
    char *temporary; /* its name until then, beside it */
};

/* "-" is standard output. Prints what goes wrong and returns false. */
bool open_target(struct target *target, const char *name);

/* The same on all ranks: rank 0 makes the file and the others open it, unless it is a pipe. Collective. */
bool open_shared_target(struct target *target, const char *name);
int close_shared_target(struct target *target, int status);

/* As open_target, for a library that opens the file `temporary` itself. For a pipe that is one in $TMPDIR, which
 * close_target writes to the pipe. */
bool open_named_target(struct target *target, const char *name);

/* Write n bytes, until an interrupt. Gives the exit code; prints why, unless the reader of a pipe went away. */
int write_target(const struct target *target, const void *bytes, size_t n);

/* Give the file its name, or, if `status` is not DONE, remove it. Returns the exit code. */
int close_target(struct target *target, int status);

#endif
