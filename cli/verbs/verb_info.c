#include <stdlib.h>
#include <string.h>

#include "dataset/datasets.h"
#include "files/paths.h"
#include "show/text/info.h"
#include "verbs.h"

struct wish {
    bool recursive;
    struct json *j; /* NULL: text */
    int64_t at;     /* the commit */
};

/* An array has precedence over a folder of the same name, unless a slash follows. */
static bool means_folder(const char *word)
{
    const size_t n = strlen(word);

    return n > 0 && (word[n - 1] == '/' || (!has_array(word) && is_folder(word)));
}

static int show_array(const char *path, const struct wish *wish, bool alone)
{
    struct info info;
    int status;

    if (!open_info(&info, path, wish->at)) {
        if (wish->j && !alone)
            put_broken_json(wish->j, &info);
        if (!drx_is_url(path) && !has_array(path))
            return no_array(path, "array or dataset");
        return failed("%s", info.report);
    }
    if (info.report[0])
        warn("%s", info.report);
    status = wish->j && !alone ? DONE : look_at_packing(&info);
    if (wish->j)
        put_info_json(wish->j, &info, alone);
    else
        put_info_text(&info);
    return close_info(&info, status);
}

/* A folder, without slashes at the end of its name. */
static int show_folder(char *path, const struct wish *wish, bool alone)
{
    drop_slashes(path);
    if (!wish->j && !alone)
        put("%s:\n", path);
    return list_folder(path, wish->recursive, wish->j);
}

/* group: "" is the root, and JSON has all. */
static int show_dataset(const char *path, const char *group, const struct wish *wish)
{
    drx_dataset *ds = open_dataset(path, DRX_RDONLY, wish->at);

    if (!ds)
        return FAILED;
    return close_dataset(ds, path, wish->j ? put_dataset_json(wish->j, ds, path) : put_dataset_text(ds, path, group));
}

static int show_group(const char *path, const struct wish *wish)
{
    const char *inside;
    char *folder = dataset_with(path, drx_dataset_group_find, &inside);
    const int status = folder ? show_dataset(folder, inside, wish) : FAILED;

    free(folder);
    return status;
}

/* A dataset, whose arrays are listed with -r. */
static bool shows_dataset(char *word, const struct wish *wish)
{
    return !wish->recursive && means_folder(word) && names_dataset(word);
}

static int show_all(char **words, int n, const struct wish *wish)
{
    int status = DONE;

    for (int i = 0; i < n && !put_failed(); i++) {
        int got;

        if (i > 0 && !wish->j)
            put("\n");
        if (shows_dataset(words[i], wish))
            got = show_dataset(words[i], "", wish);
        else if (names_group(array_path(words[i])))
            got = show_group(words[i], wish);
        else if (means_folder(words[i]) && wish->at != DRX_LAST)
            got = failed("%s: --commit goes with a dataset, or an array of one", words[i]);
        else if (means_folder(words[i]))
            got = show_folder(words[i], wish, n == 1);
        else
            got = show_array(array_path(words[i]), wish, n == 1);
        status = got == DONE ? status : got;
    }
    return status;
}

static int info(struct args *args)
{
    static char here[] = ".";
    char *default_words[] = { here };
    struct json json = { 0 };
    struct wish wish = { .at = DRX_LAST };
    bool as_json = false, is_list;
    struct opt opts[] = {
        { "recursive", .to = &wish.recursive, .letter = 'r',
          .help = "also list the arrays in the folders of a folder" },
        COMMIT_OPTIONS(&wish.at, "of a dataset, or an array of one: as commit N has it, not the last one"),
        { "json", .to = &as_json, .letter = 'j',
          .help = "print all of it as JSON; for folders and several arrays, a list without the history" },
        { 0 },
    };
    char **words = default_words;
    int n = 1, status;

    if (!parse_args(args, opts, "..."))
        return args->status;
    if (args->nwords) {
        words = args->words;
        n = args->nwords;
    }
    wish.j = as_json ? &json : NULL;
    is_list = as_json && (n > 1 || (means_folder(words[0]) &&
                                    (wish.recursive || !(is_dataset(words[0]) || names_group(array_path(words[0]))))));
    if (is_list)
        json_begin(&json, NULL, '[', true);
    status = show_all(words, n, &wish);
    if (is_list)
        json_end(&json, ']');
    return status;
}

const struct verb verb_info = {
    .name = "info",
    .summary = "Show what arrays are: shape, type, attributes, history, sizes",
    .usage = "[PATH ...] [-r] [--commit N] [--json]",
    .words = "PATH\tan array; or a dataset, which is shown as ncdump -h shows a file; or a group of one; or a folder, "
             "whose arrays are "
             "listed; default: this folder\n",
    .examples = "  drx info\n"
                "  drx info sst\n"
                "  drx info sst --json\n"
                "  drx info -r climate/\n",
    .run = info,
};

static int show_log(struct args *args)
{
    int64_t most = -1;
    bool as_json = false;
    struct opt opts[] = {
        { "count", "N", "only the last N commits", &most, .take = take_count, .letter = 'n' },
        { "json", .to = &as_json, .letter = 'j', .help = "print them as JSON" },
        { 0 },
    };
    drx_dataset *ds;

    if (!parse_args(args, opts, "DATASET"))
        return args->status;
    (void)names_dataset(args->words[0]);
    ds = open_dataset(args->words[0], DRX_RDONLY, DRX_LAST);
    if (!ds)
        return FAILED;
    return close_dataset(ds, args->words[0], put_log(ds, args->words[0], most, as_json));
}

const struct verb verb_log = {
    .name = "log",
    .summary = "List the commits of a dataset: when, why, and what each changed",
    .usage = "DATASET [OPTION ...]",
    .words = "DATASET\ta folder of arrays that grow together, with dataset.xds in it\n",
    .examples = "  drx log winds\n"
                "  drx log winds -n 5 --json\n",
    .run = show_log,
};
