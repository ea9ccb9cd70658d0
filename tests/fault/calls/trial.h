/* A trial prepares something, plays it while one system call fails, and checks the result. */
#ifndef TRIAL_H
#define TRIAL_H

#include "calls.h"
#include "testing.h"

enum { TRIAL_HANDLES = 2 };

struct trial {
    const struct scenario *of;
    drx_array *a[TRIAL_HANDLES]; /* open where play ended; closed behind check */
    void *own;                   /* of the scenario; freed behind check */
    bool persistent;             /* all calls failed from one on: also those that would have undone something */
    unsigned struck;             /* kinds of calls, for check */
};

/* Close a handle: what was in the pool may be lost with a call that failed. */
void trial_close(struct trial *t, int i);

/* Where and how it is played. LIKE: like another scenario, so that a sample of its faults will do. */
enum {
    OTHER_NAMES = 1,
    NO_LINKS = 2,
    COMPACTING = 4,
    SHARED = 8,
    FILLED = 16,
    LEAST = 32, /* memory */
    LIKE = 64
};

/* `prepare` and `check` run without faults. `play` returns the first error. check is told the status of play, and
 * requires what must hold then; `word` stands in every detail. `harmless`: kinds of calls that may fail without an
 * error beyond those of the family. What follows is for the functions of the scenario. */
struct scenario {
    const char *name, *word;
    void (*prepare)(struct trial *t);
    drx_status (*play)(struct trial *t);
    void (*check)(struct trial *t, drx_status st);
    unsigned harmless, how;
    const char *to;   /* the path of what is made */
    unsigned flags;   /* of the call */
    int stripes;      /* that its arrays have */
    int way, threads; /* of drxi_hooks.way; 0: as many threads as usual */
    bool sums;        /* with checksums of the data */
    bool packed;      /* compressed */
};

/* A way to fail. What is not in `visible` of the kinds must do without the call; of those in it, those in `harmless`
 * may. */
struct family {
    const char *name;
    unsigned visible, harmless;
    drx_status status;      /* that a failure gives */
    struct calls_plan plan; /* without nth */
};

extern const struct family families[];
extern const int n_families;

/* Fail call n for n = from, from + by, ..., until none fires; returns how many did. */
long trials(const struct scenario *s, const struct family *f, long from, long by);

/* For a teardown: tell where a test ended that did not come to its end. */
int trial_report(void **state);

#endif
