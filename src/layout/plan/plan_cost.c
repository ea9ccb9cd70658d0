/* The cost of a pass: memory, bytes, calls, seconds. */
#include "layout/plan/plan_internal.h"

/* Measured on a disk: about 1.2 GB/s in sequence, and half of that for scattered pieces of 64 KiB, which makes a call
 * worth about 50 us. A helper thread hides 67 to 100 % of its work. */
const struct drxi_relayout_cost drxi_relayout_cost = {
    .read_bandwidth = 1.2e9,
    .write_bandwidth = 1.2e9,
    .read_latency = 50e-6,
    .write_latency = 50e-6,
    .overlap = 0.8,
    .part_bytes = 64 << 10,
};

enum { STAGE_BYTES = 1 << 20 }; /* fits in the cache until it is written, and is worth waking a thread */

static int64_t region_of(const struct drxi_relayout_pass *pass, int axis)
{
    return drxi_min(pass->region[axis], pass->group[axis]);
}

static int64_t block_of(const struct drxi_relayout_pass *pass, int axis)
{
    return drxi_min(pass->block[axis], region_of(pass, axis));
}

/* Whether to traverse axis i before axis j: U_i M_j + R_i U_j < U_j M_i + R_j U_i. This is U_j (R_i - M_i) < U_i (R_j -
 * M_j), which orders all axes. */
static bool before(const struct drxi_relayout_pass *pass, int i, int j)
{
    const double a = (double)pass->leftover[j] * (double)(region_of(pass, i) - block_of(pass, i));
    const double b = (double)pass->leftover[i] * (double)(region_of(pass, j) - block_of(pass, j));

    return a < b;
}

/* An axis that leaves nothing and takes one step fits anywhere: all its comparisons are equal, so it could keep apart
 * axes that must be exchanged. It comes last. */
static bool idle(const struct drxi_relayout_pass *pass, int axis)
{
    return pass->leftover[axis] == 0 && region_of(pass, axis) == block_of(pass, axis);
}

void drxi_pass_order(struct drxi_relayout_pass *pass, int ndim, const struct drxi_axis_option *const options[])
{
    int n = 0;

    pass->kind = DRXI_KEPT;
    for (int j = 0; j < ndim; j++) {
        pass->region[j] = options[j]->region;
        pass->stride[j] = options[j]->stride;
        pass->block[j] = options[j]->block;
        pass->leftover[j] = options[j]->leftover;
        pass->stage[j] = options[j]->stage;
        if (options[j]->rereads)
            pass->kind = DRXI_TEMPLATE;
    }
    for (int round = 0; round < 2; round++)
        for (int j = ndim - 1; j >= 0; j--) { /* between equal axes, the target's address increases */
            int i = n;

            if (idle(pass, j) != (round == 1))
                continue;
            for (; round == 0 && i > 0 && before(pass, j, pass->traverse[i - 1]); i--)
                pass->traverse[i] = pass->traverse[i - 1];
            pass->traverse[i] = j;
            n++;
        }
}

static bool kept(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes, int64_t *total)
{
    for (int i = 0; i < ndim; i++) {
        int64_t bytes = item_bytes;

        for (int k = 0; k < ndim; k++) {
            const int axis = pass->traverse[k];
            const int64_t extent = k < i ? region_of(pass, axis) : k == i ? pass->leftover[axis] : block_of(pass, axis);

            bytes = pass->leftover[pass->traverse[i]] ? drxi_mul_saturated(bytes, extent) : 0;
        }
        pass->kept_bytes[pass->traverse[i]] = bytes;
        if (bytes == INT64_MAX || !drxi_add(*total, bytes, total))
            return false;
    }
    return true;
}

bool drxi_pass_memory(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes,
                      const struct drxi_axis_option *const options[])
{
    int64_t block = item_bytes, stage = item_bytes, total = 0, buffers;

    for (int j = 0; j < ndim; j++)
        if (!drxi_mul(block, options[j]->block, &block) ||
            !drxi_mul(stage, pass->staged_whole ? pass->stage[j] : pass->target.unit[j], &stage))
            return false;
    pass->block_bytes = block;
    pass->stage_bytes = stage;
    if (!drxi_add(block, stage, &buffers) || !drxi_mul(buffers, pass->buffers, &buffers) ||
        !kept(pass, ndim, item_bytes, &total))
        return false;
    return drxi_add(total, buffers, &pass->memory_bytes);
}

static bool side_bytes(int ndim, const int64_t unit[], int64_t item_bytes, const int64_t *const counts[],
                       int64_t *bytes)
{
    *bytes = item_bytes;
    for (int j = 0; j < ndim; j++)
        if (!drxi_mul(*bytes, unit[j], bytes) || !drxi_mul(*bytes, counts[j][DRXI_SAME], bytes))
            return false;
    return true;
}

static void counts_of(int ndim, const struct drxi_axis_option *const options[], bool writing, const int64_t *counts[])
{
    for (int j = 0; j < ndim; j++)
        counts[j] = writing ? options[j]->write : options[j]->read;
}

bool drxi_pass_bytes(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes,
                     const struct drxi_axis_option *const options[])
{
    const int64_t *counts[DRX_MAX_NDIM] = { NULL };

    pass->steps = 1;
    for (int j = 0; j < ndim; j++)
        if (!drxi_mul(pass->steps, options[j]->steps, &pass->steps))
            return false;
    counts_of(ndim, options, false, counts);
    if (!side_bytes(ndim, pass->source.unit, item_bytes, counts, &pass->read_bytes))
        return false;
    counts_of(ndim, options, true, counts);
    return side_bytes(ndim, pass->target.unit, item_bytes, counts, &pass->write_bytes);
}

bool drxi_pass_calls(struct drxi_relayout_pass *pass, int ndim, const struct drxi_axis_option *const options[])
{
    const int64_t *counts[DRX_MAX_NDIM] = { NULL };

    counts_of(ndim, options, false, counts);
    pass->read_calls = drxi_count_calls(ndim, &pass->source, counts);
    counts_of(ndim, options, true, counts);
    pass->write_calls = 1;
    for (int j = 0; j < ndim; j++)
        if (!drxi_mul(pass->write_calls, counts[j][DRXI_SAME], &pass->write_calls))
            return false;
    if (pass->staged_whole)
        pass->write_calls = drxi_count_calls(ndim, &pass->target, counts);
    return pass->read_calls > 0 && pass->write_calls > 0;
}

void drxi_pass_widen(struct drxi_relayout_pass *pass, int ndim, int64_t item_bytes, int64_t limit_bytes)
{
    int64_t unit = item_bytes, units = 1;

    if (pass->staged_whole)
        return;
    for (int j = 0; j < ndim; j++) {
        unit *= pass->target.unit[j];
        units = drxi_mul_saturated(units, pass->stage[j] / pass->target.unit[j]);
    }
    const int64_t wanted = drxi_min(units, STAGE_BYTES / unit) * unit - pass->stage_bytes;
    const int64_t room = (limit_bytes - pass->memory_bytes) / pass->buffers / unit * unit;
    const int64_t more = drxi_max(0, drxi_min(wanted, room));

    pass->stage_bytes += more;
    pass->memory_bytes += more * pass->buffers;
}

double drxi_pass_seconds(const struct drxi_relayout_pass *pass, const struct drxi_relayout_cost *cost)
{
    const double reading =
        (double)pass->read_bytes / cost->read_bandwidth + (double)pass->read_calls * cost->read_latency;
    const double writing =
        (double)pass->write_bytes / cost->write_bandwidth + (double)pass->write_calls * cost->write_latency;
    const double shorter = reading < writing ? reading : writing;

    return reading + writing - (pass->buffers == 2 ? cost->overlap * (shorter - shorter / (double)pass->steps) : 0);
}
