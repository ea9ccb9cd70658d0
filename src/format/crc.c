#include "format/crc.h"

#include <isa-l/crc.h>

uint32_t drxi_crc32c(uint32_t seed, const void *p, size_t n)
{
    const size_t most = (size_t)1 << 30;               /* ISA-L takes an int */
    unsigned char *at = (unsigned char *)(uintptr_t)p; /* it only reads */
    uint32_t state = ~seed;

    while (n > 0) {
        const size_t part = n < most ? n : most;

        state = crc32_iscsi(at, (int)part, state);
        at += part;
        n -= part;
    }
    return ~state;
}

/* A register of the CRC is a polynomial over GF(2), x^i at bit 31 - i. A byte of zeros multiplies it by x^8 modulo P;
 * so what differs between two strings goes on by such factors, whatever follows it. */
static const uint32_t generator = 0x82f63b78, one = (uint32_t)1 << 31, one_byte = (uint32_t)1 << 23;

static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;

    for (int i = 31; i >= 0; i--) {
        product ^= b & -(a >> i & 1);
        b = b >> 1 ^ (generator & -(b & 1));
    }
    return product;
}

/* x^(8n) */
static uint32_t power_of(int64_t n)
{
    uint32_t factor = one, power = one_byte;

    for (; n > 0; n >>= 1) {
        if (n & 1)
            factor = multiply(factor, power);
        power = multiply(power, power);
    }
    return factor;
}

uint32_t drxi_crc32c_change(uint32_t change, int64_t behind)
{
    return multiply(change, power_of(behind));
}

/* The product of two numbers of 64 bits in this order has 127, which leaves its first bit unused: so x^i stands one bit
 * further on. */
void drxi_crc32c_factors(int64_t n, uint64_t past[2])
{
    past[0] = (uint64_t)power_of(n + 4) << 1;
    past[1] = (uint64_t)power_of(n - 4) << 1;
}

/* By doubling. */
uint32_t drxi_crc32c_repeated(uint32_t seed, const void *p, size_t n, int64_t times)
{
    uint32_t block = drxi_crc32c(0, p, n);
    int64_t bytes = (int64_t)n;

    for (; times > 0; times >>= 1) {
        if (times & 1)
            seed = drxi_crc32c_change(seed, bytes) ^ block;
        if (times > 1) {
            block ^= drxi_crc32c_change(block, bytes);
            bytes *= 2;
        }
    }
    return seed;
}

uint32_t drxi_crc32c_zeros(int64_t n)
{
    return ~drxi_crc32c_change(~(uint32_t)0, n);
}
