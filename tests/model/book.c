#include "model.h"

static void add_chunk(struct book *b, const int64_t *index)
{
    size_t row = (size_t)b->ndim;

    if (b->count == b->room) {
        b->room = 2 * b->room + 16;
        b->index = realloc(b->index, (size_t)b->room * row * sizeof *index);
        assert_non_null(b->index);
    }
    memcpy(b->index + (size_t)b->count * row, index, row * sizeof *index);
    b->count++;
}

static int64_t row_major(const struct book *b, const int64_t *index)
{
    int64_t at = 0;

    for (int j = 0; j < b->ndim; j++)
        at = at * b->bounds[j] + index[j];
    return at;
}

static void write_dictionary(struct book *b)
{
    free(b->address);
    b->address = plain_alloc((size_t)b->count * sizeof *b->address);
    for (int64_t q = 0; q < b->count; q++)
        b->address[row_major(b, book_index(b, q))] = q;
}

/* Number the slab [from, from + by) of `axis`, that axis slowest. */
static void add_slab(struct book *b, int axis, int64_t by)
{
    const int64_t from = b->bounds[axis];
    int64_t others[DRX_MAX_NDIM], index[DRX_MAX_NDIM];

    memcpy(others, b->bounds, sizeof others);
    b->bounds[axis] += by;
    others[axis] = 1;
    if (plain_product(b->ndim, others) == 0)
        return;
    for (int64_t k = from; k < from + by; k++) {
        int64_t rest[DRX_MAX_NDIM] = { 0 };

        do {
            memcpy(index, rest, sizeof index);
            index[axis] = k;
            add_chunk(b, index);
        } while (next_index(b->ndim, others, rest));
    }
}

/* Grow from one chunk, one chunk index at a time, cyclically, the first axis first. Complete axes are left out. */
static void add_shells(struct book *b, const int64_t *bounds)
{
    bool grew = true;

    for (int j = 0; j < b->ndim; j++)
        b->bounds[j] = j ? 1 : 0;
    add_slab(b, 0, 1);
    while (grew) {
        grew = false;
        for (int j = 0; j < b->ndim; j++)
            if (b->bounds[j] < bounds[j]) {
                add_slab(b, j, 1);
                grew = true;
            }
    }
}

void book_init(struct book *b, int ndim, const int64_t *bounds, bool shell)
{
    memset(b, 0, sizeof *b);
    b->ndim = ndim;
    if (shell && plain_product(ndim, bounds) > 0) {
        add_shells(b, bounds);
    } else {
        memcpy(b->bounds, bounds, (size_t)ndim * sizeof *bounds);
        b->bounds[0] = 0;
        add_slab(b, 0, bounds[0]);
    }
    write_dictionary(b);
}

void book_free(struct book *b)
{
    free(b->index);
    free(b->address);
    b->index = b->address = NULL;
}

void book_grow(struct book *b, int axis, int64_t by)
{
    add_slab(b, axis, by);
    write_dictionary(b);
}

int64_t book_address(const struct book *b, const int64_t *index)
{
    return b->address[row_major(b, index)];
}

const int64_t *book_index(const struct book *b, int64_t address)
{
    return b->index + (size_t)address * (size_t)b->ndim;
}
