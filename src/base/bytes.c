/* Bytes compared and filled. */
#include "base/base.h"

bool drxi_is_zero(const void *bytes, size_t n)
{
    const uint8_t *p = bytes;

    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

bool drxi_is_filled(const void *buf, int64_t n, const void *element, size_t item_bytes)
{
    const uint8_t *p = buf;

    return n == 0 ||
           (memcmp(p, element, item_bytes) == 0 && memcmp(p, p + item_bytes, (size_t)(n - 1) * item_bytes) == 0);
}

void drxi_fill(void *buf, int64_t n, const void *element, size_t item_bytes)
{
    const size_t total = (size_t)n * item_bytes;
    uint8_t *p = buf;
    size_t done = item_bytes;

    if (n == 0)
        return;
    memcpy(p, element, item_bytes);
    while (done < total) { /* double what is filled already */
        const size_t more = done < total - done ? done : total - done;

        memcpy(p + done, p, more);
        done += more;
    }
}
