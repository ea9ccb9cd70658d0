#include <inttypes.h>

#include "formats/export.h"
#include "frame/team.h"
#include "show/text/info.h"
#include "verbs.h"

enum { PRINTED = 100000 };

struct wish {
    struct numbers at, count;
    drx_order order;
    bool explain, force, raw;
    int64_t commit;
    char *output; /* NULL: text */
};

/* Select the box of --at and --count. Gives the exit code. */
static int settle_box(const drx_array *a, const struct wish *wish, struct selection *s)
{
    const int64_t *at = wish->at.of;
    int64_t shape[DRX_MAX_NDIM];
    char axis[AXIS_TEXT_BYTES];

    if (wish->at.n == 1 && s->ndim > 1)
        return failed("%s: --at has 1 number; give %d, one for each axis, or --commit %" PRId64
                      " for that commit of a dataset",
                      s->path, s->ndim, at[0]);
    if ((wish->at.n && !has_one_each(s->path, "--at", &wish->at, s->ndim)) ||
        (wish->count.n && !has_one_each(s->path, "--count", &wish->count, s->ndim)))
        return FAILED;
    for (int j = 0; j < s->ndim; j++) {
        shape[j] = drx_shape(a)[j];
        s->lo[j] = at[j];
        if (at[j] > shape[j])
            return failed("%s: --at %" PRId64 " is outside of %s; give 0 to %" PRId64, s->path, at[j],
                          axis_text(a, j, axis), shape[j]);
        s->count[j] = wish->count.n ? wish->count.of[j] : shape[j] - at[j];
        if (s->count[j] > shape[j] - at[j])
            return failed("%s: --count %" PRId64 " from index %" PRId64 " leaves %s; give at most %" PRId64, s->path,
                          s->count[j], at[j], axis_text(a, j, axis), shape[j] - at[j]);
    }
    return DONE;
}

static int read_to_file(drx_array *a, const struct wish *wish, const struct selection *s)
{
    const int status = expect_other_file(s->path, wish->output);

    return status == DONE ? save_npy(a, s, wish->order, wish->output) : status;
}

static int read_as_text(drx_array *a, const struct wish *wish, const struct selection *s)
{
    const int64_t elements = box_bytes(s->ndim, s->count, 1);

    if (elements > PRINTED && !wish->force)
        return failed("%s: %" PRId64 " elements are too many to print; select at most %d, or give -o FILE or --force",
                      s->path, elements, PRINTED);
    return print_box(a, s, wish->raw);
}

/* Print how the library read, on all ranks together. Collective. */
static void explain(const drx_array *a)
{
    char wanted[SIZE_TEXT_BYTES], mapped[SIZE_TEXT_BYTES], read[SIZE_TEXT_BYTES], direct[SIZE_TEXT_BYTES],
        touched[SIZE_TEXT_BYTES], ahead[SIZE_TEXT_BYTES];
    drx_counters c = { 0 };

    (void)drx_count(a, &c);
    add_up((int64_t *)&c, sizeof c / sizeof(int64_t));
    if (team_rank() > 0)
        return;
    size_text(c.wanted_bytes, wanted);
    size_text(c.mapped_bytes, mapped);
    size_text(c.read_bytes, read);
    size_text(c.direct_bytes, direct);
    size_text(c.touched_bytes, touched);
    size_text(c.ahead_bytes, ahead);
    hide_progress();
    (void)fprintf(stderr,
                  "wanted     %s\n"
                  "mapped     %s, from the file as memory, in %" PRId64 " strided copies\n"
                  "read       %s, in %" PRId64 " calls, %" PRId64 " of them under way with others\n"
                  "touched    %s of this, copied from the file as memory while the system read it\n"
                  "directly   %s of this, past the system's cache, as of arrays that are too large for it\n"
                  "ahead      %s, fetched for the next box while the last one was in use\n",
                  wanted, mapped, c.copies, read, c.reads, c.concurrent, touched, direct, ahead);
}

static int read_box(struct args *args)
{
    struct wish wish = { .order = DRX_ROW_MAJOR, .commit = DRX_LAST };
    struct opt opts[] = {
        { "at", "I,I,...", "index of the first element; default 0 on each axis", &wish.at, .take = take_indices },
        { "count", "N,N,...", "extents of the box; default: up to the bounds", &wish.count, .take = take_indices },
        { "output", "FILE", "write a .npy file, or standard output if FILE is '-'; default: print text", &wish.output,
          .take = take_text, .letter = 'o' },
        { "order", "C|F", "order of the elements in FILE; default C", &wish.order, .take = take_order },
        COMMIT_OPTION(&wish.commit, "of an array of a dataset: as commit N has it, not the last one"),
        { "raw", .to = &wish.raw,
          .help = "print numbers as they are stored; default: unpacked by scale_factor and "
                  "add_offset, and dates as dates" },
        { "explain", .to = &wish.explain, .help = "say on standard error how it was read: bytes, calls, copies" },
        { "verify", .help = VERIFY_HELP, .take = take_verify },
        { "force", .to = &wish.force, .help = "print even more than 100000 elements" },
        { 0 },
    };
    struct selection s;
    drx_array *a;
    int status;

    if (!parse_args(args, opts, "PATH"))
        return args->status;
    if (is_given(opts, "order") && !wish.output)
        return misused("--order goes with a file; give -o FILE, too");
    if (wish.raw && wish.output)
        return misused("--raw goes with text; a file has what is stored");
    split_selection(&s, args->words[0], wish.commit);
    if (s.text && (wish.at.n || wish.count.n))
        return misused("[%s] and %s exclude each other; give one of them%s", s.text, wish.at.n ? "--at" : "--count",
                       wish.at.n == 1 ? ", or --commit N for a commit of a dataset" : "");
    if (!wish.output && !has_local_stripes() && !go_alone())
        return DONE;
    a = open_selection(&s, &status);
    if (!a)
        return status;
    if (wish.at.n || wish.count.n)
        status = settle_box(a, &wish, &s);
    if (status == DONE && wish.output)
        status = read_to_file(a, &wish, &s);
    else if (status == DONE && team_rank() == 0)
        status = read_as_text(a, &wish, &s);
    status = agree(status);
    if (status == DONE && wish.explain)
        explain(a);
    return close_together(a, s.path, status);
}

const struct verb verb_read = {
    .name = "read",
    .summary = "Read an array, or a box of it, as text or into a .npy file",
    .usage = "PATH[SELECTION] [OPTION ...]",
    .words = "SELECTION\ta part of it, in Python's notation: [3], [10:20,:,-1], [...,::2], or by coordinates: "
             "[time=1997-12,lat=-10:10]; the shell may need quotes around it\n",
    .examples = "  drx read matrix --at 0,0 --count 4,4\n"
                "  drx read 'sst[-1,80:100,:]'\n"
                "  drx read sst --at 11,0,0 --count 1,180,360 -o december.npy\n",
    .run = read_box,
    .together = true,
};
