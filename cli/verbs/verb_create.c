#include "arrays/arrays.h"
#include "frame/team.h"
#include "verbs.h"

/* The description, and what it points to. */
struct wish {
    drx_spec spec;
    struct numbers shape, chunk, lower;
    struct name_list dims, grows;
    struct folders stripes;
    struct codec_choice codec;
    char *fill_text;
    _Alignas(VALUE_ALIGN_BYTES) unsigned char fill[VALUE_MAX_BYTES];
};

/* Complete the description. Gives the exit code. */
static int settle_wish(struct wish *wish)
{
    drx_spec *spec = &wish->spec;
    const int ndim = wish->shape.n;

    if (!ndim)
        return misused("--shape is missing; give the initial extents, such as --shape 10,10");
    if (wish->chunk.n && wish->chunk.n != ndim)
        return misused("--chunk has %d numbers, but --shape has %d; give one for each axis", wish->chunk.n, ndim);
    if (wish->dims.n && wish->dims.n != ndim)
        return misused("--dims has %d names, but --shape has %d numbers; give one for each axis", wish->dims.n, ndim);
    if (wish->lower.n && wish->lower.n != ndim)
        return misused("--lower has %d numbers, but --shape has %d; give one for each axis", wish->lower.n, ndim);
    spec->ndim = ndim;
    spec->shape = wish->shape.of;
    spec->chunk = wish->chunk.n ? wish->chunk.of : NULL;
    spec->lower = wish->lower.n ? wish->lower.of : NULL;
    spec->dims = wish->dims.n ? wish->dims.of : NULL;
    spec->stripes = wish->stripes.n ? wish->stripes.of : NULL;
    spec->nstripes = wish->stripes.n;
    set_codec(spec, &wish->codec.codec);
    if (!parse_axes("--grows", &wish->grows, ndim, spec->dims, &spec->grows))
        return MISUSED;
    if (!wish->fill_text)
        return DONE;
    spec->fill = wish->fill;
    return parse_fill(NULL, spec->type, wish->fill_text, wish->fill) ? DONE : MISUSED;
}

static int create(struct args *args)
{
    struct wish wish = { .spec = { .type = DRX_FLOAT64 } };
    drx_spec *spec = &wish.spec;
    struct opt opts[] = {
        { "shape", "N,N,...", "extents in elements; may be 0, since the array can grow", &wish.shape,
          .take = take_indices },
        { "chunk", "N,N,...", "extents of a chunk; default: up to 1 MiB, as suits the array", &wish.chunk,
          .take = take_extents },
        { "grows", "AXIS,...", "axes that are going to grow: the default chunk has room along them", &wish.grows,
          .take = take_names },
        { "type", "TYPE",
          "int8 ... int64, uint8 ... uint64, float16, float32, float64, complex64, complex128, bool, S1 ... S4096 "
          "(strings of this many bytes), U1 ... U1024 (of code points), or NumPy's abbreviations (f8, <f8); default "
          "float64",
          &spec->type, .take = take_type },
        { "fill", "VALUE", "value of elements that nobody has written; default 0", &wish.fill_text, .take = take_text },
        { "dims", "NAME,...", "names of the dimensions; leave one empty for no name", &wish.dims, .take = take_names },
        { "lower", "I,I,...", "index of the first element on each axis, of any sign; default 0", &wish.lower,
          .take = take_signed },
        { "order", "C|F", "order of the elements in a chunk: last (C) or first (F) axis fastest; default C",
          &spec->chunk_order, .take = take_order },
        { "shell", .help = "lay out the first chunks in symmetric shells", .to = &spec->flags, .bits = DRX_SHELL },
        { "align", "BYTES",
          "begin each chunk at a multiple of BYTES, a power of two, or of what suits the file system (auto)",
          &spec->align, .take = take_alignment },
        { "stripe", "DIR,...",
          "spread the chunks in turn over these folders, one on each disk; relative paths start "
          "at the folder of PATH",
          &wish.stripes, .take = take_folders },
        { "checksum", .help = "keep a checksum of each chunk; reads of whole chunks and drx check compare it",
          .to = &spec->flags, .bits = DRX_CHECKSUM },
        CODEC_OPTIONS(&wish.codec, "none"),
        { "force", .help = "replace an array of that name", .to = &spec->flags, .bits = DRX_REPLACE },
        { 0 },
    };

    if (!parse_args(args, opts, "PATH"))
        return args->status;
    if (check_codec(&wish.codec, opts) != DONE || settle_wish(&wish) != DONE)
        return MISUSED;
    return create_together(array_path(args->words[0]), spec);
}

const struct verb verb_create = {
    .name = "create",
    .summary = "Make a new array",
    .usage = "PATH --shape N,N,... [OPTION ...]",
    .examples = "  drx create matrix --shape 10,10 --chunk 2,3 --type float64\n"
                "  drx create sst --shape 0,180,360 --dims time,lat,lon --type float32 --fill nan\n"
                "  drx create sst --shape 0,180,360 --type float32 --codec zstd\n"
                "  drx create station --shape 1,5 --dims time,sensor --grows time\n",
    .run = create,
    .together = true,
};
