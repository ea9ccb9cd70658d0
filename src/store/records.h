/* The head of a store's log, its records and their fields, as bytes (spec/drx-format.md, sections 3 and 4). No input or
 * output. */
#pragma once

#include "types/types.h"

enum {
    DRXI_STORE_ID_BYTES = 16,
    DRXI_STORE_HEAD_BYTES = 512,
    DRXI_LIVE_AT = 4096, /* the live words: trims, replaced */
    DRXI_LIVE_BYTES = 16,
    DRXI_LOG_AT = 8192,
    DRXI_LOG_HEAD_BYTES = 24,                /* of a record */
    DRXI_LOG_MOST_BYTES = (64 << 20) + 4096, /* a whole record */
    DRXI_LOG_SYNC_BYTES = DRXI_LOG_HEAD_BYTES + 8,
    DRXI_C = 1,     /* the flag: the run ends here, and counts */
    DRXI_NULL = 255 /* the rank of what has no elements or values */
};

enum drxi_store_kind { DRXI_LONE_ARRAY = 1, DRXI_DATASET };

/* The first ones make a thing, which is of that number in enum drxi_what. */
enum drxi_log_kind {
    DRXI_LOG_GROUP = 1,
    DRXI_LOG_DIMENSION,
    DRXI_LOG_VARIABLE,
    DRXI_LOG_TYPE,
    DRXI_LOG_GROW,
    DRXI_LOG_TRIM,
    DRXI_LOG_AXIS,
    DRXI_LOG_RENAME,
    DRXI_LOG_REMOVE,
    DRXI_LOG_ATTRIBUTE,
    DRXI_LOG_ATTRIBUTE_DELETE,
    DRXI_LOG_EPOCH,
    DRXI_LOG_STRIPES,
    DRXI_LOG_SOURCE,
    DRXI_LOG_COMMIT,
    DRXI_LOG_SYNC,
    DRXI_LOG_BASE,
    DRXI_LOG_KINDS,         /* unknown kinds from here on are refused, */
    DRXI_LOG_OPTIONAL = 128 /* and skipped from here on */
};

/* What a record describes: `what` of some kinds. */
enum drxi_what { DRXI_THE_STORE, DRXI_A_GROUP, DRXI_A_DIMENSION, DRXI_A_VARIABLE, DRXI_A_TYPE, DRXI_WHATS };

/* Write the head; its CRC begins the chain. */
uint32_t drxi_store_head_encode(enum drxi_store_kind kind, const uint8_t id[], uint8_t out[DRXI_STORE_HEAD_BYTES]);
/* Read it from the first `n` bytes of a file; `name` is for messages. DRX_EFORMAT, DRX_EDAMAGED, DRX_EUNSUPPORTED. */
drx_status drxi_store_head_decode(const uint8_t *p, size_t n, enum drxi_store_kind kind, const char *name, uint8_t id[],
                                  uint32_t *crc);

struct drxi_log_record {
    int64_t at; /* the offset in the file */
    int kind, flags;
    uint16_t number;
    uint64_t sequence;
    uint32_t prev, crc;
    size_t bytes; /* of all of it */
    const uint8_t *payload;
    size_t payload_bytes;
};

/* The length that the record at `p` states, of which DRXI_LOG_HEAD_BYTES are there; 0: no record has it. */
size_t drxi_log_record_bytes(const uint8_t *p);
/* Whether a whole valid record begins at `p`, which is at the offset `at`. Its place in the chain is not looked at. */
bool drxi_log_record_decode(const uint8_t *p, size_t n, int64_t at, struct drxi_log_record *record);
/* Complete a record whose payload stands at p + DRXI_LOG_HEAD_BYTES, padded: write its head from `record` (kind, flags,
 * number, sequence, prev, at, bytes), and return its CRC. */
uint32_t drxi_log_record_seal(uint8_t *p, const struct drxi_log_record *record);

/* ---- fields, read ---- */

/* A payload, read from its begin to its end. What lies behind its end reads as 0 and sets `too_short`. */
struct drxi_fields {
    const uint8_t *p;
    size_t n, at;
    bool too_short, reserved; /* a reserved byte is not 0 */
};

static inline struct drxi_fields drxi_fields_of(const struct drxi_log_record *record)
{
    return (struct drxi_fields){ .p = record->payload, .n = record->payload_bytes };
}
const uint8_t *drxi_field_bytes(struct drxi_fields *f, uint64_t n); /* NULL: there are not this many */
uint8_t drxi_field8(struct drxi_fields *f);
uint16_t drxi_field16(struct drxi_fields *f);
uint32_t drxi_field32(struct drxi_fields *f);
int64_t drxi_field64(struct drxi_fields *f);
struct drxi_text drxi_field_text(struct drxi_fields *f);
struct drxi_text drxi_field_long_text(struct drxi_fields *f); /* with a u32 length */
void drxi_field_zeros(struct drxi_fields *f, size_t n);
void drxi_field_pad(struct drxi_fields *f);
/* After the last field. DRX_EDAMAGED: the payload is shorter or longer; DRX_EUNSUPPORTED: reserved bytes. */
drx_status drxi_fields_end(struct drxi_fields *f);

/* ---- records, written ---- */

/* Records that go to the log together. Whatever fails sets `failed`, and the rest does nothing. */
struct drxi_run {
    uint8_t *bytes;
    int64_t n, room;
    int64_t at;        /* the offset of bytes[0] in the file */
    uint64_t sequence; /* of the last record */
    uint32_t crc;
    int64_t last; /* where the last record begins; -1: none was added */
    drx_status failed;
};

void drxi_run_free(struct drxi_run *run);
/* Begin a record, add its fields, end it. */
void drxi_run_begin(struct drxi_run *run, enum drxi_log_kind kind, uint16_t number);
void drxi_run_bytes(struct drxi_run *run, const void *bytes, size_t n);
void drxi_run8(struct drxi_run *run, uint8_t v);
void drxi_run16(struct drxi_run *run, uint16_t v);
void drxi_run32(struct drxi_run *run, uint32_t v);
void drxi_run64(struct drxi_run *run, int64_t v);
void drxi_run_zeros(struct drxi_run *run, size_t n);
void drxi_run_text(struct drxi_run *run, const char *text);
void drxi_run_pad(struct drxi_run *run);
void drxi_run_end(struct drxi_run *run);
/* The last record gets C. */
void drxi_run_count(struct drxi_run *run);
