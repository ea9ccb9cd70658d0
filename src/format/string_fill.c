/* The fill of fixed strings as the description has it: without the NULs at its end, and Unicode in UTF-8. */
#include "format/format.h"

enum { CODE_POINT_BYTES = 4, MOST_BYTES = DRXI_STRING_FILL_BYTES };

static bool encode_unicode(const uint8_t *fill, size_t n, uint8_t out[])
{
    size_t used = 0;
    uint32_t code;

    while (n > 0 && drxi_is_zero(fill + (n - 1) * CODE_POINT_BYTES, CODE_POINT_BYTES))
        n--;
    for (size_t i = 0; i < n; i++) {
        uint8_t one[4];
        int bytes;

        memcpy(&code, fill + i * CODE_POINT_BYTES, sizeof code);
        bytes = code == 0 ? 0 : drxi_put_utf8(code, one);
        if (bytes == 0 || used + (size_t)bytes > MOST_BYTES)
            return false;
        memcpy(out + used, one, (size_t)bytes);
        used += (size_t)bytes;
    }
    return true;
}

bool drxi_string_fill_encode(drx_type type, const uint8_t *fill, uint8_t out[])
{
    size_t n = drx_type_size(type);

    memset(out, 0, MOST_BYTES);
    if (DRX_IS_UNICODE(type))
        return encode_unicode(fill, n / CODE_POINT_BYTES, out);
    while (n > 0 && fill[n - 1] == 0)
        n--;
    if (n <= MOST_BYTES)
        memcpy(out, fill, n);
    return n <= MOST_BYTES;
}

static bool decode_unicode(const uint8_t *in, size_t n, uint8_t *fill, size_t most)
{
    size_t count = 0;

    if (!drxi_is_utf8((const char *)in, n))
        return false;
    for (size_t at = 0; at < n; count++) {
        const int bytes = in[at] < 0x80 ? 1 : in[at] < 0xe0 ? 2 : in[at] < 0xf0 ? 3 : 4;
        uint32_t code = bytes == 1 ? in[at] : in[at] & (0x7fu >> bytes);

        for (int i = 1; i < bytes; i++)
            code = code << 6 | (in[at + (size_t)i] & 0x3fu);
        if (count == most)
            return false;
        memcpy(fill + count * CODE_POINT_BYTES, &code, sizeof code);
        at += (size_t)bytes;
    }
    return true;
}

bool drxi_string_fill_decode(drx_type type, const uint8_t in[], uint8_t *fill)
{
    const size_t room = drx_type_size(type);
    size_t n = MOST_BYTES;

    memset(fill, 0, room);
    while (n > 0 && in[n - 1] == 0)
        n--;
    if (DRX_IS_UNICODE(type))
        return decode_unicode(in, n, fill, room / CODE_POINT_BYTES);
    if (n <= room)
        memcpy(fill, in, n);
    return n <= room;
}
