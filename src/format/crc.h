/* CRC32C, by ISA-L, and calculations that use its linearity. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The CRC32C of the `n` bytes at `p`, continued from bytes whose CRC32C is `seed`; 0 to begin. */
uint32_t drxi_crc32c(uint32_t seed, const void *p, size_t n);

/* Bytes are exchanged in the middle of a string: by how much (XOR) its CRC32C changes, when that of those bytes alone
 * changes by `change`, and `behind` bytes follow them. */
uint32_t drxi_crc32c_change(uint32_t change, int64_t behind);

/* The CRC32C of the `n` bytes at `p`, repeated `times` times, continued from bytes whose CRC32C is `seed`. */
uint32_t drxi_crc32c_repeated(uint32_t seed, const void *p, size_t n, int64_t times);

/* The CRC32C of `n` zero bytes. */
uint32_t drxi_crc32c_zeros(int64_t n);

/* Factors with which bytes are folded past n others, as PCLMULQDQ takes them: x^(8n + 32) and x^(8n - 32) modulo P. n
 * >= 4. */
void drxi_crc32c_factors(int64_t n, uint64_t past[2]);
