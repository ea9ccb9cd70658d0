/* Readers take no lock and read all the time. Bounds only grow, an appended slab appears whole, and every element
 * inside the bounds was written or is the fill. The fill is not zero, so that an unwritten element would show. */
#include "array/array.h"
#include "base/hooks.h"
#include "processes.h"

enum { READERS = 2, WRITERS = 3, FILL = -5, COLUMNS = 5 };

static int growths, writers, mode, way;

/* Rows with data, and rows of fill; and columns of fill behind them. */
static bool grow(int process)
{
    drx_array *a;

    if (!did(drx_open("read", mode, &a)))
        return false;
    for (int32_t i = 0; i < growths; i++) {
        int32_t row[64];
        drx_status st;

        for (int j = 0; j < 64; j++)
            row[j] = process * growths + i + 1;
        st = i % 3 ? drx_append(a, 0, 1, DRX_ROW_MAJOR, row) : drx_extend(a, 0, 2);
        if (st == DRX_EMISMATCH) /* there is a column more; now it is known */
            st = drx_append(a, 0, 1, DRX_ROW_MAJOR, row);
        if (!st && i % 10 == 3)
            st = drx_attr_set(a, "last", DRX_INT32, COLUMNS, row);
        if (!st && i % (growths / 10) == 7 && drx_shape(a)[1] < 30)
            st = drx_extend(a, 1, 1);
        if (st && st != DRX_EMISMATCH && !did(st))
            return false;
    }
    return did(drx_close(a));
}

/* A row is of one value, but for columns that were added later. */
static bool is_whole(const int32_t *row, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        if (!(row[j] == row[0] && (row[j] > 0 || row[j] == FILL)) && !(row[j] == FILL && j >= COLUMNS)) {
            print_error("column %lld holds %d, the first one %d\n", (long long)j, (int)row[j], (int)row[0]);
            return false;
        }
    return true;
}

/* What is new since. */
static bool look(drx_array *a, int64_t seen[2])
{
    const int64_t *shape = drx_shape(a);
    const int64_t from = seen[1] == shape[1] ? seen[0] : shape[0] > 20 ? shape[0] - 20 : 0;
    int32_t row[64];

    if (shape[0] < seen[0] || shape[1] < seen[1])
        return false;
    for (int64_t i = from; i < shape[0]; i++)
        if (!did(drx_read(a, (int64_t[]){ i, 0 }, (int64_t[]){ 1, shape[1] }, DRX_ROW_MAJOR, row)) ||
            !is_whole(row, shape[1]))
            return false;
    memcpy(seen, shape, 2 * sizeof *seen);
    return true;
}

/* A handle that is opened now has nothing to report. */
static bool look_anew(void)
{
    int64_t seen[2] = { 0, 0 };
    drx_array *a;
    bool good;

    if (!did(drx_open("read", DRX_RDONLY, &a)))
        return false;
    good = strlen(drx_last_error()) == 0;
    if (!good)
        print_error("opening it reports %s\n", drx_last_error());
    seen[0] = drx_shape(a)[0] > 0 ? drx_shape(a)[0] - 1 : 0;
    seen[1] = drx_shape(a)[1];
    good = good && look(a, seen);
    return did(drx_close(a)) && good;
}

static bool *over;

static bool read_on(int process)
{
    int64_t seen[2] = { 0, 0 };
    bool good = true, last = false;
    drx_array *a;

    drxi_hooks.way = process ? way : DRXI_ANY_WAY;
    if (!did(drx_open("read", DRX_RDONLY, &a)))
        return false;
    for (int i = 0; good && !last; i++) {
        last = *(volatile bool *)over;
        good = did(drx_refresh(a)) && look(a, seen) && (i % 8 || look_anew());
    }
    (void)drx_close(a);
    return good;
}

static void read_beside(int new_mode, int n, int new_way, unsigned flags)
{
    pid_t writer[WRITERS], reader[READERS];

    growths = sample_or_all(2500, 300000);
    over = common(sizeof *over);
    make_int32("read", (int64_t[]){ 0, COLUMNS }, (int64_t[]){ 4, 3 }, FILL, DRX_ROW_MAJOR, flags);
    mode = new_mode;
    writers = n;
    way = new_way;
    for (int i = 0; i < READERS; i++)
        reader[i] = start(read_on, i);
    for (int i = 0; i < writers; i++)
        writer[i] = start(grow, i);
    for (int i = 0; i < writers; i++)
        finish(writer[i]);
    *over = true;
    for (int i = 0; i < READERS; i++)
        finish(reader[i]);
}

TEST(beside_one_writer)
{
    read_beside(DRX_RDWR, 1, DRXI_MAPPED, 0);
    read_beside(DRX_RDWR, 1, DRXI_STAGED, 0);
    read_beside(DRX_RDWR, 1, DRXI_TOUCHED, 0);
}

TEST(beside_writers_that_share)
{
    read_beside(DRX_SHARED, WRITERS, DRXI_MAPPED, 0);
    read_beside(DRX_SHARED, WRITERS, DRXI_STAGED, 0);
    read_beside(DRX_SHARED, WRITERS, DRXI_MAPPED, MAKE_PACKED);
}
