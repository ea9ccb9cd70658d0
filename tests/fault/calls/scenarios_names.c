/* Names: renamed, removed, duplicated, moved; one whole array is there all the time. */
#include "drx_tools.h"
#include "marked.h"
#include "numbers.h"
#include "scenarios.h"

static void prepare_one(struct trial *t)
{
    (void)t;
    numbers_make("left/a", 0);
}

static void prepare_two(struct trial *t)
{
    (void)t;
    numbers_make("left/a", 0);
    marked_make("right/b", 5, 3);
}

static void prepare_stripes(struct trial *t)
{
    (void)t;
    numbers_make("left/a", 3);
}

/* ---- renaming -------------------------------------------------------------------------- */

static drx_status rename_beside(struct trial *t)
{
    (void)t;
    return drx_rename("left/a", "left/b", 0);
}

static drx_status rename_to_folder(struct trial *t)
{
    (void)t;
    return drx_rename("left/a", "right/b", 0);
}

static drx_status rename_over(struct trial *t)
{
    (void)t;
    return drx_rename("left/a", "right/b", DRX_REPLACE);
}

/* It is there whole under one of the names; and what failed once can be done again. */
static void require_one_of(const char *from, const char *to, drx_status st, bool persistent)
{
    const bool here = numbers_there(from), there = marked_is(to, 5, 3) ? false : numbers_there(to);

    assert_true(here != there);
    assert_true(st || there);
    if (here && !persistent) {
        assert_ok(drx_rename(from, to, marked_none(to) ? 0 : DRX_REPLACE));
        assert_false(numbers_there(from));
    }
}

static void check_beside(struct trial *t, drx_status st)
{
    require_one_of("left/a", "left/b", st, t->persistent);
}

static void check_folder(struct trial *t, drx_status st)
{
    require_one_of("left/a", "right/b", st, t->persistent);
}

/* What was to be replaced is still there, perhaps under another name. */
static void check_over(struct trial *t, drx_status st)
{
    if (st && !t->persistent && numbers_there("left/a"))
        assert_true(marked_is("right/b", 5, 3));
    check_folder(t, st);
}

/* Making durable that a second name is gone: it would come back, and is not in the way. */
const struct scenario renaming = { "rename", "left/", prepare_one, rename_beside, check_beside, CALL_SYNC, false };
const struct scenario renaming_to_folder = { "rename to a folder", "/",       prepare_one, rename_to_folder,
                                             check_folder,         CALL_SYNC, false };
const struct scenario renaming_over = {
    "rename over another", "/", prepare_two, rename_over, check_over, CALL_SYNC, false
};
const struct scenario renaming_stripes = {
    "rename a striped one", "/", prepare_stripes, rename_to_folder, check_folder, CALL_SYNC, false
};

/* ---- removing ----------------------------------------------------------------------------- */

static drx_status remove_it(struct trial *t)
{
    (void)t;
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

const struct scenario removing = { "remove", "left", prepare_one, remove_it, check_removed, 0, false };
const struct scenario removing_stripes = {
    "remove a striped one", "/", prepare_stripes, remove_it, check_removed, 0, false
};

/* ---- duplicating ----------------------------------------------------------------------------- */

static drx_status duplicate(struct trial *t)
{
    (void)t;
    return drx_duplicate("left/a", "right/b", 0, NULL, NULL);
}

static drx_status move_over(struct trial *t)
{
    (void)t;
    return drx_duplicate("left/a", "right/b", DRX_REPLACE | DRX_MOVE, NULL, NULL);
}

/* The source stays; the copy is there whole or not at all. */
static void check_duplicate(struct trial *t, drx_status st)
{
    const bool there = numbers_there("right/b");

    assert_true(st || there);
    assert_true(numbers_there("left/a"));
    if (!there && !t->persistent)
        assert_int_equal(marked_count("right/*"), 0);
}

static void check_moved(struct trial *t, drx_status st)
{
    const bool other = marked_is("right/b", 5, 3), there = !other && numbers_there("right/b");

    assert_true(there || numbers_there("left/a"));
    assert_true(st ? there || other || t->persistent : there && marked_none("left/a"));
}

const struct scenario duplicating = { "duplicate", "/", prepare_one, duplicate, check_duplicate, 0, false };
const struct scenario duplicating_stripes = {
    "duplicate a striped one", "/", prepare_stripes, duplicate, check_duplicate, 0, false
};
const struct scenario moving_over = { "move over another", "/", prepare_two, move_over, check_moved, 0, false };
