#include "files/copying.h"
#include "files/sources.h"

static const struct option options[] = { { "force", no_argument, NULL, 'f' }, HELP_OPTION, { 0 } };

static int cp(struct args *args)
{
    unsigned flags = 0;
    int option;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        flags = DRX_REPLACE;
    }
    if (!expect_more_words(args, "SOURCE TARGET"))
        return MISUSED;
    return for_each_source(args, copy_array, flags);
}

const struct verb verb_cp = {
    .name = "cp",
    .summary = "Copy arrays, all their files together, holes as holes",
    .usage = "SOURCE... TARGET [--force]",
    .options = "  TARGET             a new path, or a folder\n"
               "  -f, --force        replace an array of that name; it stays until the copy is complete\n",
    .examples = "  drx cp sst sst-backup\n"
                "  drx cp sst wind archive/\n",
    .run = cp,
};
