/* What the C programs for Disk Resident Arrays share. They use the interface that Global Arrays has published, and are
 * linked with its own library or with the drop-in. All ranks draw the same random numbers. A result is a line of rank 0
 * on standard output that begins with "> "; the results of both libraries, on any number of ranks, must be equal. */
#ifndef DRA_TESTING_H
#define DRA_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

enum { MOST_DIMS = 7 };

/* In dra.h of some versions only. */
extern int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                              dra_size_t reqdims[], int numfiles, int ioprocs, int *d_a);
extern int DRA_uses_fapi(void);

extern int me, ranks;

/* What a program can do, and on how many ranks it does so unless it is named; 0: only when named. */
struct part {
    const char *name;
    void (*run)(void);
    int most_ranks;
};
enum { ANY_RANKS = 1 << 20 };

/* MPI, Global Arrays, the random numbers of the seed that DRX_SEED says, which is told; then the parts that the words
 * name, or all. The exit code: 0, since whatever is wrong has ended the job. Collective. */
int run_parts(int argc, char **argv, const struct part parts[], int n);

int64_t below(int64_t n); /* random, 0 <= it < n */

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));   /* a result */
void say_line(const char *text);                                           /* one of a Fortran part */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2))); /* ends the job */

#define STRING(x) #x
#define LINE(x) STRING(x)
#define expect(call, code) expect_code(call, code, __FILE__ ":" LINE(__LINE__) ": " #call)
#define succeed(call) expect(call, 0)
void expect_code(int got, int expected, const char *what);

/* Every rank has failed, and alike. Collective. */
#define fail(call) expect_failure(call, __FILE__ ":" LINE(__LINE__) ": " #call)
void expect_failure(int got, const char *what);

#endif
