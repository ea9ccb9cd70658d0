#include <string.h>
#include <unistd.h>

#include "convert/import.h"
#include "files/paths.h"
#include "frame/team.h"
#include "gather/gather.h"
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
static int check_import_options(const struct opt opts[])
{
    static const char *const of_raw[] = { "shape", "type", "source-order", "offset", NULL };
    static const char *const of_new[] = { "chunk", "grows", "order",   "stripe", "checksum",
                                          "codec", "level", "shuffle", NULL };
    static const char *const of_append[] = { "from", "as", "overlap", "wait", "shared", NULL };
    static const char *const against_coords[] = { "coords", "overlap", NULL };
    const bool raw = is_given(opts, "raw"), append = is_given(opts, "append");

    for (const struct opt *o = opts; o->name; o++) {
        if (o->given && !raw && is_in(of_raw, o->name) && strcmp(o->name, "type") != 0)
            return misused("--%s goes with a file of bare elements; give --raw, too", o->name);
        if (o->given && append && is_in(of_new, o->name))
            return misused("--%s goes with a new array; remove it or --append", o->name);
    }
    for (int i = 0; raw && i < 2; i++)
        if (!is_given(opts, of_raw[i]))
            return misused("--%s is missing; --raw needs it", of_raw[i]);
    for (int i = 0; !append && of_append[i]; i++)
        if (is_given(opts, of_append[i]))
            return misused("--%s goes with --append; give both", of_append[i]);
    for (int i = 0; is_given(opts, "no-coords") && against_coords[i]; i++)
        if (is_given(opts, against_coords[i]))
            return misused("--no-coords does not go with --%s; remove one of them", against_coords[i]);
    return DONE;
}

/* Apply the options that override what the source says. */
static int settle_import(struct import *wish, struct source *s)
{
    _Alignas(VALUE_ALIGN_BYTES) unsigned char fill[VALUE_MAX_BYTES];

    if (wish->names.n && wish->names.n != s->ndim)
        return failed("%s: --dims has %d names; give %d, one for each dimension", s->label, wish->names.n, s->ndim);
    for (int j = 0; j < s->ndim; j++)
        wish->dims[j] = wish->names.n ? wish->names.of[j] : s->dims[j];
    wish->spec.grows = s->grows;
    if (!parse_axes("--grows", &wish->grows, s->ndim, wish->dims, &wish->spec.grows))
        return MISUSED;
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

/* Are there several sources, or what stands for them? */
static bool are_many(const struct args *args)
{
    const char *source = args->words[0];

    return args->nwords > 2 || source[0] == '@' || (is_folder(source) && access(source, R_OK) == 0);
}

/* Is there a source of a kind that is imported, and a path on this machine? Gives the exit code. */
static int check_words(const struct args *args)
{
    const char *source = args->words[0], *path = args->words[args->nwords - 1];

    if (drx_is_url(path))
        return failed("%s: lies on a server, and servers are read-only; give a path of this machine", path);
    if (args->nwords == 2 && is_dataset(source))
        return failed("%s: is a dataset already; drx copy %s %s copies it", source, source, path);
    return DONE;
}

/* Is the path one that takes the source? Gives the exit code. Collective. */
static int check_target(const struct import *wish, char *words[])
{
    int status = DONE;

    if (team_rank() == 0 && wish->append)
        status = check_append_target(words[0], array_path(words[1]), wish->append);
    share_bytes(&status, sizeof status);
    return status;
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

/* Is one of the options given that belong to none of the list? NULL: no. */
static const char *other_than(const struct opt opts[], const char *const list[])
{
    for (const struct opt *o = opts; o->name; o++)
        if (o->given && !is_in(list, o->name))
            return o->name;
    return NULL;
}

static const char *const of_datasets[] = { "dataset",          "grows", "checksum", "order",
                                           "keep-bits",        "codec", "level",    "type",
                                           "shuffle",          "chunk", "unpack",   "leave-gaps",
                                           "skip-unsupported", NULL };
static const char *const of_appending[] = { "dataset",    "append", "overlap", "keep-bits",        "unpack",
                                            "leave-gaps", "wait",   "shared",  "skip-unsupported", NULL };

/* Is all of the file meant: with --append, for a dataset; else when it is one of netCDF, or of HDF5 with named
 * dimensions or several variables? */
static bool is_whole(const struct opt opts[], char *words[])
{
    if (is_given(opts, "raw") || is_pipe(words[0]) || access(words[0], F_OK) != 0)
        return false;
    if (is_given(opts, "append"))
        return names_dataset(words[1]);
    return is_whole_file(words[0]);
}

/* Import all of the files. Gives the exit code. */
static int import_all(const struct opt opts[], struct args *args, struct import *wish, const char *types)
{
    const char *other = other_than(opts, wish->append ? of_appending : of_datasets);
    char *path = args->words[args->nwords - 1];
    const struct gather_wish all = { .append = wish->append,
                                     .like = &wish->spec,
                                     .grows = &wish->grows,
                                     .chunks = &wish->chunk,
                                     .codec = &wish->codec,
                                     .types = types,
                                     .unpack = is_given(opts, "unpack"),
                                     .overlap = wish->overlap,
                                     .shared = is_given(opts, "shared"),
                                     .skip = is_given(opts, "skip-unsupported"),
                                     .leave_gaps = is_given(opts, "leave-gaps"),
                                     .rounding = &wish->rounding };
    int status;

    if (other)
        return misused("--%s goes with one variable; give SOURCE:VARIABLE, or remove it%s", other,
                       strcmp(other, "force") == 0 && !wish->append
                           ? "; import replaces no dataset, so remove that with 'drx rm' first"
                           : "");
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
        path[n - 1] = '\0';
    if (check_chunks(&wish->chunk, path, true) != DONE)
        return MISUSED;
    if (!go_alone())
        return DONE;
    status = gather(args->words, args->nwords - 1, path, &all);
    if (status == DONE)
        tell_rounding(&wish->rounding, args->nwords > 2 ? path : args->words[0]);
    return status;
}

/* What goes with all of a file does not go with one variable. Gives the exit code. */
static int check_one(const struct opt opts[], const struct chunks *chunks, const char *source)
{
    if (is_given(opts, "type") && !is_given(opts, "raw"))
        return misused("--type goes with a file of bare elements; give --raw, too");
    if ((is_given(opts, "unpack") || is_given(opts, "leave-gaps")) &&
        (strchr(source, ':') || access(source, F_OK) == 0))
        return misused("--%s goes with a dataset, not with one variable",
                       is_given(opts, "unpack") ? "unpack" : "leave-gaps");
    return check_chunks(chunks, source, false);
}

static int import(struct args *args)
{
    struct import wish = { .raw = { .offset = -1 } };
    drx_spec *spec = &wish.spec;
    struct raw *raw = &wish.raw;
    bool dataset = false, shared = false, unpack, leave_gaps, skip, alone;
    char *type = NULL, *path;
    struct opt opts[] = {
        { "append", "AXIS",
          "add SOURCE at the end of that axis of the array PATH, or of that dimension of all variables of a dataset",
          &wish.append, .take = take_text },
        { "overlap", "refuse|skip|replace",
          "what to do with coordinates that are stored already, when appending; default refuse", &wish.overlap,
          .names = NAMES("refuse", "skip", "replace") },
        { "leave-gaps", .to = &leave_gaps,
          .help = "of a dataset: where a part is missing between regular coordinates, the axis grows over it, so that "
                  "--overlap replace can write it when it comes" },
        WAIT_OPTION,
        { "shared", .to = &shared, .help = "of a dataset: " SHARED_HELP },
        { "from", "I", "append SOURCE from that index of the axis on; default 0", &wish.from, .take = take_count },
        { "as", "NAME", "append a variable of another name to the array NAME", &wish.as, .take = take_text },
        { "coords", .to = &wish.coords,
          .help =
              "also import the coordinates of the dimensions, beside PATH; with --append, arrays that are there are "
              "compared, and that of AXIS grows, also without this option" },
        { "no-coords", .to = &wish.no_coords, .help = "do not look at arrays of coordinates beside PATH" },
        { "dataset", .to = &dataset,
          .help =
              "make PATH a dataset of all variables, also of an HDF5 file that has only one and names no dimensions" },
        { "skip-unsupported", .to = &skip,
          .help = "leave out what a dataset cannot store, such as references, and say what; default: refuse the file" },
        { "chunk", "N,N,...",
          "extents of a chunk; of a dataset: NAME=N,...; default: those of SOURCE if they suit, or up to 1 MiB",
          &wish.chunk, .take = take_chunks },
        { "grows", "AXIS,...",
          "axes that are going to grow, beside those that are unlimited in SOURCE: the default chunk has room along "
          "them",
          &wish.grows, .take = take_names },
        { "dims", "NAME,...", "other names for the dimensions", &wish.names, .take = take_names },
        { "fill", "VALUE", "another fill value; elements that hold that of SOURCE get it, too", &wish.fill_text,
          .take = take_text },
        { "order", "C|F", "order of the elements in a chunk; default C", &spec->chunk_order, .take = take_order },
        { "stripe", "DIR,...", STRIPE_HELP, &wish.stripes, .take = take_folders },
        { "checksum", .help = "keep a checksum of each chunk, in PATH.xcs", .to = &spec->flags, .bits = DRX_CHECKSUM },
        CODEC_OPTIONS(&wish.codec, "as in SOURCE, if that is compressed"),
        { "keep-bits", "N",
          "round floating-point elements, but not coordinates, to N bits of the mantissa, as netCDF's BitRound does",
          &wish.rounding, .take = take_keep_bits },
        { "unpack", .to = &unpack,
          .help = "of a dataset: store packed numbers (scale_factor, add_offset) as floats, so that files that are "
                  "packed in different ways fit; missing ones as NaN" },
        { "force",
          .help =
              "replace an array of that name; with --append, take the numbers as they are, whatever their name, unit, "
              "scale or fill value",
          .to = &wish.force },
        { "raw", .help = "SOURCE holds bare elements, which the options below describe", .to = &wish.is_raw },
        { "type", "TYPE",
          "their type; types such as '>f4' are big-endian. VARIABLE=TYPE,... of a dataset: wider types of its "
          "variables",
          &type, .take = take_text },
        { "shape", "N,N,...", "their extents", &raw->shape, .take = take_indices },
        { "source-order", "C|F", "last (C) or first (F) axis fastest; default C", &raw->order, .take = take_order },
        { "offset", "BYTES", "where they begin; default: they fill the whole file", &raw->offset, .take = take_bytes },
        { 0 },
    };
    struct source s;
    int status;

    if (!parse_args(args, opts, "SOURCE PATH ..."))
        return args->status;
    status = check_words(args);
    if (status != DONE)
        return status;
    path = args->words[args->nwords - 1];
    if (check_import_options(opts) != DONE || check_codec(&wish.codec, opts) != DONE ||
        (wish.is_raw && !take_raw_type("--type", type, raw)))
        return MISUSED;
    if (wish.is_raw && args->nwords > 2)
        return misused("--raw goes with one source; give one at a time, and add the others with --append AXIS");
    if (!wish.is_raw && is_done_by_child(args->words[0], &status))
        return status;
    if (dataset || are_many(args) || is_whole(opts, args->words))
        return import_all(opts, args, &wish, type);
    if (shared)
        return misused("--shared goes with --append to a dataset; of an array, remove it");
    status = check_one(opts, &wish.chunk, args->words[0]);
    if (status != DONE)
        return status;
    alone = is_pipe(args->words[0]);
    share_bytes(&alone, sizeof alone);
    if (alone && !go_alone())
        return DONE;
    if (check_target(&wish, args->words) != DONE || !open_source(&s, &wish, args->words[0]))
        return FAILED;
    s.rounding = &wish.rounding;
    status = settle_import(&wish, &s);
    if (status == DONE)
        status = check_rounding(&wish.rounding, s.label, s.type);
    if (status == DONE)
        status = (wish.append ? import_append : import_new)(&s, &wish, array_path(path));
    if (status == DONE)
        tell_rounding(&wish.rounding, s.label);
    source_close(&s);
    return status;
}

const struct verb verb_import = {
    .name = "import",
    .summary = "Make an array or a dataset from a .npy, raw, netCDF, HDF5 or DRA file, or append",
    .usage = "SOURCE[:VARIABLE] ... PATH [OPTION ...]",
    .words =
        "SOURCE\ta file, or '-' for standard input (.npy or raw). Its first bytes tell its kind. F and F.info "
        "name what Disk Resident Arrays of Global Arrays wrote. Several netCDF or HDF5 files, a folder of them, or "
        "@FILE, which has one path a line, become one dataset, or are appended to one, in the order of their "
        "coordinates and in one commit\n"
        "VARIABLE\tits name in netCDF or HDF5, with groups: /wind/u; it becomes an array. Without it, a netCDF "
        "file becomes a "
        "dataset of all its variables, and so does an HDF5 file, unless it has only one and names no dimensions\n"
        "PATH\tan array, or the folder of a dataset, to be made\n",
    .examples = "  drx import winds.nc winds\n"
                "  drx import winds.nc:UWND uwnd --coords\n"
                "  drx import model.h5:/ocean/temp temp --chunk 1,50,100,100\n"
                "  drx import july.nc winds --append time\n"
                "  drx import winds.nc winds --chunk TIME=132,FNOCY=8\n"
                "  drx import era5/*.nc era5 --unpack --keep-bits 12 --codec zstd\n"
                "  drx import winds.nc winds --codec zstd --level 7\n"
                "  drx import etopo.bin relief --raw --type '>i2' --shape 2161,4320\n",
    .run = import,
    .together = true,
};
