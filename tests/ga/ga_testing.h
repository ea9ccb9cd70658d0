/* What the programs for libdrxga and for Disk Resident Arrays share. It knows Global Arrays alone: some of the programs
 * are without libdrx. All processes of a team draw the same random numbers. A result is a line of process 0 that begins
 * with "> ". */
#ifndef GA_TESTING_H
#define GA_TESTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>

/* ---- ga_testing.c ---- */

/* The processes that work together: all of the job, or a group. */
extern struct team {
    MPI_Comm comm;
    int group; /* of Global Arrays; -1: all */
    int rank, ranks;
    char name[16]; /* in the names of files */
} team;
void sync_team(void);

/* What a program can do, and on how many processes it does so unless it is named; 0: only when named. */
struct part {
    const char *name;
    void (*run)(void);
    int most_ranks;
};
enum { ANY_RANKS = 1 << 20 };

/* MPI, Global Arrays, the random numbers of the seed that DRX_SEED says, which is told; then the parts that the words
 * name, or all. The exit code: 0, since whatever is wrong has ended the job. Collective. */
int run_parts(int argc, char **argv, const struct part parts[], int n);

int64_t below(int64_t n);       /* random, 0 <= it < n */
int64_t other_below(int64_t n); /* the same, where what is drawn depends on the number of processes */
int sample(void);               /* DRX_SAMPLE=k: about one in k is tried */
int rounds(int full);           /* this many in the torture test, else a sample */

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));             /* a result */
void say_line(const char *text);                                                     /* one of a Fortran part */
void wrong(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn)); /* ends the job */

#define STRING(x) #x
#define LINE(x) STRING(x)
#define HERE __FILE__ ":" LINE(__LINE__)

/* The call has that code here. */
#define expect(call, code) expect_code(call, code, HERE ": " #call)
#define succeed(call) expect_code(call, 0, HERE ": " #call)
void expect_code(int got, int expected, const char *what);
/* All processes of the team have the same code, or the same that is not 0. Collective. */
#define alike(call) expect_alike(call, false, HERE ": " #call)
#define fail(call) (void)expect_alike(call, true, HERE ": " #call)
int expect_alike(int got, bool failed, const char *what);
/* What the library says of its last failure; NULL: nothing. */
extern const char *(*explanation)(void);

/* ---- ga_model.c: plain arrays in the memory of each process, what a global array or one on disk has to hold ---- */

enum { MOST_DIMS = 9 };

/* Elements in C order. */
struct model {
    int type, ndim; /* type: C_INT and so on */
    int64_t lower[MOST_DIMS], dims[MOST_DIMS], count;
    size_t element_bytes;
    unsigned char *bytes;
};

/* Indices from lo up to and with hi. */
struct section {
    int ndim;
    int64_t lo[MOST_DIMS], hi[MOST_DIMS];
};

enum { TYPES = 7, DISK_TYPES = 6 }; /* the first ones are those of Disk Resident Arrays */
extern const int all_types[TYPES];
const char *type_name(int type);

/* All bytes 0, all lower bounds 0. */
struct model make_model(int type, int ndim, const int64_t dims[]);
/* All models and global arrays, which otherwise live until their part of the program is over. Collective. */
void release_all(void);
void free_models(void); /* for release_all */
/* Values that depend on place and salt, and that all types hold exactly. */
void fill_model(struct model *model, uint64_t salt);
/* One more model, with so many more indices of an axis, whose elements are 0. */
struct model grown(const struct model *model, int axis, int64_t by, bool before);
unsigned char *element(const struct model *model, const int64_t index[]);

struct section whole_section(const struct model *model);
/* Anywhere in the model. */
struct section random_section(const struct model *model);
/* As large as the other, whose axes come in reverse order if so; it fits. */
struct section section_like(const struct model *model, const struct section *other, bool reversed);
/* The next index of the section, the last axis first, or the first one. False behind the last index. */
bool step(const struct section *section, int64_t index[], bool first_axis_first);

/* One section becomes the other, in C order of indices or, reversed, in the order that counts down the source's axes.
 * As many elements, of one type. */
void copy_section(struct model *to, const struct section *at, const struct model *from, const struct section *section,
                  bool reversed);
/* The job ends when the bytes found are others; else this is their checksum. */
uint64_t compare(const struct model *model, const unsigned char *found, const char *what);
/* "[0:3,2:5]" */
enum { SECTION_TEXT = 256 };
const char *section_text(const struct section *section, char text[SECTION_TEXT]);

/* ---- ga_globals.c: global arrays on the team ---- */

enum way { REGULAR, IRREGULAR, CYCLIC, GHOSTS, RESTRICTED, SCALAPACK, TILED, TILED_IRREGULAR, WAYS };
extern const char *const way_names[WAYS];
extern enum way made_way; /* of the last one: REGULAR where Global Arrays cannot do the other */

/* A global array of that type and those extents. Collective. */
int make_global(const struct model *model, enum way way);
void destroy_global(int g_a);
void put_global(int g_a, const struct model *model); /* all elements; collective */
/* The job ends when a process finds another content; else this is the checksum of all elements. Collective. */
uint64_t check_global(int g_a, const struct model *model, const char *what);

#endif
