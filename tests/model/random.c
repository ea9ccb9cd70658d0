#include "model.h"

struct rng rng_seeded(uint64_t seed, uint64_t stream)
{
    return (struct rng){ random_next(&seed) ^ random_next(&(uint64_t){ ~stream }) };
}

int64_t rng_between(struct rng *r, int64_t lo, int64_t hi)
{
    const uint64_t span = (uint64_t)hi - (uint64_t)lo + 1, next = random_next(&r->state);

    return (int64_t)(span ? (uint64_t)lo + next % span : next);
}

bool rng_chance(struct rng *r, int percent)
{
    return rng_between(r, 0, 99) < percent;
}

void rng_fill(struct rng *r, void *bytes, size_t n)
{
    uint64_t word = 0;

    for (size_t i = 0; i < n; i++, word >>= 8) {
        if (i % sizeof word == 0)
            word = random_next(&r->state);
        ((unsigned char *)bytes)[i] = (unsigned char)word; /* the same on every machine */
    }
}

void rng_permutation(struct rng *r, int n, int *order)
{
    for (int i = 0; i < n; i++) {
        int j = (int)rng_between(r, 0, i);

        if (j < i)
            order[i] = order[j];
        order[j] = i;
    }
}
