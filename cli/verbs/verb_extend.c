#include "arrays/arrays.h"
#include "frame/options.h"

enum { SHARED = LONG_ONLY };

static const struct option options[] = { { "shared", no_argument, NULL, SHARED }, HELP_OPTION, { 0 } };

static int extend(struct args *args)
{
    const char *path;
    drx_array *a;
    drx_status st;
    int64_t by;
    int option, axis, status = DONE, mode = DRX_RDWR;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        mode = DRX_SHARED;
    }
    if (!expect_words(args, "PATH AXIS BY") || !is_axis(args->words[1]) || !parse_number("BY", args->words[2], 0, &by))
        return MISUSED;
    path = array_path(args->words[0]);
    a = open_array(path, mode);
    if (!a)
        return FAILED;
    if (!find_axis(a, path, args->words[1], &axis)) {
        status = FAILED;
    } else {
        st = drx_extend(a, axis, by);
        if (st)
            status = failed_drx(path, st);
    }
    return commit_array(a, path, status);
}

const struct verb verb_extend = {
    .name = "extend",
    .summary = "Grow an axis; new elements hold the fill value",
    .usage = "PATH AXIS BY [--shared]",
    .options = "  AXIS               a number from 0 up, or the name of a dimension\n"
               "  BY                 how many indices are added\n"
               "  --shared           let other writers that do the same work on the array meanwhile\n",
    .examples = "  drx extend matrix 1 6\n"
                "  drx extend sst time 31\n",
    .run = extend,
};
