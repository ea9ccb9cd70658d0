#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "formats/npy/npy.h"
#include "frame/options.h"
#include "frame/progress.h"
#include "frame/text.h"

enum { AT = LONG_ONLY, SHARED };

static const struct option options[] = {
    { "at", required_argument, NULL, AT },
    { "shared", no_argument, NULL, SHARED },
    HELP_OPTION,
    { 0 },
};

/* Does the file fit into the array there? Gives the exit code. */
static int check(const drx_array *a, const char *path, const int64_t at[], int nat, const struct npy *npy)
{
    char have[NUMBERS_TEXT_BYTES], bounds[NUMBERS_TEXT_BYTES], where[NUMBERS_TEXT_BYTES];
    const int64_t *shape = drx_shape(a);
    const int ndim = drx_ndim(a);

    if (nat != ndim)
        return failed("%s: --at has %d numbers, expected %d, one for each axis", path, nat, ndim);
    if (npy->type != drx_dtype(a))
        return failed("%s: is of type %s, expected %s", npy->name, drx_type_name(npy->type),
                      drx_type_name(drx_dtype(a)));
    if (npy->ndim != ndim)
        return failed("%s: has %d axes, expected %d", npy->name, npy->ndim, ndim);
    for (int j = 0; j < ndim; j++)
        if (npy->shape[j] > shape[j] || at[j] > shape[j] - npy->shape[j])
            return failed("%s: shape %s at %s leaves the array on axis %d, expected it to fit into %s", npy->name,
                          numbers_text(ndim, npy->shape, ",", have), numbers_text(ndim, at, ",", where), j,
                          numbers_text(ndim, shape, ",", bounds));
    return DONE;
}

static int write_slab(drx_array *a, const char *path, struct npy *npy, const struct slabs *s, const int64_t at[],
                      void *buf)
{
    int64_t lo[DRX_MAX_NDIM];
    drx_status st;

    if (!npy_read(npy, s->at, s->extent, buf))
        return FAILED;
    slab_in_array(s, at, lo);
    st = drx_write(a, lo, s->extent, npy->order, buf);
    return st ? failed_drx(path, st) : DONE;
}

static int write_file(drx_array *a, const char *path, struct npy *npy, const int64_t at[])
{
    struct slabs slabs;
    struct progress progress;
    const int64_t total = cut_slabs(&slabs, a, at, npy->shape, NULL, npy->order, npy->pipe);
    void *buf;
    int status = DONE;

    if (total <= 0)
        return DONE; /* it fits into the array, so 64 bits hold it */
    buf = calloc((size_t)largest_slab_bytes(&slabs, a), 1);
    if (!buf)
        return out_of_memory(largest_slab_bytes(&slabs, a));
    begin_progress(&progress, total);
    while (status == DONE && next_slab(&slabs)) {
        status = write_slab(a, path, npy, &slabs, at, buf);
        add_progress(&progress, slab_bytes(&slabs, a));
    }
    hide_progress();
    free(buf);
    return status;
}

static int write_box(struct args *args)
{
    int64_t at[DRX_MAX_NDIM];
    const char *path;
    struct npy npy;
    drx_array *a;
    int option, status, nat = 0, mode = DRX_RDWR;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (option == SHARED)
            mode = DRX_SHARED;
        else if (!parse_numbers("--at", optarg, 0, at, &nat))
            return MISUSED;
    }
    if (!expect_words(args, "PATH FILE"))
        return MISUSED;
    if (nat == 0)
        return misused("--at is missing, expected the index of the first element, such as --at 0,0");
    path = array_path(args->words[0]);
    if (!npy_open(&npy, args->words[1]))
        return FAILED;
    a = open_array(path, mode);
    if (!a) {
        npy_close(&npy);
        return FAILED;
    }
    status = check(a, path, at, nat, &npy);
    if (status == DONE)
        status = write_file(a, path, &npy, at);
    npy_close(&npy);
    return commit_array(a, path, status);
}

const struct verb verb_write = {
    .name = "write",
    .summary = "Write a .npy file into an array",
    .usage = "PATH --at I,I,... [--shared] FILE",
    .options = "  --at I,I,...       index of the element where the first one of FILE goes\n"
               "  --shared           let other writers that do the same work on the array meanwhile\n"
               "  FILE               a .npy file, '-' for standard input, of the type of the array; it\n"
               "                     has to fit into the bounds, for writing extends nothing\n",
    .examples = "  drx write matrix --at 0,0 block.npy\n",
    .run = write_box,
};
