/* The processes that run a verb together: one process in drx (team_alone.c), all ranks of an MPI job in drx-mpi
 * (team_mpi.c). In drx the calls below cost nothing.
 *
 * All ranks make the collective calls in the same order, even after an error. A rank that fails between two of them
 * notes its status, and the next `agree` tells the others. Rank 0 prints for all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "drx_tools.h"

void begin_team(void);
/* Print the messages of other ranks that rank 0 has not printed itself. Gives the worst exit code. Collective. */
int end_team(int status);

extern const bool team_forks; /* is it one process without MPI? */
int team_rank(void);
int team_size(void);

/* Leave the rest of the verb to rank 0: true there, where collective calls do nothing from now on; false on the others,
 * which leave the verb. Stripes on disks of other nodes are within its reach. Call it on all ranks, with no array open
 * together. */
bool go_alone(void);

/* The worst exit code of all. Collective. */
int agree(int status);
/* Rank 0's bytes for all. Collective. */
void share_bytes(void *bytes, size_t n);
/* The sums over all ranks. Collective. */
void add_up(int64_t numbers[], int n);
/* The largest of all ranks, each. Collective. */
void take_largest(double numbers[], int n);

/* Print a line on standard error. */
void say(const char *line);
/* Where `put` writes. */
FILE *team_output(void);
/* Rank 0 prints what that rank has put since the last call. Both ranks call it, others may. */
void put_from(int rank);

/* As open_array_at, close_array and commit_array. open_together gives NULL on all ranks or none. Collective. */
drx_array *open_together(const char *path, int mode, int64_t commit);
int close_together(drx_array *a, const char *path, int status);
int commit_together(drx_array *a, const char *path, int status);

/* As drx_extend; before: as drx_extend_before. Collective. */
drx_status extend_together(drx_array *a, int axis, bool before, int64_t by);

/* Gives the next piece of a slab, as drx_next_piece, and this rank's part of it, perhaps empty, in indices of the grown
 * array. */
typedef drx_status next_of_slab(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf);
/* As drx_append_pieces; before: as drx_prepend_pieces. Collective. */
drx_status append_together(drx_array *a, int axis, bool before, int64_t by, drx_order order, next_of_slab *next,
                           void *with);

/* As drx_write, of boxes that make one together; a rank's may be empty. Collective. */
drx_status write_together(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf);

/* As drx_copy, durably. Gives the exit code; an interrupt of rank 0 ends it. Collective. */
int copy_together(drx_array *a, const char *path, const drx_copy_spec *spec);

/* Whether stripes may lie on disks that only one node sees, so that rank 0 alone does not reach them. Never in drx.
 * Collective. */
bool has_local_stripes(void);
/* As drx_remove and drx_missing_stripes, whose calls rank 0 gets. Collective. */
drx_status remove_together(const char *path);
drx_status missing_together(const char *path, drx_missing *missing, void *user);
/* Make an array, durably. Gives the exit code. Collective. */
int create_together(const char *path, const drx_spec *spec);

/* A new array that all ranks write. Rank 0 starts it and sets its attributes; spread_array opens it on all ranks, with
 * the same spec; finish_array names it if `status` is DONE, else removes it. An array that it replaces stays until
 * then. */
drx_array *start_array(const char *path, drx_spec *spec); /* rank 0 alone; NULL after printing why */
int spread_array(drx_array **a, const char *path, const drx_spec *spec, int status); /* collective */
int finish_array(drx_array *a, const char *path, unsigned flags, int status);        /* collective */
