#include "files/copying.h"
#include "files/sources.h"

static const struct option options[] = { { "force", no_argument, NULL, 'f' }, HELP_OPTION, { 0 } };

/* To another file system it is copied, and then removed. */
static int move_array(const char *from, const char *to, unsigned flags)
{
    const drx_status st = drx_rename(from, to, flags);

    if (st == DRX_EUNSUPPORTED)
        return copy_array(from, to, flags | DRX_MOVE);
    return st ? failed_to_put(from, st) : DONE;
}

static int mv(struct args *args)
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
    return for_each_source(args, move_array, flags);
}

const struct verb verb_mv = {
    .name = "mv",
    .summary = "Rename or move arrays, all their files together",
    .usage = "SOURCE... TARGET [--force]",
    .options = "  TARGET             a new path, or a folder\n"
               "  -f, --force        replace an array of that name\n",
    .examples = "  drx mv sst sst-2009\n"
                "  drx mv sst wind archive/\n",
    .run = mv,
};
