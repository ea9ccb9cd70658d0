/* Processes that share a dataset append to all of its variables, by reserving a step and by transactions, and are
 * killed. What a call completed is there, once; a step that a killed one has reserved holds what it wrote and fill;
 * readers see whole transactions. Every other process has a host of its own, as far as the system lets it.
 *
 * DRX_TORTURE=1   1000 steps of each process */
#include <sched.h>
#include <unistd.h>

#include "base/base.h"
#include "drx_dataset.h"
#include "processes.h"

enum { PROCESSES = 8, VARIABLES = 5, WIDTH = 7, MOST = 1100, KILLS = 10, NEVER = INT32_MIN };

static const struct kind {
    const char *name;
    int ndim, time; /* which axis is it */
    int32_t fill;
    unsigned flags;
    int codec;
} kinds[VARIABLES] = {
    { "raw", 2, 0, 0, 0, 0 },
    { "filled", 2, 1, -5, 0, 0 },
    { "summed", 2, 0, 0, DRX_CHECKSUM, 0 },
    { "packed", 2, 0, -7, 0, DRX_ZSTD },
    { "step", 1, 0, -1, 0, 0 },
};

/* What each process tells of its steps, by their numbers. */
static struct told {
    volatile int n;
    volatile enum { BEGUN = 1, DONE } call[MOST];
} * told;
static volatile int64_t *looks, *stop;
static int most_steps;

static int32_t value_of(int process, int number)
{
    return (number + 1) * PROCESSES + process;
}

static void make(void)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_create("d", &ds));
    for (int i = 0; i < VARIABLES; i++) {
        const struct kind *k = &kinds[i];
        const char *dims[2] = { "x", "x" };
        int64_t shape[2] = { WIDTH, WIDTH }, chunk[2] = { 3, 3 };

        dims[k->time] = "time";
        shape[k->time] = 0;
        chunk[k->time] = 5;
        assert_ok(drx_dataset_add(ds, k->name,
                                  &(drx_spec){ .ndim = k->ndim,
                                               .type = DRX_INT32,
                                               .shape = shape,
                                               .chunk = chunk,
                                               .dims = dims,
                                               .flags = k->flags,
                                               .codec = k->codec,
                                               .fill = &k->fill },
                                  NULL));
    }
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

static void box_of(const struct kind *k, int64_t t, int64_t lo[2], int64_t count[2])
{
    for (int j = 0; j < 2; j++) {
        lo[j] = j == k->time ? t : 0;
        count[j] = j == k->time ? 1 : WIDTH;
    }
}

static bool write_step(drx_dataset *ds, int64_t t, int32_t value)
{
    int32_t row[WIDTH];

    for (int i = 0; i < WIDTH; i++)
        row[i] = value;
    for (int i = 0; i < VARIABLES; i++) {
        int64_t lo[2], count[2];
        drx_array *a;

        box_of(&kinds[i], t, lo, count);
        if (!did(drx_dataset_array(ds, kinds[i].name, &a)) || !did(drx_write(a, lo, count, DRX_ROW_MAJOR, row)))
            return false;
    }
    return true;
}

static bool reserve_step(drx_dataset *ds, int32_t value)
{
    int64_t t;

    return did((value % 3 ? drx_dataset_reserve : drx_dataset_reserve_before)(ds, "time", 1, &t)) &&
           write_step(ds, t, value) && did(drx_dataset_commit(ds, NULL));
}

static bool commit_step(drx_dataset *ds, int32_t value)
{
    const bool low = value % 3 == 0;
    int64_t upper;
    char message[20];
    int d;

    (void)snprintf(message, sizeof message, "%d", value);
    if (!did(drx_dataset_begin(ds)))
        return false;
    d = drx_dataset_dim_find(ds, "time");
    (void)drx_dataset_dim(ds, d, &upper);
    if (!did((low ? drx_dataset_extend_before : drx_dataset_extend)(ds, "time", 1)) ||
        !write_step(ds, low ? drx_dataset_dim_lower(ds, d) : upper, value))
        return false;
    if (value % 7 == 0)
        return did(drx_dataset_abort(ds)) && commit_step(ds, value + PROCESSES * MOST);
    return did(drx_dataset_commit(ds, message));
}

static bool append(int process)
{
    struct told *t = &told[process];
    drx_dataset *ds;

    if (process % 2)
        (void)unshare(CLONE_NEWNET | CLONE_NEWUTS);
    if (!did(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds)))
        return false;
    while (t->n < most_steps) {
        const int number = t->n++;
        const int32_t value = value_of(process, number);

        t->call[number] = BEGUN;
        if (!(number % 2 ? reserve_step : commit_step)(ds, value))
            return false;
        t->call[number] = DONE;
    }
    return did(drx_dataset_close(ds));
}

/* ---- what is there ---- */

/* The value of a step of a variable; NEVER: another one than fill, and not all over. */
static int32_t value_in(drx_dataset *ds, const struct kind *k, int64_t t, bool may_be_cut)
{
    int64_t lo[2], count[2];
    int32_t row[WIDTH], value = k->fill;
    const int n = k->ndim == 1 ? 1 : WIDTH;
    bool cut = false;
    drx_array *a;

    box_of(k, t, lo, count);
    if (!did(drx_dataset_array(ds, k->name, &a)) || !did(drx_read(a, lo, count, DRX_ROW_MAJOR, row)))
        return NEVER;
    for (int i = 0; i < n; i++)
        value = row[i] != k->fill ? row[i] : value;
    for (int i = 0; i < n; i++) {
        cut = cut || row[i] != value;
        if (row[i] != value && row[i] != k->fill)
            return NEVER;
    }
    return cut && !may_be_cut ? NEVER : value;
}

/* What one commit added is whole, if a transaction did it. */
static bool check_commit(drx_dataset *ds, int64_t number)
{
    const drx_change *c;
    drx_commit info;
    int64_t n, t;
    int32_t value;

    if (!did(drx_dataset_commit_info(ds, number, &info)) || !did(drx_dataset_commit_changes(ds, number, &c, &n)))
        return false;
    value = (int32_t)strtol(info.message, NULL, 10);
    if (n != 1 || c->kind != DRX_CHANGED_BOUNDS || (c->lower_before == c->lower) == (c->upper_before == c->upper)) {
        print_error("commit %lld: %lld changes\n", (long long)number, (long long)n);
        return false;
    }
    t = c->lower < c->lower_before ? c->lower : c->upper_before;
    for (int i = 0; value > 0 && i < VARIABLES; i++)
        if (value_in(ds, &kinds[i], t, false) != value) {
            print_error("commit %lld, step %lld: %s has not %d all over\n", (long long)number, (long long)t,
                        kinds[i].name, value);
            return false;
        }
    return true;
}

static bool look(int late)
{
    int64_t seen = 1;

    while (!*stop) {
        drx_dataset *ds;

        if (!did(drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds)))
            return false;
        for (int i = 0; i < (late ? 3 : 50) && !*stop; i++) {
            const int64_t last = drx_dataset_last(ds);

            for (seen = drxi_max(seen, last - 20); seen < last; seen++, ++*looks)
                if (!check_commit(ds, seen + 1))
                    return false;
            if (!did(drx_dataset_refresh(ds)))
                return false;
        }
        if (!did(drx_dataset_close(ds)))
            return false;
    }
    return true;
}

/* Returns the number of steps that hold something. */
static int check_steps(drx_dataset *ds, int8_t *seen)
{
    const int d = drx_dataset_dim_find(ds, "time");
    int64_t upper;
    int found = 0;

    (void)drx_dataset_dim(ds, d, &upper);
    for (int64_t t = drx_dataset_dim_lower(ds, d); t < upper; t++) {
        int32_t value = 0;
        bool cut = false;

        for (int i = 0; i < VARIABLES; i++) {
            const int32_t one = value_in(ds, &kinds[i], t, true);

            assert_int_not_equal(one, NEVER);
            cut = cut || one == kinds[i].fill || value_in(ds, &kinds[i], t, false) == NEVER;
            if (one == kinds[i].fill)
                continue;
            assert_true(value == 0 || value == one);
            value = one;
        }
        value %= PROCESSES * MOST; /* after an abort */
        if (value == 0)
            continue;
        assert_true(value / PROCESSES - 1 < told[value % PROCESSES].n);
        assert_int_equal(seen[value]++, 0);
        assert_true(!cut || told[value % PROCESSES].call[value / PROCESSES - 1] == BEGUN);
        found++;
    }
    return found;
}

static void check(void)
{
    int8_t *seen = calloc(PROCESSES * (MOST + 1), 1);
    int found, lost = 0;
    drx_dataset *ds;

    assert_non_null(seen);
    assert_ok(drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds));
    found = check_steps(ds, seen);
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < told[p].n; i++) {
            assert_true(seen[value_of(p, i)] || told[p].call[i] == BEGUN);
            lost += !seen[value_of(p, i)];
        }
    print_message("%lld commits, %d steps written, %d cut off, %lld looks\n", (long long)drx_dataset_last(ds), found,
                  lost, (long long)*looks);
    for (int64_t n = 2; n <= drx_dataset_last(ds); n++)
        assert_true(check_commit(ds, n));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    free(seen);
}

/* Nothing that was begun comes to light in later growth. */
static void check_growth(int mode)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open("d", mode, DRX_LAST, &ds));
    for (int k = 0; k < 12; k++) {
        int64_t t;

        assert_ok((k % 2 ? drx_dataset_reserve_before : drx_dataset_reserve)(ds, "time", 1, &t));
        for (int i = 0; i < VARIABLES; i++)
            assert_int_equal(value_in(ds, &kinds[i], t, false), kinds[i].fill);
    }
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
}

static int steps_done(void)
{
    int n = 0;

    for (int p = 0; p < PROCESSES; p++)
        n += told[p].n;
    return n;
}

/* Kill one, and start it again, at random moments. */
static void run(uint64_t *random)
{
    pid_t pid[PROCESSES], reader[2];

    for (int p = 0; p < PROCESSES; p++)
        pid[p] = start(append, p);
    for (int i = 0; i < 2; i++)
        reader[i] = start(look, i);
    for (int i = 1; i <= KILLS; i++) {
        const int p = (int)random_below(random, PROCESSES);
        const int64_t from = (int64_t)PROCESSES * most_steps * i / (KILLS + 2);

        while (steps_done() < from && told[p].n < most_steps)
            (void)usleep(100);
        (void)usleep((useconds_t)random_below(random, 3000));
        end(pid[p]);
        pid[p] = start(append, p);
    }
    for (int p = 0; p < PROCESSES; p++)
        finish(pid[p]);
    *stop = 1;
    for (int i = 0; i < 2; i++)
        finish(reader[i]);
}

TEST(killed_while_they_append)
{
    uint64_t random = starting_seed(0);

    most_steps = sample_or_all(60, 1000);
    told = common(sizeof *told * PROCESSES);
    looks = common(2 * sizeof *looks);
    stop = looks + 1;
    for (int round = 0; round < sample_or_all(2, 3); round++) {
        memset(told, 0, sizeof *told * PROCESSES);
        *looks = *stop = 0;
        make();
        run(&random);
        check();
        check_growth(round % 2 ? DRX_RDWR : DRX_SHARED);
        assert_ok(drx_dataset_delete("d"));
    }
}
