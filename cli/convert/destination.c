#include "destination.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *suffix;
    enum format format;
} formats[] = {
    { ".npy", NPY }, { ".nc", NETCDF }, { ".nc4", NETCDF }, { ".cdf", NETCDF },
    { ".h5", HDF5 }, { ".hdf5", HDF5 }, { ".he5", HDF5 },
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* The format of a file so called, n bytes of it. */
static enum format format_of(const char *name, size_t n)
{
    for (int i = 0; i < FORMATS; i++) {
        const size_t bytes = strlen(formats[i].suffix);

        if (n > bytes && strncasecmp(name + n - bytes, formats[i].suffix, bytes) == 0)
            return formats[i].format;
    }
    return NO_FORMAT;
}

void split_destination(struct destination *d, char *word)
{
    char *colon = NULL;

    d->name = word;
    for (char *at = strchr(word, ':'); at && !colon; at = strchr(at + 1, ':'))
        if (format_of(word, (size_t)(at - word)))
            colon = at;
    if (!colon && d->format && !format_of(word, strlen(word)))
        colon = strrchr(word, ':');
    if (colon) {
        *colon = '\0';
        d->variable = colon + 1;
    }
    if (!d->format)
        d->format = strcmp(word, "-") == 0 ? NPY : format_of(word, strlen(word));
}

int check_destination(const struct destination *d, bool ordered, bool deflated)
{
    if (ordered && d->format != NPY)
        return misused("--order goes with a .npy file, not with %s", d->name);
    if (deflated && d->format == NPY)
        return misused("--deflate goes with netCDF and HDF5, not with %s", d->name);
    if (d->variable && d->format == NPY)
        return misused("%s holds one array; remove ':%s'", d->name, d->variable);
    return DONE;
}

static int to_netcdf(struct export *e, const char *name)
{
    struct part *parts[DRX_MAX_NDIM + 1] = { &e->main };
    struct variables v = { .path = e->main.selection.path, .groups = e->groups, .parts = parts, .n = 1 };

    for (int k = 0; k < e->main.ndim; k++)
        if (e->coords[k].array)
            parts[v.n++] = &e->coords[k];
    v.own_chunks = e->own_chunks;
    return export_netcdf(&v, name);
}

int export_selection(drx_array *a, const struct selection *s, const struct destination *d)
{
    int status = expect_other_file(s->path, d->name);
    struct export *e;

    if (status != DONE)
        return status;
    if (d->format != HDF5 && is_null(a))
        return failed("%s: is null, without elements and without a shape; HDF5 alone has such variables", s->path);
    if (d->format == NPY)
        return save_npy(a, s, d->order, d->name);
    e = calloc(1, sizeof *e);
    if (!e)
        return out_of_memory(sizeof *e);
    e->deflate = d->deflate;
    e->own_chunks = d->own_chunks;
    status = plan_export(e, a, s, d->variable, d->format == NETCDF, d->coords);
    if (status == DONE)
        status = (d->format == NETCDF ? to_netcdf : export_hdf5)(e, d->name);
    release_export(e);
    free(e);
    return status;
}
