#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "formats/npy/npy.h"
#include "frame/text.h"

enum { SHARED = LONG_ONLY };

static const struct option options[] = { { "shared", no_argument, NULL, SHARED }, HELP_OPTION, { 0 } };

/* Can what is in the file stand behind what is in the array? Gives the exit code. */
static int check(const drx_array *a, int axis, const struct npy *npy)
{
    char have[NUMBERS_TEXT_BYTES], want[NUMBERS_TEXT_BYTES];
    int64_t shape[DRX_MAX_NDIM];
    const int ndim = drx_ndim(a);

    if (npy->type != drx_dtype(a))
        return failed("%s: is of type %s, expected %s", npy->name, drx_type_name(npy->type),
                      drx_type_name(drx_dtype(a)));
    memcpy(shape, drx_shape(a), (size_t)ndim * sizeof *shape);
    if (npy->ndim == ndim)
        shape[axis] = npy->shape[axis];
    if (npy->ndim != ndim || memcmp(shape, npy->shape, (size_t)ndim * sizeof *shape) != 0)
        return failed("%s: has shape %s, expected %s, on axis %d any", npy->name,
                      numbers_text(npy->ndim, npy->shape, ",", have), numbers_text(ndim, shape, ",", want), axis);
    return DONE;
}

/* The whole file, read into memory: the library takes the slab in one piece. */
static int append_file(drx_array *a, const char *path, int axis, struct npy *npy)
{
    static const int64_t lo[DRX_MAX_NDIM];
    const int64_t bytes = box_bytes(npy->ndim, npy->shape, drx_type_size(npy->type));
    void *buf;
    drx_status st;
    int status = DONE;

    buf = calloc(bytes ? (size_t)bytes : 1, 1);
    if (!buf)
        return out_of_memory(bytes);
    if (!npy_read(npy, lo, npy->shape, buf)) {
        status = FAILED;
    } else {
        st = drx_append(a, axis, npy->shape[axis], npy->order, buf);
        if (st)
            status = failed_drx(path, st);
    }
    free(buf);
    return status;
}

static int append(struct args *args)
{
    const char *path;
    struct npy npy;
    drx_array *a;
    int option, axis, status, mode = DRX_RDWR;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        mode = DRX_SHARED;
    }
    if (!expect_words(args, "PATH AXIS FILE") || !is_axis(args->words[1]))
        return MISUSED;
    path = array_path(args->words[0]);
    if (!npy_open(&npy, args->words[2]))
        return FAILED;
    a = open_array(path, mode);
    if (!a) {
        npy_close(&npy);
        return FAILED;
    }
    status = find_axis(a, path, args->words[1], &axis) ? check(a, axis, &npy) : FAILED;
    if (status == DONE)
        status = append_file(a, path, axis, &npy);
    npy_close(&npy);
    return commit_array(a, path, status);
}

const struct verb verb_append = {
    .name = "append",
    .summary = "Grow an axis by what is in a .npy file, whole or not at all",
    .usage = "PATH AXIS FILE [--shared]",
    .options = "  AXIS               a number from 0 up, or the name of a dimension\n"
               "  FILE               a .npy file, '-' for standard input, of the type of the array and,\n"
               "                     but for AXIS, of its shape; it is held in memory\n"
               "  --shared           let other writers that do the same work on the array meanwhile\n",
    .examples = "  drx append sst time july.npy\n",
    .run = append,
};
