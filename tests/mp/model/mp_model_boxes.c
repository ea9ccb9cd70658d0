#include "mp_model.h"

int ndim;
int64_t lower[MAX_NDIM], upper[MAX_NDIM], chunk[MAX_NDIM];
int32_t fill;
int32_t model[ROOM], buf[ROOM], slab[ROOM];
drxmp_array *many;
drx_array *one;
bool in_memory, packed;

int64_t model_at(const int64_t index[])
{
    int64_t place = 0;

    for (int j = 0; j < ndim; j++)
        place = place * SPAN + MIDDLE + index[j];
    return place;
}

void set_order(struct box *b, drx_order order)
{
    b->order = order;
    b->n = 1;
    for (int i = 0; i < ndim; i++) {
        const int j = order == DRX_ROW_MAJOR ? ndim - 1 - i : i;

        b->stride[j] = b->n;
        b->n *= b->count[j];
    }
}

drx_box box_of(const struct box *b, bool steps)
{
    return (drx_box){ .lo = b->lo,
                      .count = b->count,
                      .step = steps ? b->step : NULL,
                      .stride = steps ? b->stride : NULL,
                      .order = b->order };
}

int64_t element_of(const struct box *b, int64_t which, int64_t index[])
{
    int64_t place = 0;

    for (int j = ndim - 1; j >= 0; j--) {
        const int64_t i = which % b->count[j];

        which /= b->count[j];
        index[j] = b->lo[j] + i * b->step[j];
        place += i * b->stride[j];
    }
    return place;
}

bool draw_boxes(struct box boxes[], const int64_t low[], const int64_t high[], enum draw draw)
{
    struct box all = { .n = 0 };
    const int axis = (int)mp_below(ndim), way = (int)mp_below(3);
    const drx_order order = mp_any_order();
    bool steps = false;

    for (int j = 0; j < ndim; j++) {
        const int64_t extent = high[j] - low[j];

        all.step[j] = 1;
        all.count[j] = mp_below(4) && draw != ALL ? mp_below(extent + 1) : extent;
        all.lo[j] = low[j] + mp_below(extent - all.count[j] + 1);
    }
    for (int rank = 0; rank < mp_ranks; rank++) {
        struct box *b = &boxes[rank];
        const int64_t from = all.count[axis] * rank / mp_ranks, to = all.count[axis] * (rank + 1) / mp_ranks;

        *b = all;
        if (draw == ANY && mp_below(2)) {
            for (int j = 0; j < ndim; j++) {
                b->count[j] = mp_below(high[j] - low[j] + 1);
                b->lo[j] = low[j] + mp_below(high[j] - low[j] - b->count[j] + 1);
            }
        } else if (way == 0) {
            b->lo[axis] += from;
            b->count[axis] = to - from;
        } else if (way == 1) { /* every n-th index */
            b->lo[axis] += rank;
            b->step[axis] = mp_ranks;
            b->count[axis] = (all.count[axis] - rank + mp_ranks - 1) / mp_ranks;
            if (b->count[axis] <= 0) {
                b->lo[axis] = low[axis];
                b->count[axis] = 0;
            }
            steps = steps || mp_ranks > 1;
        } else if (rank != (int)((all.lo[axis] + MIDDLE) % mp_ranks)) { /* one has all */
            b->count[axis] = 0;
        }
        set_order(b, order);
    }
    set_order(&all, order);
    boxes[mp_ranks] = all;
    return steps;
}

void number_box(const struct box *b, int32_t first, bool in_model)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element_of(b, i, index);

        *(in_model ? &model[model_at(index)] : &buf[place]) = first + (int32_t)i;
    }
}

void check_buffer(const struct box *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM] = { 0 };
        const int64_t place = element_of(b, i, index);

        if (buf[place] != model[model_at(index)])
            print_error("[%d %d %d] is %d, expected %d\n", (int)index[0], (int)index[1], (int)index[2], (int)buf[place],
                        (int)model[model_at(index)]);
        assert_int_equal(buf[place], model[model_at(index)]);
    }
}

const int32_t *gather(const int64_t low[], const int64_t high[])
{
    struct box whole = { .n = 1 };

    for (int j = 0; j < ndim; j++) {
        whole.lo[j] = low[j];
        whole.count[j] = high[j] - low[j];
        whole.step[j] = 1;
    }
    set_order(&whole, DRX_ROW_MAJOR);
    for (int64_t i = 0; i < whole.n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element_of(&whole, i, index);

        slab[place] = model[model_at(index)];
    }
    return slab;
}
