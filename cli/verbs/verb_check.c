#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "files/paths.h"
#include "frame/json.h"
#include "frame/team.h"
#include "verbs.h"

struct checking {
    struct json *json; /* NULL: text */
    struct progress progress;
    bool begun;
    int found[DRX_ERROR + 1]; /* of each severity */
};

static void put_finding(void *user, drx_severity severity, const char *text)
{
    static const char *const names[] = { "note", "warning", "error" };
    struct checking *c = user;

    c->found[severity]++;
    hide_progress();
    if (c->json) {
        json_begin(c->json, NULL, '{', false);
        json_string(c->json, "severity", names[severity]);
        json_string(c->json, "text", text);
        json_end(c->json, '}');
        return;
    }
    put("%s: ", names[severity]);
    put_visible(text);
    put("\n");
}

/* A signal ends a check at once, since it leaves nothing to tidy up. */
static int show_progress(void *user, int64_t done, int64_t total)
{
    struct checking *c = user;

    if (total > 0 && !c->begun) {
        begin_progress(&c->progress, total);
        c->begun = true;
    }
    if (c->begun)
        add_progress(&c->progress, done - c->progress.done_bytes);
    return put_failed();
}

/* Of a dataset: each member reports its own progress. */
static int show_part(void *user, int64_t done, int64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return put_failed();
}

static void put_verdict(const struct checking *c, const char *path, bool good)
{
    const int errors = c->found[DRX_ERROR], warnings = c->found[DRX_WARNING];

    put_visible(path);
    if (good)
        put(": good");
    else
        put(": damaged: %d error%s", errors, errors == 1 ? "" : "s");
    if (warnings)
        put(", %d warning%s", warnings, warnings == 1 ? "" : "s");
    put("\n");
}

static int check_one_array(const char *path, bool repair, struct json *json)
{
    struct checking c = { .json = json };
    const char *failure;
    drx_status st;
    bool good;

    if (json) {
        json_begin(json, NULL, '{', true);
        json_string(json, "path", path);
        json_begin(json, "findings", '[', true);
    }
    if (is_dataset(path))
        st = (repair ? drx_dataset_repair : drx_dataset_check)(path, put_finding, &c, show_part, &c);
    else
        st = (repair ? drx_repair : drx_check)(path, put_finding, &c, show_progress, &c);
    hide_progress();
    good = st == DRX_OK;
    failure = drx_last_error()[0] ? drx_last_error() : drx_strerror(st);
    if (!good && c.found[DRX_ERROR] == 0) /* nothing could be checked */
        (void)(drx_is_url(path) || is_dataset(path) || has_array(path) ? failed_drx(path, st)
                                                                       : no_array(path, "array"));
    else if (!good && st != DRX_EDAMAGED && c.begun)
        (void)failed("%s: the check ended early: %s", path, failure);
    if (json) {
        json_end(json, ']');
        json_number(json, "errors", c.found[DRX_ERROR]);
        json_number(json, "warnings", c.found[DRX_WARNING]);
        json_string(json, "verdict", good ? "good" : c.found[DRX_ERROR] ? "damaged" : NULL);
        json_string(json, "failure", good || st == DRX_EDAMAGED ? NULL : failure);
        json_end(json, '}');
    } else if (good || c.found[DRX_ERROR]) {
        put_verdict(&c, path, good);
    }
    return good ? DONE : FAILED;
}

/* Paths, each with a NUL after it. */
struct list {
    char *paths;
    size_t bytes;
};

static int list_folder(const char *folder, FILE *out)
{
    struct folder f;
    int status = DONE;

    if (!read_folder(&f, folder))
        return FAILED;
    for (size_t i = 0; i < f.arrays.n; i++) {
        char *path = in_folder(folder, f.arrays.name[i]);

        if (path)
            (void)fwrite(path, 1, strlen(path) + 1, out);
        else
            status = FAILED;
        free(path);
    }
    if (f.arrays.n == 0)
        warn("%s: no arrays in this folder", folder);
    free_folder(&f);
    return status;
}

/* List the arrays that the words name. On rank 0. */
static int list_arrays(const struct args *args, struct list *list)
{
    FILE *out = open_memstream(&list->paths, &list->bytes);
    int status = DONE;

    for (int i = 0; out && i < args->nwords; i++) {
        const char *path = args->words[i];

        if (!is_folder(path) || has_array(path) || means_dataset(args->words[i]) || names_group(path))
            (void)fwrite(path, 1, strlen(path) + 1, out);
        else if (list_folder(path, out) != DONE)
            status = FAILED;
    }
    return out && fclose(out) == 0 ? status : out_of_memory(BUFSIZ);
}

/* Give all ranks rank 0's list. Collective. */
static int share_list(struct list *list)
{
    int status = DONE;

    share_bytes(&list->bytes, sizeof list->bytes);
    if (!list->paths)
        list->paths = calloc(list->bytes + 1, 1);
    if (!list->paths)
        status = out_of_memory((int64_t)list->bytes);
    status = agree(status);
    if (status == DONE)
        share_bytes(list->paths, list->bytes);
    return status;
}

/* Rank i % size checks array number i; rank 0 prints the findings in the order of the arrays. Collective. */
static int check_list(const struct list *list, bool repair, struct json *json)
{
    const char *end = list->paths + list->bytes;
    int status = DONE, i = 0;

    for (const char *path = list->paths; path < end; path += strlen(path) + 1, i++) {
        const int owner = i % team_size();

        if (json)
            json_join(json, i > 0);
        if (owner == team_rank() && !put_failed() && check_one_array(path, repair, json) != DONE)
            status = FAILED;
        put_from(owner);
    }
    return status;
}

static int check_path(struct args *args)
{
    struct json json = { 0 };
    struct list list = { 0 };
    bool as_json = false, repair = false;
    struct opt opts[] = {
        { "repair", .to = &repair, .letter = 'r',
          .help = "first repair what can be repaired with certainty, and say what was done" },
        { "json", .to = &as_json, .letter = 'j', .help = "print the findings as JSON" },
        { 0 },
    };
    int listed = DONE, status;

    if (!parse_args(args, opts, "PATH..."))
        return args->status;
    args->nwords = array_paths(args->words, args->nwords);
    if (team_rank() == 0)
        listed = list_arrays(args, &list);
    if (as_json && team_rank() == 0)
        json_begin(&json, NULL, '[', true);
    status = share_list(&list);
    if (status == DONE)
        status = check_list(&list, repair, as_json ? &json : NULL);
    if (as_json && team_rank() == 0)
        json_end(&json, ']');
    free(list.paths);
    return status == DONE ? listed : status;
}

const struct verb verb_check = {
    .name = "check",
    .summary = "Verify everything in arrays and datasets that can be verified; repair them",
    .usage = "PATH... [--repair] [--json]",
    .words = "PATH\tan array, a dataset, or a folder: all arrays in it\n",
    .examples = "  drx check sst\n"
                "  drx check sst archive/\n"
                "  drx check --json sst\n"
                "  drx check --repair sst\n",
    .run = check_path,
    .together = true,
};
