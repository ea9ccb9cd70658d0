#include "scenes.h"

#include <limits.h>

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

/* An array with something in it, synced, and closed. */
static void make(struct history *h, const char *place)
{
    do_create(h, place, false);
    do_write(h, (int64_t[]){ 0, 0, 0 }, (int64_t[]){ 3, 3, 1 });
    do_append(h, 0, 2, false);
    do_attr(h, "title", "made");
    do_sync(h);
    do_close(h);
}

/* The place of that name, which stays. */
static const char *place(const char *name)
{
    static const char *const names[] = { "a", "b", "d/a" };
    int i = 0;

    while (strcmp(names[i], name) != 0)
        i++;
    return names[i];
}

/* One step: a verb and up to four words. */
static void play_step(struct history *h, const char *step)
{
    char verb[16] = "", word[4][16] = { "" };
    const int words = sscanf(step, "%15s %15s %15s %15s %15s", verb, word[0], word[1], word[2], word[3]) - 1;
    int64_t n[4];

    for (int i = 0; i < 4; i++)
        n[i] = strtoll(word[i], NULL, 10);
    if (strcmp(verb, "make") == 0)
        make(h, place(word[0]));
    else if (strcmp(verb, "create") == 0 || strcmp(verb, "replace") == 0)
        do_create(h, place(word[0]), verb[0] == 'r');
    else if (strcmp(verb, "open") == 0)
        do_open(h, place(word[0]));
    else if (strcmp(verb, "share") == 0)
        do_share(h, place(word[0]));
    else if (strcmp(verb, "turn") == 0)
        do_turn(h);
    else if (strcmp(verb, "swap") == 0)
        do_swap(h);
    else if (strcmp(verb, "close") == 0)
        do_close(h);
    else if (strcmp(verb, "sync") == 0)
        do_sync(h);
    else if (strcmp(verb, "compact") == 0)
        do_compact(h);
    else if (strcmp(verb, "lose") == 0)
        do_lose_log(h, place(word[0]), words > 1 ? (int)n[1] : INT_MAX);
    else if (strcmp(verb, "write") == 0)
        do_write(h, (int64_t[]){ n[0], n[1], 0 }, (int64_t[]){ n[2], n[3], 1 });
    else if (strcmp(verb, "put") == 0)
        do_put(h, (int64_t[]){ n[0], n[1], 0 });
    else if (strcmp(verb, "extend") == 0)
        do_extend(h, (int)n[0], n[1]);
    else if (strcmp(verb, "before") == 0)
        do_extend_before(h, (int)n[0], n[1]);
    else if (strcmp(verb, "append") == 0 || strcmp(verb, "pieces") == 0)
        do_append(h, (int)n[0], n[1], verb[0] == 'p');
    else if (strcmp(verb, "prepend") == 0 || strcmp(verb, "prepieces") == 0)
        do_prepend(h, (int)n[0], n[1], verb[3] == 'p');
    else if (strcmp(verb, "trim") == 0)
        do_trim(h, (int)n[0], n[1], n[2]);
    else if (strcmp(verb, "axis") == 0 && h->truth->ndim < TRUTH_NDIM)
        do_add_axis(h, word[0]);
    else if (strcmp(verb, "axis") == 0)
        return;
    else if (strcmp(verb, "text") == 0)
        do_attr(h, word[0], text(word[1][0], (int)n[2]));
    else if (strcmp(verb, "attr") == 0)
        do_attr(h, word[0], words > 1 ? word[1] : NULL);
    else if (strcmp(verb, "name") == 0)
        do_dim(h, (int)n[0], word[1]);
    else if (strcmp(verb, "rename") == 0)
        do_rename(h, place(word[0]), place(word[1]), words > 2);
    else if (strcmp(verb, "remove") == 0)
        do_remove(h, place(word[0]));
    else if (strcmp(verb, "duplicate") == 0)
        do_duplicate(h, place(word[0]), place(word[1]), word[2][0] == 'o' ? DRX_REPLACE : words > 2 ? DRX_MOVE : 0);
    else
        fail_msg("'%s' is no step", step);
}

/* Steps with commas between them. */
static void play(struct history *h, const char *script)
{
    char step[80];

    for (const char *at = script; *at; at += strspn(at, ", ")) {
        const int n = (int)strcspn(at, ",");

        (void)snprintf(step, sizeof step, "%.*s", n, at);
        play_step(h, step);
        at += n;
    }
}

/* A log of many records. Only the first is synced. */
static void long_log(struct history *h)
{
    play(h, "create a, sync");
    for (int i = 0; i < 40; i++)
        if (i % 4 == 3)
            do_attr(h, "count", text((char)('a' + i % 26), 20 + i));
        else
            do_extend(h, i % 2, i % 7 == 0);
    play(h, "close, open a, sync, close");
}

static void set_often(struct history *h, int times)
{
    for (int i = 0; i < times; i++)
        do_attr(h, "long", text((char)('a' + i), 150));
}

/* The log is made again: when asked for, in a sync, and in opening. */
static void compact(struct history *h)
{
    const struct drxi_compaction usual = drxi_hooks.compaction;

    play(h, "make a, open a, extend 0 1, attr title other, compact, append 1 1, sync, append 1 1, close");
    drxi_hooks.compaction = (struct drxi_compaction){ 300, 2 };
    play(h, "open a");
    set_often(h, 6);
    play(h, "append 0 1, sync, write 0 0 2 2");
    set_often(h, 14);
    play(h, "close, open a, append 1 1, close");
    drxi_hooks.compaction = usual;
    play(h, "open a, compact, close");
}

static void copy(struct history *h)
{
    const int64_t chunk[TRUTH_NDIM] = { 3, 2, 2 };
    const drx_copy_spec other = { .chunk = chunk }, over = { .flags = DRX_REPLACE };

    play(h, "make a, open a");
    do_copy(h, "b", &other);
    play(h, "sync, append 1 1");
    do_copy(h, "a", &over);
    play(h, "close, open a, sync, close");
}

/* Crash after crash: what is mended is trusted only when it is durable. */
static void again(struct history *h)
{
    make(h, "a");
    for (int i = 0; i < 4; i++) {
        play(h, i % 2 ? "open a, append 1 1, attr count odd, append 0 3"
                      : "open a, append 0 1, attr count even, append 1 3");
        do_crash(h);
        play(h, i % 2 ? "open a, extend 1 1, extend 0 1, sync" : "open a, extend 0 1, extend 1 1");
        do_crash(h);
    }
}

static int64_t below(struct history *h, int64_t n)
{
    return random_below(&h->random, n);
}

static void random_growth(struct history *h, bool with_data)
{
    const int axis = (int)below(h, h->truth->ndim);
    const bool before = below(h, 3) == 0;
    const int64_t most = before ? TRUTH_LOW + h->truth->lower[axis]
                                : h->truth->limit[axis] - h->truth->lower[axis] - h->truth->shape[axis];
    const int64_t by = 1 + below(h, 4);

    if (by > most || truth_elements(h->truth->ndim, h->truth->shape) > 1000) /* each of many thousand states is read */
        return;
    if (with_data)
        (before ? do_prepend : do_append)(h, axis, by, below(h, 2) > 0);
    else
        (before ? do_extend_before : do_extend)(h, axis, by);
}

/* Rarely to nothing. */
static void random_trim(struct history *h)
{
    const int axis = (int)below(h, h->truth->ndim);
    const int64_t extent = h->truth->shape[axis], most = below(h, 8) ? extent - 1 : extent;
    const int64_t before = most > 0 ? below(h, drxi_min(most, 3) + 1) : 0;
    const int64_t after = most > before ? below(h, drxi_min(most - before, 3) + 1) : 0;

    do_trim(h, axis, before, after);
}

static void random_box(struct history *h)
{
    int64_t lo[TRUTH_NDIM], count[TRUTH_NDIM];

    for (int j = 0; j < h->truth->ndim; j++) {
        if (h->truth->shape[j] == 0)
            return;
        lo[j] = below(h, h->truth->shape[j]);
        count[j] = 1 + below(h, h->truth->shape[j] - lo[j]);
        lo[j] += h->truth->lower[j];
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
    switch (below(h, 15)) {
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
    case 12:
    case 13:
        if (h->truth->ndim < TRUTH_NDIM && below(h, 8) == 0)
            do_add_axis(h, "run");
        else
            random_trim(h);
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
    const char *at = "a";

    do_create(h, at, false);
    for (int i = 0; i < h->random_steps; i++) {
        if (h->a) {
            random_step(h);
        } else if (below(h, 8) == 0 || !world_at(&h->world, at)) {
            do_create(h, at, true);
        } else if (below(h, 4)) {
            do_open(h, at);
        } else {
            const char *to = places[below(h, 3)];

            if (strcmp(at, to) != 0) {
                do_rename(h, at, to, true);
                at = to;
            }
        }
    }
}

const struct scene scenes[] = {
    { .name = "create", .script = "create a, write 0 1 3 2, close, open a, sync, close", .striped = true },
    { .name = "replace",
      .script = "make a, replace a, write 1 1 2 2, sync, close, replace a, append 1 3, close",
      .striped = true },
    { .name = "grow",
      .script = "create a, extend 0 1, sync, write 2 1 2 3, extend 1 1, extend 0 4, sync, extend 1 5, write 4 3 3 4, "
                "extend 0 1, extend 1 1, close, open a, extend 1 2, extend 0 3, sync, close",
      .striped = true },
    { .name = "write",
      .script = "create a, sync, write 0 0 3 4, write 1 1 2 3, sync, write 0 2 2 2, put 2 3, put 0 0, put 0 0, sync, "
                "put 1 1, close, open a, put 1 2, append 0 2, put 4 0, sync, close",
      .striped = true },
    { .name = "append",
      .script = "create a, append 0 1, append 1 2, sync, append 0 3, append 0 1, append 1 1, sync, append 1 4, close, "
                "open a, append 0 1, append 1 1, sync, append 0 2, close",
      .striped = true },
    { .name = "append_pieces",
      .script = "create a, pieces 0 2, pieces 1 3, sync, pieces 0 3, pieces 1 5, close, open a, pieces 0 4, sync, "
                "pieces 1 2, close",
      .striped = true },
    { .name = "share",
      .script = "make a, share a, append 0 1, write 0 0 2 2, turn, append 1 1, write 1 1 2 2, put 0 0, sync, turn, "
                "write 0 0 3 3, put 1 1, turn, put 1 1, sync, put 1 1, turn, put 0 0, put 1 1, append 0 3, turn, "
                "write 0 0 4 4, extend 1 2, sync, prepend 0 2, turn, put 0 0, write 2 0 3 4, sync, trim 0 1 1, turn, "
                "write 0 0 2 2, put 1 1, close, share a, put 1 1, turn, put 1 1, sync, close",
      .every_make = true },
    { .name = "before",
      .script = "create a, before 0 1, prepend 1 2, sync, write -1 -2 2 3, prepend 0 2, before 1 1, append 0 2, "
                "prepieces 1 2, close, open a, prepieces 0 2, sync, before 1 1, prepend 0 1, close",
      .striped = true },
    { .name = "trim",
      .script =
          "make a, open a, append 1 3, sync, trim 0 1 1, trim 1 2 0, append 0 2, sync, trim 0 2 0, write 3 2 1 3, "
          "prepend 1 1, close, open a, trim 1 0 2, extend 1 3, sync, trim 0 0 1, extend 0 1, trim 1 1 0, "
          "before 1 1, close",
      .striped = true,
      .every_make = true },
    { .name = "trim_back", /* by the handle that made the array */
      .script =
          "create a, append 0 2, sync, trim 0 0 1, extend 0 1, sync, trim 1 1 0, before 1 1, write 1 0 2 2, close",
      .striped = true },
    { .name = "trim_to_nothing",
      .script = "make a, open a, trim 0 2 3, sync, append 0 2, sync, trim 0 2 0, prepend 0 3, compact, trim 1 4 0, "
                "sync, prepend 1 2, close, open a, extend 0 1, close",
      .striped = true,
      .every_make = true },
    { .name = "rolling",
      .script =
          "create a, append 0 2, sync, append 0 2, trim 0 2 0, sync, append 0 2, trim 0 2 0, compact, append 0 2, "
          "trim 0 2 0, append 1 1, sync, append 0 2, trim 0 2 0, append 0 2, trim 0 2 0, sync, close",
      .striped = true },
    { .name = "new_axis",
      .script = "make a, open a, axis run, append 2 1, sync, prepend 2 1, append 0 1, close, open a, attr title other, "
                "compact, append 2 1, trim 2 1 0, sync, prepend 1 1, close",
      .striped = true },
    { .name = "attributes",
      .script = "create a, attr one first, sync, text one x 700, text two - 0, name 0 north, attr one changed, sync, "
                "attr two, name 1 east, text three y 1200, extend 0 2, attr one, close, open a, attr one again, sync, "
                "close" },
    { .name = "long_log", .play = long_log },
    { .name = "compact", .play = compact, .striped = true },
    { .name = "rename",
      .script = "make a, rename a b, rename b d/a, open d/a, append 1 2, sync, close, rename d/a a",
      .striped = true },
    { .name = "rename_over", /* at last one that was never synced */
      .script = "make a, make b, rename a b over, make d/a, rename b d/a over, create a, append 1 1, close, "
                "rename a d/a over",
      .striped = true },
    { .name = "remove", .script = "make a, remove a, create a, append 0 1, close, remove a, make a", .striped = true },
    { .name = "duplicate",
      .script = "make a, duplicate a b, open b, append 0 1, sync, close, duplicate b a over, duplicate a d/a move",
      .striped = true },
    { .name = "copy", .play = copy, .striped = true },
    { .name = "again", .play = again, .striped = true, .crashes = true },
    { .name = "lost_log", /* what was written for chunks that came and went does not come back with new ones */
      .script = "make a, open a, append 0 3, prepend 1 2, lose a, open a, extend 0 3, before 1 2, sync, prepend 0 1, "
                "lose a, open a, before 0 2, close",
      .packed = true,
      .crashes = true },
    { .name = "same_again", /* the same growth is in the place of one whose commit is still there */
      .script = "make a, open a, append 0 4, lose a 1, open a, append 0 4, attr b c, close, open a, prepend 1 3, "
                "lose a 2, open a, prepend 1 3, sync, close",
      .every_way = true,
      .crashes = true },
    { .name = "random", .play = scene_at_random, .striped = true, .crashes = true },
    { .name = "share_unseen", /* a handle goes on with what it knows, while the other one syncs */
      .script = "make a, share a, write 0 0 2 3, swap, sync, swap, write 0 0 3 2, write 1 1 2 2, swap, write 0 0 2 2, "
                "swap, sync, write 0 0 3 3, swap, write 0 0 1 3, sync, swap, write 1 0 2 3, write 0 0 2 2, swap, "
                "sync, write 0 1 3 2, close",
      .every_make = true },
    { .name = "places", /* of open chunks that were closed: others lie there then */
      .script = "create a, append 0 2, sync, append 0 6, sync, append 0 4, sync, append 1 3, sync, append 0 3, sync, "
                "append 1 3, close, open a, append 1 6, sync, extend 1 2, write 8 10 3 7, sync, close",
      .packed = true,
      .every_make = true },
};
const int n_scenes = sizeof scenes / sizeof scenes[0];

void scene_play(const struct scene *s, struct history *h)
{
    if (h->mode == TOLD && setjmp(h->stop) != 0)
        return;
    if (s->script)
        play(h, s->script);
    else
        s->play(h);
}
