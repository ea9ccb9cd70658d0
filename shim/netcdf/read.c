/* Elements. Those of the type that the program asks for go straight into its buffer; others are converted by pieces. */
#include <stdlib.h>
#include <string.h>

#include "moves.h"
#include "write/write.h"

/* ---- pieces ---- */

/* The elements of a box, of which `lo` and `count` tell the axes that both have. */
static int read_stored(const struct bridge_move *m, const int64_t lo[], const int64_t count[], void *out)
{
    const drx_type held = bridge_element_type(m->f, m->v->type);
    struct bridge_box b;

    bridge_set_box(&b, m, lo, count);
    if (m->v->kind == BRIDGE_NUMBERS && drx_dtype(m->v->array) != held) /* bool, float16 */
        return bridge_error(drx_read_box_as(m->v->array, &b.box, held, DRX_EXACT, out));
    return bridge_error(drx_read_box(m->v->array, &b.box, out));
}

static int make_strings(const struct bridge_move *m, const char *bytes, char **out, size_t n)
{
    const struct bridge_variable *v = m->v;
    const size_t width = bridge_stored_bytes(m->f, v);
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
static void pick_parts(const struct bridge_move *m, char *elements, size_t n)
{
    const size_t bytes = bridge_type_bytes(m->f, m->v->type);
    const int64_t count = m->count[m->axes], lo = m->lo[m->axes], step = m->step[m->axes];
    char *out = elements;

    for (size_t i = 0; i < n; i++)
        for (int64_t k = 0; k < count; k++, out += bytes)
            memmove(out, elements + (i * (size_t)m->v->parts + (size_t)(lo + k * step)) * bytes, bytes);
}

/* The elements of a box, one after the other; `stored` has room for them as they are read. */
static int take_piece(struct bridge_move *m, const int64_t lo[], const int64_t count[], void *stored, void *out)
{
    const size_t n = bridge_product(count, 0, m->axes), all = bridge_product(count, 0, m->v->ndim);
    const int st = read_stored(m, lo, count, stored);

    if (st)
        return st;
    if (m->v->type == NC_STRING)
        return make_strings(m, stored, out, n);
    if (m->v->parts)
        pick_parts(m, stored, n);
    if (m->v->type == m->type)
        memcpy(out, stored, all * bridge_type_bytes(m->f, m->type));
    else if (bridge_convert_in(m->f, m->v->type, stored, m->type, out, all))
        m->out_of_range = true;
    return NC_NOERR;
}

/* Read into the caller's memory, and let the library convert. DRX_EMISMATCH: it cannot do so exactly. */
static drx_status read_straight(const struct bridge_move *m, void *out)
{
    drx_array *a = m->v->array;
    struct bridge_box b;
    const drx_type type = drx_dtype(a), wanted = m->v->parts ? type : bridge_element_type(m->f, m->type);

    bridge_set_box(&b, m, m->lo, m->count);
    b.box.stride = m->contiguous ? NULL : m->stride;
    return type == wanted ? drx_read_box(a, &b.box, out) : drx_read_box_as(a, &b.box, wanted, DRX_EXACT, out);
}

/* What is read of a file that is open for writing is there, also where nobody wrote. */
static int settle(const struct bridge_move *m)
{
    const int64_t last = m->v->ndim ? m->lo[0] + (m->count[0] - 1) * m->step[0] + 1 - drx_lower(m->v->array)[0] : 1;

    return m->v->owes ? bridge_fill_up_to(m->f, m->v, last) : NC_NOERR;
}

int bridge_get_varm(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,
                    const ptrdiff_t *imap, void *out, nc_type type)
{
    struct bridge_move m = { 0 };
    drx_status straight;
    int st, types;

    st = bridge_begin_move(&m, ncid, varid, type, &types);
    if (!st && m.v->together && m.v->owes) /* those that read nothing take part */
        st = bridge_fill_up_to(m.f, m.v, INT64_MAX);
    if (!st)
        st = bridge_prepare(&m, start, count, stride, imap, NULL);
    st = st ? st : types;
    if (st || bridge_product(m.count, 0, m.v->ndim) == 0)
        return st;
    st = settle(&m);
    if (st)
        return st;
    if (bridge_is_box(&m)) {
        straight = read_straight(&m, out);
        if (straight != DRX_EMISMATCH)
            return bridge_error(straight);
    }
    st = bridge_by_pieces(&m, take_piece, out);
    return !st && m.out_of_range ? NC_ERANGE : st;
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
