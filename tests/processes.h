/* Processes of a test, and memory that they share. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <sys/types.h>

#include "testing.h"

/* fork, once all other threads of this process sleep. What a thread holds at that moment, a lock of ASan's malloc for
 * example, the child would wait for without end. */
pid_t fork_idle(void);

/* Run `work` in a new process, which succeeds if `work` returns true. It must not use assert_..., which would continue
 * with the other tests in that process. */
pid_t start(bool (*work)(int), int arg);
void finish(pid_t pid); /* wait for it; it has succeeded */
bool is_running(pid_t pid, int *status);
void end(pid_t pid);    /* kill it, unless it has succeeded */
bool idle(int ignored); /* for start: until it is killed */

/* Whether a call of a process succeeded; prints the error if not. */
#define did(call) did_call(call, #call)
bool did_call(drx_status st, const char *call);

/* Zeroed memory that processes started from now on share. */
void *common(size_t bytes);

/* Make, or replace, an array of int32 with two axes, and close it. chunk NULL: the usual one. MAKE_PACKED among the
 * flags: compressed. */
#define MAKE_PACKED (1U << 31)
void make_int32(const char *path, const int64_t shape[2], const int64_t chunk[2], int32_t fill, drx_order order,
                unsigned flags);

/* How often: `some` or, for DRX_TORTURE, `many`. */
int sample_or_all(int some, int many);

#endif
