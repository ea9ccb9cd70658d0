/* The index of state.h.
 *
 * Invariants
 *   1. A number is at the first place from the hash of its key on that no number of another key has.
 *   2. At least half of the places are free.
 *   3. The hash has a random secret (Carter and Wegman's polynomials modulo a prime). */
#include <sys/random.h>

#include "log/state.h"

enum { FEW = 16 };

static const uint64_t prime = (UINT64_C(1) << 31) - 1; /* so that a product has no more than 64 bits */

/* Random numbers choose the hash, so that nobody can choose keys that collide. */
static uint64_t secret_of(const void *any)
{
    uint64_t secret;

    if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) != sizeof secret)
        secret = (uint64_t)(uintptr_t)any; /* too early after the machine started */
    return secret % (prime - 1) + 1;
}

void drxi_index_free(struct drxi_index *x)
{
    drxi_free(x->place);
    memset(x, 0, sizeof *x);
}

static int64_t home(const struct drxi_index *x, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t hash = n % prime;

    for (size_t i = 0; i < n; i++)
        hash = (hash + p[i] + 1) * x->secret % prime;
    return (int64_t)(hash & (uint64_t)(x->places - 1));
}

static int64_t next(const struct drxi_index *x, int64_t at)
{
    return (at + 1) & (x->places - 1);
}

/* The place of the key, or the free place where it belongs. */
static int64_t find_place(const struct drxi_index *x, struct drxi_keys keys, const void *bytes, size_t n)
{
    int64_t at = home(x, bytes, n);

    for (; x->place[at] != 0; at = next(x, at)) {
        const struct drxi_key key = keys.of(keys.owner, x->place[at] - 1);

        if (key.n == n && memcmp(key.bytes, bytes, n) == 0)
            break;
    }
    return at;
}

int64_t drxi_index_find(const struct drxi_index *x, struct drxi_keys keys, const void *bytes, size_t n)
{
    return x->n == 0 ? -1 : x->place[find_place(x, keys, bytes, n)] - 1;
}

drx_status drxi_index_reserve(struct drxi_index *x, struct drxi_keys keys)
{
    struct drxi_index wider = { .places = drxi_max(FEW, 2 * x->places), .secret = x->secret };

    if (2 * (x->n + 1) <= x->places)
        return DRX_OK;
    wider.place = drxi_calloc((size_t)wider.places, sizeof *wider.place);
    if (!wider.place)
        return DRX_ENOMEM;
    if (x->places == 0)
        wider.secret = secret_of(x);
    for (int64_t i = 0; i < x->places; i++)
        if (x->place[i] != 0)
            drxi_index_set(&wider, keys, x->place[i] - 1);
    drxi_free(x->place);
    *x = wider;
    return DRX_OK;
}

void drxi_index_set(struct drxi_index *x, struct drxi_keys keys, int64_t number)
{
    const struct drxi_key key = keys.of(keys.owner, number);
    const int64_t at = find_place(x, keys, key.bytes, key.n);

    x->n += x->place[at] == 0;
    x->place[at] = number + 1;
}

/* Numbers after the freed place move up to it, unless that is before their home. */
void drxi_index_remove(struct drxi_index *x, struct drxi_keys keys, int64_t number)
{
    const struct drxi_key key = keys.of(keys.owner, number);
    const int64_t last = x->places - 1;
    int64_t hole = find_place(x, keys, key.bytes, key.n);

    if (x->place[hole] == 0)
        return;
    for (int64_t at = next(x, hole); x->place[at] != 0; at = next(x, at)) {
        const struct drxi_key other = keys.of(keys.owner, x->place[at] - 1);

        if (((at - home(x, other.bytes, other.n)) & last) >= ((at - hole) & last)) {
            x->place[hole] = x->place[at];
            hole = at;
        }
    }
    x->place[hole] = 0;
    x->n--;
}
