/* drx_copy against one element at a time: random arrays, histories, layouts and limits. */
#include <math.h>
#include <sys/stat.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "layout/run/copy_request.h"
#include "testing.h"

enum { MAX_TEST_NDIM = 5 };

/* ThreadSanitizer looks at the threads, and takes twenty times as long: it sees some of the copies, others in each
 * run. */
#ifdef __SANITIZE_THREAD__
enum { SHARE = 4 };
#else
enum { SHARE = 1 };
#endif

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
    static const char *const folders[] = { ".", ".", ".", ".", "." };
    int64_t shape[MAX_TEST_NDIM], lo[MAX_TEST_NDIM] = { 0 };
    drx_spec spec = { .ndim = job->ndim,
                      .type = job->type,
                      .shape = shape,
                      .chunk = job->chunk,
                      .fill = job->fill,
                      .chunk_order = job->order,
                      .align = random_below(seed, 4) ? 0 : 32,
                      .flags = DRX_REPLACE };

    if (path && random_below(seed, 3) == 0) {
        spec.nstripes = 2 + (int)random_below(seed, 4);
        spec.stripes = folders;
    }
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

/* Element for element. */
static void check_elements(const struct job *job, drx_array *to)
{
    const int *permute = job->spec.permute;
    int64_t shape[MAX_TEST_NDIM], index[MAX_TEST_NDIM] = { 0 };
    int64_t stride[MAX_TEST_NDIM], step = 1;
    uint8_t *values = malloc((size_t)job->elements * job->item);

    for (int j = job->ndim - 1; j >= 0; j--) {
        stride[j] = step;
        step *= job->shape[j];
    }
    for (int j = 0; j < job->ndim; j++)
        shape[j] = job->shape[permute ? permute[j] : j];
    assert_memory_equal(to->log.state.shape, shape, (size_t)job->ndim * sizeof *shape);
    assert_ok(drx_read(to, drx_lower(to), shape, DRX_ROW_MAJOR, values));
    for (int64_t e = 0; e < job->elements; e++) {
        int64_t at = 0;

        for (int j = 0; j < job->ndim; j++)
            at += index[j] * stride[permute ? permute[j] : j];
        if (memcmp(values + e * (int64_t)job->item, job->values + at * (int64_t)job->item, job->item) != 0)
            fail_msg("element %lld is another", (long long)e);
        (void)next_index(job->ndim, shape, index);
    }
    free(values);
}

/* Its elements and its description. */
static void check_copy(const struct job *job, drx_array *to)
{
    const int *permute = job->spec.permute;
    const void *text;

    check_elements(job, to);
    for (int j = 0; j < job->ndim; j++)
        assert_int_equal(drx_lower(to)[j],
                         job->spec.flags & DRX_FROM_ZERO ? 0 : drx_lower(job->from)[permute ? permute[j] : j]);
    assert_ok(drx_attr_get(to, "title", NULL, NULL, &text));
    assert_string_equal(text, "a b c");
    for (int j = 0; j < job->ndim; j++)
        if ((permute ? permute[j] : j) == job->ndim - 1)
            assert_string_equal(drx_dim_name(to, j), "x");
}

/* Growing the copy shows its fill, where its chunks had room. */
static void check_outside(const struct job *job, drx_array *to)
{
    for (int j = 0; j < job->ndim; j++) {
        int64_t lo[MAX_TEST_NDIM], count[MAX_TEST_NDIM], n = 1;
        uint8_t *values;

        memcpy(lo, to->log.state.lower, sizeof lo);
        memcpy(count, to->log.state.shape, sizeof count);
        assert_ok(drx_extend(to, j, 3));
        lo[j] += count[j];
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
        drxi_hooks.shared_bytes = random_below(seed, 2) ? 1 : 1 << 20;
        drxi_hooks.cache = random_below(seed, 2) ? DRXI_DIRECT : DRXI_CACHED;
        assert_ok(drx_copy(job->from, random_below(seed, 5) ? "to" : NULL, &job->spec, &to));
        drxi_hooks.way = DRXI_ANY_WAY;
        drxi_hooks.shared_bytes = 1 << 20;
        drxi_hooks.cache = DRXI_AS_FITS;
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

/* Grow the source at low ends, and trim it there, so that no index needs to begin at 0. */
static void shift_source(struct job *job, uint64_t *seed)
{
    for (int j = 0; j < job->ndim; j++) {
        const int64_t by = random_below(seed, 9);

        if (random_below(seed, 2) && job->shape[j] > by)
            assert_ok(drx_trim(job->from, j, by, 0));
        else
            assert_ok(drx_extend_before(job->from, j, by));
        if (random_below(seed, 3) == 0) { /* back to 0, over new chunks */
            const int64_t lower = drx_lower(job->from)[j];

            assert_ok(lower > 0 ? drx_extend_before(job->from, j, lower) : drx_trim(job->from, j, -lower, 0));
        }
    }
    memcpy(job->shape, drx_shape(job->from), (size_t)job->ndim * sizeof *job->shape);
    job->elements = 1;
    for (int j = 0; j < job->ndim; j++)
        job->elements *= job->shape[j];
    free(job->values);
    job->values = malloc((size_t)job->elements * job->item);
    for (size_t i = 0; i < (size_t)job->elements * job->item; i++)
        job->values[i] = (uint8_t)random_next(seed);
    assert_ok(drx_write(job->from, drx_lower(job->from), job->shape, DRX_ROW_MAJOR, job->values));
}

TEST(random_copies_from_elsewhere)
{
    uint64_t seed = starting_seed(0);

    for (int i = 0; i < 150 / SHARE; i++) {
        struct job job;
        drx_array *to;

        choose(&job, &seed);
        make_source(&job, random_below(&seed, 4) ? "from" : NULL, &seed);
        shift_source(&job, &seed);
        job.spec.flags |= DRX_REPLACE | (random_below(&seed, 2) ? DRX_FROM_ZERO : 0);
        for (int k = 0; k < 3; k++) {
            job.spec.memory_bytes = k < 2 ? 1 + random_below(&seed, 1 << (k ? 20 : 12)) : 0;
            if (job.spec.memory_bytes > 0)
                drxi_hooks.way = DRXI_STAGED + (int)random_below(&seed, 3);
            if (drx_copy(job.from, "to", &job.spec, &to) == DRX_ERANGE)
                continue; /* too little memory */
            drxi_hooks.way = DRXI_ANY_WAY;
            check_copy(&job, to);
            check_outside(&job, to);
            assert_ok(drx_close(to));
            assert_ok(drx_check("to", report_error, NULL, NULL, NULL));
        }
        drxi_hooks.way = DRXI_ANY_WAY;
        assert_ok(drx_close(job.from));
        free(job.values);
    }
}

/* Of the shape of the copy, made at once or grown in steps, in any order, with other elements in it. */
static drx_array *make_target(const struct job *job, uint64_t *seed)
{
    int64_t shape[MAX_TEST_NDIM], lower[MAX_TEST_NDIM], by[2][MAX_TEST_NDIM];
    drx_spec spec = { .ndim = job->ndim,
                      .type = job->type,
                      .shape = shape,
                      .chunk = job->to_chunk,
                      .fill = job->fill,
                      .lower = lower,
                      .chunk_order = job->to_order,
                      .flags = DRX_REPLACE | (random_below(seed, 3) ? 0 : DRX_CHECKSUM) };
    const bool grows = random_below(seed, 2), from_zero = random_below(seed, 3);
    uint8_t *junk = malloc((size_t)job->elements * job->item + 1);
    drx_array *to;

    if (!(spec.flags & DRX_CHECKSUM) && random_below(seed, 3) == 0)
        spec.codec = DRX_LZ4;
    for (int j = 0; j < job->ndim; j++) {
        const int64_t all = job->shape[job->spec.permute ? job->spec.permute[j] : j];

        by[1][j] = grows ? random_below(seed, all + 1) : 0;
        by[0][j] = grows && !from_zero ? random_below(seed, all - by[1][j] + 1) : 0;
        shape[j] = all - by[0][j] - by[1][j];
        lower[j] = from_zero ? 0 : random_below(seed, 9) - 4;
    }
    assert_ok(drx_create("to", &spec, &to));
    for (int j = 0; j < job->ndim; j++) {
        assert_ok(drx_extend(to, j, by[1][j] / 2));
        assert_ok(drx_extend_before(to, j, by[0][j]));
    }
    for (int j = job->ndim - 1; j >= 0; j--)
        assert_ok(drx_extend(to, j, by[1][j] - by[1][j] / 2));
    for (int64_t i = 0; i < job->elements * (int64_t)job->item; i++)
        junk[i] = (uint8_t)random_next(seed);
    assert_ok(drx_write(to, drx_lower(to), drx_shape(to), DRX_ROW_MAJOR, junk));
    free(junk);
    return to;
}

static int choices; /* that were compared */

/* The seconds of the slowest part, of the way to share whose slowest part is fastest, by the plans of all parts. */
static double least_seconds(const struct drxi_relayout_request *all, int parts)
{
    static struct drxi_relayout plan;
    struct drxi_share share[DRXI_SHARES];
    double least = INFINITY;
    int count;

    assert_ok(drxi_shares(all, parts, share, &count));
    for (int i = 0; i < count; i++) {
        double seconds = 0;

        for (int part = 0; part < parts; part++) {
            int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
            struct drxi_relayout_request mine;

            drxi_share_request(all, &share[i], part, lo, hi, &mine);
            seconds = fmax(seconds, drxi_relayout_plan(&mine, &plan, NULL) ? INFINITY : plan.seconds);
        }
        least = fmin(least, seconds);
    }
    return least;
}

static void check_choice(const struct job *job, drx_array *to, const drx_copy_spec *spec)
{
    static struct drxi_copying c;
    static struct drxi_relayout plan;
    double least, seconds = 0;

    assert_ok(drxi_copying_start_into(&c, job->from, to, spec));
    if (c.by_boxes || c.target.codec != DRX_RAW || spec->parts < 2)
        return;
    least = least_seconds(&c.request, spec->parts);
    if (least == INFINITY) /* then fewer parts */
        return;
    for (int part = 0; part < spec->parts; part++) {
        assert_ok(drxi_copying_plan_part(&c, part, spec->parts, &plan));
        seconds = fmax(seconds, plan.seconds);
    }
    assert_true(seconds == least);
    choices++;
}

/* Parts that get too little memory all say so; so a caller gives all of them more, until it is enough. */
static void copy_in_little_memory(const struct job *job, drx_array *to, int parts, uint64_t *seed)
{
    drx_copy_spec spec = { .permute = job->spec.permute, .memory_bytes = 1 + random_below(seed, 500), .parts = parts };
    drx_status first = DRX_ERANGE;

    while (first == DRX_ERANGE) {
        for (spec.part = 0; spec.part < parts; spec.part++) {
            const drx_status st = drx_copy_into(job->from, to, &spec);

            first = spec.part == 0 ? st : first;
            if (st != first)
                print_error("%d parts, %lld bytes: part 0 gave %d, part %d %d\n", parts, (long long)spec.memory_bytes,
                            (int)first, spec.part, (int)st);
            assert_int_equal(st, first);
        }
        spec.memory_bytes = spec.memory_bytes * 5 / 4 + 1;
    }
    assert_ok(first);
    check_elements(job, to);
    assert_ok(drx_write(to, drx_lower(to), drx_shape(to), DRX_ROW_MAJOR, job->values)); /* other elements again */
}

/* In parts, in any order. */
static void copy_into(const struct job *job, drx_array *to, int64_t memory_bytes, uint64_t *seed)
{
    drx_copy_spec spec = { .permute = job->spec.permute, .memory_bytes = memory_bytes };
    const int parts = (int)random_below(seed, 6), first = (int)random_below(seed, parts + 1);

    if (memory_bytes == 1) { /* as little as there must be for all; it is enough for parts, too */
        while (drx_copy_into(job->from, to, &spec) == DRX_ERANGE)
            spec.memory_bytes = spec.memory_bytes * 5 / 4 + 1;
        assert_ok(drx_write(to, drx_lower(to), drx_shape(to), DRX_ROW_MAJOR, job->values)); /* other elements again */
    }
    if (parts > 1 && memory_bytes == 1)
        copy_in_little_memory(job, to, parts, seed);
    spec.parts = parts;
    check_choice(job, to, &spec);
    for (int i = 0; i < (parts ? parts : 1); i++) {
        spec.part = parts ? (first + i) % parts : 0;
        drxi_hooks.way = random_below(seed, 2) ? DRXI_ANY_WAY : DRXI_STAGED + (int)random_below(seed, 3);
        drxi_hooks.never_direct = random_below(seed, 2);
        assert_ok(drx_copy_into(job->from, to, &spec));
    }
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.never_direct = false;
}

TEST(random_copies_into)
{
    uint64_t seed = starting_seed(SHARE > 1 ? 0 : 7);

    for (int i = 0; i < 150 / SHARE; i++) {
        struct job job;
        drx_array *to;

        choose(&job, &seed);
        make_source(&job, random_below(&seed, 4) ? "from" : NULL, &seed);
        if (random_below(&seed, 4) == 0)
            shift_source(&job, &seed);
        to = make_target(&job, &seed);
        job.spec.flags = 0;
        copy_into(&job, to, random_below(&seed, 2) ? random_below(&seed, 2) : 1 << 20, &seed);
        check_elements(&job, to);
        check_outside(&job, to);
        assert_ok(drx_sync(to));
        assert_ok(drx_close(to));
        assert_ok(drx_check("to", report_error, NULL, NULL, NULL));
        assert_ok(drx_close(job.from));
        free(job.values);
    }
    assert_true(choices > 0);
}

/* Of any limit of memory all parts say the same, so that callers who try again with more all do. */
TEST(parts_are_refused_together)
{
    enum { EDGE = 384 };
    drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = (int64_t[]){ EDGE, EDGE } };
    drx_array *from, *to;
    int refused = 0, made = 0;

    spec.chunk = (int64_t[]){ 8, EDGE };
    assert_ok(drx_create(NULL, &spec, &from));
    spec.chunk = (int64_t[]){ EDGE, 8 };
    assert_ok(drx_create(NULL, &spec, &to));
    for (int parts = 2; parts <= 4; parts++)
        for (int64_t bytes = 10000; bytes <= 1 << 20; bytes += bytes / 2) {
            const drx_status first =
                drx_copy_into(from, to, &(drx_copy_spec){ .part = 0, .parts = parts, .memory_bytes = bytes });

            for (int part = 1; part < parts; part++)
                assert_status(
                    drx_copy_into(from, to, &(drx_copy_spec){ .part = part, .parts = parts, .memory_bytes = bytes }),
                    first);
            refused += first == DRX_ERANGE;
            made += first == DRX_OK;
        }
    assert_true(refused > 0 && made > 0);
    assert_ok(drx_close(from));
    assert_ok(drx_close(to));
}

static int64_t most_bytes; /* in files without a name at a time */

static int look_at_files(void *user, int64_t done, int64_t all)
{
    int64_t bytes = 0;

    (void)user, (void)done, (void)all;
    for (int fd = 3; fd < 256; fd++) {
        struct stat s;

        if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink == 0)
            bytes += (int64_t)s.st_blocks * 512;
    }
    most_bytes = bytes > most_bytes ? bytes : most_bytes;
    return 0;
}

/* A copy of many passes has no more temporary arrays at a time than its plan says. */
TEST(temporary_arrays_are_freed)
{
    enum { EDGE = 256 };
    static double values[EDGE * EDGE];
    static const int64_t shape[] = { EDGE, EDGE }, rows[] = { 2, EDGE }, columns[] = { EDGE, 2 };
    drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .flags = DRX_REPLACE };
    drx_copy_spec how = { .chunk = columns, .memory_bytes = 1, .progress = look_at_files };
    drx_array *from, *to;
    drx_copy_plan plan;

    for (int i = 0; i < EDGE * EDGE; i++)
        values[i] = 1 + i;
    spec.chunk = rows;
    assert_ok(drx_create("from", &spec, &from));
    assert_ok(drx_write(from, (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, values));
    spec.chunk = columns;
    assert_ok(drx_create("to", &spec, &to));
    assert_status(drx_plan_copy(from, &how, &plan, NULL, 0, NULL), DRX_ERANGE);
    how.memory_bytes = plan.memory_bytes;
    assert_ok(drx_plan_copy(from, &how, &plan, NULL, 0, NULL));
    assert_true(plan.passes > 3);
    how.chunk = NULL;
    drxi_hooks.way = DRXI_STAGED;
    drxi_hooks.never_direct = true;
    most_bytes = 0;
    assert_ok(drx_copy_into(from, to, &how));
    assert_true(most_bytes > plan.temporary_bytes / 2);
    assert_true(most_bytes <= plan.temporary_bytes + (12 << 12)); /* and their logs */
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.never_direct = false;
    assert_ok(drx_close(from));
    assert_ok(drx_close(to));
}

/* What does not match is refused before anything is written. */
TEST(wrong_copies_into)
{
    const int64_t shape[2] = { 6, 5 }, turned[2] = { 5, 6 };
    const int exchanged[2] = { 1, 0 }, twice[2] = { 1, 1 };
    const drx_order order = DRX_ROW_MAJOR;
    drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = shape, .flags = DRX_REPLACE };
    drx_array *from, *to, *other, *again;
    int32_t values[30];

    assert_ok(drx_create("from", &spec, &from));
    for (int i = 0; i < 30; i++)
        values[i] = i;
    assert_ok(drx_write(from, (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, values));
    spec.shape = turned;
    assert_ok(drx_create("to", &spec, &to));
    spec.type = DRX_FLOAT32;
    assert_ok(drx_create(NULL, &spec, &other));
    assert_status(drx_copy_into(from, to, NULL), DRX_EMISMATCH);
    assert_detail("to: axis 0 has 5 indices, axis 0 of from 6");
    assert_status(drx_copy_into(from, other, &(drx_copy_spec){ .permute = exchanged }), DRX_EMISMATCH);
    assert_detail("int32");
    assert_status(drx_copy_into(from, to, &(drx_copy_spec){ .permute = twice }), DRX_EINVAL);
    assert_detail("permute[1] is 1");
    assert_status(drx_copy_into(from, to, &(drx_copy_spec){ .permute = exchanged, .chunk = shape }), DRX_EINVAL);
    assert_detail("spec.chunk");
    assert_status(drx_copy_into(from, to, &(drx_copy_spec){ .permute = exchanged, .chunk_order = &order }), DRX_EINVAL);
    assert_status(drx_copy_into(from, to, &(drx_copy_spec){ .permute = exchanged, .part = 2, .parts = 2 }), DRX_EINVAL);
    assert_detail("part 2 of 2");
    assert_status(drx_copy_into(from, to, &(drx_copy_spec){ .permute = exchanged, .memory_bytes = 1 }), DRX_ERANGE);
    assert_status(drx_copy_into(from, from, NULL), DRX_EINVAL);
    assert_status(drx_copy_into(from, NULL, NULL), DRX_EINVAL);
    assert_status(drx_copy(from, "new", &(drx_copy_spec){ .parts = 2 }, NULL), DRX_EINVAL);
    assert_detail("drx_copy_into");
    assert_ok(drx_open("from", DRX_RDONLY, &again));
    assert_status(drx_copy_into(from, again, NULL), DRX_EINVAL);
    assert_detail("both source and target");
    assert_ok(drx_close(again));
    assert_ok(drx_sync(to));
    assert_ok(drx_open("to", DRX_RDONLY, &again));
    assert_status(drx_copy_into(from, again, &(drx_copy_spec){ .permute = exchanged }), DRX_EACCES);
    assert_ok(drx_close(again));
    assert_ok(drx_copy_into(from, to, &(drx_copy_spec){ .permute = exchanged }));
    assert_ok(drx_read(to, (int64_t[]){ 0, 0 }, turned, DRX_COL_MAJOR, values));
    for (int i = 0; i < 30; i++)
        assert_int_equal(values[i], i);
    assert_ok(drx_close(from));
    assert_ok(drx_close(to));
    assert_ok(drx_close(other));
}

/* An array that others may grow: what lies outside the bounds that this handle knows is left alone. */
TEST(copies_into_shared)
{
    const int64_t few[2] = { 6, 5 }, chunk[2] = { 4, 4 };
    drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = few, .chunk = chunk, .flags = DRX_REPLACE };
    drx_array *from, *to, *other;
    int32_t values[35], row[5] = { 7, 7, 7, 7, 7 };

    assert_ok(drx_create(NULL, &spec, &from));
    for (int i = 0; i < 35; i++)
        values[i] = i;
    assert_ok(drx_write(from, (int64_t[]){ 0, 0 }, few, DRX_ROW_MAJOR, values));
    assert_ok(drx_create("to", &spec, &to));
    assert_ok(drx_close(to));
    assert_ok(drx_open("to", DRX_SHARED, &to));
    assert_ok(drx_open("to", DRX_SHARED, &other));
    assert_ok(drx_append(other, 0, 1, DRX_ROW_MAJOR, row));
    assert_ok(drx_copy_into(from, to, NULL));
    memset(values, 0, sizeof values);
    assert_ok(drx_read(other, (int64_t[]){ 0, 0 }, (int64_t[]){ 7, 5 }, DRX_ROW_MAJOR, values));
    for (int i = 0; i < 35; i++)
        assert_int_equal(values[i], i < 30 ? i : 7);
    assert_ok(drx_close(other));
    assert_ok(drx_close(to));
    assert_ok(drx_close(from));
}

TEST(random_copies)
{
    uint64_t seed = starting_seed(SHARE > 1 ? 0 : 2006);
    int64_t tally[3] = { 0 };

    for (int i = 0; i < 400 / SHARE; i++) {
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
    assert_true(SHARE > 1 || (tally[0] > 0 && tally[1] > 0 && tally[2] > 0));
}
