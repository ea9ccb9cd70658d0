#include "arrays.h"
#include "options.h"

static const struct option options[] = { HELP_OPTION, { 0 } };

static int extend(struct args *args)
{
    const char *path;
    drx_array *a;
    drx_status st;
    int64_t by;
    int axis, status = DONE;

    if (next_option(args, options) < 0)
        return args->status;
    if (!expect_words(args, "PATH AXIS BY") || !is_axis(args->words[1]) || !parse_number("BY", args->words[2], 0, &by))
        return MISUSED;
    path = array_path(args->words[0]);
    a = open_array(path, DRX_RDWR);
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
    .usage = "PATH AXIS BY",
    .options = "  AXIS               a number from 0 up, or the name of a dimension\n"
               "  BY                 how many indices are added\n",
    .examples = "  drx extend matrix 1 6\n"
                "  drx extend sst time 31\n",
    .run = extend,
};
