/* Requests that read and write random distributed arrays, several of them pending, beside blocking calls, against a
 * plain array in memory: they take effect in the order in which they were begun. Helper threads are slow here. */
#include "mp_spread.h"
#include "slow_helpers.h"

enum { SLOTS = 4, HISTORIES = 12, CALLS = 40, MOST_BOUND = 28, MOST_EXTENT = 24, CELLS = MOST_BOUND * MOST_BOUND };

static drxmp_array *a;
static int64_t shape[2];
static int32_t model[CELLS];
static int version;
static uint64_t luck; /* random numbers, others on each rank */

static struct slot {
    struct spread s;
    int64_t lo[2], size[2];
    drxmp_darray *d;
    drx_request *req;
    bool writing;
    int32_t expected[CELLS]; /* of the array, when the request began */
} slots[SLOTS];

static int64_t place_of(const struct slot *slot, const int64_t global[])
{
    return (slot->lo[0] + global[0]) * shape[1] + slot->lo[1] + global[1];
}

static void doze(void)
{
    if (random_below(&luck, 4) == 0)
        (void)usleep((useconds_t)random_below(&luck, 2000));
}

static void draw(struct slot *slot)
{
    for (int j = 0; j < 2; j++) {
        slot->lo[j] = mp_below(shape[j]);
        slot->size[j] = 1 + mp_below(shape[j] - slot->lo[j] < MOST_EXTENT ? shape[j] - slot->lo[j] : MOST_EXTENT);
    }
    spread_draw(&slot->s, 2, slot->size, mp_below(3) ? "bcup" : "b");
    slot->d = spread_darray(&slot->s, DRX_INT32);
}

/* What is owned gets new values, here and, for all ranks, in the model. */
static void fill(struct slot *slot)
{
    int32_t *mem = drxmp_darray_local(slot->d);
    int64_t global[2], place;

    version++;
    for (int rank = 0; rank < mp_ranks; rank++)
        for (int64_t i = 0; i < spread_cells(&slot->s, rank); i++) {
            const struct cell c = spread_cell(&slot->s, rank, i, global, &place);
            const int32_t value = 1000 * version + (int32_t)place_of(slot, global);

            if (rank == mp_rank)
                mem[place] = c.owned ? value : -1;
            if (c.owned)
                model[place_of(slot, global)] = value;
        }
}

static void check(const struct slot *slot)
{
    const int32_t *mem = drxmp_darray_local(slot->d);
    int64_t global[2], place;

    for (int64_t i = 0; i < spread_cells(&slot->s, mp_rank); i++) {
        (void)spread_cell(&slot->s, mp_rank, i, global, &place);
        assert_int_equal(mem[place], slot->expected[place_of(slot, global)]);
    }
}

static void finish(struct slot *slot)
{
    if (slot->req) {
        if (mp_below(4) == 0)
            assert_fails(drxmp_darray_free(slot->d), DRX_EBUSY, "1 requests");
        doze();
        assert_ok(drx_wait(slot->req));
        if (!slot->writing)
            check(slot);
    }
    slot->req = NULL;
    assert_ok(drxmp_darray_free(slot->d));
    slot->d = NULL;
}

/* A call on a new darray; it waits, or not. */
static void call(struct slot *slot)
{
    const bool later = mp_below(4) > 0;

    draw(slot);
    slot->writing = mp_below(2);
    if (slot->writing)
        fill(slot);
    memcpy(slot->expected, model, sizeof model);
    doze();
    if (later) {
        assert_ok(slot->writing ? drxmp_darray_iwrite(slot->d, a, slot->lo, &slot->req)
                                : drxmp_darray_iread(slot->d, a, slot->lo, &slot->req));
        return;
    }
    assert_ok(slot->writing ? drxmp_darray_write(slot->d, a, slot->lo) : drxmp_darray_read(slot->d, a, slot->lo));
    if (!slot->writing)
        check(slot);
}

/* A collective read of a box that each rank draws, which waits. */
static void read_box(void)
{
    static int32_t buf[CELLS];
    int64_t lo[2], count[2];

    for (int j = 0; j < 2; j++) {
        lo[j] = random_below(&luck, shape[j]);
        count[j] = 1 + random_below(&luck, shape[j] - lo[j]);
    }
    assert_ok(drxmp_read_all(a, lo, count, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < count[0] * count[1]; i++)
        assert_int_equal(buf[i], model[(lo[0] + i / count[1]) * shape[1] + lo[1] + i % count[1]]);
}

static void create(const char *path)
{
    int64_t chunk[2];
    drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk };

    for (int j = 0; j < 2; j++) {
        shape[j] = 1 + mp_below(MOST_BOUND);
        chunk[j] = 1 + mp_below(9);
    }
    spec.codec = mp_below(3) ? DRX_RAW : DRX_LZ4;
    memset(model, 0, sizeof model);
    luck = mp_stream + 1 + (uint64_t)mp_rank;
    a = mp_create(path, &spec);
    assert_ok(mp_set_any(a));
}

static void history(void)
{
    create("requests");
    for (int n = 0; n < CALLS; n++) {
        struct slot *slot = &slots[mp_below(SLOTS)];

        in_helper = random_below(&luck, 4) ? NULL : sleep_a_moment;
        if (slot->d)
            finish(slot);
        else if (mp_below(6) == 0)
            read_box();
        else
            call(slot);
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].d)
            finish(&slots[i]);
    read_box();
    assert_ok(drxmp_close(a));
    mp_remove("requests");
}

TEST_WITH(histories, be_slow, be_fast)
{
    for (int i = 0; i < mp_rounds(HISTORIES); i++)
        history();
}

/* Memory runs out on one rank as a request begins, or is carried out: all ranks get the same status, and later calls
 * work. */
TEST(out_of_memory)
{
    static const char *const kinds[] = { "b", "c", "p" };
    const int last = mp_ranks - 1;

    create("short");
    for (int k = 0; k < 6; k++) {
        struct slot *slot = &slots[0];
        bool fired = true;

        for (int j = 0; j < 2; j++) {
            slot->lo[j] = 0;
            slot->size[j] = shape[j] < MOST_EXTENT ? shape[j] : MOST_EXTENT;
        }
        spread_draw(&slot->s, 2, slot->size, kinds[k / 2]);
        slot->d = spread_darray(&slot->s, DRX_INT32);
        fill(slot);
        for (long n = mp_next(0); fired; n = mp_next(n)) {
            drx_status st;

            mp_arm(MP_ALLOCATION, last, n);
            st = k % 2 ? drxmp_darray_iwrite(slot->d, a, NULL, &slot->req)
                       : drxmp_darray_iread(slot->d, a, NULL, &slot->req);
            assert_true(st ? !slot->req : slot->req != NULL);
            if (slot->req)
                st = drx_wait(slot->req);
            fired = mp_disarm(MP_ALLOCATION, last);
            slot->req = NULL;
            mp_assert_alike(st, n);
            assert_true(st == DRX_OK || (fired && st == DRX_ENOMEM));
        }
        assert_ok(drxmp_darray_free(slot->d));
        slot->d = NULL;
    }
    assert_ok(drxmp_close(a));
    mp_remove("short");
}

TEST(wrong_requests)
{
    const int last = mp_ranks - 1;
    drxmp_darray *d, *other;
    const struct dap_dim *dims;
    int64_t lo[2], count[2];
    drx_request *req;
    int32_t value;

    create("wrong");
    d = mp_darray(DRX_INT32, 2, (struct dap_dim[]){ mp_block(shape[0]), mp_undistributed(shape[1]) }, DRX_ROW_MAJOR);
    other =
        mp_darray(DRX_FLOAT32, 2, (struct dap_dim[]){ mp_block(shape[0]), mp_undistributed(shape[1]) }, DRX_ROW_MAJOR);
    assert_status(drxmp_darray_iread(d, a, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_iread(d, NULL, NULL, &req), DRX_EINVAL);
    assert_null(req);
    for (int i = 0; i < 4; i++) { /* one rank is wrong: it says what, and the others hear of it */
        drx_status st = mp_rank != last ? drxmp_darray_iread(d, a, NULL, &req)
                        : i == 0        ? drxmp_darray_iread(other, a, NULL, &req)
                        : i == 1        ? drxmp_darray_iread(NULL, a, NULL, &req)
                        : i == 2        ? drxmp_darray_iread(d, a, (int64_t[]){ 1, 0 }, &req)
                                        : drxmp_darray_iwrite(other, a, NULL, &req);

        if (req)
            st = drx_wait(req);
        assert_true(st == DRX_EINVAL || st == DRX_ERANGE || st == DRX_EMISMATCH);
        mp_assert_alike(st, i);
    }
    assert_ok(drxmp_darray_iread(d, a, NULL, &req)); /* this rank alone cannot wait for it */
    assert_ok(drxmp_darray_zone(d, mp_rank, &dims, lo, count));
    assert_ptr_equal(dims, drxmp_darray_dims(d));
    value = 1;
    if (count[0] > 0)
        assert_status(drxmp_write(a, lo, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value), DRX_EBUSY);
    assert_ok(drx_wait(req));
    if (count[0] > 0)
        assert_ok(drxmp_write(a, lo, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value));
    (void)MPI_Barrier(mp_comm);
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
    assert_ok(drxmp_close(a));
    mp_remove("wrong");
}

/* The call begins, and then fails. */
static drx_status wait_for(drx_status st, drx_request *req)
{
    return req ? drx_wait(req) : st;
}

/* A call that needs a section which a request has is refused: of a request that fills it any call, of one that stores
 * it those that change it. */
TEST(sections_in_use)
{
    static const char busy[] = "1 requests that move the section";
    const struct dap_dim dims[2] = { mp_block(MOST_BOUND), mp_undistributed(3) };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ MOST_BOUND, 3 } };
    drxmp_array *b = mp_create("first", &spec), *c = mp_create("second", &spec);
    drxmp_darray *d = mp_darray(DRX_INT32, 2, dims, DRX_ROW_MAJOR), *e = mp_darray(DRX_INT32, 2, dims, DRX_COL_MAJOR);
    drx_request *req, *other;
    drx_status st;

    assert_ok(drxmp_darray_iread(d, b, NULL, &req));
    assert_fails(drxmp_darray_read(d, c, NULL), DRX_EBUSY, busy);
    assert_fails(drxmp_darray_write(d, c, NULL), DRX_EBUSY, busy);
    assert_fails(drxmp_darray_redistribute(d, e), DRX_EBUSY, busy);
    assert_fails(drxmp_darray_redistribute(e, d), DRX_EBUSY, busy);
    assert_fails(drxmp_darray_redistribute_box(e, NULL, d, NULL, NULL), DRX_EBUSY, busy);
    st = drxmp_darray_iread(d, c, NULL, &other);
    assert_status(wait_for(st, other), DRX_EBUSY);
    st = drxmp_darray_iwrite(d, c, NULL, &other);
    assert_status(wait_for(st, other), DRX_EBUSY);
    assert_ok(drx_wait(req));
    assert_ok(drxmp_darray_redistribute(e, d));

    assert_ok(drxmp_darray_iwrite(d, b, NULL, &req));
    assert_fails(drxmp_darray_read(d, c, NULL), DRX_EBUSY, busy);
    assert_fails(drxmp_darray_redistribute(e, d), DRX_EBUSY, busy);
    st = drxmp_darray_iread(d, c, NULL, &other);
    assert_status(wait_for(st, other), DRX_EBUSY);
    assert_ok(drxmp_darray_write(d, c, NULL)); /* these only look at it */
    assert_ok(drxmp_darray_redistribute(d, e));
    assert_ok(drxmp_darray_iwrite(d, c, NULL, &other));
    assert_ok(drx_wait(other));
    assert_ok(drx_wait(req));
    assert_ok(drxmp_darray_read(d, c, NULL));
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(e));
    assert_ok(drxmp_close(b));
    assert_ok(drxmp_close(c));
    mp_remove("first");
    mp_remove("second");
}

/* So are calls that move ghosts, where a rank has some. */
TEST(ghosts_in_use)
{
    const int64_t bound = 4 * mp_ranks;
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = &bound };
    drxmp_array *b = mp_create("first", &spec);
    struct dap_dim dim = mp_block(bound);
    drxmp_darray *d;
    drx_request *req;

    dim.padding[0] = mp_rank > 0;
    dim.padding[1] = mp_rank < mp_ranks - 1;
    dim.start -= dim.padding[0];
    dim.stop += dim.padding[1];
    d = mp_darray(DRX_INT32, 1, &dim, DRX_ROW_MAJOR);
    assert_ok(drxmp_darray_iread(d, b, NULL, &req));
    assert_status(drxmp_darray_sync(d), mp_ranks > 1 ? DRX_EBUSY : DRX_OK);
    assert_ok(drx_wait(req));
    assert_ok(drxmp_darray_iwrite(d, b, NULL, &req));
    assert_ok(drxmp_darray_sync(d));
    assert_status(drxmp_darray_sync_add(d), mp_ranks > 1 ? DRX_EBUSY : DRX_OK);
    assert_ok(drx_wait(req));
    assert_ok(drxmp_darray_sync_add(d));
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_close(b));
    mp_remove("first");
}

/* A zone is the least box around what a rank owns. */
TEST(zones_of_others)
{
    const int64_t size[2] = { 1 + mp_below(MOST_EXTENT), 1 + mp_below(MOST_EXTENT) };
    static struct spread s;
    drxmp_darray *d;

    spread_draw(&s, 2, size, "bcup");
    d = spread_darray(&s, DRX_INT32);
    for (int rank = 0; rank < mp_ranks; rank++) {
        int64_t first[2] = { INT64_MAX, INT64_MAX }, last[2] = { -1, -1 }, global[2], place, lo[2], count[2];
        const struct dap_dim *dims;
        struct dap_dim expected[2];

        for (int64_t i = 0; i < spread_cells(&s, rank); i++) {
            if (!spread_cell(&s, rank, i, global, &place).owned)
                continue;
            for (int j = 0; j < 2; j++) {
                first[j] = global[j] < first[j] ? global[j] : first[j];
                last[j] = global[j] > last[j] ? global[j] : last[j];
            }
        }
        spread_dims(&s, rank, expected);
        assert_ok(drxmp_darray_zone(d, rank, &dims, lo, count));
        for (int j = 0; j < 2; j++) {
            assert_int_equal(count[j], last[j] < 0 ? 0 : last[j] - first[j] + 1);
            if (last[j] >= 0)
                assert_int_equal(lo[j], first[j]);
            assert_int_equal(dims[j].start, expected[j].start);
            assert_int_equal(dims[j].n_indices, expected[j].n_indices);
        }
    }
    assert_fails(drxmp_darray_zone(d, mp_ranks, NULL, NULL, NULL), DRX_EINVAL, "rank");
    assert_ok(drxmp_darray_free(d));
}
