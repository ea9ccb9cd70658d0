#include "formats/destination.h"
#include "frame/options.h"
#include "frame/team.h"

enum { FORMAT = LONG_ONLY, ORDER, DEFLATE, NO_COORDS };

static const struct option options[] = {
    { "format", required_argument, NULL, FORMAT },
    { "order", required_argument, NULL, ORDER },
    { "deflate", required_argument, NULL, DEFLATE },
    { "no-coords", no_argument, NULL, NO_COORDS },
    HELP_OPTION,
    { 0 },
};

struct wish {
    struct destination to;
    bool ordered, deflated;
};

static bool take(struct wish *wish, int option)
{
    int64_t deflate;

    switch (option) {
    case FORMAT:
        wish->to.format = format_named(optarg);
        return wish->to.format ? true
                               : misused("--format '%s' is unknown, expected npy, netcdf or hdf5", optarg) == DONE;
    case ORDER:
        wish->ordered = true;
        return parse_order("--order", optarg, &wish->to.order);
    case DEFLATE:
        wish->deflated = true;
        if (!parse_number("--deflate", optarg, 0, &deflate))
            return false;
        wish->to.deflate = deflate <= 9 ? (int)deflate : 0;
        return deflate <= 9 ? true : misused("--deflate %s is too much, expected 0 to 9", optarg) == DONE;
    default:
        wish->to.coords = false;
        return true;
    }
}

/* Do the options go with the format? Gives the exit code. */
static int check(const struct wish *wish)
{
    if (!wish->to.format)
        return misused(
            "%s: has no suffix that tells the format, expected .npy, .nc, .nc4, .cdf, .h5, .hdf5 or .he5, or "
            "--format",
            wish->to.name);
    return check_destination(&wish->to, wish->ordered, wish->deflated);
}

static int export_array(struct args *args)
{
    struct wish wish = { .to = { .order = DRX_ROW_MAJOR, .coords = true } };
    struct selection s;
    drx_array *a;
    int option, status;

    while ((option = next_option(args, options)) != 0) {
        if (option < 0)
            return args->status;
        if (!take(&wish, option))
            return MISUSED;
    }
    if (!expect_words(args, "PATH TARGET"))
        return MISUSED;
    split_destination(&wish.to, args->words[1]);
    if (check(&wish) != DONE)
        return MISUSED;
    split_selection(&s, args->words[0]);
    if (wish.to.format != NPY && !go_alone()) /* those libraries write with one process */
        return DONE;
    a = open_together(s.path, DRX_RDONLY);
    if (!a)
        return FAILED;
    status = settle_selection(&s, a);
    if (status == DONE)
        status = export_selection(a, &s, &wish.to);
    return close_together(a, s.path, status);
}

const struct verb verb_export = {
    .name = "export",
    .summary = "Write an array, or a selection of it, as .npy, netCDF-4 or HDF5",
    .usage = "PATH[SELECTION] TARGET[:VARIABLE] [OPTION ...]",
    .options = "  SELECTION          what of it, as Python writes it: '[10:20,:,-1]'\n"
               "  TARGET             a file, whose suffix tells the format: .npy; .nc, .nc4, .cdf\n"
               "                     (netCDF-4); .h5, .hdf5, .he5 (HDF5); replaced if it is there\n"
               "  VARIABLE           its name in netCDF or HDF5, with groups: wind/u; without it, the\n"
               "                     name of the array\n"
               "  --format npy|netcdf|hdf5  the format, whatever the suffix\n"
               "  --order C|F        order of the elements in a .npy file; default C\n"
               "  --deflate N        compress netCDF or HDF5, from 1 (fast) to 9 (small)\n"
               "  --no-coords        leave out the coordinates: arrays beside PATH that are named like\n"
               "                     its dimensions\n",
    .examples = "  drx export sst sst.nc --deflate 4\n"
                "  drx export 'sst[-12:,:,:]' year.h5:ocean/sst\n"
                "  drx export matrix matrix.npy --order F\n",
    .run = export_array,
    .together = true,
};
