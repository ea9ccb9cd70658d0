/* What every room needs: failures with a detail, checked arithmetic, memory, little-endian bytes. Depends on nothing
 * but libc. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "drx.h"

/* Marks what libdrxmp uses of libdrx beside the public calls. It is exported, but nobody else may use it. */
#define DRXI_SHARED DRX_API

/* A thread-local variable that is read without a call. The system has room for only a few of these. */
#define DRXI_NEAR_THREAD _Thread_local __attribute__((tls_model("initial-exec")))

/* ---- failing ------------------------------------------------------------- */

/* Set this thread's detail for drx_last_error; return `st`. */
drx_status drxi_fail(drx_status st, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a system call that failed with `error` (an errno), which chooses the status and ends the detail. */
drx_status drxi_fail_errno(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* DRX_EINVAL for a null handle. */
static inline drx_status drxi_no_array(void)
{
    return drxi_fail(DRX_EINVAL, "the array is a null pointer");
}

/* Set the detail beside a success, and clear it. */
void drxi_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
void drxi_report_clear(void);

/* Save this thread's detail while a failure is undone. Needs no memory. */
enum { DRXI_DETAIL_BYTES = 1024 };
void drxi_report_keep(char kept[DRXI_DETAIL_BYTES]);

/* Set this thread's detail to one that was saved or came from elsewhere. */
void drxi_report_set(const char *detail);

/* ---- checked arithmetic: false when the result does not fit ---------------- */

static inline bool drxi_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool drxi_mul(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* a * b for a, b >= 0, or INT64_MAX when that is more. */
static inline int64_t drxi_mul_saturated(int64_t a, int64_t b)
{
    int64_t product;

    return drxi_mul(a, b, &product) ? product : INT64_MAX;
}

/* n times all of the extents. */
static inline int64_t drxi_times(int64_t n, int ndim, const int64_t extent[])
{
    for (int j = 0; j < ndim; j++)
        n = drxi_mul_saturated(n, extent[j]);
    return n;
}

static inline int64_t drxi_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t drxi_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t drxi_magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

/* n / extent, rounded up and down; extent > 0. */
static inline int64_t drxi_ceil_div(int64_t n, int64_t extent)
{
    return n / extent + (n % extent > 0);
}

static inline int64_t drxi_floor_div(int64_t n, int64_t extent)
{
    return n / extent - (n % extent < 0);
}

/* 0 <= result < extent. */
static inline int64_t drxi_floor_mod(int64_t n, int64_t extent)
{
    return n - drxi_floor_div(n, extent) * extent;
}

/* The greatest common divisor. */
static inline int64_t drxi_gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The end of an axis at which it grows: at its upper bound, or at its lower one. */
enum drxi_end { DRXI_HIGH, DRXI_LOW };

/* No bound is below it, so that differences of indices seldom overflow. */
#define DRXI_LEAST_INDEX (-(INT64_C(1) << 62))

/* Whether these can be bounds: in order, and with a difference that fits 64 bits. */
static inline bool drxi_is_span(int64_t lower, int64_t upper)
{
    return lower >= DRXI_LEAST_INDEX && lower <= upper && (lower >= 0 || upper <= INT64_MAX + lower);
}

/* ---- memory: the only allocations of the library --------------------------- */

void *drxi_malloc(size_t bytes); /* also a pointer to free when bytes is 0 */
void *drxi_calloc(size_t n, size_t bytes);
void *drxi_realloc(void *old, size_t bytes);
char *drxi_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void drxi_free(void *p);

static inline char *drxi_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = (char *)drxi_malloc(bytes);

    return copy ? (char *)memcpy(copy, text, bytes) : NULL;
}

/* Whether a read of a part of a chunk verifies all of it: drx_set_verify. */
bool drxi_verifies(void);

/* What drx_set_memory allows when the program does not say it. */
void drxi_default_memory(size_t bytes);
/* Whether there is a limit, of drx_set_memory or the default. */
extern atomic_size_t drxi_limit_bytes;
static inline bool drxi_memory_is_limited(void)
{
    return atomic_load_explicit(&drxi_limit_bytes, memory_order_relaxed) > 0;
}
/* What the library needs memory for, beside single elements and what it notes of arrays. */
enum drxi_purpose {
    DRXI_FOR_READS,         /* bytes under way of boxes, of all threads together */
    DRXI_FOR_STASH,         /* the next box of a walk, read directly */
    DRXI_FOR_PAYLOAD_AHEAD, /* one read of it, of compressed chunks */
    DRXI_FOR_POINTS,        /* a list of points, sorted */
    DRXI_FOR_POINT_READS,   /* bytes under way of it */
    DRXI_FOR_STAGE,         /* elements on their way to a file */
    DRXI_FOR_TYPES,         /* and to another type */
    DRXI_FOR_DECODED,       /* chunks that threads decode for one box */
    DRXI_FOR_ENCODED,       /* and compress for one */
    DRXI_FOR_KEPT_CHUNKS,   /* that were decoded for small reads, of all arrays */
    DRXI_FOR_PAYLOADS,      /* that are fetched ahead, */
    DRXI_FOR_FAR_PAYLOADS,  /* and from a server, of which one thread asks for all */
    DRXI_FOR_CACHE,         /* the cache of a file that cannot be mapped */
    DRXI_FOR_BLOCKS,        /* what was read last from servers, */
    DRXI_FOR_GUESSES,       /* and what will probably be read next */
    DRXI_FOR_MAPPED,        /* pages of mapped files */
    DRXI_FOR_CHECK,         /* bytes under way of a check, */
    DRXI_FOR_COPY,          /* and of a copy, beside its own memory */
    DRXI_PURPOSES
};
/* How many bytes a purpose may take now: ledger.c. */
int64_t drxi_may_take(enum drxi_purpose purpose);

/* Hint that this large memory is read or written in long strides, for which large pages are faster. */
void drxi_prefer_huge_pages(void *memory, size_t bytes);

/* Tests link the static library and set this to n to let the n-th allocation from now on fail; 0: none fails. */
extern _Thread_local long drxi_fail_allocation;

/* Make room in the array *items, whose elements take `bytes`, for `n` elements; grow by at least half. A failure
 * leaves *items and *room unchanged. */
drx_status drxi_reserve(void *items, int64_t *room, int64_t n, size_t bytes);

/* ---- time -------------------------------------------------------------------- */

/* Seconds of a clock that is never set back. */
double drxi_now(void);
/* Microseconds since 1970, or what SOURCE_DATE_EPOCH says, in seconds, for files that can be made again. */
int64_t drxi_time(void);

/* ---- elements --------------------------------------------------------------- */

/* Of one element. Only those of strings and of defined types have more than 16. */
enum { DRXI_ITEM_MAX_BYTES = DRX_MAX_TYPE_BYTES };

/* Whether elements of this many bytes, which lie one after the other, never cross the border of a block whose size is a
 * larger power of two. */
static inline bool drxi_fits_blocks(size_t item_bytes)
{
    return (item_bytes & (item_bytes - 1)) == 0;
}

bool drxi_is_zero(const void *bytes, size_t n);

/* Fill `n` elements at `buf` with `element` of `item_bytes`. */
void drxi_fill(void *buf, int64_t n, const void *element, size_t item_bytes);
/* Whether n elements are all this one. */
bool drxi_is_filled(const void *buf, int64_t n, const void *element, size_t item_bytes);

/* A number of DRX_FLOAT16, from its bits, and the bits of the nearest one: a tie goes to the even one, and from 65520
 * on they are those of infinity. */
double drxi_half_value(uint16_t half);
uint16_t drxi_half_of(double x);

/* The bytes of a code point in UTF-8, at most 4; 0: it has none there. */
int drxi_put_utf8(uint32_t code, uint8_t out[4]);

/* ---- little-endian bytes ------------------------------------------------------ */

static inline void drxi_put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void drxi_put32(uint8_t *p, uint32_t v)
{
    drxi_put16(p, (uint16_t)v);
    drxi_put16(p + 2, (uint16_t)(v >> 16));
}

static inline void drxi_put64(uint8_t *p, uint64_t v)
{
    drxi_put32(p, (uint32_t)v);
    drxi_put32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t drxi_get16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t drxi_get32(const uint8_t *p)
{
    return drxi_get16(p) | (uint32_t)drxi_get16(p + 2) << 16;
}

static inline uint64_t drxi_get64(const uint8_t *p)
{
    return drxi_get32(p) | (uint64_t)drxi_get32(p + 4) << 32;
}

/* Copy an element; with a constant size it takes no call. What most elements have goes straight on: the processor
 * waits for several random reads at once only when few instructions lie between them. */
static inline void drxi_copy_item(void *to, const void *from, size_t item_bytes)
{
    if (__builtin_expect(item_bytes == 8, 1))
        memcpy(to, from, 8);
    else if (__builtin_expect(item_bytes == 4, 1))
        memcpy(to, from, 4);
    else
        memcpy(to, from, item_bytes);
}
