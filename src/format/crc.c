#include "format/crc.h"

#include <isa-l/crc.h>

uint32_t drxi_crc32c(uint32_t seed, const void *p, size_t n)
{
    const size_t most = (size_t)1 << 30; /* ISA-L takes an int */
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
