/* The witness of growth: what it remembers before a growth it compares with the file after it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demo.h"
#include "drx_tools.h"

void open_proof(struct proof *p, const char *path, const drx_array *a)
{
    char *file;
    const int64_t *chunk = drx_chunk(a);

    if (asprintf(&file, "%s.xta", path) < 0)
        fail("out of memory");
    p->fd = open(file, O_RDONLY | O_CLOEXEC);
    if (p->fd < 0)
        fail("%s: cannot open: %s", file, strerror(errno));
    free(file);
    p->chunk_bytes = chunk[0] * chunk[1] * chunk[2] * (int64_t)drx_type_size(drx_dtype(a));
}

static void read_chunk(const struct proof *p, int64_t address, unsigned char *bytes)
{
    if (pread(p->fd, bytes, (size_t)p->chunk_bytes, address * p->chunk_bytes) != p->chunk_bytes)
        fail("the chunk at address %" PRId64 " cannot be read from the file", address);
}

/* Index of the i-th chunk, in row-major order, of an array with those bounds. */
static void chunk_at(int64_t i, const int64_t shape[3], const int64_t chunk[3], int64_t index[3])
{
    for (int j = 2; j >= 0; j--) {
        const int64_t bound = (shape[j] + chunk[j] - 1) / chunk[j];

        index[j] = i % bound;
        i /= bound;
    }
}

void before_growth(struct proof *p, const drx_array *a)
{
    int64_t index[3];

    memcpy(p->shape, drx_shape(a), sizeof p->shape);
    p->chunks = drx_chunk_count(a);
    p->address = allocate(p->chunks, sizeof *p->address);
    p->bytes = allocate(p->chunks, (size_t)p->chunk_bytes);
    for (int64_t i = 0; i < p->chunks; i++) {
        chunk_at(i, p->shape, drx_chunk(a), index);
        check(drx_chunk_address(a, index, &p->address[i]), "find a chunk");
        read_chunk(p, p->address[i], p->bytes + i * p->chunk_bytes);
    }
}

/* Compare the elements of a chunk that were inside of the bounds before the growth. */
static void compare_chunk(struct proof *p, const int64_t chunk[3], const int64_t index[3], const unsigned char *before,
                          const unsigned char *after)
{
    const int64_t size = p->chunk_bytes / (chunk[0] * chunk[1] * chunk[2]);
    int64_t inside[3], at;

    for (int j = 0; j < 3; j++) {
        inside[j] = p->shape[j] - index[j] * chunk[j];
        if (inside[j] > chunk[j])
            inside[j] = chunk[j];
    }
    for (int64_t t = 0; t < inside[0]; t++)
        for (int64_t y = 0; y < inside[1]; y++)
            for (int64_t x = 0; x < inside[2]; x++) {
                at = ((t * chunk[1] + y) * chunk[2] + x) * size;
                p->changed_elements += memcmp(before + at, after + at, (size_t)size) != 0;
            }
    p->compared_elements += inside[0] * inside[1] * inside[2];
}

void after_growth(struct proof *p, const drx_array *a)
{
    unsigned char *now = allocate(p->chunk_bytes, 1);
    int64_t index[3], address;

    p->growths++;
    p->growths_in_chunks += drx_chunk_count(a) == p->chunks;
    for (int64_t i = 0; i < p->chunks; i++) {
        chunk_at(i, p->shape, drx_chunk(a), index);
        check(drx_chunk_address(a, index, &address), "find a chunk");
        p->moved_chunks += address != p->address[i];
        read_chunk(p, address, now);
        compare_chunk(p, drx_chunk(a), index, p->bytes + i * p->chunk_bytes, now);
    }
    p->compared_chunks += p->chunks;
    free(now);
    free(p->address);
    free(p->bytes);
}

void close_proof(struct proof *p)
{
    (void)close(p->fd);
}

int64_t element_offset(const drx_array *a, const int64_t index[3])
{
    const int64_t *chunk = drx_chunk(a);
    int64_t chunk_index[3], address;
    int64_t at = 0;

    for (int j = 0; j < 3; j++) {
        chunk_index[j] = index[j] / chunk[j];
        at = at * chunk[j] + index[j] % chunk[j];
    }
    check(drx_chunk_address(a, chunk_index, &address), "find a chunk");
    return (address * chunk[0] * chunk[1] * chunk[2] + at) * (int64_t)drx_type_size(drx_dtype(a));
}

float element_at(const struct proof *p, int64_t offset)
{
    unsigned char b[4]; /* little-endian on every machine */
    uint32_t bits;
    float value;

    if (pread(p->fd, b, sizeof b, offset) != sizeof b)
        fail("byte %" PRId64 " cannot be read from the file", offset);
    bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    memcpy(&value, &bits, sizeof value);
    return value;
}
