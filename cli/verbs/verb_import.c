#include <string.h>
#include <sys/stat.h>

#include "arrays/arrays.h"
#include "convert/import.h"
#include "frame/options.h"
#include "frame/team.h"

enum {
    CHUNK = LONG_ONLY,
    DIMS,
    ORDER,
    STRIPE,
    CHECKSUM,
    FILL,
    COORDS,
    APPEND,
    FROM,
    FORCE,
    RAW,
    TYPE,
    SHAPE,
    SOURCE_ORDER,
    OFFSET
};

static const struct option options[] = {
    { "chunk", required_argument, NULL, CHUNK },
    { "dims", required_argument, NULL, DIMS },
    { "order", required_argument, NULL, ORDER },
    { "stripe", required_argument, NULL, STRIPE },
    { "checksum", no_argument, NULL, CHECKSUM },
    { "fill", required_argument, NULL, FILL },
    { "coords", no_argument, NULL, COORDS },
    { "append", required_argument, NULL, APPEND },
    { "from", required_argument, NULL, FROM },
    { "force", no_argument, NULL, FORCE },
    { "raw", no_argument, NULL, RAW },
    { "type", required_argument, NULL, TYPE },
    { "shape", required_argument, NULL, SHAPE },
    { "source-order", required_argument, NULL, SOURCE_ORDER },
    { "offset", required_argument, NULL, OFFSET },
    HELP_OPTION,
    { 0 },
};

/* Options that were given, as bits; and those that go together. */
#define GIVEN(option) (1u << ((option)-LONG_ONLY))

static const char *name_of(int option)
{
    for (const struct option *o = options; o->name; o++)
        if (o->val == option)
            return o->name;
    return "";
}

/* A type, perhaps of big-endian elements: '>f4'. */
static bool take_type(struct raw *raw, char *text)
{
    const bool big = text[0] == '>';

    if (big)
        text[0] = '<';
    raw->swapped = strchr("<>", text[0]) && big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    raw->type = type_named(text);
    if (!raw->type && big)
        text[0] = '>';
    return raw->type || parse_type("--type", text, &raw->type);
}

static bool take(struct import *wish, int option)
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
    case STRIPE:
        spec->stripes = wish->stripes;
        return parse_folders("--stripe", optarg, wish->stripes, &spec->nstripes);
    case CHECKSUM:
        spec->flags |= DRX_CHECKSUM;
        return true;
    case FILL:
        wish->fill_text = optarg;
        return true;
    case COORDS:
        wish->coords = true;
        return true;
    case APPEND:
        wish->append = optarg;
        return true;
    case FROM:
        return parse_number("--from", optarg, 0, &wish->from);
    case RAW:
        wish->is_raw = true;
        return true;
    case TYPE:
        return take_type(&wish->raw, optarg);
    case SHAPE:
        return parse_numbers("--shape", optarg, 0, wish->raw.shape, &wish->raw.ndim);
    case SOURCE_ORDER:
        return parse_order("--source-order", optarg, &wish->raw.order);
    case OFFSET:
        return parse_bytes("--offset", optarg, &wish->raw.offset);
    default:
        wish->force = true;
        return true;
    }
}

/* Do the options go together? Gives the exit code. */
static int check(const struct import *wish, unsigned given)
{
    for (int option = TYPE; option <= OFFSET; option++)
        if (given & GIVEN(option) && !wish->is_raw)
            return misused("--%s goes with a file of bare elements, expected also --raw", name_of(option));
    for (int option = TYPE; option <= SHAPE; option++)
        if (wish->is_raw && !(given & GIVEN(option)))
            return misused("--%s is missing, expected it with --raw", name_of(option));
    for (int option = CHUNK; option <= FILL; option++)
        if (given & GIVEN(option) && wish->append && option != DIMS && option != FILL)
            return misused("--%s goes with a new array, expected no --append", name_of(option));
    if (given & GIVEN(FROM) && !wish->append)
        return misused("--from goes with --append, expected both");
    return DONE;
}

/* What the options say of the source goes before what it says itself. */
static int settle(struct import *wish, struct source *s)
{
    _Alignas(VALUE_MAX_BYTES) unsigned char fill[VALUE_MAX_BYTES];
    const char *wrong;

    if (wish->ndims && wish->ndims != s->ndim)
        return failed("%s: --dims has %d names, expected %d, one for each dimension", s->label, wish->ndims, s->ndim);
    for (int j = 0; !wish->ndims && j < s->ndim; j++)
        wish->dims[j] = s->dims[j];
    if (!wish->fill_text)
        return DONE;
    wrong = value_of_text(s->type, wish->fill_text, fill);
    if (wrong)
        return failed("%s: --fill '%s' %s, expected a value of type %s", s->label, wish->fill_text, wrong,
                      drx_type_name(s->type));
    source_set_fill(s, fill);
    return DONE;
}

/* Standard input and the like, which only one process can read. */
static bool is_pipe(const char *word)
{
    struct stat file;

    return strcmp(word, "-") == 0 || (stat(word, &file) == 0 && !S_ISREG(file.st_mode));
}

/* Should rank 0 do it alone? It decides. Collective. */
static bool is_for_one(const char *word)
{
    bool one = is_pipe(word);

    share_bytes(&one, sizeof one);
    return one;
}

/* On all ranks or none. Collective. */
static bool open_source(struct source *s, const struct import *wish, const char *word)
{
    const bool good = source_open(s, word, wish->is_raw ? &wish->raw : NULL);

    if (agree(good ? DONE : FAILED) == DONE)
        return true;
    if (good)
        source_close(s);
    return false;
}

static int import(struct args *args)
{
    struct import wish = { .raw = { .offset = -1 } };
    struct source s;
    unsigned given = 0;
    int option, status;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&wish, option))
            return MISUSED;
        given |= GIVEN(option);
    }
    if (!expect_words(args, "SOURCE PATH") || check(&wish, given) != DONE)
        return MISUSED;
    if (is_for_one(args->words[0]) && !go_alone())
        return DONE;
    if (!open_source(&s, &wish, args->words[0]))
        return FAILED;
    status = settle(&wish, &s);
    if (status == DONE)
        status = (wish.append ? import_append : import_new)(&s, &wish, array_path(args->words[1]));
    source_close(&s);
    return status;
}

const struct verb verb_import = {
    .name = "import",
    .summary = "Make an array from a .npy, raw, netCDF, HDF5 or DRA file, or append one",
    .usage = "SOURCE[:VARIABLE] PATH [OPTION ...]",
    .options = "  SOURCE             a file, '-' for standard input (.npy or raw); what kind it is of is\n"
               "                     seen from its first bytes, or from F.info beside F for what Disk\n"
               "                     Resident Arrays of Global Arrays wrote\n"
               "  VARIABLE           of netCDF or HDF5, with groups: /wind/u; may be left out when the\n"
               "                     file has just one that is no coordinate\n"
               "  --append AXIS      add SOURCE behind what the array PATH holds, along that axis\n"
               "  --from I           append SOURCE from that index of the axis on; default 0\n"
               "  --coords           import the coordinates of the dimensions, too, beside PATH\n"
               "  --chunk N,N,...    extents of a chunk; without it, about 1 MiB shaped to the array\n"
               "  --dims NAME,...    other names for the dimensions\n"
               "  --fill VALUE       another fill value, also in the elements that hold that of SOURCE\n"
               "  --order C|F        order of the elements in a chunk; default C\n"
               "  --stripe DIR,...   spread the chunks over these folders, as drx create does\n"
               "  --checksum         keep a checksum of each chunk, in PATH.xcs\n"
               "  --force            replace an array of that name; with --append, do so though fill\n"
               "                     value, units or scale differ\n"
               "  --raw              SOURCE is bare elements, of which the options below tell the rest\n"
               "  --type TYPE        their type; '>f4' and the like are big-endian\n"
               "  --shape N,N,...    their extents\n"
               "  --source-order C|F  last (C) or first (F) axis fastest; default C\n"
               "  --offset BYTES     where they begin; without it, they are the whole file\n",
    .examples = "  drx import winds.nc:UWND uwnd --coords\n"
                "  drx import model.h5:/ocean/temp temp --chunk 1,50,100,100\n"
                "  drx import july.nc:sst sst --append time\n"
                "  drx import etopo.bin relief --raw --type '>i2' --shape 2161,4320\n",
    .run = import,
    .together = true,
};
