/* Ranks write to compressed arrays alone and together, between growths, failures and syncs. After each call all ranks
 * have the same epochs, what the last SYNC promised is in the table, and nothing that came later looks promised. A power
 * cut, now and then, takes what is not durable: elements are what was promised, or what was written since. */
#include "bytes.h"
#include "drx_tools.h"
#include "drxmp_dataset.h"
#include "mp/mp.h"
#include "mp_testing.h"

enum { MIDDLE = 30, SIDE = 2 * MIDDLE, MOST = 20, STEPS = 30, FILL = -7 };

/* The elements of a plane, at [MIDDLE + i][MIDDLE + j]; the fill outside the bounds. */
struct plane {
    int64_t lower[2], upper[2];
    int32_t at[SIDE][SIDE];
};

struct subject {
    const char *path, *cut; /* of the array, and of the copy that meets the power cut */
    drxmp_array *m;
    struct plane now, promised;
    struct plane since; /* versions above this one were written to an element since the last SYNC */
    int64_t epoch;      /* of that */
    int64_t present;    /* the epoch of what is written now: when it rises, all is durable */
    /* on rank 0: the table as the SYNC left it, and when the epoch last rose */
    struct bytes table, durable;
};

static int version;
static struct subject plain, u, v;
static int32_t buf[SIDE * SIDE];

/* ---- the model ---- */

static int32_t *cell(struct plane *p, int64_t i, int64_t j)
{
    return &p->at[MIDDLE + i][MIDDLE + j];
}

static bool is_inside(const struct plane *p, int64_t i, int64_t j)
{
    return i >= p->lower[0] && i < p->upper[0] && j >= p->lower[1] && j < p->upper[1];
}

/* Set all elements outside these bounds. */
static void set_outside(struct plane *p, const struct plane *bounds, int32_t value)
{
    for (int64_t i = -MIDDLE; i < MIDDLE; i++)
        for (int64_t j = -MIDDLE; j < MIDDLE; j++)
            if (!is_inside(bounds, i, j))
                *cell(p, i, j) = value;
}

/* What was outside the bounds does not come back when growth uncovers it, whatever a power cut takes. */
static void forget_outside(struct subject *s)
{
    set_outside(&s->now, &s->now, FILL);
    set_outside(&s->promised, &s->now, FILL);
    set_outside(&s->since, &s->now, version);
}

static void give_bounds(struct plane *p, const struct plane *from)
{
    memcpy(p->lower, from->lower, sizeof p->lower);
    memcpy(p->upper, from->upper, sizeof p->upper);
}

static struct mp_box whole_of(const struct plane *p)
{
    struct mp_box box = { .step = { 0, 0 } };

    for (int j = 0; j < 2; j++) {
        box.lo[j] = p->lower[j];
        box.count[j] = p->upper[j] - p->lower[j];
    }
    return box;
}

static void model_write(struct plane *p, const struct mp_box *box)
{
    for (int64_t k = 0; k < mp_box_size(box); k++)
        *cell(p, mp_row(box, k), mp_column(box, k)) = mp_number(version, mp_row(box, k), mp_column(box, k));
}

static void model_promise(struct subject *s)
{
    s->promised = s->now;
    set_outside(&s->since, &(struct plane){ .upper = { 0, 0 } }, version);
}

static void model_start(struct subject *s)
{
    const struct plane made = { .upper = { 5, 7 } };

    s->now = made;
    set_outside(&s->now, &(struct plane){ .upper = { 0, 0 } }, FILL);
    s->epoch = -1;
    model_promise(s);
}

/* ---- calls ---- */

static struct mp_box draw_within(struct mp_box box)
{
    for (int j = 0; j < 2; j++)
        if (mp_box_size(&box) > 0) {
            const int64_t from = mp_below(box.count[j]);

            box.lo[j] += from;
            box.count[j] = 1 + mp_below(box.count[j] - from);
        }
    return box;
}

/* Some ranks write, each to rows of its own, which share chunks with those of others. */
static void write_alone(struct subject *s)
{
    version++;
    for (int rank = 0; rank < mp_ranks; rank++) {
        const bool writes = mp_below(3) > 0;
        const struct mp_box box = draw_within(mp_part_of(rank, 0, whole_of(&s->now)));

        if (!writes)
            continue;
        model_write(&s->now, &box);
        mp_number_box(version, &box, buf);
        if (rank == mp_rank && mp_box_size(&box) > 0)
            assert_ok(drxmp_write(s->m, box.lo, box.count, DRX_ROW_MAJOR, buf));
    }
    (void)MPI_Barrier(mp_comm);
}

static void write_together(struct subject *s)
{
    const struct mp_box whole = draw_within(whole_of(&s->now)), mine = mp_part(1, whole);

    version++;
    model_write(&s->now, &whole);
    mp_number_box(version, &mine, buf);
    assert_ok(mp_write_all(s->m, &mine, buf));
}

static void assert_elements(struct subject *s)
{
    const struct mp_box whole = whole_of(&s->now);

    assert_ok(mp_read_all(s->m, &whole, buf));
    for (int64_t k = 0; k < mp_box_size(&whole); k++)
        assert_int_equal(buf[k], *cell(&s->now, mp_row(&whole, k), mp_column(&whole, k)));
}

/* ---- what is on the disk ---- */

static struct bytes load_file(const char *path, const char *suffix)
{
    char name[100];

    (void)snprintf(name, sizeof name, "%s.%s", path, suffix);
    return load(name);
}

static int64_t promised_epoch(const char *path)
{
    struct drxi_log log = { .io = NULL };
    enum drxi_tail tail;
    int64_t epoch;
    char name[100];

    (void)snprintf(name, sizeof name, "%s.xmd", path);
    assert_ok(drxi_files->open(name, DRXI_READ, &log.io));
    assert_ok(drxi_log_describe(&log));
    assert_ok(drxi_log_read(&log, &tail));
    assert_int_equal(tail, DRXI_WHOLE);
    epoch = log.state.epoch;
    drxi_state_free(&log.state);
    assert_ok(log.io->ops->close(log.io));
    return epoch;
}

static void entry_of(const struct drxi_pack *p, const struct bytes *table, int64_t q, struct drxi_entry *e)
{
    memset(e->bytes, 0, sizeof e->bytes);
    if ((q + 1) * DRXI_ENTRY_BYTES <= (int64_t)table->n)
        memcpy(e->bytes, table->p + q * DRXI_ENTRY_BYTES, sizeof e->bytes);
    for (int k = 0; k < 2; k++)
        drxi_half_decode(p, e->bytes + k * DRXI_HALF_BYTES, q, &e->half[k]);
}

static bool same_half(const struct drxi_entry *a, const struct drxi_entry *b, int k)
{
    return memcmp(a->bytes + k * DRXI_HALF_BYTES, b->bytes + k * DRXI_HALF_BYTES, DRXI_HALF_BYTES) == 0;
}

/* What has changed since the SYNC is not promised, and the half that counted then is still there, unless what followed it
 * has become durable since. */
static void check_entry(const struct subject *s, int64_t q, const struct drxi_entry *before, const struct drxi_entry *e)
{
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(s->m))->pack;
    const int counted = drxi_entry_newer(before);
    bool kept = counted < 0 || same_half(before, e, counted);
    struct drxi_entry durable;

    entry_of(p, &s->durable, q, &durable);
    for (int k = 0; k < 2; k++) {
        assert_false(e->half[k].bad || e->half[k].torn);
        if (!e->half[k].there)
            continue;
        assert_in_range(e->half[k].epoch, 1, p->log->epoch);
        if (same_half(before, e, k))
            continue;
        assert_true(e->half[k].epoch > s->epoch);
        kept = kept || same_half(&durable, e, k);
    }
    assert_true(kept);
}

static void check_table(struct subject *s)
{
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(s->m))->pack;
    const struct bytes table = load_file(s->path, "xct");
    const int64_t epoch = promised_epoch(s->path);
    struct drxi_entry before, e;

    assert_int_equal(epoch, p->log->state.epoch);
    if (epoch != s->epoch) /* nothing was written since this SYNC */
        s->table = table;
    if (epoch != s->epoch || p->log->epoch != s->present)
        s->durable = table;
    s->present = p->log->epoch;
    for (int64_t q = 0; q < (int64_t)table.n / DRXI_ENTRY_BYTES; q++) {
        entry_of(p, &s->table, q, &before);
        entry_of(p, &table, q, &e);
        if (epoch == s->epoch)
            check_entry(s, q, &before, &e);
        for (int k = 0; epoch != s->epoch && k < 2; k++)
            assert_true(!e.half[k].there || e.half[k].epoch <= epoch);
    }
    s->epoch = epoch;
}

static void check(struct subject *s)
{
    mp_assert_epochs(s->m);
    if (mp_rank == 0)
        check_table(s);
    (void)MPI_Barrier(mp_comm);
}

/* ---- power cuts, on rank 0 ---- */

/* A half that need not be durable: it is there, or partly, or not at all, and if it is, its payload may not be. */
static void cut_half(const struct subject *s, int64_t q, int k, const struct drxi_entry *before,
                     const struct drxi_entry *e, uint64_t *random)
{
    const size_t kept = 8 * (size_t)random_below(random, 5), at = (size_t)k * DRXI_HALF_BYTES;
    static const uint8_t nothing[SIDE * SIDE * sizeof(int32_t)];
    const struct drxi_half *half = &e->half[k];
    uint8_t bytes[DRXI_HALF_BYTES];
    char name[100];

    memcpy(bytes, before->bytes + at, sizeof bytes);
    memcpy(bytes, e->bytes + at, kept);
    (void)snprintf(name, sizeof name, "%s.xct", s->cut);
    put_bytes(name, q * DRXI_ENTRY_BYTES + (int64_t)at, bytes, sizeof bytes);
    (void)snprintf(name, sizeof name, "%s.xtz", s->cut);
    if (!half->open && random_below(random, 2))
        put_bytes(name, half->offset, nothing, half->length);
}

static void cut_table(const struct subject *s, uint64_t *random)
{
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(s->m))->pack;
    const struct bytes table = load_file(s->path, "xct");

    for (int64_t q = 0; q < (int64_t)table.n / DRXI_ENTRY_BYTES; q++) {
        struct drxi_entry before, durable, e;

        entry_of(p, &s->table, q, &before);
        entry_of(p, &s->durable, q, &durable);
        entry_of(p, &table, q, &e);
        for (int k = 0; k < 2; k++)
            if (e.half[k].there && !same_half(&before, &e, k) && !same_half(&durable, &e, k) &&
                random_below(random, 3) > 0)
                cut_half(s, q, k, &before, &e, random);
    }
}

/* An element is the promised one, or one that was written since. */
static void assert_survived(struct subject *s, drx_array *a, const struct plane *bounds)
{
    const struct mp_box whole = whole_of(bounds);

    for (int j = 0; j < 2; j++) {
        assert_int_equal(drx_lower(a)[j], whole.lo[j]);
        assert_int_equal(drx_shape(a)[j], whole.count[j]);
    }
    assert_ok(drx_read(a, whole.lo, whole.count, DRX_ROW_MAJOR, buf));
    for (int64_t k = 0; k < mp_box_size(&whole); k++) {
        const int64_t i = mp_row(&whole, k), j = mp_column(&whole, k);
        bool good = buf[k] == *cell(&s->promised, i, j);

        for (int since = *cell(&s->since, i, j) + 1; !good && since <= version; since++)
            good = buf[k] == mp_number(since, i, j);
        if (!good)
            print_error("[%d, %d] is %d, %d was promised\n", (int)i, (int)j, (int)buf[k], *cell(&s->promised, i, j));
        assert_true(good);
    }
}

/* ---- an array ---- */

static struct plane grown(int axis, int64_t by, bool low)
{
    struct plane after;

    give_bounds(&after, &plain.now);
    *(low ? &after.lower[axis] : &after.upper[axis]) += low ? -by : by;
    return after;
}

static bool has_room(const struct plane *p, int axis, int64_t by)
{
    return p->upper[axis] - p->lower[axis] + by <= MOST && p->lower[axis] - by > -MIDDLE &&
           p->upper[axis] + by < MIDDLE;
}

static void extend(int axis, int64_t by, bool low)
{
    const struct plane after = grown(axis, by, low);

    assert_ok(low ? drxmp_extend_before(plain.m, axis, by) : drxmp_extend(plain.m, axis, by));
    give_bounds(&plain.now, &after);
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
    *piece = buf;
    return DRX_OK;
}

static void append(int axis, int64_t by, bool low, bool fails)
{
    const struct plane after = grown(axis, by, low);
    struct mp_box box = whole_of(&after);
    struct slab slab = { .by = by, .fails = fails };
    drx_status st;

    version++;
    box.count[axis] = by;
    if (!low)
        box.lo[axis] = plain.now.upper[axis];
    slab.mine = mp_part(1 - axis, box);
    mp_number_box(version, &slab.mine, buf);
    st = low ? drxmp_prepend_pieces(plain.m, axis, by, DRX_ROW_MAJOR, next_piece, &slab)
             : drxmp_append_pieces(plain.m, axis, by, DRX_ROW_MAJOR, next_piece, &slab);
    assert_int_equal(st, fails ? DRX_EIO : DRX_OK);
    if (fails) {
        forget_outside(&plain);
        return;
    }
    give_bounds(&plain.now, &after);
    model_write(&plain.now, &box);
}

static void trim(int axis, int64_t before, int64_t after)
{
    assert_ok(drxmp_trim(plain.m, axis, before, after));
    plain.now.lower[axis] += before;
    plain.now.upper[axis] -= after;
    forget_outside(&plain);
}

static void promise(drx_status (*call)(drxmp_array *m))
{
    assert_ok(call(plain.m));
    model_promise(&plain);
}

static void play(void)
{
    const int64_t what = mp_below(12), by = 1 + mp_below(4);
    const int axis = (int)mp_below(2);
    const bool low = mp_below(3) == 0, room = has_room(&plain.now, axis, by);

    if (what < 4)
        write_alone(&plain);
    else if (what == 4)
        write_together(&plain);
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

        cut_table(&plain, &random);
        assert_ok(drx_open("cut", DRX_RDWR, &a));
        assert_survived(&plain, a, &plain.now);
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

        version = 0;
        plain = (struct subject){ .path = "plain", .cut = "cut" };
        model_start(&plain);
        plain.m = mp_create("plain", &spec);
        check(&plain);
        for (int i = 0; i < STEPS; i++) {
            play();
            check(&plain);
            if (mp_below(4) == 0)
                cut_power_of_array();
            if (mp_below(15) == 0) {
                assert_ok(drxmp_close(plain.m));
                plain.m = mp_open("plain", DRX_RDWR);
                model_promise(&plain);
                check(&plain);
            }
        }
        assert_elements(&plain);
        assert_ok(drxmp_close(plain.m));
        mp_remove("plain");
    }
}

/* ---- a dataset ---- */

static void extend_both(drxmp_dataset *d, int axis, int64_t by, bool low)
{
    const char *dim = axis ? "lon" : "time";

    if (!has_room(&u.now, axis, by))
        return;
    assert_ok(low ? drxmp_dataset_extend_before(d, dim, by) : drxmp_dataset_extend(d, dim, by));
    *(low ? &u.now.lower[axis] : &u.now.upper[axis]) += low ? -by : by;
    give_bounds(&v.now, &u.now);
}

static void abort_both(drxmp_dataset *d)
{
    struct subject *const both[] = { &u, &v };

    assert_ok(drxmp_dataset_abort(d));
    for (int i = 0; i < 2; i++) {
        give_bounds(&both[i]->now, &both[i]->promised);
        set_outside(&both[i]->now, &both[i]->promised, FILL);
    }
}

static void play_transaction(drxmp_dataset *d)
{
    const int64_t what = mp_below(10), by = 1 + mp_below(4);
    const int axis = (int)mp_below(2);
    const bool low = mp_below(3) == 0;

    if (what < 4) {
        write_alone(what % 2 ? &v : &u);
    } else if (what == 4) {
        write_together(mp_below(2) ? &v : &u);
    } else if (what < 7) {
        assert_ok(drxmp_dataset_commit(d, what == 5 ? NULL : "a message"));
        model_promise(&u);
        model_promise(&v);
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
            cut_table(both[i], &random);
        assert_ok(drx_dataset_open("cut", DRX_RDWR, DRX_LAST, &ds));
        for (int i = 0; i < 2; i++) {
            drx_array *a;

            assert_ok(drx_dataset_array(ds, i ? "v" : "u", &a));
            assert_survived(both[i], a, &both[i]->promised);
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
    version = 0;
    u = (struct subject){ .path = "many/u", .cut = "cut/u" };
    v = (struct subject){ .path = "many/v", .cut = "cut/v" };
    model_start(&u);
    model_start(&v);
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
            check(&u);
            check(&v);
            play_transaction(d);
            if (mp_below(4) == 0) {
                check(&u);
                check(&v);
                cut_power_of_dataset();
            }
        }
        check(&u);
        check(&v);
        assert_elements(&u);
        assert_elements(&v);
        assert_ok(drxmp_dataset_close(d));
    }
}
