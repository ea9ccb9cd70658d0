/* The handles that the ranks of an MPI job have of an array that they only read: they look for trims by themselves. */
#include "watched.h"

TEST(a_replica_refuses_what_was_trimmed)
{
    drx_array *r, *unread;

    create_rows(10);
    r = open_other_rank();
    unread = open_other_rank();
    for (int i = 0; i < 20; i++)
        expect(r, 0, 0, *cell(&now, 0, 0));
    trim(0, 4, 0);
    expect_trimmed(r, 0, 0);
    expect_trimmed(unread, 3, 3);
    expect(r, 4, 0, *cell(&now, 4, 0));
    expect(unread, 4, 0, *cell(&now, 4, 0));
    assert_ok(drx_compact(writer));
    trim(1, 0, 1);
    expect_trimmed(r, 4, 3);
    expect_trimmed(r, 3, 0);
    expect(r, 4, 2, *cell(&now, 4, 2));
    close_replica(r);
    close_replica(unread);
    assert_ok(drx_close(writer));
}

/* Whoever follows the log of the first rank knows the trim, and looks for the next one. */
TEST(a_replica_follows_the_log)
{
    drx_array *r, *root;
    int32_t got;

    create_rows(10);
    root = open_reader();
    r = open_other_rank();
    for (int i = 0; i < 4; i++) {
        const int64_t before = drxi_get_log_end(root).bytes, row = now.lower[0];
        uint8_t *bytes;
        int64_t n;

        trim(0, 1, 0);
        if (i == 2) /* a new log */
            assert_ok(drx_compact(writer));
        expect_trimmed(r, row, 0);
        assert_ok(drx_refresh(root));
        assert_ok(drxi_read_log(root, i == 2 ? 0 : before, &bytes, &n));
        assert_ok(drxi_follow_log(r, i == 2 ? 0 : before, bytes, n));
        drxi_free(bytes);
        assert_int_equal(drx_lower(r)[0], row + 1);
        assert_status(drx_get(r, (int64_t[]){ row, 0 }, &got), DRX_ERANGE);
        assert_detail("the bounds are");
        expect(r, row + 1, 0, *cell(&now, row + 1, 0));
    }
    close_replica(r);
    assert_ok(drx_close(root));
    assert_ok(drx_close(writer));
}

/* Between the first rank's open and that of another one. */
TEST(a_log_that_is_replaced_before_a_replica_opens_it)
{
    drx_array *root, *r;
    struct copy c;

    create_rows(10);
    root = open_reader();
    c = take_copy(root);
    append(0, 1, false);
    assert_ok(drx_compact(writer)); /* nothing was ever trimmed */
    r = open_replica(c);
    expect(r, 0, 0, *cell(&now, 0, 0));
    trim(0, 2, 0);
    expect_trimmed(r, 0, 0);
    expect(r, 2, 0, *cell(&now, 2, 0));
    close_replica(r);

    assert_ok(drx_compact(writer));
    r = open_replica(c); /* the trim was before the log begins */
    expect_trimmed(r, 0, 0);
    assert_detail("nobody can tell where");
    drxi_free(c.bytes);
    assert_ok(drx_refresh(root));
    c = take_copy(root);
    assert_ok(drxi_follow_log(r, 0, c.bytes, c.n));
    expect(r, 2, 0, *cell(&now, 2, 0));
    trim(0, 1, 0);
    expect_trimmed(r, 2, 0);
    close_replica(r);
    drxi_free(c.bytes);
    assert_ok(drx_close(root));
    assert_ok(drx_close(writer));
}

TEST(another_array_before_a_replica_opens_it)
{
    drx_array *root, *r;
    struct copy c;

    create_rows(4);
    root = open_reader();
    c = take_copy(root);
    assert_ok(drx_close(writer));
    create_rows(4);
    assert_status(drxi_open_replica("watched", false, NULL, c.bytes, c.n, &r), DRX_EMISMATCH);
    assert_detail("watched.xmd: here it is another array than on rank 0");
    assert_ok(drx_close(writer));
    assert_ok(drx_remove("watched"));
    assert_status(drxi_open_replica("watched", false, NULL, c.bytes, c.n, &r), DRX_ENOENT);
    drxi_free(c.bytes);
    assert_ok(drx_close(root));
}

/* The copy ends with a record that the writer may take back. */
static drx_status copy_and_give_up(void *with, int64_t done, int64_t *n, const void **buf)
{
    drx_array *root = open_reader();

    (void)done, (void)n, (void)buf;
    *(struct copy *)with = take_copy(root);
    assert_ok(drx_close(root));
    return DRX_EINTERRUPTED;
}

TEST(a_replica_beside_an_append_that_is_taken_back)
{
    struct copy c;
    drx_array *r, *late;

    create_rows(6);
    assert_status(drx_append_pieces(writer, 0, 4, DRX_ROW_MAJOR, copy_and_give_up, &c), DRX_EINTERRUPTED);
    r = open_replica(c);
    expect(r, 1, 1, *cell(&now, 1, 1));
    trim(0, 2, 0);
    late = open_replica(c);
    drxi_free(c.bytes);
    expect_trimmed(r, 1, 1);
    expect_trimmed(late, 1, 1);
    expect(r, 2, 1, *cell(&now, 2, 1));
    expect(late, 2, 1, *cell(&now, 2, 1));
    close_replica(r);
    close_replica(late);
    assert_ok(drx_close(writer));
}
