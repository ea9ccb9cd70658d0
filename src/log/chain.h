/* A file of records: `.xmd` of an array, `dataset.xds` of a dataset. A description comes first. Each record holds the
 * CRC of the one before, so a valid record can be checked alone, and its place against its predecessor.
 *
 * Invariants
 *   1. What the owner of a chain knows is that of the longest valid prefix, which ends at chain.end.
 *   2. Each record's `prev` is the CRC of the record before, and its sequence is one more.
 *   3. Bytes after the prefix are a torn tail if they hold no valid record. They are one, too, if they hold valid
 *      records, but none that promises that all before it are durable, behind zeros that end a sector: the disk lost the
 *      sector, and nobody was promised these records. Anything else is damage (spec/drx-format.md, section 2.3).
 *      judge_tail decides.
 *   4. A last record with one wrong bit is damage, unless a write that was cut short may have left it so. */
#ifndef DRXI_CHAIN_H
#define DRXI_CHAIN_H

#include "format/format.h"
#include "io/io.h"

struct drxi_chain {
    int64_t end; /* of the valid bytes of the file */
    uint64_t sequence;
    uint32_t crc;   /* of the last record, or of the description */
    int64_t crc_at; /* the offset of that checksum */
};

enum drxi_tail { DRXI_WHOLE, DRXI_TORN, DRXI_DAMAGED };

/* What a file of records is about. */
struct drxi_chain_kind {
    int promise;       /* the kind of record that is written when all before it are durable */
    const char *whole; /* for messages: "array" */
    /* Apply the next record of the chain and drxi_chain_advance. DRX_EDAMAGED: it contradicts what came before, and nothing
     * has changed. */
    drx_status (*apply)(void *owner, const struct drxi_record *record);
    /* Forget records that a writer may take back, and others may stand in the place of; NULL: there are none. */
    void (*rewind)(void *owner);
};

/* The record is the last one now. */
static inline void drxi_chain_advance(struct drxi_chain *chain, const struct drxi_record *record)
{
    chain->crc_at = chain->end;
    chain->end += (int64_t)record->bytes;
    chain->sequence = record->sequence;
    chain->crc = record->crc;
}

/* Apply the records from chain->end on, and judge what follows the last valid one. DRXI_DAMAGED sets the detail.
 * `chain` belongs to `owner`. What comes from the offset `most` on is as if it were not there. */
drx_status drxi_chain_read(drxi_io *io, int64_t most, const struct drxi_chain *chain,
                           const struct drxi_chain_kind *kind, void *owner, enum drxi_tail *tail);
/* What follows the valid prefix, when no valid record does. */
struct drxi_rest {
    int64_t offset, bytes;
    uint64_t sequence;     /* of the record that belongs there */
    bool has_place;        /* the bytes have the length and the place of a whole record */
    int kind;              /* which it states */
    struct drxi_flip flip; /* the one bit that is wrong; by = 0: more are, or none */
    bool damaged;          /* and no write that was cut short leaves it so */
};

enum { DRXI_REST_TEXT_BYTES = 256 };

/* Look at it. The prefix may go on after the last record that the chain knows. */
drx_status drxi_chain_look_at_rest(drxi_io *io, const struct drxi_chain *chain, struct drxi_rest *rest);
/* What a report adds of bytes that may have been a record; nothing, if none was. */
void drxi_rest_text(const struct drxi_rest *rest, char text[DRXI_REST_TEXT_BYTES]);
/* Put the bit back, durably. */
drx_status drxi_chain_mend(drxi_io *io, const struct drxi_rest *rest);

/* DRX_EDAMAGED when the file no longer holds the last record that the chain knows; *more: something follows it. */
drx_status drxi_chain_continues(drxi_io *io, const struct drxi_chain *chain, bool *more);

/* Append the record whose payload stands at record + DRXI_RECORD_HEAD_BYTES. On failure the chain is unchanged; *lost
 * is set when the file may not be. */
drx_status drxi_chain_append(drxi_io *io, struct drxi_chain *chain, int kind, int arg, uint8_t *record,
                             size_t payload_bytes, bool *lost);

#endif
