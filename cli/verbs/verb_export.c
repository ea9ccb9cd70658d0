#include "convert/destination.h"
#include "dataset/datasets.h"
#include "files/paths.h"
#include "formats/h5/h5.h"
#include "frame/team.h"
#include "verbs.h"

static bool take_deflate(const char *what, char *text, void *out)
{
    struct deflate *d = out;
    int64_t level;

    if (!parse_number(what, text, 0, &level))
        return false;
    d->given = d->shuffle = true;
    d->level = (int)level;
    return level <= 9 || !misused("%s %s is too large; give 0 to 9", what, text);
}

/* All variables of a dataset, or what `text` selects of them. Gives the exit code. */
static int export_all(const char *path, const char *text, const struct destination *to, int64_t at)
{
    drx_dataset *ds;

    if (to->format != NETCDF)
        return misused(
            "%s is a dataset, which goes to netCDF; give a target with .nc, .nc4 or .cdf, or --format netcdf", path);
    if (to->variable)
        return misused("%s is a dataset, whose variables keep their names; remove ':%s'", path, to->variable);
    ds = open_dataset(path, DRX_RDONLY, at);
    return ds ? close_dataset(ds, path, export_dataset(ds, path, text, to->name, &to->deflate)) : FAILED;
}

static int check_blosc(const struct destination *to)
{
    if (to->format == NPY)
        return misused("--blosc goes with netCDF and HDF5, not with %s", to->name);
    if (to->deflate.given)
        return misused("--blosc does not go with --deflate; remove one of them");
    if (!h5_has_blosc())
        return misused("--blosc: the library of HDF5 finds no filter of Blosc; install one, as Debian's "
                       "hdf5-filter-plugin-blosc-serial, or remove --blosc");
    return DONE;
}

static int export_array(struct args *args)
{
    struct destination to = { .order = DRX_ROW_MAJOR };
    bool no_coords = false;
    int64_t at = DRX_LAST;
    struct opt opts[] = {
        { "format", "npy|netcdf|hdf5", "the format, whatever the suffix", &to.format,
          .names = NAMES("npy", "netcdf", "hdf5"), .first = NPY },
        { "order", "C|F", "order of the elements in a .npy file; default C", &to.order, .take = take_order },
        { "deflate", "N",
          "compress netCDF or HDF5 by deflate, which all programs read, from 1 (fast) to 9 (small), or 0 not at all; "
          "default: what is compressed in an array stays so, by HDF5's filter of Blosc; zlib, and all where that is "
          "missing, by deflate",
          &to.deflate, .take = take_deflate },
        { "blosc", .to = &to.deflate.blosc,
          .help = "compress compressed arrays by HDF5's filter of Blosc, also those of zlib; programs that read the "
                  "file need this filter" },
        COMMIT_OPTIONS(&at, "write a dataset, or an array of one, as commit N has it, not the last one"),
        { "verify", .help = VERIFY_HELP, .take = take_verify },
        { "no-coords", .help = "leave out the coordinates: arrays beside PATH that have the names of its dimensions",
          .to = &no_coords },
        { 0 },
    };
    struct selection s;
    drx_array *a;
    int status;
    char *text;

    if (!parse_args(args, opts, "PATH TARGET"))
        return args->status;
    to.coords = !no_coords;
    split_destination(&to, args->words[1]);
    if (!to.format)
        return misused("%s: the suffix does not name a format; give .npy, .nc, .nc4, .cdf, .h5, .hdf5 or .he5, or "
                       "--format",
                       to.name);
    if (check_destination(&to, is_given(opts, "order"), is_given(opts, "deflate")) != DONE)
        return MISUSED;
    if (to.deflate.blosc && check_blosc(&to) != DONE)
        return MISUSED;
    if (selects_dataset(args->words[0], &text) || (is_folder(args->words[0]) && !has_array(args->words[0]))) {
        if (no_coords)
            return misused("--no-coords goes with an array; %s is a dataset", args->words[0]);
        return go_alone() ? export_all(args->words[0], text, &to, at) : DONE;
    }
    split_selection(&s, args->words[0], at);
    if (to.format != NPY && !go_alone()) /* those libraries write with one process */
        return DONE;
    a = open_selection(&s, &status);
    return a ? close_together(a, s.path, export_selection(a, &s, &to)) : status;
}

const struct verb verb_export = {
    .name = "export",
    .summary = "Write an array, a selection of it, or a dataset, as .npy, netCDF-4 or HDF5",
    .usage = "PATH[SELECTION] TARGET[:VARIABLE] [OPTION ...]",
    .words =
        "PATH\tan array; or a dataset, or a folder of arrays that agree about their dimensions, all of which become "
        "variables of a netCDF-4 file\n"
        "SELECTION\ta part of it, in Python's notation: '[10:20,:,-1]', or by coordinates: "
        "'[time=1997..2006]'; of a dataset by coordinates, of all variables that have them\n"
        "TARGET\ta file, whose suffix names the format: .npy; .nc, .nc4, .cdf (netCDF-4); .h5, .hdf5, .he5 "
        "(HDF5). A file of that name is replaced. - is standard output, with --format\n"
        "VARIABLE\tits name in netCDF or HDF5, with groups: wind/u; default: the name of the array\n",
    .examples = "  drx export sst sst.nc --deflate 4\n"
                "  drx export 'sst[-12:,:,:]' year.h5:ocean/sst\n"
                "  drx export matrix matrix.npy --order F\n"
                "  drx export winds winds.nc --commit 3\n"
                "  drx export 'winds[time=2003,lat=-30:30]' tropics.nc\n",
    .run = export_array,
    .together = true,
};
