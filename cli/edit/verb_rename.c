/* The verb that gives a part of a dataset another name. */
#include "dataset/datasets.h"
#include "files/paths.h"
#include "verbs/verbs.h"

static int rename_in(struct args *args)
{
    unsigned parts = 0;
    struct opt opts[] = {
        { "variable", .to = &parts, .bits = 1U << DRX_VARIABLE, .help = "rename the variable alone" },
        { "dimension", .to = &parts, .bits = 1U << DRX_DIMENSION, .help = "rename the dimension alone" },
        { "group", .to = &parts, .bits = 1U << DRX_GROUP, .help = "rename the group alone" },
        WAIT_OPTION,
        { 0 },
    };
    const char *path;
    drx_dataset *ds;

    if (!parse_args(args, opts, "DATASET OLD NEW"))
        return args->status;
    if (parts & (parts - 1))
        return misused("--variable, --dimension and --group exclude each other; without them, all of that name change");
    path = args->words[0];
    if (!names_dataset(args->words[0]))
        return no_array(path, "dataset");
    ds = open_dataset(path, DRX_RDWR, DRX_LAST);
    return ds ? commit_and_close(ds, path, rename_part(ds, path, args->words[1], args->words[2], parts)) : FAILED;
}

const struct verb verb_rename = {
    .name = "rename",
    .summary = "Rename a variable, dimension or group of a dataset; its files stay where they are",
    .usage = "DATASET OLD NEW [OPTION ...]",
    .words =
        "OLD\tits path in the dataset, as ocean/temp. A coordinate is a variable and a dimension of one name: both get "
        "the new one, in one commit\n"
        "NEW\tthe new path, in the same group. Attributes that name OLD, as coordinates does, stay as they are\n",
    .examples = "  drx rename winds u eastward_wind\n"
                "  drx rename winds ocean/temp ocean/t\n"
                "  drx rename winds time t --dimension\n",
    .run = rename_in,
};
