/* A compressed array that ranks write to, with a model of its elements and of what is on the disk. */
#ifndef MP_SUBJECT_H
#define MP_SUBJECT_H

#include "bytes.h"
#include "mp_testing.h"

enum { MIDDLE = 30, SIDE = 2 * MIDDLE, MOST = 20 /* indices of an axis */, FILL = -7 };

/* The elements of a plane, at [MIDDLE + i][MIDDLE + j]; the fill outside the bounds. */
struct plane {
    int64_t lower[2], upper[2];
    int32_t at[SIDE][SIDE];
};

struct subject {
    const char *path, *cut; /* of the array, and of the copy that meets the power cut */
    drxmp_array *m;
    struct plane now, promised;
    struct plane since; /* versions above this one were written to an element since the last SYNC */
    int64_t epoch;      /* of that */
    int64_t present;    /* the epoch of what is written now: when it rises, all is durable */
    /* on rank 0: the table as the SYNC left it, and when the epoch last rose */
    struct bytes table, durable;
};

extern int subject_version; /* the last that was written */
extern int32_t subject_buf[SIDE * SIDE];

/* Set all elements outside these bounds. */
void plane_set_outside(struct plane *p, const struct plane *bounds, int32_t value);
void plane_give_bounds(struct plane *p, const struct plane *from);
struct mp_box plane_whole(const struct plane *p);
void plane_write(struct plane *p, const struct mp_box *box);
bool plane_has_room(const struct plane *p, int axis, int64_t by);

/* It has been made with the bounds 5 and 7; all of it has been promised; it has got other bounds. */
void subject_start(struct subject *s);
void subject_promise(struct subject *s);
void subject_forget_outside(struct subject *s);

struct mp_box subject_draw_within(struct mp_box box);
/* Some ranks write, each to rows of its own, which share chunks with those of others. */
void subject_write_alone(struct subject *s);
void subject_write_together(struct subject *s);
void subject_assert_elements(struct subject *s);

/* The epochs of all ranks, and the table. Once after each call that may append a SYNC. */
void subject_check(struct subject *s);

/* On rank 0: take from the copy what a power cut may take. Then an element is the promised one, or one that was written
 * since. */
void subject_cut_table(const struct subject *s, uint64_t *random);
void subject_assert_survived(struct subject *s, drx_array *a, const struct plane *bounds);

#endif
