/* Sockets that are being connected, or are connected, without a request. */
#include "remote/wire/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = DRXI_MOST_SPARES, KEPT_SECONDS = 4 };

struct spare {
    int fd;
    struct sockaddr_storage to;
    size_t bytes; /* of `to` */
    double since;
};

static struct spare spare[MOST];
static int spares;
static curl_socket_t given = CURL_SOCKET_BAD; /* last, connected */

static void drop_spare(int i)
{
    spare[i] = spare[--spares];
}

static bool leads_to(const struct spare *s, const struct curl_sockaddr *address)
{
    return s->bytes == address->addrlen && memcmp(&s->to, &address->addr, s->bytes) == 0;
}

static int count_spares(const struct curl_sockaddr *address)
{
    int n = 0;

    for (int i = 0; i < spares; i++)
        n += leads_to(&spare[i], address);
    return n;
}

/* Begin to connect a socket. What fails is left to the request that needs a connection. */
static bool add_spare(const struct curl_sockaddr *address)
{
    struct spare *s = &spare[spares];

    if (spares == MOST || address->addrlen > sizeof s->to)
        return false;
    *s = (struct spare){ .bytes = address->addrlen, .since = drxi_now() };
    memcpy(&s->to, &address->addr, s->bytes);
    s->fd = socket(address->family, address->socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address->protocol);
    if (s->fd < 0)
        return false;
    (void)connect(s->fd, (const struct sockaddr *)&s->to, address->addrlen);
    spares++;
    return true;
}

/* Take one that is connected. One that the server has closed, or that failed, is closed. */
static curl_socket_t take_spare(const struct curl_sockaddr *address)
{
    for (int i = 0; i < spares;) {
        struct pollfd p = { .fd = spare[i].fd, .events = POLLIN | POLLOUT };
        const int news = leads_to(&spare[i], address) ? poll(&p, 1, 0) : 0;

        if (news > 0 && p.revents == POLLOUT) {
            drop_spare(i);
            return p.fd;
        }
        if (news > 0) {
            (void)close(p.fd);
            drop_spare(i);
        } else {
            i++;
        }
    }
    return CURL_SOCKET_BAD;
}

curl_socket_t drxi_spares_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    const struct drxi_ask *ask = arg;
    const bool may = purpose == CURLSOCKTYPE_IPCXN && address->socktype == SOCK_STREAM;
    curl_socket_t fd;

    given = may ? take_spare(address) : CURL_SOCKET_BAD;
    fd = given;
    if (fd == CURL_SOCKET_BAD)
        fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    for (int n = may && fd != CURL_SOCKET_BAD ? ask->spares - count_spares(address) : 0; n > 0 && add_spare(address);)
        n--;
    return fd;
}

int drxi_spares_set_up(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    const bool connected = fd == given;

    (void)arg;
    (void)purpose;
    given = CURL_SOCKET_BAD;
    return connected ? CURL_SOCKOPT_ALREADY_CONNECTED : CURL_SOCKOPT_OK;
}

int drxi_spares_sweep(double now, int most)
{
    for (int i = 0; i < spares;) {
        const double left = spare[i].since + KEPT_SECONDS - now;

        if (left <= 0) {
            (void)close(spare[i].fd);
            drop_spare(i);
            continue;
        }
        most = left * 1000 < most ? (int)(left * 1000) + 1 : most;
        i++;
    }
    return most;
}

void drxi_spares_end(void)
{
    while (spares > 0)
        (void)close(spare[--spares].fd);
}
