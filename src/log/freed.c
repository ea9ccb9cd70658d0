#include "log/state.h"

enum { MOST_SPANS = 32 }; /* of one segment, that are kept one by one, and so join their neighbours */

int64_t drxi_lattice_first(const struct drxi_lattice *g, const int64_t at[])
{
    int64_t first = g->span.first;

    for (int k = 0; k < g->levels; k++)
        first += at[k] * g->pitch[k];
    return first;
}

bool drxi_lattice_step(const struct drxi_lattice *g, int64_t at[])
{
    for (int k = g->levels - 1; k >= 0; k--) {
        if (++at[k] < g->count[k])
            return true;
        at[k] = 0;
    }
    return false;
}

static int64_t count_spans(const struct drxi_lattice *g)
{
    int64_t n = 1;

    for (int k = 0; k < g->levels; k++)
        n = drxi_mul_saturated(n, g->count[k]);
    return n;
}

/* The chunks of a part as a lattice. */
static void make_lattice(const struct drxi_part *part, int ndim, enum drxi_end end, struct drxi_lattice *g)
{
    int64_t corner[DRX_MAX_NDIM];
    int n = 0;

    memcpy(corner, part->lo, (size_t)ndim * sizeof *corner);
    if (end == DRXI_LOW)
        corner[part->axis] = part->hi[part->axis] - 1;
    for (int k = -1; k < ndim; k++) { /* the axis of the segment first */
        const int j = k < 0 ? part->axis : k;

        if (k == part->axis || part->hi[j] - part->lo[j] == 1)
            continue;
        g->count[n] = part->hi[j] - part->lo[j];
        g->pitch[n++] = k < 0 && end == DRXI_LOW ? -part->coef[j] : part->coef[j];
    }
    g->span = (struct drxi_span){ drxi_part_address(part, ndim, corner), 1 };
    while (n > 0 && g->pitch[n - 1] == g->span.n) /* the fastest levels make one span */
        g->span.n *= g->count[--n];
    g->levels = n;
}

static drx_status add_span(struct drxi_freed *f, struct drxi_span span)
{
    struct drxi_span *last = f->pending_spans > 0 ? &f->span[f->spans + f->pending_spans - 1] : NULL;
    drx_status st;

    if (last && last->first + last->n == span.first) {
        last->n += span.n;
        return DRX_OK;
    }
    st = drxi_reserve(&f->span, &f->span_room, f->spans + f->pending_spans + 1, sizeof *f->span);
    if (!st)
        f->span[f->spans + f->pending_spans++] = span;
    return st;
}

static drx_status add_spans(struct drxi_freed *f, const struct drxi_lattice *g)
{
    int64_t at[DRX_MAX_NDIM] = { 0 };
    drx_status st;

    do
        st = add_span(f, (struct drxi_span){ drxi_lattice_first(g, at), g->span.n });
    while (!st && drxi_lattice_step(g, at));
    return st;
}

static drx_status add_lattice(struct drxi_freed *f, const struct drxi_lattice *g)
{
    const drx_status st =
        drxi_reserve(&f->lattice, &f->lattice_room, f->lattices + f->pending_lattices + 1, sizeof *f->lattice);

    if (!st)
        f->lattice[f->lattices + f->pending_lattices++] = *g;
    return st;
}

drx_status drxi_freed_prepare(struct drxi_freed *f, const drxi_map *map, const int64_t lo[], const int64_t hi[])
{
    struct drxi_walk walk;
    struct drxi_part part;
    struct drxi_lattice lattice;
    enum drxi_end end;
    drx_status st = DRX_OK;

    for (int j = 0; j < map->ndim; j++)
        if (lo[j] >= hi[j])
            return DRX_OK;
    drxi_walk_start(&walk, map, lo, hi);
    while (!st && drxi_walk_segment(&walk, &part, &end)) {
        make_lattice(&part, map->ndim, end, &lattice);
        st = count_spans(&lattice) <= MOST_SPANS ? add_spans(f, &lattice) : add_lattice(f, &lattice);
    }
    return st;
}

void drxi_freed_take(struct drxi_freed *f)
{
    struct drxi_span *next = f->spans > 0 ? f->span + f->spans : NULL;

    if (next && f->pending_spans > 0 && next[-1].first + next[-1].n == next->first) {
        next[-1].n += next->n;
        memmove(next, next + 1, (size_t)--f->pending_spans * sizeof *next);
    }
    f->spans += f->pending_spans;
    f->lattices += f->pending_lattices;
    drxi_freed_drop(f);
}

void drxi_freed_drop(struct drxi_freed *f)
{
    f->pending_spans = f->pending_lattices = 0;
}

void drxi_freed_clear(struct drxi_freed *f)
{
    f->spans = f->lattices = 0;
    drxi_freed_drop(f);
}

void drxi_freed_free(struct drxi_freed *f)
{
    drxi_free(f->span);
    drxi_free(f->lattice);
}
