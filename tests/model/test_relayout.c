/* drx_copy against one element at a time: random arrays, histories, layouts and limits. */
#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "layout/run/run.h"
#include "testing.h"

enum { MAX_TEST_NDIM = 5 };

struct job {
    int ndim;
    drx_type type;
    size_t item;
    int64_t shape[MAX_TEST_NDIM], chunk[MAX_TEST_NDIM], to_chunk[MAX_TEST_NDIM];
    int permute[MAX_TEST_NDIM];
    drx_order order, to_order;
    uint8_t fill[16];
    drx_array *from;
    drx_copy_spec spec;
    uint8_t *values; /* of the source, in C order */
    int64_t elements;
};

static void choose(struct job *job, uint64_t *seed)
{
    static const int64_t most[MAX_TEST_NDIM + 1] = { 0, 3000, 60, 16, 9, 6 };
    static const drx_type types[] = { DRX_UINT8, DRX_INT16, DRX_FLOAT32, DRX_FLOAT64, DRX_COMPLEX128 };
    const int64_t chunk = random_below(seed, 4) ? 7 : 20;

    memset(job, 0, sizeof *job);
    job->ndim = 1 + (int)random_below(seed, MAX_TEST_NDIM);
    job->type = types[random_below(seed, 5)];
    job->item = drx_type_size(job->type);
    for (int j = 0; j < job->ndim; j++) {
        job->shape[j] = 1 + random_below(seed, most[job->ndim]);
        job->chunk[j] = 1 + random_below(seed, job->ndim == 1 ? 9 * chunk : job->ndim > 3 ? 4 : chunk);
        job->to_chunk[j] = 1 + random_below(seed, job->ndim == 1 ? 9 * chunk : job->ndim > 3 ? 4 : chunk);
        job->permute[j] = j;
    }
    for (int j = job->ndim - 1; j > 0; j--) {
        const int k = (int)random_below(seed, j + 1), axis = job->permute[j];

        job->permute[j] = job->permute[k];
        job->permute[k] = axis;
    }
    job->order = (drx_order)random_below(seed, 2);
    job->to_order = (drx_order)random_below(seed, 2);
    if (random_below(seed, 3) == 0)
        for (size_t i = 0; i < job->item; i++)
            job->fill[i] = (uint8_t)random_next(seed);
    job->spec = (drx_copy_spec){
        .permute = random_below(seed, 3) ? job->permute : NULL,
        .chunk = random_below(seed, 8) ? job->to_chunk : NULL,
        .chunk_order = random_below(seed, 3) ? &job->to_order : NULL,
        .align = random_below(seed, 4) ? 0 : 64,
        .flags = random_below(seed, 6) ? 0 : DRX_SHELL,
    };
}

/* Made at once, or grown in steps, with some of it never written. */
static void make_source(struct job *job, const char *path, uint64_t *seed)
{
    int64_t shape[MAX_TEST_NDIM], lo[MAX_TEST_NDIM] = { 0 };
    drx_spec spec = { .ndim = job->ndim,
                      .type = job->type,
                      .shape = shape,
                      .chunk = job->chunk,
                      .fill = job->fill,
                      .chunk_order = job->order,
                      .align = random_below(seed, 4) ? 0 : 32,
                      .flags = DRX_REPLACE };

    memcpy(shape, job->shape, sizeof shape);
    if (random_below(seed, 2))
        for (int j = 0; j < job->ndim; j++)
            shape[j] = random_below(seed, job->shape[j] + 1);
    assert_ok(drx_create(path, &spec, &job->from));
    for (bool all = false; !all;) {
        all = true;
        for (int j = 0; j < job->ndim; j++) {
            const int64_t rest = job->shape[j] - shape[j];

            if (rest > 0 && random_below(seed, 2)) {
                const int64_t by = 1 + random_below(seed, rest);

                assert_ok(drx_extend(job->from, j, by));
                shape[j] += by;
            }
            all = all && shape[j] == job->shape[j];
        }
    }
    job->elements = 1;
    for (int j = 0; j < job->ndim; j++)
        job->elements *= job->shape[j];
    job->values = malloc((size_t)job->elements * job->item);
    for (size_t i = 0; i < (size_t)job->elements * job->item; i++)
        job->values[i] = (uint8_t)random_next(seed);
    if (random_below(seed, 5) == 0) { /* only a part is written */
        int64_t count[MAX_TEST_NDIM];

        for (int j = 0; j < job->ndim; j++) {
            lo[j] = random_below(seed, job->shape[j]);
            count[j] = 1 + random_below(seed, job->shape[j] - lo[j]);
        }
        assert_ok(drx_write(job->from, lo, count, DRX_ROW_MAJOR, job->values));
        memset(lo, 0, sizeof lo);
        assert_ok(drx_read(job->from, lo, job->shape, DRX_ROW_MAJOR, job->values));
    } else {
        assert_ok(drx_write(job->from, lo, job->shape, DRX_ROW_MAJOR, job->values));
    }
    assert_ok(drx_attr_set_text(job->from, "title", "a b c"));
    assert_ok(drx_attr_set(job->from, "range", DRX_FLOAT64, 2, (double[]){ 1, 2 }));
    assert_ok(drx_dim_rename(job->from, job->ndim - 1, "x"));
}

/* Element for element, and what chunks hold outside the bounds. */
static void check_copy(const struct job *job, drx_array *to)
{
    const int *permute = job->spec.permute;
    int64_t shape[MAX_TEST_NDIM], index[MAX_TEST_NDIM] = { 0 }, lo[MAX_TEST_NDIM] = { 0 };
    int64_t stride[MAX_TEST_NDIM], step = 1;
    uint8_t *values = malloc((size_t)job->elements * job->item);
    const void *text;

    for (int j = job->ndim - 1; j >= 0; j--) {
        stride[j] = step;
        step *= job->shape[j];
    }
    for (int j = 0; j < job->ndim; j++)
        shape[j] = job->shape[permute ? permute[j] : j];
    assert_memory_equal(to->log.state.shape, shape, (size_t)job->ndim * sizeof *shape);
    assert_ok(drx_read(to, lo, shape, DRX_ROW_MAJOR, values));
    for (int64_t e = 0; e < job->elements; e++) {
        int64_t at = 0;

        for (int j = 0; j < job->ndim; j++)
            at += index[j] * stride[permute ? permute[j] : j];
        if (memcmp(values + e * (int64_t)job->item, job->values + at * (int64_t)job->item, job->item) != 0)
            fail_msg("element %lld is another", (long long)e);
        (void)next_index(job->ndim, shape, index);
    }
    assert_ok(drx_attr_get(to, "title", NULL, NULL, &text));
    assert_string_equal(text, "a b c");
    for (int j = 0; j < job->ndim; j++)
        if ((permute ? permute[j] : j) == job->ndim - 1)
            assert_string_equal(drx_dim_name(to, j), "x");
    free(values);
}

/* Growing the copy shows its fill, where its chunks had room. */
static void check_outside(const struct job *job, drx_array *to)
{
    for (int j = 0; j < job->ndim; j++) {
        int64_t lo[MAX_TEST_NDIM] = { 0 }, count[MAX_TEST_NDIM], n = 1;
        uint8_t *values;

        memcpy(count, to->log.state.shape, sizeof count);
        assert_ok(drx_extend(to, j, 3));
        lo[j] = count[j];
        count[j] = 3;
        for (int k = 0; k < job->ndim; k++)
            n *= count[k];
        values = malloc((size_t)n * job->item);
        assert_ok(drx_read(to, lo, count, DRX_ROW_MAJOR, values));
        for (int64_t i = 0; i < n; i++)
            assert_memory_equal(values + i * (int64_t)job->item, job->fill, job->item);
        free(values);
    }
}

static void report_error(void *user, drx_severity severity, const char *text)
{
    if (severity == DRX_ERROR)
        fail_msg("%s", text);
}

static void report_warning(void *user, drx_severity severity, const char *text)
{
    if (severity != DRX_NOTE)
        fail_msg("%s", text);
}

/* Where chunks are written in parts, some of these lie outside the array: they hold the fill, too. */
TEST(parts_outside)
{
    const double fill = -1;
    struct job job = { .ndim = 2, .type = DRX_FLOAT64, .item = 8, .shape = { 40, 30 }, .chunk = { 8, 30 } };
    const int64_t to_chunk[2] = { 16384, 3 };
    drx_copy_plan plan;
    uint64_t seed = 1;
    drx_array *to;

    drxi_hooks.never_direct = true;
    memcpy(job.fill, &fill, sizeof fill);
    job.spec.chunk = to_chunk;
    make_source(&job, "from", &seed);
    assert_ok(drx_plan_copy(job.from, &job.spec, &plan, NULL, 0, NULL));
    assert_true(plan.write_bytes < 10 * 16384 * 3 * 8);
    job.spec.flags = DRX_REPLACE;
    assert_ok(drx_copy(job.from, "to", &job.spec, &to));
    check_copy(&job, to);
    assert_ok(drx_close(to));
    assert_ok(drx_check("to", report_warning, NULL, NULL, NULL));
    assert_ok(drx_copy(job.from, "to", &job.spec, &to));
    assert_ok(drx_extend(to, 0, 16000));
    check_outside(&job, to);
    assert_ok(drx_close(to));
    assert_ok(drx_close(job.from));
    free(job.values);
    drxi_hooks.never_direct = false;
}

static void check_job(struct job *job, uint64_t *seed, int64_t tally[3])
{
    char text[8192];
    drx_copy_plan plan;
    int64_t limit;
    drx_array *to;

    job->spec.memory_bytes = 1;
    assert_status(drx_plan_copy(job->from, &job->spec, &plan, NULL, 0, NULL), DRX_ERANGE);
    limit = plan.memory_bytes;
    for (int i = 0; i < 3; i++) {
        bool named;

        job->spec.memory_bytes = limit;
        assert_ok(drx_plan_copy(job->from, &job->spec, &plan, text, sizeof text, NULL));
        assert_true(plan.memory_bytes <= limit);
        job->spec.flags |= DRX_REPLACE;
        drxi_hooks.way = DRXI_STAGED + (int)random_below(seed, 3);
        drxi_hooks.never_direct = random_below(seed, 2);
        assert_ok(drx_copy(job->from, random_below(seed, 5) ? "to" : NULL, &job->spec, &to));
        drxi_hooks.way = DRXI_ANY_WAY;
        check_copy(job, to);
        check_outside(job, to);
        named = to->path;
        assert_ok(drx_close(to));
        if (named)
            assert_ok(drx_check("to", report_error, NULL, NULL, NULL));
        tally[0] += plan.passes > 1;
        tally[1] += strstr(text, "read again") != NULL;
        tally[2] += plan.passes == 1 && strstr(text, "leftovers kept") != NULL;
        limit += random_below(seed, 2 * limit);
    }
}

TEST(random_copies)
{
    uint64_t seed = starting_seed(2006);
    int64_t tally[3] = { 0 };

    for (int i = 0; i < 400; i++) {
        struct job job;

        print_message("job %d: DRX_SEED=%llu\n", i, (unsigned long long)seed);
        choose(&job, &seed);
        make_source(&job, random_below(&seed, 4) ? "from" : NULL, &seed);
        check_job(&job, &seed, tally);
        assert_ok(drx_close(job.from));
        free(job.values);
    }
    print_message("%d of several passes, %d with templates, %d that keep leftovers\n", (int)tally[0], (int)tally[1],
                  (int)tally[2]);
    assert_true(tally[0] > 0 && tally[1] > 0 && tally[2] > 0);
}
