/* The verbs that change bounds and write no elements: trim, add-axis. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/datasets.h"
#include "files/paths.h"
#include "verbs.h"

/* Of a dimension, and so of all variables that have it, in a commit of its own. */
static int trim_dataset(const char *path, const char *dim, int64_t before, int64_t after, int mode)
{
    drx_dataset *ds = open_dataset(path, mode, DRX_LAST);

    return ds ? commit_and_close(ds, path, exit_code(path, drx_dataset_trim(ds, dim, before, after))) : FAILED;
}

static int trim(struct args *args)
{
    int64_t before = 0, after = 0;
    bool shared = false;
    struct opt opts[] = {
        { "before", "N", "drop the N lowest indices", &before, .take = take_count },
        { "after", "N", "drop the N highest indices", &after, .take = take_count },
        { "shared", .to = &shared, .help = SHARED_HELP },
        { 0 },
    };
    const char *path;
    drx_array *a;
    int axis, status = FAILED;

    if (!parse_args(args, opts, "PATH AXIS"))
        return args->status;
    if (!is_given(opts, "before") && !is_given(opts, "after"))
        return misused("--before and --after are missing; give how many indices to drop, such as --before 1");
    if (is_dataset(args->words[0]))
        return trim_dataset(args->words[0], args->words[1], before, after, shared ? DRX_SHARED : DRX_RDWR);
    if (!is_axis(args->words[1]))
        return MISUSED;
    path = array_path(args->words[0]);
    a = open_array(path, shared ? DRX_SHARED : DRX_RDWR);
    if (!a)
        return FAILED;
    if (find_axis(a, path, args->words[1], &axis))
        status = exit_code(path, drx_trim(a, axis, before, after));
    return commit_array(a, path, status);
}

/* Of a variable of a dataset, in a commit of its own. */
static int add_axis_in(const char *folder, const char *name, int64_t at, const char *dim)
{
    const int axis = at > DRX_MAX_NDIM ? -1 : (int)at;
    drx_dataset *ds = open_dataset(folder, DRX_RDWR, DRX_LAST);

    if (!ds)
        return FAILED;
    return commit_and_close(ds, folder, exit_code(folder, drx_dataset_add_axis(ds, name, axis, dim)));
}

static int add_axis_alone(const char *path, int64_t at, const char *dim)
{
    drx_array *a = open_array(path, DRX_RDWR);
    int status;

    if (!a)
        return FAILED;
    if (at > drx_ndim(a))
        status = failed("%s: a new axis %" PRId64 " is not possible; give 0 to %d", path, at, drx_ndim(a));
    else
        status = exit_code(path, drx_add_axis(a, (int)at, dim));
    return commit_array(a, path, status);
}

static int add_axis(struct args *args)
{
    struct opt opts[] = { { 0 } };
    const char *path, *inside;
    char *folder;
    int64_t at;
    int status;

    if (!parse_args(args, opts, "PATH AT NAME") || !parse_number("AT", args->words[1], 0, &at))
        return args->status;
    path = array_path(args->words[0]);
    folder = dataset_above(path, &inside);
    status = folder ? add_axis_in(folder, inside, at, args->words[2]) : add_axis_alone(path, at, args->words[2]);
    free(folder);
    return status;
}

const struct verb verb_trim = {
    .name = "trim",
    .summary = "Drop indices at the ends of an axis; their elements are gone for good",
    .usage = "PATH AXIS [--before N] [--after N] [--shared]",
    .words = AXIS_HELP
    "PATH\tan array, or a dataset: a commit of its own trims all variables that have the dimension AXIS\n",
    .examples = "  drx trim sst time --before 1\n"
                "  drx trim matrix 1 --before 2 --after 3\n",
    .run = trim,
};

const struct verb verb_add_axis = {
    .name = "add-axis",
    .summary = "Give an array one more axis, of extent 1; no stored element moves",
    .usage = "PATH AT NAME",
    .words =
        "AT\tthe number that the new axis gets; the axes from there on follow it\n"
        "NAME\tof the new axis; '' is none. Of a variable of a dataset: a dimension that is new or has one index\n",
    .examples = "  drx add-axis sst 1 level\n",
    .run = add_axis,
};
