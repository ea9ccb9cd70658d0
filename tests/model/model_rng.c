#include "model_rng.h"

#include <string.h>

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

struct rng rng_seeded(uint64_t seed, uint64_t stream)
{
    return (struct rng){ mix(seed) ^ mix(stream + UINT64_C(0x6a09e667f3bcc909)) };
}

uint64_t rng_next(struct rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(r->state);
}

int64_t rng_between(struct rng *r, int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;

    return span ? (int64_t)((uint64_t)lo + rng_next(r) % span) : (int64_t)rng_next(r);
}

bool rng_chance(struct rng *r, int percent)
{
    return rng_between(r, 0, 99) < percent;
}

void rng_fill(struct rng *r, void *bytes, size_t n)
{
    unsigned char *p = bytes;

    while (n) {
        uint64_t word = rng_next(r);
        size_t part = n < sizeof word ? n : sizeof word;

        for (size_t i = 0; i < part; i++)
            p[i] = (unsigned char)(word >> (8 * i)); /* the same on every machine */
        p += part;
        n -= part;
    }
}

void rng_permutation(struct rng *r, int n, int *order)
{
    for (int i = 0; i < n; i++) {
        int j = (int)rng_between(r, 0, i);

        if (j != i)
            order[i] = order[j];
        order[j] = i;
    }
}
