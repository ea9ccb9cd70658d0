/* Arrays on a server, read by many threads at a time: each with handles of its own, and all through one. A server in this
 * process serves the files, and now and then fails: it cuts an answer short, ends a connection, or is busy. What is read is
 * what the array has. Also runs with ThreadSanitizer. */
#include "drx_tools.h"
#include "testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 6, READS = 60, EXTENT = 90, MOST_REQUEST = 4096, TROUBLE = 25 };

static int listening = -1;
static pthread_t server;
static atomic_bool ends;
static atomic_int troubled, visitors; /* one request in so many meets trouble; 0: none */
static char url[64];
static int32_t truth[EXTENT][EXTENT];

/* ---- the server ---- */

static bool send_all(int fd, const void *bytes, size_t n)
{
    const char *p = bytes;

    while (n > 0) {
        const ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* A request up to its empty line. */
static bool receive_request(int fd, char request[MOST_REQUEST])
{
    size_t n = 0;

    while (n + 1 < MOST_REQUEST) {
        const ssize_t got = recv(fd, request + n, MOST_REQUEST - 1 - n, 0);

        if (got <= 0)
            return false;
        n += (size_t)got;
        request[n] = '\0';
        if (strstr(request, "\r\n\r\n"))
            return true;
    }
    return false;
}

static bool answer_nothing(int fd, const char *line)
{
    char head[200];

    (void)snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n", line);
    return send_all(fd, head, strlen(head));
}

/* Some of the file, or half of that and then nothing more. */
static bool answer_range(int fd, int file, long long from, long long to, long long size, bool cut)
{
    const size_t n = (size_t)(to - from + 1);
    char head[300], *body = malloc(n);
    bool good = body && pread(file, body, n, from) == (ssize_t)n;

    (void)snprintf(head, sizeof head,
                   "HTTP/1.1 206 Partial Content\r\nContent-Length: %zu\r\nContent-Range: bytes %lld-%lld/%lld\r\n"
                   "ETag: \"%lld\"\r\n\r\n",
                   n, from, to, size, size);
    good = good && send_all(fd, head, strlen(head)) && send_all(fd, body, cut ? n / 2 : n);
    free(body);
    return good && !cut;
}

/* Whether the connection goes on. */
static bool answer(int fd, const char *request, int trouble)
{
    char name[100] = "", tag[64], wanted[100];
    const char *range = strstr(request, "Range: bytes="), *match = strstr(request, "If-Match: "),
               *none = strstr(request, "If-None-Match: ");
    long long from = 0, to = -1;
    struct stat status;
    int file;
    bool good;

    if (trouble == 1)
        return false;
    if (trouble == 2)
        return answer_nothing(fd, "503 Busy");
    if (sscanf(request, "GET /%99s ", name) != 1 || (file = open(name, O_RDONLY | O_CLOEXEC)) < 0)
        return answer_nothing(fd, "404 Not Found");
    (void)fstat(file, &status);
    (void)snprintf(tag, sizeof tag, "\"%lld\"", (long long)status.st_size);
    if (range)
        (void)sscanf(range, "Range: bytes=%lld-%lld", &from, &to);
    if (match && sscanf(match, "If-Match: %99s", wanted) == 1 && strcmp(wanted, tag) != 0)
        good = answer_nothing(fd, "412 Precondition Failed");
    else if (none && sscanf(none, "If-None-Match: %99s", wanted) == 1 && strcmp(wanted, tag) == 0)
        good = answer_nothing(fd, "304 Not Modified");
    else if (from >= status.st_size)
        good = answer_nothing(fd, "416 Range Not Satisfiable");
    else
        good = answer_range(fd, file, from, to < 0 || to >= status.st_size ? status.st_size - 1 : to, status.st_size,
                            trouble == 3);
    (void)close(file);
    return good;
}

static void *serve_one(void *arg)
{
    const int fd = (int)(intptr_t)arg;
    uint64_t seed = (uint64_t)fd;
    char request[MOST_REQUEST];

    for (bool goes_on = true; goes_on && receive_request(fd, request);) {
        const int often = atomic_load(&troubled);

        goes_on = answer(fd, request, often && random_below(&seed, often) == 0 ? 1 + (int)random_below(&seed, 3) : 0);
    }
    (void)close(fd);
    (void)atomic_fetch_sub(&visitors, 1);
    return NULL;
}

static void *serve(void *arg)
{
    pthread_t thread;

    (void)arg;
    while (!atomic_load(&ends)) {
        const int fd = accept(listening, NULL, NULL);

        if (fd < 0)
            continue;
        (void)atomic_fetch_add(&visitors, 1);
        if (pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd) != 0)
            abort();
        (void)pthread_detach(thread);
    }
    return NULL;
}

static void start_server(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t n = sizeof at;

    if (listening >= 0)
        return;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listening, 64), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &n), 0);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&server, NULL, serve, NULL), 0);
}

/* ---- readers ---- */

struct reader {
    int number;
    uint64_t seed;
    pthread_t thread;
    drx_array *a; /* that all share; NULL: it opens its own */
    const char *name;
    int32_t buf[EXTENT * EXTENT];
};

static struct reader reader[THREADS];

/* cmocka's assertions end only the main thread's test, so threads use this one. */
static void must(bool good, const struct reader *r, const char *what)
{
    if (good)
        return;
    print_error("reader %d: %s: %s\n", r->number, what, drx_last_error());
    abort();
}

static void read_some(struct reader *r, drx_array *a)
{
    int64_t lo[2], count[2];

    for (int j = 0; j < 2; j++) {
        lo[j] = random_below(&r->seed, EXTENT);
        count[j] = 1 + random_below(&r->seed, EXTENT - lo[j]);
    }
    must(drx_read(a, lo, count, DRX_ROW_MAJOR, r->buf) == DRX_OK, r, "drx_read");
    for (int64_t i = 0; i < count[0]; i++)
        must(memcmp(r->buf + i * count[1], &truth[lo[0] + i][lo[1]], (size_t)count[1] * sizeof *r->buf) == 0, r,
             "what was read");
}

static drx_array *open_there(const struct reader *r)
{
    char path[100];
    drx_array *a = NULL;

    (void)snprintf(path, sizeof path, "%s%s", url, r->name);
    must(drx_open(path, DRX_RDONLY, &a) == DRX_OK, r, "drx_open");
    return a;
}

static void *read_all(void *arg)
{
    struct reader *r = arg;
    drx_array *a = r->a ? r->a : open_there(r);

    for (int i = 0; i < READS; i++) {
        read_some(r, a);
        if (!r->a && i % 10 == 9)
            must(drx_refresh(a) == DRX_OK, r, "drx_refresh");
        if (!r->a && i % 20 == 19) {
            must(drx_close(a) == DRX_OK, r, "drx_close");
            a = open_there(r);
        }
    }
    if (!r->a)
        must(drx_close(a) == DRX_OK, r, "drx_close");
    return NULL;
}

static void make(const char *name, drx_codec codec, unsigned flags)
{
    static const int64_t shape[2] = { EXTENT, EXTENT }, chunk[2] = { 16, 7 }, lo[2] = { 0, 0 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .codec = codec, .flags = DRX_REPLACE | flags
    };
    drx_array *a;

    for (int i = 0; i < EXTENT; i++)
        for (int j = 0; j < EXTENT; j++)
            truth[i][j] = 1000 * i + j;
    assert_ok(drx_create(name, &spec, &a));
    assert_ok(drx_write(a, lo, shape, DRX_ROW_MAJOR, truth));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void read_by_all(const char *name, bool share)
{
    const char *text = getenv("DRX_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
    drx_array *a;

    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    for (int i = 0; i < THREADS; i++)
        reader[i] = (struct reader){ .number = i, .seed = seed * THREADS + (uint64_t)i, .name = name };
    a = share ? open_there(&reader[0]) : NULL;
    for (int i = 0; i < THREADS; i++) {
        reader[i].a = a;
        assert_int_equal(pthread_create(&reader[i].thread, NULL, read_all, &reader[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(reader[i].thread, NULL), 0);
    assert_ok(drx_close(a));
}

static void read_each_way(const char *name)
{
    start_server();
    atomic_store(&troubled, 0);
    read_by_all(name, false);
    read_by_all(name, true);
    atomic_store(&troubled, TROUBLE);
    read_by_all(name, false);
    read_by_all(name, true);
}

TEST(raw)
{
    make("raw", DRX_RAW, 0);
    read_each_way("raw");
}

TEST(with_checksums)
{
    make("sums", DRX_RAW, DRX_CHECKSUM);
    read_each_way("sums");
}

TEST(compressed)
{
    make("packed", DRX_LZ4, 0);
    read_each_way("packed");
}

/* ---- boxes that come before they are asked for ---- */

enum { SLAB = 3, BOX = 9 };

static void read_there(struct reader *r, drx_array *a, const int64_t lo[2], const int64_t count[2])
{
    must(drx_read(a, lo, count, DRX_ROW_MAJOR, r->buf) == DRX_OK, r, "drx_read");
    for (int64_t i = 0; i < count[0]; i++)
        must(memcmp(r->buf + i * count[1], &truth[lo[0] + i][lo[1]], (size_t)count[1] * sizeof *r->buf) == 0, r,
             "what was read");
}

static void *walk_all(void *arg)
{
    struct reader *r = arg;
    drx_array *a = r->a ? r->a : open_there(r);

    for (int64_t i = 0; i < EXTENT; i += SLAB)
        read_there(r, a, (int64_t[]){ i, 0 }, (int64_t[]){ SLAB, EXTENT });
    for (int64_t i = 0; i < EXTENT; i += BOX)
        for (int64_t j = 0; j < EXTENT; j += BOX)
            read_there(r, a, (int64_t[]){ i, j }, (int64_t[]){ BOX, BOX });
    if (!r->a)
        must(drx_close(a) == DRX_OK, r, "drx_close");
    return NULL;
}

static void walk_by_all(const char *name, bool share)
{
    drx_array *a;

    for (int i = 0; i < THREADS; i++)
        reader[i] = (struct reader){ .number = i, .name = name };
    a = share ? open_there(&reader[0]) : NULL;
    for (int i = 0; i < THREADS; i++) {
        reader[i].a = a;
        assert_int_equal(pthread_create(&reader[i].thread, NULL, walk_all, &reader[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(reader[i].thread, NULL), 0);
    assert_ok(drx_close(a));
}

TEST(walks)
{
    static const struct {
        const char *name;
        drx_codec codec;
        unsigned flags;
    } kinds[] = { { "raw", DRX_RAW, 0 }, { "sums", DRX_RAW, DRX_CHECKSUM }, { "packed", DRX_LZ4, 0 } };

    start_server();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        make(kinds[i].name, kinds[i].codec, kinds[i].flags);
        for (int trouble = 0; trouble <= TROUBLE; trouble += TROUBLE) {
            atomic_store(&troubled, trouble);
            walk_by_all(kinds[i].name, false);
            walk_by_all(kinds[i].name, true);
        }
    }
    atomic_store(&troubled, 0);
}

/* An array whose slabs are larger than a block. */
static int64_t walk_wide(size_t memory)
{
    enum { ROWS = 64, COLUMNS = 30000 };
    static const int64_t shape[2] = { ROWS, COLUMNS }, row[2] = { 1, COLUMNS };
    static int32_t values[COLUMNS];
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = row, .flags = DRX_REPLACE };
    drx_counters counters;
    char path[100];
    drx_array *a;

    assert_ok(drx_create("wide", &spec, &a));
    for (int64_t i = 0; i < ROWS; i++)
        assert_ok(drx_write(a, (int64_t[]){ i, 0 }, row, DRX_ROW_MAJOR, memset(values, (int)i, sizeof values)));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    drx_set_memory(memory);
    (void)snprintf(path, sizeof path, "%swide", url);
    assert_ok(drx_open(path, DRX_RDONLY, &a));
    for (int64_t i = 0; i < ROWS; i++) {
        assert_ok(drx_read(a, (int64_t[]){ i, 0 }, row, DRX_ROW_MAJOR, values));
        assert_int_equal(values[0], 0x01010101 * i);
        assert_memory_equal(values, values + 1, sizeof values - sizeof *values);
    }
    assert_ok(drx_count(a, &counters));
    assert_ok(drx_close(a));
    drx_set_memory(0);
    return counters.ahead_bytes;
}

/* Slabs come ahead unless that is off, or their memory is more than what may be used. */
TEST(bounds_of_a_walk)
{
    start_server();
    atomic_store(&troubled, 0);
    assert_int_equal(walk_wide(0), (64 - 3) * 120000);
    assert_in_range(walk_wide(8 << 20), (64 - 3 - 1) * 120000, (64 - 3) * 120000);
    assert_int_equal(walk_wide(800000), 0);
    drx_set_read_ahead(0);
    assert_int_equal(walk_wide(0), 0);
    drx_set_read_ahead(1);
}

/* The engine's thread ends with the process, the server's here. */
TEST(the_end)
{
    atomic_store(&ends, true);
    assert_int_equal(shutdown(listening, SHUT_RDWR), 0);
    assert_int_equal(pthread_join(server, NULL), 0);
    assert_int_equal(close(listening), 0);
    for (int i = 0; i < 100 && atomic_load(&visitors) > 0; i++)
        (void)usleep(10000);
}
