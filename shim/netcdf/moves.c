/* A box in pieces, from memory or into it. */
#include "moves.h"

#include "write/write.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 1 << 20 };

int64_t bridge_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t bridge_product(const int64_t count[], int from, int to)
{
    size_t n = 1;

    for (int k = from; k < to; k++)
        n *= (size_t)count[k];
    return n;
}

static void set_strides(struct bridge_move *m, const ptrdiff_t *imap)
{
    int64_t contiguous = 1;

    m->contiguous = true;
    for (int k = m->v->ndim - 1; k >= 0; k--) {
        m->stride[k] = imap ? (int64_t)imap[k] : contiguous;
        m->contiguous = m->contiguous && m->stride[k] == contiguous;
        contiguous *= m->count[k];
    }
}

/* May elements of the one type become such of the other? */
static int check_types(nc_type of, nc_type wanted)
{
    if (of == wanted)
        return NC_NOERR;
    if (of == NC_CHAR || wanted == NC_CHAR)
        return NC_ECHAR;
    return of > NC_UINT64 || wanted > NC_UINT64 || !bridge_type_name(wanted) ? NC_EBADTYPE : NC_NOERR;
}

int bridge_begin_move(struct bridge_move *m, int ncid, int varid, nc_type type, int *types)
{
    int st;

    m->v = bridge_variable_of(ncid, varid, &m->f, &st);
    if (!m->v)
        return st;
    if (m->puts && !m->f->writable)
        return NC_EPERM;
    m->type = bridge_memory_type(m->f, m->v->type, type);
    *types = check_types(m->v->type, m->type);
    return *types == NC_ECHAR ? *types : m->f->writable ? bridge_end_definition(m->f) : NC_NOERR;
}

/* The length that an unlimited dimension needs. */
static int length_for(const struct bridge_move *m, int k, size_t start, size_t *length)
{
    int64_t last;

    if (m->count[k] < 0)
        return NC_EEDGE;
    if (start > INT64_MAX || __builtin_mul_overflow(m->count[k] - 1, m->step[k], &last) ||
        __builtin_add_overflow(last, (int64_t)start, &last) || last == INT64_MAX)
        return NC_EINVALCOORDS;
    *length = (size_t)last + 1;
    return NC_NOERR;
}

static int check_axis(size_t length, size_t start, size_t count, size_t step, bool empty)
{
    if (start > length || (start == length && count > 0))
        return NC_EINVALCOORDS;
    return !empty && count - 1 > (length - 1 - start) / step ? NC_EEDGE : NC_NOERR;
}

int bridge_prepare(struct bridge_move *m, const size_t *start, const size_t *count, const ptrdiff_t *step,
                   const ptrdiff_t *imap, size_t length[])
{
    const struct bridge_variable *v = m->v;
    bool empty = false;
    int st = NC_NOERR;

    m->axes = v->ndim - (v->parts > 0);
    for (int k = 0; step && k < v->ndim; k++) /* before all else, as netCDF-C does */
        if (step[k] <= 0)
            return NC_ESTRIDE;
    for (int k = 0; k < v->ndim; k++) {
        const size_t has = m->f->dims[v->dims[k]].length, first = start ? start[k] : 0, by = step ? (size_t)step[k] : 1;

        m->step[k] = (int64_t)by;
        m->count[k] = (int64_t)(count ? count[k] : first < has ? (has - first - 1) / by + 1 : 0);
        m->lo[k] = (k < m->axes ? drx_lower(v->array)[k] : 0) + (int64_t)first;
        empty = empty || m->count[k] == 0;
    }
    for (int k = 0; !st && k < v->ndim; k++) {
        const struct bridge_dim *d = &m->f->dims[v->dims[k]];
        const size_t first = start ? start[k] : 0, n = (size_t)m->count[k];

        if (!m->puts || !d->unlimited)
            st = check_axis(d->length, first, n, (size_t)m->step[k], m->puts ? empty : n == 0);
        else if (!empty)
            st = length_for(m, k, first, &length[k]);
    }
    if (!st)
        set_strides(m, imap);
    return st;
}

size_t bridge_stored_bytes(const struct bridge_file *f, const struct bridge_variable *v)
{
    if (v->kind == BRIDGE_STRINGS)
        return (size_t)drx_shape(v->array)[v->ndim];
    return v->parts || v->kind == BRIDGE_UNICODE ? drx_type_size(drx_dtype(v->array)) : bridge_type_bytes(f, v->type);
}

void bridge_set_box(struct bridge_box *b, const struct bridge_move *m, const int64_t lo[], const int64_t count[])
{
    const drx_array *a = m->v->array;

    for (int k = 0; k < drx_ndim(a); k++) {
        b->lo[k] = k < m->axes ? lo[k] : drx_lower(a)[k];
        b->count[k] = k < m->axes ? count[k] : drx_shape(a)[k];
        b->step[k] = k < m->axes ? m->step[k] : 1;
    }
    b->box = (drx_box){ .lo = b->lo, .count = b->count, .step = b->step };
}

/* Not doubles as floats: few are exact, and infinity, which is, is out of range to netCDF-C. */
bool bridge_is_box(const struct bridge_move *m)
{
    const nc_type from = m->puts ? m->type : m->v->type, to = m->puts ? m->v->type : m->type;

    return m->v->type != NC_STRING && !(from == NC_DOUBLE && to == NC_FLOAT) &&
           (!m->v->parts || (m->contiguous && m->count[m->axes] == m->v->parts && m->type == m->v->type));
}

/* Between a box of elements, one after the other, and memory where the strides say. */
static void arrange(const struct bridge_move *m, const int64_t count[], char *elements, char *memory)
{
    const size_t bytes = bridge_type_bytes(m->f, m->type), n = bridge_product(count, 0, m->v->ndim);
    int64_t at[DRX_MAX_NDIM + 1] = { 0 }, place = 0;

    for (size_t i = 0; i < n; i++) {
        char *there = memory + place * (int64_t)bytes, *here = elements + i * bytes;

        memcpy(m->puts ? here : there, m->puts ? there : here, bytes);
        for (int k = m->v->ndim - 1; k >= 0; k--) {
            place += m->stride[k];
            if (++at[k] < count[k])
                break;
            place -= count[k] * m->stride[k];
            at[k] = 0;
        }
    }
}

/* One piece after the other: `rows` indices of axis k, and all of the later axes. */
static int move_pieces(struct bridge_move *m, bridge_piece *piece, int k, int64_t rows, void *stored, char *made,
                       char *memory)
{
    const int64_t bytes = (int64_t)bridge_type_bytes(m->f, m->type);
    int64_t at[DRX_MAX_NDIM + 1] = { 0 }, lo[DRX_MAX_NDIM + 1], count[DRX_MAX_NDIM + 1];
    int st, j;

    do {
        int64_t place = 0;

        for (int i = 0; i < m->v->ndim; i++) {
            count[i] = i >= m->axes || i > k ? m->count[i] : i < k ? 1 : bridge_least(rows, m->count[i] - at[i]);
            lo[i] = m->lo[i] + at[i] * m->step[i];
            place += at[i] * m->stride[i] * bytes;
        }
        if (made && m->puts)
            arrange(m, count, made, memory + place);
        st = piece(m, lo, count, stored, made ? made : memory + place);
        if (!st && made && !m->puts)
            arrange(m, count, made, memory + place);
        for (j = m->axes ? k : -1; j >= 0; j--) {
            at[j] += j == k ? rows : 1;
            if (at[j] < m->count[j])
                break;
            at[j] = 0;
        }
    } while (!st && j >= 0);
    return st;
}

int bridge_by_pieces(struct bridge_move *m, bridge_piece *piece, void *memory)
{
    const size_t stored_bytes = bridge_stored_bytes(m->f, m->v), wide = stored_bytes > 0 ? stored_bytes : 1;
    const size_t most = m->whole ? SIZE_MAX / 2 : PIECE_BYTES / wide + 1;
    size_t inner, n, made_bytes;
    int k = 0, st = NC_ENOMEM;
    char *stored, *made = NULL;
    int64_t rows;

    while (k < m->axes - 1 && bridge_product(m->count, k + 1, m->axes) > most)
        k++;
    inner = bridge_product(m->count, k + 1, m->axes);
    rows = (int64_t)(inner && most / inner ? most / inner : 1);
    n = inner * (m->axes ? (size_t)bridge_least(rows, m->count[k]) : 1);
    made_bytes = n * bridge_product(m->count, m->axes, m->v->ndim) * bridge_type_bytes(m->f, m->type);
    stored = malloc(n * wide + 1);
    if (!m->contiguous)
        made = malloc(made_bytes + 1);
    if (stored && (made || m->contiguous))
        st = move_pieces(m, piece, k, rows, stored, made, memory);
    free(stored);
    free(made);
    return st;
}
