#include "arrays/arrays.h"
#include "files/sources.h"
#include "frame/options.h"

static const struct option options[] = { HELP_OPTION, { 0 } };

static int compact_array(const char *path)
{
    drx_array *a = open_array(path, DRX_RDWR);
    drx_status st;

    if (!a)
        return FAILED;
    st = drx_compact(a);
    return close_array(a, path, st ? failed_drx(path, st) : DONE);
}

static int compact(struct args *args)
{
    int status = DONE;

    if (next_option(args, options) < 0)
        return args->status;
    if (!expect_more_words(args, "PATH"))
        return MISUSED;
    args->nwords = array_paths(args->words, args->nwords);
    for (int i = 0; i < args->nwords; i++)
        if (compact_array(args->words[i]) != DONE)
            status = FAILED;
    return status;
}

const struct verb verb_compact = {
    .name = "compact",
    .summary = "Shorten the metadata: drop what later changes have superseded",
    .usage = "PATH...",
    .options = "  PATH               an array; its elements are not touched, its history gets coarser\n",
    .examples = "  drx compact sst\n",
    .run = compact,
};
