/* Stripes on disks that only one node sees. The first rank of each node serves the files of its node: a thread carries
 * out what the ranks of other nodes ask for, over TCP. So growth, recovery, sync and calls of one rank reach every
 * stripe. In collective reads and writes a chunk is owned by a rank of the node that has its stripe, so its elements
 * travel by MPI (exchange.c).
 *
 *   far_home    the nodes of a job, which of them has a stripe, and the calls on stripes by name (far_home.h)
 *   far_serve   the threads that serve
 *   far_file    a file of another node, as struct drxi_io
 *   far_wire    questions and answers
 *   far_connect connections; both ends prove that they are of the job
 *
 * Invariants
 *   1. A connection asks for one file, one question at a time. A server thread owns what it has opened, and closes it
 *      when the connection ends, however that comes: a parked or new file without a name goes then.
 *   2. A server answers only a client that proves that it knows the server's secret, which MPI has told the ranks. A
 *      client asks only a server that has proved it, too. The secret itself is never sent over TCP.
 *   3. Whoever has opened files closes them before its server ends: a handle closes its array first, then leaves its
 *      home.
 *   4. A rank keeps blocks of the files of other nodes that it reads (pool/cached_file.h). What it writes drops them.
 *      What others write shows after a collective call, whose agreement drops all, as with MPI-IO (move/backend.c).
 *   5. All ranks agree on the node of each stripe: the root finds it, and tells the others. */
#pragma once

#include <pthread.h>
#include <sys/socket.h>

#include "io/io.h"

enum {
    DRXI_FAR_ADDRESSES = 8,
    DRXI_FAR_SECRET_BYTES = 16,
    DRXI_FAR_WELCOME_SECONDS = 10, /* that a node may take to welcome a client */
    DRXI_FAR_BYTES = 4 << 20       /* of a file in one message, at most */
};

/* How others reach a server. */
struct drxi_far_address {
    uint8_t secret[DRXI_FAR_SECRET_BYTES];
    char host[64];
    int n;
    socklen_t length[DRXI_FAR_ADDRESSES];
    struct sockaddr_storage at[DRXI_FAR_ADDRESSES];
};

/* ---- far_wire.c ---- */

enum drxi_far_op {
    DRXI_FAR_OPEN,
    DRXI_FAR_REMOVE,
    DRXI_FAR_LOOK,
    DRXI_FAR_SYNC_FOLDER,
    DRXI_FAR_READ,
    DRXI_FAR_WRITE,
    DRXI_FAR_SIZE,
    DRXI_FAR_RESIZE,
    DRXI_FAR_RESERVE,
    DRXI_FAR_PUNCH,
    DRXI_FAR_SYNC,
    DRXI_FAR_EXTENT,
    DRXI_FAR_STAMP,
    DRXI_FAR_NAMED,
    DRXI_FAR_PARK,
    DRXI_FAR_NAME,
    DRXI_FAR_KEEP,
    DRXI_FAR_CLOSE
};

/* A question, before `bytes` bytes: a name, or what is to be written. An answer, before the detail of its status and
 * `bytes` bytes that were read. Nodes of a job have the same order of bytes. */
struct drxi_far_ask {
    int64_t op, a, b, bytes;
};
struct drxi_far_answer {
    int64_t st, detail_bytes, a, b, bytes;
};

/* Questions that this process has asked, for tests and measurements. */
extern atomic_int_fast64_t drxi_far_asked;

/* False: the connection has ended. */
bool drxi_far_send(int socket, const void *bytes, size_t n);
bool drxi_far_receive(int socket, void *bytes, size_t n);

/* Limit the time that sends and receives wait, or do not. And notice when the other node has gone without a word. */
void drxi_far_be_patient(int socket, bool limited);
void drxi_far_tune(int socket);
/* Ask, with `text` after the question, and take the answer, with at most `room` bytes. `name` is for messages. */
drx_status drxi_far_call(int socket, const char *name, const struct drxi_far_ask *ask, const void *text,
                         struct drxi_far_answer *answer, void *bytes, size_t room);

/* ---- far_connect.c ---- */

/* Connect to a server. Whoever listens at one of its addresses and does not know the secret is left. */
drx_status drxi_far_connect(const struct drxi_far_address *server, int *socket);
/* Over a connection that has come. False: the other end does not know the secret, or the connection has ended. */
bool drxi_far_greet_client(int socket, const uint8_t secret[DRXI_FAR_SECRET_BYTES]);

/* ---- far_serve.c ---- */

struct drxi_far_server;
drx_status drxi_far_serve(struct drxi_far_server **out, struct drxi_far_address *address);
void drxi_far_stop(struct drxi_far_server *server); /* waits until the others have closed their files; NULL is fine */

/* ---- far_file.c ---- */

/* Held while the mask of the process for new files is another. */
extern pthread_mutex_t drxi_far_masks;
/* Open a file of the server's node. */
drx_status drxi_far_open(const struct drxi_far_address *server, const char *name, enum drxi_how how, drxi_io **out);
