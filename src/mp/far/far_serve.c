#include "mp/far/far.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAITING = 64 };

struct drxi_far_server {
    int socket;
    struct drxi_far_address address;
    pthread_t listener;
    pthread_mutex_t lock;
    pthread_cond_t left;
    int clients;          /* connections that have not ended */
    atomic_bool stopping; /* nobody else will come */
};

/* One connection. */
struct client {
    struct drxi_far_server *server;
    int socket;
    drxi_io *io;    /* NULL: it has opened nothing */
    uint8_t *bytes; /* room for DRXI_FAR_BYTES */
};

/* ---- answers ---- */

/* A new file gets no permission that the process which makes it withholds. The mask is that of the whole process, so
 * meanwhile it only withholds more. */
static drx_status open_masked(struct client *g, const char *name, mode_t mask)
{
    mode_t own;
    drx_status st;

    (void)pthread_mutex_lock(&drxi_far_masks);
    own = umask(0777 & ~S_IRUSR & ~S_IWUSR);
    (void)umask(own | mask);
    st = drxi_files_in_use()->open(name, DRXI_NEW, &g->io);
    (void)umask(own);
    (void)pthread_mutex_unlock(&drxi_far_masks);
    return st;
}

static drx_status open_for_client(struct client *g, const char *name, enum drxi_how how, mode_t mask)
{
    if (g->io)
        return drxi_fail(DRX_EINVAL, "%s: this connection has a file", name);
    return how == DRXI_NEW ? open_masked(g, name, mask) : drxi_files_in_use()->open(name, how, &g->io);
}

static drx_status look_at_file(struct client *g, struct drxi_far_answer *answer)
{
    struct drxi_looked looked;

    drxi_files_in_use()->look((const char *)g->bytes, false, &looked);
    memcpy(g->bytes, &looked, sizeof looked);
    answer->bytes = sizeof looked;
    return DRX_OK;
}

/* What needs no file. */
static drx_status answer_name(struct client *g, const struct drxi_far_ask *ask, struct drxi_far_answer *answer)
{
    const char *name = (const char *)g->bytes;

    switch ((enum drxi_far_op)ask->op) {
    case DRXI_FAR_OPEN:
        return open_for_client(g, name, (enum drxi_how)ask->a, (mode_t)ask->b);
    case DRXI_FAR_REMOVE:
        return drxi_files_in_use()->remove(name);
    case DRXI_FAR_LOOK:
        return look_at_file(g, answer);
    case DRXI_FAR_SYNC_FOLDER:
        return drxi_files_in_use()->sync_folder(name);
    default:
        return drxi_fail(DRX_EINVAL, "question %lld: no file is open", (long long)ask->op);
    }
}

static drx_status read_file(struct client *g, const struct drxi_far_ask *ask, struct drxi_far_answer *answer)
{
    size_t got = 0;
    const drx_status st = ask->b < 0 || ask->b > DRXI_FAR_BYTES
                              ? drxi_fail(DRX_EINVAL, "%lld bytes in one message", (long long)ask->b)
                              : g->io->ops->read(g->io, g->bytes, (size_t)ask->b, ask->a, &got);

    answer->bytes = st ? 0 : (int64_t)got;
    return st;
}

static drx_status tell_stamp(drxi_io *io, struct drxi_far_answer *answer)
{
    uint64_t stamp = 0;
    const drx_status st = io->ops->stamp(io, &stamp);

    answer->a = (int64_t)stamp;
    return st;
}

static drx_status tell_named(drxi_io *io, struct drxi_far_answer *answer)
{
    bool named = false;
    const drx_status st = io->ops->named(io, &named);

    answer->a = named;
    return st;
}

static drx_status answer_file(struct client *g, const struct drxi_far_ask *ask, struct drxi_far_answer *answer)
{
    drxi_io *const io = g->io;

    switch ((enum drxi_far_op)ask->op) {
    case DRXI_FAR_READ:
        return read_file(g, ask, answer);
    case DRXI_FAR_WRITE:
        return io->ops->write(io, g->bytes, (size_t)ask->bytes, ask->a);
    case DRXI_FAR_SIZE:
        return io->ops->size(io, &answer->a);
    case DRXI_FAR_RESIZE:
        return io->ops->resize(io, ask->a);
    case DRXI_FAR_RESERVE:
        return io->ops->reserve(io, ask->a, ask->b);
    case DRXI_FAR_PUNCH:
        return io->ops->punch(io, ask->a, ask->b);
    case DRXI_FAR_SYNC:
        return io->ops->sync(io);
    case DRXI_FAR_EXTENT:
        return io->ops->extent(io, ask->a, &answer->a, &answer->b);
    case DRXI_FAR_STAMP:
        return tell_stamp(io, answer);
    case DRXI_FAR_NAMED:
        return tell_named(io, answer);
    case DRXI_FAR_PARK:
        return io->ops->park(io);
    case DRXI_FAR_NAME:
        return io->ops->name(io);
    case DRXI_FAR_KEEP:
        io->ops->keep(io);
        return DRX_OK;
    case DRXI_FAR_CLOSE:
        g->io = NULL;
        return io->ops->close(io);
    default:
        return answer_name(g, ask, answer);
    }
}

/* Answer one question; false: the connection has ended. */
static bool serve_client(struct client *g)
{
    struct drxi_far_ask ask;
    struct drxi_far_answer answer = { 0 };
    const char *detail;

    if (!drxi_far_receive(g->socket, &ask, sizeof ask) || ask.bytes < 0 || ask.bytes > DRXI_FAR_BYTES ||
        !drxi_far_receive(g->socket, g->bytes, (size_t)ask.bytes))
        return false;
    g->bytes[ask.bytes] = '\0'; /* ends a name */
    drxi_report_clear();
    answer.st = g->io ? answer_file(g, &ask, &answer) : answer_name(g, &ask, &answer);
    detail = answer.st ? drx_last_error() : "";
    answer.detail_bytes = (int64_t)strlen(detail);
    return drxi_far_send(g->socket, &answer, sizeof answer) &&
           drxi_far_send(g->socket, detail, (size_t)answer.detail_bytes) &&
           drxi_far_send(g->socket, g->bytes, (size_t)answer.bytes);
}

/* ---- threads ---- */

static bool is_of_our_job(const struct client *g)
{
    bool ours;

    drxi_far_be_patient(g->socket, true);
    ours = drxi_far_greet_client(g->socket, g->server->address.secret);
    drxi_far_be_patient(g->socket, false);
    return ours;
}

static void *attend(void *arg)
{
    struct client *g = arg;
    struct drxi_far_server *s = g->server;

    drxi_far_tune(g->socket);
    g->bytes = drxi_malloc(DRXI_FAR_BYTES + 1);
    if (g->bytes && is_of_our_job(g))
        while (serve_client(g))
            ;
    if (g->io)
        (void)g->io->ops->close(g->io);
    (void)close(g->socket);
    drxi_free(g->bytes);
    drxi_free(g);
    (void)pthread_mutex_lock(&s->lock);
    s->clients--;
    (void)pthread_cond_signal(&s->left);
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Start a thread with all signals blocked: they are the program's. */
static bool start_thread(pthread_t *thread, bool detached, void *(*run)(void *arg), void *arg)
{
    pthread_attr_t attr;
    sigset_t all, old;
    bool started;

    (void)sigfillset(&all);
    if (pthread_attr_init(&attr) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&attr, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    started = pthread_create(thread, &attr, run, arg) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    (void)pthread_attr_destroy(&attr);
    return started;
}

/* A client for which there is no memory or thread finds its connection ended. */
static void welcome(struct drxi_far_server *s, int socket)
{
    struct client *g = drxi_calloc(1, sizeof *g);
    pthread_t thread;

    (void)pthread_mutex_lock(&s->lock);
    s->clients++;
    (void)pthread_mutex_unlock(&s->lock);
    if (g)
        *g = (struct client){ .server = s, .socket = socket };
    if (g && start_thread(&thread, true, attend, g))
        return;
    drxi_free(g);
    (void)close(socket);
    (void)pthread_mutex_lock(&s->lock);
    s->clients--;
    (void)pthread_mutex_unlock(&s->lock);
}

static void *listen_on(void *arg)
{
    struct drxi_far_server *s = arg;

    while (!atomic_load(&s->stopping)) {
        const int client = accept4(s->socket, NULL, NULL, SOCK_CLOEXEC);

        if (client >= 0)
            welcome(s, client);
        else if (errno != EINTR && errno != ECONNABORTED && !atomic_load(&s->stopping)) /* out of files or memory */
            (void)usleep(10000);
    }
    return NULL;
}

/* ---- the server ---- */

static void add_address(struct drxi_far_address *a, const struct sockaddr *at, in_port_t port)
{
    if (a->n == DRXI_FAR_ADDRESSES)
        return;
    if (at->sa_family == AF_INET) {
        a->length[a->n] = sizeof(struct sockaddr_in);
        memcpy(&a->at[a->n], at, sizeof(struct sockaddr_in));
        ((struct sockaddr_in *)&a->at[a->n])->sin_port = port;
    } else {
        a->length[a->n] = sizeof(struct sockaddr_in6);
        memcpy(&a->at[a->n], at, sizeof(struct sockaddr_in6));
        ((struct sockaddr_in6 *)&a->at[a->n])->sin6_port = port;
    }
    a->n++;
}

/* The addresses of this node that other nodes see. When it has none, all nodes are on this machine. */
static void find_addresses(struct drxi_far_address *a, in_port_t port)
{
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) != 0)
        return;
    for (int loopback = 0; loopback < 2 && a->n == 0; loopback++)
        for (const struct ifaddrs *i = all; i; i = i->ifa_next)
            if (i->ifa_addr && (i->ifa_addr->sa_family == AF_INET || i->ifa_addr->sa_family == AF_INET6) &&
                (i->ifa_flags & IFF_UP) && ((i->ifa_flags & IFF_LOOPBACK) != 0) == (loopback != 0))
                add_address(a, i->ifa_addr, port);
    freeifaddrs(all);
}

/* A socket for both kinds of addresses, or, where the system has no IPv6, for the older kind. */
static int new_socket(in_port_t *port)
{
    struct sockaddr_in6 both = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
    struct sockaddr_in old = { .sin_family = AF_INET };
    socklen_t length = sizeof both;
    const int off = 0;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0) {
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        if (bind(fd, (struct sockaddr *)&both, sizeof both) == 0 &&
            getsockname(fd, (struct sockaddr *)&both, &length) == 0) {
            *port = both.sin6_port;
            return fd;
        }
        (void)close(fd);
    }
    length = sizeof old;
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&old, sizeof old) == 0 &&
        getsockname(fd, (struct sockaddr *)&old, &length) == 0) {
        *port = old.sin_port;
        return fd;
    }
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static drx_status begin_service(struct drxi_far_server *s)
{
    in_port_t port = 0;

    if (getrandom(s->address.secret, sizeof s->address.secret, 0) != (ssize_t)sizeof s->address.secret)
        return drxi_fail(DRX_EIO, "serving stripes: no random numbers: %s", strerror(errno));
    (void)gethostname(s->address.host, sizeof s->address.host - 1);
    s->socket = new_socket(&port);
    if (s->socket < 0 || listen(s->socket, WAITING) != 0)
        return drxi_fail(DRX_EIO, "serving stripes: no socket: %s", strerror(errno));
    find_addresses(&s->address, port);
    return start_thread(&s->listener, false, listen_on, s) ? DRX_OK
                                                           : drxi_fail(DRX_ENOMEM, "serving stripes: no thread");
}

static void discard_server(struct drxi_far_server *s)
{
    if (s->socket >= 0)
        (void)close(s->socket);
    (void)pthread_cond_destroy(&s->left);
    (void)pthread_mutex_destroy(&s->lock);
    drxi_free(s);
}

drx_status drxi_far_serve(struct drxi_far_server **out, struct drxi_far_address *address)
{
    struct drxi_far_server *s = drxi_calloc(1, sizeof *s);
    drx_status st;

    *out = NULL;
    if (!s)
        return DRX_ENOMEM;
    s->socket = -1;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->left, NULL);
    st = begin_service(s);
    if (st) {
        discard_server(s);
        return st;
    }
    *address = s->address;
    *out = s;
    return DRX_OK;
}

void drxi_far_stop(struct drxi_far_server *s)
{
    if (!s)
        return;
    atomic_store(&s->stopping, true);
    (void)shutdown(s->socket, SHUT_RDWR); /* ends its accept */
    (void)pthread_join(s->listener, NULL);
    (void)pthread_mutex_lock(&s->lock);
    while (s->clients > 0)
        (void)pthread_cond_wait(&s->left, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
    discard_server(s);
}
