/* Copying and adding elements at the positions of a term. Regular products take the strided copies of all others. In
 * the rest, what is contiguous at both ends is one block, and the innermost axis around it is a row. */
#include "copy/copy.h"
#include "mp/darray/ghosts.h"

/* ---- parts ------------------------------------------------------------------------------------- */

/* A part has the last axes whole, some positions of the one before them, and one of each other axis. */
void drxi_term_start(struct drxi_term_part *p, const struct drxi_term *term, int ndim, int64_t most)
{
    p->term = term;
    p->ndim = ndim;
    p->begun = false;
    for (int j = ndim - 1; j >= 0; j--) {
        const int64_t n = term->pairs[j]->n;

        p->width[j] = drxi_min(n, most);
        most = p->width[j] < n ? 1 : most / p->width[j];
    }
}

static void open_window(struct drxi_term_part *p, int j, int64_t lo)
{
    p->lo[j] = lo;
    p->count[j] = drxi_min(p->width[j], p->term->pairs[j]->n - lo);
}

bool drxi_term_next(struct drxi_term_part *p)
{
    if (!p->begun) {
        for (int j = 0; j < p->ndim; j++)
            open_window(p, j, 0);
        p->begun = true;
        return true;
    }
    for (int j = p->ndim - 1; j >= 0; j--) {
        const int64_t after = p->lo[j] + p->count[j];

        open_window(p, j, after < p->term->pairs[j]->n ? after : 0);
        if (p->lo[j] > 0)
            return true;
    }
    return false;
}

int64_t drxi_term_elements(const struct drxi_term_part *p)
{
    int64_t n = 1;

    for (int j = 0; j < p->ndim; j++)
        n *= p->count[j];
    return n;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* Element i lies at index[i] * stride, or without a list at i * stride. */
struct way {
    const int64_t *index;
    int64_t stride;
};

static inline int64_t offset_of(const struct way *w, int64_t i)
{
    return (w->index ? w->index[i] : i) * w->stride;
}

/* Move n blocks of `block` bytes. */
typedef void row_kernel(int64_t n, size_t block, uint8_t *to, struct way to_way, const uint8_t *from,
                        struct way from_way);

static inline __attribute__((always_inline)) void copy_all(int64_t n, size_t block, uint8_t *to, struct way to_way,
                                                           const uint8_t *from, struct way from_way)
{
    for (int64_t i = 0; i < n; i++)
        memcpy(to + offset_of(&to_way, i), from + offset_of(&from_way, i), block);
}

/* For blocks of a size that is known; 24 bytes are a vector of a node. */
#define COPY_KERNEL(name, bytes)                                                                   \
    static void name(int64_t n, size_t block, uint8_t *to, struct way to_way, const uint8_t *from, \
                     struct way from_way)                                                          \
    {                                                                                              \
        copy_all(n, bytes ? bytes : block, to, to_way, from, from_way);                            \
    }

COPY_KERNEL(copy_1, 1)
COPY_KERNEL(copy_2, 2)
COPY_KERNEL(copy_4, 4)
COPY_KERNEL(copy_8, 8)
COPY_KERNEL(copy_16, 16)
COPY_KERNEL(copy_24, 24)
COPY_KERNEL(copy_blocks, 0)

/* One after the other, since blocks may add to the same element. Integers are unsigned, so that they wrap around. */
#define ADD_KERNEL(name, type, of_both)                                                            \
    static void name(int64_t n, size_t block, uint8_t *to, struct way to_way, const uint8_t *from, \
                     struct way from_way)                                                          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            for (size_t at = 0; at < block; at += sizeof(type)) {                                  \
                uint8_t *sum = to + offset_of(&to_way, i) + at;                                    \
                type a, b;                                                                         \
                                                                                                   \
                memcpy(&a, sum, sizeof a);                                                         \
                memcpy(&b, from + offset_of(&from_way, i) + at, sizeof b);                         \
                a = (type)(of_both);                                                               \
                memcpy(sum, &a, sizeof a);                                                         \
            }                                                                                      \
    }

ADD_KERNEL(add_1, uint8_t, a + b)
ADD_KERNEL(add_2, uint16_t, a + b)
ADD_KERNEL(add_4, uint32_t, a + b)
ADD_KERNEL(add_8, uint64_t, a + b)
ADD_KERNEL(add_float, float, a + b)
ADD_KERNEL(add_double, double, a + b)

ADD_KERNEL(add_half, uint16_t, drxi_half_of(drxi_half_value(a) + drxi_half_value(b)))

static row_kernel *const copies[] = {
    copy_blocks, [1] = copy_1, [2] = copy_2, [4] = copy_4, [8] = copy_8, [16] = copy_16, [24] = copy_24
};
static row_kernel *const sums[] = {
    /* of types that have them; a complex number is two */
    [DRX_INT8] = add_1,
    [DRX_UINT8] = add_1,
    [DRX_INT16] = add_2,
    [DRX_UINT16] = add_2,
    [DRX_INT32] = add_4,
    [DRX_UINT32] = add_4,
    [DRX_INT64] = add_8,
    [DRX_UINT64] = add_8,
    [DRX_FLOAT16] = add_half,
    [DRX_FLOAT32] = add_float,
    [DRX_COMPLEX64] = add_float,
    [DRX_FLOAT64] = add_double,
    [DRX_COMPLEX128] = add_double,
};

/* Of blocks of that size. */
static row_kernel *find_copy(size_t block)
{
    return block < sizeof copies / sizeof *copies && copies[block] ? copies[block] : copy_blocks;
}

/* ---- products ----------------------------------------------------------------------------------------- */

/* Of an axis: which positions, and how far the elements of a local index or position lie apart. */
struct level {
    const struct drxi_pairs *pairs;
    int64_t lo, end, stride[2]; /* [TO], [FROM] */
};

enum { TO, FROM };

struct product {
    int whose[2];
    int levels;
    size_t block;
    row_kernel *kernel;
    struct level level[DRX_MAX_NDIM];
};

/* Positions that follow each other in one run, or in the list. */
struct stretch {
    int64_t n, offset[2]; /* of the first */
    struct way way[2];
};

/* The run that has a position. */
static const struct drxi_pair_run *find_run(const struct drxi_pairs *pairs, int64_t at)
{
    int64_t low = 0, high = pairs->runs - 1;

    while (low < high) {
        const int64_t middle = high - (high - low) / 2;

        if (pairs->run[middle].at <= at)
            low = middle;
        else
            high = middle - 1;
    }
    return &pairs->run[low];
}

/* The stretch that begins at a position. */
static struct stretch stretch_at(const struct product *x, const struct level *l, int64_t at)
{
    const struct drxi_pair_run *run = l->pairs->list[0] ? NULL : find_run(l->pairs, at);
    struct stretch s = { .n = (run ? drxi_min(l->end, run->at + run->count) : l->end) - at };

    for (int end = TO; end <= FROM; end++) {
        const int whose = x->whose[end];

        s.way[end].stride = l->stride[end];
        if (whose == DRXI_IN_SLOT) {
            s.offset[end] = (at - l->lo) * l->stride[end];
        } else if (run) {
            s.way[end].stride *= run->step[whose];
            s.offset[end] = (run->local[whose] + (at - run->at) * run->step[whose]) * l->stride[end];
        } else {
            s.way[end].index = l->pairs->list[whose] + at;
        }
    }
    return s;
}

static void walk(const struct product *x, int level, uint8_t *to, const uint8_t *from)
{
    const struct level *l = &x->level[level];
    struct stretch s;

    if (x->levels == 0) {
        x->kernel(1, x->block, to, (struct way){ 0 }, from, (struct way){ 0 });
        return;
    }
    for (int64_t at = l->lo; at < l->end; at += s.n) {
        s = stretch_at(x, l, at);
        if (level + 1 == x->levels) {
            x->kernel(s.n, x->block, to + s.offset[TO], s.way[TO], from + s.offset[FROM], s.way[FROM]);
            continue;
        }
        for (int64_t i = 0; i < s.n; i++)
            walk(x, level + 1, to + s.offset[TO] + offset_of(&s.way[TO], i),
                 from + s.offset[FROM] + offset_of(&s.way[FROM], i));
    }
}

/* Whether all positions of an axis are one regular stretch. */
static bool is_regular(const struct product *x, const struct level *l, struct stretch *s)
{
    *s = stretch_at(x, l, l->lo);
    return s->n == l->end - l->lo && !s->way[TO].index && !s->way[FROM].index;
}

/* Copy the whole if it is regular along each axis. */
static bool copy_ghosts(const struct product *x, size_t item_bytes, uint8_t *to, const uint8_t *from)
{
    struct drxi_copy_axis axes[DRX_MAX_NDIM];
    struct stretch s;

    for (int j = 0; j < x->levels; j++) {
        if (!is_regular(x, &x->level[j], &s))
            return false;
        axes[j] = (struct drxi_copy_axis){ s.n, s.way[TO].stride, s.way[FROM].stride };
        to += s.offset[TO];
        from += s.offset[FROM];
    }
    drxi_copy_axes(x->levels, axes, item_bytes, to, from, false);
    return true;
}

static void set_levels(struct product *x, const struct drxi_term_part *p, size_t item_bytes,
                       const struct drxi_ghost_end *const ends[2])
{
    int64_t packed = (int64_t)item_bytes;

    x->levels = p->ndim;
    x->block = item_bytes;
    for (int j = p->ndim - 1; j >= 0; j--) {
        struct level *l = &x->level[j];

        *l = (struct level){ .pairs = p->term->pairs[j], .lo = p->lo[j], .end = p->lo[j] + p->count[j] };
        for (int end = TO; end <= FROM; end++) {
            x->whose[end] = ends[end]->whose;
            l->stride[end] = ends[end]->whose == DRXI_IN_SLOT ? packed : ends[end]->stride_bytes[j];
        }
        packed *= p->count[j];
    }
}

/* Make the last axes part of the block while they are contiguous at both ends. */
static void widen_block(struct product *x, uint8_t **to, const uint8_t **from)
{
    struct stretch s;

    while (x->levels > 0 && is_regular(x, &x->level[x->levels - 1], &s) && s.way[TO].stride == (int64_t)x->block &&
           s.way[FROM].stride == (int64_t)x->block) {
        x->levels--;
        x->block *= (size_t)s.n;
        *to += s.offset[TO];
        *from += s.offset[FROM];
    }
}

void drxi_term_copy(const struct drxi_term_part *p, drx_type type, bool add, const struct drxi_ghost_end *to,
                    const struct drxi_ghost_end *from)
{
    const struct drxi_ghost_end *const ends[2] = { to, from };
    const size_t item_bytes = drx_type_size(type);
    uint8_t *to_base = to->base;
    const uint8_t *from_base = from->base;
    struct product x;

    set_levels(&x, p, item_bytes, ends);
    widen_block(&x, &to_base, &from_base);
    if (!add && x.levels > 1) {
        set_levels(&x, p, item_bytes, ends);
        if (copy_ghosts(&x, item_bytes, to->base, from->base))
            return;
        to_base = to->base;
        from_base = from->base;
        widen_block(&x, &to_base, &from_base);
    }
    x.kernel = add ? sums[type] : find_copy(x.block);
    walk(&x, 0, to_base, from_base);
}
