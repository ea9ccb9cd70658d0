/* drxmp_copy stores the same bytes as drx_copy on any number of ranks. */
#include "base/hooks.h"
#include "layout/run/run.h"
#include "mp_copies.h"

struct job {
    int ndim;
    drx_type type;
    int64_t shape[MAX_TEST_NDIM], chunk[MAX_TEST_NDIM], to_chunk[MAX_TEST_NDIM];
    int permute[MAX_TEST_NDIM];
    drx_order to_order;
    uint8_t fill[16];
    drx_copy_spec spec;
};

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
        .keep_bits = mp_below(3) ? 0 : 1 + (int)mp_below(20),
    };
    if (job->type < DRX_FLOAT32)
        job->spec.keep_bits = 0;
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

/* One more axis somewhere, also of the copy. */
static void add_axis(struct job *job, drxmp_array *m)
{
    const int at = (int)mp_below(job->ndim + 1), to = (int)mp_below(job->ndim + 1);

    for (int j = 0; j < job->ndim; j++)
        job->permute[j] += job->permute[j] >= at;
    for (int j = job->ndim; j > to; j--) {
        job->permute[j] = job->permute[j - 1];
        job->to_chunk[j] = job->to_chunk[j - 1];
    }
    job->permute[to] = at;
    job->to_chunk[to] = 1 + mp_below(3);
    job->ndim++;
    assert_ok(drxmp_add_axis(m, at, "new"));
    assert_ok(drxmp_extend(m, at, mp_below(3)));
}

/* Let it grow at low ends, trim it, and give it a new axis, so that no index needs to begin at 0. */
static void shift_source(struct job *job, drxmp_array *m)
{
    if (job->ndim < MAX_TEST_NDIM && mp_below(3) == 0)
        add_axis(job, m);
    for (int j = 0; j < job->ndim; j++) {
        const int64_t by = mp_below(9);

        if (mp_below(2) && drx_shape(drxmp_serial(m))[j] > by)
            assert_ok(drxmp_trim(m, j, by, mp_below(2)));
        else
            assert_ok(drxmp_extend_before(m, j, by));
        if (mp_below(3) == 0)
            assert_ok(drxmp_extend(m, j, mp_below(5)));
        if (mp_below(4) == 0) { /* back to 0, over new chunks */
            const int64_t lower = drx_lower(drxmp_serial(m))[j];

            assert_ok(lower > 0 ? drxmp_extend_before(m, j, lower) : drxmp_trim(m, j, -lower, 0));
        }
    }
    write_all(m);
}

/* Within the least memory, which is refused with 1 byte less, and with more. */
static void check_job(struct job *job, drxmp_array *m)
{
    drx_copy_plan plan = { .memory_bytes = 1 };
    int64_t limit;

    copy_alone(m, &job->spec);
    job->spec.memory_bytes = 1;
    if (drx_plan_copy(drxmp_serial(m), &job->spec, &plan, NULL, 0, NULL) == DRX_ERANGE) {
        char least[64];

        (void)snprintf(least, sizeof least, "rank 0: 1 bytes of memory are too little; %lld would do",
                       (long long)plan.memory_bytes);
        assert_fails(drxmp_copy(m, "to", &job->spec, NULL), DRX_ERANGE, least);
    }
    limit = plan.memory_bytes;
    for (int k = 0; k < 3; k++) {
        job->spec.memory_bytes = limit;
        copy_and_compare(m, &job->spec, mp_below(3) == 0);
        if (mp_below(2))
            mp_remove("to");
        else
            job->spec.flags |= DRX_REPLACE;
        limit += 1 + mp_below(4 * limit + 1);
    }
    if (mp_count_files("to*") > 0)
        mp_remove("to");
}

/* An array of the copy's shape and layout, with other elements in it; it has grown if the source has. */
static drxmp_array *make_target(const struct job *job, drxmp_array *from)
{
    const drx_array *a = drxmp_serial(from);
    int64_t shape[MAX_TEST_NDIM], late[MAX_TEST_NDIM];
    const bool grows = mp_below(2);
    drx_spec spec = { .ndim = job->ndim,
                      .type = job->type,
                      .shape = shape,
                      .chunk = job->to_chunk,
                      .fill = job->fill,
                      .chunk_order = job->to_order,
                      .codec = mp_below(4) ? DRX_RAW : DRX_LZ4,
                      .flags = DRX_REPLACE };
    drxmp_array *to;

    for (int j = 0; j < job->ndim; j++) {
        shape[j] = drx_shape(a)[job->spec.permute ? job->spec.permute[j] : j];
        late[j] = grows ? mp_below(shape[j] + 1) : 0;
        shape[j] -= late[j];
    }
    if (spec.codec == DRX_RAW && mp_below(3) == 0)
        spec.flags |= DRX_CHECKSUM;
    to = mp_create("to", &spec);
    for (int j = 0; j < job->ndim; j++)
        if (late[j] > 0)
            assert_ok(drxmp_extend(to, j, late[j]));
    write_all(to);
    return to;
}

static void *read_whole(drx_array *a, size_t *bytes)
{
    void *values;

    *bytes = drx_type_size(drx_dtype(a));
    for (int j = 0; j < drx_ndim(a); j++)
        *bytes *= (size_t)drx_shape(a)[j];
    values = malloc(*bytes + 1);
    assert_non_null(values);
    assert_ok(drx_read(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, values));
    return values;
}

/* The elements are those of the copy by one process. */
static void compare_elements(drxmp_array *to)
{
    size_t bytes, expected_bytes;
    drx_array *alone;
    void *got, *expected;

    (void)MPI_Barrier(mp_comm);
    assert_ok(drx_open("alone", DRX_RDONLY, &alone));
    got = read_whole(drxmp_serial(to), &bytes);
    expected = read_whole(alone, &expected_bytes);
    assert_int_equal(bytes, expected_bytes);
    assert_memory_equal(got, expected, bytes);
    free(got);
    free(expected);
    assert_ok(drx_close(alone));
    (void)MPI_Barrier(mp_comm);
}

TEST(random_copies_into)
{
    for (int i = 0; i < mp_rounds(mp_ranks > 3 ? 25 : 50); i++) {
        drx_copy_spec spec = { .memory_bytes = mp_below(2) ? 0 : 1 << 20 };
        drxmp_array *from, *to;
        struct job job;

        choose(&job);
        job.spec.chunk = NULL;
        job.spec.flags = 0;
        from = make_source(&job);
        if (mp_below(4) == 0) {
            shift_source(&job, from);
            job.spec.permute = job.permute;
        }
        copy_alone(from, &job.spec);
        spec.permute = job.spec.permute;
        spec.keep_bits = job.spec.keep_bits;
        to = make_target(&job, from);
        drxi_hooks.way = mp_below(2) ? DRXI_ANY_WAY : DRXI_STAGED;
        drxi_hooks.never_direct = mp_below(2);
        assert_ok(drxmp_copy_into(from, to, &spec));
        drxi_hooks.way = DRXI_ANY_WAY;
        drxi_hooks.never_direct = false;
        compare_elements(to);
        write_all(to); /* it goes on as before */
        assert_ok(drxmp_sync(to));
        assert_ok(drxmp_close(to));
        mp_remove("to");
        assert_ok(drxmp_close(from));
    }
}

TEST(wrong_copies_into)
{
    const int64_t shape[1] = { 40 }, chunk[1] = { 7 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    const bool last = mp_rank == mp_ranks - 1;
    drxmp_array *from = mp_create("from", &spec), *to = mp_create("to", &spec);
    drx_copy_spec wishes = { .memory_bytes = last ? 1 << 20 : 1 << 21 };
    drx_status st;

    assert_status(drxmp_copy_into(NULL, to, NULL), DRX_EINVAL);
    assert_status(drxmp_copy_into(from, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_copy_into(from, from, NULL), DRX_EINVAL);
    assert_status(drxmp_copy_into(from, to, &wishes), mp_ranks > 1 ? DRX_EMISMATCH : DRX_OK);
    st = drxmp_copy_into(from, last ? NULL : to, NULL);
    assert_true(st == DRX_EINVAL || (mp_ranks > 1 && st == DRX_EMISMATCH));
    mp_assert_alike(st, 0);
    assert_ok(drxmp_extend(to, 0, 1));
    assert_fails(drxmp_copy_into(from, to, NULL), DRX_EMISMATCH, "axis 0");
    assert_ok(drxmp_close(to));
    assert_ok(drxmp_close(from));
    mp_remove("to");
}

static void report_problem(void *user, drx_severity severity, const char *text)
{
    (void)user;
    if (severity != DRX_NOTE)
        fail_msg("%s", text);
}

TEST(random_copies)
{
    int64_t elsewhere = 0;

    for (int i = 0; i < mp_rounds(mp_ranks > 3 ? 50 : 100); i++) {
        struct job job;
        drxmp_array *m;

        print_message("job %d\n", i);
        choose(&job);
        m = make_source(&job);
        if (i % 2)
            shift_source(&job, m);
        for (int j = 0; j < job.ndim; j++)
            elsewhere += drx_lower(drxmp_serial(m))[j] != 0;
        job.spec.flags |= (mp_below(2) ? DRX_FROM_ZERO : 0) | (mp_below(3) ? 0 : DRX_CHECKSUM);
        check_job(&job, m);
        job.spec.flags |= DRX_REPLACE;
        assert_ok(drxmp_copy(m, "to", &job.spec, NULL));
        if (mp_rank == 0) {
            assert_ok(drx_check("to", report_problem, NULL, NULL, NULL));
            assert_ok(drx_check("alone", report_problem, NULL, NULL, NULL));
        }
        mp_remove("to");
        assert_ok(drxmp_close(m));
    }
    assert_true(elsewhere > 0);
}

/* A copy in the memory of the job, and a copy of that in files, which are those of a copy without that step. */
TEST(copies_through_memory)
{
    static const char *const ways[] = { "direct", "2", "rma" };

    for (int i = 0; i < (mp_ranks > 3 ? 15 : 40); i++) {
        drxmp_array *m, *memory;
        struct job job;

        print_message("job %d\n", i);
        assert_int_equal(setenv("DRXMP_ONESIDED", ways[i % 3], 1), 0);
        choose(&job);
        m = make_source(&job);
        if (mp_below(2))
            shift_source(&job, m);
        job.spec.flags |= mp_below(2) ? DRX_FROM_ZERO : 0;
        copy_alone(m, &job.spec);
        assert_ok(drxmp_copy(m, NULL, &job.spec, &memory));
        assert_ok(drxmp_close(m));
        assert_ok(
            drxmp_copy(memory, "to", &(drx_copy_spec){ .flags = DRX_REPLACE | (job.spec.flags & DRX_SHELL) }, NULL));
        assert_ok(drxmp_close(memory));
        mp_assert_same_files("to", "alone");
    }
    mp_remove("to");
}

/* Target chunks longer than a rank's part of the array, which are written in parts, also where they end outside, and
 * where the array begins inside one. */
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

        for (int64_t lower = 0; lower >= -700; lower -= 700) {
            assert_ok(drxmp_extend_before(m, 0, -lower));
            write_all(m);
            wishes.flags = DRX_REPLACE | (lower < 0 ? DRX_CHECKSUM : 0);
            wishes.chunk = tall;
            wishes.permute = NULL;
            copy_alone(m, &wishes);
            copy_and_compare(m, &wishes, false);
            wishes.chunk = wide;
            wishes.permute = (const int[]){ 1, 0 };
            copy_alone(m, &wishes);
            copy_and_compare(m, &wishes, false);
        }
        assert_ok(drxmp_close(m));
    }
    mp_remove("to");
}

TEST(refusals)
{
    const int none[2] = { 1, 1 };
    const int64_t zero[2] = { 0, 4 }, other[2] = { 5, 4 + (mp_rank == mp_ranks - 1) };
    drxmp_array *m = make_small("from", 0, 24), *out, *there = make_small("there", 0, 3);

    assert_ok(drxmp_close(there));
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .permute = none }, NULL), DRX_EINVAL, "axis 1 twice");
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .chunk = zero }, &out), DRX_EINVAL,
                 "axis 0 of the target has a chunk extent of 0");
    assert_null(out);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .memory_bytes = -1 }, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .align = 3 }, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .flags = DRX_MOVE }, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, "to", &(drx_copy_spec){ .flags = DRX_TEMPORARY }, NULL), DRX_EUNSUPPORTED);
    assert_status(drxmp_copy(m, NULL, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_copy(m, NULL, &(drx_copy_spec){ .codec = DRX_LZ4 }, &out), DRX_EUNSUPPORTED);
    assert_status(drxmp_copy(NULL, "to", NULL, NULL), DRX_EINVAL);
    assert_fails(drxmp_copy(m, "./from", &(drx_copy_spec){ .flags = DRX_REPLACE }, NULL), DRX_EINVAL, "same array");
    assert_status(drxmp_copy(m, "there", NULL, NULL), DRX_EEXIST);
    assert_status(drxmp_copy(m, "nowhere/to", NULL, NULL), DRX_ENOENT);
    if (mp_ranks > 1) {
        assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .chunk = other }, NULL), DRX_EMISMATCH, "spec.chunk");
        assert_status(drxmp_copy(m, mp_rank ? "to" : "too", NULL, NULL), DRX_EMISMATCH);
        assert_status(drxmp_copy(m, "to", NULL, mp_rank ? NULL : &out), DRX_EMISMATCH);
        assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .codec = mp_rank ? DRX_ZSTD : DRX_RAW }, NULL),
                     DRX_EMISMATCH, "spec.codec");
    }
    assert_int_equal(mp_count_files("to* .[a-z]*"), 0);
    assert_ok(drxmp_close(m));
    m = make_small("from", -5, 24); /* without a plan the same is refused */
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .permute = none }, NULL), DRX_EINVAL, "axis 1 twice");
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .chunk = zero }, NULL), DRX_EINVAL,
                 "axis 0 of the target has a chunk extent of 0");
    assert_fails(drxmp_copy(m, "to", &(drx_copy_spec){ .memory_bytes = 1 }, NULL), DRX_ERANGE, "are too little");
    assert_status(drxmp_copy(m, "there", NULL, NULL), DRX_EEXIST);
    assert_ok(drxmp_copy(m, "to", &(drx_copy_spec){ .codec = DRX_ZSTD }, NULL));
    mp_remove("to");
    assert_int_equal(mp_count_files("to* .[a-z]*"), 0);
    assert_ok(drxmp_close(m));
    mp_remove("there");
}
