/* The live words: what a writer says by them, and what readers make of it. */
#include <fcntl.h>
#include <unistd.h>

#include "array/array.h"
#include "bytes.h"
#include "lone/lone.h"
#include "watched.h"

static struct drxi_live words_of(drx_array *a)
{
    struct drxi_live words;

    assert_ok(drxi_live_load(a->log.io, &words));
    return words;
}

static uint64_t last_trim(void)
{
    return drxi_lone_store(&writer->log)->last_trim;
}

/* Elements that nobody has touched are read on; and after a sync they are refused. */
TEST(what_nobody_has_touched_is_read_on)
{
    drx_array *r = watch(10);

    trim_alone(0, 4, 0);
    assert_int_equal(words_of(writer).trims, 0);
    expect(r, 0, 0, *cell(&now, 0, 0));
    assert_ok(drx_sync(writer));
    assert_true(last_trim() > 0);
    assert_int_equal(words_of(writer).trims, last_trim());
    expect_trimmed(r, 0, 0);
    assert_ok(drx_close(r));
    r = open_reader();
    trim_alone(0, 0, 2); /* through a chunk */
    append(0, 1, false);
    assert_int_equal(words_of(writer).trims, last_trim());
    expect_trimmed(r, 8, 0);
    end_watch(r);
}

/* Cells that hold the fill are not restored, and are used again all the same. */
TEST(cells_that_were_never_written)
{
    drx_array *r;

    create_rows(4);
    assert_ok(drx_extend(writer, 0, 1));
    r = open_reader();
    expect(r, 4, 0, FILL);
    assert_ok(drx_trim(writer, 0, 0, 1));
    assert_ok(drx_extend(writer, 0, 1));
    assert_ok(drx_put(writer, (int64_t[]){ 4, 0 }, &(int32_t){ 77 }));
    expect_trimmed(r, 4, 0);
    end_watch(r);
}

/* ---- the order ---- */

static char events[64]; /* of the log: s, a sync; w, the words are written; of the data: d, written, p, punched */
static size_t event_count;
static const struct drxi_io_ops *log_ops, *data_ops;
static struct drxi_io_ops noted_log, noted_data;

static void note(char event)
{
    if (event_count + 1 < sizeof events)
        events[event_count++] = event;
}

static drx_status note_sync(drxi_io *io)
{
    note('s');
    return log_ops->sync(io);
}

static drx_status note_log_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    note(offset == DRXI_LIVE_AT ? 'w' : 'r');
    return log_ops->write(io, buf, n, offset);
}

static drx_status note_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    note('d');
    return data_ops->write(io, buf, n, offset);
}

static drx_status note_punch(drxi_io *io, int64_t begin, int64_t end)
{
    note('p');
    return data_ops->punch(io, begin, end);
}

static void note_calls(drx_array *a)
{
    log_ops = a->log.io->ops;
    data_ops = a->data.file->io->ops;
    noted_log = *log_ops;
    noted_data = *data_ops;
    noted_log.sync = note_sync;
    noted_log.write = note_log_write;
    noted_data.write = note_write;
    noted_data.punch = note_punch;
    a->log.io->ops = &noted_log;
    a->data.file->io->ops = &noted_data;
    memset(events, 0, sizeof events);
    event_count = 0;
}

/* The record, a sync, the word, and only then what changes the data. */
static void expect_order(char change)
{
    const char *record = strchr(events, 'r'), *sync = record ? strchr(record, 's') : NULL;
    const char *word = strchr(events, 'w'), *first = strchr(events, change);

    print_message("%s\n", events);
    assert_true(sync && word && first);
    assert_true(sync < word && word < first);
    assert_null(strchr(word + 1, 'w'));
}

TEST(trims_are_durable_before_readers_are_told)
{
    create_rows(10);
    assert_ok(drx_sync(writer));
    note_calls(writer);
    trim(0, 4, 0);
    expect_order('p');
    event_count = 0;
    memset(events, 0, sizeof events);
    trim_alone(0, 0, 2);
    append(0, 1, false);
    expect_order('d');
    event_count = 0;
    memset(events, 0, sizeof events);
    append(0, 4, false);
    assert_ok(drx_sync(writer));
    assert_null(strchr(events, 'w')); /* they were told */
    assert_ok(drx_close(writer));
}

/* Whoever changes cells that another one's trim left outside tells readers; also a writer that opens the array
 * later. */
TEST(the_trims_of_others)
{
    drx_array *a, *b, *r;

    create_rows(5);
    share(&a, &b);
    r = open_reader();
    assert_ok(drx_trim(a, 0, 0, 1));
    assert_int_equal(words_of(a).trims, 0);
    assert_ok(drx_extend(b, 0, 1));
    assert_int_equal(words_of(a).trims, drxi_lone_store(&b->log)->last_trim);
    expect_trimmed(r, 4, 0);
    expect(b, 4, 0, FILL);
    assert_ok(drx_close(a));
    assert_ok(drx_close(b));
    assert_ok(drx_close(r));
    r = open_reader();
    assert_ok(drx_open("watched", DRX_RDWR, &writer));
    assert_ok(drx_trim(writer, 1, 0, 2));
    assert_ok(drx_close(writer));
    expect(r, 3, 2, *cell(&now, 3, 2));
    assert_ok(drx_open("watched", DRX_RDWR, &writer));
    assert_ok(drx_extend(writer, 1, 1));
    assert_int_equal(words_of(writer).trims, last_trim());
    expect_trimmed(r, 3, 2);
    end_watch(r);
}

/* ---- a log that is replaced ---- */

/* The log that has the name now. */
static drxi_io *open_log(void)
{
    drxi_io *log;

    assert_ok(drxi_files->open("watched.xmd", DRXI_WRITE, &log));
    return log;
}

/* While `replaced` is 1, or something that no writer sets, a reader looks for another log each time. */
TEST(readers_look_for_another_log)
{
    static const uint64_t states[] = { 1, 2, 7 };

    for (int i = 0; i < 3; i++) {
        drx_array *r;
        drxi_io *old;

        create_rows(9);
        assert_ok(drx_sync(writer));
        old = open_log();
        r = open_reader();
        expect(r, 0, 0, *cell(&now, 0, 0));
        assert_ok(drxi_live_set_replaced(old, states[i])); /* nothing has happened */
        for (int k = 0; k < 20; k++)
            expect(r, 0, 0, *cell(&now, 0, 0));
        assert_ok(drx_compact(writer));
        assert_ok(drxi_live_set_replaced(old, states[i] == 2 ? 1 : states[i]));
        trim(0, 1, 0);
        expect_trimmed(r, 0, 0);
        expect(r, 1, 0, *cell(&now, 1, 0));
        assert_ok(old->ops->close(old));
        assert_ok(drx_close(r));
        assert_ok(drx_close(writer));
    }
}

/* A compaction that is cut off, or fails, leaves 1 there; the next writer knows that the log has its name. */
TEST(a_writer_takes_the_word_back)
{
    for (int mode = DRX_RDWR; mode <= DRX_SHARED; mode++) {
        drx_array *a, *r;

        create_rows(4);
        assert_ok(drxi_live_set_replaced(writer->log.io, 1));
        assert_ok(drx_close(writer));
        r = open_reader();
        assert_int_equal(words_of(r).replaced, 1);
        assert_ok(drx_open("watched", mode, &a));
        assert_int_equal(words_of(r).replaced, 0);
        expect(r, 0, 0, *cell(&now, 0, 0));
        assert_ok(drx_trim(a, 0, 1, 0));
        assert_ok(drx_sync(a));
        expect_trimmed(r, 0, 0);
        assert_ok(drx_close(r));
        assert_ok(drx_close(a));
    }
}

/* A reader that refreshes while its log is being replaced has the words of a log that nobody writes to any more. */
TEST(words_that_say_replaced_are_not_believed_at_once)
{
    drx_array *r;
    drxi_io *old;

    create_rows(9);
    assert_ok(drx_sync(writer));
    old = open_log();
    assert_ok(drxi_live_set_replaced(old, 2));
    r = open_reader(); /* it is still named */
    assert_ok(drx_compact(writer));
    trim(0, 1, 0);
    expect_trimmed(r, 0, 0);
    assert_ok(old->ops->close(old));
    end_watch(r);
}

/* Logs that nobody looked at have merged no trim, and new axes; numbers of dimensions stay. */
TEST(logs_that_were_missed)
{
    drx_array *r, *late;

    create_rows(10);
    r = open_reader();
    for (int i = 0; i < 3; i++) {
        assert_ok(drx_compact(writer));
        assert_ok(drx_add_axis(writer, i, "run"));
        assert_ok(drx_extend(writer, i, 2));
    }
    assert_ok(drx_compact(writer));
    late = open_reader();
    assert_ok(drx_trim(writer, 3, 2, 0)); /* what is axis 0 of the reader */
    assert_ok(drx_sync(writer));
    expect_trimmed(r, 1, 3);
    assert_detail("axis 0");
    expect(r, 2, 3, *cell(&now, 2, 3));
    assert_ok(drx_trim(writer, 1, 0, 2)); /* of a later axis: the index 0 is left */
    assert_ok(drx_sync(writer));
    expect(r, 2, 3, *cell(&now, 2, 3));
    assert_ok(drx_trim(writer, 1, 1, 0));
    assert_ok(drx_sync(writer));
    expect_trimmed(r, 2, 3);
    assert_detail("has left nothing");
    assert_ok(drx_close(late));
    end_watch(r);
}

/* Each log tells of the axes again. */
TEST(many_logs)
{
    drx_array *r;

    create_rows(10);
    assert_ok(drx_add_axis(writer, 0, "run"));
    r = open_reader();
    for (int i = 0; i < DRX_MAX_NDIM; i++) {
        int32_t got;

        for (int32_t k = 0; k < 9; k++)
            assert_ok(drx_attr_set(writer, "k", DRX_INT32, 1, &k));
        assert_ok(drx_compact(writer));
        assert_ok(drx_get(r, (int64_t[]){ 0, i % 10, 0 }, &got));
    }
    assert_ok(drx_add_axis(writer, 0, "level"));
    assert_ok(drx_extend(writer, 0, 1));
    assert_ok(drx_trim(writer, 0, 1, 0));
    assert_ok(drx_sync(writer));
    assert_status(drx_get(r, (int64_t[]){ 0, 1, 0 }, &(int32_t){ 0 }), DRX_ERANGE);
    end_watch(r);
}

/* The trim is told, and the log is damaged before it. */
TEST(a_trim_that_cannot_be_read)
{
    const int64_t flipped[] = { 20, 30 };

    for (int i = 0; i < 2; i++) {
        drx_array *r;
        int64_t end;

        create_rows(10);
        assert_ok(drx_sync(writer));
        r = open_reader();
        end = writer->log.state.chain.end;
        trim(0, 4, 0);
        flip("watched.xmd", end + flipped[i], 1);
        expect_trimmed(r, 0, 0);
        assert_detail("nobody can tell where");
        assert_ok(drx_close(r));
        (void)drx_close(writer);
    }
}

/* The log is shorter than it was, as after a crash of a file server. */
TEST(a_log_that_has_lost_records)
{
    drx_array *r = watch(10);
    int32_t value;

    assert_int_equal(truncate("watched.xmd", writer->log.state.chain.end - 8), 0);
    expect(r, 0, 0, *cell(&now, 0, 0));
    assert_ok(drxi_live_set_trims(writer->log.io, 1));
    assert_status(drx_get(r, (int64_t[]){ 0, 0 }, &value), DRX_EDAMAGED);
    assert_ok(drx_close(r));
    (void)drx_close(writer);
}

/* A copy of the log has words that are later than its records. */
TEST(a_replica_of_a_reader_that_is_behind)
{
    drx_array *root, *r;
    struct copy c;

    create_rows(10);
    root = open_reader();
    trim(0, 4, 0);
    c = take_copy(root);
    r = open_replica(c);
    drxi_free(c.bytes);
    expect_trimmed(r, 0, 0);
    expect(r, 4, 0, *cell(&now, 4, 0));
    close_replica(r);
    assert_ok(drx_close(root));
    assert_ok(drx_close(writer));
}

/* A reader knows an append that goes on, and a refresh is refused later: it goes back to what counted. */
static drx_status open_beside(void *with, int64_t done, int64_t *n, const void **buf)
{
    static const int32_t rows[4 * SIDE];

    if (done == 0)
        *(drx_array **)with = open_reader();
    *n = 2;
    *buf = rows;
    return DRX_OK;
}

TEST(a_refused_refresh_beside_an_append)
{
    drx_array *r;

    create_rows(4);
    assert_ok(drx_append_pieces(writer, 0, 2, DRX_ROW_MAJOR, open_beside, &r));
    assert_true(r->log.state.intent_open);
    assert_ok(drx_attr_set_text(writer, "who", "writer"));
    assert_ok(drx_trim(writer, 0, 1, 0));
    assert_ok(drx_add_axis(writer, 0, NULL));
    assert_ok(drx_sync(writer));
    for (int i = 0; i < 2; i++) {
        assert_status(drx_refresh(r), DRX_EMISMATCH);
        assert_int_equal(drx_ndim(r), 2);
        assert_int_equal(drx_shape(r)[0], 4);
        assert_int_equal(drx_attr_count(r), 0);
        expect_trimmed(r, 0, 3);
        expect(r, 3, 0, *cell(&now, 3, 0));
    }
    end_watch(r);
}

/* What was read of a damaged log is put back; and words that were loaded meanwhile are later ones than what is left. A
 * trim that is told stands before the damage, or behind it. */
TEST(a_refused_refresh_of_a_damaged_log)
{
    for (int behind = 0; behind < 2; behind++) {
        drx_array *r;
        int64_t end;

        create_rows(5);
        r = open_reader();
        if (!behind)
            trim(0, 3, 0);
        end = writer->log.state.chain.end;
        assert_ok(drx_attr_set_text(writer, "who", "writer"));
        if (behind)
            trim(0, 3, 0);
        assert_ok(drx_sync(writer));
        flip("watched.xmd", end + 30, 1);
        assert_status(drx_refresh(r), DRX_EDAMAGED);
        assert_int_equal(drx_lower(r)[0], 0);
        expect_trimmed(r, 0, 0);
        assert_detail(behind ? "nobody can tell where" : "are left by a trim");
        if (!behind)
            expect(r, 3, 0, *cell(&now, 3, 0));
        assert_ok(drx_close(r));
        (void)drx_close(writer);
    }
}

/* No CRC covers the words: what does not change tells nothing. */
TEST(words_that_no_writer_sets)
{
    drx_array *r, *replica;

    create_rows(10);
    assert_ok(drx_sync(writer));
    assert_ok(drxi_live_set_trims(writer->log.io, UINT64_MAX));
    r = open_reader();
    replica = open_other_rank();
    for (int i = 0; i < 20; i++) {
        expect(r, 0, 0, *cell(&now, 0, 0));
        expect(replica, 0, 0, *cell(&now, 0, 0));
    }
    trim(0, 4, 0);
    assert_int_equal(words_of(writer).trims, last_trim());
    expect_trimmed(r, 0, 0);
    expect_trimmed(replica, 0, 0);
    expect(r, 4, 0, *cell(&now, 4, 0));
    expect(replica, 4, 0, *cell(&now, 4, 0));
    close_replica(replica);
    end_watch(r);
}

/* An append that goes on beside a reader, a copy and a replica, and is given up then. */
struct beside {
    drx_array *reader;
    struct copy copy;
};

static drx_status look_and_give_up(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct beside *b = with;

    (void)done, (void)n, (void)buf;
    b->reader = open_reader();
    assert_true(b->reader->log.state.intent_open);
    b->copy = take_copy(b->reader);
    assert_ok(drx_duplicate("watched", "copied", DRX_REPLACE, NULL, NULL));
    return DRX_EINTERRUPTED;
}

TEST(an_append_that_is_given_up_beside_readers)
{
    struct beside b;
    int64_t end;
    drx_array *r;

    create_rows(4);
    end = writer->log.state.chain.end;
    assert_status(drx_append_pieces(writer, 0, 2, DRX_ROW_MAJOR, look_and_give_up, &b), DRX_EINTERRUPTED);
    assert_int_equal(length_of("watched.xmd"), end);
    assert_int_equal(length_of("copied.xmd"), end);
    assert_int_equal(b.copy.n, end);
    assert_ok(drx_refresh(b.reader)); /* nothing has come */
    assert_false(b.reader->log.state.intent_open);
    append(0, 1, false);
    assert_ok(drx_refresh(b.reader));
    expect(b.reader, 4, 0, *cell(&now, 4, 0));
    trim(0, 1, 0);
    expect_trimmed(b.reader, 0, 0);
    r = open_replica(b.copy);
    drxi_free(b.copy.bytes);
    expect_trimmed(r, 0, 0);
    expect(r, 3, 0, *cell(&now, 3, 0));
    close_replica(r);
    assert_ok(drx_close(b.reader));
    assert_ok(drx_close(writer));
    assert_ok(drx_check("copied", NULL, NULL, NULL, NULL));
}

/* Several sharers: one has seen an append begun by another, which gives it up. */
static drx_status refresh_and_give_up(void *with, int64_t done, int64_t *n, const void **buf)
{
    (void)done, (void)n, (void)buf;
    assert_ok(drx_refresh(*(drx_array **)with));
    return DRX_EINTERRUPTED;
}

TEST(an_append_that_is_given_up_beside_a_writer_that_shares)
{
    drx_array *a, *b;

    create_rows(4);
    assert_ok(drx_close(writer));
    for (int more = 0; more < 2; more++) {
        assert_ok(drx_open("watched", DRX_SHARED, &a));
        assert_ok(drx_open("watched", DRX_SHARED, &b));
        assert_status(drx_append_pieces(a, 0, 2, DRX_ROW_MAJOR, refresh_and_give_up, &b), DRX_EINTERRUPTED);
        assert_true(b->log.state.intent_open);
        if (more)
            assert_ok(drx_attr_set_text(a, "who", "a"));
        assert_ok(drx_extend(b, 0, 1));
        expect(b, 4 + more, 0, FILL);
        assert_ok(drx_refresh(a));
        expect(a, 4 + more, 0, FILL);
        assert_ok(drx_close(a));
        assert_ok(drx_close(b));
        assert_ok(drx_check("watched", NULL, NULL, NULL, NULL));
    }
}
