#include <sys/stat.h>

#include "arrays/arrays.h"
#include "files/array_files.h"
#include "files/mode.h"
#include "files/sources.h"
#include "frame/interrupt.h"

static const struct option options[] = { HELP_OPTION, { 0 } };

struct change {
    struct array_files files;
    mode_t old[1 + DRX_MAX_STRIPES];
};

static bool look(struct change *change, const char *path)
{
    const drx_status st = list_array_files(path, &change->files);
    struct stat status;

    if (st == DRX_ENOENT || st == DRX_ENOMEM) {
        (void)failed_drx(path, st);
        return false;
    }
    for (int i = 0; i < change->files.n; i++) {
        if (stat(change->files.name[i], &status) != 0) {
            (void)failed_errno(change->files.name[i], "look at it");
            return false;
        }
        change->old[i] = status.st_mode & 07777;
    }
    return true;
}

/* All or none; the metadata, which are looked for first, last. */
static int apply(const struct change *change, const char *mode, mode_t mask)
{
    char *const *name = change->files.name;

    for (int i = change->files.n - 1; i >= 0; i--) {
        if (chmod(name[i], apply_mode(mode, change->old[i], mask)) == 0)
            continue;
        (void)failed_errno(name[i], "change its permissions");
        for (int k = i + 1; k < change->files.n; k++)
            if (chmod(name[k], change->old[k]) != 0)
                (void)failed_errno(name[k], "give it its permissions back");
        return FAILED;
    }
    return DONE;
}

static int change_array(const char *path, const char *mode, mode_t mask)
{
    struct change change = { .files = { .n = 0 } };
    int status = FAILED;

    if (expect_array(path) && look(&change, path))
        status = apply(&change, mode, mask);
    free_array_files(&change.files);
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
    watch_interrupts(); /* all files change, or none */
    for (int i = 1; i < args->nwords && !interrupted(); i++)
        if (change_array(args->words[i], args->words[0], mask) != DONE)
            status = FAILED;
    return status;
}

const struct verb verb_chmod = {
    .name = "chmod",
    .summary = "Change who may read and write arrays, all their files together",
    .usage = "MODE PATH...",
    .options = "  MODE               octal digits, up to 777, or changes with commas between: of u, g, o, a\n"
               "                     (user, group, others, all) whose; + - or = ; and of r, w, x, X what,\n"
               "                     or one of u, g, o, whose to copy\n",
    .examples = "  drx chmod 640 sst\n"
                "  drx chmod a-w sst wind\n"
                "  drx chmod u=rw,g=r,o= sst\n",
    .run = run,
};
