/* The chunks of a compressed array: `.xtz` holds payloads, one after another, and `.xct` an entry for each chunk, at
 * the address that the map gives (section 10 of the format).
 *
 *   half.c       the two halves of an entry
 *   entries.c    the table: entries read, written, walked
 *   frame.c      Blosc frames, and what decodes those of a codec faster
 *   deflate.c    those that zlib has compressed, faster
 *   chunk.c      a chunk read, whole or in part
 *   ahead.c      payloads fetched before they are read
 *   cache.c      chunks that were decoded
 *   hold.c       a chunk that a writer has taken
 *   commit.c     payloads and halves written
 *   slots.c      where open payloads lay that nothing needs any more
 *   pack_io.c    both files as one, that acts as the file of raw chunks
 *   pack_repair.c  recovery, and giving back
 *   pack_shared.c  what several writers do that one alone does not
 *
 * Invariants
 *   1. A payload that was compressed is never changed, and its space never used again. So a reader that has found it in
 *      the table reads it without a lock. An open payload has room for all of its chunk and is written in place. When a
 *      SYNC has promised what took its place, another open payload may lie there: a reader looks at the entry again
 *      after it has read an open one.
 *   2. A payload is written before the half that names it. Where an open payload must not begin as zeros, or lies where
 *      another one lay, it is durable before that half is written.
 *   3. Of the two halves of an entry at most one is not durable. It alone is overwritten, or, where there is none, the
 *      older one. Its epoch tells: that of the log rises whenever all is durable, and a SYNC says how far it has
 *      come. So what was durable stays until what replaces it is.
 *   4. One thread at a time has taken a chunk, and changes its entry. Of several processes that write, it guards the
 *      bytes of the entry meanwhile.
 *   5. Several processes find places for their payloads under the guard of one more byte, and lengthen the file to
 *      there before they let go. Ranks of a job that write together compute the places instead (mp/move/round.c).
 *   6. Several processes that share the array stamp halves with an epoch that no SYNC has promised when they take the
 *      chunk. Who appends a SYNC guards all entries from before the last sync of the files until it is there. So
 *      nothing that it promises is written meanwhile, and whoever takes a chunk afterwards sees the SYNC.
 *   7. The ranks of a job have one epoch, rank 0's. It rises in collective calls, when what all have written is
 *      durable, and before such a call ends rank 0 tells the others of it and of its SYNCs (mp/array/mp_log.c).
 *   8. A handle that does not write alone looks for a later SYNC before it takes a half that is torn, or lacks its
 *      payload, for unsynced. One on a server does not, nor a copy in memory whose log was replaced while it opened. */
#pragma once

#include <pthread.h>

#include "lone/log.h"

enum {
    DRXI_HALF_BYTES = 32,
    DRXI_ENTRY_BYTES = 64,
    DRXI_FRAME_HEAD_BYTES = 16,
    DRXI_PACK_LATER_EPOCHS = 1 << 16, /* that may follow the one of the last durable SYNC */
    DRXI_PACK_CACHE_CHUNKS = 64,
    DRXI_PACK_TOUCHED = 64,
    DRXI_PACK_ROW_BYTES = 4096 /* of the table */
};
#define DRXI_PACK_MOST_CHUNKS \
    (INT64_C(1) << 56) /* more than there can be; the bytes of this many entries have offsets */

struct drxi_half {
    bool there; /* it is not empty, and its own CRC is right */
    bool torn;  /* that is wrong, but it was not promised: it is being written, or a power cut came */
    bool bad;   /* that is wrong, or the half cannot be: damage */
    bool open;  /* the payload has no checksum */
    int64_t offset;
    uint32_t length; /* of the payload */
    uint32_t epoch, crc;
};

struct drxi_entry {
    struct drxi_half half[2];
    uint8_t bytes[DRXI_ENTRY_BYTES];
};

/* Where an open payload lay, and the epoch of the half that took its place. */
struct drxi_slot {
    int64_t offset, epoch;
    bool told; /* all ranks of the job know it */
};

/* Those from `begin` up to `end`, by their offsets. */
struct drxi_slots {
    struct drxi_slot *of;
    int64_t begin, end, room;
};

/* Decoded chunks, by the offset of their payload, which never changes. */
struct drxi_pack_cache {
    pthread_mutex_t lock;
    int n; /* slots in use */
    int64_t offset[DRXI_PACK_CACHE_CHUNKS];
    uint64_t used[DRXI_PACK_CACHE_CHUNKS], clock;
    uint8_t *bytes[DRXI_PACK_CACHE_CHUNKS];
    int64_t touched[DRXI_PACK_TOUCHED]; /* payloads of which parts were decoded lately */
    uint64_t touches;
};

/* Entries that lie next to each other, as they are in the file. */
struct drxi_pack_row {
    pthread_mutex_t lock;
    int64_t offset;
    size_t got; /* 0: none */
    uint8_t bytes[DRXI_PACK_ROW_BYTES];
};

struct drxi_pack {
    drxi_io io; /* both as one file: the chunk with address q from q times the pitch on */
    drxi_io *payloads, *table;
    struct drxi_log *log;
    struct drxi_codec codec;
    size_t item_bytes;
    int64_t chunk_bytes, pitch, align;
    bool zero_fill;
    int64_t found; /* bytes of payloads at the open */
    bool checked;  /* all halves were */
    pthread_mutex_t lock;
    pthread_cond_t given;
    int64_t *taken, taken_n, taken_room; /* addresses */
    int64_t end;                         /* of the payloads */
    struct drxi_slots slots;             /* where the next open ones go */
    atomic_bool asked;                   /* what came of a server's file when it was opened was dropped */
    atomic_int_fast64_t open;            /* chunks that are open, as a writer knows */
    atomic_int_fast64_t live;            /* bytes of the payloads that count, as a writer knows */
    int64_t given_back;                  /* bytes of the file that take no space; -1: it was not looked at yet */
    atomic_int_fast64_t promised;        /* the epoch of the last SYNC that others have appended */
    int64_t agreed;                      /* what the ranks of a job took `open` for when they last agreed */
    struct drxi_pack_cache cache;
    struct drxi_pack_row row; /* of a writer alone */
};

/* Something is about to be written. */
static inline void drxi_pack_note(struct drxi_pack *p)
{
    atomic_store_explicit(&p->log->unpromised, true, memory_order_relaxed);
    atomic_store_explicit(&p->log->undurable, true, memory_order_relaxed);
}

/* Write the fill over n bytes of elements, as on disk. */
static inline void drxi_pack_fill(const struct drxi_pack *p, uint8_t *bytes, size_t n)
{
    drxi_fill(bytes, (int64_t)(n / p->item_bytes), p->log->state.desc.fill, p->item_bytes);
    drxi_swap(bytes, n, p->log->state.desc.type);
}

/* ---- half.c ---- */

/* Judge the halves in e->bytes. */
void drxi_entry_decode(const struct drxi_pack *p, int64_t q, struct drxi_entry *e);
void drxi_half_encode(const struct drxi_half *half, int64_t q, uint8_t *bytes);
/* The half that is newer, of those that are there; -1: none. */
int drxi_entry_newer(const struct drxi_entry *e);
/* The half that an update overwrites. */
int drxi_entry_to_write(const struct drxi_pack *p, const struct drxi_entry *e);

/* ---- entries.c ---- */

/* Read the entry of a chunk; what is beyond the end of the table is zero. DRX_EDAMAGED: half of it is neither. */
drx_status drxi_pack_entry(struct drxi_pack *p, int64_t q, struct drxi_entry *e);
drx_status drxi_pack_put_entries(struct drxi_pack *p, int64_t first, int64_t n, const struct drxi_entry e[]);
/* The length of the table has changed: what is known of it is read again. */
void drxi_pack_forget_row(struct drxi_pack *p);
drx_status drxi_pack_bad_entry(const struct drxi_pack *p, int64_t q);
int64_t drxi_pack_chunks(struct drxi_pack *p, drx_status *st); /* that the table has, the last one perhaps in part */
/* Call `visit` with each entry from `first` up to `end` that is not all zeros. */
typedef drx_status drxi_pack_visit(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg);
drx_status drxi_pack_walk(struct drxi_pack *p, int64_t first, int64_t end, drxi_pack_visit *visit, void *arg);

/* ---- frame.c ---- */

/* The size of an element that a frame states: 1 for those of more than 255 bytes, as c-blosc has it. */
size_t drxi_frame_item(size_t item_bytes);
drx_status drxi_codec_check(const struct drxi_codec *codec, int64_t chunk_bytes);
/* What the codec of a spec is: level and shuffle chosen. DRX_EINVAL. */
drx_status drxi_codec_of(drx_codec codec, int level, drx_shuffle shuffle, size_t item_bytes, struct drxi_codec *out);
/* Compress n bytes into `out`, which has room for n + DRXI_FRAME_HEAD_BYTES; returns the length, 0 on failure. */
size_t drxi_frame_pack(const struct drxi_codec *codec, size_t item_bytes, const void *bytes, size_t n, void *out);
/* Whether the codec of a frame is one that the format has. */
bool drxi_frame_is_known(const uint8_t *frame);
/* Decompress a frame of exactly n bytes; false: it is not one. */
bool drxi_frame_unpack(const void *frame, size_t length, void *out, size_t n);
/* Decompress n items from `first` on, of a frame whose head is right and which has the blocks that hold them. */
bool drxi_frame_items(const void *frame, size_t length, size_t first, size_t n, void *out);
/* The head of a frame that holds the bytes as they are. */
void drxi_frame_open(size_t item_bytes, size_t n, uint8_t head[DRXI_FRAME_HEAD_BYTES]);

/* Inflate the blocks of a frame that hold the bytes start <= i < end of what it decompresses to: *out is a frame with
 * the streams of these blocks as they are, and its length is returned. Of a frame of another codec, or without memory,
 * 0 is returned. The caller frees *memory. A codec that has one has a file for it. */
typedef size_t drxi_frame_inflater(const uint8_t *frame, size_t length, size_t start, size_t end, void **memory,
                                   uint8_t **out);
drxi_frame_inflater drxi_frame_inflate; /* deflate.c: of zlib */

/* ---- chunk.c ---- */

/* Memory for reading chunks, of one thread; zero it first. */
struct drxi_pack_room {
    uint8_t *frame;
    size_t frame_bytes;
    const uint8_t *payload; /* what drxi_pack_load has found: in `frame`, or in what was fetched */
    const uint8_t *fetched; /* bytes of the payloads that are here already, from this offset on: ahead.c */
    int64_t fetched_at, fetched_bytes;
};
void drxi_pack_room_free(struct drxi_pack_room *room);

/* Read all bytes of a chunk, as on disk. *stored is false for a chunk that was never written: then `out` stays as it
 * is. DRX_ECHECKSUM, DRX_EDAMAGED. */
drx_status drxi_pack_read_chunk(struct drxi_pack *p, int64_t q, struct drxi_pack_room *room, uint8_t *out,
                                bool *stored);
/* Read n bytes of it from `start`, multiples of the item. */
drx_status drxi_pack_read_part(struct drxi_pack *p, int64_t q, int64_t start, size_t n, struct drxi_pack_room *room,
                               uint8_t *out, bool *stored);
/* The half from which drxi_pack_read_part would read. Of closed payloads only those that are not synced are
 * verified. */
drx_status drxi_pack_find(struct drxi_pack *p, int64_t q, struct drxi_half *out, bool *stored);
/* The payload of a half, whole and verified if it has a checksum. *good: it is what the half says. */
drx_status drxi_pack_load(struct drxi_pack *p, const struct drxi_half *half, struct drxi_pack_room *room, bool *good);
/* Decompress a closed payload that was loaded. *good: it is a chunk. DRX_EUNSUPPORTED: by another codec. */
drx_status drxi_pack_unpack(const struct drxi_pack *p, const struct drxi_half *half, const struct drxi_pack_room *room,
                            uint8_t *out, bool *good);

/* ---- ahead.c ---- */

/* Fetch payloads of chunks before they are read; from a file of the system only those of a large request, which are not
 * in memory. *out is NULL where none are fetched. `next` gives the address of one chunk after the other, and whether
 * most of it will be read; false after the last one. */
struct drxi_pack_ahead;
typedef bool drxi_pack_next(void *from, int64_t *q, bool *whole);
drx_status drxi_pack_ahead_begin(struct drxi_pack *p, bool large, drxi_pack_next *next, void *from,
                                 struct drxi_pack_ahead **out);
/* The reader is about to read the chunk: what was fetched of it is in `room` until the next call. It skips none. */
void drxi_pack_ahead_to(struct drxi_pack_ahead *a, int64_t q, struct drxi_pack_room *room);
void drxi_pack_ahead_end(struct drxi_pack_ahead *a);
/* Whether the system has these bytes of the payloads in memory, judged by both ends of them; true, too, where no call
 * of the system reads them. For files with `where`. */
bool drxi_pack_here(drxi_io *payloads, int64_t offset, int64_t bytes);
/* Call `range` with the reads that bring these payloads, until it returns false. */
struct drxi_flying;
drx_status drxi_pack_ranges(struct drxi_pack *p, drxi_pack_next *next, void *from,
                            bool (*range)(void *arg, const struct drxi_flying *read), void *arg);

/* ---- cache.c ---- */

bool drxi_pack_cached(struct drxi_pack *p, int64_t offset, int64_t start, size_t n, uint8_t *out);
/* Keep a copy. */
void drxi_pack_keep(struct drxi_pack *p, int64_t offset, const uint8_t *bytes);
/* Whether a part of this payload was asked for a short while ago. */
bool drxi_pack_touch(struct drxi_pack *p, int64_t offset);
void drxi_pack_cache_free(struct drxi_pack *p);

/* ---- hold.c ---- */

/* How a writer that has taken a chunk changes it. */
enum drxi_hold_kind {
    DRXI_HOLD_CLOSED, /* `bytes` are the chunk; they are compressed */
    DRXI_HOLD_NEW,    /* an open payload has to be made; of `bytes`, or, where they are NULL, of zeros */
    DRXI_HOLD_OPEN    /* it is open: written in place */
};
struct drxi_pack_hold {
    struct drxi_pack *pack;
    int64_t q;
    bool held, cover;
    bool stored, was_open; /* something was written to the chunk before; to an open payload, */
    int64_t open_place;    /* which lies there */
    enum drxi_hold_kind kind;
    struct drxi_entry entry;
    uint8_t *bytes, *frame;
    size_t frame_bytes;
    int64_t place; /* of the payload that is to be written */
    bool again;    /* where another one lay */
    int64_t at;    /* of the elements of an open payload */
};

/* Take a chunk, and decide. `cover`: the caller gives all its cells that count. `open`: what it does not close stays
 * open, even if it was closed. `bytes` are not there yet. */
drx_status drxi_hold_take(struct drxi_pack *p, int64_t q, bool cover, bool open, struct drxi_pack_hold *h);
/* Get the bytes that are needed: fill, or what the chunk holds. Threads may do this for several holds at once. */
drx_status drxi_hold_fetch(struct drxi_pack_hold *h);
/* Whether it needs any. */
bool drxi_hold_needs_bytes(const struct drxi_pack_hold *h);
drx_status drxi_hold_pack(struct drxi_pack_hold *h); /* compress; the same */
/* Give it back, committed or not. */
void drxi_hold_give(struct drxi_pack_hold *h);

/* All in one, for a chunk that is written in parts. */
drx_status drxi_pack_begin(struct drxi_pack *p, int64_t q, bool cover, struct drxi_pack_hold *h);
drx_status drxi_pack_write(struct drxi_pack_hold *h, const void *buf, size_t n, int64_t within);
drx_status drxi_pack_end(struct drxi_pack_hold *h, drx_status st);

/* Close what is open of n chunks: compress it. */
drx_status drxi_pack_close(void *pack, int64_t n, const int64_t q[]);
/* Take a chunk that is open, so that it becomes CLOSED; any other is not held. */
drx_status drxi_hold_take_open(struct drxi_pack *p, int64_t q, struct drxi_pack_hold *h);

/* ---- commit.c ---- */

/* Write the payloads of n holds in their order, and their halves. Those of NEW are OPEN then. */
drx_status drxi_hold_commit(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[]);
/* The same of payloads whose places the caller has chosen: several processes do so together. */
drx_status drxi_hold_commit_placed(struct drxi_pack *p, int64_t n, struct drxi_pack_hold *const h[]);
/* The length of the payload that a hold needs; 0: it needs none. */
static inline int64_t drxi_hold_length(const struct drxi_pack_hold *h)
{
    return h->kind == DRXI_HOLD_NEW    ? h->pack->chunk_bytes + DRXI_FRAME_HEAD_BYTES
           : h->kind == DRXI_HOLD_OPEN ? 0
                                       : (int64_t)h->frame_bytes;
}

/* ---- slots.c ---- */

/* Add a place, or replace what is known of it. */
drx_status drxi_slots_add(struct drxi_slots *s, struct drxi_slot slot);
/* Give a payload of that length its place, and tell whether another one lay there: that of an open one that no epoch
 * after `promised` has left, else behind *end, which is then behind it. False: it would be too far. */
bool drxi_hold_place(struct drxi_pack *p, bool open, int64_t length, int64_t promised, int64_t *end, int64_t *place,
                     bool *again);
/* Leave out those that are in use, which are in any order. */
void drxi_slots_without(struct drxi_slots *s, struct drxi_slots *used);

/* ---- pack_shared.c ---- */

/* The epoch of the last SYNC that this handle knows. */
int64_t drxi_pack_promised(const struct drxi_pack *p);
bool drxi_half_synced(const struct drxi_pack *p, const struct drxi_half *half);
/* All halves were checked: one that is not synced is as good as any. */
bool drxi_pack_sure(const struct drxi_pack *p);
/* What this handle knows to be durable. */
bool drxi_half_durable(const struct drxi_pack *p, const struct drxi_half *half);
/* Whether a chunk may be open. A writer that shares the array does not know what the others have opened. */
bool drxi_pack_may_be_open(const struct drxi_pack *p);
/* Whether this writer uses the places of open payloads again. Writers that share the array do not: two might choose the
 * same place. */
bool drxi_pack_reuses(const struct drxi_pack *p);
/* An open payload was closed: its entry says so. */
void drxi_pack_left(struct drxi_pack *p, int64_t offset);
/* What this handle has written is durable: what it writes from now on has a later epoch. */
void drxi_pack_synced(struct drxi_pack *p);
/* Append the EPOCH: all halves with a lower one are durable. `io`: of the data. */
drx_status drxi_pack_promise(struct drxi_pack *p, drxi_io *io);

/* Guard the entries first <= q < end, or stop. It does nothing when no others write. */
drx_status drxi_pack_guard(struct drxi_pack *p, int64_t first, int64_t end, bool on);
/* Look for a SYNC that others have appended; the caller guards an entry, and has the lock of the pack. */
drx_status drxi_pack_look(struct drxi_pack *p);
/* The same of a reader, which guards nothing: *later tells whether there is one. Entries must be read again then. */
drx_status drxi_pack_look_again(struct drxi_pack *p, bool *later);
/* Guard the byte for which those that give payloads their places wait, or stop; p->end is then what all have given. */
drx_status drxi_pack_guard_end(struct drxi_pack *p, bool on);

/* ---- pack_io.c ---- */

/* Both files are open, and belong to *out on success; the description is known. */
drx_status drxi_pack_open(drxi_io *payloads, drxi_io *table, bool new, struct drxi_log *log, struct drxi_pack **out);

/* ---- pack_repair.c ---- */

/* After a writer has opened the array: drop unsynced halves whose payload is not there. */
drx_status drxi_pack_recover(struct drxi_pack *p);
/* Make the file of payloads as long as what was given away of it. */
drx_status drxi_pack_lengthen(struct drxi_pack *p);
/* The payload of the entry that counts is about to be replaced by one of that length. */
void drxi_pack_replaced(struct drxi_pack *p, const struct drxi_entry *e, int64_t length);
/* Whether payloads that were replaced take more space than those that count, and enough to be worth giving back. */
drx_status drxi_pack_is_mostly_dead(struct drxi_pack *p, bool *is);
/* When all is synced: give the space of payloads that others have replaced back to the file system. Readers that look
 * for one find in the table that it has been replaced. */
drx_status drxi_pack_reclaim(struct drxi_pack *p);
/* Give back what chunks hold that nothing needs any more. */
drx_status drxi_pack_drop(struct drxi_pack *p, int64_t first, int64_t end);
