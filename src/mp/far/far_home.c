#include "mp/far/far_home.h"
#include "pool/cached_file.h"

#include <unistd.h>

/* A round trip costs as much as this many bytes. */
enum { BLOCK_SHIFT = 12 };

struct drxi_home {
    struct drxi_stripe_home calls; /* first */
    int nodes, mine;               /* how many; this rank's */
    int *first, *rank;             /* the ranks of node n are rank[first[n]] to rank[first[n + 1] - 1] */
    int64_t cache_bytes;
    struct drxi_far_address *address;
    struct drxi_far_server *server; /* on the first rank of each node */
    bool shared;                    /* what follows is equal on all ranks, and stays: */
    int stripes;                    /* of the array that was opened last, */
    int node_of[DRX_MAX_STRIPES];   /* and where each is */
};

/* ---- the calls on names, of struct drxi_stripe_home ---- */

/* A question that needs no file; the answer has at most `room` bytes. */
static drx_status ask_node(const struct drxi_home *h, int node, enum drxi_far_op op, const char *name, void *bytes,
                           size_t room)
{
    const struct drxi_far_ask ask = { .op = op, .bytes = (int64_t)strlen(name) };
    struct drxi_far_answer answer;
    int socket = -1;
    drx_status st = drxi_far_connect(&h->address[node], &socket);

    if (st)
        return st;
    st = drxi_far_call(socket, name, &ask, name, &answer, bytes, room);
    (void)close(socket);
    return st;
}

/* Each of the n stripes gets its share of the memory. */
static drx_status open_far(const struct drxi_home *h, const char *name, int n, int node, enum drxi_how how,
                           drxi_io **out)
{
    const struct drxi_cache_spec spec = { .block_shift = BLOCK_SHIFT,
                                          .most_bytes = h->cache_bytes / n,
                                          .moment = &drxi_agreements };
    drxi_io *io;
    drx_status st = drxi_far_open(&h->address[node], name, how, &io);

    *out = st ? NULL : io;
    if (st || spec.most_bytes >> BLOCK_SHIFT == 0)
        return st;
    st = drxi_cached_open(io, &spec, out);
    if (st)
        (void)io->ops->close(io);
    return st;
}

static drx_status open_at(struct drxi_home *h, const char *name, int k, int n, int node, enum drxi_how how,
                          drxi_io **out)
{
    const drx_status st =
        node == h->mine ? drxi_files_in_use()->open(name, how, out) : open_far(h, name, n, node, how, out);

    if (!st && !h->shared) {
        h->node_of[k] = node;
        h->stripes = n;
    }
    return st;
}

/* New stripes go to the nodes in turn. Others are on the node where they are found. */
static drx_status home_open(struct drxi_stripe_home *calls, const char *name, int k, int n, enum drxi_how how,
                            drxi_io **out)
{
    struct drxi_home *h = (struct drxi_home *)calls;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    if (how == DRXI_NEW)
        return open_at(h, name, k, n, k % h->nodes, how, out);
    drxi_report_keep(detail);
    st = open_at(h, name, k, n, h->mine, how, out);
    for (int i = 0; st == DRX_ENOENT && i < h->nodes; i++)
        if ((k + i) % h->nodes != h->mine)
            st = open_at(h, name, k, n, (k + i) % h->nodes, how, out);
    if (!st)
        drxi_report_set(detail); /* not that some node lacks it */
    return st;
}

static drx_status home_remove(struct drxi_stripe_home *calls, const char *name)
{
    const struct drxi_home *h = (const struct drxi_home *)calls;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    drxi_report_keep(detail);
    st = drxi_files_in_use()->remove(name);
    for (int node = 0; st == DRX_ENOENT && node < h->nodes; node++)
        if (node != h->mine)
            st = ask_node(h, node, DRXI_FAR_REMOVE, name, NULL, 0);
    if (!st)
        drxi_report_set(detail);
    return st;
}

/* *node: where it is, if it is there. */
static drx_status find_far(const struct drxi_home *h, const char *name, struct drxi_looked *out, int *node)
{
    drx_status st = DRX_OK;

    *node = h->mine;
    drxi_files_in_use()->look(name, false, out);
    for (int i = 0; !st && !out->there && i < h->nodes; i++)
        if (i != h->mine) {
            *node = i;
            st = ask_node(h, i, DRXI_FAR_LOOK, name, out, sizeof *out);
        }
    return st;
}

static drx_status home_look(struct drxi_stripe_home *calls, const char *name, struct drxi_looked *out)
{
    int node;

    return find_far((const struct drxi_home *)calls, name, out, &node);
}

/* The stripes of several arrays may be open, so node_of does not tell. */
static drx_status home_sync_folder(struct drxi_stripe_home *calls, const char *name, int k)
{
    const struct drxi_home *h = (const struct drxi_home *)calls;
    struct drxi_looked looked;
    int node;
    drx_status st = find_far(h, name, &looked, &node);

    if (st)
        return st;
    node = looked.there ? node : h->node_of[k];
    return node == h->mine ? drxi_files_in_use()->sync_folder(name)
                           : ask_node(h, node, DRXI_FAR_SYNC_FOLDER, name, NULL, 0);
}

/* ---- the nodes of a job ---- */

/* The ranks that share memory with this one are its node, at most this many as DRXMP_ONESIDED says. */
static drx_status split(MPI_Comm comm, MPI_Comm *node)
{
    struct drxi_remote reach;
    MPI_Comm all = MPI_COMM_NULL;
    int rank = 0;
    drx_status st = drxi_settings_remote(&reach);

    if (!st)
        st = drxi_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &all), "finding the nodes");
    if (st)
        return st;
    (void)MPI_Comm_rank(all, &rank);
    st = drxi_mpi(MPI_Comm_split(all, (int)(rank / reach.node_ranks), rank, node), "finding the nodes");
    (void)MPI_Comm_free(&all);
    return st;
}

/* Number the nodes by their first ranks, and list the ranks of each. */
static drx_status number_nodes(struct drxi_home *h, MPI_Comm comm, MPI_Comm node)
{
    int rank, ranks, leader;
    int *leaders;
    drx_status st;

    (void)MPI_Comm_rank(comm, &rank);
    (void)MPI_Comm_size(comm, &ranks);
    leader = rank;
    leaders = drxi_calloc((size_t)ranks, sizeof *leaders);
    h->first = drxi_calloc((size_t)ranks + 1, sizeof *h->first);
    h->rank = drxi_calloc((size_t)ranks, sizeof *h->rank);
    st = drxi_agree(comm, leaders && h->first && h->rank ? DRX_OK : DRX_ENOMEM, NULL);
    if (!st)
        st = drxi_mpi(MPI_Bcast(&leader, 1, MPI_INT, 0, node), "finding the nodes");
    if (!st)
        st = drxi_mpi(MPI_Allgather(&leader, 1, MPI_INT, leaders, 1, MPI_INT, comm), "finding the nodes");
    for (int r = 0, n = 0; !st && r < ranks; r++) {
        if (leaders[r] != r)
            continue;
        h->mine = r == leader ? h->nodes : h->mine;
        for (int i = r; i < ranks; i++)
            if (leaders[i] == r)
                h->rank[n++] = i;
        h->first[++h->nodes] = n;
    }
    drxi_free(leaders);
    return drxi_agree(comm, st, NULL);
}

/* The first rank of each node serves it, and all learn where. */
static drx_status serve_node(struct drxi_home *h, MPI_Comm comm)
{
    int rank;
    drx_status st;

    (void)MPI_Comm_rank(comm, &rank);
    h->address = drxi_calloc((size_t)h->nodes, sizeof *h->address);
    st = h->address ? DRX_OK : DRX_ENOMEM;
    if (!st && rank == h->rank[h->first[h->mine]])
        st = drxi_far_serve(&h->server, &h->address[h->mine]);
    st = drxi_agree(comm, st, NULL);
    for (int node = 0; !st && node < h->nodes; node++)
        st = drxi_mpi(MPI_Bcast(&h->address[node], sizeof h->address[node], MPI_BYTE, h->rank[h->first[node]], comm),
                      "telling who serves the stripes of a node");
    return drxi_agree(comm, st, NULL);
}

static struct drxi_home *new_home(int64_t cache_bytes)
{
    struct drxi_home *h = drxi_calloc(1, sizeof *h);

    if (h) {
        h->calls = (struct drxi_stripe_home){ home_open, home_remove, home_look, home_sync_folder,
                                              "; no node of this job has it" };
        h->cache_bytes = cache_bytes;
    }
    return h;
}

static void discard_home(struct drxi_home *h)
{
    if (!h)
        return;
    drxi_far_stop(h->server);
    drxi_free(h->address);
    drxi_free(h->first);
    drxi_free(h->rank);
    drxi_free(h);
}

drx_status drxi_home_begin(MPI_Comm comm, int64_t cache_bytes, struct drxi_home **out)
{
    struct drxi_home *h = new_home(cache_bytes);
    MPI_Comm node = MPI_COMM_NULL;
    drx_status st = drxi_agree(comm, h ? DRX_OK : DRX_ENOMEM, NULL);

    *out = NULL;
    if (!st)
        st = drxi_agree(comm, split(comm, &node), NULL);
    if (!st)
        st = number_nodes(h, comm, node);
    if (!st && h->nodes > 1)
        st = serve_node(h, comm);
    if (node != MPI_COMM_NULL)
        (void)MPI_Comm_free(&node);
    if (st || h->nodes == 1)
        discard_home(h);
    else
        *out = h;
    return st;
}

/* The barrier lets the others ask to the end. */
void drxi_home_end(struct drxi_home *h, MPI_Comm comm)
{
    if (!h)
        return;
    (void)MPI_Barrier(comm);
    discard_home(h);
}

drx_status drxi_home_of_replaced(const drxmp_array *m, struct drxi_home **home)
{
    drx_status st = DRX_OK;

    *home = NULL;
    if (m->settings.local_stripes)
        st = drxi_home_begin(m->comm, 0, home);
    if (*home)
        drxi_home_enter(*home);
    return st;
}

void drxi_home_leave(struct drxi_home *home, MPI_Comm comm)
{
    char detail[DRXI_DETAIL_BYTES];

    if (!home)
        return;
    drxi_report_keep(detail);
    drxi_home_enter(NULL);
    drxi_home_end(home, comm);
    drxi_report_set(detail);
}

static _Thread_local struct drxi_home *reached;

void drxi_home_enter(struct drxi_home *h)
{
    struct drxi_home *now = h ? h : reached;

    drxi_stripes_at(now ? &now->calls : NULL);
}

void drxi_home_reach(struct drxi_home *h)
{
    reached = h;
    drxi_home_enter(NULL);
}

drx_status drxi_home_share(struct drxi_home **home, MPI_Comm comm)
{
    struct drxi_home *h = *home;
    int most[2] = { 0 }; /* whether some are apart; how many there are */
    drx_status st;

    if (!h)
        return DRX_OK;
    most[1] = h->stripes;
    for (int k = 0; k < h->stripes; k++)
        most[0] = most[0] || h->node_of[k] != h->mine;
    st = drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, comm), "telling where the stripes are");
    h->stripes = most[1];
    h->shared = true;
    if (!st && most[0])
        return drxi_mpi(MPI_Bcast(h->node_of, h->stripes, MPI_INT, DRXI_ROOT, comm), "telling where the stripes are");
    if (!st)
        drxi_home_end(h, comm);
    *home = st ? h : NULL;
    return st;
}

int drxi_home_owner(const struct drxi_home *h, int64_t address)
{
    const int node = h->node_of[address % h->stripes], first = h->first[node];

    return h->rank[first + address / h->stripes % (h->first[node + 1] - first)];
}

bool drxi_home_owns(const struct drxi_home *h, int rank)
{
    for (int k = 0; k < h->stripes; k++)
        for (int i = h->first[h->node_of[k]]; i < h->first[h->node_of[k] + 1]; i++)
            if (h->rank[i] == rank)
                return true;
    return false;
}
