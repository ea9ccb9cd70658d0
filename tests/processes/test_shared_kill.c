/* Processes that share an array are killed while they grow it. What a call completed is stored, what it began is
 * stored whole or not at all, and the other processes continue. */
#include <unistd.h>

#include "drx_tools.h"
#include "processes.h"

enum { PROCESSES = 8, COLUMNS = 8000, MOST = 100000 };

/* What each process tells of its calls, by their numbers. */
struct told {
    volatile int n;
    volatile enum { BEGUN = 1, DONE } call[MOST];
};

static struct told *told;
static bool reserves;
static int32_t fill;
static unsigned flags;

static int32_t value_of(int process, int number)
{
    return (number + 1) * PROCESSES + process;
}

static drx_status append_row(drx_array *a, const int32_t *row)
{
    return (row[0] % 2 ? drx_prepend : drx_append)(a, 0, 1, DRX_ROW_MAJOR, row);
}

static drx_status reserve_row(drx_array *a, const int32_t *row)
{
    int64_t lo[2], count[2];
    drx_status st = (row[0] % 2 ? drx_reserve_before : drx_reserve)(a, 0, 1, lo, count);

    return st ? st : drx_write(a, lo, count, DRX_ROW_MAJOR, row);
}

/* Until it is killed. */
static bool grow(int process)
{
    struct told *t = &told[process];
    int32_t row[COLUMNS];
    drx_array *a;

    if (!did(drx_open("killed", DRX_SHARED, &a)))
        return false;
    while (t->n < MOST - 2) {
        const int number = t->n++;

        t->call[number] = BEGUN;
        for (int j = 0; j < COLUMNS; j++)
            row[j] = value_of(process, number);
        if (!did(reserves ? reserve_row(a, row) : append_row(a, row)))
            return false;
        t->call[number] = DONE;
        if (number % 2 && !did((number % 4 == 1 ? drx_extend : drx_extend_before)(a, 0, 1)))
            return false;
    }
    return did(drx_close(a));
}

/* What a row holds, all over or, if it may be cut short, beside fill. */
static int32_t value_in(const int32_t *row, bool may_be_cut, bool *cut)
{
    int32_t value = fill;

    for (int j = 0; j < COLUMNS; j++)
        value = row[j] != fill ? row[j] : value;
    *cut = false;
    for (int j = 0; j < COLUMNS; j++) {
        *cut = *cut || row[j] != value;
        assert_true(row[j] == value || (row[j] == fill && may_be_cut));
    }
    return value;
}

static void check_row(const int32_t *row, int8_t *seen)
{
    bool cut;
    const int32_t value = value_in(row, reserves, &cut);
    const int process = (int)(value % PROCESSES), number = (int)(value / PROCESSES) - 1;

    if (value == fill)
        return;
    assert_in_range(value, PROCESSES, PROCESSES * MOST - 1);
    assert_true(number < told[process].n);
    assert_int_equal(seen[value]++, 0);
    assert_true(!cut || told[process].call[number] == BEGUN);
}

/* All that was done is there, once; what was begun when its process was killed may be there, too. */
static void check(void)
{
    int32_t row[COLUMNS];
    int8_t *seen = calloc(PROCESSES * MOST, 1);
    int found = 0, lost = 0;
    drx_array *a;

    assert_non_null(seen);
    assert_ok(drx_open("killed", DRX_RDONLY, &a));
    for (int64_t i = 0; i < drx_shape(a)[0]; i++) {
        assert_ok(drx_read(a, (int64_t[]){ drx_lower(a)[0] + i, 0 }, (int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, row));
        check_row(row, seen);
    }
    for (int p = 0; p < PROCESSES; p++)
        for (int i = 0; i < told[p].n; i++) {
            assert_true(seen[value_of(p, i)] || told[p].call[i] == BEGUN);
            found += seen[value_of(p, i)];
            lost += !seen[value_of(p, i)];
        }
    print_message("%lld rows, %d of them written; %d writes were cut off\n", (long long)drx_shape(a)[0], found, lost);
    assert_ok(drx_close(a));
    free(seen);
}

/* Nothing that was begun comes to light in later growth. */
static void check_growth(void)
{
    int32_t row[COLUMNS];
    drx_array *a;
    bool cut;

    assert_ok(drx_open("killed", DRX_RDWR, &a));
    for (int i = 0; i < 10; i++) {
        int64_t lo[2], count[2];

        assert_ok((i % 2 ? drx_reserve_before : drx_reserve)(a, 0, 1, lo, count));
        assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, row));
        assert_int_equal(value_in(row, false, &cut), fill);
    }
    assert_ok(drx_close(a));
    assert_ok(drx_check("killed", NULL, NULL, NULL, NULL));
}

/* Kill one, and start it again, at random moments; all of them in the end. */
static void kill_some(uint64_t *random, int kills)
{
    pid_t pid[PROCESSES];

    for (int p = 0; p < PROCESSES; p++)
        pid[p] = start(grow, p);
    for (int i = 0; i < kills; i++) {
        const int p = (int)random_below(random, PROCESSES);

        (void)usleep((useconds_t)random_below(random, 3000));
        end(pid[p]);
        pid[p] = start(grow, p);
    }
    for (int p = 0; p < PROCESSES; p++)
        end(pid[p]);
}

static void killed_while_they_grow(bool by_reserving)
{
    uint64_t random = starting_seed(0);

    reserves = by_reserving;
    told = common(sizeof *told * PROCESSES);
    for (int round = 0; round < sample_or_all(6, 60); round++) {
        fill = round % 2 ? -5 : 0;
        flags = round % 6 < 2 ? 0 : round % 6 < 4 ? DRX_CHECKSUM : MAKE_PACKED;
        make_int32("killed", (int64_t[]){ 0, COLUMNS }, (int64_t[]){ 5, 100 }, fill, DRX_ROW_MAJOR, flags);
        memset(told, 0, sizeof *told * PROCESSES);
        kill_some(&random, 40);
        check();
        check_growth();
    }
}

TEST(killed_while_they_append)
{
    killed_while_they_grow(false);
}

TEST(killed_while_they_write_what_is_theirs)
{
    killed_while_they_grow(true);
}
