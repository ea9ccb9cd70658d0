#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "arrays/arrays.h"
#include "frame/json.h"
#include "frame/options.h"
#include "frame/text.h"
#include "show/map/chunk_map.h"
#include "show/map/chunk_slice.h"
#include "show/map/map_picture.h"

enum { INDEX = LONG_ONLY, ADDRESS, ALL, AXES, AT };

static const struct option options[] = {
    { "index", required_argument, NULL, INDEX },
    { "address", required_argument, NULL, ADDRESS },
    { "json", no_argument, NULL, 'j' },
    { "all", no_argument, NULL, ALL },
    { "output", required_argument, NULL, 'o' },
    { "axes", required_argument, NULL, AXES },
    { "at", required_argument, NULL, AT },
    HELP_OPTION,
    { 0 },
};

struct wish {
    int64_t index[DRX_MAX_NDIM];
    int64_t address; /* -1: not asked for */
    int nindex;      /* 0: not asked for */
    bool json, all;
    const char *output, *axes; /* of a picture, or NULL */
    int64_t at[DRX_MAX_NDIM];
    int nat; /* 0: not given */
};

static bool take(struct wish *wish, int option)
{
    switch (option) {
    case INDEX:
        return parse_numbers("--index", optarg, 0, wish->index, &wish->nindex);
    case ADDRESS:
        return parse_number("--address", optarg, 0, &wish->address);
    case ALL:
        wish->all = true;
        return true;
    case 'o':
        wish->output = optarg;
        return true;
    case AXES:
        wish->axes = optarg;
        return true;
    case AT:
        return parse_numbers("--at", optarg, 0, wish->at, &wish->nat);
    default:
        wish->json = true;
        return true;
    }
}

/* Do the options go together? Gives the exit code. */
static int check_options(const struct wish *wish)
{
    const char *other = wish->nindex ? "--index" : wish->address >= 0 ? "--address" : wish->json ? "--json" : "--all";
    const size_t n = wish->output ? strlen(wish->output) : 0;

    if (wish->nindex && wish->address >= 0)
        return misused("--index and --address are both given, expected one of them");
    if (!wish->output && (wish->axes || wish->nat))
        return misused("%s goes with a picture, expected also -o FILE.svg", wish->axes ? "--axes" : "--at");
    if (!wish->output)
        return DONE;
    if (wish->nindex || wish->address >= 0 || wish->json || wish->all)
        return misused("--output and %s are both given, expected one of them", other);
    if (strcmp(wish->output, "-") != 0 && (n < 5 || strcasecmp(wish->output + n - 4, ".svg") != 0))
        return misused("--output '%s' is no SVG file, expected a name that ends in .svg, or '-'", wish->output);
    return DONE;
}

/* Is the chunk index inside? Gives the exit code. */
static int check_index(const drx_array *a, const char *path, const struct wish *wish)
{
    int64_t bounds[DRX_MAX_NDIM];
    char axis[AXIS_TEXT_BYTES];

    if (wish->nindex != drx_ndim(a))
        return failed("%s: --index has %d numbers, expected %d, one for each axis", path, wish->nindex, drx_ndim(a));
    chunk_bounds(a, bounds);
    for (int j = 0; j < wish->nindex; j++)
        if (wish->index[j] >= bounds[j])
            return failed("%s: --index %" PRId64 " is outside of %s, expected less than its %" PRId64 " chunks", path,
                          wish->index[j], axis_text(a, j, axis), bounds[j]);
    return DONE;
}

/* The address of an index, or the index of an address. */
static int put_chunk(const drx_array *a, const char *path, struct wish *wish)
{
    const int ndim = drx_ndim(a);
    char text[NUMBERS_TEXT_BYTES];
    struct json j = { 0 };
    drx_status st;
    int status;

    if (wish->nindex) {
        status = check_index(a, path, wish);
        if (status != DONE)
            return status;
        st = drx_chunk_address(a, wish->index, &wish->address);
    } else {
        if (wish->address >= drx_chunk_count(a))
            return failed("%s: --address %" PRId64 " is outside, expected less than the %" PRId64 " chunks", path,
                          wish->address, drx_chunk_count(a));
        st = drx_chunk_index(a, wish->address, wish->index);
    }
    if (st)
        return failed_drx(path, st);
    if (wish->json) {
        json_begin(&j, NULL, '{', false);
        json_string(&j, "path", path);
        json_numbers(&j, "index", ndim, wish->index);
        json_number(&j, "address", wish->address);
        json_end(&j, '}');
    } else if (wish->nindex) {
        put("%" PRId64 "\n", wish->address);
    } else {
        put("%s\n", numbers_text(ndim, wish->index, ",", text));
    }
    return DONE;
}

static int put_picture(const drx_array *a, const char *path, const struct wish *wish)
{
    struct chunk_slice slice;
    const int status = settle_slice(&slice, a, path, wish->axes, wish->at, wish->nat);

    return status == DONE ? draw_map(a, path, &slice, wish->output) : status;
}

static int map(struct args *args)
{
    struct wish wish = { .address = -1 };
    const char *path;
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
    if (check_options(&wish) != DONE)
        return MISUSED;
    path = array_path(args->words[0]);
    a = open_array(path, DRX_RDONLY);
    if (!a)
        return FAILED;
    if (wish.nindex || wish.address >= 0)
        status = put_chunk(a, path, &wish);
    else if (wish.output)
        status = put_picture(a, path, &wish);
    else
        status = wish.json ? put_map_json(a, path) : put_map_text(a, path, wish.all);
    return close_array(a, path, status);
}

const struct verb verb_map = {
    .name = "map",
    .summary = "Show where chunks are: addresses and axial vectors, or a picture",
    .usage = "PATH [--index I,I,... | --address N] [--json] [--all] | PATH -o FILE.svg",
    .options = "  --index I,I,...    print only the address of the chunk with that index (in chunks)\n"
               "  --address N        print only the index of the chunk with that address\n"
               "  --json             as JSON, in full\n"
               "  --all              do not abbreviate long tables\n"
               "  -o, --output FILE  draw chunks, or segments when they are many, into an SVG file,\n"
               "                     '-' for standard output\n"
               "  --axes A,B         draw axis A downwards and B across, by number or name; default:\n"
               "                     the two that grew by most segments\n"
               "  --at I,I,...       draw the slice at these chunk indices, one for each axis;\n"
               "                     default 0; those of A and B are not looked at\n",
    .examples = "  drx map matrix\n"
                "  drx map matrix --index 4,2\n"
                "  drx map matrix --address 18\n"
                "  drx map matrix -o matrix.svg\n"
                "  drx map sst -o sst.svg --axes time,lat --at 0,0,1\n",
    .run = map,
};
