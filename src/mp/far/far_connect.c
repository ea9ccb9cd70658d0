/* Connections. Client and server prove to each other that they know the secret of the server, and do not tell it. Each
 * sends a number that it uses once. The proof is a hash of both numbers with the secret as the key (HMAC-SHA256), and
 * with the name of the side, so that nobody can send a proof back to where it comes from. The server proves first. */
#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include "mp/far/far.h"

enum { NUMBER_BYTES = 16 };

struct numbers {
    uint8_t client[NUMBER_BYTES], server[NUMBER_BYTES];
};

struct proof {
    uint8_t bytes[SHA256_DIGEST_SIZE];
};

static bool draw(uint8_t number[NUMBER_BYTES])
{
    return getrandom(number, NUMBER_BYTES, 0) == NUMBER_BYTES;
}

static struct proof prove(const uint8_t secret[DRXI_FAR_SECRET_BYTES], const char *side, const struct numbers *numbers)
{
    struct hmac_sha256_ctx hash;
    struct proof proof;

    hmac_sha256_set_key(&hash, DRXI_FAR_SECRET_BYTES, secret);
    hmac_sha256_update(&hash, strlen(side), (const uint8_t *)side);
    hmac_sha256_update(&hash, sizeof numbers->client, numbers->client);
    hmac_sha256_update(&hash, sizeof numbers->server, numbers->server);
    hmac_sha256_digest(&hash, sizeof proof.bytes, proof.bytes);
    return proof;
}

static bool send_proof(int socket, const uint8_t secret[], const char *side, const struct numbers *numbers)
{
    const struct proof proof = prove(secret, side, numbers);

    return drxi_far_send(socket, &proof, sizeof proof);
}

static bool receive_proof(int socket, const uint8_t secret[], const char *side, const struct numbers *numbers)
{
    const struct proof expected = prove(secret, side, numbers);
    struct proof proof;

    if (!drxi_far_receive(socket, &proof, sizeof proof))
        return false;
    errno = EACCES; /* the reason, should it be a stranger */
    return memeql_sec(&proof, &expected, sizeof proof);
}

static bool greet_server(int socket, const uint8_t secret[DRXI_FAR_SECRET_BYTES])
{
    struct numbers numbers;

    return draw(numbers.client) && drxi_far_send(socket, numbers.client, sizeof numbers.client) &&
           drxi_far_receive(socket, numbers.server, sizeof numbers.server) &&
           receive_proof(socket, secret, "server", &numbers) && send_proof(socket, secret, "client", &numbers);
}

bool drxi_far_greet_client(int socket, const uint8_t secret[DRXI_FAR_SECRET_BYTES])
{
    struct numbers numbers;

    return drxi_far_receive(socket, numbers.client, sizeof numbers.client) && draw(numbers.server) &&
           drxi_far_send(socket, numbers.server, sizeof numbers.server) &&
           send_proof(socket, secret, "server", &numbers) && receive_proof(socket, secret, "client", &numbers);
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
        ready = poll(&wait, 1, 1000 * DRXI_FAR_WELCOME_SECONDS);
    } while (ready < 0 && errno == EINTR);
    if (ready < 0 || (ready > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) != 0))
        return false;
    errno = ready == 0 ? ETIMEDOUT : error;
    return errno == 0;
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
        if (connect_to(fd, (const struct sockaddr *)&server->at[i], server->length[i]) &&
            greet_server(fd, server->secret)) {
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
