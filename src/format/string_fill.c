/* The fill of fixed strings. */
#include "format/format.h"

enum { CODE_POINT_BYTES = 4 };

static bool unicode_fits(const uint8_t *fill, size_t n)
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
        used += (size_t)bytes;
        if (bytes == 0 || used > DRX_MAX_STRING_FILL_BYTES)
            return false;
    }
    return true;
}

bool drxi_string_fill_fits(drx_type type, const uint8_t *fill)
{
    size_t n = drx_type_size(type);

    if (DRX_IS_UNICODE(type))
        return unicode_fits(fill, n / CODE_POINT_BYTES);
    while (n > 0 && fill[n - 1] == 0)
        n--;
    return n <= DRX_MAX_STRING_FILL_BYTES;
}
