/* model_rng.h - a small seeded generator (splitmix64); the same everywhere. */
#ifndef DRX_MODEL_RNG_H
#define DRX_MODEL_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

struct rng rng_seeded(uint64_t seed, uint64_t stream);
uint64_t rng_next(struct rng *r);
int64_t rng_between(struct rng *r, int64_t lo, int64_t hi); /* lo <= result <= hi */
bool rng_chance(struct rng *r, int percent);
void rng_fill(struct rng *r, void *bytes, size_t n);
void rng_permutation(struct rng *r, int n, int *order);

#endif
