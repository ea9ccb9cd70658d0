#include "paths.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "frame/cli.h"

enum { MAGIC_BYTES = 8 };

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcasecmp(text + n - m, end) == 0;
}

const char *foreign_file(const char *path)
{
    static const char hdf5[MAGIC_BYTES] = "\x89HDF\r\n\x1a\n", npy[] = "\x93NUMPY", classic[] = "CDF";
    char magic[MAGIC_BYTES] = "";
    struct stat status;
    FILE *file;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || (file = fopen(path, "rb")) == NULL)
        return NULL;
    if (fread(magic, 1, sizeof magic, file) < sizeof magic)
        magic[0] = '\0';
    (void)fclose(file);
    if (memcmp(magic, hdf5, sizeof hdf5) == 0)
        return ends_with(path, ".nc") || ends_with(path, ".nc4") || ends_with(path, ".cdf") ? "a netCDF file"
                                                                                            : "an HDF5 file";
    if (memcmp(magic, npy, sizeof npy - 1) == 0)
        return "a .npy file";
    return memcmp(magic, classic, sizeof classic - 1) == 0 ? "a netCDF file" : NULL;
}

/* Nothing has the name; another variable of the dataset may be meant. */
static int nothing(const char *path, const char *what)
{
    const char *inside, *meant = NULL, **names = NULL;
    char *folder = drx_is_url(path) ? NULL : dataset_above(path, &inside);
    drx_dataset *ds = NULL;
    int status, n;

    if (folder && drx_dataset_open(folder, DRX_RDONLY, DRX_LAST, &ds) == DRX_OK) {
        n = drx_dataset_count(ds);
        names = calloc((size_t)n + 1, sizeof *names);
        for (int i = 0; names && i < n; i++)
            names[i] = drx_dataset_name(ds, i);
        meant = names ? nearest_name(inside, names, n, sizeof *names) : NULL;
    }
    status = meant ? failed("%s: no such %s; did you mean %.*s%s?", path, what, (int)(inside - path), path, meant)
                   : no_such(path, what);
    (void)drx_dataset_close(ds);
    free(names);
    free(folder);
    return status;
}

int no_array(const char *path, const char *what)
{
    const char *kind = foreign_file(path), *inside;
    char *folder = dataset_with(path, drx_dataset_group_find, &inside);
    struct stat status;

    if (folder) {
        (void)failed("%s: is a group of the dataset %s; give the dataset, or a variable, as in %s/VARIABLE", path,
                     folder, path);
        free(folder);
        return FAILED;
    }
    if (is_dataset(path))
        return failed("%s: is a dataset, not an array; name a variable that 'drx info %s' lists, as in %s/VARIABLE",
                      path, path, path);
    if (kind)
        return failed("%s: is %s; `drx import %s NEW` makes an array%s of it", path, kind, path,
                      strcmp(kind, "a .npy file") == 0 ? "" : " or a dataset");
    if (stat(path, &status) != 0)
        return nothing(path, what);
    if (S_ISDIR(status.st_mode))
        return failed("%s: is a folder, not an array; 'drx info %s' lists arrays", path, path);
    return failed("%s: is a file of another kind, not an array; 'drx info' lists the arrays of this folder", path);
}
