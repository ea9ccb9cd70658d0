#include "array_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static drx_status list_pair(const char *path, struct array_files *files)
{
    static const char *const suffixes[] = { ".xmd", ".xta", ".xcs" };
    struct stat file;

    for (; files->n < 3; files->n++)
        if (asprintf(&files->name[files->n], "%s%s", path, suffixes[files->n]) < 0)
            return DRX_ENOMEM;
    if (lstat(files->name[2], &file) != 0)
        free(files->name[--files->n]);
    return DRX_OK;
}

drx_status list_array_files(const char *path, struct array_files *files)
{
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDONLY, &a), other;
    const char *name;

    files->n = 0;
    if (st) {
        other = list_pair(path, files);
        return other ? other : st;
    }
    while (!st && (name = drx_file(a, files->n)) != NULL) {
        files->name[files->n] = strdup(name);
        if (files->name[files->n])
            files->n++;
        else
            st = DRX_ENOMEM;
    }
    other = drx_close(a);
    return st ? st : other;
}

void free_array_files(struct array_files *files)
{
    while (files->n > 0)
        free(files->name[--files->n]);
}
