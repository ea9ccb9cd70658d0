#include "mp/far/far.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

atomic_int_fast64_t drxi_far_asked;

static bool move_bytes(int socket, bool sending, uint8_t *p, size_t n)
{
    while (n > 0) {
        const ssize_t moved = sending ? send(socket, p, n, MSG_NOSIGNAL) : recv(socket, p, n, 0);

        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        p += moved;
        n -= (size_t)moved;
    }
    return true;
}

bool drxi_far_send(int socket, const void *bytes, size_t n)
{
    return move_bytes(socket, true, (uint8_t *)(uintptr_t)bytes, n); /* only read */
}

bool drxi_far_receive(int socket, void *bytes, size_t n)
{
    return move_bytes(socket, false, bytes, n);
}

/* How long a node may be silent before it counts as lost. */
enum { SILENT_SECONDS = 60, PROBE_SECONDS = 10 };

void drxi_far_be_patient(int socket, bool limited)
{
    const struct timeval patience = { .tv_sec = limited ? DRXI_FAR_WELCOME_SECONDS : 0 };

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
