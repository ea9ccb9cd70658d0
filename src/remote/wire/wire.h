/* What goes over the wire: where it goes, the calls of libcurl, requests, and the thread that carries them. */
#pragma once

#include <curl/curl.h>

#include "io/io.h"

/* ---- address.c: Where a file lies on a server, and how its requests are signed. */

struct drxi_address {
    char *shown;     /* for messages: what the user wrote */
    char *url;       /* of requests */
    char *signature; /* of S3: "aws:amz:REGION:s3"; NULL: requests are not signed */
    char *secret;    /* then: "KEY:SECRET" */
    char *token;     /* then: a header with the session's token; or NULL */
    bool s3;
};

/* Whether a path names a file on a server: it begins with http://, https:// or s3://. */
bool drxi_is_url(const char *path);

/* DRX_EINVAL: not an address. On failure nothing is to be freed. */
drx_status drxi_address_make(const char *url, struct drxi_address *out);
void drxi_address_free(struct drxi_address *address);

/* ---- version.c: The state of a file on a server, as the server tells states apart. */

struct drxi_version {
    char etag[256];    /* as it stands in the header; "": none */
    char modified[64]; /* the header Last-Modified; "": none */
    bool fresh;        /* it was changed a moment before the answer; another change may have given it the same state */
    int64_t bytes;     /* the length of the file; -1: not told */
};

/* Whether two answers are of one state. A server that gave an ETag gives it with every answer. */
bool drxi_version_same(const struct drxi_version *a, const struct drxi_version *b);

/* Whether the server tells states apart, but for their lengths. */
static inline bool drxi_version_tells(const struct drxi_version *v)
{
    return *v->etag || *v->modified;
}

/* The header that lets a server answer only while the file has this state, or only when it has another one. False: the
 * server told nothing that could stand there. `room` bytes are enough with DRXI_CONDITION_BYTES. */
enum { DRXI_CONDITION_BYTES = 320 };
bool drxi_version_condition(const struct drxi_version *v, bool another, char *header, size_t room);

/* ---- curl_table.c: The functions of libcurl, which is loaded when the first URL is opened: linked, it would make
 * every program that uses the library start 10 ms later, with some thirty libraries that few programs need. */

/* X(result, name, arguments) */
#define DRXI_CURL_LIST(X)                                                     \
    X(CURLcode, global_init, (long))                                          \
    X(curl_version_info_data *, version_info, (CURLversion))                  \
    X(time_t, getdate, (const char *, const time_t *))                        \
    X(CURL *, easy_init, (void))                                              \
    X(CURLcode, easy_setopt, (CURL *, CURLoption, ...))                       \
    X(CURLcode, easy_getinfo, (CURL *, CURLINFO, ...))                        \
    X(void, easy_reset, (CURL *))                                             \
    X(void, easy_cleanup, (CURL *))                                           \
    X(const char *, easy_strerror, (CURLcode))                                \
    X(CURLM *, multi_init, (void))                                            \
    X(CURLMcode, multi_cleanup, (CURLM *))                                    \
    X(CURLMcode, multi_setopt, (CURLM *, CURLMoption, ...))                   \
    X(CURLMcode, multi_add_handle, (CURLM *, CURL *))                         \
    X(CURLMcode, multi_remove_handle, (CURLM *, CURL *))                      \
    X(CURLMcode, multi_socket_action, (CURLM *, curl_socket_t, int, int *))   \
    X(CURLMsg *, multi_info_read, (CURLM *, int *))                           \
    X(struct curl_slist *, slist_append, (struct curl_slist *, const char *)) \
    X(void, slist_free_all, (struct curl_slist *))

struct drxi_curl {
#define DRXI_CURL_MEMBER(result, name, arguments) result(*name) arguments;
    DRXI_CURL_LIST(DRXI_CURL_MEMBER)
#undef DRXI_CURL_MEMBER
};

/* Filled by drxi_curl_load, which every opening of a URL calls. DRX_EUNSUPPORTED names the package that is missing. */
extern struct drxi_curl drxi_curl;
drx_status drxi_curl_load(void);

/* ---- ask.c: One request for a range of a file on a server: struct drxi_ask. engine.c carries asks, ask.c says what is
 * sent and judges what comes.
 *
 * Invariants   1. Bytes are taken only from an answer that names the range that was asked for, of a state that was
 * asked for. So      nothing else gets into `buf`, whatever the server sends.   2. What an ask has got when its
 * connection is cut stays; it asks again for the rest, of the same state. */

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
    int spares;             /* connections to be made beside its own: spares.c */
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

/* ---- engine.c: The thread that carries asks, many at a time. It starts with the first one. */

/* Begin an ask; its `done` is called once. DRX_ENOMEM, DRX_EIO: there is no thread, and it is not called. */
drx_status drxi_engine_send(struct drxi_ask *ask);
/* Begin one to be waited for; its `done` is the engine's. The wait is over at once when it could not begin. */
drx_status drxi_engine_begin(struct drxi_ask *ask);
void drxi_engine_wait(struct drxi_ask *ask);
bool drxi_engine_has_ended(const struct drxi_ask *ask);
/* Begin n of them, and wait for all. */
drx_status drxi_engine_ask(struct drxi_ask ask[], int n);

/* ---- spares.c: Connections made before they are needed: a request that will be followed by many lets them be made
 * beside its own, so that those that follow need not wait for a handshake each. Only the thread of the engine calls
 * these, and a forked child, which has none yet. */

/* Callbacks of libcurl, with the ask: a socket for a connection, one that is connected if there is such a one. */
curl_socket_t drxi_spares_open(void *ask, curlsocktype purpose, struct curl_sockaddr *address);
int drxi_spares_set_up(void *ask, curl_socket_t fd, curlsocktype purpose);

/* Close those that nobody has used in time; the milliseconds until there is more to close, `most` at most. */
int drxi_spares_sweep(double now, int most);
void drxi_spares_end(void);
