#include <string.h>
#include <sys/stat.h>

#include "arrays/arrays.h"
#include "convert/import.h"
#include "frame/options.h"
#include "frame/team.h"
#include "frame/value.h"
#include "verbs.h"

/* A type, perhaps of big-endian elements: '>f4'. */
static bool take_raw_type(const char *what, char *text, void *out)
{
    struct raw *raw = out;
    const bool big = text[0] == '>';

    if (big)
        text[0] = '<';
    raw->swapped = strchr("<>", text[0]) && big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    raw->type = type_named(text);
    if (!raw->type && big)
        text[0] = '>';
    return raw->type || take_type(what, text, &raw->type);
}

/* Does option `name` belong to that list? */
static bool is_in(const char *const list[], const char *name)
{
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

/* Do the options go together? Gives the exit code. */
static int check(const struct opt opts[])
{
    static const char *const of_raw[] = { "type", "shape", "source-order", "offset", NULL };
    static const char *const of_new[] = { "chunk", "order", "stripe", "checksum", NULL };
    const bool raw = is_given(opts, "raw"), append = is_given(opts, "append");

    for (const struct opt *o = opts; o->name; o++) {
        if (o->given && !raw && is_in(of_raw, o->name))
            return misused("--%s goes with a file of bare elements; give --raw, too", o->name);
        if (o->given && append && is_in(of_new, o->name))
            return misused("--%s goes with a new array; remove it or --append", o->name);
    }
    for (int i = 0; raw && i < 2; i++)
        if (!is_given(opts, of_raw[i]))
            return misused("--%s is missing; --raw needs it", of_raw[i]);
    if (is_given(opts, "from") && !append)
        return misused("--from goes with --append; give both");
    return DONE;
}

/* Apply the options that override what the source says. */
static int settle(struct import *wish, struct source *s)
{
    _Alignas(VALUE_MAX_BYTES) unsigned char fill[VALUE_MAX_BYTES];

    if (wish->names.n && wish->names.n != s->ndim)
        return failed("%s: --dims has %d names; give %d, one for each dimension", s->label, wish->names.n, s->ndim);
    for (int j = 0; j < s->ndim; j++)
        wish->dims[j] = wish->names.n ? wish->names.of[j] : s->dims[j];
    if (!wish->fill_text)
        return DONE;
    if (!parse_fill(s->label, s->type, wish->fill_text, fill))
        return FAILED;
    source_set_fill(s, fill);
    return DONE;
}

/* Is it a pipe, which only one process can read? */
static bool is_pipe(const char *word)
{
    struct stat file;

    return strcmp(word, "-") == 0 || (stat(word, &file) == 0 && !S_ISREG(file.st_mode));
}

/* Does rank 0 import alone? Collective. */
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
    drx_spec *spec = &wish.spec;
    struct raw *raw = &wish.raw;
    struct opt opts[] = {
        { "append", "AXIS", "add SOURCE at the end of that axis of the array PATH", &wish.append, .take = take_text },
        { "from", "I", "append SOURCE from that index of the axis on; default 0", &wish.from, .take = take_count },
        { "coords", .to = &wish.coords, .help = "also import the coordinates of the dimensions, beside PATH" },
        { "chunk", "N,N,...", "extents of a chunk; default: about 1 MiB, shaped like the array", &wish.chunk,
          .take = take_extents },
        { "dims", "NAME,...", "other names for the dimensions", &wish.names, .take = take_names },
        { "fill", "VALUE", "another fill value; elements that hold that of SOURCE get it, too", &wish.fill_text,
          .take = take_text },
        { "order", "C|F", "order of the elements in a chunk; default C", &spec->chunk_order, .take = take_order },
        { "stripe", "DIR,...", STRIPE_HELP, &wish.stripes, .take = take_folders },
        { "checksum", .help = "keep a checksum of each chunk, in PATH.xcs", .to = &spec->flags, .bits = DRX_CHECKSUM },
        { "force", .help = "replace an array of that name; with --append, ignore a different fill value, unit or scale",
          .to = &wish.force },
        { "raw", .help = "SOURCE holds bare elements, which the options below describe", .to = &wish.is_raw },
        { "type", "TYPE", "their type; types such as '>f4' are big-endian", raw, .take = take_raw_type },
        { "shape", "N,N,...", "their extents", &raw->shape, .take = take_indices },
        { "source-order", "C|F", "last (C) or first (F) axis fastest; default C", &raw->order, .take = take_order },
        { "offset", "BYTES", "where they begin; default: they fill the whole file", &raw->offset, .take = take_bytes },
        { 0 },
    };
    struct source s;
    int status;

    if (!parse_args(args, opts, "SOURCE PATH"))
        return args->status;
    if (check(opts) != DONE)
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
    .words =
        "SOURCE\ta file, or '-' for standard input (.npy or raw). Its first bytes tell its kind. F and F.info "
        "name what Disk Resident Arrays of Global Arrays wrote\n"
        "VARIABLE\tits name in netCDF or HDF5, with groups: /wind/u. It may be left out when the file has only one "
        "variable that is not a coordinate\n",
    .examples = "  drx import winds.nc:UWND uwnd --coords\n"
                "  drx import model.h5:/ocean/temp temp --chunk 1,50,100,100\n"
                "  drx import july.nc:sst sst --append time\n"
                "  drx import etopo.bin relief --raw --type '>i2' --shape 2161,4320\n",
    .run = import,
    .together = true,
};
