/* Plans carried out element by element, on small arrays: every target unit can be written when
 * its step says so, memory is what the plan says, and so are bytes and calls. Which elements a
 * buffer holds follows docs/layout.md; where elements lie in the files is computed again here. */
#include "layout/plan/relayout.h"
#include "testing.h"

enum { MAX_TEST_NDIM = 5, ELEMENTS = 1200, STORED = 1 << 16, STEPS = 4096 };

/* A plan being run; `e` is an element of the group, by row-major place. */
struct run {
    const struct drxi_relayout_request *request;
    const struct drxi_relayout *plan;
    const struct drxi_relayout_pass *pass;
    int ndim;
    int64_t origin[MAX_TEST_NDIM];                    /* of the group, in the array */
    int64_t first[MAX_TEST_NDIM], end[MAX_TEST_NDIM]; /* its indices */
    int64_t lo[MAX_TEST_NDIM], hi[MAX_TEST_NDIM];     /* of the region, in the group */
    bool held[ELEMENTS], was_read[ELEMENTS], written[ELEMENTS];
    int64_t n_held;
    struct drxi_axis_step step[MAX_TEST_NDIM][STEPS];
    int steps[MAX_TEST_NDIM], at[MAX_TEST_NDIM];
    int64_t total_steps, bytes[2], calls[2]; /* written, read */
};

static struct run run;

static int64_t place(const int64_t index[])
{
    int64_t e = 0;

    for (int j = 0; j < run.ndim; j++)
        e = e * (run.end[j] - run.first[j]) + index[j] - run.first[j];
    return e;
}

static void index_of(int64_t e, int64_t index[])
{
    for (int j = run.ndim - 1; j >= 0; j--) {
        const int64_t n = run.end[j] - run.first[j];

        index[j] = run.first[j] + e % n;
        e /= n;
    }
}

/* Where the element of a group lies in the file, in elements. */
static int64_t offset_in_file(const struct drxi_relayout_side *side, bool source, const int64_t index[])
{
    const struct drxi_relayout_request *r = run.request;
    const drx_order order = side->temporary ? DRX_ROW_MAJOR : source ? r->source.order : r->target.order;
    int64_t address = 0, within = 0, chunk_elements = 1;

    for (int k = 0; k < run.ndim; k++) { /* axis k of the array itself */
        for (int j = 0; j < run.ndim; j++) {
            const int axis = source && !side->temporary && r->permute ? r->permute[j] : j;
            const int64_t c = side->chunk[j], i = side->temporary ? index[j] : run.origin[j] + index[j];
            const int64_t n = side->temporary ? run.end[j] : run.plan->shape[j];

            if (axis == k) {
                address = address * ((n + c - 1) / c) + i / c;
                chunk_elements *= c;
            }
            if (axis == (order == DRX_ROW_MAJOR ? k : run.ndim - 1 - k))
                within = within * c + i % c;
        }
    }
    return address * chunk_elements + within;
}

/* Step through a box, the last axis fastest; false at its end. */
static bool next_in_box(int ndim, const int64_t lo[], const int64_t hi[], const int64_t by[], int64_t index[])
{
    for (int j = ndim - 1; j >= 0; j--) {
        index[j] += by[j];
        if (index[j] < hi[j])
            return true;
        index[j] = lo[j];
    }
    return false;
}

static const int64_t ones[MAX_TEST_NDIM] = { 1, 1, 1, 1, 1 };

/* A unit is contiguous in the file; its start. */
static int64_t unit_start(const struct drxi_relayout_side *side, bool source, const int64_t corner[], int64_t *elements)
{
    int64_t index[MAX_TEST_NDIM], hi[MAX_TEST_NDIM], first = INT64_MAX, last = -1;

    *elements = 1;
    for (int j = 0; j < run.ndim; j++) {
        index[j] = corner[j];
        hi[j] = corner[j] + side->unit[j];
        assert_int_equal(side->chunk[j] % side->unit[j], 0);
        assert_int_equal(((side->temporary ? 0 : run.origin[j]) + corner[j]) % side->unit[j], 0);
        *elements *= side->unit[j];
    }
    do {
        const int64_t at = offset_in_file(side, source, index);

        first = at < first ? at : first;
        last = at > last ? at : last;
    } while (next_in_box(run.ndim, corner, hi, ones, index));
    assert_int_equal(last - first + 1, *elements);
    return first;
}

static bool in_region(const int64_t index[])
{
    for (int j = 0; j < run.ndim; j++)
        if (index[j] < run.lo[j] || index[j] >= run.hi[j])
            return false;
    return true;
}

/* From the source to a buffer, or from there to the target. */
static void move_element(const int64_t index[], bool source)
{
    const int64_t e = place(index);
    bool *moved = source ? run.was_read : run.written;

    assert_false(moved[e]);
    assert_true(source || run.held[e]);
    moved[e] = true;
    run.held[e] = source;
    run.n_held += source ? 1 : -1;
}

/* Move a unit's elements; of a source unit, those that the region wants. */
static void move_unit(const struct drxi_relayout_side *side, bool source, const int64_t corner[])
{
    int64_t index[MAX_TEST_NDIM], hi[MAX_TEST_NDIM];

    for (int j = 0; j < run.ndim; j++) {
        index[j] = corner[j];
        hi[j] = corner[j] + side->unit[j] < run.end[j] ? corner[j] + side->unit[j] : run.end[j];
        assert_true(corner[j] < run.end[j]);
    }
    do {
        if (in_region(index))
            move_element(index, source);
        else
            assert_true(source); /* target units end with the region */
    } while (next_in_box(run.ndim, corner, hi, ones, index));
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Move the units of the box that the step reads or writes; returns their bytes. */
static int64_t move_box(bool source)
{
    static int64_t starts[STORED];
    const struct drxi_relayout_side *side = source ? &run.pass->source : &run.pass->target;
    const bool several = source || run.pass->staged_whole; /* units in one call */
    int64_t lo[MAX_TEST_NDIM], hi[MAX_TEST_NDIM], corner[MAX_TEST_NDIM], elements = 0, chunk = 1, n = 0, runs = 0;

    for (int j = 0; j < run.ndim; j++) {
        const struct drxi_axis_step *s = &run.step[j][run.at[j]];

        corner[j] = lo[j] = source ? s->read_lo : s->write_lo;
        hi[j] = source ? s->read_hi : s->write_hi;
        chunk *= side->chunk[j];
        if (lo[j] >= hi[j])
            return 0;
    }
    do {
        assert_true(n < STORED);
        starts[n++] = unit_start(side, source, corner, &elements);
        move_unit(side, source, corner);
    } while (next_in_box(run.ndim, lo, hi, side->unit, corner));
    qsort(starts, (size_t)n, sizeof starts[0], compare);
    for (int64_t i = 0; i < n; i++)
        runs += !(several && i > 0 && starts[i] == starts[i - 1] + elements &&
                  (!side->scattered || starts[i] % chunk != 0));
    run.bytes[source] += n * elements * run.plan->item_bytes;
    run.calls[source] += runs;
    return n * elements * run.plan->item_bytes;
}

/* The step along axis j that reads index i, or the one that completes it. */
static int step_of(int j, int64_t i, bool reads)
{
    for (int k = 0; k < run.steps[j]; k++)
        if (i < (reads ? run.step[j][k].read_hi : run.step[j][k].write_hi))
            return k;
    fail();
    return 0;
}

/* Whether an element's completion lies behind the current step, looking at the fastest n axes. */
static bool is_ahead(const int completing[], int n)
{
    for (int i = n - 1; i >= 0; i--) {
        const int axis = run.pass->traverse[i];

        if (completing[axis] != run.at[axis])
            return completing[axis] > run.at[axis];
    }
    return false;
}

/* The axis whose buffer keeps the element: see docs/layout.md. */
static int buffer_of(int64_t e)
{
    int64_t index[MAX_TEST_NDIM];
    int reading[MAX_TEST_NDIM], completing[MAX_TEST_NDIM], old;

    index_of(e, index);
    for (int j = 0; j < run.ndim; j++) {
        reading[j] = step_of(j, index[j], true);
        completing[j] = step_of(j, index[j], false);
        assert_true(completing[j] <= reading[j] + 1);
    }
    for (old = run.ndim - 1; old >= 0; old--)
        if (reading[run.pass->traverse[old]] != run.at[run.pass->traverse[old]])
            break;
    if (old >= 0 && is_ahead(completing, old + 1))
        return run.pass->traverse[old];
    for (int i = old + 1; i < run.ndim; i++)
        if (completing[run.pass->traverse[i]] > run.at[run.pass->traverse[i]])
            return run.pass->traverse[i];
    fail();
    return 0;
}

static int64_t group_elements(void)
{
    int64_t n = 1;

    for (int j = 0; j < run.ndim; j++)
        n *= run.end[j] - run.first[j];
    return n;
}

static void check_kept(void)
{
    int64_t bytes[MAX_TEST_NDIM] = { 0 };
    const int64_t n = group_elements();

    for (int64_t e = 0; e < n && run.n_held > 0; e++)
        if (run.held[e])
            bytes[buffer_of(e)] += run.plan->item_bytes;
    for (int j = 0; j < run.ndim; j++)
        assert_true(bytes[j] <= run.pass->kept_bytes[j]);
}

static void run_step(void)
{
    assert_true(move_box(true) <= run.pass->block_bytes);
    const int64_t written = move_box(false);

    assert_true(!run.pass->staged_whole || written <= run.pass->stage_bytes);
    check_kept();
    run.total_steps++;
}

static void run_region(void)
{
    const int64_t n = group_elements();
    int i;

    memset(run.was_read, 0, sizeof run.was_read);
    memset(run.at, 0, sizeof run.at);
    do {
        run_step();
        for (i = 0; i < run.ndim; i++) {
            const int axis = run.pass->traverse[i];

            if (++run.at[axis] < run.steps[axis])
                break;
            run.at[axis] = 0;
        }
    } while (i < run.ndim);
    assert_int_equal(run.n_held, 0);
    for (int64_t e = 0; e < n; e++) {
        int64_t index[MAX_TEST_NDIM];

        index_of(e, index);
        assert_true(run.written[e] || !in_region(index));
    }
}

/* All regions of the group, axis by axis. */
static void run_regions(int axis)
{
    struct drxi_axis_walk walk;

    if (axis == run.ndim || axis == MAX_TEST_NDIM) {
        run_region();
        return;
    }
    drxi_axis_start(&walk, run.pass, axis, run.end[axis]);
    while (drxi_axis_region(&walk)) {
        run.lo[axis] = walk.lo;
        run.hi[axis] = walk.hi;
        run.steps[axis] = 0;
        while (drxi_axis_step(&walk, &run.step[axis][run.steps[axis]])) {
            run.steps[axis]++;
            assert_true(run.steps[axis] < STEPS);
        }
        run_regions(axis + 1);
    }
}

static void run_pass(const struct drxi_relayout_pass *pass)
{
    int64_t lo[MAX_TEST_NDIM], memory = pass->buffers * (pass->block_bytes + pass->stage_bytes);

    run.pass = pass;
    run.total_steps = run.bytes[0] = run.bytes[1] = run.calls[0] = run.calls[1] = 0;
    memcpy(lo, run.plan->lo, sizeof lo);
    do {
        for (int j = 0; j < run.ndim; j++) {
            const int64_t rest = run.plan->hi[j] - lo[j];

            run.first[j] = pass->start[j];
            run.origin[j] = lo[j] - pass->start[j];
            run.end[j] = pass->start[j] + (rest < pass->group[j] ? rest : pass->group[j]);
            assert_true(pass->start[j] == 0 || run.plan->passes == 1);
        }
        memset(run.written, 0, sizeof run.written);
        run_regions(0);
    } while (next_in_box(run.ndim, run.plan->lo, run.plan->hi, pass->group, lo));
    for (int j = 0; j < run.ndim; j++)
        memory += pass->kept_bytes[j];
    assert_int_equal(memory, pass->memory_bytes);
    assert_int_equal(run.total_steps, pass->steps);
    assert_int_equal(run.bytes[1], pass->read_bytes);
    assert_int_equal(run.bytes[0], pass->write_bytes);
    assert_int_equal(run.calls[1], pass->read_calls);
    assert_int_equal(run.calls[0], pass->write_calls);
}

static void run_plan(const struct drxi_relayout_request *request, const struct drxi_relayout *plan)
{
    int64_t memory = 0, read = 0, write = 0;

    run.request = request;
    run.plan = plan;
    run.ndim = plan->ndim;
    assert_false(plan->pass[0].source.temporary);
    assert_false(plan->pass[plan->passes - 1].target.temporary);
    for (int i = 0; i < plan->passes; i++) {
        const struct drxi_relayout_pass *pass = &plan->pass[i];

        run_pass(pass);
        memory = pass->memory_bytes > memory ? pass->memory_bytes : memory;
        read += pass->read_bytes;
        write += pass->write_bytes;
        if (i > 0) {
            assert_true(pass->source.temporary && plan->pass[i - 1].target.temporary);
            assert_memory_equal(pass->source.chunk, plan->pass[i - 1].target.chunk, sizeof pass->source.chunk);
            assert_memory_equal(pass->group, plan->pass[0].group, sizeof pass->group);
        }
    }
    assert_int_equal(memory, plan->memory_bytes);
    assert_true(memory <= request->memory_bytes);
    assert_int_equal(read, plan->read_bytes);
    assert_int_equal(write, plan->write_bytes);
}

struct job {
    struct drxi_relayout_request request;
    struct drxi_relayout_cost cost;
    int64_t shape[MAX_TEST_NDIM], source[MAX_TEST_NDIM], target[MAX_TEST_NDIM];
    int64_t lo[MAX_TEST_NDIM], hi[MAX_TEST_NDIM];
    int permute[MAX_TEST_NDIM];
};

/* A box of whole chunks of the target; often it starts inside a source chunk. */
static void choose_box(struct job *job, uint64_t *seed)
{
    struct drxi_relayout_request *r = &job->request;

    for (int j = 0; j < r->ndim; j++) {
        const int64_t n = job->shape[r->permute ? r->permute[j] : j], t = job->target[j], chunks = (n + t - 1) / t;
        const int64_t first = random_below(seed, chunks), count = 1 + random_below(seed, chunks - first);

        job->lo[j] = first * t;
        job->hi[j] = (first + count) * t < n ? (first + count) * t : n;
    }
    r->lo = job->lo;
    r->hi = job->hi;
}

static void choose_job(struct job *job, uint64_t *seed)
{
    static const int64_t most[MAX_TEST_NDIM + 1] = { 0, 500, 33, 10, 5, 4 };
    const int ndim = 1 + (int)random_below(seed, MAX_TEST_NDIM);
    const int64_t chunk = random_below(seed, 4) ? 7 : 20;

    for (int j = 0; j < ndim; j++) {
        job->shape[j] = 1 + random_below(seed, most[ndim]);
        job->source[j] = 1 + random_below(seed, ndim == 1 ? 5 * chunk : ndim > 3 ? 4 : chunk);
        job->target[j] = 1 + random_below(seed, ndim == 1 ? 5 * chunk : ndim > 3 ? 4 : chunk);
        job->permute[j] = j;
    }
    for (int j = ndim - 1; j > 0; j--) {
        const int k = (int)random_below(seed, j + 1), axis = job->permute[j];

        job->permute[j] = job->permute[k];
        job->permute[k] = axis;
    }
    job->cost = (struct drxi_relayout_cost){
        .read_bandwidth = 1 + (double)random_below(seed, 100),
        .write_bandwidth = 1 + (double)random_below(seed, 100),
        .read_latency = (double)random_below(seed, 3),
        .write_latency = (double)random_below(seed, 3),
        .overlap = (double)random_below(seed, 5) / 4,
        .part_bytes = random_below(seed, 2) ? 1 + random_below(seed, 20) : 1 << 20,
    };
    job->request = (struct drxi_relayout_request){
        .ndim = ndim,
        .shape = job->shape,
        .source = { job->source, (drx_order)random_below(seed, 2), random_below(seed, 4) == 0 },
        .target = { job->target, (drx_order)random_below(seed, 2), random_below(seed, 4) == 0 },
        .permute = random_below(seed, 3) ? job->permute : NULL,
        .item_bytes = 1 + random_below(seed, 3),
        .cost = &job->cost,
    };
    if (random_below(seed, 2))
        choose_box(job, seed);
}

/* The least memory works, one byte less does not; more is never slower. */
static void check_job(struct job *job, uint64_t *seed, int tally[4])
{
    static struct drxi_relayout plan;
    int64_t least, again, limit;
    double seconds = 0;

    assert_status(drxi_relayout_plan(&job->request, &plan, &least), DRX_ERANGE);
    assert_true(least > 0);
    job->request.memory_bytes = least - 1;
    assert_status(drxi_relayout_plan(&job->request, &plan, &again), DRX_ERANGE);
    assert_int_equal(again, least);
    limit = least;
    for (int i = 0; i < 4; i++) {
        job->request.memory_bytes = limit;
        assert_ok(drxi_relayout_plan(&job->request, &plan, &again));
        assert_int_equal(again, 0);
        assert_true(i == 0 || plan.seconds <= seconds);
        seconds = plan.seconds;
        run_plan(&job->request, &plan);
        tally[0] += plan.passes > 1;
        tally[1] += plan.pass[0].kind == DRXI_TEMPLATE;
        tally[2] += plan.pass[0].leftover[0] > 0 && plan.pass[0].kind == DRXI_KEPT;
        tally[3] += !drxi_is_zero(plan.pass[0].start, sizeof plan.pass[0].start);
        limit += random_below(seed, limit) + 1;
    }
}

TEST(random_plans)
{
    uint64_t seed = starting_seed(20061106);
    int tally[4] = { 0 };

    for (int i = 0; i < 250; i++) {
        struct job job = { 0 };

        print_message("job %d: DRX_SEED=%llu\n", i, (unsigned long long)seed);
        choose_job(&job, &seed);
        check_job(&job, &seed, tally);
    }
    print_message("%d of several passes, %d with templates, %d that keep leftovers, %d that start inside a chunk\n",
                  tally[0], tally[1], tally[2], tally[3]);
    assert_true(tally[0] > 0 && tally[1] > 0 && tally[2] > 0 && tally[3] > 0);
}
