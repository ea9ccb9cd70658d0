#include <string.h>

#include "frame/json.h"
#include "show/text/exports.h"
#include "verbs.h"

static int check_file(const char *word, struct json *json)
{
    const char *path = strcmp(word, "-") == 0 ? "standard input" : word;
    struct exports f;
    const bool good = read_exports(&f, word);

    if (!good)
        (void)failed("%s: %s", path, f.why);
    if (json) {
        json_begin(json, NULL, '{', true);
        json_string(json, "path", path);
        json_string(json, "verdict", good ? "good" : "wrong");
        json_string(json, "failure", good ? NULL : f.why);
        if (good)
            put_exports_json(json, &f);
        json_end(json, '}');
    } else if (good) {
        put_exports_text(&f, path);
    }
    free_exports(&f);
    return good ? DONE : FAILED;
}

static int dap(struct args *args)
{
    struct json json = { 0 };
    bool as_json = false;
    struct opt opts[] = { { "json", .to = &as_json, .letter = 'j', .help = "print the result as JSON" }, { 0 } };
    int status = DONE;

    if (!parse_args(args, opts, "check FILE..."))
        return args->status;
    if (strcmp(args->words[0], "check") != 0)
        return misused("unknown word '%s'; the usage is drx dap %s", args->words[0], args->verb->usage);
    if (as_json)
        json_begin(&json, NULL, '[', true);
    for (int i = 1; i < args->nwords && !put_failed(); i++)
        if (check_file(args->words[i], as_json ? &json : NULL) != DONE)
            status = FAILED;
    if (as_json)
        json_end(&json, ']');
    return status;
}

const struct verb verb_dap = {
    .name = "dap",
    .summary = "Check what processes export through the Distributed Array Protocol",
    .usage = "check FILE... [--json]",
    .words = "check\tdo the exports of all ranks fit together?\n"
             "FILE\t{\"0\": {\"__version__\": \"0.10.0\", \"buffer\": {\"shape\": [...], \"typestr\": \"<f8\"}, "
             "\"dim_data\": [{...}, ...]}, \"1\": ...}; '-' is standard input\n",
    .examples = "  drx dap check exports.json\n"
                "  drx dap check before.json after.json --json\n",
    .run = dap,
};
