/* Checksums of the data: `.xcs`, which has an entry for each chunk (section 8 of the format).
 *
 *   sums.c        the file, its entries, and who may change which of them
 *   sums_write.c  writing chunks, and the entries with them
 *   sums_read.c   verifying chunks that were read
 *   sums_mend.c   sync, recovery, making the file anew
 *   sums_copy.c   those of an exact copy
 *   verified.c    reading boxes from a view of the data, whole chunks verified
 *   check_sums.c  drx_check
 *
 * Invariants
 *   1. Who writes to a chunk has its entry taken from before it is marked as in flight until it has the new checksum:
 *      from other threads by a list in memory, from other handles, if there may be any, by a lock on its bytes.
 *   2. An entry that is valid on the disk is right there: before a chunk is written, its entry is no longer valid, and
 *      that is durable; an entry becomes valid when the chunk is durable.
 *   3. A checksum is never computed from bytes that another one has vouched for, but from the change alone. So a chunk
 *      that went bad does not become good by a write to another part of it.
 */
#ifndef DRXI_SUMS_H
#define DRXI_SUMS_H

#include "data/data.h"

enum {
    DRXI_SUM_BYTES = 8,
    DRXI_SUMS_MOST = 512 /* entries that are moved at once: a page of the file */
};

enum drxi_sum_kind {
    DRXI_SUM_NEVER,     /* written */
    DRXI_SUM_VALID,     /* durable, and its chunk */
    DRXI_SUM_IN_FLIGHT, /* the chunk is being written, or this was cut short */
    DRXI_SUM_WRITTEN,   /* right as long as there is no power cut */
    DRXI_SUM_BAD        /* none of these */
};

struct drxi_sum {
    uint32_t state; /* kind in the low 8 bits; IN_FLIGHT, WRITTEN: above them the boot */
    uint32_t crc;
};

/* Entries that somebody has taken. */
struct drxi_sums_range {
    int64_t first, end;
    struct drxi_sums_range *next;
};

struct drxi_sums {
    struct drxi_data *data;
    drxi_io *io;
    drxi_io through; /* with the call `write` alone: of the pool */
    uint32_t boot;   /* as it stands in a state */
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct drxi_sums_range *taken;
    int64_t first, end; /* all entries that are not settled since they were written are among these */
    atomic_bool unsynced;
    atomic_bool failed; /* it is not known what is durable */
    int64_t mended;     /* chunks whose writing had been cut short before it was opened */
};

/* ---- sums.c -------------------------------------------------------------------------- */

enum drxi_sum_kind drxi_sum_kind(const struct drxi_sum *sum);
/* Whether the checksum has to match: valid, or written by this boot. */
bool drxi_sum_counts(const struct drxi_sums *s, const struct drxi_sum *sum);

/* Open `.xcs` of the array `path`; DRX_ENOENT when there is none. */
drx_status drxi_sums_open(struct drxi_data *data, const char *path, enum drxi_how how);
drx_status drxi_sums_use(struct drxi_data *data,
                         drxi_io *io); /* which is `.xcs`, and belongs to the array now, also on failure */
drx_status drxi_sums_close(struct drxi_data *data);
drx_status drxi_sums_missing(const char *path); /* the error of the array `path` without it */

/* n <= DRXI_SUMS_MOST entries from `first` on. *there of them, or all if it is NULL, are in the file; the rest was
 * never written. */
drx_status drxi_sums_get(const struct drxi_sums *s, int64_t first, int64_t n, struct drxi_sum sum[], int64_t *there);
drx_status drxi_sums_put(struct drxi_sums *s, int64_t first, int64_t n, const struct drxi_sum sum[]);

/* Wait for entries, and keep others away from them. */
drx_status drxi_sums_take(struct drxi_sums *s, struct drxi_sums_range *range);
void drxi_sums_give(struct drxi_sums *s, struct drxi_sums_range *range);

/* Entries that will have to be settled. */
void drxi_sums_touch(struct drxi_sums *s, const struct drxi_sums_range *range);

/* Call `visit` with all entries from `first` up to `end` that the file stores, some at a time; they are put back when
 * it has set *changed. */
typedef drx_status drxi_sums_visit(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[],
                                   bool *changed);
drx_status drxi_sums_walk(struct drxi_data *data, int64_t first, int64_t end, drxi_sums_visit *visit);

/* Let it have the entries of so many chunks. */
drx_status drxi_sums_resize(struct drxi_data *data, int64_t chunks);
/* DRX_OK, and *damaged with the detail set, when it is shorter than the last SYNC implies. */
drx_status drxi_sums_check_length(struct drxi_data *data, bool *damaged);

/* ---- sums_write.c ---------------------------------------------------------------------- */

/* Write bytes, as on disk, anywhere. */
drx_status drxi_sums_write(struct drxi_data *data, const void *buf, size_t n, int64_t offset);
/* A file whose call `write`, its only one, does that: for the pool. */
drxi_io *drxi_sums_through(struct drxi_sums *s);

/* A chunk that is written in parts: nobody else writes to it meanwhile. */
struct drxi_hold {
    struct drxi_data *data;
    bool held, whole, known;
    struct drxi_sums_range range;
    struct drxi_sum sum;
};
/* `whole`: each of its bytes will be written, once. */
drx_status drxi_hold_start(struct drxi_data *data, int64_t address, bool whole, struct drxi_hold *h);
drx_status drxi_hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t offset); /* as on disk */
drx_status drxi_hold_end(struct drxi_hold *h, drx_status st); /* returns st, or what fails */

/* ---- sums_read.c ------------------------------------------------------------------------ */

/* Bytes of one chunk as on disk; those that are missing are fill. */
drx_status drxi_sums_read(struct drxi_data *data, void *buf, size_t n, int64_t offset);
/* The CRC32C of bytes of one chunk. */
drx_status drxi_sums_crc(struct drxi_data *data, int64_t offset, int64_t n, uint32_t *crc);

/* Whether something of the chunk is stored; *known is { 0, 0 } first, and spares calls for chunks that follow. */
struct drxi_extent {
    int64_t begin, end; /* stored bytes of the data */
};
drx_status drxi_sums_is_stored(struct drxi_data *data, int64_t address, struct drxi_extent *known, bool *stored);

/* Verify the chunks that lie wholly in bytes that were read, as on disk; a chunk that a writer was at is read anew.
 * Errors: DRX_ECHECKSUM, and DRX_EDAMAGED of an entry. */
drx_status drxi_sums_verify(struct drxi_data *data, void *bytes, size_t n, int64_t offset);
/* The same of one chunk in the file. */
drx_status drxi_sums_verify_chunk(struct drxi_data *data, int64_t address);
/* Whether the entry, of which the file has `there`, is one that can be; else DRX_EDAMAGED. */
drx_status drxi_sums_judge(const struct drxi_data *data, int64_t address, const struct drxi_sum *sum, bool there);

/* ---- sums_mend.c -------------------------------------------------------------------------- */

/* What was written is valid now: the data are durable, or, when others write, too, are made so. */
DRXI_SHARED drx_status drxi_sums_settle(struct drxi_data *data);
/* After an open for writing, by the only writer: chunks whose writing was cut short have a checksum again. */
drx_status drxi_sums_recover(struct drxi_data *data);
void drxi_sums_report(const struct drxi_data *data); /* what that did, beside what is reported already */

/* Give checksums to chunks that have none to be held to: all of them, in a new file, where `.xcs` is missing; else
 * those whose entries are missing at its end or damaged. An entry that can be is left alone, also one that its chunk
 * does not match, and so is a chunk of which nothing is stored. `a` has its files open for writing, and the lock; it
 * need not have its checksums open, and has them then. *made: chunks that got one. Durable on return. */
drx_status drxi_sums_rebuild(struct drxi_data *data, const char *path, int64_t *made);

/* ---- sums_copy.c ---------------------------------------------------------------------------- */

/* `to` has the entries that `from` had before its data were copied: which of them are those of what was copied? Durable
 * on return. */
drx_status drxi_sums_settle_copy(struct drxi_data *from, struct drxi_data *to);

#endif
