#include "arrays/arrays.h"
#include "convert/transform.h"
#include "files/folder.h"
#include "frame/options.h"
#include "frame/progress.h"
#include "frame/team.h"
#include "verbs.h"

struct wish {
    struct transform transform;
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
static int check(struct wish *wish, const struct opt opts[])
{
    static const char *const of_arrays[] = { "align", "stripe", "checksum" };
    struct transform *t = &wish->transform;
    const struct destination *target = &t->target;

    t->exports = target->format != NO_FORMAT;
    t->ordered = is_given(opts, "order");
    t->spec.stripes = t->stripes.n ? t->stripes.of : NULL;
    t->spec.nstripes = t->stripes.n;
    if (wish->json && !wish->dry_run)
        return misused("--json goes with --dry-run; give both");
    for (int i = 0; t->exports && i < 3; i++)
        if (is_given(opts, of_arrays[i]))
            return misused("--%s goes with an array; %s is a file", of_arrays[i], target->name);
    if (t->exports && t->chunk.n && target->format == NPY)
        return misused("--chunk goes with an array, netCDF or HDF5; %s is a .npy file", target->name);
    return t->exports ? check_destination(target, t->ordered, false) : DONE;
}

/* All ranks copy, after rank 0 has checked everything. */
static int copy_by_all(struct transform *t, int status)
{
    struct progress progress = { 0 };
    drx_array *a;

    share_bytes(t->permute, sizeof t->permute);
    if (agree(status) != DONE || !(a = open_together(t->from, DRX_RDONLY)))
        return FAILED;
    watch_interrupts();
    t->spec.permute = t->axes.n ? t->permute : NULL;
    t->spec.progress = follow_progress;
    t->spec.user = &progress;
    status = copy_together(a, t->path, &t->spec);
    hide_progress();
    return close_together(a, t->from, status);
}

/* Do all ranks copy? From array to array they do; rank 0 alone copies from and to files. Collective. */
static bool is_for_all(const struct wish *wish, char *source)
{
    bool all = team_size() > 1 && !wish->dry_run && !wish->transform.exports && has_array_file(source);

    share_bytes(&all, sizeof all);
    return all;
}

static int copy_alone(struct wish *wish, char *source, char *target)
{
    struct transform *t = &wish->transform;
    int status = open_transform(t, source, target);

    if (status == DONE)
        status = wish->dry_run ? print_transform(t, wish->json) : run_transform(t);
    close_transform(t);
    return status;
}

static int copy_shared(struct wish *wish, char *source, char *target)
{
    struct transform *t = &wish->transform;
    drx_copy_plan plan;
    int status = DONE;

    if (team_rank() == 0) {
        status = open_transform(t, source, target);
        if (status == DONE)
            status = plan_transform(t, &plan);
        close_transform(t);
    }
    t->from = array_path(source);
    t->path = array_path(target);
    t->spec.chunk = t->chunk.n ? t->chunk.of : NULL;
    t->spec.chunk_order = t->ordered ? &t->order : NULL;
    return copy_by_all(t, status);
}

static int copy(struct args *args)
{
    struct wish wish = { 0 };
    struct transform *t = &wish.transform;
    drx_copy_spec *spec = &t->spec;
    struct opt opts[] = {
        { "chunk", "N,N,...", "extents of a chunk of TARGET; default: those of SOURCE", &t->chunk,
          .take = take_extents },
        { "permute", "A,B,...", "the axes of TARGET, as numbers or names of those of SOURCE", &t->axes,
          .take = take_axes },
        { "order", "C|F",
          "order of the elements in a chunk, or in a .npy file; default: that of SOURCE, and C in a "
          "file",
          &t->order, .take = take_order },
        { "align", "BYTES", "begin each chunk at a multiple of BYTES, a power of two", &spec->align,
          .take = take_alignment },
        { "stripe", "DIR,...", STRIPE_HELP, &t->stripes, .take = take_folders },
        { "checksum", .help = "keep a checksum of each chunk of TARGET", .to = &spec->flags, .bits = DRX_CHECKSUM },
        { "memory", "SIZE",
          "memory for elements at most, such as 512M or 1G; default 512M, and 64M when a file is "
          "read or written",
          &spec->memory_bytes, .take = take_some_bytes },
        { "tmp", "DIR", "folder for temporary files; default: that of TARGET", &spec->tmp, .take = take_text },
        { "dry-run", .help = "copy nothing, but print the plan: passes, blocks, memory, bytes and calls",
          .to = &wish.dry_run },
        { "json", .help = "with --dry-run, print the plan as JSON", .to = &wish.json },
        { "force", .help = "replace an array or file of that name; it stays until the copy is complete",
          .to = &spec->flags, .bits = DRX_REPLACE, .letter = 'f' },
        { 0 },
    };

    if (!parse_args(args, opts, "SOURCE TARGET"))
        return args->status;
    split_destination(&t->target, args->words[1]);
    if (check(&wish, opts) != DONE)
        return MISUSED;
    if (is_for_all(&wish, args->words[0]))
        return copy_shared(&wish, args->words[0], args->words[1]);
    return go_alone() ? copy_alone(&wish, args->words[0], args->words[1]) : DONE;
}

const struct verb verb_copy = {
    .name = "copy",
    .summary = "Copy an array into other chunks, with permuted axes, or another order",
    .usage = "SOURCE TARGET [OPTION ...]",
    .words = "SOURCE\tan array, or a file as import reads it: FILE or FILE:VARIABLE\n"
             "TARGET\tthe path of a new array, or a file as export writes it: .npy, .nc, .h5, ..., perhaps with "
             ":VARIABLE\n",
    .examples = "  drx copy sst sst-series --chunk 12,30,30\n"
                "  drx copy sst turned --permute lat,lon,time --memory 1G\n"
                "  drx copy sst sst-series --chunk 12,30,30 --dry-run\n"
                "  drx copy model.h5:/ocean/temp temp --permute 2,1,0\n",
    .run = copy,
    .together = true,
};
