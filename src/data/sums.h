/* Checksums of the data: `.xcs` has an entry for each chunk (section 8 of the format).
 *
 *   sums.c         the file, its entries, and the right to change them
 *   sums_write.c   writes chunks and their entries
 *   sums_read.c    verifies chunks that were read
 *   sums_repair.c  sync, recovery, rebuilding the file
 *   sums_copy.c    entries of an exact copy
 *   stored_summed.c what makes them a kind of storage
 *
 * Invariants
 *   1. A writer takes the entry of a chunk before it marks it as in flight, and gives it back with the new checksum.
 *      A list in memory keeps other threads away, and a lock on the bytes of the entry keeps other handles away.
 *   2. An entry that is valid on disk is right. Before a writer changes a chunk, it makes the entry durably invalid.
 *      The entry becomes valid again when the chunk is durable.
 *   3. A new checksum is computed from the old one and the change. Bytes that do not change count only through the old
 *      checksum, so a write to one part of a bad chunk does not make the chunk good. */
#pragma once

#include "data/data.h"

enum {
    DRXI_SUM_BYTES = 8,
    DRXI_SUMS_MOST = 512 /* entries moved at once: a page of the file */
};

enum drxi_sum_kind {
    DRXI_SUM_NEVER,     /* the chunk was never written */
    DRXI_SUM_VALID,     /* the entry and its chunk are durable */
    DRXI_SUM_IN_FLIGHT, /* the chunk is being written, or its writing was cut short */
    DRXI_SUM_WRITTEN,   /* right unless there was a power cut */
    DRXI_SUM_BAD        /* anything else */
};

struct drxi_sum {
    uint32_t state; /* the kind in the low 8 bits; for IN_FLIGHT and WRITTEN, the boot in the others */
    uint32_t crc;
};

/* Entries that a writer has taken. */
struct drxi_sums_range {
    int64_t first, end;
    struct drxi_sums_range *next;
};

struct drxi_sums {
    struct drxi_data *data;
    drxi_io *io;
    drxi_io through; /* see drxi_sums_through */
    uint32_t boot;   /* as it is in drxi_sum.state */
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct drxi_sums_range *taken;
    int64_t first, end; /* entries written since the last settling are among these */
    atomic_bool unsynced;
    atomic_bool failed; /* it is unknown what is durable */
    int64_t repaired;   /* chunks whose writing was cut short before the open */
};

/* ---- sums.c -------------------------------------------------------------------------- */

enum drxi_sum_kind drxi_sum_kind(const struct drxi_sum *sum);
/* Whether the chunk must match: the entry is valid, or of this boot. */
bool drxi_sum_counts(const struct drxi_sums *s, const struct drxi_sum *sum);

/* Open `.xcs` of the array `path`; DRX_ENOENT when there is none. */
drx_status drxi_sums_open(struct drxi_data *data, const char *path, enum drxi_how how);
drx_status drxi_sums_use(struct drxi_data *data, drxi_io *io); /* takes the open `.xcs` on success */
drx_status drxi_sums_close(struct drxi_data *data);

/* Read n <= DRXI_SUMS_MOST entries. The file has the first *there of them; the others read as never written. `there`
 * may be NULL. */
drx_status drxi_sums_get(const struct drxi_sums *s, int64_t first, int64_t n, struct drxi_sum sum[], int64_t *there);
drx_status drxi_sums_put(struct drxi_sums *s, int64_t first, int64_t n, const struct drxi_sum sum[]);

/* Take entries: wait for them, then keep other writers away. */
drx_status drxi_sums_take(struct drxi_sums *s, struct drxi_sums_range *range);
void drxi_sums_give(struct drxi_sums *s, struct drxi_sums_range *range);

/* Note entries that the next sync must settle. */
void drxi_sums_touch(struct drxi_sums *s, const struct drxi_sums_range *range);

/* Call `visit` with the entries from `first` up to `end` that the file stores, some at a time; put them back when it
 * sets *changed. */
typedef drx_status drxi_sums_visit(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[],
                                   bool *changed);
drx_status drxi_sums_walk(struct drxi_data *data, int64_t first, int64_t end, drxi_sums_visit *visit);

/* Set the length to this many entries. */
drx_status drxi_sums_resize(struct drxi_data *data, int64_t chunks);

/* ---- sums_write.c ---------------------------------------------------------------------- */

/* Write bytes, as they are on disk, and their checksums. */
drx_status drxi_sums_write(struct drxi_data *data, const void *buf, size_t n, int64_t offset);
/* A file for the pool. Its only call is `write`, which does the same. */
drxi_io *drxi_sums_through(struct drxi_data *data);

/* A chunk that is written in parts while it is taken. */
struct drxi_hold {
    struct drxi_data *data;
    bool held, whole;
    bool rereads; /* what lies between parts may be read and written back */
    bool known;   /* with checksums: the old one */
    struct drxi_sums_range range;
    struct drxi_sum sum;
    struct drxi_pack_hold pack; /* of a compressed array, instead */
};
drx_status drxi_sums_hold(struct drxi_hold *h);
drx_status drxi_sums_hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t within);
drx_status drxi_sums_hold_end(struct drxi_hold *h, drx_status st);

/* ---- storage.c: the same of any kind whose chunks are held ---- */

/* `whole`: the caller writes each of its bytes once. */
drx_status drxi_hold_start(struct drxi_data *data, int64_t address, bool whole, struct drxi_hold *h);
drx_status drxi_hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t offset); /* as on disk */
drx_status drxi_hold_end(struct drxi_hold *h, drx_status st); /* returns `st`, or its own failure */

/* ---- sums_read.c ------------------------------------------------------------------------ */

/* Compute the CRC32C of bytes of one chunk. */
drx_status drxi_sums_crc(struct drxi_data *data, int64_t offset, int64_t n, uint32_t *crc);

/* Whether the file stores a part of the chunk. *known is { 0, 0 } at first, and saves calls for later chunks. */
struct drxi_extent {
    int64_t begin, end; /* bytes that the data store */
};
drx_status drxi_sums_is_stored(struct drxi_data *data, int64_t address, struct drxi_extent *known, bool *stored);

/* Verify the chunks that lie wholly in bytes read from disk; read a chunk again that was being written.
 * DRX_ECHECKSUM; DRX_EDAMAGED for an entry. */
drx_status drxi_sums_verify(struct drxi_data *data, void *bytes, size_t n, int64_t offset);
/* The same for those of n bytes that the file has only in part or not at all, since it gave `got` of these bytes. */
drx_status drxi_sums_verify_lacking(struct drxi_data *data, size_t n, size_t got, int64_t offset);
/* The same for one chunk in the file. */
drx_status drxi_sums_verify_chunk(struct drxi_data *data, int64_t address);
bool drxi_data_lives(const struct drxi_data *data, int64_t address); /* the chunk was not trimmed */
/* DRX_EDAMAGED for an entry that is malformed, or missing though it was promised (not `there`). */
drx_status drxi_sums_judge(const struct drxi_data *data, int64_t address, const struct drxi_sum *sum, bool there);

/* ---- sums_repair.c -------------------------------------------------------------------------- */

/* Settle entries: make those that were written valid. The data are durable; where others write, too, this makes them
 * durable first. */
drx_status drxi_sums_settle(struct drxi_data *data);
/* After the only writer opens the array: give new checksums to chunks whose writing was cut short. */
drx_status drxi_sums_recover(struct drxi_data *data);
void drxi_sums_report(const struct drxi_data *data); /* adds what that did to the detail */

/* If `.xcs` is missing, make it with checksums of all chunks. Otherwise give checksums to the chunks whose entries are
 * malformed, or missing at its end; leave other entries alone, even where the chunk does not match. Chunks that store
 * nothing get no checksum. The files of the array `path` are open for writing and locked. On return the checksums are
 * open and durable. *made counts the chunks. */
drx_status drxi_sums_rebuild(struct drxi_data *data, const char *path, int64_t *made);

/* ---- sums_copy.c ---------------------------------------------------------------------------- */

/* `to` has the entries that `from` had before its data were copied. Keep those that match the copied chunks. They are
 * durable on return. */
drx_status drxi_sums_settle_copy(struct drxi_data *from, struct drxi_data *to);
