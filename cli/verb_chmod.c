#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "arrays.h"
#include "interrupt.h"
#include "mode.h"
#include "sources.h"

static const struct option options[] = { HELP_OPTION, { 0 } };

struct change {
    char *name[2]; /* of the data, which few look for, and of the metadata */
    mode_t old[2];
};

static bool look(struct change *change, const char *path)
{
    static const char *const suffixes[2] = { ".xta", ".xmd" };

    for (int i = 0; i < 2; i++) {
        struct stat status;

        if (asprintf(&change->name[i], "%s%s", path, suffixes[i]) < 0) {
            change->name[i] = NULL;
            (void)failed("out of memory");
            return false;
        }
        if (stat(change->name[i], &status) != 0) {
            (void)failed_errno(change->name[i], "look at it");
            return false;
        }
        change->old[i] = status.st_mode & 07777;
    }
    return true;
}

/* Both or none. */
static int apply(const struct change *change, const char *mode, mode_t mask)
{
    for (int i = 0; i < 2; i++) {
        if (chmod(change->name[i], apply_mode(mode, change->old[i], mask)) == 0)
            continue;
        (void)failed_errno(change->name[i], "change its permissions");
        if (i > 0 && chmod(change->name[0], change->old[0]) != 0)
            (void)failed_errno(change->name[0], "give it its permissions back");
        return FAILED;
    }
    return DONE;
}

static int change_array(const char *path, const char *mode, mode_t mask)
{
    struct change change = { 0 };
    int status = FAILED;

    if (expect_array(path) && look(&change, path))
        status = apply(&change, mode, mask);
    free(change.name[0]);
    free(change.name[1]);
    return status;
}

static int run(struct args *args)
{
    const mode_t mask = umask(0);
    int status = DONE;

    (void)umask(mask);
    if (next_option(args, options) < 0)
        return args->status;
    if (!expect_more_words(args, "MODE PATH"))
        return MISUSED;
    if (!is_mode(args->words[0]))
        return misused("MODE '%s' is not valid, expected digits such as 644 or changes such as u+w,go-rwx",
                       args->words[0]);
    args->nwords = 1 + array_paths(args->words + 1, args->nwords - 1);
    watch_interrupts(); /* both files change, or none */
    for (int i = 1; i < args->nwords && !interrupted(); i++)
        if (change_array(args->words[i], args->words[0], mask) != DONE)
            status = FAILED;
    return status;
}

const struct verb verb_chmod = {
    .name = "chmod",
    .summary = "Change who may read and write arrays, both files together",
    .usage = "MODE PATH...",
    .options = "  MODE               octal digits, up to 777, or changes with commas between: of u, g, o, a\n"
               "                     (user, group, others, all) whose; + - or = ; and of r, w, x, X what,\n"
               "                     or one of u, g, o, whose to copy\n",
    .examples = "  drx chmod 640 sst\n"
                "  drx chmod a-w sst wind\n"
                "  drx chmod u=rw,g=r,o= sst\n",
    .run = run,
};
