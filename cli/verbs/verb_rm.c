#include <errno.h>
#include <unistd.h>

#include "arrays/arrays.h"
#include "files/array_files.h"
#include "files/folder.h"
#include "files/sources.h"
#include "frame/interrupt.h"

static const struct option options[] = { { "force", no_argument, NULL, 'f' }, HELP_OPTION, { 0 } };

/* What its owner has protected is not removed by the way. Prints which file it is. */
static bool is_protected(const char *path)
{
    struct array_files files;
    bool found = false;

    (void)list_array_files(path, &files); /* what cannot be opened may be removed */
    for (int i = 0; i < files.n && !found; i++) {
        found = access(files.name[i], W_OK) != 0 && errno == EACCES;
        if (found)
            (void)failed("%s: is protected against writing, expected --force to remove it", files.name[i]);
    }
    free_array_files(&files);
    return found;
}

static int remove_array(const char *path, bool force)
{
    drx_status st;

    if (!has_array_file(path) && force && !is_folder(path))
        return DONE;
    if (!expect_array(path) || (!force && is_protected(path)))
        return FAILED;
    st = drx_remove(path);
    if (st == DRX_ENOENT && force)
        return DONE;
    return st ? failed_drx(path, st) : DONE;
}

static int rm(struct args *args)
{
    bool force = false;
    int option, status = DONE;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        force = true;
    }
    if (!expect_more_words(args, "PATH"))
        return MISUSED;
    watch_interrupts(); /* no half is left */
    args->nwords = array_paths(args->words, args->nwords);
    for (int i = 0; i < args->nwords && !interrupted(); i++)
        if (remove_array(args->words[i], force) != DONE)
            status = FAILED;
    return status;
}

const struct verb verb_rm = {
    .name = "rm",
    .summary = "Remove arrays, all their files together",
    .usage = "PATH... [--force]",
    .options = "  -f, --force        no error when there is no such array; and remove one that is protected\n"
               "                     against writing, too\n",
    .examples = "  drx rm sst\n"
                "  drx rm --force sst wind\n",
    .run = rm,
};
