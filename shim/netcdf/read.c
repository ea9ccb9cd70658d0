/* Elements. Those of the type that the program asks for go straight into its buffer; others are converted by pieces. */
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

enum { PIECE_BYTES = 1 << 20 };

/* The axes of netCDF are those of the array; but elements that have parts have one more, and strings one less. */
struct reading {
    const struct bridge_variable *v;
    nc_type type; /* of the elements in memory */
    int axes;     /* of the array and of netCDF alike */
    bool contiguous, out_of_range;
    int64_t lo[DRX_MAX_NDIM + 1], step[DRX_MAX_NDIM + 1]; /* in the array, and among the parts of an element */
    int64_t count[DRX_MAX_NDIM + 1];
    int64_t stride[DRX_MAX_NDIM + 1]; /* in memory, in elements */
};

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

/* ---- what is asked for ---- */

static int check_axis(size_t length, size_t start, size_t count, ptrdiff_t step)
{
    if (start > length || (start == length && count > 0))
        return NC_EINVALCOORDS;
    return count > 0 && count - 1 > (length - 1 - start) / (size_t)step ? NC_EEDGE : NC_NOERR;
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

    r->axes = v->ndim - (v->parts > 0);
    for (int k = 0; step && k < v->ndim; k++) /* before all else, as netCDF-C does */
        if (step[k] <= 0)
            return NC_ESTRIDE;
    for (int k = 0; !st && k < v->ndim; k++) {
        const size_t length = f->dims[v->dims[k]].length, first = start ? start[k] : 0;
        const ptrdiff_t by = step ? step[k] : 1;
        const size_t n = count ? count[k] : first < length ? (length - first - 1) / (size_t)by + 1 : 0;

        st = check_axis(length, first, n, by);
        r->lo[k] = (k < r->axes ? drx_lower(v->array)[k] : 0) + (int64_t)first;
        r->count[k] = (int64_t)n;
        r->step[k] = (int64_t)by;
    }
    set_strides(r, imap);
    return st;
}

/* ---- pieces ---- */

/* The bytes of an element as it is read: with all its parts, and of a string all of them. */
static size_t stored_bytes(const struct bridge_variable *v)
{
    if (v->kind == BRIDGE_STRINGS)
        return (size_t)drx_shape(v->array)[v->ndim];
    return v->parts || v->kind == BRIDGE_UNICODE ? drx_type_size(drx_dtype(v->array)) : bridge_type_bytes(v->type);
}

/* The elements of a box, of which `lo` and `count` tell the axes that both have. */
static int read_stored(const struct reading *r, const int64_t lo[], const int64_t count[], void *out)
{
    drx_array *a = r->v->array;
    const drx_type held = bridge_element_type(r->v->type);
    int64_t from[DRX_MAX_NDIM], n[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    const drx_box box = { .lo = from, .count = n, .step = step };

    for (int k = 0; k < drx_ndim(a); k++) { /* beside them the bytes of strings, or the axis of a scalar */
        from[k] = k < r->axes ? lo[k] : drx_lower(a)[k];
        n[k] = k < r->axes ? count[k] : drx_shape(a)[k];
        step[k] = k < r->axes ? r->step[k] : 1;
    }
    if (r->v->kind == BRIDGE_NUMBERS && drx_dtype(a) != held) /* bool, float16 */
        return bridge_error(drx_read_box_as(a, &box, held, DRX_EXACT, out));
    return bridge_error(drx_read_box(a, &box, out));
}

static int make_strings(const struct bridge_variable *v, const char *bytes, char **out, size_t n)
{
    const size_t width = stored_bytes(v);
    int st = NC_NOERR;

    for (size_t i = 0; i < n; i++) {
        const char *at = bytes + i * width;

        out[i] = v->kind == BRIDGE_UNICODE ? bridge_utf8((const void *)at, width / 4) : bridge_text(at, width);
        if (!out[i])
            st = NC_ECHAR;
    }
    return st;
}

/* Leave of each of n elements the parts that are asked for. */
static void pick_parts(const struct reading *r, char *elements, size_t n)
{
    const size_t bytes = bridge_type_bytes(r->v->type);
    const int64_t count = r->count[r->axes], lo = r->lo[r->axes], step = r->step[r->axes];
    char *out = elements;

    for (size_t i = 0; i < n; i++)
        for (int64_t k = 0; k < count; k++, out += bytes)
            memmove(out, elements + (i * (size_t)r->v->parts + (size_t)(lo + k * step)) * bytes, bytes);
}

/* The elements of a box, one after the other; `stored` has room for them as they are read. */
static int take_piece(struct reading *r, const int64_t lo[], const int64_t count[], void *stored, void *out)
{
    const size_t n = product(count, 0, r->axes), all = product(count, 0, r->v->ndim);
    const int st = read_stored(r, lo, count, stored);

    if (st)
        return st;
    if (r->v->type == NC_STRING)
        return make_strings(r->v, stored, out, n);
    if (r->v->parts)
        pick_parts(r, stored, n);
    if (r->v->type == r->type)
        memcpy(out, stored, all * bridge_type_bytes(r->type));
    else if (bridge_convert(r->v->type, stored, r->type, out, all))
        r->out_of_range = true;
    return NC_NOERR;
}

/* Put a box of elements where the strides say. */
static void scatter(const struct reading *r, const int64_t count[], const char *elements, char *out)
{
    const size_t bytes = bridge_type_bytes(r->type), n = product(count, 0, r->v->ndim);
    int64_t at[DRX_MAX_NDIM + 1] = { 0 }, place = 0;

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
    const int64_t bytes = (int64_t)bridge_type_bytes(r->type);
    int64_t at[DRX_MAX_NDIM + 1] = { 0 }, lo[DRX_MAX_NDIM + 1], count[DRX_MAX_NDIM + 1];
    int st, j;

    do {
        int64_t place = 0;

        for (int i = 0; i < r->v->ndim; i++) {
            count[i] = i >= r->axes || i > k ? r->count[i] : i < k ? 1 : least(rows, r->count[i] - at[i]);
            lo[i] = r->lo[i] + at[i] * r->step[i];
            place += at[i] * r->stride[i] * bytes;
        }
        st = take_piece(r, lo, count, stored, made ? made : out + place);
        if (!st && made)
            scatter(r, count, made, out + place);
        for (j = r->axes ? k : -1; j >= 0; j--) {
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
    const size_t wide = stored_bytes(r->v) > 0 ? stored_bytes(r->v) : 1, most = PIECE_BYTES / wide + 1;
    size_t inner, n, made_bytes;
    int k = 0, st = NC_ENOMEM;
    char *stored, *made = NULL;
    int64_t rows;

    while (k < r->axes - 1 && product(r->count, k + 1, r->axes) > most)
        k++;
    inner = product(r->count, k + 1, r->axes);
    rows = (int64_t)(most / inner ? most / inner : 1);
    n = inner * (r->axes ? (size_t)least(rows, r->count[k]) : 1);
    made_bytes = n * product(r->count, r->axes, r->v->ndim) * bridge_type_bytes(r->type);
    stored = malloc(n * wide);
    if (!r->contiguous)
        made = malloc(made_bytes);
    if (stored && (made || r->contiguous))
        st = take_pieces(r, k, rows, stored, made, out);
    free(stored);
    free(made);
    return st;
}

/* Is what is asked for one box of the library: with all parts of each element, one after the other? Not doubles as
 * floats: few are exact, and infinity, which is, is out of range to netCDF-C. */
static bool is_box(const struct reading *r)
{
    return r->v->type != NC_STRING && !(r->v->type == NC_DOUBLE && r->type == NC_FLOAT) &&
           (!r->v->parts || (r->contiguous && r->count[r->axes] == r->v->parts && r->type == r->v->type));
}

/* Read into the caller's memory, and let the library convert. DRX_EMISMATCH: it cannot do so exactly. */
static drx_status read_straight(const struct reading *r, void *out)
{
    static const int64_t one[] = { 1 };
    drx_array *a = r->v->array;
    const drx_box box = { .lo = r->axes ? r->lo : drx_lower(a),
                          .count = r->axes ? r->count : one,
                          .step = r->axes ? r->step : NULL,
                          .stride = r->contiguous ? NULL : r->stride };
    const drx_type type = drx_dtype(a), wanted = r->v->parts ? type : bridge_element_type(r->type);

    return type == wanted ? drx_read_box(a, &box, out) : drx_read_box_as(a, &box, wanted, DRX_EXACT, out);
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
    struct bridge_file *f;
    struct reading r = { 0 };
    drx_status straight;
    int st;

    r.v = bridge_variable_of(ncid, varid, &f, &st);
    if (!r.v)
        return st;
    r.type = type == NC_NAT ? r.v->type : type;
    st = check_type(r.v->type, r.type);
    if (!st)
        st = prepare(&r, f, start, count, stride, imap);
    if (st || product(r.count, 0, r.v->ndim) == 0)
        return st;
    if (is_box(&r)) {
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
