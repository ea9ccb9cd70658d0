/* CRC32C, by ISA-L. */
#ifndef DRXI_CRC_H
#define DRXI_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC32C of the `n` bytes at `p` following on bytes whose CRC32C is `seed`;
 * 0 to begin. */
uint32_t drxi_crc32c(uint32_t seed, const void *p, size_t n);

#endif
