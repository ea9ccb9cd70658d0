/* Elements are written. Those of the variable's type go straight to the library; others are converted by pieces. */
#include <stdlib.h>
#include <string.h>

#include "moves.h"
#include "write.h"

/* ---- growth ---- */

#define TYPE_OF_SIZES (sizeof(size_t) == 8 ? MPI_UINT64_T : MPI_UINT32_T)

/* In collective access all get what one process needs; in independent access, no process can grow what others have,
 * too. `has`: what is there. */
static int agree(const struct bridge_move *m, size_t needs[], const size_t has[], int n)
{
#ifdef BRIDGE_MPI
    if (m->v->together && m->v->collective && n > 0 &&
        MPI_Allreduce(MPI_IN_PLACE, needs, n, TYPE_OF_SIZES, MPI_MAX, drxmp_comm(m->v->together)) != MPI_SUCCESS)
        return NC_EMPI;
#endif
    for (int k = 0; m->v->together && !m->v->collective && k < n; k++)
        if (needs[k] > has[k])
            return NC_ECANTEXTEND;
    return NC_NOERR;
}

/* Afterwards each process also knows which indices of the first axis the others write. */
static int grow(struct bridge_move *m, size_t length[], bool writes)
{
    const struct bridge_variable *v = m->v;
    const int n = v->ndim;
    const int64_t first = writes && n > 0 ? m->lo[0] - drx_lower(v->array)[0] : 0;
    size_t has[DRX_MAX_NDIM + 3];
    int st;

    for (int k = 0; k < n; k++)
        has[k] = m->f->dims[v->dims[k]].length;
    has[n] = has[n + 1] = SIZE_MAX;
    length[n] = writes ? SIZE_MAX - (size_t)first : 0;
    length[n + 1] = !writes ? 0 : n > 0 ? (size_t)(first + (m->count[0] - 1) * m->step[0] + 1) : 1;
    st = agree(m, length, has, n + 2);
    m->first = (int64_t)(SIZE_MAX - length[n]);
    m->end = (int64_t)length[n + 1];
    for (int k = 0; !st && k < n; k++)
        if (length[k] > m->f->dims[v->dims[k]].length) /* which an earlier axis may have changed */
            st = bridge_grow(m->f, v->dims[k], length[k]);
    return st;
}

static bool is_whole(const struct bridge_move *m, bool writes)
{
    bool whole = m->v->ndim == 0 || m->step[0] == 1;

#ifdef BRIDGE_MPI
    if (m->v->together && m->v->collective)
        return bridge_cover(m, writes);
#endif
    for (int k = 1; whole && k < m->v->ndim; k++)
        whole = m->count[k] == drx_shape(m->v->array)[k];
    return whole && writes;
}

/* The default fill goes where nobody writes now: nowhere, if whole indices of the first axis come in their order.
 * *after: up to where the variable is filled then. */
static int settle(const struct bridge_move *m, bool writes, int64_t *after)
{
    struct bridge_variable *v = m->v;
    int st = NC_NOERR;

    if (m->end > 0 && (m->first > v->filled || !is_whole(m, writes)))
        st = bridge_fill_up_to(m->f, v, m->end);
    *after = m->end > v->filled ? m->end : v->filled;
    return st;
}

/* ---- pieces ---- */

static int write_stored(struct bridge_move *m, const int64_t lo[], const int64_t count[], const void *stored)
{
    const drx_type held = bridge_element_type(m->f, m->v->type);
    struct bridge_box b;

    bridge_set_box(&b, m, lo, count);
    if (m->v->kind == BRIDGE_NUMBERS && drx_dtype(m->v->array) != held) /* bool, float16 */
        return bridge_error(drx_write_box_as(m->v->array, &b.box, held, DRX_NEAREST, stored));
    return bridge_error(bridge_store_write(m->v, &b.box, stored));
}

static void pack_strings(char *const strings[], size_t n, size_t width, char *bytes)
{
    memset(bytes, 0, n * width);
    for (size_t i = 0; i < n; i++)
        if (strings[i])
            memcpy(bytes + i * width, strings[i], strnlen(strings[i], width));
}

/* n strings as code points; false: one of them has more than the array has room for. */
static bool pack_points(char *const strings[], size_t n, size_t room, uint32_t *points)
{
    bool good = true;

    memset(points, 0, n * room * sizeof *points);
    for (size_t i = 0; i < n; i++)
        good = bridge_points(strings[i] ? strings[i] : "", points + i * room, room) && good;
    return good;
}

/* The parts that are written go among those that are there. */
static int put_parts(struct bridge_move *m, const int64_t lo[], const int64_t count[], char *stored,
                     const char *elements)
{
    const size_t n = bridge_product(count, 0, m->axes), bytes = bridge_type_bytes(m->f, m->v->type);
    struct bridge_box b;
    int st;

    bridge_set_box(&b, m, lo, count);
    st = bridge_error(drx_read_box(m->v->array, &b.box, stored));
    for (size_t i = 0; !st && i < n; i++)
        for (int64_t k = 0; k < m->count[m->axes]; k++) {
            const size_t part = (size_t)(m->lo[m->axes] + k * m->step[m->axes]);
            char *to = stored + (i * (size_t)m->v->parts + part) * bytes;

            if (bridge_convert_in(m->f, m->type, elements, m->v->type, to, m->v->type == NC_CHAR ? 0 : 1))
                m->out_of_range = true;
            if (m->v->type == NC_CHAR)
                *to = *elements;
            elements += bridge_type_bytes(m->f, m->type);
        }
    return st ? st : bridge_error(drx_write_box(m->v->array, &b.box, stored));
}

static int put_piece(struct bridge_move *m, const int64_t lo[], const int64_t count[], void *stored, void *elements)
{
    const size_t n = bridge_product(count, 0, m->v->ndim);

    if (m->v->parts)
        return put_parts(m, lo, count, stored, elements);
    if (m->v->kind == BRIDGE_STRINGS)
        pack_strings(elements, n, bridge_stored_bytes(m->f, m->v), stored);
    else if (m->v->kind == BRIDGE_UNICODE)
        m->out_of_range = !pack_points(elements, n, bridge_stored_bytes(m->f, m->v) / 4, stored) || m->out_of_range;
    else if (m->type == m->v->type)
        memcpy(stored, elements, n * bridge_type_bytes(m->f, m->type));
    else if (bridge_convert_in(m->f, m->type, elements, m->v->type, stored, n))
        m->out_of_range = true;
    return write_stored(m, lo, count, stored);
}

static int measure_piece(struct bridge_move *m, const int64_t lo[], const int64_t count[], void *stored, void *elements)
{
    char *const *strings = elements;
    const size_t n = bridge_product(count, 0, m->v->ndim);

    (void)lo, (void)stored;
    for (size_t i = 0; i < n; i++)
        if (strings[i] && strlen(strings[i]) > m->longest)
            m->longest = strlen(strings[i]);
    return NC_NOERR;
}

/* The axis through the bytes of strings is as long as the longest one. */
static int make_room(struct bridge_move *m, const void *in, bool empty)
{
    const size_t has = (size_t)drx_shape(m->v->array)[m->v->ndim];
    int st = empty ? NC_NOERR : bridge_by_pieces(m, measure_piece, (void *)(uintptr_t)in);
    const int agreed = agree(m, &m->longest, &has, 1); /* also when this process cannot measure */
    char *path;

    st = st ? st : agreed;
    if (st || m->longest <= has)
        return st;
    path = strdup(drx_dataset_dim(
        m->f->ds, drx_dataset_axis(m->f->ds, drx_dataset_find(m->f->ds, m->v->path), m->v->ndim), NULL));
    st = path ? bridge_error(BRIDGE_STORE(m->f, extend, path, (int64_t)(m->longest - has))) : NC_ENOMEM;
    free(path);
    return st;
}

/* ---- all ---- */

/* From the caller's memory, as it is. */
static int put_straight(struct bridge_move *m, const void *in)
{
    struct bridge_box b;

    bridge_set_box(&b, m, m->lo, m->count);
    b.box.stride = m->contiguous ? NULL : m->stride;
    return bridge_error(bridge_store_write(m->v, &b.box, in));
}

static bool is_straight(const struct bridge_move *m)
{
    return m->type == m->v->type && bridge_is_box(m) &&
           (m->v->parts || drx_dtype(m->v->array) == bridge_element_type(m->f, m->v->type));
}

/* A process that has nothing to write, or cannot, takes part all the same. */
static void take_part(struct bridge_move *m)
{
#ifdef BRIDGE_MPI
    static const int64_t none[DRX_MAX_NDIM] = { 0 };
    const drx_box box = { .lo = drx_lower(m->v->array), .count = none };

    if (bridge_store_is_exchanged(m->v))
        (void)drxmp_write_box_all(m->v->together, &box, "");
#else
    (void)m;
#endif
}

static int put(struct bridge_move *m, const void *in, bool writes)
{
    int64_t filled = 0;
    int st = NC_NOERR;

    if (m->v->definition)
        m->v->definition->settled = true;
    m->whole = m->v->collective;
    if (m->v->kind == BRIDGE_STRINGS && (writes || m->v->collective))
        st = make_room(m, in, !writes);
    if (!st && m->v->owes)
        st = settle(m, writes, &filled);
    if (st || !writes)
        take_part(m);
    else
        st = is_straight(m) ? put_straight(m, in) : bridge_by_pieces(m, put_piece, (void *)(uintptr_t)in);
    if (!st && filled > m->v->filled)
        m->v->filled = filled;
    return st;
}

int bridge_put_varm(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,
                    const ptrdiff_t *imap, const void *in, nc_type type)
{
    struct bridge_move m = { .puts = true };
    size_t length[DRX_MAX_NDIM + 3] = { 0 };
    bool writes;
    int st, types, mine;

    st = bridge_begin_move(&m, ncid, varid, type, &types);
    if (st)
        return st;
    mine = bridge_prepare(&m, start, count, stride, imap, length);
    mine = mine ? mine : types;
    if (mine && !m.v->collective)
        return mine;
    if (mine) /* others may write */
        memset(length, 0, sizeof length);
    writes = !mine && bridge_product(m.count, 0, m.v->ndim) > 0;
    st = grow(&m, length, writes);
    if (st)
        take_part(&m);
    else
        st = put(&m, in, writes);
    return mine ? mine : !st && m.out_of_range ? NC_ERANGE : st;
}

int bridge_put_vars(int ncid, int varid, const size_t *start, const size_t *count, const ptrdiff_t *stride,
                    const void *in, nc_type type)
{
    return bridge_put_varm(ncid, varid, start, count, stride, NULL, in, type);
}

int bridge_put_vara(int ncid, int varid, const size_t *start, const size_t *count, const void *in, nc_type type)
{
    return bridge_put_varm(ncid, varid, start, count, NULL, NULL, in, type);
}

enum { INDEPENDENT, COLLECTIVE }; /* as netcdf_par.h, which needs MPI, has them */

int bridge_var_par_access(int ncid, int varid, int how)
{
    int st;
    struct bridge_file *f;
    struct bridge_variable *v;

    if (how != INDEPENDENT && how != COLLECTIVE)
        return NC_EINVAL;
    v = bridge_variable_of(ncid, varid, &f, &st);
    if (!v || !f->together) /* each process reads by itself */
        return st;
    if (how == INDEPENDENT && v->definition && v->definition->nfilters > 0)
        return NC_EINVAL;
    if (v->collective && how == INDEPENDENT && v->array) /* all fill it now, because one process cannot */
        st = bridge_fill_up_to(f, v, INT64_MAX);
    v->collective = how == COLLECTIVE;
    return st;
}
