/* The types of elements.
 *
 *   type.c     sizes and names of all; their byte order; the names of codecs
 *   define.c   a type that a program defines, checked
 *   defined.c  the table of those that were; type_text.c: the text of each
 *   kept.c     bytes that are kept as long as the process lives, each content once: descriptions, and fills
 *   utf8.c     texts and names
 *
 * Invariants
 *   1. What is kept never changes and never goes, so it is read without a lock, and nobody owns it.
 *   2. Defined types that are described alike are one. Their numbers differ from process to process: what goes to a
 *      file or to another process is the description. */
#ifndef DRXI_TYPES_H
#define DRXI_TYPES_H

#include "base/base.h"

enum {
    DRXI_NAME_MAX_BYTES = 1024,
    DRXI_PATH_NAME_BYTES = 200,
    DRXI_MOST_NESTED = 32 /* a compound in a compound, and so on */
};

struct drxi_text {
    const char *p; /* not terminated */
    size_t n;
};

/* ---- utf8.c ---- */

/* Whether `text` of n bytes is UTF-8 without NUL. */
bool drxi_is_utf8(const char *text, size_t n);
bool drxi_is_name(struct drxi_text t, size_t most);      /* 1 to `most` bytes of UTF-8 without NUL */
bool drxi_is_path_name(struct drxi_text t, size_t most); /* besides, without a slash, not beginning with a dot */
static inline struct drxi_text drxi_text_of(const char *text)
{
    return (struct drxi_text){ text ? text : "", text ? strlen(text) : 0 };
}

/* ---- kept.c ---- */

struct drxi_kept {
    _Atomic(struct drxi_kept *) next; /* those of one hash */
    atomic_int number;                /* of the defined type that is described so; 0: none */
    size_t n;
    _Alignas(16) uint8_t bytes[];
};

/* The one that has these bytes. NULL: no memory. */
struct drxi_kept *drxi_keep(const void *bytes, size_t n);
/* An element that is kept; NULL stands for zeros. NULL: no memory. */
const uint8_t *drxi_keep_element(const void *element, size_t n);
/* The same in the other order of bytes, where the machine is not little-endian: as it is stored, or from that. */
const uint8_t *drxi_keep_swapped(const uint8_t *element, size_t n, drx_type type);

/* ---- defined.c ---- */

struct drxi_defined {
    drx_type_info info;
    int nested; /* 1: no field has a defined type */
    bool as_is; /* its bytes have no order */
    char *text; /* drx_type_name */
};

/* The type that a key describes; 0: none is defined yet. */
static inline drx_type drxi_defined_type(const struct drxi_kept *key)
{
    const int number = atomic_load_explicit(&key->number, memory_order_acquire);

    return number ? (drx_type)(DRX_DEFINED_ | number << 8) : (drx_type)0;
}
/* NULL: it is none. */
const struct drxi_defined *drxi_defined(drx_type type);
/* Give a description that is kept a number. The text and the array of members, which lie in it, are taken over, also on
 * failure. DRX_ENOMEM, DRX_EOVERFLOW. */
drx_status drxi_defined_add(struct drxi_kept *key, struct drxi_defined *made, drx_type *type);

/* ---- type_text.c ---- */

char *drxi_type_text(const drx_type_info *info); /* NULL: no memory */

/* ---- type.c ---- */

/* Swap `bytes` bytes of elements of `type` between native and little-endian order, in place. Does nothing on
 * little-endian machines. */
void drxi_swap_always(void *buf, size_t bytes, drx_type type);
static inline void drxi_swap(void *buf, size_t bytes, drx_type type)
{
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        drxi_swap_always(buf, bytes, type);
}

#endif
