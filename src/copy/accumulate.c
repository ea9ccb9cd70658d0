/* Adding boxes of elements. The loops have the strides of a copy, and add where a copy stores. */

#include "copy/plan.h"

enum { TILE = 16 };

/* Add alpha times n elements of src to n elements of dst. The steps are in bytes. */
typedef void row_kernel(int64_t n, const void *alpha, uint8_t *dst, int64_t dst_step, const uint8_t *src,
                        int64_t src_step);

/* `wide` is the type of products. For integers it is unsigned and not promoted, so that products wrap around. After
 * inlining, steps and alpha are constants where the caller passes constants. */
#define REAL_KERNEL(name, type, wide)                                                                                  \
    static inline __attribute__((always_inline)) void name##_run(                                                      \
        int64_t n, wide alpha, uint8_t *restrict dst, int64_t dst_step, const uint8_t *restrict src, int64_t src_step) \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            type d, s;                                                                                                 \
                                                                                                                       \
            memcpy(&d, dst + i * dst_step, sizeof d);                                                                  \
            memcpy(&s, src + i * src_step, sizeof s);                                                                  \
            d = (type)(d + alpha * s);                                                                                 \
            memcpy(dst + i * dst_step, &d, sizeof d);                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static void name(int64_t n, const void *alpha, uint8_t *dst, int64_t dst_step, const uint8_t *src,                 \
                     int64_t src_step)                                                                                 \
    {                                                                                                                  \
        const int64_t item = sizeof(type);                                                                             \
        type a;                                                                                                        \
                                                                                                                       \
        memcpy(&a, alpha, sizeof a);                                                                                   \
        if (dst_step == item && src_step == item && a == 1)                                                            \
            name##_run(n, 1, dst, item, src, item);                                                                    \
        else if (dst_step == item && src_step == item)                                                                 \
            name##_run(n, a, dst, item, src, item);                                                                    \
        else                                                                                                           \
            name##_run(n, a, dst, dst_step, src, src_step);                                                            \
    }

REAL_KERNEL(add_8, uint8_t, uint32_t)
REAL_KERNEL(add_16, uint16_t, uint32_t)
REAL_KERNEL(add_32, uint32_t, uint32_t)
REAL_KERNEL(add_64, uint64_t, uint64_t)
REAL_KERNEL(add_float, float, float)
REAL_KERNEL(add_double, double, double)

#define COMPLEX_KERNEL(name, type, add_real)                                                                        \
    static inline __attribute__((always_inline)) void name##_run(int64_t n, const type a[2], uint8_t *restrict dst, \
                                                                 int64_t dst_step, const uint8_t *restrict src,     \
                                                                 int64_t src_step)                                  \
    {                                                                                                               \
        for (int64_t i = 0; i < n; i++) {                                                                           \
            type d[2], s[2];                                                                                        \
                                                                                                                    \
            memcpy(d, dst + i * dst_step, sizeof d);                                                                \
            memcpy(s, src + i * src_step, sizeof s);                                                                \
            d[0] += a[0] * s[0] - a[1] * s[1];                                                                      \
            d[1] += a[0] * s[1] + a[1] * s[0];                                                                      \
            memcpy(dst + i * dst_step, d, sizeof d);                                                                \
        }                                                                                                           \
    }                                                                                                               \
                                                                                                                    \
    static void name(int64_t n, const void *alpha, uint8_t *dst, int64_t dst_step, const uint8_t *src,              \
                     int64_t src_step)                                                                              \
    {                                                                                                               \
        const int64_t item = 2 * sizeof(type), real = sizeof(type);                                                 \
        type a[2];                                                                                                  \
                                                                                                                    \
        memcpy(a, alpha, sizeof a);                                                                                 \
        if (dst_step == item && src_step == item && a[0] == 1 && a[1] == 0)                                         \
            add_real(2 * n, a, dst, real, src, real);                                                               \
        else if (dst_step == item && src_step == item)                                                              \
            name##_run(n, a, dst, item, src, item);                                                                 \
        else                                                                                                        \
            name##_run(n, a, dst, dst_step, src, src_step);                                                         \
    }

COMPLEX_KERNEL(add_complex_float, float, add_float)
COMPLEX_KERNEL(add_complex_double, double, add_double)

/* The product and the sum are each rounded, from doubles, which hold them exactly. */
static void add_half(int64_t n, const void *alpha, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step)
{
    uint16_t a, d, s;

    memcpy(&a, alpha, sizeof a);
    for (int64_t i = 0; i < n; i++) {
        memcpy(&d, dst + i * dst_step, sizeof d);
        memcpy(&s, src + i * src_step, sizeof s);
        s = drxi_half_of(drxi_half_value(a) * drxi_half_value(s));
        d = drxi_half_of(drxi_half_value(d) + drxi_half_value(s));
        memcpy(dst + i * dst_step, &d, sizeof d);
    }
}

static row_kernel *const kernels[] = {
    /* of types that have sums */
    [DRX_INT8] = add_8,
    [DRX_UINT8] = add_8,
    [DRX_INT16] = add_16,
    [DRX_UINT16] = add_16,
    [DRX_INT32] = add_32,
    [DRX_UINT32] = add_32,
    [DRX_INT64] = add_64,
    [DRX_UINT64] = add_64,
    [DRX_FLOAT16] = add_half,
    [DRX_FLOAT32] = add_float,
    [DRX_FLOAT64] = add_double,
    [DRX_COMPLEX64] = add_complex_float,
    [DRX_COMPLEX128] = add_complex_double,
};

struct sum {
    row_kernel *kernel;
    const void *alpha;
    int loops;
    struct drxi_copy_axis loop[DRXI_COPY_AXES]; /* outermost first */
    struct drxi_copy_axis column, inner;        /* the tile */
};

/* Where src is contiguous along another axis than dst, some rows at a time stay in the cache. */
static void add_tiles(const struct sum *x, uint8_t *dst, const uint8_t *src)
{
    const struct drxi_copy_axis c = x->column, n = x->inner;
    const int64_t width = c.count > 1 ? TILE : n.count;

    for (int64_t j = 0; j < n.count; j += width)
        for (int64_t i = 0; i < c.count; i++)
            x->kernel(drxi_min(width, n.count - j), x->alpha, dst + i * c.dst + j * n.dst, n.dst,
                      src + i * c.src + j * n.src, n.src);
}

static void loop(const struct sum *x, int k, uint8_t *dst, const uint8_t *src)
{
    if (k == x->loops) {
        add_tiles(x, dst, src);
        return;
    }
    for (int64_t i = 0; i < x->loop[k].count; i++, dst += x->loop[k].dst, src += x->loop[k].src)
        loop(x, k + 1, dst, src);
}

/* The axis along which elements of src are closer than along `inner`; -1: none. */
static int find_column(const struct sum *x)
{
    int found = -1;

    for (int j = 0; j < x->loops; j++)
        if (drxi_magnitude(x->loop[j].src) < drxi_magnitude(found < 0 ? x->inner.src : x->loop[found].src))
            found = j;
    return found;
}

void drxi_accumulate(int n, const struct drxi_copy_axis axes[], drx_type type, const void *alpha, void *dst,
                     const void *src)
{
    const int64_t item = (int64_t)drx_type_size(type);
    struct sum x = { .kernel = kernels[type], .alpha = alpha, .column = { 1, 0, 0 }, .inner = { 1, item, item } };
    int column;

    for (int j = 0; j < n; j++)
        if (axes[j].count == 0)
            return;
    x.loops = drxi_copy_reduce(n, axes, x.loop);
    if (x.loops > 0)
        x.inner = drxi_copy_take(x.loop, &x.loops, x.loops - 1);
    if ((column = find_column(&x)) >= 0)
        x.column = drxi_copy_take(x.loop, &x.loops, column);
    loop(&x, 0, dst, src);
}

drx_status drxi_check_addable(drx_type type)
{
    return type == DRX_BOOL || !DRX_IS_NUMBER(type)
               ? drxi_fail(DRX_EINVAL, "elements of %s have no sums, expected a type of numbers", drx_type_name(type))
               : DRX_OK;
}
