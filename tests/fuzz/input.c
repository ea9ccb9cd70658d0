/* Inputs are taken apart from their beginning. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

uint64_t fuzz_number(struct fuzz_input *in, int bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < bytes && in->left > 0; i++, in->at++, in->left--)
        number |= (uint64_t)*in->at << 8 * i;
    return number;
}

uint8_t *fuzz_bytes(struct fuzz_input *in, size_t *n)
{
    uint8_t *bytes;

    *n = *n < in->left ? *n : in->left;
    bytes = malloc(*n ? *n : 1); /* exactly so many: reading on is found */
    fuzz_require(bytes);
    if (*n > 0)
        memcpy(bytes, in->at, *n);
    in->at += *n;
    in->left -= *n;
    return bytes;
}
