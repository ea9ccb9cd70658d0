#include "sources.h"

#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "folder.h"
#include "frame/interrupt.h"

bool expect_array(const char *path)
{
    if (has_array_file(path))
        return true;
    if (is_folder(path))
        (void)failed("%s: is a folder, expected an array", path);
    else
        (void)failed("%s.xmd: no such array", path);
    return false;
}

/* Two sources of one name would take one place in the folder. */
static bool names_differ(char *const words[], int n)
{
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(base_name(words[i]), base_name(words[j])) == 0) {
                (void)failed("%s and %s have one name, expected SOURCEs that differ in it", words[j], words[i]);
                return false;
            }
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
        return misused("%s: no folder, expected one to put several SOURCEs in", target);
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
        return failed("%s, expected a new path, or --force to replace it", drx_last_error());
    return failed_drx(from, st);
}
