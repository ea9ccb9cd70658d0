/* Boxes by which ranks share a copy: every element is in one, they have about the same size, their plans read and
 * write what the plan of the copy says, and no possible grid is left out. */
#include "layout/plan/relayout.h"
#include "testing.h"

enum { MAX_TEST_NDIM = 3, MAX_TEST_RANKS = 12 };

struct job {
    int64_t shape[MAX_TEST_NDIM], source[MAX_TEST_NDIM], target[MAX_TEST_NDIM];
    int permute[MAX_TEST_NDIM];
    struct drxi_relayout_cost cost;
    struct drxi_relayout_request request;
};

static void choose(struct job *job, uint64_t *seed)
{
    const int ndim = 1 + (int)random_below(seed, MAX_TEST_NDIM);

    for (int j = 0; j < ndim; j++) {
        job->shape[j] = 1 + random_below(seed, ndim == 1 ? 200 : 30);
        job->source[j] = 1 + random_below(seed, 12);
        job->target[j] = 1 + random_below(seed, random_below(seed, 3) ? 12 : 40);
        job->permute[j] = ndim - 1 - j;
    }
    job->cost = drxi_relayout_cost;
    job->cost.read_latency = job->cost.write_latency = job->cost.overlap = 0; /* bytes alone count */
    job->cost.part_bytes = random_below(seed, 2) ? 1 + random_below(seed, 10) : 1 << 20;
    job->request = (struct drxi_relayout_request){
        .ndim = ndim,
        .shape = job->shape,
        .source = { .chunk = job->source, .order = (drx_order)random_below(seed, 2) },
        .target = { .chunk = job->target, .order = (drx_order)random_below(seed, 2) },
        .permute = random_below(seed, 2) ? job->permute : NULL,
        .item_bytes = 1,
        .memory_bytes = 1 << 30,
        .cost = &job->cost,
    };
}

static int64_t length_of(const struct job *job, int j)
{
    return job->shape[job->request.permute ? job->permute[j] : j];
}

/* Boxes of the grid do not overlap, and have all elements. */
static void check_boxes(const struct job *job, int64_t lo[][MAX_TEST_NDIM], int64_t hi[][MAX_TEST_NDIM], int ranks)
{
    int64_t all = 1, total = 0;

    for (int j = 0; j < job->request.ndim; j++)
        all *= length_of(job, j);
    for (int a = 0; a < ranks; a++) {
        int64_t n = 1;

        for (int j = 0; j < job->request.ndim; j++) {
            assert_true(0 <= lo[a][j] && lo[a][j] < hi[a][j] && hi[a][j] <= length_of(job, j));
            n *= hi[a][j] - lo[a][j];
        }
        total += n;
        for (int b = 0; b < a; b++) {
            bool apart = false;

            for (int j = 0; j < job->request.ndim; j++)
                apart = apart || hi[a][j] <= lo[b][j] || hi[b][j] <= lo[a][j];
            assert_true(apart);
        }
    }
    assert_int_equal(total, all);
}

/* No box has more than a grain more than another along an axis, but for what the array's end takes. */
static void check_even(const struct job *job, const struct drxi_share *share, const int64_t lo[], const int64_t hi[])
{
    int64_t product = 1;

    for (int j = 0; j < job->request.ndim; j++) {
        const int64_t grain = share->grain[j];
        const int64_t grains = drxi_ceil_div(length_of(job, j), grain), mine = drxi_ceil_div(hi[j] - lo[j], grain);

        assert_int_equal(job->target[j] % share->chunk[j], 0);
        assert_int_equal(grain % share->chunk[j], 0);
        assert_int_equal(lo[j] % grain, 0);
        assert_true(mine == grains / share->boxes[j] || mine == drxi_ceil_div(grains, share->boxes[j]));
        product *= share->boxes[j];
    }
    assert_int_equal(product, share->ranks);
}

/* A part of a target chunk is contiguous: axes inside the chunk that are faster than one that is cut are whole. */
static void check_part(const struct job *job, const struct drxi_share *share)
{
    const int ndim = job->request.ndim;
    bool cut = false;

    for (int k = ndim - 1; k >= 0; k--) { /* fastest first */
        const int j = job->request.target.order == DRX_ROW_MAJOR ? k : ndim - 1 - k;

        assert_true(!cut || share->chunk[j] == 1);
        cut = cut || share->chunk[j] < job->target[j];
    }
}

/* How many pairs of boxes were alike. */
static int alike_pairs;

/* Plans of alike boxes take as long, and read and write as much, in as many calls. */
static void check_alike(const struct drxi_relayout_request one[], const struct drxi_relayout plan[], int n)
{
    for (int a = 1; a < n; a++)
        for (int b = 0; b < a; b++) {
            if (!drxi_relayout_alike(&one[a], one[b].lo, one[b].hi))
                continue;
            assert_true(plan[a].seconds == plan[b].seconds);
            assert_int_equal(plan[a].memory_bytes, plan[b].memory_bytes);
            assert_int_equal(plan[a].read_bytes, plan[b].read_bytes);
            assert_int_equal(plan[a].read_calls, plan[b].read_calls);
            assert_int_equal(plan[a].write_bytes, plan[b].write_bytes);
            assert_int_equal(plan[a].write_calls, plan[b].write_calls);
            alike_pairs++;
        }
}

static void check_share(const struct job *job, const struct drxi_share *share)
{
    static struct drxi_relayout plan[MAX_TEST_RANKS + 1];
    int64_t lo[MAX_TEST_RANKS][MAX_TEST_NDIM], hi[MAX_TEST_RANKS][MAX_TEST_NDIM];
    int64_t none_lo[MAX_TEST_NDIM], none_hi[MAX_TEST_NDIM], read = 0, written = 0;
    struct drxi_relayout_request one[MAX_TEST_RANKS + 1];

    check_part(job, share);
    for (int rank = 0; rank < share->ranks; rank++) {
        drxi_share_request(&job->request, share, rank, lo[rank], hi[rank], &one[rank]);
        assert_int_equal(one[rank].memory_bytes, job->request.memory_bytes / share->ranks);
        check_even(job, share, lo[rank], hi[rank]);
        assert_ok(drxi_relayout_plan(&one[rank], &plan[rank], NULL));
        read = drxi_max(read, plan[rank].read_bytes);
        written = drxi_max(written, plan[rank].write_bytes);
    }
    check_boxes(job, lo, hi, share->ranks);
    if (job->cost.part_bytes > 100000) /* whole chunks alone */
        assert_true(share->bytes == (double)(read + written));
    drxi_share_request(&job->request, share, share->ranks, none_lo, none_hi, &one[share->ranks]);
    assert_ok(drxi_relayout_plan(&one[share->ranks], &plan[share->ranks], NULL));
    assert_int_equal(plan[share->ranks].passes, 0);
    check_alike(one, plan, share->ranks);
}

/* Whether this many ranks can each have a whole chunk of the target, in a grid. */
static bool grid_exists(const struct job *job, int j, int ranks)
{
    const int ndim = job->request.ndim < MAX_TEST_NDIM ? job->request.ndim : MAX_TEST_NDIM;
    bool found = j == ndim && ranks == 1;

    for (int n = 1; !found && j < ndim && n <= ranks; n++)
        if (ranks % n == 0 && drxi_ceil_div(length_of(job, j), job->target[j]) >= n)
            found = grid_exists(job, j + 1, ranks / n);
    return found;
}

TEST(random_shares)
{
    uint64_t seed = starting_seed(346);
    int parts = 0, none = 0, several = 0;

    for (int i = 0; i < 300; i++) {
        struct job job;
        struct drxi_share shares[DRXI_SHARES];
        const int ranks = 1 + (int)random_below(&seed, MAX_TEST_RANKS);
        int count;

        print_message("job %d: DRX_SEED=%llu\n", i, (unsigned long long)seed);
        choose(&job, &seed);
        assert_ok(drxi_shares(&job.request, ranks, shares, &count));
        assert_true(count > 0 || !grid_exists(&job, 0, ranks));
        for (int k = 0; k < count; k++) {
            assert_int_equal(shares[k].ranks, ranks);
            assert_true(k == 0 || shares[k].bytes >= shares[k - 1].bytes);
            check_share(&job, &shares[k]);
            parts += memcmp(shares[k].chunk, job.target, (size_t)job.request.ndim * sizeof(int64_t)) != 0;
        }
        none += count == 0;
        several += count > 1;
    }
    print_message("%d with parts of chunks, %d of several ways, %d of none\n", parts, several, none);
    assert_true(parts > 0 && none > 0 && several > 0 && alike_pairs > 0);
}

static struct drxi_relayout_request large(const int64_t source[], const int64_t target[])
{
    static const int64_t shape[2] = { 16384, 16384 };

    return (struct drxi_relayout_request){ .ndim = 2,
                                           .shape = shape,
                                           .source = { .chunk = source },
                                           .target = { .chunk = target },
                                           .item_bytes = 8,
                                           .memory_bytes = (int64_t)512 << 20 };
}

/* Rows to columns: two ranks make columns of whole chunks, or the upper and lower halves of all chunks; each byte is
 * read by one. Three cannot be even but by parts of chunks. */
TEST(rows_to_columns)
{
    const int64_t rows[2] = { 8, 16384 }, columns[2] = { 16384, 8 };
    const struct drxi_relayout_request all = large(rows, columns);
    struct drxi_share shares[DRXI_SHARES];
    struct drxi_relayout_request one;
    static struct drxi_relayout plan;
    int64_t lo[2], hi[2];
    int count, halves = 0;

    assert_ok(drxi_shares(&all, 2, shares, &count));
    for (int k = 0; k < count; k++) {
        drxi_share_request(&all, &shares[k], 1, lo, hi, &one);
        halves += lo[0] == 8192 && hi[0] == 16384 && hi[1] - lo[1] == 16384 && one.target.scattered;
        assert_ok(drxi_relayout_plan(&one, &plan, NULL));
        assert_int_equal(plan.passes, 1);
        assert_int_equal(plan.read_bytes, (int64_t)1 << 30);
        assert_int_equal(plan.write_bytes, (int64_t)1 << 30);
    }
    assert_true(halves > 0 && halves < count);
    assert_ok(drxi_shares(&all, 3, shares, &count));
    assert_int_equal(shares[0].boxes[0], 3);
    assert_true(shares[0].chunk[0] < 16384);
}

/* The paper's grid of 10 x 10 in tiles of 3 x 3: four by four chunks. Each of two ranks has half of them. */
TEST(paper_grid)
{
    const int64_t shape[2] = { 10, 10 }, tile[2] = { 3, 3 };
    struct drxi_relayout_request all = large(tile, tile);
    struct drxi_share shares[DRXI_SHARES];
    int count;

    all.shape = shape;
    assert_ok(drxi_shares(&all, 2, shares, &count));
    assert_int_equal(count, 2); /* rows, or columns */
    assert_ok(drxi_shares(&all, 8, shares, &count));
    assert_int_equal(count, 2); /* 2 x 4, 4 x 2 */
    assert_ok(drxi_shares(&all, 17, shares, &count));
    assert_int_equal(count, 0);
}

TEST(refusals)
{
    const int64_t none[2] = { 0, 3 }, tile[2] = { 3, 3 };
    const struct drxi_relayout_request all = large(tile, none);
    struct drxi_share shares[DRXI_SHARES];
    int count;

    assert_status(drxi_shares(&all, 2, shares, &count), DRX_EINVAL);
    assert_int_equal(count, 0);
}
