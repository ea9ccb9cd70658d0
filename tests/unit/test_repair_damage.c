/* Damages each byte, each record and random places of a log. drx_repair leaves the array as of the last record that
 * counts before the damage, or changes nothing. It never makes another array. */
#include "repairing.h"

struct outcomes {
    int all, whole, head, torn, cut, refused;
};

/* What the format says of `damaged`, by a comparison with the original. */
struct verdict {
    bool head;     /* it is damaged, */
    bool id;       /* and the creation id is */
    size_t end;    /* of the last record that counts before the first one that is damaged */
    bool promised; /* a SYNC follows that */
};

static bool is_damaged(size_t at, size_t n)
{
    return memcmp(original.p + at, damaged.p + at, n) != 0;
}

static struct verdict judge(void)
{
    struct verdict v = { .head = is_damaged(0, HEAD_BYTES),
                         .id = is_damaged(ID_AT, DRXI_STORE_ID_BYTES),
                         .end = DRXI_LOG_AT };
    size_t at = DRXI_LOG_AT;

    for (; at < original.n && !is_damaged(at, record_bytes(at)); at += record_bytes(at))
        if (counts(at))
            v.end = at + record_bytes(at);
    for (; at < original.n; at += record_bytes(at))
        v.promised = v.promised || (kind_of(at) == DRXI_LOG_SYNC && !is_damaged(at, record_bytes(at)));
    return v;
}

/* The array as it was when its log ended there. */
static void see_then(size_t end, struct seen *want)
{
    static struct bytes prefix;

    prefix = original;
    prefix.n = end;
    store_bytes("r.xmd", prefix);
    see(want);
    assert_true(has_elements_of(want, &before));
}

/* The repaired log: what counted, then records that its writer appended; everything else stays as it was. */
static void check_log(const struct verdict *v)
{
    const size_t kept = v->end < original.n ? v->end : after.n;
    size_t at = v->end;

    assert_memory_equal(after.p, original.p, HEAD_BYTES);
    assert_memory_equal(after.p + HEAD_BYTES, damaged.p + HEAD_BYTES, DRXI_LIVE_AT - HEAD_BYTES);
    if (v->end == original.n)
        assert_memory_equal(after.p + DRXI_LIVE_AT, damaged.p + DRXI_LIVE_AT, DRXI_LIVE_BYTES);
    assert_memory_equal(after.p + DRXI_LIVE_AT + DRXI_LIVE_BYTES, damaged.p + DRXI_LIVE_AT + DRXI_LIVE_BYTES,
                        DRXI_LOG_AT - DRXI_LIVE_AT - DRXI_LIVE_BYTES);
    assert_memory_equal(after.p + DRXI_LOG_AT, original.p + DRXI_LOG_AT, kept - DRXI_LOG_AT);
    for (; at < after.n; at += drxi_get32(after.p + at + 8))
        assert_true(after.p[at + 12] == DRXI_LOG_SYNC || after.p[at + 12] == DRXI_LOG_EPOCH);
    assert_int_equal(at, after.n);
}

static void check_refusal(drx_status st)
{
    assert_true(st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EUNSUPPORTED);
    assert_true(same_bytes(&damaged, &after));
    assert_true(has_data());
    assert_int_equal(remove_kept(), 0);
}

/* Repair `damaged`, and look what became of it. */
static void try_damage(struct outcomes *o, const char *what, int64_t at)
{
    static struct seen now, want;
    const struct verdict v = judge();
    const bool refused = v.end == DRXI_LOG_AT || v.id, whole = v.end == original.n;
    drx_status st;

    restore_data();
    if (!refused)
        see_then(v.end, &want);
    store_bytes("r.xmd", damaged);
    st = repair("r");
    after = load("r.xmd");
    if ((st != DRX_OK) != refused || (strstr(found.text, "and loses") != NULL) != (!refused && !whole && v.promised) ||
        (!refused && (strstr(found.text, "the head ") != NULL) != v.head))
        print_error("%s at %lld: status %d: %s\n", what, (long long)at, (int)st, found.text);
    assert_int_equal(st != DRX_OK, refused);
    o->all++;
    o->refused += refused;
    if (refused) {
        check_refusal(st);
        return;
    }
    assert_int_equal((strstr(found.text, "and loses") != NULL), !whole && v.promised);
    assert_int_equal((strstr(found.text, "the head ") != NULL), v.head);
    assert_int_equal(remove_kept(), !whole && v.promised);
    check_log(&v);
    if (whole)
        assert_true(has_data());
    see(&now);
    assert_true(same_array(&want, &now));
    grow_repaired(&now);
    o->whole += whole;
    o->head += v.head;
    o->torn += !whole && !v.promised;
    o->cut += !whole && v.promised;
}

static void print_outcomes(const char *what, const struct outcomes *o)
{
    print_message("%s: %d tried; %d logs whole (%d heads put back), %d torn tails, %d cut, %d refused, 0 wrong\n", what,
                  o->all, o->whole, o->head, o->torn, o->cut, o->refused);
}

static bool torture(void)
{
    return getenv("DRX_TORTURE") != NULL;
}

/* Of each part of the log: of those that nobody reads, few bytes. */
static size_t step_at(size_t at)
{
    const bool read =
        at < HEAD_BYTES || at >= DRXI_LOG_AT || (at >= DRXI_LIVE_AT && at < DRXI_LIVE_AT + DRXI_LIVE_BYTES);

    return torture() ? 1 : read ? 5 : 499;
}

TEST(each_byte)
{
    static const uint8_t by[] = { 0x40, 0xff, 0x01 };
    struct outcomes o = { 0 };

    make_all_kinds();
    remember();
    for (size_t at = 0; at < original.n; at += step_at(at))
        for (size_t i = at % 3; i < sizeof by; i += torture() ? 1 : 3) {
            damaged = original;
            damaged.p[at] ^= by[i];
            try_damage(&o, "a byte", (int64_t)at);
        }
    print_outcomes("each byte changed", &o);
    assert_true(o.whole > 0 && o.head > 0 && o.torn > 0 && o.cut > 0 && o.refused > 0);
}

TEST(each_record)
{
    struct outcomes o = { 0 };

    make_all_kinds();
    remember();
    for (size_t at = DRXI_LOG_AT; at < original.n; at += record_bytes(at))
        for (int how = 0; how < 4; how++) {
            const size_t n = record_bytes(at);

            damaged = original;
            memset(damaged.p + at + (how == 3 ? n / 2 : 0), how == 1 ? 0xa5 : 0, how > 1 ? n / 2 : n);
            try_damage(&o, "a record", (int64_t)at);
        }
    print_outcomes("each record zeroed, overwritten, by half", &o);
    assert_true(o.torn > 0 && o.cut > o.all / 2 && o.refused > 0);
}

TEST(each_place)
{
    for (size_t n = torture() ? 8 : 32; n <= 512; n *= torture() ? 2 : 4) {
        struct outcomes o = { 0 };
        char what[64];

        make_all_kinds();
        remember();
        for (size_t at = DRXI_LOG_AT; at < original.n; at += torture() ? 8 : n / 2) {
            damaged = original;
            memset(damaged.p + at, 0, (size_t)drxi_min((int64_t)n, (int64_t)(original.n - at)));
            try_damage(&o, "zeros", (int64_t)at);
        }
        (void)snprintf(what, sizeof what, "%d bytes zeroed", (int)n);
        print_outcomes(what, &o);
    }
}

static void change_at_random(drx_array *a, int ndim, uint64_t *rng)
{
    static const int16_t row[MOST_ELEMENTS] = { 1, 2, 3 };
    const int axis = (int)random_below(rng, ndim);
    const int64_t by = 1 + random_below(rng, 2);
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
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
        if (n < 2000)
            assert_ok(drx_append(a, axis, by, DRX_ROW_MAJOR, row));
        break;
    case 5:
        write_elements(a);
        break;
    default:
        if (n < 2000)
            assert_ok(drx_extend(a, axis, by));
    }
}

static void make_random(uint64_t *rng)
{
    static const drx_codec codecs[] = { ALL_CODECS };
    const int16_t fill = (int16_t)(random_below(rng, 2) * 99);
    int64_t shape[3], chunk[3];
    drx_spec spec = { .ndim = 1 + (int)random_below(rng, 3),
                      .type = DRX_INT16,
                      .shape = shape,
                      .chunk = chunk,
                      .fill = &fill,
                      .codec =
                          random_below(rng, 2) ? DRX_RAW : codecs[random_below(rng, sizeof codecs / sizeof *codecs)],
                      .flags = DRX_REPLACE | (random_below(rng, 3) ? 0 : DRX_SHELL) };
    const int steps = 3 + (int)random_below(rng, 30);
    drx_array *a;

    if (spec.codec == DRX_RAW && random_below(rng, 2))
        spec.flags |= DRX_CHECKSUM;
    for (int j = 0; j < 3; j++) {
        shape[j] = random_below(rng, 4);
        chunk[j] = 1 + random_below(rng, 4);
    }
    assert_ok(drx_create("r", &spec, &a));
    for (int i = 0; i < steps; i++)
        change_at_random(a, spec.ndim, rng);
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void damage_random(uint64_t *rng)
{
    const int places = 1 + (int)random_below(rng, 3);

    damaged = original;
    for (int i = 0; i < places; i++) {
        const size_t begin = random_below(rng, 8) ? DRXI_LOG_AT : 0, size = begin == 0 ? HEAD_BYTES : original.n;
        const size_t at = begin + (size_t)random_below(rng, (int64_t)(size - begin));
        const int64_t most = random_below(rng, 2) ? 4 : 200;
        const size_t n = (size_t)drxi_min(1 + random_below(rng, most), (int64_t)(original.n - at));
        const int how = (int)random_below(rng, 3);

        for (size_t k = at; k < at + n; k++)
            damaged.p[k] = how == 0 ? 0 : how == 1 ? (uint8_t)random_next(rng) : damaged.p[k] ^ 0x10;
    }
}

TEST(random_damage)
{
    const int rounds = torture() ? 100000 : 250;
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
