/* One axis of a pass: its regions and steps, and what they cost. */
#include "layout/plan/plan_internal.h"

void drxi_axis_start(struct drxi_axis_walk *walk, const struct drxi_relayout_pass *pass, int axis, int64_t end)
{
    *walk = (struct drxi_axis_walk){
        .source_unit = pass->source.unit[axis],
        .target_unit = pass->target.unit[axis],
        .region = pass->region[axis],
        .stride = pass->stride[axis],
        .begin = pass->start[axis],
        .end = end,
        .hi = pass->start[axis],
    };
}

/* Regions end where they would if the group began at 0, so their borders are those of source units where possible. A
 * region as long as the group is all of it. */
bool drxi_axis_region(struct drxi_axis_walk *walk)
{
    if (walk->hi >= walk->end)
        return false;
    walk->lo = walk->hi;
    walk->hi = walk->end;
    if (walk->region < walk->end - walk->begin)
        walk->hi = drxi_min(walk->end, walk->lo / walk->region * walk->region + walk->region);
    walk->read = walk->lo / walk->source_unit * walk->source_unit;
    walk->written = walk->lo;
    return true;
}

/* Source units at least as long as target units are read in strides. Of shorter ones, a step reads just what completes
 * a stride of target units. A fixed block of these, as in the paper, would let leftovers grow past min(s, t) - gcd(s,
 * t), for example with s = 2, t = 9. */
bool drxi_axis_step(struct drxi_axis_walk *walk, struct drxi_axis_step *step)
{
    const int64_t s = walk->source_unit, t = walk->target_unit;
    const int64_t next = s >= t ? walk->read + walk->stride : drxi_round_up(walk->written + walk->stride, s);

    if (walk->written >= walk->hi)
        return false;
    step->read_lo = walk->read;
    step->write_lo = walk->written;
    step->read_hi = drxi_min(next, drxi_round_up(walk->hi, s));
    step->write_hi = step->read_hi >= walk->hi ? walk->hi : step->read_hi / t * t;
    walk->read = step->read_hi;
    walk->written = step->write_hi;
    return true;
}

static void add_step(const struct drxi_axis *axis, const struct drxi_axis_walk *walk, const struct drxi_axis_step *step,
                     int64_t extent, struct drxi_axis_option *o)
{
    const int64_t s = axis->source.unit, t = axis->target.unit;
    const int64_t write_end = drxi_ceil_div(step->write_hi, t);

    o->steps++;
    o->block = drxi_max(o->block, step->read_hi - step->read_lo);
    o->leftover = drxi_max(o->leftover, drxi_min(step->read_hi, walk->hi) - step->write_hi);
    drxi_count_runs(step->read_lo / s, step->read_hi / s, &axis->source, axis->source.temporary ? extent : axis->length,
                    o->read);
    if (step->write_hi > step->write_lo) {
        o->stage = drxi_max(o->stage, (write_end - step->write_lo / t) * t);
        drxi_count_runs(step->write_lo / t, write_end, &axis->target, axis->target.temporary ? extent : axis->length,
                        o->write);
    }
}

/* Add `times` the cost of a walk over `length` from `begin` on, part of a group of `extent`. */
static void add_walk(const struct drxi_axis *axis, int64_t begin, int64_t length, int64_t extent, int64_t times,
                     struct drxi_axis_option *total)
{
    struct drxi_axis_option o = { .stride = total->stride, .region = total->region };
    struct drxi_axis_walk walk = { .source_unit = axis->source.unit,
                                   .target_unit = axis->target.unit,
                                   .region = o.region,
                                   .stride = o.stride,
                                   .begin = begin,
                                   .end = begin + length,
                                   .hi = begin };
    struct drxi_axis_step step;

    if (length == 0 || times == 0)
        return;
    while (drxi_axis_region(&walk))
        while (drxi_axis_step(&walk, &step))
            add_step(axis, &walk, &step, extent, &o);
    total->block = drxi_max(total->block, o.block);
    total->leftover = drxi_max(total->leftover, o.leftover);
    total->stage = drxi_max(total->stage, o.stage);
    total->steps += times * o.steps;
    for (int r = 0; r < DRXI_RUNS; r++) {
        total->read[r] += times * o.read[r];
        total->write[r] += times * o.write[r];
    }
}

/* Regions and chunks repeat with their least common multiple. */
static int64_t period_of(const struct drxi_axis *axis, const struct drxi_axis_option *option)
{
    return drxi_lcm(drxi_lcm(axis->source.chunk, axis->target.chunk), option->region);
}

int64_t drxi_axis_work(const struct drxi_axis *axis, const struct drxi_axis_option *option)
{
    const int64_t stride = drxi_min(option->stride, option->region);

    return drxi_ceil_div(drxi_min(period_of(axis, option), axis->group), stride);
}

static void add_group(const struct drxi_axis *axis, int64_t extent, int64_t times, struct drxi_axis_option *total)
{
    const int64_t period = period_of(axis, total), start = axis->start; /* less than the period */
    const int64_t before = start > 0 ? period - start : 0;

    if (period >= extent) {
        add_walk(axis, start, extent, extent, times, total);
        return;
    }
    add_walk(axis, start, before, extent, times, total);
    add_walk(axis, 0, period, extent, times * ((extent - before) / period), total);
    add_walk(axis, 0, (extent - before) % period, extent, times, total);
}

void drxi_axis_measure(const struct drxi_axis *axis, struct drxi_axis_option *option)
{
    *option = (struct drxi_axis_option){ .stride = option->stride, .region = option->region };
    add_group(axis, axis->group, axis->extent / axis->group, option);
    add_group(axis, axis->extent % axis->group, 1, option);
    option->rereads = option->region < axis->group && option->region % axis->source.unit != 0;
}
