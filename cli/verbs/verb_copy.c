#include <string.h>

#include "convert/transform.h"
#include "dataset/copy_dataset.h"
#include "dataset/datasets.h"
#include "files/paths.h"
#include "frame/team.h"
#include "verbs.h"

struct wish {
    struct transform transform;
    struct dataset_layout layout; /* its chunks are those of --chunk */
    int64_t at;                   /* the commit */
    bool dry_run, json;
};

static bool take_axes(const char *what, char *text, void *out)
{
    struct name_list *axes = out;

    if (!take_names(what, text, out))
        return false;
    for (int j = 0; j < axes->n; j++)
        if (!axes->of[j])
            return !misused("%s has an empty place; give the number or name of an axis of SOURCE there", what);
    return true;
}

/* Do the options suit each other and the target? Gives the exit code. */
static int check_copy_options(struct wish *wish, const struct opt opts[])
{
    static const char *const of_arrays[] = { "align", "stripe", "checksum", "from-zero", "codec", "level", "shuffle" };
    struct transform *t = &wish->transform;
    const struct destination *target = &t->target;

    t->exports = target->format != NO_FORMAT;
    t->ordered = is_given(opts, "order");
    t->spec.stripes = t->stripes.n ? t->stripes.of : NULL;
    t->spec.nstripes = t->stripes.n;
    if (wish->json && !wish->dry_run)
        return misused("--json goes with --dry-run; give both");
    for (int i = 0; t->exports && i < (int)(sizeof of_arrays / sizeof *of_arrays); i++)
        if (is_given(opts, of_arrays[i]))
            return misused("--%s goes with an array; %s is a file", of_arrays[i], target->name);
    if (t->exports && t->chunk.n && target->format == NPY)
        return misused("--chunk goes with an array, netCDF or HDF5; %s is a .npy file", target->name);
    return t->exports ? check_destination(target, t->ordered, false) : DONE;
}

/* All ranks copy, after rank 0 has checked everything. `a`: the source, if it is open together. */
static int copy_by_all(struct transform *t, drx_array *a, int status)
{
    struct progress progress = { 0 };

    share_bytes(t->permute, sizeof t->permute);
    status = agree(status);
    if (a && status != DONE)
        return close_together(a, t->from, status);
    if (status != DONE || (!a && !(a = open_together(t->from, DRX_RDONLY, DRX_LAST))))
        return FAILED;
    watch_interrupts();
    t->spec.permute = t->axes.n ? t->permute : NULL;
    t->spec.progress = follow_progress;
    t->spec.user = &progress;
    status = copy_together(a, t->path, &t->spec);
    hide_progress();
    return close_together(a, t->from, status);
}

/* Is it a compressed array? False, silently, if it cannot be opened. */
static bool is_packed(const char *path)
{
    drx_array *a;
    bool packed = false;

    if (drx_open(path, DRX_RDONLY, &a) == DRX_OK)
        packed = codec_of(a).codec != DRX_RAW;
    (void)drx_close(a);
    return packed;
}

/* Do all ranks copy? From array to array they do; rank 0 alone copies from and to files, and makes compressed copies.
 * Collective. */
static bool is_for_all(const struct wish *wish, char *source)
{
    bool all =
        team_size() > 1 && !wish->dry_run && !wish->transform.exports && wish->at == DRX_LAST && has_array(source);

    if (all && team_rank() == 0) {
        const struct codec_choice *codec = &wish->transform.codec;

        all = codec->given ? codec->codec.codec == DRX_RAW : !is_packed(source);
    }

    share_bytes(&all, sizeof all);
    return all;
}

static int copy_alone(struct wish *wish, char *source, char *target)
{
    struct transform *t = &wish->transform;
    int status;

    t->commit = wish->at;
    status = open_transform(t, source, target);
    if (status == DONE)
        status = wish->dry_run ? print_transform(t, wish->json) : run_transform(t);
    close_transform(t);
    return status;
}

static int copy_shared(struct wish *wish, char *source, char *target)
{
    struct transform *t = &wish->transform;
    drx_array *a = NULL;
    drx_copy_plan plan;
    int status = DONE;

    t->commit = DRX_LAST;
    if (has_local_stripes() && !(a = open_together(array_path(source), DRX_RDONLY, DRX_LAST)))
        return FAILED;
    if (team_rank() == 0) {
        t->array = a;
        status = open_transform(t, source, target);
        if (status == DONE && begins_at_zero(t->array))
            status = plan_transform(t, &plan);
        t->array = t->array == a ? NULL : t->array;
        close_transform(t);
    }
    t->from = array_path(source);
    t->path = array_path(target);
    t->spec.chunk = t->chunk.n ? t->chunk.of : NULL;
    t->spec.chunk_order = t->ordered ? &t->order : NULL;
    return copy_by_all(t, a, status);
}

/* Refuse what has no meaning for all variables of a dataset. Gives the exit code. */
static int check_whole(struct wish *wish, const char *source, const struct opt opts[])
{
    static const char *const of_one[] = { "permute", "stripe", "tmp", "dry-run", "json", "force" };
    const struct transform *t = &wish->transform;

    for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
        if (is_given(opts, of_one[i]))
            return misused("--%s goes with an array; %s is a dataset", of_one[i], source);
    if (t->target.format)
        return misused("%s: a dataset is copied to a folder; `drx export` writes files", t->target.name);
    return check_chunks(&wish->layout.chunks, source, true);
}

/* A dataset, or a part of it. */
static int copy_whole(struct wish *wish, const char *source, const char *text, char *target)
{
    struct transform *t = &wish->transform;
    struct dataset_layout *l = &wish->layout;
    drx_dataset *ds;
    int status;

    l->order = t->ordered ? &t->order : NULL;
    l->align = t->spec.align;
    l->flags = t->spec.flags;
    l->memory_bytes = t->spec.memory_bytes;
    l->codec = &t->codec;
    l->rounding = t->rounding.bits ? &t->rounding : NULL;
    drop_slashes(target);
    ds = open_dataset(source, DRX_RDONLY, wish->at);
    status = ds ? close_dataset(ds, source, copy_dataset(ds, source, text, target, l)) : FAILED;
    if (status == DONE)
        tell_rounding(&t->rounding, source);
    return status;
}

static int copy(struct args *args)
{
    struct wish wish = { .at = DRX_LAST };
    struct transform *t = &wish.transform;
    drx_copy_spec *spec = &t->spec;
    struct opt opts[] = {
        { "chunk", "N,N,...", "extents of a chunk of TARGET; of a dataset: NAME=N,...; default: those of SOURCE",
          &wish.layout.chunks, .take = take_chunks },
        { "permute", "A,B,...", "the axes of TARGET, as numbers or names of those of SOURCE", &t->axes,
          .take = take_axes },
        { "order", "C|F",
          "order of the elements in a chunk, or in a .npy file; default: that of SOURCE, and C in a "
          "file",
          &t->order, .take = take_order },
        { "align", "BYTES",
          "begin each chunk at a multiple of BYTES, a power of two, or of what suits the file system (auto)",
          &spec->align, .take = take_alignment },
        { "stripe", "DIR,...", STRIPE_HELP, &t->stripes, .take = take_folders },
        { "from-zero", .help = "number the elements of TARGET from 0; default: as those of SOURCE", .to = &spec->flags,
          .bits = DRX_FROM_ZERO },
        { "checksum", .help = "keep a checksum of each chunk of TARGET", .to = &spec->flags, .bits = DRX_CHECKSUM },
        { "memory", "SIZE",
          "memory for elements at most, such as 512M or 1G; default 512M, and 64M when a file is "
          "read or written, or of a selection or a dataset",
          &spec->memory_bytes, .take = take_some_bytes },
        CODEC_OPTIONS(&t->codec, "as SOURCE"),
        { "keep-bits", "N",
          "round floating-point elements to N bits of the mantissa, as netCDF's BitRound does; of a dataset: but not "
          "coordinates",
          &t->rounding, .take = take_keep_bits },
        { "tmp", "DIR", "folder for temporary files; default: that of TARGET", &spec->tmp, .take = take_text },
        COMMIT_OPTIONS(&wish.at, "of a dataset, or an array of one: as commit N has it, not the last one"),
        { "verify", .help = VERIFY_HELP, .take = take_verify },
        { "dry-run", .help = "copy nothing, but print the plan: passes, blocks, memory, bytes and calls",
          .to = &wish.dry_run },
        { "json", .help = "with --dry-run, print the plan as JSON", .to = &wish.json },
        { "force", .help = "replace an array or file of that name; it stays until the copy is complete",
          .to = &spec->flags, .bits = DRX_REPLACE, .letter = 'f' },
        { 0 },
    };
    int status;
    char *text;

    if (!parse_args(args, opts, "SOURCE TARGET"))
        return args->status;
    if (check_codec(&t->codec, opts) != DONE)
        return MISUSED;
    spec->keep_bits = t->rounding.bits;
    spec->rounding = &t->rounding.told;
    split_destination(&t->target, args->words[1]);
    if (selects_dataset(args->words[0], &text)) {
        t->ordered = is_given(opts, "order");
        if (check_whole(&wish, args->words[0], opts) != DONE)
            return MISUSED;
        return go_alone() ? copy_whole(&wish, args->words[0], text, args->words[1]) : DONE;
    }
    status = check_chunks(&wish.layout.chunks, args->words[0], false);
    if (status != DONE)
        return status;
    t->chunk = wish.layout.chunks.each;
    if (check_copy_options(&wish, opts) != DONE)
        return MISUSED;
    if (!has_array(args->words[0]) && is_done_by_child(args->words[0], &status))
        return status;
    if (is_for_all(&wish, args->words[0]))
        status = copy_shared(&wish, args->words[0], args->words[1]);
    else if (!go_alone())
        return DONE;
    else
        status = copy_alone(&wish, args->words[0], args->words[1]);
    if (status == DONE && !wish.dry_run)
        tell_rounding(&t->rounding, args->words[0]);
    return status;
}

const struct verb verb_copy = {
    .name = "copy",
    .summary = "Copy an array or a dataset into other chunks, with permuted axes, or another order",
    .usage = "SOURCE TARGET [OPTION ...]",
    .words =
        "SOURCE\tan array, or a part of it in Python's notation or by coordinates, as 'sst[time=1997,...]'; a dataset, "
        "or a part of it by coordinates; or a file as import reads it: FILE or FILE:VARIABLE\n"
        "TARGET\tthe path of a new array, or a file as export writes it: .npy, .nc, .h5, ..., perhaps with "
        ":VARIABLE\n",
    .examples = "  drx copy sst sst-series --chunk 12,30,30\n"
                "  drx copy sst turned --permute lat,lon,time --memory 1G\n"
                "  drx copy sst sst-series --chunk 12,30,30 --dry-run\n"
                "  drx copy sst sst-small --codec zstd --level 7\n"
                "  drx copy winds winds-series --chunk TIME=132,FNOCY=8\n"
                "  drx copy 'winds/UWND[TIME=1985]' uwnd-1985\n"
                "  drx copy 'winds[TIME=1985]' winds-1985\n"
                "  drx copy model.h5:/ocean/temp temp --permute 2,1,0\n",
    .run = copy,
    .together = true,
};
