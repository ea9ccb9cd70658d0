/* The verbs that grow an axis: extend, append. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "formats/npy/npy.h"
#include "frame/options.h"
#include "frame/text.h"
#include "verbs.h"

#define AXIS_HELP "AXIS\ta number from 0 up, or the name of a dimension\n"

static bool parse_growth(struct args *args, const char *words, int *mode)
{
    bool shared = false;
    struct opt opts[] = { { "shared", .to = &shared, .help = SHARED_HELP }, { 0 } };

    if (!parse_args(args, opts, words))
        return false;
    *mode = shared ? DRX_SHARED : DRX_RDWR;
    args->status = MISUSED;
    return is_axis(args->words[1]);
}

static int extend(struct args *args)
{
    const char *path;
    drx_array *a;
    int64_t by;
    int axis, mode, status;

    if (!parse_growth(args, "PATH AXIS BY", &mode) || !parse_number("BY", args->words[2], 0, &by))
        return args->status;
    path = array_path(args->words[0]);
    a = open_array(path, mode);
    if (!a)
        return FAILED;
    status = find_axis(a, path, args->words[1], &axis) ? exit_code(path, drx_extend(a, axis, by)) : FAILED;
    return commit_array(a, path, status);
}

/* Can the file be appended? Gives the exit code. */
static int check(const drx_array *a, int axis, const struct npy *npy)
{
    char have[NUMBERS_TEXT_BYTES], want[NUMBERS_TEXT_BYTES];
    int64_t shape[DRX_MAX_NDIM];
    const int ndim = drx_ndim(a);

    if (!npy_has_type(npy, a))
        return FAILED;
    memcpy(shape, drx_shape(a), (size_t)ndim * sizeof *shape);
    if (npy->ndim == ndim)
        shape[axis] = npy->shape[axis];
    if (npy->ndim != ndim || memcmp(shape, npy->shape, (size_t)ndim * sizeof *shape) != 0)
        return failed("%s: has shape %s, expected %s, with any extent on axis %d", npy->name,
                      numbers_text(npy->ndim, npy->shape, ",", have), numbers_text(ndim, shape, ",", want), axis);
    return DONE;
}

/* The library takes the slab in one piece, so the whole file is read into memory. */
static int append_file(drx_array *a, const char *path, int axis, struct npy *npy)
{
    static const int64_t lo[DRX_MAX_NDIM];
    const int64_t bytes = box_bytes(npy->ndim, npy->shape, drx_type_size(npy->type));
    void *buf = calloc(bytes ? (size_t)bytes : 1, 1);
    int status = FAILED;

    if (!buf)
        return out_of_memory(bytes);
    if (npy_read(npy, lo, npy->shape, buf))
        status = exit_code(path, drx_append(a, axis, npy->shape[axis], npy->order, buf));
    free(buf);
    return status;
}

static int append(struct args *args)
{
    const char *path;
    struct npy npy;
    drx_array *a;
    int axis, mode, status = FAILED;

    if (!parse_growth(args, "PATH AXIS FILE", &mode))
        return args->status;
    path = array_path(args->words[0]);
    if (!npy_open(&npy, args->words[2]))
        return FAILED;
    a = open_array(path, mode);
    if (a && find_axis(a, path, args->words[1], &axis))
        status = check(a, axis, &npy);
    if (status == DONE)
        status = append_file(a, path, axis, &npy);
    npy_close(&npy);
    return a ? commit_array(a, path, status) : FAILED;
}

const struct verb verb_extend = {
    .name = "extend",
    .summary = "Grow an axis; new elements hold the fill value",
    .usage = "PATH AXIS BY [--shared]",
    .words = AXIS_HELP "BY\thow many indices to add\n",
    .examples = "  drx extend matrix 1 6\n"
                "  drx extend sst time 31\n",
    .run = extend,
};

const struct verb verb_append = {
    .name = "append",
    .summary = "Grow an axis by the elements of a .npy file, as a whole or not at all",
    .usage = "PATH AXIS FILE [--shared]",
    .words =
        AXIS_HELP "FILE\ta .npy file, or '-' for standard input. It has the type of the array and, except on AXIS, "
                  "its shape. It must fit in memory\n",
    .examples = "  drx append sst time july.npy\n",
    .run = append,
};
