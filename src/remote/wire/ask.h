/* One request for a range of a file on a server: struct drxi_ask. engine.c carries asks, ask.c says what is sent and
 * judges what comes.
 *
 * Invariants
 *   1. Bytes are taken only from an answer that names the range that was asked for, of a state that was asked for. So
 *      nothing else gets into `buf`, whatever the server sends.
 *   2. What an ask has got when its connection is cut stays; it asks again for the rest, of the same state. */
#ifndef DRXI_ASK_H
#define DRXI_ASK_H

#include "io/io.h"
#include "remote/wire/address.h"
#include "remote/wire/curl_table.h"
#include "remote/wire/version.h"

enum { DRXI_MOST_SPARES = DRXI_MANY_CONNECTIONS };

/* How a range request ended. */
enum drxi_outcome {
    DRXI_GOT,     /* `got` bytes: fewer than `bytes` only at the end of the file */
    DRXI_SAME,    /* the file still has the state `version`, and `another` was asked for */
    DRXI_CHANGED, /* it has another state than `version` */
    DRXI_MISSING, /* there is no such file */
    DRXI_FAILED   /* `st` and `detail` say why */
};

/* What the headers of an answer said. */
struct drxi_answer {
    struct drxi_version version;
    char date[64];
    int64_t from, to, total; /* Content-Range; -1: not told */
    int64_t length;          /* Content-Length; -1 */
    double wait;             /* Retry-After, in seconds; -1 */
    size_t header_bytes;
    bool encoded, judged, takes; /* takes: the body is what was asked for */
    char region[32];             /* in which S3 has the bucket */
    char text[256];              /* the beginning of a body that is not taken */
    size_t text_bytes;           /* of the whole body */
};

struct drxi_ask {
    /* Set by its owner, who keeps it until `done`, which the engine's thread calls. */
    const struct drxi_address *address;
    struct drxi_version version; /* all zero: any state */
    bool known;                  /* `version` is one: the file must have it */
    bool another;                /* no, it must have another one, or nothing is to be sent */
    int64_t offset;
    size_t bytes;
    uint8_t *buf;
    struct drxi_sink *sink; /* takes the bytes instead; or NULL */
    int most_tries;         /* 0: as many as are usual */
    int spares;             /* connections to be made beside its own: see spares.h */
    void (*done)(struct drxi_ask *ask);
    atomic_bool given_up; /* by its owner, while it is under way: the rest of the body is not taken */

    /* The end of it. */
    enum drxi_outcome outcome;
    size_t got;
    struct drxi_version seen;
    drx_status st;
    char detail[DRXI_DETAIL_BYTES];

    /* Of the engine. */
    CURL *easy;
    struct curl_slist *headers;
    struct drxi_answer answer;
    size_t got_before; /* this try */
    int tries;
    double again_at;
    struct drxi_ask *next, *before; /* in a list */
};

/* Set up ask->easy for the next try. DRX_ENOMEM. */
drx_status drxi_ask_prepare(struct drxi_ask *ask);
/* The try is over. False: another one is due at ask->again_at. */
bool drxi_ask_settle(struct drxi_ask *ask, CURLcode code);

#endif
