/* What the log of a dataset, and those of its members, may say; and what is refused. */
#include "bytes.h"
#include "drx_dataset.h"
#include "drx_tools.h"
#include "format/dataset_record.h"

/* A dataset of a(t) and b(t), which have grown from 2 to 3 in commit 2; commit 3 sets an attribute of a. */
static void make(const char *path)
{
    const char *const dims[] = { "t" };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = &(int64_t){ 2 }, .dims = dims };
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create(path, &ds));
    assert_ok(drx_dataset_add(ds, "a", &spec, &a));
    assert_ok(drx_dataset_add(ds, "b", &spec, NULL));
    assert_ok(drx_dataset_commit(ds, "variables"));
    assert_ok(drx_dataset_extend(ds, "t", 1));
    assert_ok(drx_dataset_commit(ds, "grown"));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_ok(drx_dataset_commit(ds, "an attribute"));
    assert_ok(drx_dataset_close(ds));
}

/* Append a record to a log whose records begin at `from`. */
static void append(const char *name, size_t from, int kind, int arg, const void *payload, size_t payload_bytes)
{
    struct bytes log = load(name);
    struct drxi_record record = { .crc = drxi_get32(log.p + 8) };

    for (size_t at = from; at < log.n; at += record.bytes)
        assert_true(drxi_record_decode(log.p + at, log.n - at, &record));
    memcpy(log.p + log.n + DRXI_RECORD_HEAD_BYTES, payload, payload_bytes);
    (void)drxi_record_seal(log.p + log.n, payload_bytes, kind, arg, record.sequence + 1, record.crc);
    log.n += DRXI_RECORD_HEAD_BYTES + payload_bytes;
    store_bytes(name, log);
}

static void append_addition(const char *name, uint8_t id, const char *member)
{
    const struct drxi_addition add = { .id = { id }, .name = member, .name_bytes = strlen(member) };
    uint8_t payload[64];

    append(name, DRXI_DATASET_BYTES, DRXI_DS_ADD, 0, payload, drxi_addition_encode(&add, payload));
}

static void append_commit(const char *name, int64_t number)
{
    uint8_t payload[DRXI_COMMIT_HEAD_BYTES];

    append(name, DRXI_DATASET_BYTES, DRXI_DS_COMMIT, 0, payload,
           drxi_commit_encode(&(struct drxi_commit_record){ .number = number, .message = "" }, NULL, payload));
}

static void append_target(const char *name, enum drxi_dataset_kind kind, int64_t member, const char *attr)
{
    uint8_t payload[64];
    size_t n = DRXI_TARGET_BYTES;

    drxi_target_encode(member, payload);
    if (attr)
        n += drxi_name_encode(attr, strlen(attr), payload + n);
    append(name, DRXI_DATASET_BYTES, kind, 0, payload, n);
}

static void expect_last(const char *path, int64_t last, bool damaged)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds));
    assert_int_equal(drx_dataset_last(ds), last);
    assert_int_equal(drx_last_error()[0] != '\0', damaged);
    assert_ok(drx_dataset_close(ds));
}

static void count(void *user, drx_severity severity, const char *text)
{
    (void)text;
    *(int *)user += severity == DRX_ERROR;
}

/* The member can be read, but nobody writes it, and a check says why. */
static void expect_refused(const char *path, const char *why)
{
    int errors = 0;
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds));
    assert_status(drx_dataset_array(ds, "a", &a), DRX_EMISMATCH);
    assert_detail(why);
    assert_status(drx_dataset_extend(ds, "t", 1), DRX_EMISMATCH);
    assert_ok(drx_dataset_close(ds));
    assert_status(drx_dataset_check(path, count, &errors, NULL, NULL), DRX_EDAMAGED);
    assert_true(errors > 0);
}

TEST(an_earlier_commit_shows_present_attributes)
{
    drx_dataset *ds;
    drx_array *a;
    int pass;

    make("a");
    for (pass = 0; pass < 2; pass++) {
        assert_ok(drx_dataset_open("a", DRX_RDONLY, 1, &ds));
        assert_ok(drx_dataset_array(ds, "a", &a));
        assert_int_equal(drx_attr_count(a), 1);
        assert_int_equal(drx_shape(a)[0], 2);
        assert_ok(drx_dataset_close(ds));
        assert_int_equal(truncate("a/a.xmd", (off_t)(load("a/a.xmd").n - 104)),
                         0); /* ATTRIBUTE and MEMBER: the log lags */
    }
}

TEST(an_old_log_of_a_dataset_is_found_out)
{
    struct bytes old;
    drx_dataset *ds;
    drx_array *a;

    make("b");
    old = load("b/dataset.xds");
    assert_ok(drx_dataset_open("b", DRX_RDWR, DRX_LAST, &ds));
    assert_ok(drx_dataset_extend(ds, "t", 2));
    assert_ok(drx_dataset_commit(ds, "forgotten"));
    assert_ok(drx_dataset_close(ds));
    store_bytes("b/dataset.xds", old);
    assert_ok(drx_dataset_open("b", DRX_RDONLY, DRX_LAST, &ds));
    assert_ok(drx_dataset_array(ds, "a", &a));
    assert_int_equal(drx_shape(a)[0], 3);
    assert_ok(drx_dataset_close(ds));
    expect_refused("b", "an old one");
}

TEST(a_member_does_not_know_later_commits)
{
    struct drxi_membership member = { .settled = 4 };
    struct bytes log;
    uint8_t payload[DRXI_ID_BYTES + 8];

    make("g");
    log = load("g/dataset.xds");
    memcpy(member.dataset, log.p + 32, DRXI_ID_BYTES);
    append("g/a.xmd", drxi_desc_bytes(1), DRXI_MEMBER, 0, payload, drxi_member_encode(&member, payload));
    expect_refused("g", "knows commit 4");
}

TEST(a_member_belongs_to_one_dataset)
{
    const struct drxi_membership member = { .dataset = { 1 }, .settled = 3 };
    uint8_t payload[DRXI_ID_BYTES + 8];

    make("c");
    append("c/a.xmd", drxi_desc_bytes(1), DRXI_MEMBER, 0, payload, drxi_member_encode(&member, payload));
    expect_refused("c", "another dataset");
}

TEST(a_check_finds_missing_elements_that_the_log_of_the_member_lacks)
{
    int errors = 0;

    make("f");
    assert_int_equal(truncate("f/a.xmd", 176), 0); /* all after the first MEMBER record */
    assert_ok(drx_dataset_check("f", count, &errors, NULL, NULL));
    assert_int_equal(truncate("f/a.xta", 4), 0);
    assert_ok(drx_check("f/a", NULL, NULL, NULL, NULL));
    assert_status(drx_dataset_check("f", count, &errors, NULL, NULL), DRX_EDAMAGED);
    assert_int_equal(errors, 1);
}

TEST(ids_and_names_of_members_are_unique)
{
    struct bytes whole;

    make("d");
    whole = load("d/dataset.xds");
    append_target("d/dataset.xds", DRXI_DS_REMOVE, 0, NULL); /* in an earlier commit it is right */
    append_commit("d/dataset.xds", 4);
    append_addition("d/dataset.xds", 7, "a");
    append_commit("d/dataset.xds", 5);
    expect_last("d", 5, false);
    store_bytes("d/dataset.xds", whole);
    append_target("d/dataset.xds", DRXI_DS_REMOVE, 0, NULL);
    append_addition("d/dataset.xds", 7, "a");
    append_commit("d/dataset.xds", 4);
    expect_last("d", 3, true);
    store_bytes("d/dataset.xds", whole);
    append_addition("d/dataset.xds", 7, "c");
    append_commit("d/dataset.xds", 4);
    append_addition("d/dataset.xds", 7, "e");
    append_commit("d/dataset.xds", 5);
    expect_last("d", 4, true);
}

TEST(an_attribute_that_is_not_there_is_deleted_in_vain)
{
    make("e");
    append_target("e/dataset.xds", DRXI_DS_ATTR_DELETE, -1, "none");
    append_commit("e/dataset.xds", 4);
    expect_last("e", 4, false);
    append_target("e/dataset.xds", DRXI_DS_ATTR_DELETE, -1, "");
    append_commit("e/dataset.xds", 5);
    expect_last("e", 4, true);
}

/* A log of many dimensions and members. */
static void store_many(const char *name, int64_t n)
{
    uint8_t *log = calloc((size_t)n + 4, 128);
    size_t at = DRXI_DATASET_BYTES;
    uint64_t sequence = 0;
    uint32_t crc = drxi_dataset_encode((const uint8_t[DRXI_ID_BYTES]){ 1 }, log);

    for (int64_t i = 0; i <= n; i++) {
        char text[16];
        struct drxi_addition add = { .name = text };
        uint8_t *payload = log + at + DRXI_RECORD_HEAD_BYTES;
        size_t bytes;

        (void)snprintf(text, sizeof text, "%lld", (long long)i);
        add.name_bytes = strlen(text);
        drxi_put64(add.id, (uint64_t)i);
        if (i == n)
            bytes = drxi_commit_encode(&(struct drxi_commit_record){ .message = "" }, NULL, payload);
        else if (i % 2)
            bytes = drxi_addition_encode(&add, payload);
        else
            bytes = drxi_dimension_encode(&(struct drxi_dimension_record){ 0, 1, text, add.name_bytes }, payload);
        crc = drxi_record_seal(log + at, bytes,
                               i == n  ? DRXI_DS_COMMIT
                               : i % 2 ? DRXI_DS_ADD
                                       : DRXI_DS_DIMENSION,
                               0, ++sequence, crc);
        at += DRXI_RECORD_HEAD_BYTES + bytes;
    }
    store(name, log, at);
    free(log);
}

TEST(a_log_is_read_in_time_in_proportion_to_its_length)
{
    enum { MANY = 200000, MOST_SECONDS = 20 };
    const clock_t begin = clock();
    drx_dataset *ds;

    make("h");
    store_many("h/dataset.xds", MANY);
    assert_ok(drx_dataset_open("h", DRX_RDONLY, DRX_LAST, &ds));
    assert_int_equal(drx_dataset_count(ds), MANY / 2);
    assert_ok(drx_dataset_close(ds));
    assert_true((clock() - begin) / CLOCKS_PER_SEC < MOST_SECONDS);
}
