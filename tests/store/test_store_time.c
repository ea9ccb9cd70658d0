/* The time that logs of some MB take which somebody composed so that they take much. */
#include <time.h>

#include "logs.h"
#include "testing.h"

#ifdef __SANITIZE_ADDRESS__
enum { MOST_SECONDS = 20 };
#else
enum { MOST_SECONDS = 2 };
#endif

enum { THINGS = DRXI_MOST_THINGS, INT8 = 1, BYTES = 1, COMPOUND = 4 };

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- records ---- */

static void put_group(struct drxi_run *run, int number, int in, const char *name)
{
    char folder[32];

    (void)snprintf(folder, sizeof folder, "g%d", number);
    drxi_run_begin(run, DRXI_LOG_GROUP, (uint16_t)number);
    drxi_run16(run, (uint16_t)in);
    drxi_run_text(run, name);
    drxi_run_text(run, folder);
    drxi_run_end(run);
}

static void put_remove(struct drxi_run *run, enum drxi_what what, int number)
{
    drxi_run_begin(run, DRXI_LOG_REMOVE, (uint16_t)number);
    drxi_run8(run, (uint8_t)what);
    drxi_run_zeros(run, 7);
    drxi_run_end(run);
}

static void put_commit(struct drxi_run *run, int64_t number)
{
    drxi_put_commit(run, number, 0, "");
    drxi_run_count(run);
}

static const char *name_of(int number)
{
    static char name[32];

    (void)snprintf(name, sizeof name, "n%d", number);
    return name;
}

static void put_dimension(struct drxi_run *run, int number, int in, int64_t upper)
{
    drxi_put_dimension(run, (uint16_t)number, (uint16_t)in, (const int64_t[]){ 0, upper }, name_of(number));
}

static void put_variable(struct drxi_run *run, int number, int in, const char *name, int ndim, int64_t chunk,
                         int initial)
{
    char key[64], stem[64];
    struct drxi_variable v = { .thing = { .number = (uint16_t)number, .group = (uint16_t)in },
                               .ndim = ndim,
                               .type = INT8,
                               .item_bytes = 1,
                               .initial = (uint8_t)initial,
                               .align = 1 };

    (void)snprintf(key, sizeof key, "...%s", name);
    (void)snprintf(stem, sizeof stem, "..s%d", number);
    v.thing.key = key;
    v.thing.stem_key = stem;
    for (int j = 0; j < ndim; j++) {
        v.dim[j] = (uint16_t)(j + 1);
        v.chunk[j] = chunk;
    }
    drxi_put_variable(run, &v);
}

/* ---- logs ---- */

static int order(int i) /* a permutation of 1 to 65535 */
{
    return (int)((int64_t)i * 40503 % 65536 % (THINGS + 1));
}

static void put_nested_groups(struct drxi_run *run)
{
    put_dimension(run, 1, 0, 1);
    for (int i = 1; i <= THINGS; i++)
        put_group(run, i, i - 1, "g");
    for (int i = 1; i <= 20000; i++) /* which see a dimension of the root */
        put_variable(run, i, THINGS, name_of(i), 1, 1, 0);
    put_commit(run, 0);
    put_remove(run, DRXI_A_GROUP, 1);
    put_commit(run, 1);
}

static void put_renames_to_one_name(struct drxi_run *run)
{
    for (int i = 1; i <= THINGS; i++)
        put_group(run, i, 0, name_of(i));
    for (int i = 1; i <= THINGS; i++)
        drxi_put_rename(run, DRXI_A_GROUP, (uint16_t)order(i), "one");
    for (int i = 1; i <= THINGS; i++)
        if (i != order(THINGS / 2)) /* which keeps it, neither the first one nor the last one */
            drxi_put_rename(run, DRXI_A_GROUP, (uint16_t)i, name_of(order(i)));
    put_commit(run, 0);
}

/* All have one name, and go. */
static void put_removals(struct drxi_run *run)
{
    put_dimension(run, 1, 0, 1);
    for (int i = 1; i <= 50000; i++)
        put_variable(run, i, 0, "one", 1, 1, 0);
    for (int i = 1; i <= THINGS; i++)
        if (order(i) <= 50000)
            put_remove(run, DRXI_A_VARIABLE, order(i));
    put_commit(run, 0);
}

static void put_removals_of_groups(struct drxi_run *run)
{
    for (int i = 1; i <= THINGS; i++)
        put_group(run, i, i / 2, name_of(i));
    for (int i = THINGS; i >= 1; i--)
        put_remove(run, DRXI_A_GROUP, i);
    put_commit(run, 0);
}

static void put_type(struct drxi_run *run, int number, int fields, int bytes, int name_bytes)
{
    char name[1100];

    memset(name, 'f', sizeof name);
    drxi_run_begin(run, DRXI_LOG_TYPE, (uint16_t)number);
    drxi_run16(run, 0);
    drxi_run_text(run, name_of(number));
    drxi_run8(run, COMPOUND);
    drxi_run_zeros(run, 3);
    drxi_run32(run, (uint32_t)bytes);
    drxi_run32(run, (uint32_t)fields);
    for (int i = 1; i <= fields; i++) {
        drxi_run32(run, (uint32_t)order(i));
        drxi_run32(run, INT8);
        drxi_run_zeros(run, 4);
        (void)snprintf(name + name_bytes - 8, 9, "%08d", i);
        drxi_run_text(run, name);
    }
    drxi_run_end(run);
}

static void put_fields(struct drxi_run *run)
{
    put_type(run, 1, THINGS, THINGS + 1, 8);
    put_commit(run, 0);
}

static void put_fields_with_long_names(struct drxi_run *run)
{
    put_type(run, 1, 8000, THINGS + 1, 1024);
    put_commit(run, 0);
}

static void put_many_types(struct drxi_run *run)
{
    for (int i = 1; i <= 20000; i++)
        put_type(run, i, 10, THINGS + 1, 8);
    put_commit(run, 0);
}

static void put_commits(struct drxi_run *run)
{
    for (int i = 0; i < 100000; i++)
        put_commit(run, i);
}

static const struct drxi_store no_store;

static void put_attributes(struct drxi_run *run)
{
    char name[32];

    for (int i = 0; i < 60000; i++) {
        const struct drxi_attr_payload a = {
            name, (size_t)snprintf(name, sizeof name, "a%d", i), DRX_INT8, false, 0, ""
        };

        drxi_put_attribute(run, &no_store, DRXI_THE_STORE, 0, &a);
        if (i % 3)
            drxi_put_attribute_delete(run, DRXI_THE_STORE, 0, name);
    }
    put_commit(run, 0);
}

/* Many variables, whose chunks are so large that the limits are looked at, and many steps of their dimension. */
static void put_variables_and_steps(struct drxi_run *run)
{
    int64_t commit = 0;

    put_dimension(run, 1, 0, 1);
    for (int i = 1; i <= 10000; i++)
        put_variable(run, i, 0, name_of(i), 1, (INT64_C(1) << 62) - i, 0);
    put_commit(run, commit++);
    for (int i = 0; i < 8000; i++) {
        drxi_put_grow(run, 1, 1, 2);
        put_commit(run, commit++);
        drxi_put_trim(run, 1, 0, 1);
        put_commit(run, commit++);
    }
}

static void put_shells(struct drxi_run *run)
{
    put_dimension(run, 1, 0, 1000);
    put_dimension(run, 2, 0, 1000);
    for (int i = 1; i <= 20000; i++)
        put_variable(run, i, 0, name_of(i), 2, 1, 1);
    put_commit(run, 0);
}

/* Large records, in one run that does not end: none of it counts. */
static void put_long_run(struct drxi_run *run)
{
    static char values[3 << 20];

    put_commit(run, 0);
    for (int i = 0; i < 10; i++)
        drxi_put_attribute(run, &no_store, DRXI_THE_STORE, 0,
                           &(struct drxi_attr_payload){ "a", 1, DRX_INT8, false, sizeof values, values });
    run->last = -1; /* it stays open */
}

static void put_many_small_in_one_run(struct drxi_run *run)
{
    put_dimension(run, 1, 0, 1);
    for (int i = 0; i < 500000; i++)
        drxi_put_grow(run, 1, 1, 2 + i);
    put_commit(run, 0);
}

/* What a run that cannot be, at the end, makes be read again. */
static void put_wrong_end(struct drxi_run *run)
{
    put_commits(run);
    put_commit(run, 7);
}

/* Each 8 bytes look like a part of a SYNC. */
static void put_false_promises(struct drxi_run *run)
{
    put_commit(run, 0);
    for (int i = 0; i < 1 << 20; i++) {
        drxi_run32(run, DRXI_LOG_SYNC_BYTES);
        drxi_run32(run, DRXI_LOG_SYNC);
    }
    run->last = -1;
}

static void take_time(const char *what, void (*put)(struct drxi_run *run), enum drxi_log_tail expected)
{
    struct log log = compose_log(DRXI_DATASET, put);
    drxi_io *io = log_file(&log, log.n);
    const double begin = seconds();
    enum drxi_log_tail tail;
    struct drxi_store s;
    double once, again;

    assert_ok(drxi_store_begin(&s, io, log.kind));
    assert_ok(drxi_store_read(&s, io, DRXI_ANY_COMMIT, true, &tail));
    once = seconds() - begin;
    assert_ok(drxi_store_read(&s, io, DRXI_ANY_COMMIT, true, &tail));
    again = seconds() - begin - once;
    assert_null(find_fault(&s));
    print_message("%6.3f s, again %6.3f s: %5.1f MB, %s\n", once, again, (double)log.n / 1e6, what);
    assert_int_equal(tail, expected);
    assert_true(once < MOST_SECONDS && again < MOST_SECONDS);
    drxi_store_free(&s);
    (void)io->ops->close(io);
    free(log.bytes);
}

TEST(composed_logs)
{
    take_time("nested groups", put_nested_groups, DRXI_LOG_CLEAN);
    take_time("renames to one name", put_renames_to_one_name, DRXI_LOG_CLEAN);
    take_time("removals of variables of one name", put_removals, DRXI_LOG_CLEAN);
    take_time("removals of groups", put_removals_of_groups, DRXI_LOG_CLEAN);
    take_time("a type with many fields", put_fields, DRXI_LOG_CLEAN);
    take_time("fields with long names", put_fields_with_long_names, DRXI_LOG_CLEAN);
    take_time("many types", put_many_types, DRXI_LOG_CLEAN);
    take_time("commits", put_commits, DRXI_LOG_CLEAN);
    take_time("attributes set and deleted", put_attributes, DRXI_LOG_CLEAN);
    take_time("variables and steps", put_variables_and_steps, DRXI_LOG_CLEAN);
    take_time("shells", put_shells, DRXI_LOG_CLEAN);
    take_time("a long run", put_long_run, DRXI_LOG_OPEN);
    take_time("many records in a run", put_many_small_in_one_run, DRXI_LOG_CLEAN);
    take_time("false promises", put_false_promises, DRXI_LOG_TORN);
    take_time("a wrong end", put_wrong_end, DRXI_LOG_DAMAGED);
}
