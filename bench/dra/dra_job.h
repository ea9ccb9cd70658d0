/* The part for Disk Resident Arrays. Each job has a few processes. It makes its array, moves it in several ways, and
 * answers with one line of JSON, as other parts do (bench.h).
 *
 * dra-ours WHAT SIZE NUMBER... FOLDER
 *
 * does one thing (an activity) with a square of doubles of SIZE rows. dra-theirs does it with Global Arrays' own
 * library. */
#ifndef DRA_JOB_H
#define DRA_JOB_H

#include <mpi.h>

#include "../common/bench.h"

enum { NUMBERS = 5 };

/* numbers: those behind the size, which run gets */
struct activity {
    const char *name, *usage;
    int numbers;
    bool plain; /* without Global Arrays */
    enum outcome (*run)(const int64_t number[]);
    double (*memory)(const int64_t number[]); /* for buffers, as passed to DRA_Init; NULL: any */
};
extern const struct activity plain_activity, transfer_activity, riscf_activity, sweep_activity;
#ifdef DRX_DROP_IN
extern const struct activity convert_activity; /* Global Arrays' own library has no such call */
#endif

extern int size;
extern char folder[FOLDER_BYTES];

/* Between these two calls a thread measures the memory of this process alone, which takes some of its time. The second
 * call is collective and answers memory_bytes: the highest increase of any process. */
void start_watching(void);
void stop_watching(void);

/* Drop the files whose names begin so from the page cache, or only sync them. */
enum settle { DROPPED, SYNCED };
void settle_files(const char *name, enum settle how);
/* Remove those that there are. */
void remove_all(const char *name);
void answer_versions(void);

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
