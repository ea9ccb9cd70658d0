/* Elements. Those of the type that the program asks for go straight into its buffer; others are converted by pieces. */
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

enum { PIECE_ELEMENTS = 1 << 18 };

struct reading {
    const struct bridge_variable *v;
    nc_type type;                                 /* of the elements in memory */
    int64_t lo[DRX_MAX_NDIM], step[DRX_MAX_NDIM]; /* in the array, of whose axes v->ndim count */
    int64_t count[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM]; /* in memory, in elements */
    bool contiguous;
    bool out_of_range;
};

/* ---- what is asked for ---- */

static int check_axis(size_t length, size_t start, size_t count, ptrdiff_t step)
{
    if (step <= 0)
        return NC_ESTRIDE;
    if (start > length || (start == length && count > 0))
        return NC_EINVALCOORDS;
    return count > 0 && (count - 1 > (length - 1 - start) / (size_t)step) ? NC_EEDGE : NC_NOERR;
}

static void set_strides(struct reading *r, const ptrdiff_t *imap)
{
    int64_t contiguous = 1;

    r->contiguous = true;
    for (int k = r->v->ndim - 1; k >= 0; k--) {
        r->stride[k] = imap ? (int64_t)imap[k] : contiguous;
        r->contiguous = r->contiguous && r->stride[k] == contiguous;
        contiguous *= r->count[k];
    }
}

/* NULL: from 0 on, all that is left, with steps of 1. */
static int prepare(struct reading *r, const struct bridge_file *f, const size_t *start, const size_t *count,
                   const ptrdiff_t *step, const ptrdiff_t *imap)
{
    const struct bridge_variable *v = r->v;
    int st = NC_NOERR;

    for (int k = 0; !st && k < v->ndim; k++) {
        const size_t length = f->dims[v->dims[k]].length, first = start ? start[k] : 0;
        const ptrdiff_t by = step ? step[k] : 1;
        const size_t n = count ? count[k] : first < length && by > 0 ? (length - first - 1) / (size_t)by + 1 : 0;

        st = check_axis(length, first, n, by);
        r->lo[k] = drx_lower(v->array)[k] + (int64_t)first;
        r->count[k] = (int64_t)n;
        r->step[k] = (int64_t)by;
    }
    for (int k = v->ndim; k < drx_ndim(v->array); k++) { /* the one of a scalar, or the bytes of strings */
        r->lo[k] = drx_lower(v->array)[k];
        r->count[k] = drx_shape(v->array)[k];
        r->step[k] = 1;
    }
    set_strides(r, imap);
    return st;
}

/* ---- pieces ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static size_t product(const int64_t count[], int from, int to)
{
    size_t n = 1;

    for (int k = from; k < to; k++)
        n *= (size_t)count[k];
    return n;
}

/* The elements of a box as they are stored. */
static int read_stored(const struct reading *r, const int64_t lo[], const int64_t count[], void *out)
{
    const drx_box box = { .lo = lo, .count = count, .step = r->step };
    const drx_type type = drx_dtype(r->v->array), held = bridge_element_type(r->v->type);

    if (r->v->type == NC_STRING || type == held)
        return bridge_error(drx_read_box(r->v->array, &box, out));
    return bridge_error(drx_read_box_as(r->v->array, &box, held, DRX_EXACT, out)); /* bool, float16 */
}

static size_t stored_bytes(const struct bridge_variable *v)
{
    if (v->kind == BRIDGE_STRINGS)
        return (size_t)drx_shape(v->array)[v->ndim];
    return v->kind == BRIDGE_FIXED ? drx_type_size(drx_dtype(v->array)) : bridge_type_bytes(v->type);
}

static int make_strings(const struct bridge_variable *v, const char *bytes, char **out, size_t n)
{
    const size_t width = stored_bytes(v);
    int st = NC_NOERR;

    for (size_t i = 0; i < n; i++) {
        const char *at = bytes + i * width;

        out[i] =
            DRX_IS_UNICODE(drx_dtype(v->array)) ? bridge_utf8((const void *)at, width / 4) : bridge_text(at, width);
        if (!out[i])
            st = NC_ENOMEM;
    }
    return st;
}

/* The n elements of a box, one after the other; `stored` has room for them. */
static int take_piece(struct reading *r, const int64_t lo[], const int64_t count[], size_t n, void *stored, void *out)
{
    int st = read_stored(r, lo, count, stored);

    if (st)
        return st;
    if (r->v->type == NC_STRING)
        return make_strings(r->v, stored, out, n);
    if (r->v->type == r->type) {
        memcpy(out, stored, n * bridge_type_bytes(r->type));
        return NC_NOERR;
    }
    if (bridge_convert(r->v->type, stored, r->type, out, n))
        r->out_of_range = true;
    return NC_NOERR;
}

/* Put a box of elements where the strides say. */
static void scatter(const struct reading *r, const int64_t count[], size_t n, const char *elements, char *out)
{
    const size_t bytes = bridge_type_bytes(r->type);
    int64_t at[DRX_MAX_NDIM] = { 0 }, place = 0;

    for (size_t i = 0; i < n; i++) {
        memcpy(out + place * (int64_t)bytes, elements + i * bytes, bytes);
        for (int k = r->v->ndim - 1; k >= 0; k--) {
            place += r->stride[k];
            if (++at[k] < count[k])
                break;
            place -= count[k] * r->stride[k];
            at[k] = 0;
        }
    }
}

/* One piece after the other: `rows` indices of axis k, and all of the later axes. */
static int take_pieces(struct reading *r, int k, int64_t rows, void *stored, char *made, char *out)
{
    const size_t bytes = bridge_type_bytes(r->type);
    int64_t at[DRX_MAX_NDIM] = { 0 }, lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    int st = NC_NOERR, j;

    do {
        int64_t place = 0;
        size_t n;

        memcpy(count, r->count, sizeof count);
        for (int i = 0; i < drx_ndim(r->v->array); i++) {
            count[i] = i < k ? 1 : i == k && r->v->ndim ? least(rows, r->count[i] - at[i]) : r->count[i];
            lo[i] = r->lo[i] + (i < r->v->ndim ? at[i] * r->step[i] : 0);
            place += i < r->v->ndim ? at[i] * r->stride[i] : 0;
        }
        n = product(count, 0, r->v->ndim);
        st = take_piece(r, lo, count, n, stored, made ? made : out + place * (int64_t)bytes);
        if (!st && made)
            scatter(r, count, n, made, out + place * (int64_t)bytes);
        for (j = r->v->ndim ? k : -1; j >= 0; j--) {
            at[j] += j == k ? rows : 1;
            if (at[j] < r->count[j])
                break;
            at[j] = 0;
        }
    } while (!st && j >= 0);
    return st;
}

static int read_by_pieces(struct reading *r, void *out)
{
    const size_t wide = stored_bytes(r->v) > 0 ? stored_bytes(r->v) : 1;
    const size_t most = wide > 64 ? (PIECE_ELEMENTS * 64UL) / wide + 1 : PIECE_ELEMENTS;
    int k = 0;
    int64_t rows;
    size_t inner, n;
    char *stored, *made = NULL;
    int st = NC_ENOMEM;

    while (k < r->v->ndim - 1 && product(r->count, k + 1, r->v->ndim) > most)
        k++;
    inner = product(r->count, k + 1, r->v->ndim);
    rows = (int64_t)(most / inner ? most / inner : 1);
    n = inner * (r->v->ndim ? (size_t)(rows < r->count[k] ? rows : r->count[k]) : 1);
    stored = malloc(n * wide);
    if (!r->contiguous)
        made = malloc(n * bridge_type_bytes(r->type));
    if (stored && (made || r->contiguous))
        st = take_pieces(r, k, rows, stored, made, out);
    free(stored);
    free(made);
    return st;
}

/* As the library converts, without a copy in between; DRX_EMISMATCH: it cannot do so exactly. Not for doubles as floats:
 * few are exact, and infinity, which is, is out of range to netCDF-C. */
static drx_status read_straight(const struct reading *r, void *out)
{
    const drx_box box = { .lo = r->lo, .count = r->count, .step = r->step, .stride = r->contiguous ? NULL : r->stride };
    const drx_type type = drx_dtype(r->v->array), wanted = bridge_element_type(r->type);

    return type == wanted ? drx_read_box(r->v->array, &box, out)
                          : drx_read_box_as(r->v->array, &box, wanted, DRX_EXACT, out);
}

/* May elements of the variable become such? */
static int check_type(nc_type of, nc_type wanted)
{
    if (of == wanted)
        return NC_NOERR;
    if (of == NC_CHAR || wanted == NC_CHAR)
        return NC_ECHAR;
    return of > NC_UINT64 || wanted > NC_UINT64 || bridge_type_bytes(wanted) == 0 ? NC_EBADTYPE : NC_NOERR;
}

int bridge_get_varm(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,
                    const ptrdiff_t *imap, void *out, nc_type type)
{
    struct bridge_file *f = bridge_file(ncid);
    struct reading r = { 0 };
    drx_status straight;
    int st = NC_EBADID;

    r.v = f ? bridge_variable(f, varid, &st) : NULL;
    if (!r.v)
        return st;
    r.type = type == NC_NAT ? r.v->type : type;
    st = check_type(r.v->type, r.type);
    if (!st)
        st = prepare(&r, f, start, count, stride, imap);
    if (st || product(r.count, 0, r.v->ndim) == 0)
        return st;
    if (r.v->type != NC_STRING && !(r.v->type == NC_DOUBLE && r.type == NC_FLOAT)) {
        straight = read_straight(&r, out);
        if (straight != DRX_EMISMATCH)
            return bridge_error(straight);
    }
    st = read_by_pieces(&r, out);
    return !st && r.out_of_range ? NC_ERANGE : st;
}

int bridge_get_vars(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride, void *out,
                    nc_type type)
{
    return bridge_get_varm(ncid, varid, start, count, stride, NULL, out, type);
}

int bridge_get_vara(int ncid, int varid, const size_t *start, const size_t *count, void *out, nc_type type)
{
    return bridge_get_varm(ncid, varid, start, count, NULL, NULL, out, type);
}
