/* Requests that are under way when the process ends: whoever waits for one at its exit is told, and does not hang. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/wire/wire.h"
#include "testing.h"

enum { SECONDS = 30, WRONG = 1, NOT_BEGUN = 2 };

static struct drxi_ask ask;

/* Registered before the engine has registered its end, so it runs after that. */
static void wait_at_exit(void)
{
    drxi_engine_wait(&ask);
    _exit(ask.outcome == DRXI_FAILED && strstr(ask.detail, "the process is ending") ? 0 : WRONG);
}

/* A server that takes connections and says nothing. */
static int silent_server(char *url, size_t room)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t n = sizeof at;
    const int s = socket(AF_INET, SOCK_STREAM, 0);

    if (s < 0 || bind(s, (struct sockaddr *)&at, n) != 0 || listen(s, 8) != 0 ||
        getsockname(s, (struct sockaddr *)&at, &n) != 0)
        return -1;
    (void)snprintf(url, room, "http://127.0.0.1:%d/a.xmd", ntohs(at.sin_port));
    return s;
}

static void begin_and_exit(useconds_t later)
{
    static struct drxi_address address;
    static uint8_t buf[100];
    char url[64];

    (void)alarm(SECONDS);
    if (atexit(wait_at_exit) != 0 || silent_server(url, sizeof url) < 0 || drxi_curl_load() != DRX_OK ||
        drxi_address_make(url, &address) != DRX_OK)
        _exit(NOT_BEGUN);
    ask.address = &address;
    ask.bytes = sizeof buf;
    ask.buf = buf;
    if (drxi_engine_begin(&ask) != DRX_OK)
        _exit(NOT_BEGUN);
    (void)usleep(later);
    exit(0);
}

TEST(who_waits_at_exit_is_told)
{
    static const useconds_t later[] = { 0, 200000 }; /* still in the queue, perhaps; under way */

    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        int status;
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0)
            begin_and_exit(later[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}
