/* A handle that shares files finds out, under the lock, what others did to them, and never overwrites that. The next
 * process undoes what a killed process left. */
#include <unistd.h>

#include "array/array.h"
#include "bytes.h"
#include "drx_tools.h"
#include "processes.h"

enum { FILL = -5, CHUNK = 4 };

static int32_t fill = FILL;

static void make(const char *path)
{
    drx_array *a;

    make_int32(path, (int64_t[]){ 2, 3 }, (int64_t[]){ 4, 2 }, fill, DRX_ROW_MAJOR, 0);
    assert_ok(drx_open(path, DRX_RDWR, &a));
    assert_ok(drx_attr_set_text(a, "title", "as it was made"));
    assert_ok(drx_close(a));
}

/* No call changes anything any more, and all give that; but it can be read. */
static void check_only_reads(drx_array *a, drx_status expected, const char *detail, const char *meta)
{
    const int64_t lo[2] = { 0, 0 }, rows = drx_shape(a)[0];
    const struct bytes log = load(meta ? meta : "a.xta"), data = load("a.xta");
    int64_t box_lo[2], box_count[2];
    int32_t row[16] = { 0 };

    assert_status(drx_extend(a, 0, 1), expected);
    assert_detail(detail);
    assert_status(drx_extend(a, 0, 1), expected);
    assert_status(drx_reserve(a, 0, 1, box_lo, box_count), expected);
    assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, row), expected);
    assert_status(drx_attr_set_text(a, "title", "another"), expected);
    assert_status(drx_attr_delete(a, "title"), expected);
    assert_status(drx_dim_rename(a, 0, "x"), expected);
    assert_status(drx_write(a, lo, (int64_t[]){ 1, 3 }, DRX_ROW_MAJOR, row), expected);
    assert_status(drx_put(a, lo, row), expected);
    assert_status(drx_sync(a), expected);
    assert_int_equal(drx_shape(a)[0], rows);
    assert_ok(drx_read(a, lo, (int64_t[]){ 1, 3 }, DRX_ROW_MAJOR, row));
    assert_int_equal(row[0], FILL);
    assert_ok(drx_close(a));
    assert_bytes(meta ? meta : "a.xta", log);
    assert_bytes("a.xta", data);
}

static drx_array *open_shared(void)
{
    drx_array *a;

    make("a");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_ok(drx_extend(a, 0, 1));
    return a;
}

TEST(replaced)
{
    drx_array *a = open_shared();

    make("b");
    assert_int_equal(rename("b.xta", "a.xta"), 0);
    assert_int_equal(rename("b.xmd", "a.xmd"), 0);
    check_only_reads(a, DRX_EMISMATCH, "", "a.xmd");
}

TEST(replaced_by_the_same_log)
{
    drx_array *a = open_shared();
    struct bytes log = load("a.xmd");

    store_bytes("new", log);
    assert_int_equal(rename("new", "a.xmd"), 0);
    check_only_reads(a, DRX_EMISMATCH, "", "a.xmd");
    a = open_shared();
    store_bytes("new", log);
    assert_int_equal(rename("new", "a.xmd"), 0);
    assert_status(drx_refresh(a), DRX_EMISMATCH);
    assert_detail("a.xmd: replaced by another file since it was opened");
    check_only_reads(a, DRX_EMISMATCH, "", "a.xmd");
}

TEST(removed)
{
    drx_array *a = open_shared();

    assert_int_equal(unlink("a.xmd"), 0);
    assert_status(drx_extend(a, 0, 1), DRX_EMISMATCH);
    assert_detail("a.xmd: removed since it was opened");
    check_only_reads(a, DRX_EMISMATCH, "", NULL);
    assert_int_equal(access("a.xmd", F_OK), -1);
}

TEST(log_was_cut)
{
    struct bytes log;
    drx_array *a, *reader;

    make("a");
    log = load("a.xmd");
    a = open_shared();
    assert_ok(drx_open("a", DRX_RDONLY, &reader));
    store_bytes("a.xmd", log);
    assert_status(drx_refresh(reader), DRX_EDAMAGED);
    assert_detail("a.xmd: damaged");
    assert_ok(drx_close(reader));
    assert_status(drx_refresh(a), DRX_EDAMAGED);
    check_only_reads(a, DRX_EDAMAGED, "", "a.xmd");
    a = open_shared();
    log = load("a.xmd");
    log.n -= 4; /* within its last record */
    store_bytes("a.xmd", log);
    check_only_reads(a, DRX_EDAMAGED, "", "a.xmd");
}

/* Another history of the same array, as long or longer. */
TEST(log_is_another)
{
    for (int more = 0; more < 3; more++) {
        drx_array *a, *b;

        a = open_shared();
        copy_file("a.xmd", "b.xmd");
        copy_file("a.xta", "b.xta");
        assert_ok(drx_extend(a, 0, 1));
        assert_ok(drx_open("b", DRX_RDWR, &b));
        assert_ok(drx_extend(b, 1, 1));
        if (more == 1)
            assert_ok(drx_extend(b, 1, 1));
        if (more == 2)
            assert_ok(drx_attr_set_text(b, "title", "of another history"));
        assert_ok(drx_close(b));
        copy_file("b.xmd", "a.xmd");
        check_only_reads(a, DRX_EDAMAGED, "is not the one that was there", "a.xmd");
    }
}

static drx_status extend_it(drx_array *a)
{
    return drx_extend(a, 1, 3);
}

static drx_status append_to_it(drx_array *a)
{
    return drx_append(a, 0, 1, DRX_ROW_MAJOR, (int32_t[]){ 1, 2, 3 });
}

static drx_status set_it(drx_array *a)
{
    return drx_attr_set_text(a, "x", "y");
}

static drx_status name_it(drx_array *a)
{
    return drx_dim_rename(a, 0, "x");
}

/* The one writer finds that another has appended, where locks keep nobody away. */
TEST(lock_that_kept_nobody_away)
{
    static drx_status (*const changes[])(drx_array *) = { extend_it, append_to_it, set_it, name_it, drx_sync };

    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        drx_array *a, *b;

        make("a");
        assert_ok(drx_open("a", DRX_RDWR, &a));
        copy_file("a.xmd", "b.xmd");
        copy_file("a.xta", "b.xta");
        assert_ok(drx_open("b", DRX_RDWR, &b));
        assert_ok(drx_extend(b, 0, 5)); /* chunks are added */
        assert_ok(drx_close(b));
        copy_file("b.xmd", "a.xmd");
        copy_file("b.xta", "a.xta");
        assert_status(changes[i](a), DRX_EBUSY);
        assert_detail("another process writes to it, in spite of the lock");
        assert_status(drx_extend(a, 0, 1), DRX_EBUSY);
        assert_ok(drx_close(a));
        assert_bytes("a.xmd", load("b.xmd"));
        assert_bytes("a.xta", load("b.xta"));
    }
}

/* Every cell is fill, also those that growth uncovers. */
static void check_fill(drx_array *a)
{
    static int32_t buf[8192];
    int64_t n = 1;

    for (int axis = 0; axis < 2; axis++)
        assert_ok(drx_extend(a, axis, 1));
    for (int axis = 0; axis < 2; axis++)
        assert_ok(drx_extend(a, axis, 6));
    assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, buf));
    for (int j = 0; j < 2; j++)
        n *= drx_shape(a)[j];
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(buf[i], fill);
}

static drx_status never(drx_array *a, const struct drxi_change *c, void *with)
{
    (void)a, (void)c, (void)with;
    return DRX_EINVAL;
}

/* Begin an append as drx_append does, write to its slab, and go no further. */
static void die_while_appending(int64_t by)
{
    const int32_t residue[8] = { 77, 77, 77, 77, 77, 77, 77, 77 };
    const struct drxi_asked asked = { .kind = DRXI_GROW, .by = by, .write = never };
    struct drxi_change c;
    int64_t row, address;
    drx_array *b;

    assert_ok(drx_open("a", DRX_SHARED, &b));
    row = drx_shape(b)[0];
    assert_true(row % CHUNK); /* the chunk is there */
    assert_ok(drx_chunk_address(b, (int64_t[]){ row / CHUNK, 0 }, &address));
    assert_ok(drxi_prepare(b, &asked, &drxi_alone, &c));
    assert_ok(drxi_begin_append(b, &c, &drxi_alone));
    assert_ok(b->data.file->io->ops->write(b->data.file->io, residue, 8,
                                           address * b->data.chunk_pitch_bytes + row % CHUNK * 8));
    assert_ok(b->data.file->io->ops->write(b->data.file->io, residue, sizeof residue,
                                           c.step.chunks_before * b->data.chunk_pitch_bytes));
    drxi_change_end(&c);
    drxi_end_log_change(b);
    drxi_gate_open(&b->gate);
    assert_ok(drx_close(b));
}

/* In chunks that handles which are open have made, and so trust, and in new ones. */
TEST(append_that_was_cut_off)
{
    for (int later = 0; later < 8; later++) {
        drx_array *a, *b;

        fill = later < 4 ? 0 : FILL;
        make("a");
        assert_ok(drx_open("a", DRX_SHARED, &a));
        assert_ok(drx_open("a", DRX_SHARED, &b));
        assert_ok(drx_extend(a, 0, 7));
        die_while_appending(7);
        if (later % 4 == 1) /* seen before the lock was had */
            assert_ok(drx_refresh(a));
        if (later % 4 == 2) { /* by the next to open it */
            assert_ok(drx_close(a));
            assert_ok(drx_open("a", DRX_SHARED, &a));
        }
        if (later % 4 == 3)
            assert_ok(drx_attr_set_text(b, "title", "by another"));
        assert_int_equal(drx_shape(a)[0], 9);
        check_fill(a);
        assert_ok(drx_refresh(b));
        check_fill(b);
        assert_ok(drx_close(a));
        assert_ok(drx_close(b));
        assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
    }
    fill = FILL;
}

/* A record that was cut short, behind an INTENT or alone. */
TEST(record_that_was_cut_short)
{
    for (int intent = 0; intent < 2; intent++) {
        struct bytes log;
        drx_array *a;
        uint64_t sequence;

        make("a");
        assert_ok(drx_open("a", DRX_SHARED, &a));
        if (intent)
            die_while_appending(7);
        log = load("a.xmd");
        memset(log.p + log.n, 0x5a, 20);
        log.n += 20;
        store_bytes("a.xmd", log);
        assert_ok(drx_refresh(a));              /* a reader passes over it */
        sequence = a->log.state.chain.sequence; /* the append is cut off, too */
        assert_ok(drx_extend(a, 0, 1));
        assert_int_equal(a->log.state.chain.sequence, sequence + 1);
        check_fill(a);
        assert_ok(drx_close(a));
        assert_ok(drx_open("a", DRX_RDWR, &a));
        assert_string_equal(drx_last_error(), "");
        assert_ok(drx_close(a));
        assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
    }
}

/* Growth that made the data longer, and got no further. */
TEST(length_without_growth)
{
    drx_array *a;

    make("a");
    assert_ok(drx_open("a", DRX_SHARED, &a));
    assert_int_equal(truncate("a.xta", 4096), 0);
    check_fill(a);
    assert_ok(drx_close(a));
    assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
}
