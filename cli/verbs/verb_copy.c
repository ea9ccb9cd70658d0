#include "arrays/arrays.h"
#include "convert/transform.h"
#include "files/folder.h"
#include "frame/interrupt.h"
#include "frame/options.h"
#include "frame/progress.h"
#include "frame/team.h"

enum { CHUNK = LONG_ONLY, PERMUTE, ORDER, ALIGN, STRIPE, CHECKSUM, MEMORY, TMP, DRY_RUN, JSON };

static const struct option options[] = {
    { "chunk", required_argument, NULL, CHUNK },
    { "permute", required_argument, NULL, PERMUTE },
    { "order", required_argument, NULL, ORDER },
    { "align", required_argument, NULL, ALIGN },
    { "stripe", required_argument, NULL, STRIPE },
    { "checksum", no_argument, NULL, CHECKSUM },
    { "memory", required_argument, NULL, MEMORY },
    { "tmp", required_argument, NULL, TMP },
    { "force", no_argument, NULL, 'f' },
    { "dry-run", no_argument, NULL, DRY_RUN },
    { "json", no_argument, NULL, JSON },
    HELP_OPTION,
    { 0 },
};

struct wish {
    struct transform transform;
    bool dry_run, json;
};

static bool take_axes(struct transform *t)
{
    if (!parse_names("--permute", optarg, t->axes, &t->naxes))
        return false;
    for (int j = 0; j < t->naxes; j++)
        if (!t->axes[j]) {
            (void)misused("--permute has an empty place, expected the number or name of an axis of SOURCE there");
            return false;
        }
    return true;
}

static bool take(struct wish *wish, int option)
{
    struct transform *t = &wish->transform;

    switch (option) {
    case CHUNK:
        return parse_numbers("--chunk", optarg, 1, t->chunk, &t->nchunk);
    case PERMUTE:
        return take_axes(t);
    case ORDER:
        t->ordered = true;
        return parse_order("--order", optarg, &t->order);
    case ALIGN:
        return parse_bytes("--align", optarg, &t->spec.align);
    case STRIPE:
        t->spec.stripes = t->stripes;
        return parse_folders("--stripe", optarg, t->stripes, &t->spec.nstripes);
    case CHECKSUM:
        t->spec.flags |= DRX_CHECKSUM;
        return true;
    case MEMORY:
        if (!parse_bytes("--memory", optarg, &t->spec.memory_bytes))
            return false;
        return t->spec.memory_bytes > 0 ? true : misused("--memory 0 is too little, expected at least 1") == DONE;
    case TMP:
        t->spec.tmp = optarg;
        return true;
    case DRY_RUN:
        wish->dry_run = true;
        return true;
    case JSON:
        wish->json = true;
        return true;
    default:
        t->spec.flags |= DRX_REPLACE;
        return true;
    }
}

/* Do the options go together, and with the target? Gives the exit code. */
static int check(struct wish *wish)
{
    struct transform *t = &wish->transform;
    const struct destination *target = &t->target;

    t->exports = target->format != NO_FORMAT;
    if (wish->json && !wish->dry_run)
        return misused("--json goes with --dry-run, expected both");
    if (t->spec.align & (t->spec.align - 1))
        return misused("--align %lld is not valid, expected a power of two", (long long)t->spec.align);
    if (!t->exports)
        return DONE;
    if (t->spec.align)
        return misused("--align goes with an array, expected none for %s", target->name);
    if (t->spec.nstripes)
        return misused("--stripe goes with an array, expected none for %s", target->name);
    if (t->spec.flags & DRX_CHECKSUM)
        return misused("--checksum goes with an array, expected none for %s", target->name);
    if (t->nchunk && target->format == NPY)
        return misused("--chunk goes with an array, netCDF or HDF5, expected none for %s", target->name);
    return check_destination(target, t->ordered, false);
}

/* Rank 0 has looked at all of it; now all copy. */
static int copy_by_all(struct transform *t, int status)
{
    struct progress progress = { 0 };
    drx_array *a;

    share_bytes(t->permute, sizeof t->permute);
    if (agree(status) != DONE || !(a = open_together(t->from, DRX_RDONLY)))
        return FAILED;
    watch_interrupts();
    t->spec.permute = t->naxes ? t->permute : NULL;
    t->spec.progress = follow_progress;
    t->spec.user = &progress;
    status = copy_together(a, t->path, &t->spec);
    hide_progress();
    return close_together(a, t->from, status);
}

/* From array to array all ranks copy. Rank 0 decides. Collective. */
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
    t->spec.chunk = t->nchunk ? t->chunk : NULL;
    t->spec.chunk_order = t->ordered ? &t->order : NULL;
    return copy_by_all(t, status);
}

static int copy(struct args *args)
{
    struct wish wish = { 0 };
    struct transform *t = &wish.transform;
    int option;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&wish, option))
            return MISUSED;
    }
    if (!expect_words(args, "SOURCE TARGET"))
        return MISUSED;
    split_destination(&t->target, args->words[1]);
    if (check(&wish) != DONE)
        return MISUSED;
    if (is_for_all(&wish, args->words[0]))
        return copy_shared(&wish, args->words[0], args->words[1]);
    return go_alone() ? copy_alone(&wish, args->words[0], args->words[1]) : DONE;
}

const struct verb verb_copy = {
    .name = "copy",
    .summary = "Copy an array into other chunks, with permuted axes, or another order",
    .usage = "SOURCE TARGET [OPTION ...]",
    .options = "  SOURCE             an array, or a file as import takes it: FILE or FILE:VARIABLE\n"
               "  TARGET             the path of a new array, or a file as export makes it: .npy, .nc,\n"
               "                     .h5, ...; perhaps with :VARIABLE\n"
               "  --chunk N,N,...    extents of a chunk of TARGET; without it, those of SOURCE\n"
               "  --permute A,B,...  the axes of TARGET: numbers or names of those of SOURCE\n"
               "  --order C|F        order of the elements in a chunk, or in a .npy file; without it,\n"
               "                     that of SOURCE, and C in a file\n"
               "  --align BYTES      begin each chunk at a multiple of BYTES, a power of two\n"
               "  --stripe DIR,...   spread the chunks over these folders, as drx create does\n"
               "  --checksum         keep a checksum of each chunk of TARGET\n"
               "  --memory SIZE      so many bytes for elements at most, as in 512M or 1G; default 512M,\n"
               "                     and 64M where a file is read or written\n"
               "  --tmp DIR          folder for what is stored on the way; without it, that of TARGET\n"
               "  --dry-run          copy nothing, but tell the plan: passes, blocks, memory, bytes and\n"
               "                     calls\n"
               "  --json             with --dry-run: the figures as JSON\n"
               "  -f, --force        replace an array or file of that name; it stays until the copy is\n"
               "                     complete\n",
    .examples = "  drx copy sst sst-series --chunk 12,30,30\n"
                "  drx copy sst turned --permute lat,lon,time --memory 1G\n"
                "  drx copy sst sst-series --chunk 12,30,30 --dry-run\n"
                "  drx copy model.h5:/ocean/temp temp --permute 2,1,0\n",
    .run = copy,
    .together = true,
};
