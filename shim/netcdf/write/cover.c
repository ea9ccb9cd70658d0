/* Whether all processes together write whole indices of the first axis, so that these need no fill before.
 *
 * Each axis has a number x_k. The cell of indices i_k gets the term x_0^i_0 * x_1^i_1 * ... The terms of a box add up
 * to a product of geometric sums, which costs little to compute. If the boxes of all processes contain each cell of the
 * whole once, their sums add up to that of the whole. If they do not, the sums differ: two different polynomials agree
 * at few points (Schwartz 1980), so the chance of an error is the sum of the extents, divided by 2^61. One reduction of
 * three numbers is enough, however many processes there are. One process that writes the whole is enough, too. */
#include "moves.h"
#include "write.h"

#ifdef BRIDGE_MPI
#include "drxmp_dataset.h"

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

/* The product modulo 2^61 - 1, from parts of 31 bits. */
static uint64_t times(uint64_t a, uint64_t b)
{
    const uint64_t low = (UINT64_C(1) << 31) - 1, a1 = a >> 31, b1 = b >> 31;
    const uint64_t middle = a1 * (b & low) + (a & low) * b1;

    return (2 * a1 * b1 + (middle >> 30) + ((middle & (low >> 1)) << 31) + (a & low) * (b & low)) % prime;
}

static uint64_t power(uint64_t a, uint64_t n)
{
    uint64_t product = 1;

    for (; n > 0; n >>= 1, a = times(a, a))
        if (n & 1)
            product = times(product, a);
    return product;
}

/* x^first + ... + x^(first + n - 1), times x - 1, which all boxes have in common; x is the number of the axis. */
static uint64_t terms(int axis, int64_t first, int64_t n)
{
    const uint64_t x = power(UINT64_C(0x1b873593c2b2ae35), 2 * (uint64_t)axis + 3);

    return times(power(x, (uint64_t)first), (power(x, (uint64_t)n) + prime - 1) % prime);
}

bool bridge_cover(const struct bridge_move *m, bool writes)
{
    const struct bridge_variable *v = m->v;
    uint64_t own = writes, whole = 1, sum[3];
    bool alone = writes;

    for (int k = 0; k < v->ndim; k++) {
        const int64_t lower = drx_lower(v->array)[k], first = k == 0 ? m->first : 0;
        const int64_t n = k == 0 ? m->end - m->first : drx_shape(v->array)[k];

        if (writes) {
            own = m->step[k] == 1 ? times(own, terms(k, m->lo[k] - lower, m->count[k])) : 0;
            alone = alone && m->step[k] == 1 && m->lo[k] - lower == first && m->count[k] == n;
        }
        whole = times(whole, terms(k, first, n));
    }
    sum[0] = own & UINT32_MAX;
    sum[1] = own >> 32;
    sum[2] = alone;
    if (MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_UINT64_T, MPI_SUM, drxmp_comm(v->together)) != MPI_SUCCESS)
        return false;
    return sum[2] > 0 || (times(sum[1] % prime, UINT64_C(1) << 32) + sum[0] % prime) % prime == whole;
}
#endif
