/* The files that the words of an import mean: files, all files of a folder, or those that a list has. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/paths.h"
#include "gather.h"

static int add_file(struct appending *p, const char *path)
{
    struct planned *more;

    if (access(path, F_OK) != 0)
        return failed_errno(path, "open");
    more = reallocarray(p->of, (size_t)p->n + 1, sizeof *p->of);
    if (!more)
        return out_of_memory(p->n * (int64_t)sizeof *p->of);
    p->of = more;
    p->of[p->n] = (struct planned){ .path = strdup(path) };
    return p->of[p->n++].path ? DONE : out_of_memory((int64_t)strlen(path));
}

/* Has it the name or the first bytes of netCDF or HDF5? A file that is damaged has only the name. */
static bool is_meant(const char *path)
{
    static const char *const ends[] = { ".nc", ".nc4", ".cdf", ".netcdf", ".h5", ".hdf5", ".he5" };
    const char *kind = foreign_file(path), *dot = strrchr(base_name(path), '.');
    bool meant = kind && strcmp(kind, "a .npy file") != 0;

    for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
        meant = meant || strcasecmp(dot, ends[i]) == 0;
    return meant && !is_folder(path);
}

static int add_folder(struct appending *p, const char *path)
{
    const int before = p->n;
    struct dirent **entries;
    const int n = scandir(path, &entries, NULL, alphasort);
    int status = n < 0 ? failed_errno(path, "read the folder") : DONE;

    for (int i = 0; i < n; i++) {
        char *inside = entries[i]->d_name[0] == '.' ? NULL : in_folder(path, entries[i]->d_name);

        if (status == DONE && inside && is_meant(inside))
            status = add_file(p, inside);
        free(inside);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return status == DONE && p->n == before ? failed("%s: is a folder without files of netCDF or HDF5", path) : status;
}

static int add_list(struct appending *p, const char *path)
{
    const int before = p->n;
    FILE *list = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int status = list ? DONE : failed_errno(path, "open the list");

    while (list && status == DONE && (n = getline(&line, &room, list)) >= 0) {
        line[n > 0 && line[n - 1] == '\n' ? n - 1 : n] = '\0';
        if (line[0])
            status = add_file(p, line);
    }
    if (list && status == DONE && ferror(list))
        status = failed_errno(path, "read the list");
    if (list)
        (void)fclose(list);
    free(line);
    return status == DONE && p->n == before ? failed("%s: is a list without files; give one path a line", path)
                                            : status;
}

int list_files(char *const words[], int n, struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < n; i++)
        status = words[i][0] == '@'     ? add_list(p, words[i] + 1)
                 : is_dataset(words[i]) ? failed("%s: is a dataset already; give files of netCDF or HDF5", words[i])
                 : is_folder(words[i])  ? add_folder(p, words[i])
                                        : add_file(p, words[i]);
    return status;
}
