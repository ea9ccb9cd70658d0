#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "frame/team.h"

enum { LIBRARY_BYTES = 32 << 20 }; /* beside a slab, for stages and mapped pages */

static int64_t most_bytes = SLAB_BYTES;

void limit_slabs(int64_t bytes)
{
    most_bytes = bytes;
    drx_set_memory((size_t)(bytes < LIBRARY_BYTES ? bytes : LIBRARY_BYTES));
}

int axis_from_slowest(int ndim, drx_order order, int k)
{
    return order == DRX_ROW_MAJOR ? k : ndim - 1 - k;
}

int64_t box_bytes(int ndim, const int64_t count[], size_t bytes)
{
    int64_t total = (int64_t)bytes;

    for (int j = 0; j < ndim; j++)
        if (count[j] == 0)
            return 0;
    for (int j = 0; j < ndim; j++)
        if (__builtin_mul_overflow(total, count[j], &total))
            return -1;
    return total;
}

/* Reduce the block to `most` bytes, the slowest axis first, but not below `unit`; it stays a multiple of `unit`. */
static void shrink(struct slabs *s, const int64_t unit[], int64_t most)
{
    int64_t bytes = box_bytes(s->ndim, s->block, s->element_bytes);

    for (int k = 0; k < s->ndim && bytes > most; k++) {
        const int j = axis_from_slowest(s->ndim, s->order, k);
        const int64_t rest = bytes / s->block[j];
        int64_t extent = most / rest / unit[j] * unit[j];

        if (extent == 0)
            extent = unit[j];
        if (extent < s->block[j])
            s->block[j] = extent;
        bytes = rest * s->block[j];
    }
}

/* Elements of the box along axis j in a chunk; and the phase. */
static int64_t chunk_unit(const drx_array *a, int j, int64_t lo, int64_t step, int64_t *phase)
{
    const int64_t chunk = drx_chunk(a)[j];

    *phase = step != 1 ? 0 : lo < 0 ? (lo % chunk + chunk) % chunk : lo;
    return step == 1 || chunk == 1 ? chunk : (chunk - 1) / (step < 0 ? -step : step) + 1;
}

int64_t cut_box(struct slabs *s, int ndim, const int64_t count[], const int64_t unit[], size_t element_bytes,
                drx_order order)
{
    int64_t ones[DRX_MAX_NDIM];
    int64_t total;

    memset(s, 0, sizeof *s);
    s->ndim = ndim;
    s->order = order;
    s->element_bytes = s->counted_bytes = element_bytes;
    memcpy(s->count, count, (size_t)ndim * sizeof *count);
    memcpy(s->block, count, (size_t)ndim * sizeof *count);
    for (int j = 0; j < ndim; j++)
        ones[j] = 1;
    memcpy(s->unit, unit ? unit : ones, (size_t)ndim * sizeof *s->unit);
    total = box_bytes(ndim, count, element_bytes);
    if (total <= 0)
        return total;
    shrink(s, s->unit, most_bytes);
    shrink(s, ones, most_bytes);
    return total;
}

void set_phase(struct slabs *s, const int64_t lower[])
{
    for (int j = 0; j < s->ndim; j++)
        s->phase[j] = (lower[j] % s->block[j] + s->block[j]) % s->block[j];
}

void choose_unit(const drx_array *a, const int64_t from[], int64_t unit[])
{
    const int ndim = drx_ndim(a);
    const int64_t *chunk = drx_chunk(a);
    const bool packed = codec_of(a).codec != DRX_RAW;
    int64_t bytes;

    for (int j = 0; j < ndim; j++) {
        unit[j] = chunk[j] > from[j] ? chunk[j] : from[j];
        if (packed)
            unit[j] = (unit[j] - 1) / chunk[j] * chunk[j] + chunk[j];
    }
    bytes = box_bytes(ndim, unit, drx_type_size(drx_dtype(a)));
    if (bytes < 0 || bytes > most_bytes)
        memcpy(unit, chunk, (size_t)ndim * sizeof *chunk);
}

/* Cut further along the same units, into at least this many slabs if possible. */
static void cut_for(struct slabs *s, int64_t slabs)
{
    const int64_t total = box_bytes(s->ndim, s->count, s->element_bytes);

    if (total > 0)
        shrink(s, s->unit, total / slabs);
}

int64_t cut_slabs(struct slabs *s, const drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                  drx_order order, bool in_sequence)
{
    int64_t units[DRX_MAX_NDIM], phase[DRX_MAX_NDIM];
    int64_t total;

    for (int j = 0; j < drx_ndim(a); j++)
        units[j] = chunk_unit(a, j, lo[j], step ? step[j] : 1, &phase[j]);
    total = cut_box(s, drx_ndim(a), count, in_sequence ? NULL : units, drx_type_size(drx_dtype(a)), order);
    memcpy(s->phase, phase, (size_t)s->ndim * sizeof *phase);
    return total;
}

/* The extent of the slab on axis j: up to the next border, so that blocks of whole chunks stay whole; or the axis. */
static int64_t extent_here(const struct slabs *s, int j)
{
    const int64_t left = s->count[j] - s->at[j];
    const int64_t to_border = s->block[j] - (s->phase[j] + s->at[j]) % s->block[j];

    return s->block[j] == s->count[j] || left < to_border ? left : to_border;
}

bool next_slab(struct slabs *s)
{
    int k = s->ndim;

    while (s->begun && --k >= 0) {
        const int j = axis_from_slowest(s->ndim, s->order, k);

        s->at[j] += s->extent[j];
        if (s->at[j] < s->count[j])
            break;
        s->at[j] = 0;
    }
    if (k < 0 || box_bytes(s->ndim, s->count, 1) == 0)
        return false;
    s->number += s->begun;
    s->begun = true;
    for (int j = 0; j < s->ndim; j++)
        s->extent[j] = extent_here(s, j);
    return true;
}

int64_t slab_bytes(const struct slabs *s)
{
    return box_bytes(s->ndim, s->extent, s->element_bytes);
}

int64_t largest_slab_bytes(const struct slabs *s)
{
    return box_bytes(s->ndim, s->block, s->element_bytes);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void take_own_part(const drx_array *a, const int64_t from[], drx_order order, int64_t lo[], int64_t count[])
{
    const int ndim = drx_ndim(a);
    int64_t most = 0, extent = 0, first;
    int axis = 0;

    for (int k = 0; k < ndim && most < team_size(); k++) {
        const int j = axis_from_slowest(ndim, order, k);
        const int64_t chunk = drx_chunk(a)[j] > from[j] ? drx_chunk(a)[j] : from[j];
        const int64_t unit = smaller(chunk, count[j]), units = (count[j] - 1) / unit + 1;

        if (units > most) {
            most = units;
            extent = ((units - 1) / team_size() + 1) * unit;
            axis = j;
        }
    }
    first = smaller(extent * team_rank(), count[axis]); /* no overflow: a piece is in memory */
    lo[axis] += first;
    count[axis] = smaller(extent, count[axis] - first);
}

void share_slabs(struct slabs *s)
{
    cut_for(s, team_size());
    s->shared = true;
}

/* Is there something to do in the unit of the slab? Sets `part` to it. */
static bool is_present(const struct slabs *s, void *with, const struct slabs *unit, struct slabs *part)
{
    for (int j = 0; j < s->ndim; j++)
        part->at[j] = s->at[j] + unit->at[j];
    memcpy(part->extent, unit->extent, sizeof part->extent);
    return !s->absent(with, part->at, part->extent);
}

/* Does the second box go on where the first one ends on the last axis? Then the first one takes it in. */
static bool take_in(struct slabs *box, const struct slabs *more)
{
    const int last = box->ndim - 1;

    for (int j = 0; j < last; j++)
        if (box->at[j] != more->at[j])
            return false;
    if (box->at[last] + box->extent[last] != more->at[last])
        return false;
    box->extent[last] += more->extent[last];
    return true;
}

/* Do the work with what is not left out: all of the slab, or rows of units. */
static int do_present(const struct slabs *s, slab_work *work, void *with, void *buf)
{
    struct slabs units, unit, row, part = *s;
    bool all = true, begun = false;
    int status = DONE;

    (void)cut_box(&units, s->ndim, s->extent, NULL, 1, DRX_ROW_MAJOR);
    for (int j = 0; j < s->ndim; j++) {
        units.block[j] = s->unit[j] < s->extent[j] ? s->unit[j] : s->extent[j];
        units.phase[j] = (s->phase[j] + s->at[j]) % s->unit[j];
    }
    for (unit = units; all && next_slab(&unit);)
        all = is_present(s, with, &unit, &part);
    if (all)
        return work(with, s, buf);
    for (unit = units; status == DONE && next_slab(&unit);) {
        if (!is_present(s, with, &unit, &part) || (begun && take_in(&row, &part)))
            continue;
        status = begun ? work(with, &row, buf) : DONE;
        row = part;
        begun = true;
    }
    return begun && status == DONE ? work(with, &row, buf) : status;
}

/* The ranks agree after each round of one slab for each, and after the last; a failure ends a rank's round. */
int do_slabs(struct slabs *s, slab_work *work, void *with, struct progress *progress)
{
    const int ranks = s->shared ? team_size() : 1, rank = s->shared ? team_rank() : 0;
    void *buf = calloc((size_t)largest_slab_bytes(s), 1);
    const bool all = s->shared || s->together;
    struct progress own;
    int of_all = buf ? DONE : out_of_memory(largest_slab_bytes(s));
    bool more = true;

    if (!progress)
        begin_progress(&own, box_bytes(s->ndim, s->count, s->counted_bytes));
    if (all)
        of_all = agree(of_all);
    for (int status = of_all; more && of_all == DONE;) {
        more = status == DONE && next_slab(s);
        if (more && s->number % ranks == rank)
            status = s->absent ? do_present(s, work, with, buf) : work(with, s, buf);
        if (status == DONE && interrupted())
            status = FAILED;
        if (more)
            add_progress(progress ? progress : &own, box_bytes(s->ndim, s->extent, s->counted_bytes));
        if (more && s->number % ranks < ranks - 1)
            continue;
        of_all = all ? agree(status) : status;
    }
    if (!progress)
        hide_progress();
    free(buf);
    return of_all;
}
