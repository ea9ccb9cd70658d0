/* Logs of stores in memory, for tests of reading. */
#ifndef STORE_LOGS_H
#define STORE_LOGS_H

#include "store/store.h"
#include "store_digest.h"

struct log {
    char name[64];
    enum drxi_store_kind kind;
    uint8_t *bytes;
    size_t n;
};

/* The logs of spec/vectors, in the order of their names, and those of spec/verdicts behind them: each of these is
 * the log of a vector with more records. *n of them, to be freed. */
struct log *load_logs(size_t *n);
void free_logs(struct log *logs, size_t n);
/* A head and the first run, which `put` composes. */
struct log compose_log(enum drxi_store_kind kind, void (*put)(struct drxi_run *run));
void add_to_log(struct log *log, const void *bytes, size_t n);
/* End a log with a SYNC, unless it does. */
void promise(struct log *log);

/* A record of the longest valid prefix. */
struct place {
    size_t begin, end;
    bool counts; /* it has C */
    int kind;
};
/* Its records, *n of them, to be freed. */
struct place *find_places(const struct log *log, size_t *n);

drxi_io *log_file(const struct log *log, size_t n); /* its first n bytes, in memory */
/* Give a file such bytes, and no more. */
void set_file(drxi_io *io, const uint8_t *bytes, size_t n);

struct got {
    drx_status st;
    enum drxi_log_tail tail; /* if st is DRX_OK */
    uint64_t digest;         /* of the store, also after a failure */
};
/* Read on, or from the begin. What was read is judged by find_fault. */
struct got read_on(struct drxi_store *s, drxi_io *io);
struct got read_new(drxi_io *io, enum drxi_store_kind kind);

/* What a log says at each C of its valid prefix, up to a run that cannot be, or is refused. */
struct history {
    size_t n, *end;   /* n runs; end[k]: the offset behind k of them */
    uint64_t *digest; /* digest[k]: of the store after k runs */
};
struct history tell_history(const struct log *log);
void free_history(struct history *h);
/* How many runs lie before the offset. */
size_t runs_before(const struct history *h, size_t offset);

#endif
