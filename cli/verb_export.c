#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arrays.h"
#include "export.h"
#include "options.h"
#include "pour.h"
#include "team.h"

enum { FORMAT = LONG_ONLY, ORDER, DEFLATE, NO_COORDS };

static const struct option options[] = {
    { "format", required_argument, NULL, FORMAT },
    { "order", required_argument, NULL, ORDER },
    { "deflate", required_argument, NULL, DEFLATE },
    { "no-coords", no_argument, NULL, NO_COORDS },
    HELP_OPTION,
    { 0 },
};

enum format { UNKNOWN, NPY, NETCDF, HDF5 };

static const struct {
    const char *name; /* a suffix, or the value of --format */
    enum format format;
} formats[] = {
    { ".npy", NPY },   { ".nc", NETCDF }, { ".nc4", NETCDF }, { ".cdf", NETCDF },   { ".h5", HDF5 },
    { ".hdf5", HDF5 }, { ".he5", HDF5 },  { "npy", NPY },     { "netcdf", NETCDF }, { "hdf5", HDF5 },
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

struct wish {
    enum format format;
    drx_order order;
    int64_t deflate;
    bool ordered, deflated, no_coords;
    char *target, *variable; /* variable NULL: called like the array */
};

static bool take(struct wish *wish, int option)
{
    switch (option) {
    case FORMAT:
        for (int i = 0; i < FORMATS; i++)
            if (formats[i].name[0] != '.' && strcmp(formats[i].name, optarg) == 0)
                wish->format = formats[i].format;
        return wish->format ? true : misused("--format '%s' is unknown, expected npy, netcdf or hdf5", optarg) == DONE;
    case ORDER:
        wish->ordered = true;
        return parse_order("--order", optarg, &wish->order);
    case DEFLATE:
        wish->deflated = true;
        if (!parse_number("--deflate", optarg, 0, &wish->deflate))
            return false;
        return wish->deflate <= 9 ? true : misused("--deflate %s is too much, expected 0 to 9", optarg) == DONE;
    default:
        wish->no_coords = true;
        return true;
    }
}

/* The format of a file so called, n bytes of it. */
static enum format format_of(const char *name, size_t n)
{
    for (int i = 0; i < FORMATS; i++) {
        const size_t bytes = strlen(formats[i].name);

        if (formats[i].name[0] == '.' && n > bytes && strncasecmp(name + n - bytes, formats[i].name, bytes) == 0)
            return formats[i].format;
    }
    return UNKNOWN;
}

/* Split TARGET:VARIABLE at the first colon that has the suffix of a format before it;
 * if there is none and the format was given, at the last colon. */
static void split_target(struct wish *wish, char *word)
{
    char *colon = NULL;

    wish->target = word;
    for (char *at = strchr(word, ':'); at && !colon; at = strchr(at + 1, ':'))
        if (format_of(word, (size_t)(at - word)))
            colon = at;
    if (!colon && wish->format && !format_of(word, strlen(word)))
        colon = strrchr(word, ':');
    if (colon) {
        *colon = '\0';
        wish->variable = colon + 1;
    }
    if (!wish->format)
        wish->format = strcmp(word, "-") == 0 ? NPY : format_of(word, strlen(word));
}

/* Do the options go with the format? Gives the exit code. */
static int check(const struct wish *wish)
{
    if (!wish->format)
        return misused(
            "%s: has no suffix that tells the format, expected .npy, .nc, .nc4, .cdf, .h5, .hdf5 or .he5, or "
            "--format",
            wish->target);
    if (wish->ordered && wish->format != NPY)
        return misused("--order goes with a .npy file, expected none for %s", wish->target);
    if (wish->deflated && wish->format == NPY)
        return misused("--deflate goes with netCDF and HDF5, expected none for %s", wish->target);
    if (wish->variable && wish->format == NPY)
        return misused("%s: is to hold one array, expected no variable '%s' behind its name", wish->target,
                       wish->variable);
    return DONE;
}

static int write_target(drx_array *a, const struct wish *wish, const struct selection *s)
{
    struct export *e;

    int status = DONE;

    if (team_rank() == 0 && is_own_file(s->path, wish->target))
        status = failed("%s: is a file of the array itself, expected another target", wish->target);
    status = agree(status);
    if (status != DONE)
        return status;
    if (wish->format == NPY)
        return save_npy(a, s, wish->order, wish->target);
    e = calloc(1, sizeof *e);
    if (!e)
        return out_of_memory(sizeof *e);
    e->deflate = (int)wish->deflate;
    status = plan_export(e, a, s, wish->variable, wish->format == NETCDF, !wish->no_coords);
    if (status == DONE)
        status = (wish->format == NETCDF ? export_netcdf : export_hdf5)(e, wish->target);
    release_export(e);
    free(e);
    return status;
}

static int export_array(struct args *args)
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
    if (!expect_words(args, "PATH TARGET"))
        return MISUSED;
    split_target(&wish, args->words[1]);
    if (check(&wish) != DONE)
        return MISUSED;
    split_selection(&s, args->words[0]);
    if (wish.format != NPY && !go_alone()) /* those libraries write with one process */
        return DONE;
    a = open_together(s.path, DRX_RDONLY);
    if (!a)
        return FAILED;
    status = settle_selection(&s, a);
    if (status == DONE)
        status = write_target(a, &wish, &s);
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
