#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "arrays/arrays.h"
#include "frame/json.h"
#include "show/map/map_picture.h"
#include "verbs.h"

struct wish {
    struct numbers index, at;
    int64_t address; /* -1: not asked for */
    int64_t commit;
    bool json, all;
    char *output, *axes; /* of a picture, or NULL */
};

/* Do the options go together? Gives the exit code. */
static int check_options(const struct wish *w)
{
    const char *other = w->index.n ? "--index" : w->address >= 0 ? "--address" : w->json ? "--json" : "--all";
    const size_t n = w->output ? strlen(w->output) : 0;

    if (w->index.n && w->address >= 0)
        return misused("--index and --address exclude each other; give one of them");
    if (!w->output && w->axes)
        return misused("--axes goes with a picture; give -o FILE.svg, too");
    if (!w->output && w->at.n)
        return misused("--at goes with a picture; give -o FILE.svg, too, or --commit N for a commit of a dataset");
    if (!w->output)
        return DONE;
    if (w->index.n || w->address >= 0 || w->json || w->all)
        return misused("--output and %s exclude each other; give one of them", other);
    if (strcmp(w->output, "-") != 0 && (n < 5 || strcasecmp(w->output + n - 4, ".svg") != 0))
        return misused("--output '%s' is not an SVG file; give a name that ends in .svg, or '-'", w->output);
    return DONE;
}

/* Is the chunk index inside? Gives the exit code. */
static int check_index(const drx_array *a, const char *path, const struct numbers *index)
{
    int64_t bounds[DRX_MAX_NDIM], first[DRX_MAX_NDIM];

    if (!has_one_each(path, "--index", index, drx_ndim(a)))
        return FAILED;
    chunk_bounds(a, bounds);
    first_chunk(a, first);
    for (int j = 0; j < index->n; j++)
        if (index->of[j] < first[j] || index->of[j] - first[j] >= bounds[j])
            return chunk_outside(a, path, "--index", j, index->of[j]);
    return DONE;
}

/* Print the address of an index, or the index of an address. */
static int put_chunk(const drx_array *a, const char *path, struct wish *w)
{
    const int64_t chunks = is_simple(a) ? chunks_inside(a) : drx_chunk_count(a);
    const int ndim = drx_ndim(a);
    char text[NUMBERS_TEXT_BYTES];
    struct json j = { 0 };
    drx_status st;

    if (w->index.n && check_index(a, path, &w->index) != DONE)
        return FAILED;
    if (!w->index.n && w->address >= chunks)
        return failed("%s: --address %" PRId64 " is outside of the array, which has %" PRId64 " %s", path, w->address,
                      chunks, is_simple(a) ? "chunks" : "addresses");
    st = w->index.n ? drx_chunk_address(a, w->index.of, &w->address) : drx_chunk_index(a, w->address, w->index.of);
    if (st == DRX_ERANGE && !w->index.n)
        return failed("%s: --address %" PRId64 " is free: its chunk was trimmed", path, w->address);
    if (st)
        return failed_drx(path, st);
    if (w->json) {
        json_begin(&j, NULL, '{', false);
        json_string(&j, "path", path);
        json_numbers(&j, "index", ndim, w->index.of);
        json_number(&j, "address", w->address);
        json_end(&j, '}');
    } else if (w->index.n) {
        put("%" PRId64 "\n", w->address);
    } else {
        put("%s\n", numbers_text(ndim, w->index.of, ",", text));
    }
    return DONE;
}

static int write_map_picture(const drx_array *a, const char *path, const struct wish *w)
{
    struct chunk_slice slice;
    const int status = settle_slice(&slice, a, path, w->axes, &w->at);

    return status == DONE ? draw_map(a, path, &slice, w->output) : status;
}

static int map(struct args *args)
{
    struct wish w = { .address = -1, .commit = DRX_LAST };
    struct opt opts[] = {
        { "index", "I,I,...", "print only the address of the chunk with that index (in chunks)", &w.index,
          .take = take_signed },
        { "address", "N", "print only the index of the chunk with that address", &w.address, .take = take_count },
        { "json", .to = &w.json, .letter = 'j', .help = "print all of it as JSON" },
        { "all", .to = &w.all, .help = "print long tables in full" },
        { "output", "FILE",
          "draw the chunks, or the segments when there are many chunks, into an SVG file; '-' is "
          "standard output",
          &w.output, .take = take_text, .letter = 'o' },
        { "axes", "A,B",
          "draw axis A downwards and B across, by number or name; default: the two axes that grew by "
          "most segments",
          &w.axes, .take = take_text },
        { "at", "I,I,...",
          "draw the slice at these chunk indices, one for each axis; default 0; those of A and B are "
          "ignored",
          &w.at, .take = take_signed },
        COMMIT_OPTION(&w.commit, "of an array of a dataset: as commit N has it, not the last one"),
        { 0 },
    };
    const char *path;
    drx_array *a;
    int status;

    if (!parse_args(args, opts, "PATH"))
        return args->status;
    if (check_options(&w) != DONE)
        return MISUSED;
    path = array_path(args->words[0]);
    a = open_array_at(path, DRX_RDONLY, w.commit);
    if (!a)
        return FAILED;
    if (w.index.n || w.address >= 0)
        status = put_chunk(a, path, &w);
    else if (w.output)
        status = write_map_picture(a, path, &w);
    else
        status = w.json ? put_map_json(a, path) : put_map_text(a, path, w.all);
    return close_array(a, path, status);
}

const struct verb verb_map = {
    .name = "map",
    .summary = "Show where chunks are: addresses and axial vectors, or a picture",
    .usage = "PATH [--index I,I,... | --address N] [--json] [--all] | PATH -o FILE.svg",
    .examples = "  drx map matrix\n"
                "  drx map matrix --index 4,2\n"
                "  drx map matrix --address 18\n"
                "  drx map matrix -o matrix.svg\n"
                "  drx map sst -o sst.svg --axes time,lat --at 0,0,1\n",
    .run = map,
};
