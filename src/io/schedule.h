/* A schedule of reads. The caller adds extents of a file one after the other. The schedule reads extents that lie close
 * together in one read, keeps many reads under way, and hands over what they bring.
 *
 * A caller that can use reads in any order sets `place`, which is called for each; then several threads may take part
 * while one adds. Other callers take the reads in order with drxi_schedule_next, and add no more than there is room
 * for. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "io/flight.h"

enum {
    DRXI_SCHEDULE_READS = 4 * DRXI_FLIGHT_MOST /* a slow one does not hold up those after it */
};

struct drxi_fetch {
    struct drxi_flying flying; /* first. A direct one is wider than what is wanted: */
    int64_t begin, end;
    int64_t part, parts; /* extents: the number of the first one since drxi_schedule_open, and how many */
    uint8_t *to;         /* where its bytes belong; NULL: they stay in the memory of the schedule */
    bool here;           /* `ready` has set flying.buf to memory that has the bytes already */
    bool placed;
    int64_t memory_end; /* in the queue of bytes */
};

struct drxi_schedule {
    /* set by the caller */
    drxi_io *io;
    bool direct;        /* reads do not pass through the system's cache */
    bool scattered;     /* the system need not read past what is asked for */
    bool one_by_one;    /* one read after the other, by the caller's thread; so are those of a file without depth */
    bool poured;        /* sinks take most of the bytes */
    int64_t gap_bytes;  /* extents that are so close together are read at once; -1: only those inside another */
    int64_t read_bytes; /* the most of several extents in one read */
    int64_t most_bytes; /* of memory for what is under way; no extent takes more */
    int64_t most_parts; /* extents that the caller can keep; 0: any number */
    void *of;           /* for the calls: */
    drx_status (*place)(void *of, struct drxi_fetch *r);
    /* A read is about to be sent, or, if it is `alone`, to be carried out at once. It may get flying.at, a sink,
     * another manner, or be here. False: it completes with nothing. NULL: all are sent as they are. */
    bool (*ready)(void *of, struct drxi_fetch *r, bool alone);
    bool (*note)(void *of, const struct drxi_flying *read); /* reads are only noted, until it returns false; or NULL */

    /* for the caller */
    int64_t concurrent, direct_bytes; /* reads that were sent; bytes that were to be read directly */
    int64_t row_bytes;                /* of the last read, and of those before it without a gap */
    uint8_t *table;                   /* DRXI_FLIGHT_TABLE_BYTES */
    atomic_bool failed;               /* or enough was noted: whoever adds may stop */

    struct drxi_flight *flight;
    uint8_t *memory, *own; /* own: more than the flight has; or NULL */
    int64_t sent, placed, freed, taken, next_byte, freed_byte, next_part, freed_part;
    int64_t file_end;        /* of the read that was sent last */
    struct drxi_fetch *open; /* to which extents are added; not sent yet */
    pthread_mutex_t lock;    /* for what is freed */
    pthread_cond_t room;
    struct drxi_fetch ring[DRXI_SCHEDULE_READS]; /* a queue, as are bytes and parts */
};

/* Take memory. To be closed, also on failure. DRX_ENOMEM. */
drx_status drxi_schedule_open(struct drxi_schedule *s);
/* Add the bytes begin <= i < end of the file. They go to `to`, or stay in memory (NULL). It waits for room, and
 * places what completes meanwhile. */
drx_status drxi_schedule_add(struct drxi_schedule *s, int64_t begin, int64_t end, uint8_t *to);
/* Send what was added, and place all that completes; a single read is carried out at once. Returns `st`, or the first
 * failure. More may be added afterwards. */
drx_status drxi_schedule_finish(struct drxi_schedule *s, drx_status st);
/* Place what completes in another thread, until drxi_schedule_over. */
drx_status drxi_schedule_help(struct drxi_schedule *s);
void drxi_schedule_over(struct drxi_schedule *s);
void drxi_schedule_close(struct drxi_schedule *s);

/* Without `place`: whether this many bytes can be added, in a read of their own; whether these can, which may be read
 * with what lies before them; send what was added, and take the next read, completed (NULL: there is none); and pass
 * it, so that its memory is free, as the next one does. */
bool drxi_schedule_has_room(struct drxi_schedule *s, int64_t bytes);
bool drxi_schedule_takes(struct drxi_schedule *s, int64_t begin, int64_t end);
void drxi_schedule_pass(struct drxi_schedule *s);
struct drxi_fetch *drxi_schedule_next(struct drxi_schedule *s);

/* Whether all has come that was wanted, to drxi_fetch_bytes. Otherwise a plain read gets it there, or tells why it
 * cannot. */
static inline bool drxi_fetch_came(const struct drxi_fetch *r)
{
    return drxi_flight_brought(&r->flying, r->end);
}
static inline uint8_t *drxi_fetch_bytes(const struct drxi_fetch *r)
{
    return r->to ? r->to : (uint8_t *)r->flying.buf + (r->begin - r->flying.offset);
}
