/* Reads that are under way at once. A disk serves many requests at a time faster than one after the other. io_uring
 * carries them where the system allows it. Some threads, which only read, carry the others. Files on servers read by
 * themselves (ops->start). schedule.h plans which reads there are, and what memory they have.
 *
 * Any thread may send and reap, several at the same time. */
#pragma once

#include "io/io.h"

enum {
    DRXI_FLIGHT_MOST = 64,       /* reads under way; more wait for their turn in the system */
    DRXI_FLIGHT_BYTES = 8 << 20, /* memory of a flight: as much under way keeps a disk busy */
    DRXI_FLIGHT_TABLE_BYTES = 1 << 17,
    DRXI_FLIGHT_ALIGNMENT = 4096, /* of that memory, and of direct reads */
};

/* A read. Its owner sets the first members and keeps it until it completes. `got` is less than `bytes` then when
 * something was missing or failed; io->ops->read tells what. A direct read goes through the system's cache all the same
 * unless its offset, bytes and memory are aligned. With `at`, where a view has the bytes, they are brought into memory
 * there, and `buf` stays as it is. */
struct drxi_flying {
    drxi_io *io;
    int64_t offset;
    size_t bytes;
    void *buf;
    const uint8_t *at; /* or NULL */
    enum drxi_manner manner;
    struct drxi_sink *sink; /* of a file on a server: takes the bytes, most of which do not come to `buf`; or NULL */
    size_t got;
    bool completed; /* or not sent, if its owner says so */
    bool apart;     /* it was read in pieces, of which any may be missing */
    int pieces;     /* not yet completed */
    struct drxi_flying *next;
};

struct drxi_flight;

/* Get a flight, with `memory` of DRXI_FLIGHT_BYTES, and DRXI_FLIGHT_TABLE_BYTES after it for what its user notes.
 * DRX_ENOMEM. */
drx_status drxi_flight_open(struct drxi_flight **out, uint8_t **memory);
/* Let a read take off, at the latest when somebody waits for one. */
void drxi_flight_send(struct drxi_flight *f, struct drxi_flying *read);
/* Before anything is sent: the reads outlive the call that sends them, and take off at once. Threads carry them all,
 * after the reads of other flights until somebody waits for these. What a ring carries would interrupt system calls
 * that the program makes meanwhile (EINTR). While a limit of memory is set, the flight's memory loses its pages. */
void drxi_flight_outlives(struct drxi_flight *f);
/* Nobody needs the reads any more: those that no thread has begun complete at once, with nothing. */
void drxi_flight_cancel(struct drxi_flight *f);
/* Let a read complete whose bytes are in read->buf already. */
void drxi_flight_hand_over(struct drxi_flight *f, struct drxi_flying *read);
/* Nothing else will be sent. */
void drxi_flight_end(struct drxi_flight *f);
/* Wait for a read that ends; NULL: none is under way. */
struct drxi_flying *drxi_flight_reap(struct drxi_flight *f);
/* Wait until this read has completed. Others may complete first, and count as completed then. False: it is not under
 * way. */
bool drxi_flight_wait(struct drxi_flight *f, const struct drxi_flying *read);
/* As drxi_flight_reap; wait for one that is yet to be sent, too, until drxi_flight_end. */
struct drxi_flying *drxi_flight_await(struct drxi_flight *f);
/* Whether a read that has completed brought all bytes before `end`, which may lie inside it. */
static inline bool drxi_flight_brought(const struct drxi_flying *read, int64_t end)
{
    return read->apart ? read->got == read->bytes : read->offset + (int64_t)read->got >= end;
}
/* Give the flight, NULL included, back, when all reads have completed: it waits for them. */
void drxi_flight_close(struct drxi_flight *f);

/* Carry out a read in this thread, in its manner, without a flight. Not of a file on a server, of which nothing
 * comes. */
void drxi_flight_alone(struct drxi_flying *read);
