/* What the parts of the program for libdrxga share. All processes of a team draw the same random numbers. */
#ifndef GA_TESTING_H
#define GA_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>

#include <drxga.h>

/* The processes that work together: all of the job, or a group. */
extern struct team {
    MPI_Comm comm;
    int group; /* of Global Arrays; -1: all */
    int rank, ranks;
    char name[16]; /* in the names of files */
} team;

/* ---- ga_driver.c ---- */

void wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn)); /* ends the job */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));             /* process 0 of the team */
int64_t below(int64_t n);                                                            /* random, 0 <= it < n */
int sample(void);     /* DRX_SAMPLE=k: about one in k is tried */
int rounds(int full); /* this many, or what the sample leaves */

#define STRING(x) #x
#define LINE(x) STRING(x)
#define HERE __FILE__ ":" LINE(__LINE__)

/* The call has that status here. */
#define expect(call, status) expect_status(call, status, HERE ": " #call)
#define succeed(call) expect_status(call, DRX_OK, HERE ": " #call)
void expect_status(drx_status got, drx_status expected, const char *what);
/* It fails with that status and with `detail` in its detail. */
#define refuse(call, status, detail) expect_refusal(call, status, detail, HERE ": " #call)
void expect_refusal(drx_status got, drx_status expected, const char *detail, const char *what);
/* All processes of the team have the same status. Collective. */
#define alike(call) expect_alike(call, HERE ": " #call)
drx_status expect_alike(drx_status st, const char *what);

/* ---- ga_plain.c: what an array or a GA has to hold, in the memory of each process ---- */

enum { MOST_DIMS = 9 };

struct plain {
    drx_type type;
    int ndim;
    int64_t lower[MOST_DIMS], shape[MOST_DIMS], count;
    size_t item_bytes;
    unsigned char *bytes; /* in C order */
};

/* All bytes 0. */
struct plain make_plain(drx_type type, int ndim, const int64_t lower[], const int64_t shape[]);
void free_plain(struct plain *p);
void fill_plain(struct plain *p); /* random values */
unsigned char *element(const struct plain *p, const int64_t index[]);
/* Grow or shrink the bounds; what is new has zero bytes. */
void reshape_plain(struct plain *p, const int64_t lower[], const int64_t shape[]);

/* Copy between a section of a GA and the box of an array, element by element: axis[] as in struct drxgai_move. */
void copy_plain(struct plain *global, const int64_t glo[], const int64_t ghi[], struct plain *array, const int64_t lo[],
                const int axis[], bool to_array);

/* The job ends when they differ. */
void check_array(drx_array *a, const struct plain *p, const char *what);
void check_global(int g_a, const struct plain *p, const char *what); /* by each process */

/* ---- ga_globals.c: GAs on the team ---- */

enum way { REGULAR, IRREGULAR, GHOSTS, RESTRICTED, CYCLIC, SCALAPACK, TILED, TILED_IRREGULAR, WAYS };
extern const char *const way_names[WAYS];
enum { GA_TYPES = 7 };
extern const int tested_types[GA_TYPES];
drx_type drx_type_of(int ga_type);

/* The way may become REGULAR where Global Arrays cannot do it. Collective. */
int make_global(int ga_type, const struct plain *p, enum way *way);
void put_global(int g_a, const struct plain *p); /* all elements; collective */
void sync_team(void);

#endif
