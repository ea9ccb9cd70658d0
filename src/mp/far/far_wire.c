#include "mp/far/far.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

atomic_int_fast64_t drxi_far_asked;

bool drxi_far_send(int socket, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    while (n > 0) {
        const ssize_t sent = send(socket, p, n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool drxi_far_receive(int socket, void *bytes, size_t n)
{
    uint8_t *p = bytes;

    while (n > 0) {
        const ssize_t got = recv(socket, p, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

/* How long a node may take to welcome a guest, and how long it may be silent before it counts as lost. */
enum { WELCOME_SECONDS = 10, SILENT_SECONDS = 60, PROBE_SECONDS = 10 };

void drxi_far_be_patient(int socket, bool limited)
{
    const struct timeval patience = { .tv_sec = limited ? WELCOME_SECONDS : 0 };

    (void)setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

void drxi_far_tune(int socket)
{
    const int on = 1, silent = SILENT_SECONDS / 2, probe = PROBE_SECONDS, probes = SILENT_SECONDS / 2 / PROBE_SECONDS;
    const unsigned ms = 1000 * SILENT_SECONDS;

    (void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &silent, sizeof silent);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &probe, sizeof probe);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof ms);
}

/* An interrupted connect goes on by itself. */
static bool connect_to(int fd, const struct sockaddr *at, socklen_t length)
{
    struct pollfd wait = { .fd = fd, .events = POLLOUT };
    int ready, error = 0;
    socklen_t n = sizeof error;

    if (connect(fd, at, length) == 0)
        return true;
    if (errno != EINTR)
        return false;
    do {
        ready = poll(&wait, 1, 1000 * WELCOME_SECONDS);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0 || (ready > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0))
        return false;
    errno = ready == 0 ? ETIMEDOUT : error;
    return errno == 0;
}

static bool is_answered(int fd, const struct drxi_far_address *server)
{
    uint8_t mark[sizeof server->secret];

    return drxi_far_send(fd, server->secret, sizeof server->secret) && drxi_far_receive(fd, mark, sizeof mark) &&
           memcmp(mark, server->secret, sizeof mark) == 0;
}

drx_status drxi_far_connect(const struct drxi_far_address *server, int *out)
{
    int error = EHOSTUNREACH;

    for (int i = 0; i < server->n; i++) {
        const int fd = socket(server->at[i].ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd < 0) {
            error = errno;
            continue;
        }
        drxi_far_be_patient(fd, true);
        errno = 0;
        if (connect_to(fd, (const struct sockaddr *)&server->at[i], server->length[i]) && is_answered(fd, server)) {
            drxi_far_be_patient(fd, false);
            drxi_far_tune(fd);
            *out = fd;
            return DRX_OK;
        }
        error = errno ? errno : ECONNRESET;
        (void)close(fd);
    }
    return drxi_fail(DRX_EIO, "the node %s, which serves its stripes, cannot be reached: %s", server->host,
                     strerror(error));
}

/* What may still come belongs to this question: nothing is asked over the connection any more. */
static drx_status lost(int fd, const char *name)
{
    (void)shutdown(fd, SHUT_RDWR);
    return drxi_fail(DRX_EIO, "%s: the connection to the node that has it has ended", name);
}

drx_status drxi_far_call(int fd, const char *name, const struct drxi_far_ask *ask, const void *text,
                         struct drxi_far_answer *answer, void *bytes, size_t room)
{
    char detail[DRXI_DETAIL_BYTES];

    atomic_fetch_add_explicit(&drxi_far_asked, 1, memory_order_relaxed);
    if (!drxi_far_send(fd, ask, sizeof *ask) || !drxi_far_send(fd, text, (size_t)ask->bytes) ||
        !drxi_far_receive(fd, answer, sizeof *answer) || answer->detail_bytes < 0 ||
        answer->detail_bytes >= (int64_t)sizeof detail || answer->bytes < 0 || answer->bytes > (int64_t)room ||
        !drxi_far_receive(fd, detail, (size_t)answer->detail_bytes) ||
        !drxi_far_receive(fd, bytes, (size_t)answer->bytes))
        return lost(fd, name);
    detail[answer->detail_bytes] = '\0';
    if (answer->st)
        drxi_report_set(detail);
    return (drx_status)answer->st;
}
