#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays.h"
#include "info.h"

static const struct option options[] = { { "json", no_argument, NULL, 'j' }, HELP_OPTION, { 0 } };

static bool file_sizes(const char *path, const char *suffix, int64_t *bytes, int64_t *on_disk)
{
    struct stat file;
    char *name;
    bool good;

    if (asprintf(&name, "%s%s", path, suffix) < 0)
        return false;
    good = stat(name, &file) == 0;
    if (!good)
        (void)failed_errno(name, "stat");
    free(name);
    *bytes = good ? (int64_t)file.st_size : 0;
    *on_disk = good ? (int64_t)file.st_blocks * 512 : 0;
    return good;
}

static int info(struct args *args)
{
    struct info info = { 0 };
    int64_t ignored;
    bool json = false;
    int option, status = DONE;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        json = true;
    }
    if (!expect_words(args, "PATH"))
        return MISUSED;
    info.path = array_path(args->words[0]);
    info.array = open_array(info.path, DRX_RDONLY);
    if (!info.array)
        return FAILED;
    info.report = strdup(drx_last_error());
    drx_describe(info.array, &info.spec);
    if (!file_sizes(info.path, ".xta", &info.data_bytes, &info.data_bytes_on_disk) ||
        !file_sizes(info.path, ".xmd", &info.metadata_bytes, &ignored))
        status = FAILED;
    else if (json)
        put_info_json(&info);
    else
        put_info_text(&info);
    free(info.report);
    return close_array(info.array, info.path, status);
}

const struct verb verb_info = {
    .name = "info",
    .summary = "Show what an array is: shape, type, attributes, history, sizes",
    .usage = "PATH [--json]",
    .options = "  --json             all of it, as JSON\n",
    .examples = "  drx info sst\n"
                "  drx info sst --json\n",
    .run = info,
};
