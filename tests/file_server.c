#include "file_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_REQUEST = 4096, MOST_NAME = 1000 };

static int listening = -1;
static pthread_t server;
static atomic_bool ends;
static bool by_bytes;
static atomic_int troubled, visitors;
static char url[64], root[MOST_NAME];

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

/* Without an ETag, as nginx does it. */
static bool answer_beyond(int fd, long long size)
{
    char line[100];

    (void)snprintf(line, sizeof line, "416 Range Not Satisfiable\r\nContent-Range: bytes */%lld", size);
    return answer_nothing(fd, line);
}

/* What is sent of a file, or all of it. */
struct file {
    long long size, from, to;
    char *bytes, *sent; /* sent: what stands at `from` */
    char tag[64];
};

/* The name of what is asked for, decoded. */
static bool name_of(const char *request, char name[MOST_NAME])
{
    char path[MOST_NAME];
    size_t n = (size_t)snprintf(name, MOST_NAME, "%s", root);
    unsigned code;

    if (sscanf(request, "GET %999s ", path) != 1)
        return false;
    for (const char *p = path; *p && n + 1 < MOST_NAME; p++) {
        if (*p == '%' && sscanf(p + 1, "%2x", &code) == 1)
            p += 2;
        else
            code = (unsigned char)*p;
        name[n++] = (char)code;
    }
    name[n] = '\0';
    return true;
}

static uint64_t hash_of(const char *bytes, size_t n)
{
    uint64_t hash = 14695981039346656037u, word;

    for (size_t at = 0; at < n; at += 8) {
        word = 0;
        memcpy(&word, bytes + at, n - at < 8 ? n - at : 8);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* All of the file, or what is asked for of it; f->from and f->to end with it then. */
static bool read_file(const char *request, struct file *f)
{
    char name[MOST_NAME];
    const int fd = name_of(request, name) ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    struct stat status;
    size_t n = 0;
    long long begin = 0;
    bool good = false;

    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0) {
        f->size = status.st_size;
        f->to = f->to < 0 || f->to >= f->size ? f->size - 1 : f->to;
        begin = by_bytes || f->from > f->to ? 0 : f->from;
        n = by_bytes ? (size_t)f->size : f->from > f->to ? 0 : (size_t)(f->to + 1 - f->from);
        f->bytes = malloc(n + 1);
        good = f->bytes && pread(fd, f->bytes, n, begin) == (ssize_t)n;
        f->sent = f->bytes + (f->from - begin);
        (void)snprintf(f->tag, sizeof f->tag, "\"%llx-%llx\"", f->size,
                       good && by_bytes ? (unsigned long long)hash_of(f->bytes, n) : 0);
    }
    (void)close(fd);
    return good;
}

/* That of the file, or half of it and then nothing more. */
static bool answer_range(int fd, const struct file *f, bool cut)
{
    const size_t n = (size_t)(f->to - f->from + 1);
    char head[300];

    (void)snprintf(head, sizeof head,
                   "HTTP/1.1 206 Partial Content\r\nContent-Length: %zu\r\nContent-Range: bytes %lld-%lld/%lld\r\n"
                   "ETag: %s\r\n\r\n",
                   n, f->from, f->to, f->size, f->tag);
    return send_all(fd, head, strlen(head)) && send_all(fd, f->sent, cut ? n / 2 : n) && !cut;
}

static bool is_tag(const char *request, const char *header, const char *tag)
{
    const char *at = strstr(request, header);
    char given[100];

    return at && sscanf(at + strlen(header), "%99s", given) == 1 && strcmp(given, tag) == 0;
}

/* Whether the connection goes on. */
static bool answer(int fd, const char *request, int trouble)
{
    const char *range = strstr(request, "Range: bytes=");
    struct file f = { .to = -1 };
    bool good;

    if (trouble == 1)
        return false;
    if (trouble == 2)
        return answer_nothing(fd, "503 Busy");
    if (range)
        (void)sscanf(range, "Range: bytes=%lld-%lld", &f.from, &f.to);
    if (!read_file(request, &f))
        good = answer_nothing(fd, "404 Not Found");
    else if (strstr(request, "If-Match: ") && !is_tag(request, "If-Match: ", f.tag))
        good = answer_nothing(fd, "412 Precondition Failed");
    else if (is_tag(request, "If-None-Match: ", f.tag))
        good = answer_nothing(fd, "304 Not Modified");
    else if (f.from >= f.size)
        good = answer_beyond(fd, f.size);
    else
        good = answer_range(fd, &f, trouble == 3);
    free(f.bytes);
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

const char *file_server_start(const char *new_root, bool states_by_bytes)
{
    struct sockaddr_in at = { .sin_family = AF_INET };
    socklen_t n = sizeof at;

    (void)snprintf(root, sizeof root, "%s", new_root);
    by_bytes = states_by_bytes;
    if (listening >= 0)
        return url;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listening, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listening, 64), 0);
    assert_int_equal(getsockname(listening, (struct sockaddr *)&at, &n), 0);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    assert_int_equal(pthread_create(&server, NULL, serve, NULL), 0);
    return url;
}

void file_server_trouble(int one_in)
{
    atomic_store(&troubled, one_in);
}

void file_server_end(void)
{
    if (listening < 0)
        return;
    atomic_store(&ends, true);
    (void)shutdown(listening, SHUT_RDWR);
    (void)pthread_join(server, NULL);
    for (int i = 0; i < 100 && atomic_load(&visitors) > 0; i++)
        (void)usleep(10000);
    (void)close(listening);
    listening = -1;
}
