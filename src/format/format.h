/* What an array is, and its changes, as they go from those who prepare them to the log. No input or output. */
#pragma once

#include "drx_tools.h"
#include "types/types.h"

enum {
    DRXI_ID_BYTES = 16,
    DRXI_ATTR_MAX_BYTES = 64 << 20 /* of values */
};

enum { DRXI_DESC_CHECKSUM = 1, DRXI_DESC_STRIPED = 2 }; /* flags, as the log has them */

/* How chunks are compressed. DRX_RAW: they are not. Otherwise level and shuffle are as they are used. */
struct drxi_codec {
    drx_codec codec;
    int level;
    drx_shuffle shuffle;
};

/* The fixed description of an array. */
struct drxi_desc {
    int ndim;
    drx_type type;
    drx_order chunk_order;
    uint8_t flags;
    bool shells;                 /* the initial chunks are in shell order */
    uint8_t id[DRXI_ID_BYTES];   /* of this creation */
    int64_t align;               /* bytes */
    const uint8_t *fill;         /* one element, native order; it is kept */
    int64_t shape[DRX_MAX_NDIM]; /* initial bounds */
    int64_t chunk[DRX_MAX_NDIM];
    struct drxi_codec codec;
};

/* Whether a string can be a fill: it has at most DRX_MAX_STRING_FILL_BYTES before its NULs, of UTF-8 if it is
 * Unicode. */
bool drxi_string_fill_fits(drx_type type, const uint8_t *fill);

enum drxi_kind {
    DRXI_GROW = 1,
    DRXI_INTENT,
    DRXI_SYNC,
    DRXI_ATTR,
    DRXI_ATTR_DELETE,
    DRXI_DIM_NAME,
    DRXI_TRIM,
    DRXI_ADD_AXIS
};

struct drxi_growth {
    int axis;
    enum drxi_end end;
    int64_t by, bound; /* the bound at that end, after it */
};

struct drxi_trimming {
    int axis;
    int64_t lower, upper; /* after it */
};

struct drxi_attr_payload {
    const char *name; /* terminated */
    size_t name_bytes;
    drx_type type;
    bool is_text;
    int64_t n;
    const void *values; /* native byte order */
};

/* A change, and what its kind has of these. It points to what is the caller's. */
struct drxi_record {
    enum drxi_kind kind;
    int axis;                      /* DRXI_DIM_NAME; DRXI_ADD_AXIS: its place */
    const char *name;              /* the same, DRXI_ATTR_DELETE; empty: no name */
    struct drxi_growth growth;     /* DRXI_GROW, DRXI_INTENT */
    struct drxi_trimming trim;     /* DRXI_TRIM */
    struct drxi_attr_payload attr; /* DRXI_ATTR: to be set */
};

/* The folders that the data are spread over. Stripe k is the file STEM.k in folder k. n is 0 if there are
 * none. */
struct drxi_stripes {
    int n;
    char *stem;
    char **folder; /* absolute, or relative to that of the metadata */
    bool owned;
    uint32_t owner; /* if owned: of the metadata that named them */
};

drx_status drxi_stripes_set(const char *stem, int n, const char *const folder[], struct drxi_stripes *out);
void drxi_stripes_free(struct drxi_stripes *stripes);
drx_status drxi_stripes_copy(const struct drxi_stripes *from, struct drxi_stripes *out);
bool drxi_stripes_is_folder(const char *folder); /* whether a record can have it */

/* ---- file_source.c ---- */

/* That of a spec, or NULL. DRX_EINVAL: it is none. */
drx_status drxi_source_check(const drx_source *s);
/* One block of memory, with so many words behind it; NULL: there is none. */
drx_source *drxi_source_new(size_t nwords);
/* A copy of one, or NULL. DRX_ENOMEM. */
drx_status drxi_source_copy(const drx_source *from, drx_source **out);

/* ---- describe.c ---- */

/* What a checked spec says of the elements and their chunks; without the id, the codec, and a chunk that the library
 * chooses. DRX_ENOMEM. And a spec that says what a description does, but for bounds and names. */
drx_status drxi_desc_of_spec(const drx_spec *spec, struct drxi_desc *d);
void drxi_spec_of_desc(const struct drxi_desc *d, const struct drxi_stripes *stripes, drx_spec *spec);

/* Bytes of a chunk, and from one to the next; and how many chunks have offsets of 63 bits, in each file. */
struct drxi_laid {
    int64_t bytes, pitch, most;
};
/* False: bytes (INT64_MAX then) or pitch overflow. */
bool drxi_lay_chunk(int64_t item_bytes, int ndim, const int64_t chunk[], int64_t align, bool packed,
                    struct drxi_laid *out);
bool drxi_desc_lay(const struct drxi_desc *d, struct drxi_laid *out);
