/* Transactions of a dataset on a disk in memory, and what each of its commits shows. */
#ifndef DATASET_PLAY_H
#define DATASET_PLAY_H

#include "changes.h"
#include "cut.h"
#include "drx_dataset.h"
#include "memory_disk.h"
#include "testing.h"

enum {
    DIMS = 2,
    LEAST = -3,
    MOST = 8,
    EXTENT = MOST - LEAST,
    MEMBERS = 9,
    GROUPS = 2,
    COMMITS = 400,
    TIME = 0,
    LON = 1
};

extern const char *const dims[DIMS];

struct kind {
    const char *name;
    int group; /* 0: g, in the root; 1: h, in that; -1: the root */
    int ndim, dim[2];
    unsigned flags;
    drx_codec codec;
    int32_t fill;
};
extern const struct kind kinds[MEMBERS];

/* What a commit shows, or a transaction. Cells have the indices of the array, less LEAST. */
struct shown {
    int64_t lower[DIMS], bound[DIMS];
    int64_t before[DIMS], after[DIMS]; /* trims of the transaction */
    bool has_dim[DIMS], there[MEMBERS];
    bool wide[MEMBERS], wider[MEMBERS]; /* has another axis, "run", in front, with index 0 alone; gets it */
    int32_t cell[MEMBERS][EXTENT][EXTENT];
    int title, units[MEMBERS]; /* attributes; 0: none */
    int made[MEMBERS];         /* which variable of the name it is */
    bool fresh[MEMBERS];       /* the transaction adds it */
    bool group[GROUPS], new_group[GROUPS], renamed[GROUPS];
    int note[GROUPS], of_time; /* attributes of groups, and of a dimension */
    struct told told;
};

extern struct play {
    struct disk *disk;
    struct cut cut;
    int seen, step;
    uint64_t seed, random;
    int samples, few, nested;
    bool failing; /* calls fail, and nothing is cut: a step that fails goes back to: */
    jmp_buf stop;
    drx_dataset *ds;
    struct shown now, commit[COMMITS];
    int commits, ids;
    bool committing;   /* the step may show one commit more */
    int64_t oldest[2]; /* commit that is there, before the step and after it */
    int32_t value;
    void *known;
    long states, different, again;
    char why[400];
} p;

/* The path of a member, or of a group. */
enum { MOST_PATH = 20 };
const char *name_of(const struct shown *s, int m, char path[MOST_PATH]);
const char *group_name(const struct shown *s, int g, char path[MOST_PATH]);

/* The indices lo <= index < hi of a member; of the axes that it does not have 0. */
void box_of(const struct shown *s, int m, int64_t lo[2], int64_t hi[2]);

/* What is on the disk that is in use is one whole commit, for readers and for the next writer, or p.why says what is
 * wrong. *changes: of the disk, when the writer has mended it. */
bool play_look(const struct disk *d, int *changes);

/* A step begins. */
void play_begin(void);
/* A call of the step has been made: cut the power after each of its changes. */
void play_called(drx_status st);
/* Cut it after the last change. */
void play_cut(void);

/* The steps. */
void play_create(void);
void play_random_step(void);
void play_script(void);

#endif
