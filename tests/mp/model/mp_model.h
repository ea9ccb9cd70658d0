/* An array that all ranks have open, the same array of one process, and a plain one in memory. Every rank draws the
 * same numbers, so each knows what all of them do. */
#ifndef MP_MODEL_H
#define MP_MODEL_H

#include "mp_testing.h"

enum { MAX_NDIM = 3, MAX_EXTENT = 60, MIDDLE = 50, SPAN = 2 * MIDDLE, ROOM = SPAN * SPAN * SPAN, MOST_BOXES = 17 };

extern int ndim;
extern int64_t lower[MAX_NDIM], upper[MAX_NDIM], chunk[MAX_NDIM];
extern int32_t fill;
extern int32_t model[ROOM], buf[ROOM], slab[ROOM]; /* model: of SPAN indices an axis, from -MIDDLE on */
extern drxmp_array *many;
extern drx_array *one; /* rank 0 */
extern bool in_memory; /* both are */
extern bool packed;    /* they are compressed: the same files need the same calls, of all ranks together */

/* Where the model has an element. */
int64_t model_at(const int64_t index[]);
/* The elements of the box low <= i < high, in row-major order, in `slab`. */
const int32_t *gather(const int64_t low[], const int64_t high[]);

/* A box of a rank, in steps. */
struct box {
    int64_t lo[MAX_NDIM], count[MAX_NDIM], step[MAX_NDIM], stride[MAX_NDIM];
    int64_t n;
    drx_order order;
};

void set_order(struct box *b, drx_order order);
/* With strides when there may be steps, otherwise in its order. */
drx_box box_of(const struct box *b, bool steps);
/* Element `which` of the box: its index, and where it is in memory. */
int64_t element_of(const struct box *b, int64_t which, int64_t index[]);

/* How boxes are drawn: of a random one each rank gets a part; or it may get any box; or the parts are those of all. */
enum draw { PARTS, ANY, ALL };

/* A random box, of which each rank gets a part: adjacent ones, or every n-th index, or all of it. It goes to
 * boxes[mp_ranks]. Returns whether a box has steps: all ranks use the same call, whatever the box of one is. */
bool draw_boxes(struct box boxes[], const int64_t low[], const int64_t high[], enum draw draw);

/* New values for the elements of the box, in the model or in `buf`. */
void number_box(const struct box *b, int32_t first, bool in_model);
/* `buf` has what the model has of the box. */
void check_buffer(const struct box *b);

/* The steps of a history, on all three. */
void do_write(void);
void do_write_alone(void); /* each rank by itself: a box, or its elements */
void do_put(void);         /* each rank some elements, which its pool holds until a collective call */
void do_add(void);         /* all ranks to the same box at the same time, which counts for every one of them */
void do_read(void);
void do_grow(void);
void do_append(void);
void do_trim(void);
void do_add_axis(void);

#endif
