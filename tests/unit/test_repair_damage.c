/* Damages each byte, each record and random places of a log. drx_repair restores it, makes the same array by another
 * log, or changes nothing. It never makes another array. */
#include "repairing.h"

struct outcomes {
    int all, identical, same, torn, refused;
};

/* The end of the last record that is whole: what follows is a torn tail, which the next writer drops. */
static size_t end_of_whole(void)
{
    size_t end = (size_t)record_bytes(0);

    for (size_t at = 0; at < original.n; at += (size_t)record_bytes(at))
        if (memcmp(original.p + at, damaged.p + at, (size_t)record_bytes(at)) == 0)
            end = at + (size_t)record_bytes(at);
    return end;
}

/* What the array is without the torn tail. */
static void see_whole(size_t end, struct seen *want)
{
    static struct bytes prefix;

    prefix = original;
    prefix.n = end;
    store_bytes("r.xmd", prefix);
    see(want);
}

static void check_refusal(drx_status st)
{
    if (st != DRX_EDAMAGED && st != DRX_EFORMAT && st != DRX_EUNSUPPORTED)
        print_error("%d: %s\n", (int)st, found.text);
    assert_true(st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EUNSUPPORTED);
    assert_int_equal(after.n, damaged.n);
    for (size_t i = 0; i < after.n; i++) /* records that were proved are as they were */
        assert_true(after.p[i] == damaged.p[i] || after.p[i] == original.p[i]);
}

/* Zeros up to the end of a sector with no SYNC after them also count as a torn tail: the records after them were not
 * promised. An append at the end has been undone. */
static bool is_prefix(void)
{
    const int64_t end = (int64_t)after.n - (strstr(found.text, "not completed: undone") ? 32 : 0);

    for (size_t at = (size_t)record_bytes(0); at < original.n; at += (size_t)record_bytes(at))
        if ((int64_t)at >= end && drxi_get16(original.p + at + 12) == DRXI_SYNC &&
            memcmp(original.p + at, damaged.p + at, (size_t)record_bytes(at)) == 0)
            return false;
    return end < (int64_t)original.n && memcmp(after.p, original.p, (size_t)end) == 0 &&
           strstr(found.text, "torn tail");
}

/* Repair `damaged`, and look what became of it. */
static void try_damage(struct outcomes *o, const char *what, int64_t at)
{
    static struct seen now, want;
    const size_t end = end_of_whole();
    drx_status st;
    bool kept, good;

    store_bytes("r.xta", data);
    see_whole(end, &want);
    store_bytes("r.xmd", damaged);
    st = repair();
    o->all++;
    after = load("r.xmd");
    after_data = load("r.xta");
    kept =
        st || (memcmp(want.shape, before.shape, sizeof want.shape) == 0 && !is_prefix()); /* no growth was torn off */
    if (kept && !same_bytes(&data, &after_data))
        print_error("%s at %lld: other data (%d of %d bytes), status %d: %s\n", what, (long long)at, (int)after_data.n,
                    (int)data.n, (int)st, found.text);
    if (kept)
        assert_true(same_bytes(&data, &after_data));
    if (st) {
        check_refusal(st);
        o->refused++;
        return;
    }
    remove_kept();
    see(&now);
    good = same_array(&want, &now) || is_prefix();
    if (!good)
        print_error("%s at %lld: another array: %s\n", what, (long long)at, found.text);
    assert_true(good);
    o->identical += same_bytes(&original, &after);
    o->torn += end < original.n && !same_bytes(&original, &after);
    o->same += end == original.n && !same_bytes(&original, &after);
}

static void print_outcomes(const char *what, const struct outcomes *o)
{
    print_message("%s: %d tried; %d byte for byte, %d the same array by a new log, %d torn tails, "
                  "%d refused, 0 wrong\n",
                  what, o->all, o->identical, o->same, o->torn, o->refused);
}

static bool torture(void)
{
    return getenv("DRX_TORTURE") != NULL;
}

TEST(each_byte)
{
    static const uint8_t by[] = { 0x40, 0xff, 0x01 };
    struct outcomes o = { 0 };

    make_all_kinds();
    remember();
    for (size_t at = 0; at < original.n; at++)
        for (size_t i = 0; i < sizeof by + 1; i++) {
            if (!torture() && (at + i) % 7)
                continue;
            damaged = original;
            damaged.p[at] = i < sizeof by ? damaged.p[at] ^ by[i] : 0;
            try_damage(&o, "a byte", (int64_t)at);
        }
    print_outcomes("each byte changed", &o);
    assert_int_equal(o.refused, 0);
    assert_int_equal(o.same, 0);
    remove_kept();
}

TEST(each_record)
{
    struct outcomes o = { 0 };

    make_all_kinds();
    remember();
    for (size_t at = 0; at < original.n; at += (size_t)record_bytes(at))
        for (int how = 0; how < 4; how++) {
            const int64_t n = record_bytes(at);

            damaged = original;
            memset(damaged.p + at + (how == 3 ? n / 2 : 0), how == 1 ? 0xa5 : 0, (size_t)(how > 1 ? n / 2 : n));
            try_damage(&o, "a record", (int64_t)at);
        }
    print_outcomes("each record zeroed, overwritten, by half", &o);
    assert_true(o.identical > o.all / 3);
    remove_kept();
}

TEST(each_place)
{
    for (size_t n = torture() ? 8 : 32; n <= 512; n *= torture() ? 2 : 4) {
        struct outcomes o = { 0 };
        char what[64];

        make_all_kinds();
        remember();
        for (size_t at = 0; at < original.n; at += torture() ? 8 : n / 2) {
            damaged = original;
            memset(damaged.p + at, 0, drxi_min((int64_t)n, (int64_t)(original.n - at)));
            try_damage(&o, "zeros", (int64_t)at);
        }
        (void)snprintf(what, sizeof what, "%d bytes zeroed", (int)n);
        print_outcomes(what, &o);
        remove_kept();
    }
}

static void make_random(uint64_t *rng)
{
    int64_t shape[3], chunk[3];
    const drx_spec spec = { .ndim = 1 + (int)random_below(rng, 3),
                            .type = DRX_INT16,
                            .shape = shape,
                            .chunk = chunk,
                            .flags = DRX_REPLACE | (random_below(rng, 3) ? 0 : DRX_SHELL) };
    static const int16_t row[MOST_ELEMENTS] = { 1, 2, 3 };
    const int steps = 3 + (int)random_below(rng, 30);
    drx_array *a;

    for (int j = 0; j < 3; j++) {
        shape[j] = random_below(rng, 4);
        chunk[j] = 1 + random_below(rng, 4);
    }
    assert_ok(drx_create("r", &spec, &a));
    for (int i = 0; i < steps; i++) {
        const int axis = (int)random_below(rng, spec.ndim);
        const int64_t by = 1 + random_below(rng, 2);
        int64_t n = 1;

        for (int j = 0; j < spec.ndim; j++)
            n *= drx_shape(a)[j] + 2;
        switch (random_below(rng, 8)) {
        case 0:
            assert_ok(drx_sync(a));
            break;
        case 1:
            assert_ok(drx_attr_set_text(a, random_below(rng, 2) ? "a" : "bc", "text"));
            break;
        case 2:
            (void)drx_attr_delete(a, "a");
            break;
        case 3:
            assert_ok(drx_dim_rename(a, axis, random_below(rng, 2) ? "name" : ""));
            break;
        case 4:
            if (n < 4000)
                assert_ok(drx_append(a, axis, by, DRX_ROW_MAJOR, row));
            break;
        default:
            if (n < 4000)
                assert_ok(drx_extend(a, axis, by));
        }
    }
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void damage_random(uint64_t *rng)
{
    const int places = 1 + (int)random_below(rng, 3);

    damaged = original;
    for (int i = 0; i < places; i++) {
        const size_t at = (size_t)random_below(rng, (int64_t)original.n);
        const int64_t most = random_below(rng, 2) ? 4 : 200;
        const size_t n = (size_t)drxi_min(1 + random_below(rng, most), (int64_t)(original.n - at));
        const int how = (int)random_below(rng, 3);

        for (size_t k = at; k < at + n; k++)
            damaged.p[k] = how == 0 ? 0 : how == 1 ? (uint8_t)random_next(rng) : damaged.p[k] ^ 0x10;
    }
}

TEST(random_damage)
{
    const int rounds = torture() ? 100000 : 300;
    uint64_t rng = starting_seed(0);
    struct outcomes o = { 0 };

    for (int i = 0; i < rounds; i++) {
        if (i % 10 == 0) {
            make_random(&rng);
            remember();
        }
        damage_random(&rng);
        try_damage(&o, "random damage", i);
    }
    print_outcomes("random damage", &o);
}

/* A growth that is as its checksum says, and cannot be, since the bytes of its chunks overflow; another record follows. */
TEST(a_record_that_is_whole_and_cannot_be_is_not_put_back)
{
    const int64_t shape = 0, chunk = INT64_C(1) << 40;
    const struct drxi_growth growth = { 0, DRXI_HIGH, INT64_MAX, INT64_MAX };
    uint8_t *record;
    struct bytes log;
    uint32_t crc;
    drx_array *a;

    assert_ok(drx_create(
        "r", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = &shape, .chunk = &chunk, .flags = DRX_REPLACE }, &a));
    assert_ok(drx_close(a));
    log = load("r.xmd");
    assert_int_equal(log.n, drxi_desc_bytes(1));
    record = log.p + log.n;
    crc = drxi_record_seal(record, drxi_growth_encode(&growth, record + DRXI_RECORD_HEAD_BYTES), DRXI_GROW, 0, 1,
                           drxi_get32(log.p + 8));
    record += DRXI_RECORD_HEAD_BYTES + 16;
    (void)drxi_record_seal(record, drxi_name_encode("x", 1, record + DRXI_RECORD_HEAD_BYTES), DRXI_DIM_NAME, 0, 2, crc);
    log.n += 2 * DRXI_RECORD_HEAD_BYTES + 16 + 16;
    store_bytes("r.xmd", log);
    assert_status(repair(), DRX_EDAMAGED);
    assert_null(strstr(found.text, "put back"));
    assert_ok(drx_remove("r"));
    remove_kept();
}
