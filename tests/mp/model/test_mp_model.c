/* Random histories on all ranks together, compared with a plain array in memory. At the end, both files are compared
 * with those of one process that did the same; of an array in the memory of the job, its elements with those of one in
 * the memory of one process. */
#include "base/hooks.h"
#include "drx_tools.h"
#include "mp/mp.h"
#include "mp_model.h"

static bool apart; /* ranks write alone, too; then the files need not be the same */

static void do_sync(void)
{
    if (mp_rank == 0)
        assert_ok(drx_sync(one));
    assert_ok(drxmp_sync(many));
}

static void do_settings(void)
{
    assert_ok(mp_set_any(many));
}

static void do_reopen(void)
{
    if (in_memory)
        return;
    assert_ok(drxmp_close(many));
    many = mp_open("many", DRX_RDWR);
    if (mp_rank == 0) { /* which makes durable what was not */
        assert_ok(drx_close(one));
        assert_ok(drx_open("one", DRX_RDWR, &one));
    }
}

static void do_compact(void)
{
    if (mp_rank == 0)
        assert_ok(drx_compact(one));
    assert_ok(drxmp_compact(many));
}

/* Which ranks share memory. */
static void draw_nodes(void)
{
    static const char *const ways[] = { "direct", "direct", "2", "3", "rma" };

    assert_int_equal(setenv("DRXMP_ONESIDED", ways[mp_below(5)], 1), 0);
    drxi_hooks.no_aliases = mp_below(5) == 0;
    drxi_job_least_bytes = mp_below(3) ? 1 + mp_below(5000) : 1 << 20;
}

static void begin_history(void)
{
    const int32_t fills[] = { 0, -7 };
    int64_t shape[MAX_NDIM];
    drx_spec spec = { .type = DRX_INT32, .flags = DRX_REPLACE };

    ndim = 1 + (int)mp_below(MAX_NDIM);
    fill = fills[mp_below(2)];
    for (int j = 0; j < ndim; j++) {
        shape[j] = mp_below(20);
        lower[j] = mp_below(3) ? 0 : mp_below(21) - 10;
        upper[j] = lower[j] + shape[j];
        chunk[j] = 1 + mp_below(9);
    }
    for (int i = 0; i < ROOM; i++)
        model[i] = fill;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.lower = lower;
    spec.chunk = chunk;
    spec.fill = &fill;
    spec.chunk_order = mp_any_order();
    spec.align = mp_below(2) ? 64 : 1;
    spec.codec = packed ? (drx_codec)(1 + mp_below(3)) : DRX_RAW;
    if (in_memory)
        draw_nodes();
    many = mp_create(in_memory ? NULL : "many", &spec);
    if (mp_rank == 0)
        assert_ok(drx_create(in_memory ? NULL : "one", &spec, &one));
}

/* One process reads what it has. */
static void compare_elements(void)
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++) {
        n *= upper[j] - lower[j];
        assert_int_equal(drx_shape(one)[j], upper[j] - lower[j]);
        assert_int_equal(drx_shape(drxmp_serial(many))[j], upper[j] - lower[j]);
        assert_int_equal(drx_lower(drxmp_serial(many))[j], lower[j]);
    }
    assert_ok(drx_read(one, lower, drx_shape(one), DRX_ROW_MAJOR, buf));
    assert_ok(drx_read(drxmp_serial(many), lower, drx_shape(one), DRX_ROW_MAJOR, slab));
    assert_memory_equal(buf, slab, (size_t)n * sizeof *buf);
    (void)gather(lower, upper);
    assert_memory_equal(buf, slab, (size_t)n * sizeof *buf);
}

static void end_history(void)
{
    if (in_memory && mp_rank == 0)
        compare_elements();
    assert_ok(drxmp_close(many));
    if (mp_rank == 0)
        assert_ok(drx_close(one));
    if (apart && mp_rank == 0)
        assert_ok(drx_check("many", NULL, NULL, NULL, NULL));
    if (!apart && !in_memory)
        mp_assert_same_files("many", "one");
}

static void play(void (*const what[])(void), size_t n)
{
    const char *text = getenv("DRX_MODEL_OPS");
    const int histories = text ? 1 + (int)strtol(text, NULL, 10) / 10000 : mp_rounds(10);

    for (int h = 0; h < histories; h++) {
        begin_history();
        for (int i = 0; i < 60; i++)
            what[mp_below((int64_t)n)]();
        end_history();
    }
}

TEST(histories)
{
    static void (*const what[])(void) = { do_write,  do_write,  do_write,    do_read,   do_read,
                                          do_grow,   do_append, do_grow,     do_append, do_settings,
                                          do_reopen, do_trim,   do_add_axis, do_sync,   do_put };

    play(what, sizeof what / sizeof what[0]);
}

TEST(histories_of_compressed_arrays)
{
    static void (*const what[])(void) = { do_write,  do_write,  do_write,    do_read,   do_read,    do_grow,
                                          do_append, do_append, do_settings, do_reopen, do_trim,    do_add_axis,
                                          do_sync,   do_append, do_grow,     do_append, do_compact, do_sync };

    packed = true;
    play(what, sizeof what / sizeof what[0]);
    packed = false;
}

TEST(histories_of_compressed_arrays_that_ranks_write_alone)
{
    static void (*const what[])(
        void) = { do_write_alone, do_write_alone, do_write_alone, do_write, do_read,     do_read, do_grow,    do_append,
                  do_append,      do_settings,    do_reopen,      do_trim,  do_add_axis, do_sync, do_compact, do_put };

    packed = apart = true;
    play(what, sizeof what / sizeof what[0]);
    packed = apart = false;
}

TEST(histories_in_memory)
{
    static void (*const what[])(void) = { do_write, do_write,  do_write,    do_read, do_read,     do_grow, do_append,
                                          do_grow,  do_append, do_settings, do_trim, do_add_axis, do_sync, do_add };

    in_memory = true;
    play(what, sizeof what / sizeof what[0]);
    in_memory = false;
}
