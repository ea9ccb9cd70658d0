/* What the programs for Disk Resident Arrays share. They use the interface that Global Arrays has published, and are
 * linked with its own library or with the drop-in: the results of both, on any number of processes, must be equal. */
#ifndef DRA_TESTING_H
#define DRA_TESTING_H

#include "ga_testing.h"

#include <dra.h>

enum { MOST_DISK_DIMS = 7, SAME_WAYS = CYCLIC + 1 }; /* distributions that its own library takes */

/* In dra.h of some versions only. */
extern int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                              dra_size_t reqdims[], int numfiles, int ioprocs, int *d_a);
extern int DRA_uses_fapi(void);

/* What only the drop-in can. */
struct ability {
    int (*copy)(int src, int dst, int ndim, int perm[], int *req);
    int (*extend)(int d_a, int ndim, int axis, int64_t by);
    void (*be_slow)(int us, int others); /* each write to a file takes so long, and there are so many others between */
};
void play_histories(const struct ability *can); /* dra_history.c; NULL: nothing of that */
void be_slow(int us, int others);

/* ---- dra_either.c: the calls through the interface for C, or that for Fortran ---- */

extern bool through_fortran;
int create_disk(const struct model *model, const char *file, int mode, const int64_t hint[], int *d_a);
int call_open(char *file, int mode, int *d_a);
int call_end(bool deleting, int d_a);
int call_whole(bool writing, int g_a, int d_a, int *request);
int call_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk,
              int *request);
int call_wait(int request);
int call_probe(int request, int *state);

/* ---- dra_disk.c ---- */

/* About as many elements, whatever ndim is; some axes short, some long. And hints: nothing, everything, or some
 * axes. */
void random_dims(int ndim, int64_t dims[]);
void random_hint(const struct model *disk, int64_t hint[]);

/* The request of one that succeeds. */
int begin_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk);
/* A whole global array to or from a whole one on disk, to its end; the code of the call or of the wait for it. */
int move_whole(bool writing, int g_a, int d_a);
/* A request that was waited for stays known. */
void finished(int request);

/* What is on disk becomes the model; the code of the write or of the wait for it. Collective. */
int write_disk(int d_a, const struct model *model, enum way way);
/* What is on disk is the model: says its checksum. Collective. */
void check_disk(int d_a, const struct model *model, enum way way, const char *what);

#endif
