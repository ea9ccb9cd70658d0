/* Advice for the layout of an array. */
#include "layout/advise/advise.h"

#include "array/array.h"
#include "io/block_bytes.h"
#include "layout/plan/relayout.h"

enum { DEFAULT_CHUNK_BYTES = 1 << 20 };

static drx_status check_access(const struct drxi_stored_layout *layout, const char *label, int i,
                               const drx_access *access)
{
    if (!access->count)
        return drxi_fail(DRX_EINVAL, "%s: request %d has no extents", label, i);
    if (!(access->weight >= 0 && access->weight <= 1e300))
        return drxi_fail(DRX_EINVAL, "%s: request %d has a weight of %g; 0 (for 1) or more is expected", label, i,
                         access->weight);
    for (int j = 0; j < layout->ndim; j++)
        if (access->count[j] < 1 || access->count[j] > layout->shape[j])
            return drxi_fail(DRX_EINVAL, "%s: request %d has an extent of %lld on axis %d; 1 to %lld are expected",
                             label, i, (long long)access->count[j], j, (long long)layout->shape[j]);
    return DRX_OK;
}

static drx_status check_advise_spec(const char *label, const drx_advise_spec *spec)
{
    if (!drxi_is_zero(spec->reserved, sizeof spec->reserved))
        return drxi_fail(DRX_EINVAL, "%s: a reserved field of the drx_advise_spec is not zero", label);
    if (spec->chunk_bytes < 0)
        return drxi_fail(DRX_EINVAL, "%s: chunks of %lld bytes; 1 or more are expected", label,
                         (long long)spec->chunk_bytes);
    if (spec->align < 0 || spec->align > DRXI_MOST_ALIGN || (spec->align & (spec->align - 1)))
        return drxi_fail(DRX_EINVAL, "%s: an alignment of %lld; a power of two up to 2^30 is expected", label,
                         (long long)spec->align);
    if (spec->memory_bytes < 0)
        return drxi_fail(DRX_EINVAL, "%s: a memory limit of %lld bytes", label, (long long)spec->memory_bytes);
    return DRX_OK;
}

/* The pitch of a chunk leaves room for 2^63 bytes in all; a copy is planned for at most a quarter of that. */
static drx_status check_advice(const struct drxi_stored_layout *layout, const char *label, int n,
                               const drx_access access[], const drx_advise_spec *spec)
{
    drx_status st = check_advise_spec(label, spec);

    if (!st && (n < 1 || !access))
        st = drxi_fail(DRX_EINVAL, "%s: no requests; one or more are expected", label);
    for (int j = 0; !st && j < layout->ndim; j++)
        if (layout->shape[j] == 0)
            st = drxi_fail(DRX_EINVAL, "%s: has no elements, its extent on axis %d is 0", label, j);
    for (int i = 0; !st && i < n; i++)
        st = check_access(layout, label, i, &access[i]);
    return st;
}

/* Chunks lie in row-major order while there is one segment, along axis 0. */
static bool is_row_major(const drxi_map *map)
{
    return map->count <= 1 && (map->count == 0 || map->axis[0] == 0);
}

static void describe_stored(const drx_array *a, struct drxi_stored_layout *layout)
{
    const struct drxi_data *d = &a->data;

    *layout = (struct drxi_stored_layout){ .ndim = d->ndim,
                                           .item_bytes = (int64_t)a->data.item_bytes,
                                           .pitch_bytes = a->data.chunk_pitch_bytes,
                                           .order = d->chunk_order,
                                           .scattered = !is_row_major(&a->data.map),
                                           .stage_bytes = DRXI_READ_STAGE_BYTES,
                                           .through_bytes = DRXI_READ_THROUGH_BYTES };
    memcpy(layout->shape, a->log.state.shape, sizeof *layout->shape * (size_t)d->ndim);
    memcpy(layout->chunk, d->chunk, sizeof *layout->chunk * (size_t)d->ndim);
}

static int64_t chunk_bytes_of(const struct drxi_stored_layout *layout)
{
    return drxi_times(layout->item_bytes, layout->ndim, layout->chunk);
}

static struct drxi_chunking chunking(const struct drxi_stored_layout *layout)
{
    const bool padded = layout->pitch_bytes != chunk_bytes_of(layout);

    return (struct drxi_chunking){ layout->chunk, layout->order, layout->scattered || padded };
}

static drx_status plan_copy(const struct drxi_stored_layout *from, const struct drxi_stored_layout *to,
                            int64_t memory_bytes, drx_copy_plan *out)
{
    const struct drxi_relayout_request request = { .ndim = from->ndim,
                                                   .shape = from->shape,
                                                   .source = chunking(from),
                                                   .target = chunking(to),
                                                   .item_bytes = from->item_bytes,
                                                   .memory_bytes = memory_bytes ? memory_bytes : DRX_COPY_MEMORY };
    struct drxi_relayout *plan = drxi_malloc(sizeof *plan);
    const drx_status st = plan ? drxi_relayout_plan(&request, plan, NULL) : DRX_ENOMEM;

    if (!st)
        *out = (drx_copy_plan){ .passes = plan->passes,
                                .memory_bytes = plan->memory_bytes,
                                .temporary_bytes = plan->temporary_bytes,
                                .read_bytes = plan->read_bytes,
                                .read_calls = plan->read_calls,
                                .write_bytes = plan->write_bytes,
                                .write_calls = plan->write_calls,
                                .seconds = plan->seconds };
    drxi_free(plan);
    return st;
}

static void fill_costs(const struct drxi_stored_layout *layout, int n, const drx_access access[],
                       drx_access_cost costs[])
{
    for (int i = 0; costs && i < n; i++) {
        const struct drxi_read read = drxi_expect_read(layout, access[i].count);

        costs[i] = (drx_access_cost){ .calls = read.calls, .bytes = read.bytes, .seconds = drxi_read_seconds(read) };
    }
}

static drx_status advise(const struct drxi_stored_layout *now, const struct drxi_wishes *wishes, int64_t memory_bytes,
                         struct drxi_stored_layout *then, drx_advice *advice)
{
    drx_status st;

    *then = *now;
    advice->before_seconds = advice->after_seconds = drxi_round_seconds(now, wishes);
    st = drxi_best_chunk(then, wishes);
    if (st)
        return st;
    const double seconds = drxi_round_seconds(then, wishes);

    if (seconds >= advice->before_seconds * (1 - 1e-9)) {
        *then = *now;
        return DRX_OK;
    }
    advice->copies = 1;
    advice->after_seconds = seconds;
    advice->align = drxi_choose_align(chunk_bytes_of(then), wishes);
    st = plan_copy(now, then, memory_bytes, &advice->copy);
    advice->rounds = advice->copy.seconds / (advice->before_seconds - seconds);
    return st;
}

drx_status drx_advise(const drx_array *a, int n, const drx_access access[], const drx_advise_spec *spec,
                      drx_advice *out, drx_access_cost before[], drx_access_cost after[])
{
    static const drx_advise_spec usual;
    struct drxi_stored_layout now, then;
    struct drxi_wishes wishes = { .n = n, .access = access };
    drx_advice advice = { 0 };
    struct drxi_gate *gate;
    drx_status st;

    if (!a)
        return drxi_no_array();
    if (!out)
        return drxi_fail(DRX_EINVAL, "%s: nowhere to put the advice", a->parts.label);
    spec = spec ? spec : &usual;
    gate = (struct drxi_gate *)(uintptr_t)&a->gate; /* taking a lock does not change what is inquired */
    drxi_gate_enter(gate);
    describe_stored(a, &now);
    advice.align = a->log.state.desc.align;
    drxi_gate_leave(gate);
    st = check_advice(&now, a->parts.label, n, access, spec);
    if (st)
        return st;
    wishes.chunk_bytes = spec->chunk_bytes ? spec->chunk_bytes : DEFAULT_CHUNK_BYTES;
    wishes.align = spec->align;
    wishes.unit = advice.block_bytes = drxi_block_bytes(drx_file(a, 1));
    st = advise(&now, &wishes, spec->memory_bytes, &then, &advice);
    if (st)
        return st;
    memcpy(advice.chunk, then.chunk, sizeof *then.chunk * (size_t)then.ndim);
    fill_costs(&now, n, access, before);
    fill_costs(&then, n, access, after);
    *out = advice;
    return DRX_OK;
}
