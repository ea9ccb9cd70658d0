/* What a source can be appended to: an array that is there, and is no variable of a dataset. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/paths.h"
#include "import.h"

/* May the array, which is there, grow alone? */
static int check_target_array(const char *path, const char *axis)
{
    char *folder = dataset_of(path);
    int status = DONE;

    if (folder)
        status = failed("%s: is a variable of the dataset %s, whose variables grow together; give all of the file: drx "
                        "import FILE %s --append %s",
                        path, folder, folder, axis);
    free(folder);
    return status;
}

/* Is it FILE:VARIABLE? Gives what follows the colon, or NULL. */
static const char *variable_of(const char *source)
{
    const char *colon = access(source, F_OK) == 0 ? NULL : strrchr(source, ':');
    char *file = colon ? strndup(source, (size_t)(colon - source)) : NULL;
    const bool there = file && access(file, F_OK) == 0;

    free(file);
    return there ? colon + 1 : NULL;
}

int check_append_target(const char *source, const char *path, const char *axis)
{
    const char *variable = variable_of(source);

    if (has_array(path))
        return check_target_array(path, axis);
    if (is_dataset(path))
        return variable ? failed("%s: is a dataset, whose variables grow together; give all of the file, without ':%s'",
                                 path, variable)
                        : DONE;
    if (is_folder(path))
        return failed("%s: is a folder, but not a dataset; give a dataset, or an array in the folder", path);
    if (access(path, F_OK) == 0)
        return failed("%s: is a file, but not an array or dataset; 'drx import %s NAME' makes one of it", path, path);
    return no_such(path, "array or dataset; without --append, drx import makes it");
}
