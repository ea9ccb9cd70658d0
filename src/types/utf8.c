#include "types/types.h"

/* Bytes of the character that begins with `first`, 0 for none. */
static int character_bytes(uint8_t first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2) /* a continuation, or an overlong form */
        return 0;
    if (first < 0xe0)
        return 2;
    if (first < 0xf0)
        return 3;
    return first < 0xf5 ? 4 : 0;
}

bool drxi_is_utf8(const char *text, size_t n)
{
    const uint8_t *p = (const uint8_t *)text;

    for (size_t at = 0; at < n;) {
        const int bytes = character_bytes(p[at]);
        uint32_t code;

        if (bytes == 0 || (size_t)bytes > n - at || p[at] == 0)
            return false;
        code = bytes == 1 ? p[at] : p[at] & (0x7fu >> bytes);
        for (int i = 1; i < bytes; i++) {
            if ((p[at + (size_t)i] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (p[at + (size_t)i] & 0x3f);
        }
        if ((bytes == 3 && code < 0x800) || (bytes == 4 && (code < 0x10000 || code > 0x10ffff)))
            return false;
        if (code >= 0xd800 && code < 0xe000) /* surrogates */
            return false;
        at += (size_t)bytes;
    }
    return true;
}

bool drxi_is_name(struct drxi_text t, size_t most)
{
    return t.n >= 1 && t.n <= most && drxi_is_utf8(t.p, t.n);
}

bool drxi_is_path_name(struct drxi_text t, size_t most)
{
    return drxi_is_name(t, most) && t.p[0] != '.' && !memchr(t.p, '/', t.n);
}
