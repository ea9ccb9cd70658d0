/* Arrays are renamed, removed, duplicated and moved. One whole array exists all the time. */
#include "drx_tools.h"
#include "marked.h"
#include "numbers.h"
#include "scenarios.h"

static void prepare(struct trial *t)
{
    numbers_make("left/a", t->of->stripes);
    marked_stripes = t->of->stripes;
    if (t->of->flags & DRX_REPLACE)
        marked_make(t->of->to, 5, 3);
    marked_stripes = 0;
}

/* What is to be replaced is there, or its files under another name where nothing could be put back. */
static bool other_is_kept(const struct trial *t)
{
    const int data = marked_count(t->of->stripes ? "s?/*" : "right/b.xta*"); /* with the stripes of left/a */

    if (marked_is(t->of->to, 5, 3))
        return true;
    return t->persistent && marked_count("right/b.xmd*") >= 1 && data >= (t->of->stripes ? 2 * t->of->stripes : 1);
}

/* Nothing came of it: what the target's name had stays. */
static void require_as_before(const struct trial *t)
{
    if (t->of->flags & DRX_REPLACE)
        assert_true(other_is_kept(t));
    else
        assert_true(t->persistent || marked_none(t->of->to));
}

static drx_status rename_it(struct trial *t)
{
    return drx_rename("left/a", t->of->to, t->of->flags);
}

/* It is there whole under one of the names; and what failed once can be done again. */
static void check_renamed(struct trial *t, drx_status st)
{
    const bool here = numbers_there("left/a"), there = marked_is(t->of->to, 5, 3) ? false : numbers_there(t->of->to);

    assert_false(here && there);
    assert_true(here || there || (t->persistent && t->of->how & NO_LINKS)); /* half of it cannot be put back */
    assert_true(st || there);
    if (here)
        require_as_before(t);
    if (here && !t->persistent) {
        assert_ok(rename_it(t));
        assert_false(numbers_there("left/a"));
    }
}

static drx_status remove_it(struct trial *t)
{
    return drx_remove("left/a");
}

/* Whole, or no array; what is left can be removed again, but for a file that another name could not be taken from. */
static void check_removed(struct trial *t, drx_status st)
{
    const int meta = marked_count("left/a.xmd"), data = marked_count("left/a.xta");
    const int files = marked_count("left/a.x??");

    assert_true(st || marked_none("left/a"));
    if (meta == 1 && data + marked_count("s0/*") == 1)
        assert_true(numbers_there("left/a"));
    if (st && !t->persistent && files > 0)
        assert_ok(drx_remove("left/a"));
    if (!t->persistent)
        assert_int_equal(marked_count("left/a.x??") + marked_count("s?/*"), 0);
}

static drx_status duplicate(struct trial *t)
{
    return drx_duplicate("left/a", t->of->to, t->of->flags, NULL, NULL);
}

/* The source stays, unless it is moved and there; the copy is there whole or not at all. */
static void check_duplicate(struct trial *t, drx_status st)
{
    const bool moves = t->of->flags & DRX_MOVE, here = numbers_there("left/a");
    const bool there = marked_is(t->of->to, 5, 3) ? false : numbers_there(t->of->to);

    assert_true(here || (moves && there));
    assert_true(st || (there && here == !moves));
    if (!there)
        require_as_before(t);
    if (!there && !t->persistent && !(t->of->flags & DRX_REPLACE))
        assert_int_equal(marked_count("right/*"), 0);
}

/* A sync of a folder tells that a second name is gone: it would come back, and is not in the way. */
#define RIGHT .to = "right/b"
#define RENAME prepare, rename_it, check_renamed, CALL_SYNC
#define REMOVE prepare, remove_it, check_removed
#define COPY prepare, duplicate, check_duplicate

enum { OVER = DRX_REPLACE, MOVE = DRX_MOVE };

// clang-format off
const struct scenario scenarios_names[] = {
    { "rename",                            "left/", RENAME, .to = "left/b" },
    { "rename to a folder",                "/",     RENAME, RIGHT },
    { "rename to a folder, without links", "/",     RENAME, RIGHT, .how = NO_LINKS | LIKE },
    { "rename over another",               "/",     RENAME, RIGHT, .flags = OVER },
    { "rename over another without links", "/",     RENAME, RIGHT, .flags = OVER, .how = NO_LINKS | LIKE },
    { "rename a striped one",              "/",     RENAME, RIGHT, .stripes = 3 },
    { "rename over another striped one",   "/",     RENAME, RIGHT, .flags = OVER, .stripes = 2, .how = LIKE },
    { "remove",                            "left",  REMOVE, .to = "" },
    { "remove a striped one",              "/",     REMOVE, .stripes = 3 },
    { "duplicate",                         "/",     COPY,   RIGHT },
    { "duplicate a striped one",           "/",     COPY,   RIGHT, .stripes = 3 },
    { "duplicate over another",            "/",     COPY,   RIGHT, .flags = OVER },
    { "duplicate over with other names",   "/",     COPY,   RIGHT, .flags = OVER, .how = OTHER_NAMES | LIKE },
    { "duplicate over a striped one",      "/",     COPY,   RIGHT, .flags = OVER, .stripes = 2, .how = LIKE },
    { "move with other names",             "/",     COPY,   RIGHT, .flags = MOVE, .how = OTHER_NAMES | LIKE },
    { "move a striped one",                "/",     COPY,   RIGHT, .flags = MOVE, .stripes = 2, .how = LIKE },
    { "move over another",                 "/",     COPY,   RIGHT, .flags = OVER | MOVE },
    { 0 }
};
// clang-format on
