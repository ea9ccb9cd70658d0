/* A file being made: it appears under its name when it is complete. From the opening on, interrupts are noted
 * instead of obeyed (interrupt.h). */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct target {
    const char *name; /* as in messages */
    int fd;
    bool pipe;       /* written from the beginning to the end, in place: standard output, a device */
    char *final;     /* where it goes: `name`, links followed */
    char *temporary; /* beside it */
};

/* "-" is standard output. Prints what goes wrong and returns false. */
bool open_target(struct target *target, const char *name);

/* The same for all ranks of the team: rank 0 makes the file, the others have it open, too; of a pipe they only know
 * that it is one. Collective. */
bool open_shared_target(struct target *target, const char *name);
int close_shared_target(struct target *target, int status);

/* The same as open_target for a library that writes the file `temporary` by its name; it must be one that can be put
 * in its place, no pipe. fd is not open. */
bool open_named_target(struct target *target, const char *name);

/* Write n bytes at the end. Gives the exit code; prints what is wrong, unless the reader of a pipe had enough. An
 * interrupt ends it. */
int write_target(const struct target *target, const void *bytes, size_t n);

/* Put the file in its place, or, when `status` is not DONE, away with it. Returns the exit code. */
int close_target(struct target *target, int status);

#endif
