/* Transactions that were cut short: at each record of the log, with all that they did to files. */

#include "bytes.h"
#include "store/records.h"
#include "wind_dataset.h"

static int files_in(const char *folder)
{
    char command[64];
    int n = -1;
    FILE *f;

    (void)snprintf(command, sizeof command, "ls %s | wc -l", folder);
    f = popen(command, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &n), 1);
    (void)pclose(f);
    return n;
}

/* Two steps, with a compressed variable c and one with checksums, k; commit 2. */
static drx_dataset *make(const char *path)
{
    drx_dataset *ds = make_winds(path);
    drx_spec spec = { .ndim = 3,
                      .type = DRX_INT32,
                      .shape = (int64_t[]){ 0, LATS, LONS },
                      .chunk = (int64_t[]){ 2, 3, 4 },
                      .dims = time_lat_lon,
                      .codec = DRX_LZ4 };

    assert_ok(drx_dataset_add(ds, "c", &spec, NULL));
    spec.codec = DRX_RAW;
    spec.flags = DRX_CHECKSUM;
    spec.fill = &(int32_t){ -7 };
    assert_ok(drx_dataset_add(ds, "k", &spec, NULL));
    append_step(ds, 1);
    append_step(ds, 2);
    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "m"));
    assert_ok(drx_dataset_commit(ds, "steps"));
    return ds;
}

/* Something of each kind that a transaction does before it commits. */
static void change(drx_dataset *ds)
{
    drx_spec spec = { .ndim = 2,
                      .type = DRX_BYTES(5),
                      .shape = (int64_t[]){ LATS, 3 },
                      .dims = (const char *const[]){ "lat", "level" },
                      .codec = DRX_ZLIB };
    drx_array *a;

    append_step(ds, 3);
    assert_ok(drx_dataset_extend_before(ds, "lat", 2));
    assert_ok(drx_dataset_extend(ds, "lon", 3));
    write_step(member(ds, "u"), 2, 4);
    assert_ok(drx_dataset_remove(ds, "v"));
    spec.lower = (int64_t[]){ -2, 0 };
    spec.shape = (int64_t[]){ LATS + 2, 3 };
    assert_ok(drx_dataset_add(ds, "v", &spec, &a));
    assert_ok(drx_put(a, (int64_t[]){ 1, 1 }, "hello"));
    spec = (drx_spec){ .ndim = 1, .type = DRX_FLOAT64, .shape = (int64_t[]){ 1 }, .flags = DRX_CHECKSUM };
    assert_ok(drx_dataset_add(ds, "s", &spec, &a));
    assert_ok(drx_put(a, (int64_t[]){ 0 }, &(double){ 1 }));
    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "km"));
    assert_ok(drx_attr_set_text(a, "units", "s"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "cut"));
    for (int i = 0; i < drx_dataset_count(ds); i++) /* what nobody flushed is not in the files */
        assert_ok(drx_sync(member(ds, drx_dataset_name(ds, i))));
}

/* All is as commit 2 shows it. */
static void expect(drx_dataset *ds, int64_t steps)
{
    static const char *const names[] = { "u", "v", "c", "k", "time" };
    const void *units;
    int64_t lat;

    assert_int_equal(drx_dataset_count(ds), 5);
    assert_int_equal(drx_dataset_dim_count(ds), 3);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_DATASET, NULL), 0);
    expect_bound(ds, "time", steps);
    (void)drx_dataset_dim(ds, drx_dataset_dim_find(ds, "lat"), &lat);
    assert_int_equal(lat, LATS);
    assert_int_equal(drx_dataset_dim_lower(ds, drx_dataset_dim_find(ds, "lat")), 0);
    for (int i = 0; i < 5; i++)
        for (int64_t t = 0; t < 2; t++)
            assert_int_equal(first_at(member(ds, names[i]), t), t + 1);
    assert_ok(drx_attr_get(member(ds, "u"), "units", NULL, NULL, &units));
    assert_string_equal((const char *)units, "m");
}

static void expect_fill(drx_array *a, int64_t lat, int32_t fill)
{
    const int64_t lo[] = { 0, lat, 0 }, count[] = { 3, 1, LONS + 3 };
    int32_t buf[3 * (LONS + 3)];

    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, buf));
    for (int i = 0; i < 3 * (LONS + 3); i++)
        assert_int_equal(buf[i], fill);
}

/* What a writer finds, and that growth uncovers nothing of what was written. */
static void open_cut(const char *path)
{
    drx_dataset *ds = open_at(path, DRX_RDONLY, DRX_LAST);

    assert_string_equal(drx_last_error(), "");
    expect(ds, 2);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check(path, NULL, NULL, NULL, NULL)); /* a reader changes nothing */
    ds = open_at(path, DRX_RDWR, DRX_LAST);
    assert_int_equal(files_in(path), 8); /* the log, three of raw elements, .xta and .xcs, .xtz and .xct */
    expect(ds, 2);
    assert_ok(drx_dataset_extend(ds, "time", 1));
    assert_ok(drx_dataset_extend_before(ds, "lat", 2));
    assert_ok(drx_dataset_extend(ds, "lon", 3));
    for (int64_t lat = -2; lat < 0; lat++) {
        expect_fill(member(ds, "u"), lat, 0);
        expect_fill(member(ds, "c"), lat, 0);
        expect_fill(member(ds, "k"), lat, -7);
    }
    assert_int_equal(first_at(member(ds, "u"), 2), 0);
    assert_int_equal(first_at(member(ds, "time"), 2), 0);
    assert_ok(drx_dataset_commit(ds, "after the cut"));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check(path, NULL, NULL, NULL, NULL));
}

/* How many files of new variables there may be: those whose records are whole. The log has them before the files get
 * names. */
static void remove_later_files(const struct bytes *log, size_t from, size_t end)
{
    struct drxi_log_record record;
    int variables = 0;

    for (size_t at = from; at < end; at += record.bytes) {
        assert_true(drxi_log_record_decode(log->p + at, log->n - at, (int64_t)at, &record));
        variables += record.kind == DRXI_LOG_VARIABLE;
    }
    if (variables < 2)
        assert_int_equal(system("rm cut/s.xta cut/s.xcs"), 0);
    if (variables < 1)
        assert_int_equal(system("rm cut/v~6.xtz cut/v~6.xct"), 0);
}

/* Copies of the folder as a process leaves it that dies in the transaction; the log ends behind each of its records, or
 * inside the next one. */
TEST(a_transaction_is_cut_at_each_record)
{
    drx_dataset *ds = make("a");
    const size_t counts = (size_t)length_of("a/dataset.xds");
    static struct bytes log;
    struct drxi_log_record record = { .bytes = 0 };

    change(ds);
    assert_int_equal(system("cp -r a dead"), 0);
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(files_in("a"), 8);
    expect(ds, 2);
    assert_ok(drx_dataset_close(ds));
    log = load("dead/dataset.xds");
    assert_true(log.n > counts + 300);
    for (size_t at = counts; at <= log.n; at += at < log.n ? record.bytes : 1) {
        if (at < log.n)
            assert_true(drxi_log_record_decode(log.p + at, log.n - at, (int64_t)at, &record));
        for (size_t torn = 0; torn < (at < log.n ? record.bytes : 1); torn += record.bytes - 1) {
            assert_int_equal(system("rm -rf cut && cp -r dead cut"), 0);
            assert_int_equal(truncate("cut/dataset.xds", (off_t)(at + torn)), 0);
            remove_later_files(&log, counts, at);
            open_cut("cut");
        }
    }
}

/* Bytes that a power cut has lost lie between records that it has left. */
TEST(a_hole_in_a_transaction)
{
    static const uint8_t zeros[64];
    drx_dataset *ds = make("b");
    const int64_t counts = length_of("b/dataset.xds");

    change(ds);
    assert_int_equal(system("cp -r b hole"), 0);
    assert_ok(drx_dataset_close(ds));
    put_bytes("hole/dataset.xds", counts, zeros, sizeof zeros);
    open_cut("hole");
}

TEST(files_of_others_stay)
{
    drx_dataset *ds = make("c");
    drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 } };
    drx_array *a;

    store("c/w.xcs", "mine", 4); /* a file that has the name */
    store("c/w~6.xtz", "mine", 4);
    assert_ok(drx_dataset_add(ds, "w", &spec, &a));
    assert_true(is_there("c/w~6~6.xta"));
    assert_ok(drx_dataset_abort(ds));
    assert_false(is_there("c/w~6~6.xta"));
    assert_ok(drx_dataset_add(ds, "w", &spec, &a));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_remove(ds, "w"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_false(is_there("c/w~6~6.xta"));
    assert_int_equal(length_of("c/w.xcs") + length_of("c/w~6.xtz"), 8);
    ds = open_at("c", DRX_RDWR, DRX_LAST);
    assert_ok(drx_dataset_close(ds));
    assert_int_equal(length_of("c/w.xcs") + length_of("c/w~6.xtz"), 8);
    assert_status(drx_dataset_delete("c"), DRX_EINVAL);
}

/* A process died after its commit, before it had removed the files. */
TEST(removals_are_completed)
{
    drx_dataset *ds = make("d");
    drx_array *v;

    assert_int_equal(system("cp d/v.xta v.xta"), 0);
    assert_ok(drx_dataset_remove(ds, "v"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_false(is_there("d/v.xta"));
    assert_ok(drx_dataset_close(ds));
    assert_int_equal(system("cp v.xta d/v.xta"), 0);
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    ds = open_at("d", DRX_RDONLY, 2); /* files that may go at any time are not read */
    assert_status(drx_dataset_array(ds, "v", &v), DRX_ENOENT);
    assert_detail("a later commit than 2 has removed it");
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_close(open_at("d", DRX_RDWR, DRX_LAST)));
    assert_false(is_there("d/v.xta"));
    assert_int_equal(system("cp v.xta d/v.xta"), 0); /* nor is it in the way of this */
    assert_ok(drx_dataset_delete("d"));
}

/* A transaction of a version that knows more: that takes it back, with all its files. */
TEST(what_is_not_known_is_not_taken_back)
{
    static struct bytes log;
    drx_dataset *ds = make("e");
    struct drxi_log_record record, last = { .bytes = 0 };

    assert_ok(drx_dataset_close(ds));
    log = load("e/dataset.xds");
    for (size_t at = DRXI_LOG_AT; at < log.n; at += last.bytes)
        assert_true(drxi_log_record_decode(log.p + at, log.n - at, (int64_t)at, &last));
    record = (struct drxi_log_record){ .at = (int64_t)log.n,
                                       .kind = DRXI_LOG_KINDS,
                                       .number = 1,
                                       .sequence = last.sequence + 1,
                                       .prev = last.crc,
                                       .bytes = 32 };
    (void)drxi_log_record_seal(log.p + log.n, &record);
    store("e/dataset.xds", log.p, log.n + record.bytes);
    ds = open_at("e", DRX_RDONLY, DRX_LAST);
    expect(ds, 2);
    assert_ok(drx_dataset_close(ds));
    assert_status(drx_dataset_open("e", DRX_RDWR, DRX_LAST, &ds), DRX_EUNSUPPORTED);
    assert_int_equal(length_of("e/dataset.xds"), log.n + record.bytes);
    store_bytes("e/dataset.xds", log);
    assert_ok(drx_dataset_close(open_at("e", DRX_RDWR, DRX_LAST)));
}
