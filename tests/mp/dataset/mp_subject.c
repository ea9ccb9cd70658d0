#include "mp_subject.h"
#include "mp/mp.h"

int subject_version;
int32_t subject_buf[SIDE * SIDE];

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
void plane_set_outside(struct plane *p, const struct plane *bounds, int32_t value)
{
    for (int64_t i = -MIDDLE; i < MIDDLE; i++)
        for (int64_t j = -MIDDLE; j < MIDDLE; j++)
            if (!is_inside(bounds, i, j))
                *cell(p, i, j) = value;
}

/* What was outside the bounds does not come back when growth uncovers it, whatever a power cut takes. */
void subject_forget_outside(struct subject *s)
{
    plane_set_outside(&s->now, &s->now, FILL);
    plane_set_outside(&s->promised, &s->now, FILL);
    plane_set_outside(&s->since, &s->now, subject_version);
}

void plane_give_bounds(struct plane *p, const struct plane *from)
{
    memcpy(p->lower, from->lower, sizeof p->lower);
    memcpy(p->upper, from->upper, sizeof p->upper);
}

struct mp_box plane_whole(const struct plane *p)
{
    struct mp_box box = { .step = { 0, 0 } };

    for (int j = 0; j < 2; j++) {
        box.lo[j] = p->lower[j];
        box.count[j] = p->upper[j] - p->lower[j];
    }
    return box;
}

void plane_write(struct plane *p, const struct mp_box *box)
{
    for (int64_t k = 0; k < mp_box_size(box); k++)
        *cell(p, mp_row(box, k), mp_column(box, k)) = mp_number(subject_version, mp_row(box, k), mp_column(box, k));
}

void subject_promise(struct subject *s)
{
    s->promised = s->now;
    plane_set_outside(&s->since, &(struct plane){ .upper = { 0, 0 } }, subject_version);
}

void subject_start(struct subject *s)
{
    const struct plane made = { .upper = { 5, 7 } };

    s->now = made;
    plane_set_outside(&s->now, &(struct plane){ .upper = { 0, 0 } }, FILL);
    s->epoch = -1;
    subject_promise(s);
}

bool plane_has_room(const struct plane *p, int axis, int64_t by)
{
    return p->upper[axis] - p->lower[axis] + by <= MOST && p->lower[axis] - by > -MIDDLE &&
           p->upper[axis] + by < MIDDLE;
}

/* ---- calls ---- */

struct mp_box subject_draw_within(struct mp_box box)
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
void subject_write_alone(struct subject *s)
{
    subject_version++;
    for (int rank = 0; rank < mp_ranks; rank++) {
        const bool writes = mp_below(3) > 0;
        const struct mp_box box = subject_draw_within(mp_part_of(rank, 0, plane_whole(&s->now)));

        if (!writes)
            continue;
        plane_write(&s->now, &box);
        mp_number_box(subject_version, &box, subject_buf);
        if (rank == mp_rank && mp_box_size(&box) > 0)
            assert_ok(drxmp_write(s->m, box.lo, box.count, DRX_ROW_MAJOR, subject_buf));
    }
    (void)MPI_Barrier(mp_comm);
}

void subject_write_together(struct subject *s)
{
    const struct mp_box whole = subject_draw_within(plane_whole(&s->now)), mine = mp_part(1, whole);

    subject_version++;
    plane_write(&s->now, &whole);
    mp_number_box(subject_version, &mine, subject_buf);
    assert_ok(mp_write_all(s->m, &mine, subject_buf));
}

void subject_assert_elements(struct subject *s)
{
    const struct mp_box whole = plane_whole(&s->now);

    assert_ok(mp_read_all(s->m, &whole, subject_buf));
    for (int64_t k = 0; k < mp_box_size(&whole); k++)
        assert_int_equal(subject_buf[k], *cell(&s->now, mp_row(&whole, k), mp_column(&whole, k)));
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
    drx_array *a;
    int64_t epoch;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    epoch = drxi_state_of(a)->epoch;
    assert_ok(drx_close(a));
    return epoch;
}

static void entry_of(const struct drxi_pack *p, const struct bytes *table, int64_t q, struct drxi_entry *e)
{
    memset(e->bytes, 0, sizeof e->bytes);
    if ((q + 1) * DRXI_ENTRY_BYTES <= (int64_t)table->n)
        memcpy(e->bytes, table->p + q * DRXI_ENTRY_BYTES, sizeof e->bytes);
    drxi_entry_decode(p, q, e);
}

static bool same_half(const struct drxi_entry *a, const struct drxi_entry *b, int k)
{
    return memcmp(a->bytes + k * DRXI_HALF_BYTES, b->bytes + k * DRXI_HALF_BYTES, DRXI_HALF_BYTES) == 0;
}

/* What has changed since the SYNC is not promised, and the half that counted then is still there, unless what followed
 * it has become durable since. */
static void check_entry(const struct subject *s, int64_t q, const struct drxi_entry *before, const struct drxi_entry *e)
{
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(s->m))->file->pack;
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
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(s->m))->file->pack;
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

void subject_check(struct subject *s)
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

void subject_cut_table(const struct subject *s, uint64_t *random)
{
    const struct drxi_pack *p = drxi_data_of(drxmp_serial(s->m))->file->pack;
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
void subject_assert_survived(struct subject *s, drx_array *a, const struct plane *bounds)
{
    const struct mp_box whole = plane_whole(bounds);

    for (int j = 0; j < 2; j++) {
        assert_int_equal(drx_lower(a)[j], whole.lo[j]);
        assert_int_equal(drx_shape(a)[j], whole.count[j]);
    }
    assert_ok(drx_read(a, whole.lo, whole.count, DRX_ROW_MAJOR, subject_buf));
    for (int64_t k = 0; k < mp_box_size(&whole); k++) {
        const int64_t i = mp_row(&whole, k), j = mp_column(&whole, k);
        bool good = subject_buf[k] == *cell(&s->promised, i, j);

        for (int since = *cell(&s->since, i, j) + 1; !good && since <= subject_version; since++)
            good = subject_buf[k] == mp_number(since, i, j);
        if (!good)
            print_error("[%d, %d] is %d, %d was promised\n", (int)i, (int)j, (int)subject_buf[k],
                        *cell(&s->promised, i, j));
        assert_true(good);
    }
}
