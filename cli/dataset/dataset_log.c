/* The commits of a dataset: what changed, when, and why. */
#include <inttypes.h>
#include <string.h>

#include "datasets.h"
#include "frame/json.h"

static const char *const parts[] = { "dataset", "group", "dimension", "variable", "type" };
static const char *const kinds[] = { "added", "removed",       "replaced",          "renamed",          "bounds",
                                     "axis",  "attribute set", "attribute changed", "attribute deleted" };
enum { PARTS = sizeof parts / sizeof *parts, KINDS = sizeof kinds / sizeof *kinds };

/* Is it of that kind and part? Attributes go together. What drx notes for itself is not told. */
static bool is_of(const drx_change *c, int kind, int part)
{
    return c->kind == kind && (kind < DRX_SET_ATTRIBUTE ? c->of == part : part == 0 && !is_note(c->other));
}

/* "time 3 -> 5": its bound. "time from 0 -> -2": its first index. */
static void put_bound(const drx_change *c, const char *what, int64_t before, int64_t after, bool trimmed)
{
    if (before == after)
        return;
    put("    ");
    put_visible(c->name);
    put("%s%s %" PRId64 " \u2192 %" PRId64 "\n", trimmed ? " trimmed" : "", what, before, after);
}

static void put_change(const drx_change *c)
{
    if (c->kind == DRX_RENAMED) {
        put_visible(c->other);
        put(" \u2192 ");
    }
    if (c->kind >= DRX_SET_ATTRIBUTE && c->of == DRX_DIMENSION)
        put("dimension "); /* which may have the name of a variable */
    put_visible(c->name);
    if (c->kind >= DRX_SET_ATTRIBUTE)
        put(":");
    if (c->kind == DRX_GOT_AXIS)
        put(" %d ", c->axis);
    if (c->kind == DRX_ADDED && c->of == DRX_DIMENSION)
        put(" %" PRId64, c->upper - c->lower);
    if (c->kind != DRX_RENAMED)
        put_visible(c->other);
}

/* Those of one kind: "variables added: u, v". */
static void put_changes(const drx_change changes[], int64_t n, int kind, int part)
{
    const bool attribute = kind >= DRX_SET_ATTRIBUTE;
    int64_t all = 0, told = 0;

    for (int64_t i = 0; i < n; i++)
        all += is_of(&changes[i], kind, part);
    for (const drx_change *c = changes; c < changes + n; c++) {
        if (!is_of(c, kind, part))
            continue;
        if (kind == DRX_CHANGED_BOUNDS) {
            put_bound(c, " from", c->lower_before, c->lower, c->lower > c->lower_before);
            put_bound(c, "", c->upper_before, c->upper, c->upper < c->upper_before);
            continue;
        }
        if (told++ == 0)
            put("    %s%s %s: ", attribute ? "attribute" : parts[part], all > 1 ? "s" : "",
                attribute              ? kinds[kind] + strlen("attribute ")
                : kind == DRX_GOT_AXIS ? "with a new axis"
                                       : kinds[kind]);
        put_change(c);
        put(told < all ? ", " : "\n");
    }
}

static void put_commit(const drx_commit *c, const drx_change changes[], int64_t n)
{
    char time[COMMIT_TIME_BYTES];

    put("commit %" PRId64 "  %s", c->number, commit_time_text(c->time, time));
    if (c->message[0]) {
        put("  ");
        put_visible(c->message);
    }
    put("\n");
    for (int kind = 0; kind < KINDS; kind++)
        for (int part = 0; part < PARTS; part++)
            put_changes(changes, n, kind, part);
}

static void put_commit_json(struct json *j, const drx_commit *c, const drx_change changes[], int64_t n)
{
    json_begin(j, NULL, '{', false);
    json_number(j, "commit", c->number);
    json_number(j, "time_us", c->time);
    json_string(j, "message", c->message);
    json_begin(j, "changes", '[', false);
    for (const drx_change *of = changes; of < changes + n; of++) {
        if (of->kind >= DRX_SET_ATTRIBUTE && is_note(of->other))
            continue;
        json_begin(j, NULL, '{', false);
        json_string(j, "change", kinds[of->kind]);
        json_string(j, "of", parts[of->of]);
        json_string(j, "name", of->name);
        if (of->other[0])
            json_string(j, "other", of->other);
        if (of->kind == DRX_GOT_AXIS)
            json_number(j, "axis", of->axis);
        if (of->of == DRX_DIMENSION && (of->kind == DRX_ADDED || of->kind == DRX_CHANGED_BOUNDS)) {
            json_number(j, "lower_before", of->lower_before);
            json_number(j, "upper_before", of->upper_before);
            json_number(j, "lower", of->lower);
            json_number(j, "upper", of->upper);
        }
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
}

int put_log(drx_dataset *ds, const char *path, int64_t most, bool as_json)
{
    const int64_t shown = drx_dataset_shown(ds), oldest = drx_dataset_oldest(ds);
    const int64_t first = most < 0 || most > shown - oldest ? oldest : shown - most + 1;
    struct json j = { 0 };
    const drx_change *changes = NULL;
    int64_t n = 0;
    drx_commit commit;
    drx_status st = DRX_OK;

    if (as_json)
        json_begin(&j, NULL, '[', true);
    for (int64_t i = shown; !st && i >= first && !put_failed(); i--) {
        st = drx_dataset_commit_info(ds, i, &commit);
        if (!st)
            st = drx_dataset_commit_changes(ds, i, &changes, &n);
        if (st)
            break;
        if (as_json)
            put_commit_json(&j, &commit, changes, n);
        else
            put_commit(&commit, changes, n);
    }
    if (as_json)
        json_end(&j, ']');
    return exit_code(path, st);
}
