/* The processes that do the work of a verb together: this one alone in drx (team_alone.c), all ranks of an MPI job in
 * drx-mpi (team_mpi.c). In drx nothing below costs anything, and what is collective is a word for it.
 *
 * Collective calls are made by all ranks in the same order, whatever went wrong on one of them: between two of them
 * a rank that fails only notes it, and the next `agree` tells the others. Rank 0 prints; what the others have to say
 * is kept until end_team. */
#ifndef TEAM_H
#define TEAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "drx_tools.h"

void begin_team(void);
/* Print what other ranks had to say and rank 0 has not said itself. Gives the worst exit code. Collective. */
int end_team(int status);

int team_rank(void);
int team_size(void);

/* The rest of the verb is rank 0's alone: true there, and collective calls do nothing from now on; the others leave
 * the verb. To be asked by all, with no array open together. */
bool go_alone(void);

/* The worst exit code of all. Collective. */
int agree(int status);
/* Rank 0's bytes for all. Collective. */
void share_bytes(void *bytes, size_t n);
/* The sums over all ranks. Collective. */
void add_up(int64_t numbers[], int n);

/* Print a line on standard error. */
void say(const char *line);
/* Where `put` writes. */
FILE *team_output(void);
/* Rank 0 prints now what that rank has put since the last time. Called by both, if not by all. */
void put_from(int rank);

/* As open_array, close_array and commit_array; the first gives NULL on all ranks or none. Collective. */
drx_array *open_together(const char *path, int mode);
int close_together(drx_array *a, const char *path, int status);
int commit_together(drx_array *a, const char *path, int status);

/* As the calls of drx.h, of one that is open together; append: each rank its part of what is new, which may be
 * empty, in indices of the grown array. Collective. */
drx_status extend_together(drx_array *a, int axis, int64_t by);
drx_status append_together(drx_array *a, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                           drx_order order, const void *buf);
drx_status sync_together(drx_array *a);

/* Copy what is open together into another layout, as drx_copy, under the name `path`, durably. Prints what is wrong
 * and gives the exit code; an interrupt of rank 0 ends it. Collective. */
int copy_together(drx_array *a, const char *path, const drx_copy_spec *spec);

/* A new array that all write: rank 0 starts it, and sets its attributes; all get it by spread_array; finish_array
 * gives it its name when `status` is DONE, or else removes it. What it replaces stays until then. */
drx_array *start_array(const char *path, drx_spec *spec);      /* rank 0 alone; NULL after printing why */
int spread_array(drx_array **a, const char *path, int status); /* collective */
int finish_array(drx_array *a, const char *path, unsigned flags, int status); /* collective */

#endif
