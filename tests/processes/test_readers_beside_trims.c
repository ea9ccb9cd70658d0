/* Readers beside writers that trim both ends of an array and let it grow again, which uses cells again. A reader gets
 * the elements that it had when it opened the array, or DRX_ERANGE: never the fill, a hole, or what was written later.
 *
 * An element tells its row and the number of the growth that wrote it. What came after the open has a larger number. */
#include "array/replica.h"
#include "drx_tools.h"
#include "processes.h"

enum { READERS = 2, COLUMNS = 4, MIDDLE = 64, ROWS = 2 * MIDDLE, MOST = 24, FILL = -1 };
enum { LEAST_READS = 1000, LEAST_REFUSED = 100 };

struct common {
    atomic_int growths;
    atomic_bool over;
    atomic_llong read, refused;
};

static struct common *shared;
static int changes, writer_mode;

/* ---- writers -------------------------------------------------------------- */

struct slab {
    drx_array *a;
    bool before;
    int64_t by;
    int32_t rows[4 * COLUMNS];
};

/* Other writers may have changed the bounds until now. */
static drx_status give_rows(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct slab *s = with;
    const int64_t lower = drx_lower(s->a)[0], upper = lower + drx_shape(s->a)[0];
    const int64_t first = s->before ? lower - s->by : upper;
    const int32_t number = done > 0 ? 0 : atomic_fetch_add(&shared->growths, 1) + 1;

    if (done == s->by)
        return DRX_OK;
    if (upper - lower + s->by > MOST || first < -MIDDLE || first + s->by > MIDDLE)
        return DRX_EINTERRUPTED;
    for (int64_t i = 0; i < s->by * COLUMNS; i++)
        s->rows[i] = number * ROWS + (int32_t)(MIDDLE + first + i / COLUMNS);
    *n = s->by;
    *buf = s->rows;
    return DRX_OK;
}

static bool grow(drx_array *a, uint64_t *seed)
{
    struct slab s = { a, random_below(seed, 2) == 1, 1 + random_below(seed, 3), { 0 } };
    const drx_status st = s.before ? drx_prepend_pieces(a, 0, s.by, DRX_ROW_MAJOR, give_rows, &s)
                                   : drx_append_pieces(a, 0, s.by, DRX_ROW_MAJOR, give_rows, &s);

    return st == DRX_EINTERRUPTED || did(st);
}

static bool change(drx_array *a, uint64_t *seed)
{
    const int64_t what = random_below(seed, 16), rows = drx_shape(a)[0];
    int64_t by = 1 + random_below(seed, 4);
    drx_status st;

    if (what < 8)
        return grow(a, seed);
    if (what < 14) {
        by = by < rows ? by : rows;
        st = what % 2 ? drx_trim(a, 0, by, 0) : drx_trim(a, 0, 0, by);
        return st == DRX_ERANGE || did(st); /* the other one has trimmed it, too */
    }
    return writer_mode == DRX_RDWR && what == 15 ? did(drx_compact(a)) : did(drx_sync(a));
}

static bool write_on(int process)
{
    uint64_t seed = starting_seed(process);
    bool good = true;
    drx_array *a;

    if (!did(drx_open("trimmed", writer_mode, &a)))
        return false;
    for (int i = 0;
         good && !atomic_load(&shared->over) &&
         (i < changes || atomic_load(&shared->read) < LEAST_READS || atomic_load(&shared->refused) < LEAST_REFUSED);
         i++)
        good = change(a, &seed);
    return did(drx_close(a)) && good;
}

/* ---- readers -------------------------------------------------------------- */

static bool is_right(int32_t value, int64_t row, int32_t latest)
{
    if (value > 0 && value % ROWS == MIDDLE + row && value / ROWS <= latest)
        return true;
    print_error("row %lld holds %d: row %d, growth %d, and %d was the last one at the open\n", (long long)row,
                (int)value, (int)(value % ROWS) - MIDDLE, (int)(value / ROWS), (int)latest);
    return false;
}

/* Read some elements in one of the ways. */
static bool read_some(drx_array *a, int32_t latest, uint64_t *seed)
{
    const int64_t rows = drx_shape(a)[0], first = drx_lower(a)[0] + random_below(seed, rows);
    const int64_t lo[2] = { first, random_below(seed, COLUMNS) };
    const int64_t count[2] = { 1 + random_below(seed, drx_lower(a)[0] + rows - first), 1 };
    int64_t n = 1, what = random_below(seed, 4);
    int32_t values[ROWS] = { 0 };
    bool good = true;
    drx_status st;

    if (what == 0) {
        n = count[0];
        st = drx_read(a, lo, count, DRX_ROW_MAJOR, values);
    } else {
        st = what == 1 ? drx_read_points(a, 1, lo, values) : drx_get(a, lo, values);
    }
    atomic_fetch_add(st ? &shared->refused : &shared->read, 1);
    if (st)
        return st == DRX_ERANGE || did(st);
    for (int64_t i = 0; good && i < n; i++)
        good = is_right(values[i], first + i, latest);
    return good;
}

/* What another rank of an MPI job would have, which knows the log from the first one. */
static bool open_replica(drx_array **out)
{
    drx_array *root;
    uint8_t *bytes;
    int64_t n;
    bool good = did(drx_open("trimmed", DRX_RDONLY, &root));

    if (!good)
        return false;
    good = did(drxi_read_log(root, 0, &bytes, &n));
    if (good) {
        good = did(drxi_open_replica("trimmed", false, NULL, bytes, n, out));
        drxi_free(bytes);
    }
    return did(drx_close(root)) && good;
}

static bool close_any(drx_array *a, bool replica)
{
    if (replica)
        drxi_set_parallel(a, 0);
    return did(drx_close(a));
}

static bool read_on(int process)
{
    uint64_t seed = starting_seed(100 + process);
    bool good = true;

    while (good && !atomic_load(&shared->over)) {
        const bool replica = random_below(&seed, 4) == 0;
        const int64_t reads = 1 + random_below(&seed, 1 + random_below(&seed, 400));
        drx_array *a;
        int32_t latest;

        if (!(replica ? open_replica(&a) : did(drx_open("trimmed", DRX_RDONLY, &a))))
            return false;
        latest = atomic_load(&shared->growths);
        for (int64_t i = 0; good && drx_shape(a)[0] > 0 && i < reads; i++) {
            good = read_some(a, latest, &seed);
            if (good && !replica && random_below(&seed, 100) == 0) {
                good = did(drx_refresh(a));
                latest = atomic_load(&shared->growths);
            }
        }
        good = close_any(a, replica) && good;
    }
    atomic_store(&shared->over, true); /* nobody waits for a reader that has failed */
    return good;
}

static void read_beside(int mode, unsigned flags)
{
    const int writers = mode == DRX_SHARED ? 2 : 1;
    pid_t writer[2], reader[READERS];

    shared = common(sizeof *shared);
    writer_mode = mode;
    changes = sample_or_all(1500, 100000);
    make_int32("trimmed", (int64_t[]){ 0, COLUMNS }, (int64_t[]){ 4, 3 }, FILL, DRX_ROW_MAJOR, flags);
    for (int i = 0; i < READERS; i++)
        reader[i] = start(read_on, i);
    for (int i = 0; i < writers; i++)
        writer[i] = start(write_on, i);
    for (int i = 0; i < writers; i++)
        finish(writer[i]);
    atomic_store(&shared->over, true);
    for (int i = 0; i < READERS; i++)
        finish(reader[i]);
    print_message("%lld reads, %lld more were refused\n", (long long)shared->read, (long long)shared->refused);
}

TEST(beside_one_writer)
{
    read_beside(DRX_RDWR, 0);
    read_beside(DRX_RDWR, DRX_CHECKSUM);
    read_beside(DRX_RDWR, MAKE_PACKED);
}

TEST(beside_writers_that_share)
{
    read_beside(DRX_SHARED, 0);
    read_beside(DRX_SHARED, MAKE_PACKED);
}
