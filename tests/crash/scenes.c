#include "scenes.h"
#include "base/hooks.h"

#include "array/array.h"
#include "drx_tools.h"

/* A text of n letters, valid until the next call. */
static const char *text(char letter, int n)
{
    static char buf[2000];

    memset(buf, letter, (size_t)n);
    buf[n] = '\0';
    return buf;
}

static void write_box(struct history *h, int64_t i, int64_t j, int64_t n, int64_t m)
{
    do_write(h, (int64_t[]){ i, j, 0 }, (int64_t[]){ n, m, 1 });
}

static void put(struct history *h, int64_t i, int64_t j)
{
    do_put(h, (int64_t[]){ i, j, 0 });
}

/* An array with something in it, synced, and closed. */
static void make(struct history *h, const char *place)
{
    do_create(h, place, false);
    write_box(h, 0, 0, 3, 3);
    do_append(h, 0, 2);
    do_attr(h, "title", "made");
    do_sync(h);
    do_close(h);
}

static void create(struct history *h)
{
    do_create(h, "a", false);
    write_box(h, 0, 1, 3, 2);
    do_close(h);
    do_open(h, "a");
    do_sync(h);
    do_close(h);
}

static void replace(struct history *h)
{
    make(h, "a");
    do_create(h, "a", true);
    write_box(h, 1, 1, 2, 2);
    do_sync(h);
    do_close(h);
    do_create(h, "a", true);
    do_append(h, 1, 3);
    do_close(h);
}

static void grow(struct history *h)
{
    do_create(h, "a", false);
    do_extend(h, 0, 1);
    do_sync(h);
    write_box(h, 2, 1, 2, 3);
    do_extend(h, 1, 1);
    do_extend(h, 0, 4);
    do_sync(h);
    do_extend(h, 1, 5);
    write_box(h, 4, 3, 3, 4);
    do_extend(h, 0, 1);
    do_extend(h, 1, 1);
    do_close(h);
    do_open(h, "a");
    do_extend(h, 1, 2);
    do_extend(h, 0, 3);
    do_sync(h);
    do_close(h);
}

static void write(struct history *h)
{
    do_create(h, "a", false);
    do_sync(h);
    write_box(h, 0, 0, 3, 4);
    write_box(h, 1, 1, 2, 3);
    do_sync(h);
    write_box(h, 0, 2, 2, 2);
    put(h, 2, 3);
    put(h, 0, 0);
    put(h, 0, 0);
    do_sync(h);
    put(h, 1, 1);
    do_close(h);
    do_open(h, "a");
    put(h, 1, 2);
    do_append(h, 0, 2);
    put(h, 4, 0);
    do_sync(h);
    do_close(h);
}

static void append(struct history *h)
{
    do_create(h, "a", false);
    do_append(h, 0, 1);
    do_append(h, 1, 2);
    do_sync(h);
    do_append(h, 0, 3);
    do_append(h, 0, 1);
    do_append(h, 1, 1);
    do_sync(h);
    do_append(h, 1, 4);
    do_close(h);
    do_open(h, "a");
    do_append(h, 0, 1);
    do_append(h, 1, 1);
    do_sync(h);
    do_append(h, 0, 2);
    do_close(h);
}

static void attributes(struct history *h)
{
    do_create(h, "a", false);
    do_attr(h, "one", "first");
    do_sync(h);
    do_attr(h, "one", text('x', 700));
    do_attr(h, "two", "");
    do_dim(h, 0, "north");
    do_attr(h, "one", "changed");
    do_sync(h);
    do_attr(h, "two", NULL);
    do_dim(h, 1, "east");
    do_attr(h, "three", text('y', 1200));
    do_extend(h, 0, 2);
    do_attr(h, "one", NULL);
    do_close(h);
    do_open(h, "a");
    do_attr(h, "one", "again");
    do_sync(h);
    do_close(h);
}

/* A log of many records. Only the first is synced. */
static void long_log(struct history *h)
{
    do_create(h, "a", false);
    do_sync(h);
    for (int i = 0; i < 40; i++)
        if (i % 4 == 3)
            do_attr(h, "count", text((char)('a' + i % 26), 20 + i));
        else
            do_extend(h, i % 2, i % 7 == 0);
    do_close(h);
    do_open(h, "a");
    do_sync(h);
    do_close(h);
}

/* The log is made anew: when asked for, in a sync, and in opening. */
static void compact(struct history *h)
{
    const struct drxi_compaction usual = drxi_hooks.compaction;

    make(h, "a");
    do_open(h, "a");
    do_extend(h, 0, 1);
    do_attr(h, "title", "other");
    do_compact(h);
    do_append(h, 1, 1);
    do_sync(h);
    do_append(h, 1, 1);
    do_close(h);
    drxi_hooks.compaction = (struct drxi_compaction){ 300, 2 };
    do_open(h, "a");
    for (int i = 0; i < 6; i++)
        do_attr(h, "long", text((char)('a' + i), 150));
    do_append(h, 0, 1);
    do_sync(h);
    write_box(h, 0, 0, 2, 2);
    for (int i = 0; i < 14; i++)
        do_attr(h, "long", text((char)('a' + i), 150));
    do_close(h);
    do_open(h, "a");
    do_append(h, 1, 1);
    do_close(h);
    drxi_hooks.compaction = usual;
    do_open(h, "a");
    do_compact(h);
    do_close(h);
}

static void rename_it(struct history *h)
{
    make(h, "a");
    do_rename(h, "a", "b", false);
    do_rename(h, "b", "d/a", false);
    do_open(h, "d/a");
    do_append(h, 1, 2);
    do_sync(h);
    do_close(h);
    do_rename(h, "d/a", "a", false);
}

static void rename_over(struct history *h)
{
    make(h, "a");
    make(h, "b");
    do_rename(h, "a", "b", true);
    make(h, "d/a");
    do_rename(h, "b", "d/a", true);
    do_create(h, "a", false); /* never synced */
    do_append(h, 1, 1);
    do_close(h);
    do_rename(h, "a", "d/a", true);
}

static void remove_it(struct history *h)
{
    make(h, "a");
    do_remove(h, "a");
    do_create(h, "a", false);
    do_append(h, 0, 1);
    do_close(h);
    do_remove(h, "a");
    make(h, "a");
}

static void duplicate(struct history *h)
{
    make(h, "a");
    do_duplicate(h, "a", "b", 0);
    do_open(h, "b");
    do_append(h, 0, 1);
    do_sync(h);
    do_close(h);
    do_duplicate(h, "b", "a", DRX_REPLACE);
    do_duplicate(h, "a", "d/a", DRX_MOVE);
}

static void copy(struct history *h)
{
    const int64_t chunk[TRUTH_NDIM] = { 3, 2, 2 };
    const drx_copy_spec other = { .chunk = chunk }, over = { .flags = DRX_REPLACE };

    make(h, "a");
    do_open(h, "a");
    do_copy(h, "b", &other);
    do_sync(h);
    do_append(h, 1, 1);
    do_copy(h, "a", &over);
    do_close(h);
    do_open(h, "a");
    do_sync(h);
    do_close(h);
}

/* Crash after crash: what is mended is trusted only when it is durable. */
static void again(struct history *h)
{
    make(h, "a");
    for (int i = 0; i < 4; i++) {
        do_open(h, "a");
        do_append(h, i % 2, 1);
        do_attr(h, "count", i % 2 ? "odd" : "even");
        do_append(h, 1 - i % 2, 3);
        do_crash(h);
        do_open(h, "a");
        do_extend(h, i % 2, 1);
        do_extend(h, 1 - i % 2, 1);
        if (i % 2)
            do_sync(h);
        do_crash(h);
    }
}

/* ---- at random -------------------------------------------------------------------------- */

static int64_t below(struct history *h, int64_t n)
{
    return random_below(&h->random, n);
}

/* Each of many thousand states is compared element by element. */
static bool is_large(const struct truth *t)
{
    int64_t elements = 1;

    for (int j = 0; j < t->ndim; j++)
        elements *= t->shape[j];
    return elements > 1000;
}

static void random_growth(struct history *h, bool with_data)
{
    const int axis = (int)below(h, h->truth->ndim);
    const int64_t most = h->truth->limit[axis] - h->truth->shape[axis];
    const int64_t by = 1 + below(h, 4);

    if (by > most || is_large(h->truth))
        return;
    if (with_data)
        do_append(h, axis, by);
    else
        do_extend(h, axis, by);
}

static void random_box(struct history *h)
{
    int64_t lo[TRUTH_NDIM], count[TRUTH_NDIM];

    for (int j = 0; j < h->truth->ndim; j++) {
        if (h->truth->shape[j] == 0)
            return;
        lo[j] = below(h, h->truth->shape[j]);
        count[j] = 1 + below(h, h->truth->shape[j] - lo[j]);
    }
    if (below(h, 2))
        do_write(h, lo, count);
    else
        do_put(h, lo);
}

static void random_attr(struct history *h)
{
    static const char *const names[] = { "a", "bb", "ccc" };
    const char *name = names[below(h, 3)];
    bool is_set = false;

    for (int i = 0; i < h->truth->attrs; i++)
        is_set = is_set || strcmp(h->truth->attr[i].name, name) == 0;
    if (is_set && below(h, 3) == 0)
        do_attr(h, name, NULL);
    else
        do_attr(h, name, text((char)('a' + below(h, 26)), (int)below(h, below(h, 4) ? 40 : 900)));
}

static void random_step(struct history *h)
{
    switch (below(h, 13)) {
    case 0:
    case 1:
        random_growth(h, false);
        break;
    case 2:
    case 3:
    case 4:
        random_growth(h, true);
        break;
    case 5:
    case 6:
    case 7:
        random_box(h);
        break;
    case 8:
        random_attr(h);
        break;
    case 9:
        do_dim(h, (int)below(h, h->truth->ndim), below(h, 2) ? "x" : "yy");
        break;
    case 10:
        do_sync(h);
        break;
    case 11:
        do_compact(h);
        break;
    default:
        do_close(h);
        if (h->mode == CUT && below(h, 2))
            do_crash(h);
        break;
    }
}

void scene_at_random(struct history *h)
{
    static const char *const places[] = { "a", "b", "d/a" };
    const char *place = "a";

    do_create(h, place, false);
    for (int i = 0; i < h->random_steps; i++) {
        if (h->a) {
            random_step(h);
        } else if (below(h, 8) == 0 || !world_at(&h->world, place)) {
            do_create(h, place, true);
        } else if (below(h, 4)) {
            do_open(h, place);
        } else {
            const char *to = places[below(h, 3)];

            if (strcmp(place, to) != 0) {
                do_rename(h, place, to, true);
                place = to;
            }
        }
    }
}

const struct scene scenes[] = {
    { "create", create, true, false },
    { "replace", replace, true, false },
    { "grow", grow, true, false },
    { "write", write, true, false },
    { "append", append, true, false },
    { "attributes", attributes, false, false },
    { "long_log", long_log, false, false },
    { "compact", compact, true, false },
    { "rename", rename_it, true, false },
    { "rename_over", rename_over, true, false },
    { "remove", remove_it, true, false },
    { "duplicate", duplicate, true, false },
    { "copy", copy, true, false },
    { "again", again, true, true },
    { "random", scene_at_random, true, true },
};
const int n_scenes = sizeof scenes / sizeof scenes[0];
