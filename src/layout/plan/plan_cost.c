/* The cost of a pass: memory, bytes, calls, seconds. Why it needs the memory that it needs:
 *
 * A pass reads each source chunk once, as it lies in the file, and writes each target chunk once, when all of it is
 * there. In between it must keep what it has read and cannot write yet. How much that is depends on the way through
 * the array.
 *
 * One axis, chunks of s indices before and of t after. A step reads whole source chunks until the next target chunk is
 * complete: a block of M = s indices where s >= t, else of the next multiple of s from t on. It writes all target
 * chunks that are complete. The rest it leaves over for the next step. Borders of both chunks meet every L = lcm(s, t)
 * indices. Between two such places the borders are multiples of g = gcd(s, t) apart, so a step leaves U = min(s, t) - g
 * over at most, and some step leaves that much. A pass holds M, U, and the target chunk that it writes (the stage).
 *
 * Several axes. The pass traverses them as nested loops, over regions of R indices on each axis. R is the whole axis,
 * or a multiple of L, so that nothing goes from one region to the next. The first axis traversed runs fastest: its loop
 * runs once for each step of the second one. What it leaves over waits for its next step. Then all other axes are still
 * at one block: U_1 M_2 M_3 ... elements. What the second axis leaves over waits until the first one has gone through
 * all its region: R_1 U_2 M_3 ... elements. And so on. An element that is left over on several axes waits with the
 * fastest one. So
 *
 *     memory = M_1 M_2 ... M_n + stage + sum over i of  R_1 ... R_(i-1) U_i M_(i+1) ... M_n.
 *
 * Which axis goes first? Only two terms change when two axes next to each other, i and j, change places. Without the
 * factors that both have, these are U_i M_j + R_i U_j when i goes first, and U_j M_i + R_j U_i when j does. So i goes
 * first when U_j (R_i - M_i) < U_i (R_j - M_j). Dividing by U_i U_j shows that this compares a number of i with the
 * same number of j, so to sort by it is best among all orders (an exchange argument, as for scheduling jobs).
 *
 * Example: 32 x 9 to 5 x 16, elements of a byte. Axis 0 has M = 32, U = 5 - 1 = 4, L = 160; axis 1 has M = 18,
 * U = 9 - 1 = 8, L = 144. Regions are 160 x 144. 4 (144 - 18) < 8 (160 - 32), so axis 1 goes first. The block is 32 *
 * 18 = 576; axis 1 leaves 8 * 32 = 256, and axis 0 leaves 144 * 4 = 576; the stage is 5 * 16 = 80: 1488 bytes in all.
 *
 * With less memory a pass takes smaller regions (a template) and reads source chunks at their borders again, or there
 * are several passes with chunks in between. The search (plan_pass.c) tries all combinations, and those that it tries
 * do not depend on the limit. So the least memory that it names is exact, and more memory never makes a worse plan.
 * docs/layout.md has the model, and where it differs from the paper (Krishnamoorthy et al. 2006, section 4.2). */
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
