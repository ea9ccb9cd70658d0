#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "frame/options.h"
#include "frame/value.h"

enum { SHAPE = LONG_ONLY, CHUNK, TYPE, FILL, DIMS, ORDER, SHELL, ALIGN, STRIPE, CHECKSUM, FORCE };

static const struct option options[] = {
    { "shape", required_argument, NULL, SHAPE },
    { "chunk", required_argument, NULL, CHUNK },
    { "type", required_argument, NULL, TYPE },
    { "fill", required_argument, NULL, FILL },
    { "dims", required_argument, NULL, DIMS },
    { "order", required_argument, NULL, ORDER },
    { "shell", no_argument, NULL, SHELL },
    { "align", required_argument, NULL, ALIGN },
    { "stripe", required_argument, NULL, STRIPE },
    { "checksum", no_argument, NULL, CHECKSUM },
    { "force", no_argument, NULL, FORCE },
    HELP_OPTION,
    { 0 },
};

/* The spec, and what it points to. */
struct wish {
    drx_spec spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
    const char *dims[DRX_MAX_NDIM], *stripes[DRX_MAX_STRIPES];
    int nchunk, ndims;
    const char *fill_text;
    _Alignas(VALUE_MAX_BYTES) unsigned char fill[VALUE_MAX_BYTES];
};

static bool take(struct wish *wish, int option)
{
    drx_spec *spec = &wish->spec;

    switch (option) {
    case SHAPE:
        return parse_numbers("--shape", optarg, 0, wish->shape, &spec->ndim);
    case CHUNK:
        spec->chunk = wish->chunk;
        return parse_numbers("--chunk", optarg, 1, wish->chunk, &wish->nchunk);
    case TYPE:
        return parse_type("--type", optarg, &spec->type);
    case FILL:
        wish->fill_text = optarg;
        return true;
    case DIMS:
        spec->dims = wish->dims;
        return parse_names("--dims", optarg, wish->dims, &wish->ndims);
    case ORDER:
        return parse_order("--order", optarg, &spec->chunk_order);
    case SHELL:
        spec->flags |= DRX_SHELL;
        return true;
    case ALIGN:
        return parse_bytes("--align", optarg, &spec->align);
    case STRIPE:
        spec->stripes = wish->stripes;
        return parse_folders("--stripe", optarg, wish->stripes, &spec->nstripes);
    case CHECKSUM:
        spec->flags |= DRX_CHECKSUM;
        return true;
    default:
        spec->flags |= DRX_REPLACE;
        return true;
    }
}

/* Do the options go together? Gives the exit code. */
static int check(struct wish *wish)
{
    drx_spec *spec = &wish->spec;
    const char *wrong;

    if (!spec->ndim)
        return misused("--shape is missing, expected the initial extents, such as --shape 10,10");
    if (spec->chunk && wish->nchunk != spec->ndim)
        return misused("--chunk has %d numbers, expected %d as --shape has", wish->nchunk, spec->ndim);
    if (spec->dims && wish->ndims != spec->ndim)
        return misused("--dims has %d names, expected %d as --shape has numbers", wish->ndims, spec->ndim);
    if (spec->align & (spec->align - 1))
        return misused("--align %lld is not valid, expected a power of two", (long long)spec->align);
    if (!wish->fill_text)
        return DONE;
    spec->fill = wish->fill;
    wrong = value_of_text(spec->type, wish->fill_text, wish->fill);
    if (wrong)
        return misused("--fill '%s' %s, expected a value of type %s", wish->fill_text, wrong,
                       drx_type_name(spec->type));
    return DONE;
}

static int create(struct args *args)
{
    struct wish wish = { .spec = { .type = DRX_FLOAT64, .shape = wish.shape } };
    drx_array *a;
    const char *path;
    int option;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&wish, option))
            return MISUSED;
    }
    if (!expect_words(args, "PATH") || check(&wish) != DONE)
        return MISUSED;
    path = array_path(args->words[0]);
    a = create_array(path, &wish.spec);
    return a ? commit_array(a, path, DONE) : FAILED;
}

const struct verb verb_create = {
    .name = "create",
    .summary = "Make a new array",
    .usage = "PATH --shape N,N,... [OPTION ...]",
    .options = "  --shape N,N,...    extents in elements; 0 is allowed, the array can grow\n"
               "  --chunk N,N,...    extents of a chunk; without it, about 1 MiB shaped to the array\n"
               "  --type TYPE        int8 ... int64, uint8 ... uint64, float32, float64, complex64,\n"
               "                     complex128, or as NumPy abbreviates (f8, <f8); default float64\n"
               "  --fill VALUE       what elements hold that nobody has written; default 0\n"
               "  --dims NAME,...    names of the dimensions; an empty one is none\n"
               "  --order C|F        order of the elements in a chunk: last (C) or first (F) axis\n"
               "                     fastest; default C\n"
               "  --shell            lay the first chunks out in symmetric shells\n"
               "  --align BYTES      begin each chunk at a multiple of BYTES, a power of two\n"
               "  --stripe DIR,...   spread the chunks over these folders, one on each disk, in turn; as\n"
               "                     seen from the folder of PATH, unless they begin with /\n"
               "  --checksum         keep a checksum of each chunk, which reads of whole chunks and drx\n"
               "                     check compare\n"
               "  --force            replace an array of that name\n",
    .examples = "  drx create matrix --shape 10,10 --chunk 2,3 --type float64\n"
                "  drx create sst --shape 0,180,360 --dims time,lat,lon --type float32 --fill nan\n",
    .run = create,
};
