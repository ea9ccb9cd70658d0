/* Code points as UTF-8. */
#include "base/base.h"

int drxi_put_utf8(uint32_t code, uint8_t out[4])
{
    const int bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 0;
    for (int i = bytes - 1; i > 0; i--, code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
    out[0] = (uint8_t)(first[bytes] | code);
    return bytes;
}
