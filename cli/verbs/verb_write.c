#include "arrays/arrays.h"
#include "formats/npy/npy.h"
#include "verbs.h"

/* Does the file fit into the array there? Gives the exit code. */
static int check_numbers(const drx_array *a, const char *path, const struct numbers *at, const struct npy *npy)
{
    char have[NUMBERS_TEXT_BYTES], bounds[NUMBERS_TEXT_BYTES], where[NUMBERS_TEXT_BYTES];
    const int64_t *shape = drx_shape(a);
    const int ndim = drx_ndim(a);

    if (!has_one_each(path, "--at", at, ndim) || !npy_has_type(npy, a))
        return FAILED;
    if (npy->ndim != ndim)
        return failed("%s: has %d axes, expected %d", npy->name, npy->ndim, ndim);
    for (int j = 0; j < ndim; j++)
        if (npy->shape[j] > shape[j] || at->of[j] > shape[j] - npy->shape[j])
            return failed("%s: shape %s at %s leaves the array on axis %d; the bounds are %s", npy->name,
                          numbers_text(ndim, npy->shape, ",", have), numbers_text(ndim, at->of, ",", where), j,
                          numbers_text(ndim, shape, ",", bounds));
    return DONE;
}

struct writing {
    drx_array *a;
    const char *path;
    struct npy *npy;
    const int64_t *at;
};

static int write_slab(void *with, const struct slabs *s, void *buf)
{
    const struct writing *w = with;
    int64_t at[DRX_MAX_NDIM];

    if (!npy_read(w->npy, s->at, s->extent, buf))
        return FAILED;
    for (int j = 0; j < s->ndim; j++)
        at[j] = w->at[j] + s->at[j];
    return exit_code(w->path, write_at(w->a, at, s->extent, w->npy->order, buf));
}

static int write_npy(drx_array *a, const char *path, struct npy *npy, const int64_t at[])
{
    struct writing writing = { a, path, npy, at };
    struct slabs slabs;
    int64_t lo[DRX_MAX_NDIM];

    for (int j = 0; j < npy->ndim; j++)
        lo[j] = drx_lower(a)[j] + at[j];
    if (cut_slabs(&slabs, a, lo, npy->shape, NULL, npy->order, npy->pipe) <= 0)
        return DONE; /* it fits into the array, so 64 bits hold its size */
    return do_slabs(&slabs, write_slab, &writing, NULL);
}

static int write_box(struct args *args)
{
    struct numbers at = { .n = 0 };
    bool shared = false;
    struct opt opts[] = {
        { "at", "I,I,...", "index of the element where the first one of FILE goes", &at, .take = take_indices },
        { "shared", .to = &shared, .help = SHARED_HELP },
        { 0 },
    };
    const char *path;
    struct npy npy;
    drx_array *a;
    int status = FAILED;

    if (!parse_args(args, opts, "PATH FILE"))
        return args->status;
    if (at.n == 0)
        return misused("--at is missing; give the index of the first element, such as --at 0,0");
    path = array_path(args->words[0]);
    if (!npy_open(&npy, args->words[1]))
        return FAILED;
    a = open_array(path, shared ? DRX_SHARED : DRX_RDWR);
    if (a)
        status = check_numbers(a, path, &at, &npy);
    if (status == DONE)
        status = write_npy(a, path, &npy, at.of);
    npy_close(&npy);
    return a ? commit_array(a, path, status) : FAILED;
}

const struct verb verb_write = {
    .name = "write",
    .summary = "Write a .npy file into an array",
    .usage = "PATH --at I,I,... [--shared] FILE",
    .words = "FILE\ta .npy file, or '-' for standard input. It has the type of the array and fits into its bounds: "
             "writing does not extend the array\n",
    .examples = "  drx write matrix --at 0,0 block.npy\n",
    .run = write_box,
};
