/* An array with the type and the shape of a GA. */
#include <string.h>

#include "ga_inside.h"

enum { CHUNK_BYTES = 1 << 20 };

/* Halve the longest parts until a chunk is small enough. Programs tend to run on a power of two of processes, and their
 * parts are whole chunks then. The chunk does not depend on the number of processes. */
static void choose_chunk(const struct drxgai_global *g, int64_t chunk[])
{
    int64_t parts[GA_MAX_DIM];

    for (int j = 0; j < g->ndim; j++) {
        parts[j] = 1;
        chunk[j] = g->dims[j];
    }
    drxgai_halve(g->ndim, g->dims, g->item_bytes, CHUNK_BYTES, parts, chunk);
}

static drx_status complete(const struct drxgai_global *g, drx_spec *spec, int64_t chunk[])
{
    if (spec->type || spec->shape || (spec->ndim && spec->ndim != g->ndim))
        return drxgai_fail_of(g, DRX_EINVAL,
                              "spec: type and shape are those of the global array, expected 0; ndim, 0 or %d", g->ndim);
    spec->ndim = g->ndim;
    spec->type = g->type;
    spec->shape = g->dims;
    if (!spec->chunk) {
        choose_chunk(g, chunk);
        spec->chunk = chunk;
        spec->align = spec->align || spec->codec ? spec->align : drxgai_alignment(g->ndim, chunk, g->item_bytes);
    }
    return DRX_OK;
}

drx_status drxgai_create(MPI_Comm comm, const char *path, int g_a, const drx_spec *spec, drx_status wrong,
                         drxmp_array **out)
{
    struct drxgai_args args = { .n = 0 };
    struct drxgai_global g;
    int64_t chunk[GA_MAX_DIM];
    drx_spec whole;
    drx_status st = wrong ? wrong : drxgai_look(g_a, &g);

    memset(&whole, 0, sizeof whole);
    if (spec)
        whole = *spec;
    if (!st)
        st = complete(&g, &whole, chunk);
    if (!st && !out)
        st = shim_fail(DRX_EINVAL, "drxga_create: out is a null pointer");
    if (out)
        *out = NULL;
    if (comm == MPI_COMM_NULL)
        return st ? st : shim_fail(DRX_EINVAL, "drxga_create: the communicator is MPI_COMM_NULL");
    drxgai_arg(&args, "what they call", "create", sizeof "create");
    st = drxgai_agree(comm, st, &args); /* drxmp_create compares the rest */
    return st ? st : drxmp_create(comm, path, &whole, out);
}

drx_status drxga_create(MPI_Comm comm, const char *path, int g_a, const drx_spec *spec, drxmp_array **out)
{
    return drxgai_create(comm, path, g_a, spec, DRX_OK, out);
}
