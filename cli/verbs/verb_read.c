#include <inttypes.h>
#include <stdio.h>

#include "arrays/arrays.h"
#include "arrays/select.h"
#include "formats/npy/pour.h"
#include "frame/options.h"
#include "frame/progress.h"
#include "frame/team.h"
#include "frame/text.h"
#include "show/text/print_box.h"

enum { AT = LONG_ONLY, COUNT, ORDER, EXPLAIN, FORCE, PRINTED = 100000 };

static const struct option options[] = {
    { "at", required_argument, NULL, AT },
    { "count", required_argument, NULL, COUNT },
    { "order", required_argument, NULL, ORDER },
    { "output", required_argument, NULL, 'o' },
    { "explain", no_argument, NULL, EXPLAIN },
    { "force", no_argument, NULL, FORCE },
    HELP_OPTION,
    { 0 },
};

struct wish {
    int64_t at[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    int nat, ncount; /* 0: not given */
    drx_order order;
    bool ordered, explain, force;
    const char *output; /* NULL: text */
};

static bool take(struct wish *wish, int option)
{
    switch (option) {
    case AT:
        return parse_numbers("--at", optarg, 0, wish->at, &wish->nat);
    case COUNT:
        return parse_numbers("--count", optarg, 0, wish->count, &wish->ncount);
    case ORDER:
        wish->ordered = true;
        return parse_order("--order", optarg, &wish->order);
    case EXPLAIN:
        wish->explain = true;
        return true;
    case FORCE:
        wish->force = true;
        return true;
    default:
        wish->output = optarg;
        return true;
    }
}

/* The box of --at and --count, if it lies in the bounds. Gives the exit code. */
static int settle_box(const drx_array *a, const struct wish *wish, struct selection *s)
{
    const int64_t *shape = drx_shape(a);
    char axis[AXIS_TEXT_BYTES];

    if (wish->nat && wish->nat != s->ndim)
        return failed("%s: --at has %d numbers, expected %d, one for each axis", s->path, wish->nat, s->ndim);
    if (wish->ncount && wish->ncount != s->ndim)
        return failed("%s: --count has %d numbers, expected %d, one for each axis", s->path, wish->ncount, s->ndim);
    for (int j = 0; j < s->ndim; j++) {
        s->lo[j] = wish->at[j];
        if (s->lo[j] > shape[j])
            return failed("%s: --at %" PRId64 " is outside of %s, expected 0 to %" PRId64, s->path, s->lo[j],
                          axis_text(a, j, axis), shape[j]);
        s->count[j] = wish->ncount ? wish->count[j] : shape[j] - s->lo[j];
        if (s->count[j] > shape[j] - s->lo[j])
            return failed("%s: --count %" PRId64 " from %" PRId64 " on leaves %s, expected at most %" PRId64, s->path,
                          s->count[j], s->lo[j], axis_text(a, j, axis), shape[j] - s->lo[j]);
    }
    return DONE;
}

static int read_to_file(drx_array *a, const struct wish *wish, const struct selection *s)
{
    int status = DONE;

    if (team_rank() == 0 && is_own_file(s->path, wish->output))
        status = failed("%s: is a file of the array itself, expected another --output", wish->output);
    status = agree(status);
    return status == DONE ? save_npy(a, s, wish->order, wish->output) : status;
}

static int read_as_text(drx_array *a, const struct wish *wish, const struct selection *s)
{
    const int64_t elements = box_bytes(s->ndim, s->count, 1);

    if (elements > PRINTED && !wish->force)
        return failed("%s: %" PRId64 " elements are too many to print, expected at most %d, or -o FILE, or --force",
                      s->path, elements, PRINTED);
    return print_box(a, s);
}

/* How the library went about it, on all ranks. Collective. */
static void explain(const drx_array *a)
{
    char wanted[SIZE_TEXT_BYTES], mapped[SIZE_TEXT_BYTES], read[SIZE_TEXT_BYTES];
    drx_counters c = { 0 };

    (void)drx_count(a, &c);
    add_up((int64_t *)&c, sizeof c / sizeof(int64_t));
    if (team_rank() > 0)
        return;
    size_text(c.wanted_bytes, wanted);
    size_text(c.mapped_bytes, mapped);
    size_text(c.read_bytes, read);
    hide_progress();
    (void)fprintf(stderr,
                  "wanted     %s\n"
                  "mapped     %s, from the file as memory, in %" PRId64 " strided copies\n"
                  "read       %s, in %" PRId64 " calls\n",
                  wanted, mapped, c.copies, read, c.reads);
}

static int read_box(struct args *args)
{
    struct wish wish = { .order = DRX_ROW_MAJOR };
    struct selection s;
    drx_array *a;
    int option, status;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&wish, option))
            return MISUSED;
    }
    if (!expect_words(args, "PATH"))
        return MISUSED;
    if (wish.ordered && !wish.output)
        return misused("--order goes with a file, expected also -o FILE");
    split_selection(&s, args->words[0]);
    if (s.text && (wish.nat || wish.ncount))
        return misused("[%s] and %s are both given, expected one of them", s.text, wish.nat ? "--at" : "--count");
    if (!wish.output && !go_alone())
        return DONE;
    a = open_together(s.path, DRX_RDONLY);
    if (!a)
        return FAILED;
    status = settle_selection(&s, a);
    if (status == DONE && (wish.nat || wish.ncount))
        status = settle_box(a, &wish, &s);
    if (status == DONE)
        status = wish.output ? read_to_file(a, &wish, &s) : read_as_text(a, &wish, &s);
    if (status == DONE && wish.explain)
        explain(a);
    return close_together(a, s.path, status);
}

const struct verb verb_read = {
    .name = "read",
    .summary = "Read an array, or a box of it, as text or into a .npy file",
    .usage = "PATH[SELECTION] [OPTION ...]",
    .options = "  SELECTION          what of it, as Python writes it: [3], [10:20,:,-1], [...,::2]; the\n"
               "                     shell may want it in quotes\n"
               "  --at I,I,...       index of the first element; default 0 on each axis\n"
               "  --count N,N,...    extents of the box; default up to the bounds\n"
               "  -o, --output FILE  write a .npy file, '-' for standard output; without it, print text\n"
               "  --order C|F        order of the elements in FILE; default C\n"
               "  --explain          say on standard error how it was read: bytes, calls, copies\n"
               "  --force            print more than 100000 elements, too\n",
    .examples = "  drx read matrix --at 0,0 --count 4,4\n"
                "  drx read 'sst[-1,80:100,:]'\n"
                "  drx read sst --at 11,0,0 --count 1,180,360 -o december.npy\n",
    .run = read_box,
    .together = true,
};
