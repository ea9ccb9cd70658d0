/* For n = 1, 2, ..., the process is killed before the n-th call of the file tables while it renames, copies,
 * replaces and removes arrays. One whole array stays each time, and the remaining files do not prevent a retry. */
#include "deadly.h"
#include "drx_tools.h"
#include "marked.h"

static bool is_a(const char *path)
{
    return marked_is(path, 9, 7);
}

static bool is_b(const char *path)
{
    return marked_is(path, 5, 3);
}

static void start(int stripes)
{
    marked_clean();
    marked_stripes = stripes;
    marked_make("left/a", 9, 7);
    marked_make("right/b", 5, 3);
}

static drx_status rename_it(void)
{
    return drx_rename("left/a", "right/c", 0);
}

static drx_status rename_over(void)
{
    return drx_rename("left/a", "right/b", DRX_REPLACE);
}

static drx_status copy_it(void)
{
    return drx_duplicate("left/a", "right/c", 0, NULL, NULL);
}

static drx_status copy_over(void)
{
    return drx_duplicate("left/a", "right/b", DRX_REPLACE, NULL, NULL);
}

static drx_status move_it(void)
{
    return drx_duplicate("left/a", "right/c", DRX_MOVE, NULL, NULL);
}

/* It is seen when it has all that is_a wants. */
static drx_status persist_over(void)
{
    const int8_t fill = 7;
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT8,
                            .shape = (const int64_t[]){ 9 },
                            .chunk = (const int64_t[]){ 2 },
                            .fill = &fill,
                            .flags = DRX_TEMPORARY,
                            .nstripes = marked_stripes,
                            .stripes = marked_stripes ? (const char *const[]){ "../s0", "../s1" } : NULL };
    drx_array *a;
    drx_status st = drx_create("right/b", &spec, &a), closed;

    if (st)
        return st;
    st = drx_attr_set_text(a, "title", "marked");
    if (!st)
        st = drx_persist(a, DRX_REPLACE);
    closed = drx_close(a);
    return st ? st : closed;
}

static const struct deed {
    const char *name;
    drx_status (*call)(void);
    const char *target; /* where an array like a is to be afterwards */
    bool source_goes;
} deeds[] = {
    { "rename", rename_it, "right/c", true }, { "rename over", rename_over, "right/b", true },
    { "copy", copy_it, "right/c", false },    { "copy over", copy_over, "right/b", false },
    { "move", move_it, "right/c", true },     { "persist over", persist_over, "right/b", false },
};

/* b is there, or set aside: its files have other names. */
static bool is_kept(bool over)
{
    return is_b("right/b") ||
           (over && marked_count("right/b.xmd*") >= 1 && marked_count("right/b.*xta*") + marked_count("s?/*") >= 1);
}

static void check(const struct deed *d, bool killed)
{
    const bool over = strcmp(d->target, "right/b") == 0, renames = d->call == rename_it || d->call == rename_over;
    const bool here = is_a("left/a"), there = is_a(d->target);
    const int arrays = (!d->source_goes) + 1 + (!over);

    assert_true(here || (there && d->source_goes));
    assert_true(!renames || here != there);
    assert_true((over && there) || is_kept(over));
    if (there)
        assert_ok(drx_check(d->target, NULL, NULL, NULL, NULL));
    if (!killed) {
        assert_true(there && here == !d->source_goes);
        assert_int_equal(marked_count("left/*") + marked_count("right/*"), (marked_stripes ? 1 : 2) * arrays);
        assert_int_equal(marked_count("s?/*"), marked_stripes * arrays);
        return;
    }
    if (marked_stripes && d->call == move_it && here && there) /* two names of the same stripes */
        return;
    if (!here) /* back; of what was moved files may be left */
        assert_ok(drx_rename(d->target, "left/a", renames ? 0 : DRX_REPLACE));
    else if (!over && !marked_none(d->target))
        assert_ok(drx_remove(d->target));
    assert_ok(d->call()); /* what is left is not in the way */
    assert_true(is_a(d->target));
}

TEST(killed_before_each_call)
{
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++)
        for (int stripes = 0; stripes <= 2; stripes += 2) {
            bool killed = true;
            long n = 0;

            while (killed) {
                start(stripes);
                killed = deadly(deeds[i].call, ++n);
                check(&deeds[i], killed);
            }
            print_message("%s, %d stripes: killed before %ld calls\n", deeds[i].name, stripes, n - 1);
            assert_true(n > 15);
        }
}

static drx_status remove_it(void)
{
    return drx_remove("left/a");
}

/* What a kill leaves of a removal can be removed: the array, or nothing that has its name. */
TEST(killed_in_removing)
{
    for (int stripes = 0; stripes <= 2; stripes += 2) {
        bool killed = true;

        for (long n = 1; killed; n++) {
            start(stripes);
            killed = deadly(remove_it, n);
            assert_true(is_a("left/a") || marked_count("left/a.xmd") == 0);
            assert_true(is_b("right/b"));
        }
    }
}

static const char *const places[] = { "left/x", "right/x", "left/y" };
enum { PLACES = 3, KILLS = 250, MOST_CALLS = 100 };

static int place_of_a(void)
{
    int place = -1;

    for (int i = 0; i < PLACES; i++)
        if (is_a(places[i])) {
            assert_int_equal(place, -1); /* only one */
            place = i;
        }
    assert_true(place >= 0);
    return place;
}

static int begin;

/* Rename round and round, now and then over another array. */
static drx_status rename_in_circles(void)
{
    drx_status st = DRX_OK;

    for (int i = begin; !st; i++)
        st = drx_rename(places[i % PLACES], places[(i + 1) % PLACES], DRX_REPLACE);
    return st;
}

TEST(killed_again_and_again)
{
    uint64_t random = starting_seed(1);
    int moved = 0;

    marked_clean();
    marked_stripes = 0;
    marked_make(places[0], 9, 7);
    for (int i = 0; i < KILLS; i++) {
        begin = place_of_a();
        if (i % 2)
            marked_make(places[(begin + 1) % PLACES], 5, 3);
        assert_true(deadly(rename_in_circles, 1 + random_below(&random, MOST_CALLS)));
        moved += place_of_a() != begin;
    }
    print_message("%d of %d times it was elsewhere\n", moved, (int)KILLS);
    assert_true(moved > KILLS / 10);
    assert_ok(drx_rename(places[place_of_a()], "found", 0));
    assert_true(is_a("found"));
}
