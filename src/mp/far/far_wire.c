#include "mp/far/far.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

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

static bool is_answered(int fd, const struct drxi_far_address *server)
{
    uint8_t mark[sizeof server->secret];

    return drxi_far_send(fd, server->secret, sizeof server->secret) && drxi_far_receive(fd, mark, sizeof mark) &&
           memcmp(mark, server->secret, sizeof mark) == 0;
}

drx_status drxi_far_connect(const struct drxi_far_address *server, int *out)
{
    const int on = 1;
    int error = EHOSTUNREACH;

    for (int i = 0; i < server->n; i++) {
        const int fd = socket(server->at[i].ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

        if (fd >= 0 && connect(fd, (const struct sockaddr *)&server->at[i], server->length[i]) == 0 &&
            is_answered(fd, server)) {
            (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            *out = fd;
            return DRX_OK;
        }
        error = errno ? errno : error;
        if (fd >= 0)
            (void)close(fd);
    }
    return drxi_fail(DRX_EIO, "the node %s, which serves its stripes, cannot be reached: %s", server->host,
                     strerror(error));
}

static drx_status lost(const char *name)
{
    return drxi_fail(DRX_EIO, "%s: the connection to the node that has it has ended", name);
}

drx_status drxi_far_call(int fd, const char *name, const struct drxi_far_ask *ask, const void *text,
                         struct drxi_far_answer *answer, void *bytes, size_t room)
{
    char detail[DRXI_DETAIL_BYTES];

    if (!drxi_far_send(fd, ask, sizeof *ask) || !drxi_far_send(fd, text, (size_t)ask->bytes) ||
        !drxi_far_receive(fd, answer, sizeof *answer) || answer->detail_bytes < 0 ||
        answer->detail_bytes >= (int64_t)sizeof detail || answer->bytes < 0 || answer->bytes > (int64_t)room ||
        !drxi_far_receive(fd, detail, (size_t)answer->detail_bytes) ||
        !drxi_far_receive(fd, bytes, (size_t)answer->bytes))
        return lost(name);
    detail[answer->detail_bytes] = '\0';
    if (answer->st)
        drxi_report_set(detail);
    return (drx_status)answer->st;
}
