/* Readers that refresh, writers that recover, and drx_check. */
#include <sys/stat.h>
#include <unistd.h>

#include "drx_tools.h"
#include "marked.h"
#include "numbers.h"
#include "scenarios.h"

/* The writer has grown it since. */
static void prepare_reader(struct trial *t)
{
    drx_array *writer;

    numbers_make("left/a", 0);
    assert_ok(drx_open("left/a", DRX_RDONLY, &t->a[0]));
    assert_ok(drx_open("left/a", DRX_RDWR, &writer));
    assert_ok(drx_extend(writer, 0, 6));
    assert_ok(drx_attr_set_text(writer, "more", "text"));
    assert_ok(drx_close(writer));
}

/* Its metadata has another inode since. */
static void prepare_replaced(struct trial *t)
{
    prepare_reader(t);
    assert_int_equal(system("cp left/a.xmd left/x && mv left/x left/a.xmd"), 0);
}

static drx_status refresh(struct trial *t)
{
    int32_t last;
    drx_status st = drx_refresh(t->a[0]);

    return st ? st : drx_get(t->a[0], (int64_t[]){ NUMBERS_ROWS + 5, 0 }, &last);
}

/* The old state or the new one; and the next refresh gives the new one. */
static void check_refreshed(struct trial *t, drx_status st)
{
    const bool old = drx_shape(t->a[0])[0] == NUMBERS_ROWS;
    int32_t value;

    assert_true(st || !old);
    assert_int_equal(drx_attr_count(t->a[0]), old || drx_attr_count(t->a[0]) == 1 ? 1 : 2);
    assert_ok(drx_get(t->a[0], (int64_t[]){ 7, 8 }, &value));
    assert_int_equal(value, number(7, 8));
    assert_ok(refresh(t));
    assert_int_equal(drx_shape(t->a[0])[0], NUMBERS_ROWS + 6);
    assert_int_equal(drx_attr_count(t->a[0]), 2);
    assert_ok(drx_get(t->a[0], (int64_t[]){ NUMBERS_ROWS + 5, 9 }, &value));
    assert_int_equal(value, NUMBERS_FILL);
}

/* As a crash leaves it: an append not committed, with data in old chunks and new ones, and a torn record. */
static void prepare_crash(struct trial *t)
{
    int32_t slab[3 * NUMBERS_COLUMNS];
    struct stat meta;
    drx_array *a;

    numbers_make("left/a", t->of->stripes);
    memset(slab, 1, sizeof slab);
    assert_ok(drx_open("left/a", DRX_RDWR, &a));
    assert_ok(drx_append(a, 0, 3, DRX_ROW_MAJOR, slab));
    assert_ok(drx_close(a));
    assert_int_equal(stat("left/a.xmd", &meta), 0);
    assert_int_equal(truncate("left/a.xmd", meta.st_size - 8), 0); /* the GROW is not whole */
}

static drx_status recover(struct trial *t)
{
    drx_status st = drx_open("left/a", DRX_RDWR, &t->a[0]);

    return st ? st : drx_sync(t->a[0]);
}

static void check_recovered(struct trial *t, drx_status st)
{
    if (t->a[0])
        numbers_require(t->a[0]);
    trial_close(t, 0);
    assert_true(numbers_there("left/a"));
}

static void prepare_one(struct trial *t)
{
    numbers_make("left/a", t->of->stripes);
}

static void remember(void *user, drx_severity severity, const char *text)
{
    if (severity == DRX_ERROR)
        (void)snprintf(user, 1024, "%s", text);
}

/* What cannot be read is told as a finding, and counts as damage until it can. */
static drx_status check_it(struct trial *t)
{
    char found[1024] = "";
    drx_status st = drx_check("left/a", remember, found, NULL, NULL);
    const bool unread = strstr(found, "reading") || strstr(found, "asking for its length");

    return st == DRX_EDAMAGED && unread ? drx_fail(DRX_EIO, found) : st;
}

static void check_checked(struct trial *t, drx_status st)
{
    assert_true(numbers_there("left/a"));
}

/* Entries of checksums that cannot be read while the data are, are read again afterwards. */
#define CHECKED .harmless = CALL_READ

// clang-format off
const struct scenario scenarios_open[] = {
    { "refresh",                           "left/a", prepare_reader,   refresh,  check_refreshed, .stripes = 0 },
    { "refresh when the log was replaced", "left/a", prepare_replaced, refresh,  check_refreshed, .stripes = 0 },
    { "open after a crash",                "left/",  prepare_crash,    recover,  check_recovered, .stripes = 0 },
    { "open a striped one after a crash",  "/",      prepare_crash,    recover,  check_recovered, .stripes = 2 },
    { "check",                             "left/",  prepare_one,      check_it, check_checked,   CHECKED },
    { "check a striped one",               "/",      prepare_one,      check_it, check_checked,   CHECKED,
      .stripes = 3 },
    { 0 }
};
// clang-format on
