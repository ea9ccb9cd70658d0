#include "rawfile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int64_t index[PLAIN_MAX_NDIM];
    bool inside = true;

    for (int j = 0; j < p->ndim; j++) {
        index[j] = chunk_index[j] * l->chunk[j] + cell[j];
        inside = inside && index[j] < p->shape[j];
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
    int64_t stride[PLAIN_MAX_NDIM];
    int64_t cell[PLAIN_MAX_NDIM] = { 0 };
    unsigned char want[16];
    const unsigned char *element;

    plain_strides(p->ndim, l->chunk, l->col_major, stride);
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
    } while (plain_next(p->ndim, l->chunk, cell));
    return true;
}

bool raw_agrees(const struct raw_layout *l, const struct plain *p, const struct book *b, const struct raw_bytes *r,
                char *why, size_t room)
{
    static const unsigned char zero[1] = { 0 };
    int64_t chunk_bytes = plain_product(p->ndim, l->chunk) * (int64_t)p->elem_bytes;
    int64_t stride = raw_stride(l, p);

    for (int64_t q = 0; q < b->count; q++) {
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
    int64_t stride[PLAIN_MAX_NDIM];
    int64_t cell[PLAIN_MAX_NDIM] = { 0 };
    const unsigned char *element;

    plain_strides(p->ndim, l->chunk, l->col_major, stride);
    do
        if (!element_of(l, p, chunk_index, cell, &element) && rng_chance(rng, 33))
            rng_fill(rng, bytes + cell_offset(p, stride, cell), p->elem_bytes);
    while (plain_next(p->ndim, l->chunk, cell));
}

void raw_scribble(const struct raw_layout *l, const struct plain *p, const struct book *b, struct raw_bytes *r,
                  struct rng *rng)
{
    for (int64_t q = 0; q < b->count; q++)
        scribble_chunk(l, p, book_index(b, q), r->data + q * raw_stride(l, p), rng);
}
