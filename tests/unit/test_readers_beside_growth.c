/* Threads read all the time while the main thread grows the array at both ends of its axes, trims it, syncs it, and
 * sets its attributes and names. Every element is a function of its index, so a read that takes bounds of one moment
 * and elements of another is seen.
 *
 *   DRX_SEED       repeats a run
 *   DRX_MODEL_OPS  changes in each run, default 60 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "testing.h"

enum { AXES = 3, HANDLES = 2, THREADS = 4, MOST = 60, SPAN = 900, ROOM = MOST * MOST * 4, CHANGES = 60, NEVER = -1 };

struct box {
    int64_t lo[AXES], count[AXES];
};

/* A handle, and the box that it must be able to read. Main shrinks it before a trim and widens it after a growth. */
struct handle {
    drx_array *a;
    struct box safe;
};

struct reader {
    pthread_t thread;
    struct handle *handle;
    uint64_t seed;
    atomic_long reads;
    int64_t at; /* of its walk */
    int64_t buf[ROOM];
    char wrong[300]; /* empty: nothing is */
};

static struct {
    uint64_t seed;
    struct handle handle[HANDLES]; /* the first one changes the array; so does the second one, if they share it */
    int handles;
    bool shared, temporary;
    int64_t fill;
    struct box now; /* the bounds; main's */
    int ndim;       /* main's */
    struct reader reader[THREADS];
} run;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of `safe` */
static long trims;                                       /* begun */
static bool flat = true;                                 /* the array has two axes, and will have for a while */
static atomic_bool stop, hurry;                          /* hurry: only requests, without a pause */

static int64_t below(int64_t n)
{
    return random_below(&run.seed, n);
}

/* Odd, so neither a fill nor what the system gives for a hole. */
static int64_t element(const int64_t index[AXES])
{
    return 2 * (((index[0] + SPAN) * 2 * SPAN + index[1] + SPAN) * 8 + index[2]) + 1;
}

static int64_t volume(const struct box *b)
{
    return b->count[0] * b->count[1] * b->count[2];
}

static bool contains(const struct box *outer, const struct box *b)
{
    for (int j = 0; j < AXES; j++)
        if (b->lo[j] < outer->lo[j] || b->lo[j] + b->count[j] > outer->lo[j] + outer->count[j])
            return false;
    return true;
}

/* ---- readers ---- */

static struct box look(const struct reader *r, long *trims_then, bool *flat_then)
{
    struct box safe;

    pthread_mutex_lock(&lock);
    safe = r->handle->safe;
    *trims_then = trims;
    *flat_then = flat;
    pthread_mutex_unlock(&lock);
    return safe;
}

static bool trimmed_since(long trims_then)
{
    bool since;

    pthread_mutex_lock(&lock);
    since = trims != trims_then;
    pthread_mutex_unlock(&lock);
    return since;
}

static bool has_got_axis(void)
{
    bool has;

    pthread_mutex_lock(&lock);
    has = !flat;
    pthread_mutex_unlock(&lock);
    return has;
}

static void say(struct reader *r, const struct box *b, const char *what, drx_status st, int64_t got, int64_t want)
{
    snprintf(r->wrong, sizeof r->wrong,
             "%s from %d,%d,%d of %d,%d,%d: status %d (%s), element %lld, not %lld; read %ld of reader %d, %s", what,
             (int)b->lo[0], (int)b->lo[1], (int)b->lo[2], (int)b->count[0], (int)b->count[1], (int)b->count[2], (int)st,
             st ? drx_last_error() : "", (long long)got, (long long)want, atomic_load(&r->reads), (int)(r - run.reader),
             has_got_axis() ? "three axes" : "two axes");
}

/* A fill is right only where a trim has taken the element away and a growth brought the place back. */
static void check(struct reader *r, const struct box *b, const int64_t value, const int64_t index[], const char *what,
                  long trims_then)
{
    const int64_t want = element(index);

    if (value != want && !(value == run.fill && trimmed_since(trims_then)))
        say(r, b, what, DRX_OK, value, want);
}

static drx_status read_async(drx_array *a, const struct box *b, drx_order order, int64_t *buf)
{
    const drx_box box = { .lo = b->lo, .count = b->count, .order = order };
    drx_request *req;
    drx_status st = drx_read_async(a, &box, buf, &req);

    return st ? st : drx_wait(req);
}

/* Every second index of each axis. */
static drx_status read_steps(drx_array *a, struct box *b, int64_t *buf)
{
    static const int64_t step[AXES] = { 2, 2, 1 };
    const drx_box box = { .lo = b->lo, .count = b->count, .step = step, .order = DRX_ROW_MAJOR };

    for (int j = 0; j < 2; j++)
        b->count[j] = (b->count[j] + 1) / 2;
    return drx_read_box(a, &box, buf);
}

static void read_box(struct reader *r, struct box b, const struct box *safe, long trims_then)
{
    static const char *const names[] = { "a box", "a box in steps", "a request" };
    const bool inside = contains(safe, &b);
    const int how = atomic_load(&hurry) ? 2 : (int)random_below(&r->seed, 3);
    const drx_order order = how != 1 && random_below(&r->seed, 2) ? DRX_COL_MAJOR : DRX_ROW_MAJOR;
    int64_t i[AXES] = { 0 };
    drx_status st;

    memset(r->buf, 0, (size_t)volume(&b) * sizeof *r->buf);
    st = how == 0   ? drx_read(r->handle->a, b.lo, b.count, order, r->buf)
         : how == 1 ? read_steps(r->handle->a, &b, r->buf)
                    : read_async(r->handle->a, &b, order, r->buf);
    if (how == 2 && st == DRX_EMISMATCH && has_got_axis()) /* since it was begun */
        return;
    if (st && (st != DRX_ERANGE || (inside && !trimmed_since(trims_then))))
        say(r, &b, names[how], st, 0, 0);
    if (st || volume(&b) == 0)
        return;
    do {
        const int64_t step = how == 1 ? 2 : 1,
                      index[AXES] = { b.lo[0] + i[0] * step, b.lo[1] + i[1] * step, b.lo[2] + i[2] };
        const int64_t at = order == DRX_ROW_MAJOR ? (i[0] * b.count[1] + i[1]) * b.count[2] + i[2]
                                                  : (i[2] * b.count[1] + i[1]) * b.count[0] + i[0];

        check(r, &b, r->buf[at], index, names[how], trims_then);
    } while (!r->wrong[0] && next_index(AXES, b.count, i));
}

static struct box draw_inside(struct reader *r, const struct box *safe)
{
    struct box b;

    for (int j = 0; j < AXES; j++) {
        const int64_t from = random_below(&r->seed, safe->count[j]);

        b.lo[j] = safe->lo[j] + from;
        b.count[j] = 1 + random_below(&r->seed, safe->count[j] - from);
    }
    return b;
}

/* Rows that may just be coming: all of them are appended with their elements. */
static void stick_out(struct reader *r, struct box *b)
{
    const int64_t more = 1 + random_below(&r->seed, 3);

    b->lo[0] -= random_below(&r->seed, 2) ? more : 0;
    b->count[0] += b->count[0] + more <= MOST ? more : 0;
}

static void read_element(struct reader *r, const struct box *safe, long trims_then)
{
    struct box b = draw_inside(r, safe);
    int64_t value = 0;
    drx_status st;

    for (int j = 0; j < AXES; j++)
        b.count[j] = 1;
    st = drx_get(r->handle->a, b.lo, &value);
    if (st && (st != DRX_ERANGE || !trimmed_since(trims_then)))
        say(r, &b, "an element", st, 0, 0);
    else if (!st)
        check(r, &b, value, b.lo, "an element", trims_then);
}

static void read_points(struct reader *r, const struct box *safe, long trims_then)
{
    enum { POINTS = 40 };
    int64_t indices[POINTS][2], values[POINTS] = { 0 };
    struct box b = *safe;
    drx_status st;

    for (int i = 0; i < POINTS; i++) {
        b = draw_inside(r, safe);
        memcpy(indices[i], b.lo, sizeof indices[i]);
    }
    st = drx_read_points(r->handle->a, POINTS, indices[0], values);
    if (st && (st != DRX_ERANGE || !trimmed_since(trims_then)))
        say(r, &b, "points", st, 0, 0);
    for (int i = 0; !st && !r->wrong[0] && i < POINTS; i++) {
        const int64_t index[AXES] = { indices[i][0], indices[i][1], 0 };

        check(r, &b, values[i], index, "points", trims_then);
    }
}

/* The next rows of those that are there, as a program that walks through the array. */
static void walk(struct reader *r, const struct box *safe, long trims_then)
{
    struct box b = *safe;

    if (r->at < b.lo[0] || r->at >= b.lo[0] + b.count[0])
        r->at = b.lo[0];
    b.count[0] = b.lo[0] + b.count[0] - r->at > 2 ? 2 : 1;
    b.lo[0] = r->at;
    r->at += b.count[0];
    read_box(r, b, safe, trims_then);
}

static void read_something(struct reader *r)
{
    const int how = atomic_load(&hurry) ? 5 : (int)random_below(&r->seed, 6);
    long trims_then;
    bool flat_then;
    const struct box safe = look(r, &trims_then, &flat_then);
    struct box b;

    if (volume(&safe) == 0)
        return;
    if (how < 2) {
        read_element(r, &safe, trims_then);
    } else if (how == 2 && flat_then) {
        read_points(r, &safe, trims_then);
    } else if (how == 3) {
        walk(r, &safe, trims_then);
    } else {
        b = draw_inside(r, &safe);
        if (how == 4)
            stick_out(r, &b);
        read_box(r, b, &safe, trims_then);
    }
}

static void *keep_reading(void *arg)
{
    struct reader *r = arg;

    while (!atomic_load(&stop) && !r->wrong[0]) {
        read_something(r);
        atomic_fetch_add(&r->reads, 1);
        if (!atomic_load(&hurry))
            (void)sched_yield(); /* with few processors main would wait for its turn */
    }
    atomic_store(&r->reads, LONG_MAX / 2); /* nobody waits for it */
    return NULL;
}

/* Until every reader has begun another read, and ended it. */
static void let_them_read(void)
{
    long before[THREADS];

    for (int i = 0; i < THREADS; i++)
        before[i] = atomic_load(&run.reader[i].reads);
    for (int i = 0; i < THREADS; i++)
        while (atomic_load(&run.reader[i].reads) < before[i] + 2 && before[i] < LONG_MAX / 4)
            (void)sched_yield();
}

/* ---- changes ---- */

/* The handle knows the bounds of now. */
static void widen(struct handle *h)
{
    pthread_mutex_lock(&lock);
    h->safe = run.now;
    pthread_mutex_unlock(&lock);
}

/* What a trim leaves, for all handles, before it comes. */
static void narrow(int axis, int64_t before, int64_t after)
{
    const int64_t lo = run.now.lo[axis] + before, end = run.now.lo[axis] + run.now.count[axis] - after;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < run.handles; i++) {
        struct box *s = &run.handle[i].safe;
        const int64_t s_end = s->lo[axis] + s->count[axis] < end ? s->lo[axis] + s->count[axis] : end;

        s->lo[axis] = s->lo[axis] > lo ? s->lo[axis] : lo;
        s->count[axis] = s_end > s->lo[axis] ? s_end - s->lo[axis] : 0;
    }
    trims++;
    pthread_mutex_unlock(&lock);
}

static struct handle *writer(void)
{
    return &run.handle[run.shared ? below(run.handles) : 0];
}

static int64_t *elements_of(const struct box *b)
{
    static int64_t values[ROOM];
    int64_t i[AXES] = { 0 }, n = 0;

    do
        values[n++] = element((const int64_t[]){ b->lo[0] + i[0], b->lo[1] + i[1], b->lo[2] + i[2] });
    while (next_index(AXES, b->count, i));
    return values;
}

/* The slab by which an axis is to grow, as far as there is room; count 0: not at all. */
static struct box draw_slab(int axis, bool low)
{
    struct box slab = run.now;
    const int64_t most = axis == 2 ? 3 : MOST, by = 1 + below(axis == 2 ? 1 : 9);
    const int64_t end = slab.lo[axis] + slab.count[axis], room = low ? SPAN + slab.lo[axis] : SPAN - end;

    slab.lo[axis] = low ? slab.lo[axis] - by : end;
    slab.count[axis] = run.now.count[axis] + by <= most && by <= room ? by : 0;
    return slab;
}

static void grow_now(struct handle *h, int axis, bool low, int64_t by)
{
    run.now.lo[axis] -= low ? by : 0;
    run.now.count[axis] += by;
    widen(h);
}

struct pieces {
    struct box left;
    int axis;
    int64_t until; /* an index after which there is no more; NEVER: all come */
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct pieces *p = with;
    struct box piece = p->left;

    if (p->until != NEVER && done >= p->until)
        return DRX_EINTERRUPTED;
    if (piece.count[p->axis] == 0)
        return DRX_OK;
    piece.count[p->axis] = *n = 1;
    p->left.lo[p->axis]++;
    p->left.count[p->axis]--;
    *buf = elements_of(&piece);
    return DRX_OK;
}

static drx_status append_slab(drx_array *a, int axis, bool low, const struct box *slab, bool pieces, int64_t until)
{
    struct pieces p = { *slab, axis, until };

    if (pieces)
        return (low ? drx_prepend_pieces : drx_append_pieces)(a, axis, slab->count[axis], DRX_ROW_MAJOR, next_piece,
                                                              &p);
    return (low ? drx_prepend : drx_append)(a, axis, slab->count[axis], DRX_ROW_MAJOR, elements_of(slab));
}

/* With the elements: nobody sees another one of these cells. A sharer that does not know the other axes learns them. */
static void append(int axis)
{
    const bool low = below(2), pieces = below(2);
    const struct box slab = draw_slab(axis, low);
    const int64_t by = slab.count[axis], until = !pieces || below(3) ? NEVER : below(by + 1);
    struct handle *const h = writer();
    drx_status st;

    if (by == 0)
        return;
    st = append_slab(h->a, axis, low, &slab, pieces, until);
    if (st == DRX_EMISMATCH && run.shared)
        st = append_slab(h->a, axis, low, &slab, pieces, until);
    assert_status(st, until == NEVER ? DRX_OK : DRX_EINTERRUPTED);
    if (until == NEVER)
        grow_now(h, axis, low, by);
    else if (run.shared)
        widen(h);
}

/* Columns come empty. Nobody reads them until they are written. */
static void extend(void)
{
    const bool low = below(2), reserve = below(2);
    const struct box slab = draw_slab(1, low);
    const int64_t by = slab.count[1];
    struct handle *const h = writer();
    int64_t lo[AXES], count[AXES], i[AXES] = { 0 };
    const int64_t *values;

    if (by == 0)
        return;
    assert_ok(reserve ? (low ? drx_reserve_before : drx_reserve)(h->a, 1, by, lo, count)
                      : (low ? drx_extend_before : drx_extend)(h->a, 1, by));
    values = elements_of(&slab);
    if (volume(&slab) > 60 || below(2)) {
        assert_ok(drx_write(h->a, slab.lo, slab.count, DRX_ROW_MAJOR, values));
    } else {
        do
            assert_ok(drx_put(h->a, (int64_t[]){ slab.lo[0] + i[0], slab.lo[1] + i[1], slab.lo[2] + i[2] }, values++));
        while (next_index(AXES, slab.count, i));
        if (run.handles > 1) /* or the other one would not see them */
            assert_ok(drx_sync(h->a));
    }
    grow_now(h, 1, low, by);
}

static void trim(void)
{
    const int axis = (int)below(2);
    const int64_t spare = run.now.count[axis] - 8, most = below(4) || spare < 8 ? 6 : spare;
    const int64_t before = below(2) ? below(most + 1) : 0, after = below(2) ? below(most + 1) : 0;
    struct handle *const h = writer();

    if (before + after > spare)
        return;
    narrow(axis, before, after);
    assert_ok(drx_trim(h->a, axis, before, after));
    run.now.lo[axis] += before;
    run.now.count[axis] -= before + after;
    widen(h);
}

/* Readers of lists pass two indices a point, so they stop before. */
static void add_axis(void)
{
    pthread_mutex_lock(&lock);
    flat = false;
    pthread_mutex_unlock(&lock);
    atomic_store(&hurry, true);
    let_them_read();
    assert_ok(drx_add_axis(run.handle[0].a, 2, "run"));
    let_them_read();
    atomic_store(&hurry, false);
    run.ndim = 3;
}

static void look_anew(void)
{
    for (int i = 0; i < run.handles; i++) {
        assert_status(drx_refresh(run.handle[i].a), i > 0 && run.ndim == 3 ? DRX_EMISMATCH : DRX_OK);
        if (i == 0 || run.ndim == 2)
            widen(&run.handle[i]);
    }
}

static void name(void)
{
    drx_array *const a = run.handle[0].a;
    int64_t text[8];

    for (int i = 0; i < 8; i++)
        text[i] = below(1000);
    if (below(3))
        assert_ok(drx_attr_set(a, below(2) ? "one" : "other", DRX_INT64, 1 + below(8), text));
    else
        assert_ok(drx_dim_rename(a, (int)below(2), below(2) ? "x" : "y"));
    widen(&run.handle[0]);
}

static void settle(void)
{
    struct handle *const h = writer();

    if (below(3)) {
        assert_ok(drx_sync(h->a));
        if (run.shared)
            widen(h);
    } else if (below(2)) {
        assert_ok(drx_set_pool(h->a, (size_t)below(3) * 3000));
    } else if (!run.shared && !run.temporary) {
        assert_ok(drx_compact(h->a));
        look_anew(); /* who misses two of them may have missed a trim */
    }
}

static void change(int64_t i, int64_t n)
{
    const int what = (int)below(16);

    if (i == n * 3 / 4 && !run.shared)
        add_axis();
    else if (what < 5)
        append(0);
    else if (what < 6)
        append(run.ndim - 1);
    else if (what < 9)
        extend();
    else if (what < 12)
        trim();
    else if (what < 13)
        look_anew();
    else if (what < 14)
        name();
    else
        settle();
}

static void begin(const drx_spec *spec, const char *path, int handles, bool shared)
{
    run.now = (struct box){ { 0, 0, 0 }, { 12, 12, 1 } };
    run.ndim = 2;
    run.handles = handles;
    run.shared = shared;
    run.temporary = spec->flags & DRX_TEMPORARY;
    trims = 0;
    flat = true;
    atomic_store(&stop, false);
    assert_ok(drx_create(path, spec, &run.handle[0].a));
    assert_ok(drx_write(run.handle[0].a, run.now.lo, run.now.count, DRX_ROW_MAJOR, elements_of(&run.now)));
    if (shared) {
        assert_ok(drx_close(run.handle[0].a));
        assert_ok(drx_open(path, DRX_SHARED, &run.handle[0].a));
    }
    if (handles > 1)
        assert_ok(drx_open(path, shared ? DRX_SHARED : DRX_RDONLY, &run.handle[1].a));
    for (int i = 0; i < handles; i++)
        widen(&run.handle[i]);
}

static void end(void)
{
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(run.reader[i].thread, NULL), 0);
    for (int i = run.handles - 1; i >= 0; i--)
        assert_ok(drx_close(run.handle[i].a));
    for (int i = 0; i < THREADS; i++)
        if (run.reader[i].wrong[0])
            fail_msg("%s", run.reader[i].wrong);
}

/* Readers use the handle that changes, or also one that only reads, or two that share the array. */
static void play(const drx_spec *spec, const char *path, int handles, bool shared)
{
    const char *text = getenv("DRX_MODEL_OPS");
    const int64_t n = text ? strtoll(text, NULL, 10) : CHANGES;

    run.fill = 2 * below(2);
    drxi_hooks.way = (int)below(DRXI_MAPPED + 1);
    drxi_hooks.long_bytes = below(2) * 500;
    begin(spec, path, handles, shared);
    for (int i = 0; i < THREADS; i++) {
        struct reader *r = &run.reader[i];

        r->handle = &run.handle[i % handles];
        r->seed = run.seed + (uint64_t)i;
        r->wrong[0] = '\0';
        atomic_store(&r->reads, 0);
        assert_int_equal(pthread_create(&r->thread, NULL, keep_reading, r), 0);
    }
    for (int64_t i = 0; i < n; i++) {
        change(i, n);
        if (i % 4 == 0)
            let_them_read();
    }
    end();
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.long_bytes = 1 << 20;
}

static void play_all(drx_spec spec, const char *path)
{
    static const int64_t shape[2] = { 12, 12 }, chunk[2] = { 5, 7 };

    run.seed = starting_seed(0);
    spec.ndim = 2;
    spec.type = DRX_INT64;
    spec.shape = shape;
    spec.chunk = chunk;
    spec.fill = &run.fill;
    spec.flags |= path ? DRX_REPLACE : 0;
    play(&spec, path, 1, false);
    if (path && !run.temporary) {
        play(&spec, path, 2, false);
        play(&spec, path, 2, true);
    }
}

TEST(raw)
{
    play_all((drx_spec){ .flags = 0 }, "raw");
}

TEST(checksummed)
{
    play_all((drx_spec){ .flags = DRX_CHECKSUM }, "checksummed");
}

TEST(verified)
{
    drx_set_verify(1);
    play_all((drx_spec){ .flags = DRX_CHECKSUM }, "verified");
    drx_set_verify(0);
}

TEST(compressed)
{
    play_all((drx_spec){ .codec = DRX_LZ4 }, "compressed");
}

static const char *const folders[] = { ".", ".", "." };

TEST(striped)
{
    play_all((drx_spec){ .nstripes = 3, .stripes = folders }, "striped");
}

TEST(striped_and_checksummed)
{
    play_all((drx_spec){ .nstripes = 2, .stripes = folders, .flags = DRX_CHECKSUM }, "both");
}

TEST(temporary)
{
    play_all((drx_spec){ .flags = DRX_TEMPORARY }, "temporary");
}

TEST(in_memory)
{
    play_all((drx_spec){ .flags = 0 }, NULL);
}
