/* Ranks write to compressed arrays alone and together, between growths, failures and syncs. After each call all ranks
 * have the same epochs, what the last SYNC promised is in the table, and nothing that came later looks promised. A
 * power cut, now and then, takes what is not durable: elements are what was promised, or what was written since. */
#include "drx_tools.h"
#include "drxmp_dataset.h"
#include "mp_subject.h"

enum { STEPS = 30 };

static struct subject plain, u, v;

/* ---- an array ---- */

static struct plane grown(int axis, int64_t by, bool low)
{
    struct plane after;

    plane_give_bounds(&after, &plain.now);
    *(low ? &after.lower[axis] : &after.upper[axis]) += low ? -by : by;
    return after;
}

static void extend(int axis, int64_t by, bool low)
{
    const struct plane after = grown(axis, by, low);

    assert_ok(low ? drxmp_extend_before(plain.m, axis, by) : drxmp_extend(plain.m, axis, by));
    plane_give_bounds(&plain.now, &after);
}

/* A slab of which each rank writes its part; then the append fails, or not. */
struct slab {
    struct mp_box mine;
    int64_t by;
    bool fails;
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **piece)
{
    const struct slab *s = with;

    if (done == s->by)
        return s->fails ? DRX_EIO : DRX_OK;
    *n = s->by;
    memcpy(lo, s->mine.lo, sizeof s->mine.lo);
    memcpy(count, s->mine.count, sizeof s->mine.count);
    *piece = subject_buf;
    return DRX_OK;
}

static void append(int axis, int64_t by, bool low, bool fails)
{
    const struct plane after = grown(axis, by, low);
    struct mp_box box = plane_whole(&after);
    struct slab slab = { .by = by, .fails = fails };
    drx_status st;

    subject_version++;
    box.count[axis] = by;
    if (!low)
        box.lo[axis] = plain.now.upper[axis];
    slab.mine = mp_part(1 - axis, box);
    mp_number_box(subject_version, &slab.mine, subject_buf);
    st = low ? drxmp_prepend_pieces(plain.m, axis, by, DRX_ROW_MAJOR, next_piece, &slab)
             : drxmp_append_pieces(plain.m, axis, by, DRX_ROW_MAJOR, next_piece, &slab);
    assert_int_equal(st, fails ? DRX_EIO : DRX_OK);
    if (fails) {
        subject_forget_outside(&plain);
        return;
    }
    plane_give_bounds(&plain.now, &after);
    plane_write(&plain.now, &box);
}

static void trim(int axis, int64_t before, int64_t after)
{
    assert_ok(drxmp_trim(plain.m, axis, before, after));
    plain.now.lower[axis] += before;
    plain.now.upper[axis] -= after;
    subject_forget_outside(&plain);
}

static void promise(drx_status (*call)(drxmp_array *m))
{
    assert_ok(call(plain.m));
    subject_promise(&plain);
}

static void play(void)
{
    const int64_t what = mp_below(12), by = 1 + mp_below(4);
    const int axis = (int)mp_below(2);
    const bool low = mp_below(3) == 0, room = plane_has_room(&plain.now, axis, by);

    if (what < 4)
        subject_write_alone(&plain);
    else if (what == 4)
        subject_write_together(&plain);
    else if (what == 5)
        promise(mp_below(3) ? drxmp_sync : drxmp_compact);
    else if (what < 8 && room)
        extend(axis, by, low);
    else if (what < 11 && room)
        append(axis, by, low, what > 8);
    else if (plain.now.upper[axis] - plain.now.lower[axis] > by)
        trim(axis, low ? by : 0, low ? 0 : by);
}

static void cut_power_of_array(void)
{
    mp_shell("rm -f cut.x*; for x in xmd xct xtz; do cp plain.$x cut.$x; done");
    if (mp_rank == 0) {
        uint64_t random = mp_stream;
        drx_array *a;

        subject_cut_table(&plain, &random);
        assert_ok(drx_open("cut", DRX_RDWR, &a));
        subject_assert_survived(&plain, a, &plain.now);
        assert_ok(drx_close(a));
        assert_ok(drx_check("cut", NULL, NULL, NULL, NULL));
    }
    (void)MPI_Barrier(mp_comm);
}

static drx_spec make_spec(drx_codec codec)
{
    static const int64_t shape[] = { 5, 7 }, chunk[] = { 3, 4 };
    static const char *const dims[] = { "time", "lon" };
    static const int32_t fill = FILL;

    return (drx_spec){
        .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims, .fill = &fill, .codec = codec
    };
}

TEST(an_array)
{
    for (int round = 0; round < mp_rounds(4); round++) {
        const drx_spec spec = make_spec(round % 2 ? DRX_LZ4 : DRX_ZSTD);

        subject_version = 0;
        plain = (struct subject){ .path = "plain", .cut = "cut" };
        subject_start(&plain);
        plain.m = mp_create("plain", &spec);
        subject_check(&plain);
        for (int i = 0; i < STEPS; i++) {
            play();
            subject_check(&plain);
            if (mp_below(4) == 0)
                cut_power_of_array();
            if (mp_below(15) == 0) {
                assert_ok(drxmp_close(plain.m));
                plain.m = mp_open("plain", DRX_RDWR);
                subject_promise(&plain);
                subject_check(&plain);
            }
        }
        subject_assert_elements(&plain);
        assert_ok(drxmp_close(plain.m));
        mp_remove("plain");
    }
}

/* ---- a dataset ---- */

static void extend_both(drxmp_dataset *d, int axis, int64_t by, bool low)
{
    const char *dim = axis ? "lon" : "time";

    if (!plane_has_room(&u.now, axis, by))
        return;
    assert_ok(low ? drxmp_dataset_extend_before(d, dim, by) : drxmp_dataset_extend(d, dim, by));
    *(low ? &u.now.lower[axis] : &u.now.upper[axis]) += low ? -by : by;
    plane_give_bounds(&v.now, &u.now);
}

static void abort_both(drxmp_dataset *d)
{
    struct subject *const both[] = { &u, &v };

    assert_ok(drxmp_dataset_abort(d));
    for (int i = 0; i < 2; i++) {
        plane_give_bounds(&both[i]->now, &both[i]->promised);
        plane_set_outside(&both[i]->now, &both[i]->promised, FILL);
    }
}

static void play_transaction(drxmp_dataset *d)
{
    const int64_t what = mp_below(10), by = 1 + mp_below(4);
    const int axis = (int)mp_below(2);
    const bool low = mp_below(3) == 0;

    if (what < 4) {
        subject_write_alone(what % 2 ? &v : &u);
    } else if (what == 4) {
        subject_write_together(mp_below(2) ? &v : &u);
    } else if (what < 7) {
        assert_ok(drxmp_dataset_commit(d, what == 5 ? NULL : "a message"));
        subject_promise(&u);
        subject_promise(&v);
    } else if (what < 9) {
        extend_both(d, axis, by, low);
    } else {
        abort_both(d);
    }
}

static void cut_power_of_dataset(void)
{
    mp_shell("rm -rf cut; cp -r many cut");
    if (mp_rank == 0) {
        struct subject *const both[] = { &u, &v };
        uint64_t random = mp_stream;
        drx_dataset *ds;

        for (int i = 0; i < 2; i++)
            subject_cut_table(both[i], &random);
        assert_ok(drx_dataset_open("cut", DRX_RDWR, DRX_LAST, &ds));
        for (int i = 0; i < 2; i++) {
            drx_array *a;

            assert_ok(drx_dataset_array(ds, i ? "v" : "u", &a));
            subject_assert_survived(both[i], a, &both[i]->promised);
        }
        assert_ok(drx_dataset_close(ds));
    }
    (void)MPI_Barrier(mp_comm);
}

static drxmp_dataset *make_dataset(void)
{
    const drx_spec spec_u = make_spec(DRX_ZSTD), spec_v = make_spec(DRX_ZLIB);
    drxmp_dataset *d;

    mp_shell("rm -rf many");
    subject_version = 0;
    u = (struct subject){ .path = "many/u", .cut = "cut/u" };
    v = (struct subject){ .path = "many/v", .cut = "cut/v" };
    subject_start(&u);
    subject_start(&v);
    assert_ok(drxmp_dataset_create(mp_comm, "many", &d));
    (void)setenv("DRX_CREATION_ID", "00000000000000000000000000000001", 1);
    assert_ok(drxmp_dataset_add(d, "u", &spec_u, &u.m));
    (void)setenv("DRX_CREATION_ID", "00000000000000000000000000000002", 1);
    assert_ok(drxmp_dataset_add(d, "v", &spec_v, &v.m));
    assert_ok(drxmp_dataset_commit(d, "made"));
    return d;
}

TEST(transactions)
{
    for (int round = 0; round < mp_rounds(4); round++) {
        drxmp_dataset *const d = make_dataset();

        for (int i = 0; i < STEPS; i++) {
            subject_check(&u);
            subject_check(&v);
            play_transaction(d);
            if (mp_below(4) == 0) {
                subject_check(&u);
                subject_check(&v);
                cut_power_of_dataset();
            }
        }
        subject_check(&u);
        subject_check(&v);
        subject_assert_elements(&u);
        subject_assert_elements(&v);
        assert_ok(drxmp_dataset_close(d));
    }
}

/* Some ranks write within the first bounds. One that had a failure may refuse. */
static void try_to_write(struct subject *s)
{
    const struct mp_box first = { .count = { 5, 7 } };
    struct mp_box mine = first;

    for (int rank = 0; rank < mp_ranks; rank++) { /* all draw the same numbers */
        const struct mp_box box = subject_draw_within(mp_part_of(rank, 0, first));

        if (rank == mp_rank)
            mine = box;
    }
    subject_version++;
    mp_number_box(subject_version, &mine, subject_buf);
    if (mp_box_size(&mine) > 0)
        (void)drxmp_write(s->m, mine.lo, mine.count, DRX_ROW_MAJOR, subject_buf);
    (void)MPI_Barrier(mp_comm);
}

/* If it appends a SYNC, then last. */
static drx_status transact(drxmp_dataset *d)
{
    const bool aborts = mp_below(3) == 0;
    drx_status st;

    try_to_write(&u);
    st = drxmp_dataset_extend(d, "time", 3);
    try_to_write(&v);
    if (!st)
        st = drxmp_dataset_extend_before(d, "lon", 2);
    try_to_write(&u);
    if (!st)
        st = aborts ? drxmp_dataset_abort(d) : drxmp_dataset_commit(d, NULL);
    return st;
}

/* One file call of one rank fails; then all go on. What was promised stays. */
TEST(each_fault)
{
    const long every = 3 + (long)mp_below(5); /* each run others */

    for (int culprit = 0; culprit<mp_ranks; culprit += mp_ranks> 1 ? mp_ranks - 1 : 1) {
        bool came = true;

        for (long n = 1 + (long)mp_below(every); came; n += every) {
            drxmp_dataset *const d = make_dataset();
            drx_status st;

            subject_check(&u);
            subject_check(&v);
            mp_arm(MP_CALL, culprit, n);
            st = transact(d);
            came = mp_disarm(MP_CALL, culprit);
            mp_assert_alike(st, n);
            subject_check(&u);
            subject_check(&v);
            try_to_write(&u);
            try_to_write(&v);
            subject_check(&u);
            subject_check(&v);
            st = drxmp_dataset_close(d);
            mp_assert_alike(st, n);
        }
    }
}
