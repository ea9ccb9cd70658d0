#include "dataset/datasets.h"
#include "files/folder.h"
#include "frame/options.h"
#include "verbs.h"

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
    .summary = "List the commits of a dataset: when, why, and what grew",
    .usage = "DATASET [OPTION ...]",
    .words = "DATASET\ta folder of arrays that grow together, with dataset.xds in it\n",
    .examples = "  drx log winds\n"
                "  drx log winds -n 5 --json\n",
    .run = show_log,
};
