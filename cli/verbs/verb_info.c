#include <string.h>

#include "arrays/arrays.h"
#include "files/folder.h"
#include "show/text/info.h"

static const struct option options[] = {
    { "recursive", no_argument, NULL, 'r' },
    { "json", no_argument, NULL, 'j' },
    HELP_OPTION,
    { 0 },
};

struct wish {
    bool recursive;
    struct json *j; /* NULL: text */
};

/* An array wins over a folder of the same name, unless a slash follows. */
static bool means_folder(const char *word)
{
    const size_t n = strlen(word);

    return n > 0 && (word[n - 1] == '/' || (!has_array_file(word) && is_folder(word)));
}

static int show_array(const char *path, const struct wish *wish, bool alone)
{
    struct info info;

    if (!open_info(&info, path)) {
        if (wish->j && !alone) {
            json_begin(wish->j, NULL, '{', true);
            json_string(wish->j, "path", path);
            json_string(wish->j, "error", info.report);
            json_end(wish->j, '}');
        }
        return failed("%s", info.report);
    }
    if (info.report[0])
        warn("%s", info.report);
    if (wish->j)
        put_info_json(wish->j, &info, alone);
    else
        put_info_text(&info);
    return close_info(&info, DONE);
}

/* A folder, without slashes at the end of its name. */
static int show_folder(char *path, const struct wish *wish, bool alone)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0';
    if (!wish->j && !alone)
        put("%s:\n", path);
    return list_folder(path, wish->recursive, wish->j);
}

static int show_all(char **words, int n, const struct wish *wish)
{
    int status = DONE;

    for (int i = 0; i < n && !put_failed(); i++) {
        int got;

        if (i > 0 && !wish->j)
            put("\n");
        if (means_folder(words[i]))
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
    struct wish wish = { 0 };
    char **words;
    bool is_list;
    int option, n, status;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (option == 'r')
            wish.recursive = true;
        else
            wish.j = &json;
    }
    words = args->nwords ? args->words : default_words;
    n = args->nwords ? args->nwords : 1;
    is_list = wish.j && (n > 1 || means_folder(words[0]));
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
    .usage = "[PATH ...] [-r] [--json]",
    .options = "  -r, --recursive    of a folder, list the arrays in its folders, too\n"
               "  --json             all of it, as JSON; of folders and of several arrays a list,\n"
               "                     without the history\n",
    .examples = "  drx info\n"
                "  drx info sst\n"
                "  drx info sst --json\n"
                "  drx info -r climate/\n",
    .run = info,
};
