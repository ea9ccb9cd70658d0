/* Checksums of the data: `.xcs` has an entry for each chunk (section 8 of the format).
 *
 *   sums.c        the file, its entries, and the right to change them
 *   sums_write.c  writing chunks and their entries
 *   sums_read.c   verifying chunks that were read
 *   sums_mend.c   sync, recovery, making the file anew
 *   sums_copy.c   entries of an exact copy
 *
 * Invariants
 *   1. A writer takes the entry of a chunk before it marks it as in flight, and gives it back with the new checksum.
 *      A list in memory keeps other threads away, a lock on its bytes other handles.
 *   2. An entry that is valid on disk is right: before a chunk is written, its entry is durably no longer valid; it
 *      becomes valid again when the chunk is durable.
 *   3. A new checksum follows from the old one and the change, never from bytes that the old one vouched for. So a
 *      write to one part of a bad chunk does not make the chunk good. */
#ifndef DRXI_SUMS_H
#define DRXI_SUMS_H

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
    int64_t first, end; /* all entries that were written since they were settled are among these */
    atomic_bool unsynced;
    atomic_bool failed; /* nobody knows what is durable */
    int64_t mended;     /* chunks whose writing was cut short before the open */
};

/* ---- sums.c -------------------------------------------------------------------------- */

enum drxi_sum_kind drxi_sum_kind(const struct drxi_sum *sum);
/* Whether the chunk has to match: the entry is valid, or of this boot. */
bool drxi_sum_counts(const struct drxi_sums *s, const struct drxi_sum *sum);

/* Open `.xcs` of the array `path`; DRX_ENOENT when there is none. */
drx_status drxi_sums_open(struct drxi_data *data, const char *path, enum drxi_how how);
drx_status drxi_sums_use(struct drxi_data *data, drxi_io *io); /* takes the open `.xcs`, also on failure */
drx_status drxi_sums_close(struct drxi_data *data);
drx_status drxi_sums_missing(const char *path); /* sets the error of an array without `.xcs` */

/* Read n <= DRXI_SUMS_MOST entries. The file has *there of them, or all when `there` is NULL; the chunks of the
 * others were never written. */
drx_status drxi_sums_get(const struct drxi_sums *s, int64_t first, int64_t n, struct drxi_sum sum[], int64_t *there);
drx_status drxi_sums_put(struct drxi_sums *s, int64_t first, int64_t n, const struct drxi_sum sum[]);

/* Take entries: wait for them, and keep other writers away. */
drx_status drxi_sums_take(struct drxi_sums *s, struct drxi_sums_range *range);
void drxi_sums_give(struct drxi_sums *s, struct drxi_sums_range *range);

/* Note entries that a sync has to settle. */
void drxi_sums_touch(struct drxi_sums *s, const struct drxi_sums_range *range);

/* Call `visit` with the entries from `first` up to `end` that the file stores, some at a time; put them back when it
 * sets *changed. */
typedef drx_status drxi_sums_visit(struct drxi_data *data, int64_t first, int64_t n, struct drxi_sum sum[],
                                   bool *changed);
drx_status drxi_sums_walk(struct drxi_data *data, int64_t first, int64_t end, drxi_sums_visit *visit);

/* Set the length to so many entries. */
drx_status drxi_sums_resize(struct drxi_data *data, int64_t chunks);
/* Set *damaged, and the detail, when the file is shorter than the last SYNC implies. */
drx_status drxi_sums_check_length(struct drxi_data *data, bool *damaged);

/* ---- sums_write.c ---------------------------------------------------------------------- */

/* Write bytes, as they are on disk, and their checksums. */
drx_status drxi_sums_write(struct drxi_data *data, const void *buf, size_t n, int64_t offset);
/* A file whose `write`, its only call, does the same: for the pool. */
drxi_io *drxi_sums_through(struct drxi_sums *s);

/* A chunk that is written in parts, with its entry taken. */
struct drxi_hold {
    struct drxi_data *data;
    bool held, whole, known;
    struct drxi_sums_range range;
    struct drxi_sum sum;
};
/* `whole`: the caller writes each of its bytes once. */
drx_status drxi_hold_start(struct drxi_data *data, int64_t address, bool whole, struct drxi_hold *h);
drx_status drxi_hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t offset); /* as on disk */
drx_status drxi_hold_end(struct drxi_hold *h, drx_status st); /* returns `st`, or its own failure */

/* ---- sums_read.c ------------------------------------------------------------------------ */

/* Read bytes of one chunk as they are on disk; missing ones are fill. */
drx_status drxi_sums_read(struct drxi_data *data, void *buf, size_t n, int64_t offset);
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
/* The same for one chunk in the file. */
drx_status drxi_sums_verify_chunk(struct drxi_data *data, int64_t address);
/* DRX_EDAMAGED for an entry that is malformed, or missing though it was promised (not `there`). */
drx_status drxi_sums_judge(const struct drxi_data *data, int64_t address, const struct drxi_sum *sum, bool there);

/* ---- sums_mend.c -------------------------------------------------------------------------- */

/* Settle entries: what was written is valid now. The data are durable, or made so where others write, too. */
DRXI_SHARED drx_status drxi_sums_settle(struct drxi_data *data);
/* After an open for writing, by the only writer: give new checksums to chunks whose writing was cut short. */
drx_status drxi_sums_recover(struct drxi_data *data);
void drxi_sums_report(const struct drxi_data *data); /* adds what that did to the detail */

/* Give checksums to all chunks, in a new file, where `.xcs` is missing; else to those whose entries are missing at
 * its end or malformed. Leave other entries alone, even where the chunk does not match, and chunks that store
 * nothing. The files of the array `path` are open for writing, with the lock; on return the checksums are open and
 * durable. *made counts the chunks. */
drx_status drxi_sums_rebuild(struct drxi_data *data, const char *path, int64_t *made);

/* ---- sums_copy.c ---------------------------------------------------------------------------- */

/* `to` has the entries that `from` had before its data were copied: keep those that fit what was copied. Durable on
 * return. */
drx_status drxi_sums_settle_copy(struct drxi_data *from, struct drxi_data *to);

#endif
