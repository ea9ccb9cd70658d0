/* Encodes and decodes the description and the log's records in `.xmd` (spec/drx-format.md). It does no input or
 * output. */
#ifndef DRXI_FORMAT_H
#define DRXI_FORMAT_H

#include "base/base.h"

enum {
    DRXI_ID_BYTES = 16,
    DRXI_DESC_HEAD_BYTES = 72,
    DRXI_DESC_CRC_AT = 8, /* of a record it comes first */
    DRXI_DESC_MAX_BYTES = DRXI_DESC_HEAD_BYTES + 16 * DRX_MAX_NDIM,
    DRXI_RECORD_HEAD_BYTES = 24,
    DRXI_NAME_MAX_BYTES = 1024,
    DRXI_ATTR_MAX_BYTES = 64 << 20,                     /* of values */
    DRXI_RECORD_MAX_BYTES = DRXI_ATTR_MAX_BYTES + 2048, /* of a whole record */
    DRXI_STRING_FILL_BYTES = DRX_MAX_STRING_FILL_BYTES
};

/* Flags on disk. The initial chunks are in shell order, the last axis first (2: arrays were once made so) or the first
 * axis first (4); at most one of them. */
enum { DRXI_DESC_CHECKSUM = 1, DRXI_DESC_SHELL_LAST = 2, DRXI_DESC_SHELL = 4, DRXI_DESC_PACKED = 8 };

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
    uint32_t flags;
    uint8_t id[DRXI_ID_BYTES];         /* of this creation */
    int64_t align;                     /* bytes */
    uint8_t fill[DRXI_ITEM_MAX_BYTES]; /* native order, the type's size is used */
    int64_t shape[DRX_MAX_NDIM];       /* initial bounds */
    int64_t chunk[DRX_MAX_NDIM];
    struct drxi_codec codec;
};

size_t drxi_desc_bytes(int ndim);

/* The fill of a type of strings, between memory and the DRXI_STRING_FILL_BYTES that the description has for it. False: it
 * has no room for it, or it is none. */
bool drxi_string_fill_encode(drx_type type, const uint8_t *fill, uint8_t out[]);
bool drxi_string_fill_decode(drx_type type, const uint8_t in[], uint8_t *fill);

/* Write the description to `out`, drxi_desc_bytes(ndim) long. Return its CRC, which begins the log's chain. */
uint32_t drxi_desc_encode(const struct drxi_desc *desc, uint8_t *out);

/* Read a description from the `n` bytes at `p`, which may continue after it. All values read are in their ranges.
 * `name` is the file's, for errors: DRX_EFORMAT, DRX_EDAMAGED, DRX_EUNSUPPORTED. */
drx_status drxi_desc_decode(const uint8_t *p, size_t n, const char *name, struct drxi_desc *desc, uint32_t *crc);

/* Whether these are the first bytes of a log of version 2 (store/records.h). */
bool drxi_desc_is_next(const uint8_t *p, size_t n);

enum drxi_kind {
    DRXI_GROW = 1, /* arg: axis; by, bound after */
    DRXI_INTENT,   /* arg: axis; by, bound after */
    DRXI_SYNC,     /* chunks */
    DRXI_ATTR,     /* set */
    DRXI_ATTR_DELETE,
    DRXI_DIM_NAME,       /* arg: axis */
    DRXI_STRIPES,        /* arg: their number */
    DRXI_MEMBER,         /* dataset, the commit that the log has caught up with */
    DRXI_ORIGIN,         /* the lower bounds of the new array */
    DRXI_GROW_LOW,       /* arg: axis; by, lower bound after */
    DRXI_INTENT_LOW,     /* arg: axis; by, lower bound after */
    DRXI_TRIM,           /* arg: axis; bounds after */
    DRXI_ADD_AXIS,       /* arg: its place */
    DRXI_ATTR_LATER,     /* as DRXI_ATTR, of a type that came after complex128 */
    DRXI_KINDS,          /* kinds up to 127 must be understood */
    DRXI_OPTIONAL = 128, /* from here on a reader may skip what it does not know */
    DRXI_REPLACED = 128  /* a shorter log takes the place of this one: look at the name */
};

/* Put right a description at the start of the `n` bytes of a `.xmd` of which one byte has changed, or parts that are
 * alike in all descriptions, as far as checksums prove it: its own and, when there is one, that in the first record.
 * False: it is right, or it cannot be told what it was; then nothing has changed. */
bool drxi_desc_mend(uint8_t *p, size_t n);

/* A record as it lies in memory at its first byte. */
struct drxi_record {
    int kind, arg;
    uint64_t sequence;
    uint32_t prev, crc;
    size_t bytes; /* of all of it */
    const uint8_t *payload;
    size_t payload_bytes;
};

/* The length that the record at `p` states, or 0 if its head is not plausible. `n` >= DRXI_RECORD_HEAD_BYTES. */
size_t drxi_record_bytes(const uint8_t *p, size_t n);

/* Whether a whole valid record begins at `p`. The caller checks its place in the chain (prev, sequence). */
bool drxi_record_decode(const uint8_t *p, size_t n, struct drxi_record *record);

/* Payloads. An encoder returns the length of the payload, a multiple of 8, and writes the payload if `out` is not NULL.
 * A decoder returns false if the payload is malformed. The names and values that it returns point into the payload. */
struct drxi_growth {
    int axis;
    enum drxi_end end;
    int64_t by, bound; /* the bound at that end, after it */
};

struct drxi_trimming {
    int axis;
    int64_t lower, upper; /* after it */
};

/* Where a log goes on in the one that has replaced it: after its last record. */
struct drxi_successor {
    int64_t end;
    uint64_t sequence;
    uint32_t crc;
};

struct drxi_attr_payload {
    const char *name; /* not terminated */
    size_t name_bytes;
    drx_type type;
    bool is_text;
    int64_t n;
    const void *values; /* little-endian */
};

/* The array belongs to a dataset. */
struct drxi_membership {
    uint8_t dataset[DRXI_ID_BYTES];
    int64_t settled; /* the log has what the commits up to this one say of the array; -1: none */
};

size_t drxi_growth_encode(const struct drxi_growth *growth, uint8_t *out); /* kinds of either end */
bool drxi_growth_decode(const struct drxi_record *record, struct drxi_growth *growth);
static inline enum drxi_kind drxi_grow_kind(enum drxi_end end)
{
    return end == DRXI_LOW ? DRXI_GROW_LOW : DRXI_GROW;
}
size_t drxi_trim_encode(const struct drxi_trimming *trim, uint8_t *out);
bool drxi_trim_decode(const struct drxi_record *record, struct drxi_trimming *trim);
size_t drxi_successor_encode(const struct drxi_successor *next, uint8_t *out);
bool drxi_successor_decode(const struct drxi_record *record, struct drxi_successor *next);
size_t drxi_origin_encode(int ndim, const int64_t lower[], uint8_t *out);
bool drxi_origin_decode(const struct drxi_record *record, int ndim, int64_t lower[]);
/* The epoch counts the SYNCs of a compressed array; 0: the array is not compressed. */
size_t drxi_sync_encode(int64_t chunks, int64_t epoch, uint8_t *out);
bool drxi_sync_decode(const struct drxi_record *record, int64_t *chunks, int64_t *epoch);
size_t drxi_member_encode(const struct drxi_membership *member, uint8_t *out);
bool drxi_member_decode(const struct drxi_record *record, struct drxi_membership *member);
/* An attribute of a type that early readers call damage has a kind of its own, which they refuse. The decoder checks
 * that it has the right one. */
static inline enum drxi_kind drxi_attr_kind(drx_type type)
{
    return type > DRX_COMPLEX128 ? DRXI_ATTR_LATER : DRXI_ATTR;
}
static inline bool drxi_sets_attr(int kind)
{
    return kind == DRXI_ATTR || kind == DRXI_ATTR_LATER;
}
size_t drxi_attr_encode(const struct drxi_attr_payload *attr, uint8_t *out);
bool drxi_attr_decode(const struct drxi_record *record, struct drxi_attr_payload *attr);
/* DRX_EUNSUPPORTED for the record of an attribute of a type that this library does not know: a later one wrote it. */
drx_status drxi_attr_check_type(const struct drxi_record *record);
/* DRXI_ATTR_DELETE, DRXI_DIM_NAME, DRXI_ADD_AXIS */
size_t drxi_name_encode(const char *name, size_t name_bytes, uint8_t *out);
bool drxi_name_decode(const struct drxi_record *record, const char **name, size_t *name_bytes);

/* The folders that the data are spread over. Stripe k is the file STEM.k in folder k. n is 0 if there are
 * none. */
struct drxi_stripes {
    int n;
    char *stem;
    char **folder; /* absolute, or relative to that of the metadata */
    bool owned;
    uint32_t owner; /* if owned: of the metadata that named them */
};

/* The decoder copies the texts. If the payload is malformed, *good is false and *out is empty. */
drx_status drxi_stripes_set(const char *stem, int n, const char *const folder[], struct drxi_stripes *out);
void drxi_stripes_free(struct drxi_stripes *stripes);
bool drxi_stripes_is_folder(const char *folder); /* whether a record can have it */
size_t drxi_stripes_encode(const struct drxi_stripes *stripes, uint8_t *out);
drx_status drxi_stripes_decode(const struct drxi_record *record, struct drxi_stripes *out, bool *good);

/* Complete the record whose payload is at out + DRXI_RECORD_HEAD_BYTES: write its head, return its CRC. */
uint32_t drxi_record_seal(uint8_t *out, size_t payload_bytes, int kind, int arg, uint64_t sequence, uint32_t prev);

/* A byte that has changed, found from what the CRC of the bytes was. Returns how many places there are where one
 * changed byte (`bits`: one changed bit) makes the difference between the CRC that the n bytes have and the one they
 * had: 0, 1, or 2 for more than one. */
struct drxi_flip {
    size_t at;
    uint8_t by; /* to XOR */
};
int drxi_find_flip(size_t n, uint32_t difference, bool bits, struct drxi_flip *flip);

/* Whether the `n` bytes at `p`, n >= DRXI_RECORD_HEAD_BYTES, have the length and the place in the chain that their head
 * states, but for one bit at most. */
bool drxi_record_has_place(const uint8_t *p, size_t n, uint64_t sequence, uint32_t prev);
/* Whether one bit of these bytes, and only that one, makes them a valid record in that place of the chain. */
bool drxi_record_flip(const uint8_t *p, size_t n, uint64_t sequence, uint32_t prev, struct drxi_flip *flip);

/* Whether `text` of n bytes is UTF-8 without NUL. */
bool drxi_is_utf8(const char *text, size_t n);

#endif
