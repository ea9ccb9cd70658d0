/* delayed PORT MS: stands between programs and the server at PORT of this machine, as a line between them would that
 * takes MS milliseconds each way. It prints the port at which it listens, and ends with its standard input.
 *
 * Each direction of a connection has a thread and a queue of blocks, each of which is sent when it is due. The block
 * that was sent last is filled next, while the processor still has it. A connection begins after the time that its
 * handshake would have taken. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16, BLOCKS = 512, NS = 1000000000 }; /* 32 MiB of a fast line are under way */

struct block {
    struct block *next;
    int64_t due; /* in ns */
    size_t bytes;
    char data[BLOCK_BYTES];
};

struct way {
    struct line *line;
    int from, to;
    struct block *first, **last; /* the queue */
    struct block *idle;
    int blocks; /* of both */
};

struct line {
    struct way way[2]; /* from the program, from the server */
    atomic_int ways;
};

static int port;
static int64_t delay_ns;

static int64_t clock_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NS + t.tv_nsec;
}

static struct timespec span(int64_t ns)
{
    return (struct timespec){ .tv_sec = ns / NS, .tv_nsec = ns % NS };
}

static bool send_all(int to, const char *data, size_t n)
{
    while (n > 0) {
        const ssize_t sent = send(to, data, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Wait until there is something to take, or the first block is due. */
static bool wait_for_data(const struct way *w, bool open)
{
    struct pollfd from = { .fd = w->from, .events = POLLIN };
    const bool room = open && (w->idle || w->blocks < BLOCKS);
    int64_t wait = w->first ? w->first->due - clock_ns() : 0;
    struct timespec t;

    if (wait < 0)
        wait = 0;
    t = span(wait);
    return ppoll(&from, room, w->first ? &t : NULL, NULL) > 0;
}

/* False: that was the end. */
static bool take(struct way *w)
{
    struct block *b = w->idle;
    ssize_t got;

    if (b)
        w->idle = b->next;
    else if ((b = malloc(sizeof *b)))
        w->blocks++;
    else
        return false;
    got = recv(w->from, b->data, BLOCK_BYTES, 0);
    b->bytes = got > 0 ? (size_t)got : 0;
    b->due = clock_ns() + delay_ns;
    b->next = NULL;
    *w->last = b;
    w->last = &b->next;
    return got > 0;
}

/* The first block, when it is due; false when the receiver has gone. */
static bool pass_on(struct way *w, bool good)
{
    struct block *b = w->first;

    w->first = b->next;
    if (!w->first)
        w->last = &w->first;
    if (good && !(good = send_all(w->to, b->data, b->bytes)))
        (void)shutdown(w->from, SHUT_RD); /* nobody wants the rest */
    b->next = w->idle;
    w->idle = b;
    return good;
}

static void hang_up(struct line *l)
{
    if (atomic_fetch_sub(&l->ways, 1) > 1)
        return;
    (void)close(l->way[0].from);
    (void)close(l->way[0].to);
    free(l);
}

static void *carry(void *arg)
{
    struct way *w = arg;
    bool open = true, good = true;

    w->last = &w->first;
    while (open || w->first) {
        if (wait_for_data(w, open))
            open = take(w);
        while (w->first && w->first->due <= clock_ns())
            good = pass_on(w, good);
    }
    (void)shutdown(w->to, SHUT_WR);
    while (w->idle) {
        struct block *const next = w->idle->next;

        free(w->idle);
        w->idle = next;
    }
    hang_up(w->line);
    return NULL;
}

/* Of this machine: that of the server, connected, or one of our own, which listens; -1: there is none. */
static int open_socket(int to)
{
    const struct sockaddr_in at = { .sin_family = AF_INET,
                                    .sin_port = htons((uint16_t)to),
                                    .sin_addr = { htonl(INADDR_LOOPBACK) } };
    const int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    int failed = fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);

    if (!failed && to)
        failed = connect(fd, (const struct sockaddr *)&at, sizeof at);
    else if (!failed)
        failed = bind(fd, (const struct sockaddr *)&at, sizeof at) || listen(fd, SOMAXCONN);
    if (!failed)
        return fd;
    (void)close(fd);
    return -1;
}

static void *connect_line(void *arg)
{
    struct line *l = arg;
    const struct timespec handshake = span(2 * delay_ns);
    const int program = l->way[0].from;
    int server;
    pthread_t thread;

    (void)nanosleep(&handshake, NULL);
    server = open_socket(port);
    l->way[0] = (struct way){ .line = l, .from = program, .to = server };
    l->way[1] = (struct way){ .line = l, .from = server, .to = program };
    for (int i = 0; i < 2; i++)
        if (server < 0 || pthread_create(&thread, NULL, carry, &l->way[i]) || pthread_detach(thread))
            hang_up(l);
    return NULL;
}

static void *end_with_input(void *arg)
{
    char byte;

    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    exit(0);
    return arg;
}

int main(int argc, char **argv)
{
    struct sockaddr_in at;
    socklen_t bytes = sizeof at;
    const int one = 1, fd = argc == 3 ? open_socket(0) : -1;
    pthread_t thread;

    if (fd < 0 || getsockname(fd, (struct sockaddr *)&at, &bytes)) {
        (void)fprintf(stderr, "delayed: cannot listen; expected PORT and MS\n");
        return 1;
    }
    port = (int)strtol(argv[1], NULL, 10);
    delay_ns = strtoll(argv[2], NULL, 10) * (NS / 1000);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)printf("%d\n", ntohs(at.sin_port));
    if (fflush(stdout) || pthread_create(&thread, NULL, end_with_input, NULL))
        return 1;
    for (;;) {
        struct line *l = calloc(1, sizeof *l);

        if (!l || (l->way[0].from = accept(fd, NULL, NULL)) < 0 ||
            setsockopt(l->way[0].from, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one))
            return 1;
        atomic_init(&l->ways, 2);
        if (pthread_create(&thread, NULL, connect_line, l) || pthread_detach(thread))
            return 1;
    }
}
