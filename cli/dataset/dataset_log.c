/* The commits of a dataset: what changed, when, and why. */
#include <inttypes.h>
#include <string.h>

#include "datasets.h"
#include "frame/json.h"

static void put_members(int n, const char *what)
{
    if (n > 0)
        put("    %d variable%s %s\n", n, n == 1 ? "" : "s", what);
}

/* "time 3 -> 5": its bound. "time from 0 -> -2": its first index. */
static void put_change(const drx_dim_change *c)
{
    const bool low = c->lower != c->lower_before;

    put("    ");
    put_visible(c->dim);
    put("%s%s %" PRId64 " \u2192 %" PRId64 "\n",
        c->upper < c->upper_before || c->lower > c->lower_before ? " trimmed" : "", low ? " from" : "",
        low ? c->lower_before : c->upper_before, low ? c->lower : c->upper);
}

static drx_status put_commit(const drx_dataset *ds, const drx_commit *c)
{
    char time[COMMIT_TIME_BYTES];
    drx_dim_change change;
    drx_status st = DRX_OK;

    put("commit %" PRId64 "  %s", c->number, commit_time_text(c->time, time));
    if (c->message[0]) {
        put("  ");
        put_visible(c->message);
    }
    put("\n");
    put_members(c->added, "added");
    put_members(c->removed, "removed");
    for (int i = 0; !st && i < c->changes; i++) {
        st = drx_dataset_commit_change(ds, c->number, i, &change);
        if (!st)
            put_change(&change);
    }
    return st;
}

static drx_status put_commit_json(struct json *j, const drx_dataset *ds, const drx_commit *c)
{
    drx_dim_change change;
    drx_status st = DRX_OK;

    json_begin(j, NULL, '{', false);
    json_number(j, "commit", c->number);
    json_number(j, "time_us", c->time);
    json_string(j, "message", c->message);
    json_number(j, "added", c->added);
    json_number(j, "removed", c->removed);
    json_begin(j, "changes", '[', false);
    for (int i = 0; !st && i < c->changes; i++) {
        st = drx_dataset_commit_change(ds, c->number, i, &change);
        if (st)
            break;
        json_begin(j, NULL, '{', false);
        json_string(j, "dim", change.dim);
        json_number(j, "lower_before", change.lower_before);
        json_number(j, "upper_before", change.upper_before);
        json_number(j, "lower", change.lower);
        json_number(j, "upper", change.upper);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
    return st;
}

int put_log(drx_dataset *ds, const char *path, int64_t most, bool as_json)
{
    const int64_t shown = drx_dataset_shown(ds), oldest = drx_dataset_oldest(ds);
    const int64_t first = most < 0 || most > shown - oldest ? oldest : shown - most + 1;
    struct json j = { 0 };
    drx_commit commit;
    drx_status st = DRX_OK;

    if (as_json)
        json_begin(&j, NULL, '[', true);
    for (int64_t i = shown; !st && i >= first && !put_failed(); i--) {
        st = drx_dataset_commit_info(ds, i, &commit);
        if (!st)
            st = as_json ? put_commit_json(&j, ds, &commit) : put_commit(ds, &commit);
    }
    if (as_json)
        json_end(&j, ']');
    return exit_code(path, st);
}
