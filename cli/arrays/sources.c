#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "files/folder.h"
#include "frame/progress.h"

bool expect_array(const char *path)
{
    if (has_array_file(path))
        return true;
    return is_folder(path) ? !failed("%s: is a folder, not an array", path) : !failed("%s.xmd: no such array", path);
}

/* Two sources of one name would take one place in the folder. */
static bool names_differ(char *const words[], int n)
{
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(base_name(words[i]), base_name(words[j])) == 0)
                return !failed("%s and %s have the same name; they cannot both go into one folder", words[j], words[i]);
    return true;
}

int for_each_source(struct args *args, int (*work)(const char *from, const char *to, unsigned flags), unsigned flags)
{
    int sources = args->nwords - 1;
    char *target = args->words[sources];
    const bool folder = is_folder(target);
    int status = DONE;

    sources = array_paths(args->words, sources);
    if (sources > 1 && !folder)
        return misused("%s: is not a folder; several SOURCEs need one as TARGET", target);
    if (!folder && *target && target[strlen(target) - 1] == '/')
        return failed("%s: no such folder", target);
    if (folder && !names_differ(args->words, sources))
        return FAILED;
    watch_interrupts();
    for (int i = 0; i < sources && !interrupted(); i++) {
        const char *from = args->words[i];
        char *to = folder ? in_folder(target, base_name(from)) : strdup(array_path(target));

        if (!to)
            return out_of_memory((int64_t)strlen(target));
        if (!expect_array(from) || work(from, to, flags) != DONE)
            status = FAILED;
        free(to);
    }
    return status;
}

int failed_to_put(const char *from, drx_status st)
{
    if (st == DRX_EINTERRUPTED)
        return FAILED; /* the signal says it all */
    if (st == DRX_EEXIST)
        return failed("%s; give a new path, or --force to replace it", drx_last_error());
    return failed_drx(from, st);
}
