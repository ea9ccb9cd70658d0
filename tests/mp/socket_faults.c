#include "socket_faults.h"

#include <errno.h>
#include <ifaddrs.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FEW = 7 };

static atomic_long left; /* calls before the one that fails, and it; 0: none does */
static atomic_bool ending, fired, disturbed;
static atomic_ulong calls;

int __real_socket(int domain, int type, int protocol);
int __real_bind(int fd, const struct sockaddr *at, socklen_t length);
int __real_listen(int fd, int waiting);
int __real_getsockname(int fd, struct sockaddr *at, socklen_t *length);
int __real_getifaddrs(struct ifaddrs **out);
int __real_connect(int fd, const struct sockaddr *at, socklen_t length);
int __real_accept4(int fd, struct sockaddr *at, socklen_t *length, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t n, int flags);
ssize_t __real_recv(int fd, void *bytes, size_t n, int flags);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_bind(int fd, const struct sockaddr *at, socklen_t length);
int __wrap_listen(int fd, int waiting);
int __wrap_getsockname(int fd, struct sockaddr *at, socklen_t *length);
int __wrap_getifaddrs(struct ifaddrs **out);
int __wrap_connect(int fd, const struct sockaddr *at, socklen_t length);
int __wrap_accept4(int fd, struct sockaddr *at, socklen_t *length, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t n, int flags);

void socket_fault_arm(long n, bool ends)
{
    atomic_store(&ending, ends);
    if (n > 0)
        atomic_store(&fired, false);
    atomic_store(&left, n);
}

bool socket_fault_fired(void)
{
    return atomic_load(&fired);
}

void socket_disturb(bool on)
{
    atomic_store(&disturbed, on);
}

/* Whether this call is the one. */
static bool is_struck(void)
{
    long before = atomic_load(&left);

    while (before > 0 && !atomic_compare_exchange_weak(&left, &before, before - 1))
        ;
    if (before == 1)
        atomic_store(&fired, true);
    return before == 1;
}

static int fail_with(int error)
{
    errno = error;
    return -1;
}

static bool is_interrupted(void)
{
    return atomic_load(&disturbed) && atomic_fetch_add(&calls, 1) % 2 == 0;
}

int __wrap_socket(int domain, int type, int protocol)
{
    return is_struck() ? fail_with(EMFILE) : __real_socket(domain, type, protocol);
}

int __wrap_bind(int fd, const struct sockaddr *at, socklen_t length)
{
    return is_struck() ? fail_with(EADDRINUSE) : __real_bind(fd, at, length);
}

int __wrap_listen(int fd, int waiting)
{
    return is_struck() ? fail_with(EADDRINUSE) : __real_listen(fd, waiting);
}

int __wrap_getsockname(int fd, struct sockaddr *at, socklen_t *length)
{
    return is_struck() ? fail_with(ENOBUFS) : __real_getsockname(fd, at, length);
}

int __wrap_getifaddrs(struct ifaddrs **out)
{
    return is_struck() ? fail_with(ENOMEM) : __real_getifaddrs(out);
}

/* The system goes on with an interrupted one. */
int __wrap_connect(int fd, const struct sockaddr *at, socklen_t length)
{
    int result;

    if (is_struck())
        return fail_with(ECONNREFUSED);
    result = __real_connect(fd, at, length);
    return result == 0 && is_interrupted() ? fail_with(EINTR) : result;
}

/* One thread waits in it all the time, so that it is struck when somebody has come. */
int __wrap_accept4(int fd, struct sockaddr *at, socklen_t *length, int flags)
{
    int client;

    if (is_interrupted())
        return fail_with(EINTR);
    client = __real_accept4(fd, at, length, flags);
    if (client < 0 || !is_struck())
        return client;
    (void)close(client);
    return fail_with(EMFILE);
}

static size_t part_of(size_t n)
{
    return atomic_load(&disturbed) && n > FEW ? 1 + atomic_load(&calls) % FEW : n;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t n, int flags)
{
    ssize_t sent;

    if (is_interrupted())
        return fail_with(EINTR);
    if (!is_struck())
        return __real_send(fd, bytes, part_of(n), flags);
    if (!atomic_load(&ending))
        return fail_with(ECONNRESET);
    sent = __real_send(fd, bytes, (n + 1) / 2, flags);
    (void)shutdown(fd, SHUT_RDWR);
    return sent;
}

ssize_t __wrap_recv(int fd, void *bytes, size_t n, int flags)
{
    ssize_t got;

    if (is_interrupted())
        return fail_with(EINTR);
    if (!is_struck())
        return __real_recv(fd, bytes, part_of(n), flags);
    if (!atomic_load(&ending))
        return fail_with(ECONNRESET);
    got = __real_recv(fd, bytes, (n + 1) / 2, flags);
    (void)shutdown(fd, SHUT_RDWR);
    return got;
}
