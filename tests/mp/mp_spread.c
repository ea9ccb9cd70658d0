#include "mp_spread.h"

struct dap_dim mp_block(int64_t size)
{
    struct dap_dim d;

    assert_int_equal(dap_block(size, 1, mp_ranks, mp_rank, &d), DAP_OK);
    return d;
}

struct dap_dim mp_cyclic(int64_t size, int64_t block)
{
    struct dap_dim d;

    assert_int_equal(dap_cyclic(size, 1, block, mp_ranks, mp_rank, &d), DAP_OK);
    return d;
}

struct dap_dim mp_listed(int64_t size, int64_t n, const int64_t indices[], uint32_t flags)
{
    struct dap_dim d;

    assert_int_equal(dap_unstructured(size, n, indices, flags, mp_ranks, mp_rank, &d), DAP_OK);
    return d;
}

struct dap_dim mp_undistributed(int64_t size)
{
    struct dap_dim d;

    assert_int_equal(dap_undistributed(size, &d), DAP_OK);
    return d;
}

drxmp_darray *mp_darray(drx_type type, int ndim, const struct dap_dim dims[], drx_order order)
{
    drxmp_darray *d;

    assert_ok(drxmp_darray_create(mp_comm, type, ndim, dims, order, &d));
    return d;
}

drxmp_darray *mp_blocks(drx_type type, int64_t size)
{
    const struct dap_dim dim = mp_block(size);

    return mp_darray(type, 1, &dim, DRX_ROW_MAJOR);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void hold(struct spread_axis *x, int64_t rank, int64_t global, bool owned, bool padding)
{
    x->cells[rank][x->extent[rank]++] = (struct cell){ global, owned, padding };
}

/* b: lengths first, then paddings as wide as both neighbours allow. */
static void draw_block(struct spread_axis *x, int64_t size, int64_t grid)
{
    int64_t border[MOST_RANKS + 1] = { 0 }, width[MOST_RANKS + 1];
    const bool padded = mp_below(2), periodic = mp_below(2);

    for (int64_t r = 0; r < grid; r++) {
        const int64_t left = size - border[r];

        border[r + 1] = r == grid - 1 ? size : border[r] + mp_below(smaller(left, 2 * size / grid) + 1);
    }
    for (int64_t r = 0; r <= grid; r++) {
        const int64_t before = r > 0 ? border[r] - border[r - 1] : size,
                      after = r < grid ? border[r + 1] - border[r] : size;

        width[r] = padded ? mp_below(smaller(smaller(before, after), 3) + 1) : 0;
    }
    for (int64_t r = 0; r < grid; r++) {
        const int64_t before = r > 0 ? width[r] : 0, after = r < grid - 1 ? width[r + 1] : 0;
        struct dap_dim *d = &x->set[r];

        d->start = border[r] - before;
        d->stop = border[r + 1] + after;
        d->padding[0] = width[r];
        d->padding[1] = width[r + 1];
        d->flags = padded && periodic ? DAP_DIM_PERIODIC : 0;
        for (int64_t g = d->start; g < d->stop; g++)
            hold(x, r, g, g >= border[r] && g < border[r + 1], g < border[r] || g >= border[r + 1]);
    }
}

/* c: dealt out like cards. */
static void draw_cyclic(struct spread_axis *x, int64_t size, int64_t grid)
{
    const int64_t block = mp_below(3) ? 1 + mp_below(7) : 1;
    int64_t turn = 0, left = block;

    for (int64_t g = 0; g < size; g++) {
        hold(x, turn, g, true, false);
        if (--left == 0) {
            left = block;
            turn = turn + 1 == grid ? 0 : turn + 1;
        }
    }
    for (int64_t r = 0; r < grid; r++) {
        x->set[r].block_size = block;
        x->set[r].start = r * block;
    }
}

/* u: each index for one rank, or for some, or for none. */
static void draw_unstructured(struct spread_axis *x, int64_t size, int64_t grid, bool partly)
{
    int64_t indices[MOST_INDICES];

    for (int64_t i = 0; i < size; i++)
        indices[i] = i;
    for (int64_t i = size; i > 1 && mp_below(4); i--) { /* shuffled, as far as that goes */
        const int64_t j = mp_below(i), other = indices[j];

        indices[j] = indices[i - 1];
        indices[i - 1] = other;
    }
    for (int64_t i = 0; i < size; i++) {
        const int64_t whose = mp_below(partly ? grid + 1 : grid);
        bool owned = true;

        for (int64_t r = 0; r < grid; r++)
            if (r == whose || (partly && mp_below(4) == 0)) {
                hold(x, r, indices[i], owned, false);
                owned = false;
            }
    }
    for (int64_t r = 0; r < grid; r++) {
        for (int64_t i = 0; i < x->extent[r]; i++)
            x->indices[r][i] = x->cells[r][i].global;
        x->set[r].flags = partly ? 0 : DAP_DIM_ONE_TO_ONE;
        x->set[r].n_indices = x->extent[r];
        x->set[r].indices = x->indices[r];
    }
}

static void draw_axis(struct spread_axis *x, int64_t size, int64_t grid, char kind)
{
    memset(x, 0, sizeof *x);
    if (kind == 'b')
        draw_block(x, size, grid);
    else if (kind == 'c')
        draw_cyclic(x, size, grid);
    else
        draw_unstructured(x, size, grid, kind == 'p');
    for (int64_t r = 0; r < grid; r++) {
        x->set[r].dist_type = kind == 'p' ? 'u' : kind;
        x->set[r].size = size;
        x->set[r].proc_grid_size = grid;
        x->set[r].proc_grid_rank = r;
    }
}

void spread_draw(struct spread *s, int ndim, const int64_t size[], const char *kinds)
{
    int left = mp_ranks;

    s->ndim = ndim;
    s->order = mp_any_order();
    for (int j = 0; j < ndim; j++)
        s->grid[j] = 1;
    for (int prime = 2; left > 1;) {
        if (left % prime == 0) {
            s->grid[mp_below(ndim)] *= prime;
            left /= prime;
        } else {
            prime++;
        }
    }
    for (int j = 0; j < ndim; j++) {
        s->size[j] = size[j];
        draw_axis(&s->axis[j], size[j], s->grid[j], kinds[mp_below((int64_t)strlen(kinds))]);
    }
}

/* Row-major. */
static void coordinates(const struct spread *s, int rank, int64_t at[])
{
    for (int j = s->ndim - 1; j >= 0; j--) {
        at[j] = rank % s->grid[j];
        rank /= (int)s->grid[j];
    }
}

void spread_dims(const struct spread *s, int rank, struct dap_dim dims[])
{
    int64_t at[MOST_AXES];

    coordinates(s, rank, at);
    for (int j = 0; j < s->ndim; j++)
        dims[j] = s->axis[j].set[at[j]];
}

drxmp_darray *spread_darray(const struct spread *s, drx_type type)
{
    struct dap_dim dims[MOST_AXES];

    spread_dims(s, mp_rank, dims);
    return mp_darray(type, s->ndim, dims, s->order);
}

int64_t spread_cells(const struct spread *s, int rank)
{
    int64_t at[MOST_AXES], n = 1;

    coordinates(s, rank, at);
    for (int j = 0; j < s->ndim; j++)
        n *= s->axis[j].extent[at[j]];
    return n;
}

struct cell spread_cell(const struct spread *s, int rank, int64_t i, int64_t global[], int64_t *place)
{
    struct cell all = { .owned = true };
    int64_t at[MOST_AXES], local[MOST_AXES], stride = 1;

    coordinates(s, rank, at);
    for (int j = s->ndim - 1; j >= 0; j--) {
        const struct cell *c;

        local[j] = i % s->axis[j].extent[at[j]];
        i /= s->axis[j].extent[at[j]];
        c = &s->axis[j].cells[at[j]][local[j]];
        global[j] = c->global;
        all.owned = all.owned && c->owned;
        all.padding = all.padding || c->padding;
    }
    *place = 0;
    for (int k = 0; k < s->ndim; k++) {
        const int j = s->order == DRX_ROW_MAJOR ? s->ndim - 1 - k : k;

        *place += local[j] * stride;
        stride *= s->axis[j].extent[at[j]];
    }
    return all;
}
