/* Chunks that are in the file of references itself.
 *
 * A frame of Blosc (section 10.4 of the format) that holds one element again and again, in a few dozen bytes: its
 * bytes are shuffled, so a run of each byte of the element follows the other, and a block of Zstandard stands for a run
 * of up to 128 KiB. Zarr reads it where nothing was stored, so no chunk is missing there. */
#include <stdlib.h>
#include <string.h>

#include "refs.h"

enum {
    HEAD_BYTES = 16,
    BLOCK_BYTES = 1 << 28,
    RUN_BYTES = 1 << 17,
    PLAIN_BYTES = 256,     /* a block up to this stands as it is; any other is longer than what compresses it */
    MOST_ITEM_BYTES = 255, /* that a frame can shuffle */
    VERSION = 2,
    ZSTD_VERSION = 1,
    SHUFFLED = 1,
    COPIED = 2,
    WHOLE_BLOCKS = 16,
    ZSTD = 4 << 5
};

struct bytes {
    uint8_t *at;
    size_t n, room;
    bool failed;
};

static void add_bytes(struct bytes *b, const void *bytes, size_t n)
{
    if (b->n + n > b->room) {
        const size_t room = 2 * (b->n + n);
        uint8_t *at = b->failed ? NULL : realloc(b->at, room);

        if (!at) {
            b->failed = true;
            return;
        }
        b->at = at;
        b->room = room;
    }
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

static void add_number(struct bytes *b, uint32_t number, size_t n)
{
    const uint8_t little[] = { (uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                               (uint8_t)(number >> 24) };

    add_bytes(b, little, n);
}

static void set_number(struct bytes *b, size_t at, uint32_t number)
{
    struct bytes there = { .at = b->at + at, .room = 4 };

    if (!b->failed)
        add_number(&there, number, 4);
}

/* A frame of Zstandard (RFC 8878) with a run of `each` bytes for every byte of the element. */
static void add_runs(struct bytes *b, const uint8_t *element, size_t item, uint32_t each)
{
    static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd }, one_segment_of_four_bytes = 0xa0;

    add_bytes(b, magic, sizeof magic);
    add_bytes(b, &one_segment_of_four_bytes, 1);
    add_number(b, each * (uint32_t)item, 4);
    for (size_t k = 0; k < item; k++)
        for (uint32_t left = each; left > 0;) {
            const uint32_t run = left < RUN_BYTES ? left : RUN_BYTES;
            const bool last = k + 1 == item && run == left;

            add_number(b, run << 3 | 1 << 1 | last, 3);
            add_bytes(b, &element[k], 1);
            left -= run;
        }
}

static void add_stream(struct bytes *b, const uint8_t *element, size_t item, uint32_t n)
{
    const size_t head = b->n;

    add_number(b, n, 4);
    if (n > PLAIN_BYTES) {
        add_runs(b, element, item, n / (uint32_t)item);
        set_number(b, head, (uint32_t)(b->n - head - 4));
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        add_bytes(b, &element[i / (n / item)], 1);
}

static void add_frame(struct bytes *b, const uint8_t *element, size_t item, uint32_t n)
{
    const uint32_t most = BLOCK_BYTES / (uint32_t)item * (uint32_t)item; /* whole elements */
    const uint32_t block = n < most ? n : most, blocks = (n - 1) / block + 1;
    const uint8_t head[] = { VERSION, ZSTD_VERSION, ZSTD | WHOLE_BLOCKS | (item > 1 ? SHUFFLED : 0), (uint8_t)item };

    add_bytes(b, head, sizeof head);
    add_number(b, n, 4);
    add_number(b, block, 4);
    add_number(b, 0, 4);
    for (uint32_t i = 0; i < blocks; i++)
        add_number(b, 0, 4);
    for (uint32_t i = 0; i < blocks; i++) {
        set_number(b, HEAD_BYTES + 4 * i, (uint32_t)b->n);
        add_stream(b, element, item, i + 1 < blocks ? block : n - i * block);
    }
    set_number(b, HEAD_BYTES - 4, (uint32_t)b->n);
}

static char *base64_of(const struct bytes *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = b->failed ? NULL : malloc((b->n + 2) / 3 * 4 + 1), *to = text;

    for (size_t i = 0; text && i < b->n; i += 3) {
        const size_t left = b->n - i;
        const uint32_t three =
            (uint32_t)b->at[i] << 16 | (left > 1 ? (uint32_t)b->at[i + 1] << 8 : 0) | (left > 2 ? b->at[i + 2] : 0);

        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[three & 63] : '=';
    }
    if (to)
        *to = '\0';
    return text;
}

/* The bytes of an element as files have them. */
static void store(drx_type type, const void *element, uint8_t out[VALUE_MAX_BYTES])
{
    const size_t item = drx_type_size(type);
    const size_t part = DRX_IS_STRING(type) ? (DRX_IS_UNICODE(type) ? 4 : 1) : type_is_complex(type) ? item / 2 : item;
    const bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

    for (size_t i = 0; i < item; i++)
        out[i] = ((const uint8_t *)element)[little ? i : i / part * part + (part - 1 - i % part)];
}

/* The bytes that a frame repeats: those of the element, or one, if all are alike. */
static size_t repeated_bytes(drx_type type, const void *element)
{
    const size_t item = drx_type_size(type);

    return item > MOST_ITEM_BYTES && memcmp(element, (const uint8_t *)element + 1, item - 1) == 0 ? 1 : item;
}

bool has_constant_frame(drx_type type, const void *element)
{
    return repeated_bytes(type, element) <= MOST_ITEM_BYTES;
}

char *constant_frame(drx_type type, const void *element, int64_t n)
{
    uint8_t stored[VALUE_MAX_BYTES];
    struct bytes b = { 0 };
    char *text;

    store(type, element, stored);
    add_frame(&b, stored, repeated_bytes(type, element), (uint32_t)n);
    text = base64_of(&b);
    free(b.at);
    return text;
}

char *stored_elements(drx_type type, const void *elements, int64_t n, bool frame)
{
    const size_t item = drx_type_size(type);
    const uint32_t bytes = (uint32_t)n * (uint32_t)item;
    const uint8_t head[] = { VERSION, 1, COPIED, item > MOST_ITEM_BYTES ? 1 : (uint8_t)item };
    uint8_t stored[VALUE_MAX_BYTES];
    struct bytes b = { 0 };
    char *text;

    if (frame) {
        add_bytes(&b, head, sizeof head);
        add_number(&b, bytes, 4);
        add_number(&b, bytes, 4);
        add_number(&b, bytes + HEAD_BYTES, 4);
    }
    for (int64_t i = 0; i < n; i++) {
        store(type, (const char *)elements + (size_t)i * item, stored);
        add_bytes(&b, stored, item);
    }
    text = base64_of(&b);
    free(b.at);
    return text;
}
