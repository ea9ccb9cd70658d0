#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "interrupt.h"
#include "nc_variable.h"
#include "options.h"
#include "progress.h"
#include "slabs.h"

enum { CHUNK = LONG_ONLY, DIMS, ORDER, FORCE };

static const struct option options[] = {
    { "chunk", required_argument, NULL, CHUNK },
    { "dims", required_argument, NULL, DIMS },
    { "order", required_argument, NULL, ORDER },
    { "force", no_argument, NULL, FORCE },
    HELP_OPTION,
    { 0 },
};

/* The spec, and what it points to beside the variable. */
struct wish {
    drx_spec spec;
    int64_t chunk[DRX_MAX_NDIM];
    const char *dims[DRX_MAX_NDIM];
    int nchunk, ndims;
};

static bool take(struct wish *wish, int option)
{
    drx_spec *spec = &wish->spec;

    switch (option) {
    case CHUNK:
        spec->chunk = wish->chunk;
        return parse_numbers("--chunk", optarg, 1, wish->chunk, &wish->nchunk);
    case DIMS:
        return parse_names("--dims", optarg, wish->dims, &wish->ndims);
    case ORDER:
        return parse_order("--order", optarg, &spec->chunk_order);
    default:
        spec->flags |= DRX_REPLACE;
        return true;
    }
}

/* Complete the spec with what the variable is. Gives the exit code. */
static int settle(struct wish *wish, const struct nc_variable *v)
{
    drx_spec *spec = &wish->spec;

    if (wish->nchunk && wish->nchunk != v->ndim)
        return failed("%s:%s: --chunk has %d numbers, expected %d, one for each dimension", v->file, v->name,
                      wish->nchunk, v->ndim);
    if (wish->ndims && wish->ndims != v->ndim)
        return failed("%s:%s: --dims has %d names, expected %d, one for each dimension", v->file, v->name, wish->ndims,
                      v->ndim);
    if (!wish->ndims)
        for (int j = 0; j < v->ndim; j++)
            wish->dims[j] = v->dims[j];
    spec->ndim = v->ndim;
    spec->type = v->type;
    spec->shape = v->shape;
    spec->dims = wish->dims;
    spec->fill = v->fill_name ? v->fill : NULL;
    return DONE;
}

static int copy_elements(const struct nc_variable *v, drx_array *a, const char *path)
{
    static const int64_t origin[DRX_MAX_NDIM];
    struct slabs slabs;
    struct progress progress;
    const int64_t total = cut_slabs(&slabs, a, origin, v->shape, NULL, DRX_ROW_MAJOR, false);
    void *buf;
    drx_status st;
    int status = DONE;

    if (total <= 0)
        return DONE;
    buf = calloc((size_t)largest_slab_bytes(&slabs, a), 1);
    if (!buf)
        return out_of_memory(largest_slab_bytes(&slabs, a));
    begin_progress(&progress, total);
    while (status == DONE && next_slab(&slabs)) {
        if (interrupted() || !nc_variable_read(v, slabs.at, slabs.extent, buf)) {
            status = FAILED;
            break;
        }
        st = drx_write(a, slabs.at, slabs.extent, DRX_ROW_MAJOR, buf);
        if (st)
            status = failed_drx(path, st);
        add_progress(&progress, slab_bytes(&slabs, a));
    }
    hide_progress();
    free(buf);
    return status;
}

static int import_variable(const struct nc_variable *v, struct wish *wish, const char *path)
{
    drx_array *a;
    int status = settle(wish, v);

    if (status != DONE)
        return status;
    watch_interrupts();
    a = create_unnamed_array(path, &wish->spec);
    if (!a)
        return FAILED;
    status = nc_copy_attributes(v, a, path);
    if (status == DONE)
        status = copy_elements(v, a, path);
    if (status == DONE && interrupted())
        status = FAILED;
    return name_array(a, path, wish->spec.flags, status);
}

static int import(struct args *args)
{
    struct wish wish = { 0 };
    struct nc_variable v;
    int option, status;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&wish, option))
            return MISUSED;
    }
    if (!expect_words(args, "SOURCE PATH"))
        return MISUSED;
    if (!nc_variable_open(&v, args->words[0]))
        return FAILED;
    status = import_variable(&v, &wish, array_path(args->words[1]));
    nc_variable_close(&v);
    return status;
}

const struct verb verb_import = {
    .name = "import",
    .summary = "Make an array from a variable of a netCDF file",
    .usage = "SOURCE[:VARIABLE] PATH [OPTION ...]",
    .options = "  SOURCE             a netCDF file\n"
               "  VARIABLE           its name, with groups: /wind/u; may be left out when the file has\n"
               "                     just one that is no coordinate\n"
               "  --chunk N,N,...    extents of a chunk; without it, about 1 MiB shaped to the array\n"
               "  --dims NAME,...    other names for the dimensions\n"
               "  --order C|F        order of the elements in a chunk; default C\n"
               "  --force            replace an array of that name\n",
    .examples = "  drx import winds.nc:UWND uwnd\n"
                "  drx import model.nc:/ocean/temp temp --chunk 1,50,100,100\n",
    .run = import,
};
