/* The verbs that grow an axis: extend, append, prepend. */
#include <stdlib.h>
#include <string.h>

#include "dataset/datasets.h"
#include "files/paths.h"
#include "formats/npy/npy.h"
#include "frame/team.h"
#include "verbs.h"

#define FILE_HELP                                                                                                    \
    "FILE\ta .npy file, or '-' for standard input. It has the type of the array and, except on AXIS, its shape. It " \
    "must fit in memory\n"

/* Of the words, the second one is the axis. */
static bool parse_growth(struct args *args, struct opt opts[], const char *words)
{
    if (!parse_args(args, opts, words))
        return false;
    args->status = MISUSED;
    return is_axis(args->words[1]);
}

/* When stripes may lie on disks that only one node sees. Collective. */
static int extend_on_nodes(const char *path, const char *word, int64_t by, bool before)
{
    drx_array *a = open_together(path, DRX_RDWR, DRX_LAST);
    int axis, status = FAILED;

    if (!a)
        return FAILED;
    if (find_axis(a, path, word, &axis))
        status = exit_code(path, extend_together(a, axis, before, by));
    return commit_together(a, path, status);
}

/* A dimension of a dataset, and so all variables that have it, in a commit of its own. */
static int extend_dataset(const char *path, const char *dim, int64_t by, bool before, int mode)
{
    drx_dataset *ds = open_dataset(path, mode, DRX_LAST);
    const drx_status st = !ds      ? DRX_OK
                          : before ? drx_dataset_extend_before(ds, dim, by)
                                   : drx_dataset_extend(ds, dim, by);

    return ds ? commit_and_close(ds, path, exit_code(path, st)) : FAILED;
}

static int extend(struct args *args)
{
    bool before = false, shared = false;
    struct opt opts[] = {
        { "before", .to = &before, .help = "grow at the low end: the new elements come before the others" },
        { "shared", .to = &shared, .help = SHARED_HELP },
        { 0 },
    };
    const char *path;
    drx_array *a;
    int64_t by;
    int axis, status = FAILED;

    if (!parse_args(args, opts, "PATH AXIS BY"))
        return args->status;
    if (!parse_number("BY", args->words[2], 0, &by))
        return MISUSED;
    if (is_dataset(args->words[0]))
        return !go_alone() ? DONE
                           : extend_dataset(args->words[0], args->words[1], by, before, shared ? DRX_SHARED : DRX_RDWR);
    if (!is_axis(args->words[1]))
        return MISUSED;
    path = array_path(args->words[0]);
    if (!shared && has_local_stripes())
        return extend_on_nodes(path, args->words[1], by, before);
    if (!go_alone())
        return DONE;
    a = open_array(path, shared ? DRX_SHARED : DRX_RDWR);
    if (!a)
        return FAILED;
    if (find_axis(a, path, args->words[1], &axis))
        status = exit_code(path, before ? drx_extend_before(a, axis, by) : drx_extend(a, axis, by));
    return commit_array(a, path, status);
}

/* Can the file be appended? Gives the exit code. */
static int check_slab(const drx_array *a, int axis, const struct npy *npy)
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
static int add_file(drx_array *a, const char *path, int axis, struct npy *npy, bool before)
{
    static const int64_t lo[DRX_MAX_NDIM];
    const int64_t bytes = box_bytes(npy->ndim, npy->shape, drx_type_size(npy->type));
    void *buf = calloc(bytes ? (size_t)bytes : 1, 1);
    const int64_t by = npy->shape[axis];
    int status = FAILED;

    if (!buf)
        return out_of_memory(bytes);
    if (npy_read(npy, lo, npy->shape, buf))
        status = exit_code(path, before ? drx_prepend(a, axis, by, npy->order, buf)
                                        : drx_append(a, axis, by, npy->order, buf));
    free(buf);
    return status;
}

static int add_slab(struct args *args, bool before)
{
    bool shared = false;
    struct opt opts[] = { { "shared", .to = &shared, .help = SHARED_HELP }, { 0 } };
    const char *path;
    struct npy npy;
    drx_array *a;
    int axis, status = FAILED;

    if (!parse_growth(args, opts, "PATH AXIS FILE"))
        return args->status;
    path = array_path(args->words[0]);
    if (!npy_open(&npy, args->words[2]))
        return FAILED;
    a = open_array(path, shared ? DRX_SHARED : DRX_RDWR);
    if (a && find_axis(a, path, args->words[1], &axis))
        status = check_slab(a, axis, &npy);
    if (status == DONE)
        status = add_file(a, path, axis, &npy, before);
    npy_close(&npy);
    return a ? commit_array(a, path, status) : FAILED;
}

static int append(struct args *args)
{
    return add_slab(args, false);
}

static int prepend(struct args *args)
{
    return add_slab(args, true);
}

const struct verb verb_extend = {
    .name = "extend",
    .summary = "Grow an axis, or a dimension of a dataset; new elements hold the fill value",
    .usage = "PATH AXIS BY [--before] [--shared]",
    .words = AXIS_HELP "BY\thow many indices to add\n",
    .examples = "  drx extend matrix 1 6\n"
                "  drx extend sst time 31\n"
                "  drx extend sst lat 10 --before\n"
                "  drx extend sst time 1 --shared\n",
    .run = extend,
    .together = true,
};

const struct verb verb_append = {
    .name = "append",
    .summary = "Grow an axis by the elements of a .npy file, as a whole or not at all",
    .usage = "PATH AXIS FILE [--shared]",
    .words = AXIS_HELP FILE_HELP,
    .examples = "  drx append sst time july.npy\n",
    .run = append,
};

const struct verb verb_prepend = {
    .name = "prepend",
    .summary = "Grow an axis at its low end by the elements of a .npy file, as a whole or not at all",
    .usage = "PATH AXIS FILE [--shared]",
    .words = AXIS_HELP FILE_HELP,
    .examples = "  drx prepend sst time may.npy\n",
    .run = prepend,
};
