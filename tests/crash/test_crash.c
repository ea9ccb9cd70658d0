/* The power is cut after every change that a history makes to the disk, and every state that may be left is opened. No
 * promised element is lost, and none appears that nobody wrote (spec/drx-format.md, section 5). cut.h says what a
 * power cut may leave.
 *
 * DRX_TORTURE=1     all ways of each history, many more cuts, and random histories
 * DRX_SEED=N        of the random choices
 * DRX_CRASH=NAME    only this history; with DRX_CRASH_AT=CHANGE,CHOICE only this cut of it, as a failure tells */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/hooks.h"
#include "real.h"
#include "scenes.h"

enum { RANDOM_HISTORIES = 1, TORTURE_HISTORIES = 3 };

#ifdef __SANITIZE_ADDRESS__
enum { SLOW = 1, ONE_WAY_OF = 12 }; /* a smaller sample will do */
#else
enum { SLOW = 0, ONE_WAY_OF = 5 };
#endif

static const struct make makes[] = {
    /* small chunks; chunks of 2 KiB; three axes */
    { .ndim = 2,
      .type = DRX_INT32,
      .shape = { 3, 4 },
      .chunk = { 2, 3 },
      .limit = { 24, 24 },
      .align = 32,
      .dims = { "y" } },
    { .ndim = 2,
      .type = DRX_INT64,
      .shape = { 3, 4 },
      .chunk = { 16, 16 },
      .limit = { 24, 24 },
      .order = DRX_COL_MAJOR },
    { .ndim = 3, .type = DRX_INT32, .shape = { 3, 4, 2 }, .chunk = { 4, 3, 5 }, .limit = { 20, 20, 20 } },
};
enum { MAKES = sizeof makes / sizeof makes[0] };

static const char *const places[] = { "a", "b", "d/a" };
static struct tally all;
static bool torture;
static uint64_t first_seed;

static void add(const struct tally *one)
{
    all.states += one->states;
    all.different += one->different;
    all.nested += one->nested;
    all.whole += one->whole;
    all.broken += one->broken;
    all.none += one->none;
}

static const char *wanted(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

/* Variants of a scene. */
enum { FILL = 1, STRIPED = 2, SUMMED = 4, PACKED = 8 };

static void choose_way(struct history *h, int way)
{
    h->make.fill = way & FILL ? -7 : 0;
    h->make.stripes = way & STRIPED ? 3 : 0;
    h->make.flags = way & SUMMED ? DRX_CHECKSUM : 0;
    h->make.codec = way & PACKED ? DRX_LZ4 : DRX_RAW;
    drxi_hooks.reclaiming = (struct drxi_reclaiming){ 1, 1 }; /* at every sync after which most is dead */
}

static void play(const struct scene *s, int make, int way, uint64_t seed)
{
    const char *only = wanted("DRX_CRASH"), *at = wanted("DRX_CRASH_AT");
    struct history h = { .make = makes[make],
                         .random_steps = torture ? 40
                                         : SLOW  ? 6
                                                 : 10,
                         .samples = torture ? 40
                                    : SLOW  ? 0
                                            : 2,
                         .few = torture ? 7 : 4,
                         .nested = torture ? 20
                                   : SLOW  ? 400
                                           : 100,
                         .only_change = -1,
                         .only_choice = -1 };
    char name[80];

    (void)snprintf(name, sizeof name, "%s-%d%s%s%s%s", s->name, make, way & FILL ? "-fill" : "",
                   way & STRIPED ? "-striped" : "", way & SUMMED ? "-sums" : "", way & PACKED ? "-packed" : "");
    if (only && strcmp(only, name) != 0)
        return;
    if (at && sscanf(at, "%d,%d", &h.only_change, &h.only_choice) != 2)
        fail_msg("DRX_CRASH_AT is %s, expected CHANGE,CHOICE", at);
    choose_way(&h, way);
    history_start(&h, name, seed, places, 3);
    scene_play(s, &h);
    history_end(&h);
    print_message("%-28s seed %-20llu %8ld states, %8ld different, %7ld nested: %8ld whole, %6ld broken, %7ld none\n",
                  name, (unsigned long long)seed, h.tally.states, h.tally.different, h.tally.nested, h.tally.whole,
                  h.tally.broken, h.tally.none);
    add(&h.tally);
}

static void record(const struct scene *s, int make, int way, bool real, struct image *out)
{
    struct history h = { .mode = real ? LIVE : PLAIN, .make = makes[make] };

    choose_way(&h, way);
    if (real)
        h.acks = open("/dev/null", O_WRONLY);
    history_start(&h, s->name, 1, places, 3);
    scene_play(s, &h);
    if (real) {
        real_load(out);
        assert_int_equal(close(h.acks), 0);
    } else {
        image_copy(disk_image(h.disk), out);
    }
    history_end(&h);
}

static void compare(const char *name, const struct image *a, const struct image *b)
{
    for (int i = 0; i < a->names; i++) {
        const struct image_file *x = &a->file[a->name[i].file];
        const int other = image_find(b, a->name[i].path);

        if (other < 0 || b->file[other].n != x->n ||
            (x->n > 0 && memcmp(b->file[other].bytes, x->bytes, (size_t)x->n) != 0))
            fail_msg("%s: %s is not the same on the real disk", name, a->name[i].path);
    }
    assert_int_equal(a->names, b->names);
}

/* The same is on the real disk after the same history. */
static void disk_is_like_the_real_one(void **state)
{
    for (int i = 0; i < n_scenes; i++)
        for (int way = 0; way < 10; way++) {
            struct image memory, real;

            if (scenes[i].crashes || (way & STRIPED && !scenes[i].striped))
                continue;
            real_clear();
            record(&scenes[i], i % MAKES, way, false, &memory);
            record(&scenes[i], i % MAKES, way, true, &real);
            compare(scenes[i].name, &memory, &real);
            image_free(&memory);
            image_free(&real);
        }
}

static void play_all_ways(const struct scene *s, int make, uint64_t seed)
{
    static const int ways[] = {
        0, FILL, STRIPED, FILL | STRIPED, SUMMED, FILL | STRIPED | SUMMED, PACKED, FILL | PACKED
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if ((s->striped || !(ways[i] & STRIPED)) && (!s->packed || ways[i] & PACKED) &&
            (torture || s->packed || s->every_way ||
             (i + seed + (uint64_t)(s - scenes) + (uint64_t)make) % ONE_WAY_OF == 0))
            play(s, make, ways[i], seed);
}

static void every_cut(void **state)
{
    for (int i = 0; i < n_scenes; i++) {
        const bool random = strcmp(scenes[i].name, "random") == 0;
        const int times = random ? (torture ? TORTURE_HISTORIES : RANDOM_HISTORIES) : 1;

        if (SLOW && !torture && i % 4 != 1)
            continue;
        for (int t = 0; t < times; t++)
            for (int make = 0; make < MAKES; make++)
                if (torture || make == i % MAKES || scenes[i].crashes || scenes[i].every_make)
                    play_all_ways(&scenes[i], make, first_seed + (uint64_t)t);
    }
    print_message("%ld states, %ld different, %ld of them while another crash was mended; %ld whole arrays, %ld left "
                  "broken, %ld none\n",
                  all.states + all.nested, all.different + all.nested, all.nested, all.whole, all.broken, all.none);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(disk_is_like_the_real_one), cmocka_unit_test(every_cut) };
    const char *seed = wanted("DRX_SEED");

    torture = wanted("DRX_TORTURE") != NULL;
    first_seed = seed ? strtoull(seed, NULL, 10) : torture ? (uint64_t)time(NULL) : 1;
    (void)setenv("DRX_THREADS", "1", 1);       /* changes have one order */
    (void)setenv("SOURCE_DATE_EPOCH", "1", 1); /* commits tell their time */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
