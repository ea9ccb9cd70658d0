#include "box/ahead/pace.h"

enum { ALIKE = 2 }; /* this many steps that are alike make a walk */

static bool is_same(const struct drxi_pace *p, const int64_t a[], const int64_t b[])
{
    return memcmp(a, b, (size_t)p->ndim * sizeof *a) == 0;
}

static void set_place(const struct drxi_pace *p, int64_t to[], const int64_t from[])
{
    memcpy(to, from, (size_t)p->ndim * sizeof *to);
}

void drxi_pace_count(const struct drxi_pace *p, const int64_t upper[], int64_t count[])
{
    for (int j = 0; j < p->ndim; j++)
        count[j] = drxi_min(p->count[j], upper[j] - p->lo[j]);
}

/* The step from the last box; false: it leads nowhere, or to a box of another shape. */
static bool find_step(const struct drxi_pace *p, int ndim, const int64_t upper[], const int64_t lo[],
                      const int64_t count[], int64_t by[])
{
    bool moves = false;

    if (!p->begun || ndim != p->ndim)
        return false;
    for (int j = 0; j < ndim; j++) {
        by[j] = lo[j] - p->lo[j];
        moves = moves || by[j] != 0;
        if (count[j] != drxi_min(p->count[j], upper[j] - lo[j]))
            return false;
    }
    return moves;
}

static void restart(struct drxi_pace *p, int ndim, const int64_t lo[], const int64_t count[])
{
    *p = (struct drxi_pace){ .begun = true, .ndim = ndim };
    set_place(p, p->lo, lo);
    set_place(p, p->count, count);
}

static bool turns_now(const struct drxi_pace *p)
{
    return p->turns && p->steps == p->turn_after;
}

static void step_walk(struct drxi_pace *p)
{
    p->alike++;
    p->steps++;
    p->turns = p->turns && p->steps <= p->turn_after;
}

static void turn(struct drxi_pace *p, const int64_t by[])
{
    set_place(p, p->turn, by);
    p->turn_after = p->steps;
    p->turns = true;
    p->steps = 0;
}

bool drxi_pace_note(struct drxi_pace *p, int ndim, const int64_t upper[], const int64_t lo[], const int64_t count[])
{
    int64_t by[DRX_MAX_NDIM];
    bool expected = false;

    if (!find_step(p, ndim, upper, lo, count, by)) {
        restart(p, ndim, lo, count);
        return false;
    }
    if (p->alike > 0 && is_same(p, by, p->by)) {
        expected = p->alike >= ALIKE && !turns_now(p);
        step_walk(p);
    } else if (p->steps >= ALIKE) {
        expected = turns_now(p) && is_same(p, by, p->turn);
        turn(p, by);
    } else {
        set_place(p, p->by, by);
        p->alike = p->steps = 1;
        p->turns = false;
    }
    set_place(p, p->lo, lo);
    return expected;
}

bool drxi_pace_go_on(struct drxi_pace *p, const int64_t lower[], const int64_t upper[])
{
    const bool turning = turns_now(p);
    const int64_t *by = turning ? p->turn : p->by;

    if (p->alike < ALIKE)
        return false;
    for (int j = 0; j < p->ndim; j++)
        if (!drxi_add(p->lo[j], by[j], &p->lo[j]) || p->lo[j] < lower[j] || p->lo[j] >= upper[j])
            return false;
    if (turning)
        p->steps = 0;
    else
        step_walk(p);
    return true;
}
