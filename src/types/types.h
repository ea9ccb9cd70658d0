/* The types of elements.
 *
 *   type.c     sizes and names of all; their byte order; the names of codecs
 *   type_define.c  a type that a program defines, checked; type_add.c: copied
 *   defined.c  the table of those that were; type_text.c: the text of each
 *   same.c     whether two are the same
 *   kept.c     fills, each once
 *   utf8.c     texts and names
 *
 * Invariants
 *   1. Types and fills are kept as long as the process lives. They never change, so they are read without a lock.
 *   2. Defined types that are described alike are one. Their numbers differ from process to process: what goes to a
 *      file or to another process is the description. */
#pragma once

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

/* An element that is kept; NULL stands for zeros. NULL: no memory. */
const uint8_t *drxi_keep_element(const void *element, size_t n);
/* The same in the other order of bytes, where the machine is not little-endian: as it is stored, or from that. */
const uint8_t *drxi_keep_swapped(const uint8_t *element, size_t n, drx_type type);

/* ---- defined.c ---- */

struct drxi_defined {
    drx_type_info info; /* what it points to lies behind this struct */
    drx_type type;
    const struct drxi_defined *next; /* of the same hash */
    int nested;                      /* 1: no field has a defined type */
    bool as_is;                      /* its bytes have no order */
    char *text;                      /* drx_type_name */
};

enum { DRXI_MOST_DEFINED = (1 << 23) - 1 };
typedef _Atomic(const struct drxi_defined *) drxi_place;

/* NULL: it is none. */
const struct drxi_defined *drxi_defined(drx_type type);
drxi_place *drxi_defined_place(int number); /* NULL: no memory */

/* ---- type_add.c ---- */

/* The number of a description that was checked. DRX_ENOMEM, DRX_EOVERFLOW. */
drx_status drxi_define(const drx_type_info *info, drx_type *type);

/* ---- same.c ---- */

bool drxi_same_infos(const drx_type_info *a, const drx_type_info *b, bool named); /* named: with names of types */
bool drxi_same_types(drx_type a, drx_type b);                                     /* but for names of types */

/* ---- type_text.c ---- */

char *drxi_type_text(const drx_type_info *info); /* NULL: no memory */

/* ---- type.c ---- */

/* Bytes of a number or a string that are swapped as one. */
int drxi_swapped_bytes(drx_type type);

/* Swap `bytes` bytes of elements of `type` between native and little-endian order, in place. Does nothing on
 * little-endian machines. */
void drxi_swap_always(void *buf, size_t bytes, drx_type type);
static inline void drxi_swap(void *buf, size_t bytes, drx_type type)
{
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        drxi_swap_always(buf, bytes, type);
}
