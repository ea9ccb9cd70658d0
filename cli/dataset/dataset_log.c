/* The commits of a dataset: what changed, when, and why. */
#include <inttypes.h>
#include <string.h>

#include "datasets.h"
#include "frame/json.h"

static int64_t oldest(const drx_dataset *ds, int64_t most)
{
    const int64_t shown = drx_dataset_shown(ds);

    return most < 0 || most > shown ? 0 : shown - most + 1;
}

static void put_members(int n, const char *what)
{
    if (n > 0)
        put("    %d variable%s %s\n", n, n == 1 ? "" : "s", what);
}

static drx_status put_commit(const drx_dataset *ds, const drx_commit *c)
{
    char time[COMMIT_TIME_BYTES];
    int64_t before, after;
    const char *dim;
    drx_status st = DRX_OK;

    put("commit %" PRId64 "  %s", c->number, commit_time_text(c->time, time));
    if (c->message[0]) {
        put("  ");
        put_visible(c->message);
    }
    put("\n");
    put_members(c->added, "added");
    put_members(c->removed, "removed");
    for (int i = 0; !st && i < c->growths; i++) {
        st = drx_dataset_commit_growth(ds, c->number, i, &dim, &before, &after);
        if (st)
            break;
        put("    ");
        put_visible(dim);
        put(" %" PRId64 " \u2192 %" PRId64 "\n", before, after);
    }
    return st;
}

int put_log_text(drx_dataset *ds, const char *path, int64_t most)
{
    const int64_t first = oldest(ds, most);
    drx_commit commit;
    drx_status st = DRX_OK;

    for (int64_t i = drx_dataset_shown(ds); !st && i >= first && !put_failed(); i--) {
        st = drx_dataset_commit_info(ds, i, &commit);
        if (!st)
            st = put_commit(ds, &commit);
    }
    return exit_code(path, st);
}

static drx_status put_commit_json(struct json *j, const drx_dataset *ds, const drx_commit *c)
{
    int64_t before, after;
    const char *dim;
    drx_status st = DRX_OK;

    json_begin(j, NULL, '{', false);
    json_number(j, "commit", c->number);
    json_number(j, "time_us", c->time);
    json_string(j, "message", c->message);
    json_number(j, "added", c->added);
    json_number(j, "removed", c->removed);
    json_begin(j, "growths", '[', false);
    for (int i = 0; !st && i < c->growths; i++) {
        st = drx_dataset_commit_growth(ds, c->number, i, &dim, &before, &after);
        if (st)
            break;
        json_begin(j, NULL, '{', false);
        json_string(j, "dim", dim);
        json_number(j, "before", before);
        json_number(j, "after", after);
        json_end(j, '}');
    }
    json_end(j, ']');
    json_end(j, '}');
    return st;
}

int put_log_json(drx_dataset *ds, const char *path, int64_t most)
{
    const int64_t first = oldest(ds, most);
    struct json j = { 0 };
    drx_commit commit;
    drx_status st = DRX_OK;

    json_begin(&j, NULL, '[', true);
    for (int64_t i = drx_dataset_shown(ds); !st && i >= first && !put_failed(); i--) {
        st = drx_dataset_commit_info(ds, i, &commit);
        if (!st)
            st = put_commit_json(&j, ds, &commit);
    }
    json_end(&j, ']');
    return exit_code(path, st);
}
