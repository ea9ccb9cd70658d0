/* What each purpose may take of the memory that drx_set_memory allows the library for copies of elements.
 *
 * The shares add up to more than the whole, since a program seldom does all of this at once. Reads leave to the stash,
 * and to what is kept of files on servers, what these take (box/concurrent.c). */
#include "base/work.h"
#include "drx_tools.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

static const struct {
    int64_t share; /* one part in this many of the limit, but not less than */
    int64_t least;
    int64_t most; /* nor more than this, which is also what there is without a limit */
    bool each;    /* each thread takes so much */
} purposes[DRXI_PURPOSES] = {
    [DRXI_FOR_READS] = { 1, 16 * KIB, INT64_MAX, false },
    [DRXI_FOR_STASH] = { 2, 0, INT64_MAX, false },
    [DRXI_FOR_PAYLOAD_AHEAD] = { 8, 4 * KIB, MIB, false },
    [DRXI_FOR_POINTS] = { 2, 32 * KIB, 8 * MIB, false },
    [DRXI_FOR_POINT_READS] = { 4, 128 * KIB, 8 * MIB, false },
    [DRXI_FOR_STAGE] = { 2, 8 * KIB, 2 * MIB, true },
    [DRXI_FOR_TYPES] = { 8, 64 * KIB, INT64_MAX, false },
    [DRXI_FOR_DECODED] = { 1, 0, INT64_MAX, false },
    [DRXI_FOR_ENCODED] = { 4, 0, 32 * MIB, false },
    [DRXI_FOR_KEPT_CHUNKS] = { 8, 0, 64 * MIB, false },
    [DRXI_FOR_PAYLOADS] = { 8, 0, 4 * MIB, true },
    [DRXI_FOR_FAR_PAYLOADS] = { 8, 0, 4 * MIB, false },
    [DRXI_FOR_CACHE] = { 8, 0, INT64_MAX, false },
    [DRXI_FOR_BLOCKS] = { 8, 128 * KIB, 16 * MIB, false },
    [DRXI_FOR_GUESSES] = { 8, 0, 64 * MIB, false },
    [DRXI_FOR_MAPPED] = { 2, MIB, INT64_MAX, false },
    [DRXI_FOR_CHECK] = { 2, MIB, 8 * MIB, false },
    [DRXI_FOR_COPY] = { 32, 512 * KIB, 8 * MIB, false },
};

atomic_size_t drxi_limit_bytes;
static atomic_size_t default_bytes;

void drx_set_memory(size_t bytes)
{
    atomic_store(&drxi_limit_bytes, bytes > 0 ? bytes : atomic_load(&default_bytes));
}

void drxi_default_memory(size_t bytes)
{
    size_t none = 0;

    atomic_store(&default_bytes, bytes);
    (void)atomic_compare_exchange_strong(&drxi_limit_bytes, &none, bytes);
}

int64_t drxi_may_take(enum drxi_purpose p)
{
    const int64_t limit = (int64_t)atomic_load_explicit(&drxi_limit_bytes, memory_order_relaxed);
    const int64_t threads = purposes[p].each && limit > 0 ? drxi_work_most_threads() : 1;

    if (limit == 0)
        return purposes[p].most;
    return drxi_min(drxi_max(limit / threads / purposes[p].share, purposes[p].least), purposes[p].most);
}
