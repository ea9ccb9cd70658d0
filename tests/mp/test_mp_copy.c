/* drxmp_copy stores the same bytes as drx_copy on any number of ranks. A failure on one rank ends the copy on all
 * and leaves no files. */
#include "base/hooks.h"
#include "drx_tools.h"
#include "layout/run/run.h"
#include "mp_testing.h"

enum { MAX_TEST_NDIM = 4 };

struct job {
    int ndim;
    drx_type type;
    int64_t shape[MAX_TEST_NDIM], chunk[MAX_TEST_NDIM], to_chunk[MAX_TEST_NDIM];
    int permute[MAX_TEST_NDIM];
    drx_order to_order;
    uint8_t fill[16];
    drx_copy_spec spec;
};

/* All of it, by rank 0. */
static void write_all(drxmp_array *m)
{
    const int ndim = drx_ndim(drxmp_serial(m));
    const int64_t *shape = drx_shape(drxmp_serial(m));
    int64_t lo[MAX_TEST_NDIM] = { 0 }, count[MAX_TEST_NDIM] = { 0 };
    size_t bytes = drx_type_size(drx_dtype(drxmp_serial(m)));
    uint8_t *values;

    for (int j = 0; j < ndim; j++)
        bytes *= (size_t)shape[j];
    values = malloc(bytes + 1);
    assert_non_null(values);
    for (size_t i = 0; i < bytes; i++)
        values[i] = (uint8_t)random_next(&mp_stream);
    memcpy(count, shape, (size_t)ndim * sizeof *count);
    if (mp_rank > 0)
        memset(count, 0, sizeof count);
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, values));
    free(values);
}

static void choose(struct job *job)
{
    static const int64_t most[MAX_TEST_NDIM + 1] = { 0, 3000, 60, 16, 9 };
    static const drx_type types[] = { DRX_UINT8, DRX_INT16, DRX_FLOAT32, DRX_FLOAT64, DRX_COMPLEX128 };

    memset(job, 0, sizeof *job);
    job->ndim = 1 + (int)mp_below(MAX_TEST_NDIM);
    job->type = types[mp_below(5)];
    for (int j = 0; j < job->ndim; j++) {
        const int64_t chunk = job->ndim == 1 ? 100 : job->ndim > 3 ? 4 : mp_below(4) ? 7 : 20;

        job->shape[j] = mp_below(60) ? 1 + mp_below(most[job->ndim]) : 0;
        job->chunk[j] = 1 + mp_below(chunk);
        job->to_chunk[j] = 1 + mp_below(chunk);
        job->permute[j] = j;
    }
    for (int j = job->ndim - 1; j > 0; j--) {
        const int k = (int)mp_below(j + 1), axis = job->permute[j];

        job->permute[j] = job->permute[k];
        job->permute[k] = axis;
    }
    job->to_order = (drx_order)mp_below(2);
    for (size_t i = 0; mp_below(3) == 0 && i < drx_type_size(job->type); i++)
        job->fill[i] = (uint8_t)random_next(&mp_stream);
    job->spec = (drx_copy_spec){
        .permute = mp_below(3) ? job->permute : NULL,
        .chunk = mp_below(8) ? job->to_chunk : NULL,
        .chunk_order = mp_below(3) ? &job->to_order : NULL,
        .align = mp_below(4) ? 0 : 64,
        .flags = mp_below(6) ? 0 : DRX_SHELL,
    };
}

/* Made at once, or grown in steps. */
static drxmp_array *make_source(const struct job *job)
{
    int64_t shape[MAX_TEST_NDIM];
    const drx_spec spec = { .ndim = job->ndim,
                            .type = job->type,
                            .shape = shape,
                            .chunk = job->chunk,
                            .fill = job->fill,
                            .chunk_order = (drx_order)mp_below(2),
                            .align = mp_below(4) ? 0 : 32,
                            .flags = DRX_REPLACE };
    const bool grows = mp_below(2);
    drxmp_array *m;

    for (int j = 0; j < job->ndim; j++)
        shape[j] = grows ? mp_below(job->shape[j] + 1) : job->shape[j];
    m = mp_create("from", &spec);
    for (bool all = false; !all;) {
        all = true;
        for (int j = 0; j < job->ndim; j++) {
            const int64_t rest = job->shape[j] - shape[j];

            if (rest > 0 && mp_below(2)) {
                const int64_t by = 1 + mp_below(rest);

                assert_ok(drxmp_extend(m, j, by));
                shape[j] += by;
            }
            all = all && shape[j] == job->shape[j];
        }
    }
    write_all(m);
    assert_ok(drxmp_attr_set_text(m, "title", "a b c"));
    assert_ok(drxmp_dim_rename(m, job->ndim - 1, "x"));
    return m;
}

/* The same by one process, with all the memory that it wants. */
static void copy_alone(drxmp_array *m, const drx_copy_spec *wishes)
{
    drx_copy_spec spec = *wishes;

    spec.memory_bytes = 0;
    spec.flags |= DRX_REPLACE;
    spec.progress = NULL;
    if (mp_rank == 0)
        assert_ok(drx_copy(drxmp_serial(m), "alone", &spec, NULL));
    (void)MPI_Barrier(mp_comm);
}

static void copy_and_compare(drxmp_array *m, const drx_copy_spec *spec, bool stays_open)
{
    static int times;
    drxmp_array *to;

    times++; /* each rank in a way of its own */
    drxi_hooks.way = (times + mp_rank) % 3 ? DRXI_STAGED : DRXI_MAPPED;
    drxi_hooks.never_direct = (times + mp_rank) % 2;
    if (stays_open) {
        assert_ok(drxmp_copy(m, "to", spec, &to));
        assert_status(drxmp_copy(m, "to", spec, NULL), spec->flags & DRX_REPLACE ? DRX_EBUSY : DRX_EEXIST);
        assert_ok(drxmp_close(to));
    } else {
        assert_ok(drxmp_copy(m, "to", spec, NULL));
    }
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.never_direct = false;
    mp_assert_same_files("to", "alone");
    assert_int_equal(mp_count_files("to* .[a-z]*"), 2);
}

TEST(random_copies)
{
    for (int i = 0; i < (mp_ranks > 3 ? 25 : 50); i++) {
        struct job job;
        drx_copy_plan plan;
        drxmp_array *m;
        int64_t limit;

        print_message("job %d\n", i);
        choose(&job);
        m = make_source(&job);
        copy_alone(m, &job.spec);
        job.spec.memory_bytes = 1;
        if (drx_plan_copy(drxmp_serial(m), &job.spec, &plan, NULL, 0, NULL) == DRX_ERANGE) {
            char least[64];

            (void)snprintf(least, sizeof least, "rank 0: 1 bytes of memory are too little; %lld would do",
                           (long long)plan.memory_bytes);
            assert_fails(drxmp_copy(m, "to", &job.spec, NULL), DRX_ERANGE, least);
        }
        limit = plan.memory_bytes;
        for (int k = 0; k < 3; k++) {
            job.spec.memory_bytes = limit;
            copy_and_compare(m, &job.spec, mp_below(3) == 0);
            if (mp_below(2))
                mp_remove("to");
            else
                job.spec.flags |= DRX_REPLACE;
            limit += 1 + mp_below(4 * limit + 1);
        }
        if (mp_count_files("to*") > 0)
            mp_remove("to");
        assert_ok(drxmp_close(m));
    }
}

/* Target chunks longer than a rank's part of the array, which are written in parts, also where they end outside. */
TEST(long_chunks)
{
    static const double fill = -1;
    static const int64_t shape[2] = { 20000, 11 }, chunk[2] = { 16, 11 }, tall[2] = { 32768, 4 };
    static const int64_t wide[2] = { 3, 32768 };

    for (int way = 0; way < 4; way++) {
        const drx_order order = (drx_order)(way % 2);
        const drx_spec spec = { .ndim = 2,
                                .type = DRX_FLOAT64,
                                .shape = shape,
                                .chunk = chunk,
                                .fill = way / 2 ? &fill : NULL,
                                .flags = DRX_REPLACE };
        drx_copy_spec wishes = { .chunk = tall, .chunk_order = &order, .flags = DRX_REPLACE };
        drxmp_array *m = mp_create("from", &spec);

        write_all(m);
        copy_alone(m, &wishes);
        copy_and_compare(m, &wishes, false);
        wishes.chunk = wide;
        wishes.permute = (const int[]){ 1, 0 };
        copy_alone(m, &wishes);
        copy_and_compare(m, &wishes, false);
        assert_ok(drxmp_close(m));
    }
    mp_remove("to");
}

static drxmp_array *make_small(const char *path, int64_t rows)
{
    const int64_t shape[2] = { rows, 18 }, chunk[2] = { 16, 3 };
    const int16_t fill = 7;
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .fill = &fill, .flags = DRX_REPLACE
    };
    drxmp_array *m = mp_create(path, &spec);

    write_all(m);
    assert_ok(drxmp_attr_set_text(m, "title", "numbers"));
    return m;
}

TEST(refusals)
{
    const int none[2] = { 1, 1 };
    const int64_t zero[2] = { 0, 4 }, other[2] = { 5, 4 + (mp_rank == mp_ranks - 1) };
    drxmp_array *m = make_small("from", 24), *out, *there = make_small("there", 3);

    assert_ok(drxmp_close(there));
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .permute = none }, NULL), DRX_EINVAL, "axis 1 twice");
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .chunk = zero }, &out), DRX_EINVAL,
                 "axis 0 of the target has a chunk extent of 0");
    assert_null(out);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .memory_bytes = -1 }, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .align = 3 }, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .flags = DRX_MOVE }, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .flags = DRX_TEMPORARY }, NULL), DRX_EUNSUPPORTED);
    assert_status(drxmp_copy(m, NULL, NULL, NULL), DRX_EUNSUPPORTED);
    assert_status(drxmp_copy(NULL, "to", NULL, NULL), DRX_EINVAL);
    assert_fails(drxmp_copy(m, "./from", &(drx_copy_spec){ .flags = DRX_REPLACE }, NULL), DRX_EINVAL, "same array");
    assert_status(drxmp_copy(m, "there", NULL, NULL), DRX_EEXIST);
    assert_status(drxmp_copy(m, "nowhere/to", NULL, NULL), DRX_ENOENT);
    if (mp_ranks > 1) {
        assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .chunk = other }, NULL), DRX_EMISMATCH, "spec.chunk");
        assert_status(drxmp_copy(m, mp_rank ? "to" : "too", NULL, NULL), DRX_EMISMATCH);
        assert_status(drxmp_copy(m, "to", NULL, mp_rank ? NULL : &out), DRX_EMISMATCH);
    }
    assert_int_equal(mp_count_files("to* .[a-z]*"), 0);
    assert_ok(drxmp_close(m));
    mp_remove("there");
}

static const int64_t to_chunk[2] = { 5, 4 };

/* After a failure there is nothing, or, where it came behind the last step, the copy. */
static void check_left(drx_status st)
{
    const int left = mp_count_files("to* .[a-z]*");

    assert_true(left == 2 || (st && left == 0));
    if (left == 2) {
        assert_int_equal(mp_count_files("to*"), 2);
        mp_assert_same_files("to", "alone");
        mp_remove("to");
    }
}

/* One rank's n-th file call, or allocation, fails. */
static bool copy_with_fault(drxmp_array *m, int culprit, long n, enum mp_fault fault, bool stays_open)
{
    const drx_copy_spec spec = { .chunk = to_chunk, .memory_bytes = 4000 };
    drxmp_array *to = NULL;
    drx_status st;
    bool fired;

    mp_arm(fault, culprit, n);
    st = drxmp_copy(m, "to", &spec, stays_open ? &to : NULL);
    fired = mp_disarm(fault, culprit);
    mp_assert_alike(st, n);
    assert_true(!st || *drx_last_error());
    assert_ok(drxmp_close(to));
    check_left(st);
    return fired;
}

TEST(faults)
{
    const drx_copy_spec spec = { .chunk = to_chunk };
    drxmp_array *m;

    (void)mp_disarm(MP_CALL, 0);  /* from now on files are opened through the table that fails */
    drxi_hooks.way = DRXI_STAGED; /* by calls */
    drxi_hooks.never_direct = true;
    m = make_small("from", 24);
    copy_alone(m, &spec);
    for (int way = 0; way < (mp_ranks > 1 ? 8 : 4); way++) {
        const enum mp_fault fault = way & 1 ? MP_ALLOCATION : MP_CALL;
        const int culprit = way & 4 ? mp_ranks - 1 : 0;
        long n = 0;

        while (copy_with_fault(m, culprit, ++n, fault, way & 2))
            ;
        print_message("rank %d: %ld %s in turn\n", culprit, n - 1, fault == MP_CALL ? "calls" : "allocations");
        assert_true(n > 2);
    }
    assert_ok(drxmp_close(m));
}

struct seen {
    int64_t calls, stop_at, last, total;
};

static int count_calls(void *user, int64_t done, int64_t total)
{
    struct seen *seen = user;

    assert_int_equal(mp_rank, 0);
    assert_true(done >= seen->last && done <= total);
    seen->last = done;
    seen->total = total;
    return ++seen->calls == seen->stop_at;
}

TEST(interrupts)
{
    struct seen seen = { 0 };
    const drx_copy_spec spec = { .chunk = to_chunk, .memory_bytes = 4000, .progress = count_calls, .user = &seen };
    drxmp_array *m = make_small("from", 2000);
    int64_t calls;

    copy_alone(m, &spec);
    copy_and_compare(m, &spec, false);
    mp_remove("to");
    assert_true(mp_rank > 0 || (seen.calls > 0 && seen.last == seen.total));
    calls = seen.calls;
    (void)MPI_Bcast(&calls, 1, MPI_INT64_T, 0, mp_comm);
    for (int64_t i = 1; i <= calls; i += 1 + calls / 10) {
        seen = (struct seen){ .stop_at = i };
        assert_fails(drxmp_copy(m, "to", &spec, NULL), DRX_EINTERRUPTED, "rank 0: from: copying it was interrupted");
        assert_int_equal(seen.calls, mp_rank ? 0 : i);
        assert_int_equal(mp_count_files("to* .[a-z]*"), 0);
    }
    assert_ok(drxmp_close(m));
}
