#include "coords.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/value.h"

char *path_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *beside;

    if (!name[0] || strchr(name, '/'))
        return NULL;
    if (asprintf(&beside, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name) < 0)
        return NULL;
    return beside;
}

drx_array *open_named_like(const drx_array *a, const char *path, int axis)
{
    const char *name = drx_dim_name(a, axis);
    char *beside = name ? path_beside(path, name) : NULL;
    drx_array *found = NULL;

    if (beside && strcmp(beside, path) != 0 && drx_open(beside, DRX_RDONLY, &found) == DRX_OK && drx_ndim(found) != 1) {
        (void)drx_close(found);
        found = NULL;
    }
    free(beside);
    return found;
}

drx_array *open_coordinate(const drx_array *a, const char *path, int axis)
{
    drx_array *found = open_named_like(a, path, axis);

    if (found && (drx_shape(found)[0] != drx_shape(a)[axis] || type_is_complex(drx_dtype(found)))) {
        (void)drx_close(found);
        found = NULL;
    }
    return found;
}
