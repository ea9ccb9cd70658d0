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
        at = at * (b->upper[j] - b->lower[j]) + (index[j] - b->lower[j]);
    return at;
}

static bool is_inside(const struct book *b, const int64_t *index)
{
    for (int j = 0; j < b->ndim; j++)
        if (index[j] < b->lower[j] || index[j] >= b->upper[j])
            return false;
    return true;
}

/* Of two chunks with one index, the later is the one that is there. */
static void write_dictionary(struct book *b)
{
    int64_t chunks = 1;

    for (int j = 0; j < b->ndim; j++)
        chunks *= b->upper[j] - b->lower[j];
    free(b->address);
    b->address = plain_alloc((size_t)chunks * sizeof *b->address);
    for (int64_t q = 0; q < b->count; q++)
        if (is_inside(b, book_index(b, q)))
            b->address[row_major(b, book_index(b, q))] = q;
}

/* Number the chunks with index k of `axis`. */
static void add_slice(struct book *b, int axis, int64_t k)
{
    int64_t others[DRX_MAX_NDIM], index[DRX_MAX_NDIM], rest[DRX_MAX_NDIM] = { 0 };

    for (int j = 0; j < b->ndim; j++)
        others[j] = j == axis ? 1 : b->upper[j] - b->lower[j];
    if (plain_product(b->ndim, others) == 0)
        return;
    do {
        for (int j = 0; j < b->ndim; j++)
            index[j] = j == axis ? k : b->lower[j] + rest[j];
        add_chunk(b, index);
    } while (next_index(b->ndim, others, rest));
}

static void grow(struct book *b, int axis, int64_t lower, int64_t upper)
{
    while (b->upper[axis] < upper)
        add_slice(b, axis, b->upper[axis]++);
    while (b->lower[axis] > lower)
        add_slice(b, axis, --b->lower[axis]);
}

/* Grow from one chunk, one chunk index at a time, cyclically, the first axis first. Complete axes are left out. */
static void add_shells(struct book *b, const int64_t *upper)
{
    bool grew = true;

    for (int j = 0; j < b->ndim; j++)
        b->upper[j] = b->lower[j] + (j ? 1 : 0);
    grow(b, 0, b->lower[0], b->lower[0] + 1);
    while (grew) {
        grew = false;
        for (int j = 0; j < b->ndim; j++)
            if (b->upper[j] < upper[j]) {
                grow(b, j, b->lower[j], b->upper[j] + 1);
                grew = true;
            }
    }
}

void book_init(struct book *b, int ndim, const int64_t *lower, const int64_t *upper, bool shell)
{
    bool empty = false;

    memset(b, 0, sizeof *b);
    b->ndim = ndim;
    memcpy(b->lower, lower, (size_t)ndim * sizeof *lower);
    for (int j = 0; j < ndim; j++)
        empty = empty || lower[j] == upper[j];
    if (shell && !empty) {
        add_shells(b, upper);
    } else {
        memcpy(b->upper, upper, (size_t)ndim * sizeof *upper);
        b->upper[0] = lower[0];
        grow(b, 0, lower[0], upper[0]);
    }
    write_dictionary(b);
}

void book_copy(struct book *to, const struct book *from)
{
    *to = *from;
    to->room = from->count;
    to->index = plain_alloc((size_t)(from->count * from->ndim) * sizeof *to->index);
    if (from->count > 0)
        memcpy(to->index, from->index, (size_t)(from->count * from->ndim) * sizeof *to->index);
    to->address = NULL;
    write_dictionary(to);
}

void book_free(struct book *b)
{
    free(b->index);
    free(b->address);
    b->index = b->address = NULL;
}

void book_move(struct book *b, int axis, int64_t lower, int64_t upper)
{
    if (b->lower[axis] == b->upper[axis] &&
        lower < upper) /* none is left there: they begin where the first one comes */
        b->lower[axis] = b->upper[axis] = lower < b->lower[axis] ? upper : lower;
    grow(b, axis, lower, upper);
    b->lower[axis] = lower;
    b->upper[axis] = upper;
    write_dictionary(b);
}

void book_add_axis(struct book *b, int at)
{
    const size_t row = (size_t)b->ndim;
    int64_t *wider = plain_alloc((size_t)(b->room + 1) * (row + 1) * sizeof *wider);

    for (int64_t q = 0; q < b->count; q++)
        for (int j = 0; j < b->ndim; j++)
            wider[(size_t)q * (row + 1) + (size_t)(j < at ? j : j + 1)] = b->index[(size_t)q * row + (size_t)j];
    free(b->index);
    b->index = wider;
    memmove(b->lower + at + 1, b->lower + at, (row - (size_t)at) * sizeof *b->lower);
    memmove(b->upper + at + 1, b->upper + at, (row - (size_t)at) * sizeof *b->upper);
    b->lower[at] = 0;
    b->upper[at] = 1;
    b->ndim++;
    write_dictionary(b);
}

bool book_lives(const struct book *b, int64_t address)
{
    const int64_t *index = book_index(b, address);

    return is_inside(b, index) && book_address(b, index) == address;
}

int64_t book_address(const struct book *b, const int64_t *index)
{
    return b->address[row_major(b, index)];
}

const int64_t *book_index(const struct book *b, int64_t address)
{
    return b->index + (size_t)address * (size_t)b->ndim;
}
