#include "model.h"

int64_t raw_stride(const struct raw_layout *l, const struct plain *p)
{
    int64_t bytes = plain_product(p->ndim, l->chunk) * (int64_t)p->elem_bytes;

    return (bytes + l->align - 1) / l->align * l->align;
}

bool raw_read(const char *path, struct raw_bytes *r)
{
    FILE *f = fopen(path, "rb");
    bool good = false;

    r->data = NULL;
    r->n = 0;
    if (!f)
        return false;
    if (fseek(f, 0, SEEK_END) == 0 && (r->n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0) {
        r->data = plain_alloc((size_t)r->n);
        good = fread(r->data, 1, (size_t)r->n, f) == (size_t)r->n;
    }
    fclose(f);
    if (!good)
        free(r->data);
    return good;
}

/* An element as it is stored: little-endian. */
static void stored_form(const unsigned char *element, size_t elem_bytes, size_t word_bytes, unsigned char *stored)
{
    const uint16_t one = 1;
    unsigned char low;

    memcpy(&low, &one, 1);
    for (size_t i = 0; i < elem_bytes; i++)
        stored[i] = element[low ? i : i / word_bytes * word_bytes + (word_bytes - 1 - i % word_bytes)];
}

static bool bytes_are(const struct raw_bytes *r, int64_t at, const unsigned char *want, size_t n)
{
    if (at + (int64_t)n <= r->n)
        return memcmp(r->data + at, want, n) == 0;
    for (size_t i = 0; i < n; i++)
        if ((at + (int64_t)i < r->n ? r->data[at + (int64_t)i] : 0) != want[i])
            return false;
    return true;
}

/* The element of the array in that cell of that chunk; false: a ghost cell. */
static bool element_of(const struct raw_layout *l, const struct plain *p, const int64_t *chunk_index,
                       const int64_t *cell, const unsigned char **element)
{
    int64_t index[DRX_MAX_NDIM];
    bool inside = true;

    for (int j = 0; j < p->ndim; j++) {
        index[j] = chunk_index[j] * l->chunk[j] + cell[j];
        inside = inside && index[j] >= p->lower[j] && index[j] < p->lower[j] + p->shape[j];
    }
    *element = inside ? plain_at(p, index) : l->fill;
    return inside;
}

static size_t say_index(char *why, size_t room, const char *what, int n, const int64_t *index)
{
    size_t used = (size_t)snprintf(why, room, "%s", what);

    for (int j = 0; j < n && used < room; j++)
        used += (size_t)snprintf(why + used, room - used, "%s%" PRId64, j ? "," : " ", index[j]);
    return used < room ? used : room;
}

/* Where in its chunk a cell is stored, in bytes. */
static int64_t cell_offset(const struct plain *p, const int64_t *stride, const int64_t *cell)
{
    int64_t at = 0;

    for (int j = 0; j < p->ndim; j++)
        at += cell[j] * stride[j];
    return at * (int64_t)p->elem_bytes;
}

static bool chunk_agrees(const struct raw_layout *l, const struct plain *p, const int64_t *chunk_index, int64_t start,
                         const struct raw_bytes *r, char *why, size_t room)
{
    int64_t stride[DRX_MAX_NDIM];
    int64_t cell[DRX_MAX_NDIM] = { 0 };
    unsigned char want[DRX_MAX_STRING_BYTES];
    const unsigned char *element;

    plain_strides(p->ndim, l->chunk, l->order, stride);
    do {
        bool inside = element_of(l, p, chunk_index, cell, &element);
        int64_t at = start + cell_offset(p, stride, cell);

        if (!inside && l->any_ghosts)
            continue;
        stored_form(element, p->elem_bytes, l->word_bytes, want);
        if (!bytes_are(r, at, want, p->elem_bytes)) {
            size_t used = say_index(why, room, "chunk", p->ndim, chunk_index);

            used += say_index(why + used, room - used, inside ? " element" : " ghost cell", p->ndim, cell);
            snprintf(why + used, room - used, ": wrong bytes at offset %" PRId64, at);
            return false;
        }
    } while (next_index(p->ndim, l->chunk, cell));
    return true;
}

bool raw_agrees(const struct raw_layout *l, const struct plain *p, const struct book *b, const struct raw_bytes *r,
                char *why, size_t room)
{
    static const unsigned char zero[1] = { 0 };
    int64_t chunk_bytes = plain_product(p->ndim, l->chunk) * (int64_t)p->elem_bytes;
    int64_t stride = raw_stride(l, p);

    for (int64_t q = 0; q < b->count; q++) {
        if (!book_lives(b, q))
            continue;
        if (!chunk_agrees(l, p, book_index(b, q), q * stride, r, why, room))
            return false;
        for (int64_t at = q * stride + chunk_bytes; at < (q + 1) * stride; at++)
            if (!bytes_are(r, at, zero, 1)) {
                snprintf(why, room, "padding of chunk %" PRId64 ": wrong byte at offset %" PRId64, q, at);
                return false;
            }
    }
    if (r->n > b->count * stride) {
        snprintf(why, room, "%" PRId64 " bytes, more than %" PRId64 " chunks of %" PRId64, r->n, b->count, stride);
        return false;
    }
    return true;
}

static void scribble_chunk(const struct raw_layout *l, const struct plain *p, const int64_t *chunk_index,
                           unsigned char *bytes, struct rng *rng)
{
    int64_t stride[DRX_MAX_NDIM];
    int64_t cell[DRX_MAX_NDIM] = { 0 };
    const unsigned char *element;

    plain_strides(p->ndim, l->chunk, l->order, stride);
    do
        if (!element_of(l, p, chunk_index, cell, &element) && rng_chance(rng, 33))
            rng_fill(rng, bytes + cell_offset(p, stride, cell), p->elem_bytes);
    while (next_index(p->ndim, l->chunk, cell));
}

void raw_scribble(const struct raw_layout *l, const struct plain *p, const struct book *b, struct raw_bytes *r,
                  struct rng *rng)
{
    for (int64_t q = 0; q < b->count; q++)
        if (book_lives(b, q))
            scribble_chunk(l, p, book_index(b, q), r->data + q * raw_stride(l, p), rng);
}

static uint32_t crc32c(const unsigned char *p, int64_t n)
{
    static uint32_t table[256];
    uint32_t crc = 0xffffffff;

    for (uint32_t i = 0; i < 256 && !table[255]; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78u : 0);
    }
    for (int64_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ p[i]) & 0xff];
    return ~crc;
}

static uint32_t get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_zero(const unsigned char *p, int64_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

bool sums_agree(const struct raw_bytes *sums, const struct raw_bytes *data, const struct book *b, int64_t chunk_bytes,
                int64_t pitch, bool zero_fill, bool cut_short, char *why, size_t room)
{
    const int64_t chunks = data->n / pitch;

    if (sums->n != 8 * chunks) {
        snprintf(why, room, "%" PRId64 " bytes of checksums for %" PRId64 " chunks", sums->n, chunks);
        return false;
    }
    for (int64_t q = 0; q < chunks; q++) {
        const uint32_t state = get32(sums->data + 8 * q), crc = get32(sums->data + 8 * q + 4);
        const unsigned char *chunk = data->data + q * pitch;
        const bool never = state == 0 && crc == 0 && (!zero_fill || is_zero(chunk, chunk_bytes));

        if (!book_lives(b, q) || never || (cut_short && (state & 0xff) == 2) ||
            ((state == 1 || ((state & 0xff) == 3 && state > 3)) && crc == crc32c(chunk, chunk_bytes)))
            continue;
        snprintf(why, room, "chunk %" PRId64 ": state %#x, checksum %08x, but its bytes have %08x", q, state, crc,
                 crc32c(chunk, chunk_bytes));
        return false;
    }
    return true;
}

void sums_forget_boot(struct raw_bytes *sums)
{
    for (int64_t at = 0; at + 8 <= sums->n; at += 8)
        if (sums->data[at] == 1 || sums->data[at] == 3)
            memcpy(sums->data + at, "\3abc", 4);
}
