/* A server of files and its clients, in one process: many threads at a time, through one connection and through many,
 * with and without the cache. What they find is what a plain copy in memory has. Strangers, and clients that go in the
 * middle, disturb nobody. It is built from the sources that know nothing of MPI, and also runs with ThreadSanitizer. */
#include "drx_tools.h"
#include "mp/far/far.h"
#include "pool/cached_file.h"
#include "testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 6, BYTES = 60000, STEPS = 300, MOST = 9000 };

static struct drxi_far_server *server;
static struct drxi_far_address address;

/* What one thread works on: a file of its own. */
struct client {
    int number;
    uint64_t seed;
    bool cached;
    pthread_t thread;
    uint8_t truth[BYTES], buf[MOST];
    int64_t size;
};

static struct client client[THREADS];

static void begin(void)
{
    const char *text = getenv("DRX_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);

    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    assert_ok(drxi_far_serve(&server, &address));
    for (int i = 0; i < THREADS; i++)
        client[i] = (struct client){ .number = i, .seed = seed * THREADS + (uint64_t)i, .cached = i % 2 };
}

/* Open a file of the server, perhaps with a cache before it; nobody else writes. */
static drxi_io *open_far(const char *name, enum drxi_how how, bool cached)
{
    const struct drxi_cache_spec spec = { .block_shift = 8, .most_bytes = 1 << 14 };
    drxi_io *io, *out;

    assert_ok(drxi_far_open(&address, name, how, &io));
    if (!cached)
        return io;
    assert_ok(drxi_cached_open(io, &spec, &out));
    return out;
}

/* cmocka's assertions end only the main thread's test, so threads use this one. */
static void must(bool good, const struct client *g, const char *what)
{
    if (good)
        return;
    print_error("client %d: %s: %s\n", g->number, what, drx_last_error());
    abort();
}

static void write_some(struct client *g, drxi_io *io)
{
    const int64_t at = random_below(&g->seed, BYTES), n = 1 + random_below(&g->seed, drxi_min(BYTES - at, MOST));

    for (int64_t i = 0; i < n; i++)
        g->truth[at + i] = (uint8_t)random_next(&g->seed);
    must(io->ops->write(io, g->truth + at, (size_t)n, at) == DRX_OK, g, "write");
    g->size = drxi_max(g->size, at + n);
}

static void read_some(struct client *g, drxi_io *io)
{
    const int64_t at = random_below(&g->seed, BYTES), n = 1 + random_below(&g->seed, MOST);
    size_t got;

    must(io->ops->read(io, g->buf, (size_t)n, at, &got) == DRX_OK, g, "read");
    must((int64_t)got == drxi_max(0, drxi_min(n, g->size - at)), g, "how much was read");
    must(memcmp(g->buf, g->truth + at, got) == 0, g, "what was read");
}

static void resize(struct client *g, drxi_io *io)
{
    const int64_t bytes = random_below(&g->seed, BYTES);

    must(io->ops->resize(io, bytes) == DRX_OK, g, "resize");
    if (bytes < g->size)
        memset(g->truth + bytes, 0, (size_t)(g->size - bytes));
    g->size = bytes;
}

static void step(struct client *g, drxi_io *io)
{
    int64_t size = -1;

    switch (random_below(&g->seed, 10)) {
    case 0:
        resize(g, io);
        break;
    case 1:
        must(io->ops->size(io, &size) == DRX_OK && size == g->size, g, "size");
        break;
    case 2:
    case 3:
    case 4:
        write_some(g, io);
        break;
    default:
        read_some(g, io);
    }
}

static void *visit(void *arg)
{
    struct client *g = arg;
    char name[32];
    drxi_io *io;

    (void)snprintf(name, sizeof name, "file%d", g->number);
    io = open_far(name, DRXI_NEW, g->cached);
    must(io->ops->name(io) == DRX_OK, g, "name");
    for (int i = 0; i < STEPS; i++) {
        step(g, io);
        if (i % 50 == 49) {
            must(io->ops->close(io) == DRX_OK, g, "close");
            io = open_far(name, DRXI_WRITE, g->cached);
        }
    }
    must(io->ops->close(io) == DRX_OK, g, "close");
    return NULL;
}

static void all(void *(*run)(void *arg))
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&client[i].thread, NULL, run, &client[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(client[i].thread, NULL), 0);
}

TEST(many_guests)
{
    begin();
    all(visit);
    drxi_far_stop(server);
    for (int i = 0; i < THREADS; i++) { /* the files themselves */
        char name[32];
        drxi_io *io;
        size_t got;
        uint8_t *bytes = malloc(BYTES);

        (void)snprintf(name, sizeof name, "file%d", i);
        assert_ok(drxi_posix.open(name, DRXI_READ, &io));
        assert_ok(io->ops->read(io, bytes, BYTES, 0, &got));
        assert_int_equal(got, client[i].size);
        assert_memory_equal(bytes, client[i].truth, got);
        assert_ok(io->ops->close(io));
        free(bytes);
    }
}

/* ---- threads that share one file ---- */

static drxi_io *shared;
static atomic_uint_fast64_t moment;

/* Each thread has a part of its own, and looks at that. */
static void *share(void *arg)
{
    struct client *g = arg;
    const int64_t part = BYTES / THREADS, from = g->number * part;

    for (int i = 0; i < STEPS; i++) {
        const int64_t at = from + random_below(&g->seed, part), n = 1 + random_below(&g->seed, from + part - at);
        const bool writes = random_below(&g->seed, 3) == 0;
        size_t got;

        if (writes) {
            memset(g->truth + at, i + 1, (size_t)n);
            must(shared->ops->write(shared, g->truth + at, (size_t)n, at) == DRX_OK, g, "write");
        } else {
            must(shared->ops->read(shared, g->buf, (size_t)drxi_min(n, MOST), at, &got) == DRX_OK, g, "read");
            must(memcmp(g->buf, g->truth + at, got) == 0, g, "what was read");
        }
        if (i % 20 == 0)
            atomic_fetch_add(&moment, 1);
    }
    return NULL;
}

static void share_one(bool cached)
{
    const struct drxi_cache_spec spec = { .block_shift = 8, .most_bytes = 1 << 14, .moment = &moment };
    drxi_io *io;

    begin();
    assert_ok(drxi_far_open(&address, "shared", DRXI_NEW, &io));
    shared = io;
    if (cached)
        assert_ok(drxi_cached_open(io, &spec, &shared));
    assert_ok(shared->ops->resize(shared, BYTES));
    all(share);
    assert_ok(shared->ops->close(shared));
    drxi_far_stop(server);
}

TEST(threads_share_a_file)
{
    share_one(false);
}

TEST(threads_share_a_file_and_its_cache)
{
    share_one(true);
}

/* ---- bad clients ---- */

/* A connection that knows the secret, or another. */
static int connect_raw(bool knows)
{
    struct drxi_far_address other = address;
    int fd = -1;

    other.secret[0] ^= !knows;
    assert_int_equal(drxi_far_connect(&other, &fd), knows ? DRX_OK : DRX_EIO);
    return fd;
}

/* One who listens at an address of the server, and does not know its secret. */
struct impostor {
    int socket, times;
    pthread_t thread;
    uint8_t heard[1000];
    size_t bytes;
};

/* It answers whatever it has heard, and listens on. */
static void *pretend(void *arg)
{
    struct impostor *x = arg;

    for (int i = 0; i < x->times; i++) {
        const int fd = accept(x->socket, NULL, NULL);
        ssize_t got;

        while (fd >= 0 && (got = recv(fd, x->heard + x->bytes, sizeof x->heard - x->bytes, 0)) > 0) {
            x->bytes += (size_t)got;
            (void)!send(fd, x->heard, x->bytes, MSG_NOSIGNAL);
            (void)!send(fd, x->heard, x->bytes, MSG_NOSIGNAL);
            (void)!send(fd, x->heard, x->bytes, MSG_NOSIGNAL);
        }
        (void)close(fd);
    }
    return NULL;
}

static void begin_impostor(struct impostor *x, struct sockaddr_in *at)
{
    socklen_t length = sizeof *at;

    *at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    x->socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(x->socket, (struct sockaddr *)at, sizeof *at), 0);
    assert_int_equal(listen(x->socket, 5), 0);
    assert_int_equal(getsockname(x->socket, (struct sockaddr *)at, &length), 0);
    assert_int_equal(pthread_create(&x->thread, NULL, pretend, x), 0);
}

/* A client that meets one leaves it, and goes on to the next address. What it has said is a number that it has
 * drawn. */
TEST(impostors_learn_nothing)
{
    static struct impostor x = { .times = 6 };
    struct drxi_far_address with;
    struct sockaddr_in at;
    int fd;

    begin();
    begin_impostor(&x, &at);
    with = address;
    with.n = 1;
    with.length[0] = sizeof at;
    memcpy(&with.at[0], &at, sizeof at);
    for (int i = 0; i < x.times / 2; i++) {
        assert_status(drxi_far_connect(&with, &fd), DRX_EIO);
        assert_detail("cannot be reached");
    }
    for (; with.n <= address.n && with.n < DRXI_FAR_ADDRESSES; with.n++) {
        with.length[with.n] = address.length[with.n - 1];
        with.at[with.n] = address.at[with.n - 1];
    }
    for (int i = 0; i < x.times / 2; i++) {
        assert_ok(drxi_far_connect(&with, &fd));
        assert_int_equal(close(fd), 0);
    }
    assert_int_equal(pthread_join(x.thread, NULL), 0);
    assert_int_equal(close(x.socket), 0);
    assert_int_equal(x.bytes, 16 * x.times);
    assert_null(memmem(x.heard, x.bytes, address.secret, sizeof address.secret));
    for (int i = 1; i < x.times; i++)
        assert_memory_not_equal(x.heard, x.heard + 16 * i, 16);
    drxi_far_stop(server);
}

/* A stranger cannot send the server's proof back to it. */
TEST(a_proof_is_of_one_side)
{
    uint8_t number[16] = { 0 }, said[48];
    int fd;

    begin();
    fd = socket(address.at[0].ss_family, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address.at[0], address.length[0]), 0);
    assert_true(drxi_far_send(fd, number, sizeof number) && drxi_far_receive(fd, said, sizeof said));
    assert_true(drxi_far_send(fd, said + 16, 32)); /* the server's own proof */
    assert_false(drxi_far_receive(fd, number, 1));
    assert_int_equal(close(fd), 0);
    drxi_far_stop(server);
}

/* Other nodes need no address by which only this one reaches itself, unless it has no other. */
TEST(addresses)
{
    int own = 0;

    begin();
    for (int i = 0; i < address.n; i++) {
        const struct sockaddr_in *at = (const struct sockaddr_in *)&address.at[i];
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address.at[i];

        own +=
            at->sin_family == AF_INET ? ntohl(at->sin_addr.s_addr) >> 24 == 127 : IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    }
    assert_true(address.n > 0 && (own == 0 || own == address.n));
    drxi_far_stop(server);
}

TEST(strangers_are_sent_away)
{
    begin();
    for (int i = 0; i < 5; i++)
        assert_int_equal(connect_raw(false), -1);
    drxi_far_stop(server);
}

static int option_of(int socket, int level, int name)
{
    int value = -1;
    socklen_t n = sizeof value;

    assert_int_equal(getsockopt(socket, level, name, &value, &n), 0);
    return value;
}

static bool ends_after(int socket, int seconds)
{
    const int idle = option_of(socket, IPPROTO_TCP, TCP_KEEPIDLE), probes = option_of(socket, IPPROTO_TCP, TCP_KEEPCNT);

    return option_of(socket, SOL_SOCKET, SO_KEEPALIVE) == 1 &&
           idle + probes * option_of(socket, IPPROTO_TCP, TCP_KEEPINTVL) == seconds &&
           option_of(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 1000 * seconds;
}

/* Either end gives up a node that is silent for a minute: the system asks it after some time without news, and waits so
 * long for what it has sent. */
TEST(silence_is_limited)
{
    enum { MINUTE = 60, MOST_FILES = 1024 };
    int ends = 0, limited = 0;
    drxi_io *io;

    begin();
    io = open_far("silent", DRXI_NEW, false);
    for (int fd = 0; fd < MOST_FILES; fd++) {
        struct sockaddr_storage peer;
        socklen_t n = sizeof peer;

        if (getpeername(fd, (struct sockaddr *)&peer, &n) != 0 ||
            (peer.ss_family != AF_INET && peer.ss_family != AF_INET6))
            continue;
        ends++;
        limited += ends_after(fd, MINUTE);
    }
    assert_ok(io->ops->close(io));
    drxi_far_stop(server);
    assert_int_equal(ends, 2);
    assert_int_equal(limited, 2);
}

/* What a client has opened without a name is gone when the client is, wherever it stopped. */
TEST(guests_that_go)
{
    const struct drxi_far_ask open = { .op = DRXI_FAR_OPEN, .a = DRXI_NEW, .bytes = 4 };
    const struct drxi_far_ask write = { .op = DRXI_FAR_WRITE, .bytes = 1000 };
    const struct drxi_far_ask wrong[] = { { .op = 99 },
                                          { .op = DRXI_FAR_READ, .b = 10 },
                                          { .op = DRXI_FAR_WRITE, .bytes = -1 },
                                          { .op = DRXI_FAR_WRITE, .bytes = INT64_MAX } };
    struct drxi_far_answer answer;
    struct drxi_looked looked;

    begin();
    for (size_t n = 0; n <= sizeof open + 4; n++) { /* in the middle of a question */
        uint8_t message[sizeof open + 4];
        const int fd = connect_raw(true);

        memcpy(message, &open, sizeof open);
        memcpy(message + sizeof open, "gone", 4);
        assert_true(drxi_far_send(fd, message, n));
        assert_int_equal(close(fd), 0);
    }
    for (int named = 0; named < 2; named++) { /* in the middle of a write */
        const int fd = connect_raw(true);

        assert_ok(drxi_far_call(fd, "gone", &open, "gone", &answer, NULL, 0));
        assert_true(drxi_far_send(fd, &write, sizeof write) && drxi_far_send(fd, client, 500));
        assert_int_equal(close(fd), 0);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) { /* questions that nobody asks */
        const int fd = connect_raw(true);

        if (wrong[i].bytes == 0)
            assert_status(drxi_far_call(fd, "wrong", &wrong[i], NULL, &answer, NULL, 0), DRX_EINVAL);
        else
            assert_true(drxi_far_send(fd, &wrong[i], sizeof wrong[i]) && !drxi_far_receive(fd, &answer, 1));
        assert_int_equal(close(fd), 0);
    }
    drxi_far_stop(server); /* which waits until all have gone */
    drxi_posix.look("gone", false, &looked);
    assert_false(looked.there);
}

/* An answer that is too long, or is no answer: the connection is not used again. */
TEST(an_answer_that_does_not_fit)
{
    const struct drxi_far_ask open = { .op = DRXI_FAR_OPEN, .a = DRXI_NEW, .bytes = 4 };
    const struct drxi_far_ask write = { .op = DRXI_FAR_WRITE, .bytes = 100 }, read = { .op = DRXI_FAR_READ, .b = 100 };
    const struct drxi_far_ask size = { .op = DRXI_FAR_SIZE };
    struct drxi_far_answer answer;
    uint8_t few[10];
    int fd;

    begin();
    fd = connect_raw(true);
    assert_ok(drxi_far_call(fd, "some", &open, "some", &answer, NULL, 0));
    assert_ok(drxi_far_call(fd, "some", &write, client, &answer, NULL, 0));
    assert_ok(drxi_far_call(fd, "some", &size, NULL, &answer, NULL, 0));
    assert_int_equal(answer.a, 100);
    assert_status(drxi_far_call(fd, "some", &read, NULL, &answer, few, sizeof few), DRX_EIO);
    assert_detail("some: the connection to the node that has it has ended");
    assert_status(drxi_far_call(fd, "some", &size, NULL, &answer, NULL, 0), DRX_EIO);
    assert_int_equal(close(fd), 0);
    drxi_far_stop(server);
}
