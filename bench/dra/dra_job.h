/* The part for Disk Resident Arrays. A job has a few processes, and one command (bench.h):
 *
 * dra-ours WORKLOAD:NUMBER... PEER SIZE warm FOLDER
 *
 * It makes its array, a square of doubles of SIZE rows, and moves it in several ways. dra-theirs does it with Global
 * Arrays' own library. */
#ifndef DRA_JOB_H
#define DRA_JOB_H

#include <mpi.h>

#include "../common/bench.h"

/* The workloads; Global Arrays' own library has no call that converts. number: those of the command. */
enum outcome run_plain(const struct work *work, const struct job *job);
typedef enum outcome activity(const int64_t number[]);
activity transfer, riscf, sweep, convert;
enum { CONVERT_BYTES = 32 << 20 }; /* of DRA_Init, which takes half of it for copies */

extern int size;
extern const char *folder;

/* Between these two calls a thread measures the memory of this process alone, which takes some of its time. The second
 * call is collective and answers memory_bytes: the highest increase of any process. */
void start_watching(void);
void stop_watching(void);

/* Drop the files whose names begin so from the page cache, or only sync them. */
enum settle { DROPPED, SYNCED };
void settle_files(const char *name, enum settle how);
/* Remove those that there are. */
void remove_all(const char *name);

/* ---- dra_square.c: squares in memory and on the disk --------------------------- */

/* Element (i, j) of an array. */
typedef double formula(int64_t i, int64_t j);
formula element_of; /* that of all arrays but the integrals */

/* A global array; 0 after complain(). */
int new_array(int rows, int columns);
/* Set the elements of this process to those of the array that begins there, or compare them. */
enum outcome visit(int g, const int64_t at[2], formula of, bool filling);
/* Hints: rows and columns of a typical request; -1: unspecified. */
enum outcome create_square(const char *name, int rows, int columns, int *d);
enum outcome open_square(const char *name, bool writing, int *d);
/* Begin to move n[0] x n[1] elements from or to both places; and wait. The code of the library. */
int begin_section(bool writing, int g, const int at_g[2], int d, const int at_d[2], const int n[2], int *request);
int move_section(bool writing, int g, const int at_g[2], int d, const int at_d[2], const int n[2]);

#endif
