/* The verb that stores a time coordinate, and its bounds, in other units, as new variables of their names, in one
 * commit: units belong to commits, and elements do not, so dates that were written over would be others as of an
 * earlier commit. */
#include <stdlib.h>
#include <string.h>

#include "datasets.h"
#include "files/paths.h"

/* The variable of that name, or the only coordinate of dates (NULL); -1 after printing why. */
static int find_time(drx_dataset *ds, const char *path, const char *name)
{
    int found = name ? drx_dataset_find(ds, name) : -1, n = 0;
    drx_array *a;
    drx_cf cf;

    for (int d = 0; !name && d < drx_dataset_dim_count(ds); d++) {
        const char *dim = drx_dataset_dim(ds, d, NULL);

        if (drx_dataset_array(ds, dim, &a) == DRX_OK && drx_ndim(a) == 1 && !holds_text(a) &&
            drx_cf_describe(a, &cf) == DRX_OK && holds_dates(&cf)) {
            found = drx_dataset_find(ds, dim);
            n++;
        }
    }
    if (name ? found < 0 : n != 1)
        (void)failed(name ? "%s: has no variable '%s'"
                          : "%s: has %s coordinate of dates; give the variable: drx retime DATASET VARIABLE UNITS",
                     path,
                     name ? name
                     : n  ? "more than one"
                          : "no");
    return name || n == 1 ? found : -1;
}

/* Another variable of that name, with the attributes of `a`. Gives the exit code. */
static int replace(drx_dataset *ds, const char *name, drx_array *a, drx_array **out)
{
    const int i = drx_dataset_find(ds, name);
    char *dims[DRX_MAX_NDIM] = { NULL };
    drx_status st = DRX_OK;
    drx_spec spec;

    drx_describe(a, &spec);
    spec.flags &= DRX_CHECKSUM | DRX_SHELL;
    if (place_dims(ds, i, dims) != DONE)
        st = DRX_ENOMEM;
    spec.dims = dims[0] ? (const char *const *)dims : NULL;
    st = st ? st : drx_dataset_remove(ds, name);
    if (!st)
        st = drx_dataset_add(ds, name, &spec, out);
    for (int k = 0; k < DRX_MAX_NDIM; k++)
        free(dims[k]);
    return st ? failed_drx(name, st)
              : copy_all_attributes(&(struct owner){ .array = a }, &(struct owner){ .array = *out }, name);
}

/* Encode all elements in the other units, and store them in a new variable, which *a is then; `of`: what they mean.
 * Gives the exit code. */
static int encode(drx_dataset *ds, drx_array **a, const char *name, const drx_cf *of, const char *units)
{
    static const int64_t zero[DRX_MAX_NDIM];
    const size_t bytes = drx_type_size(drx_dtype(*a));
    const int64_t n = box_bytes(drx_ndim(*a), drx_shape(*a), 1);
    char *both = calloc(2 * (size_t)n + 1, bytes), *new = both + (size_t)n *bytes;
    drx_cf to = *of;
    drx_status st;
    int status;

    to.units = units;
    if (!both)
        return out_of_memory(2 * n * (int64_t)bytes);
    st = read_at(*a, zero, drx_shape(*a), DRX_ROW_MAJOR, both);
    if (!st)
        st = drx_cf_encode(of, &to, n, both, new);
    if (!st)
        st = drx_cf_compare(&to, new, of, both, n, NULL);
    status = st ? failed("%s: cannot be stored in '%s' without loss: %s", name, units, drx_last_error())
                : replace(ds, name, *a, a);
    if (status == DONE)
        status = exit_code(name, write_at(*a, zero, drx_shape(*a), DRX_ROW_MAJOR, new));
    free(both);
    return status;
}

/* The bounds that a coordinate names, if it is stored in the other units, too; *b NULL: there are none. Gives the
 * exit code. */
static int change_bounds(drx_dataset *ds, const char *path, const char *name, drx_array *a, const char *units)
{
    const char *const named = attribute_text(a, "bounds"), *const bounds =
                                                               named ? named : attribute_text(a, "climatology");
    const int i = bounds ? find_in_scope(ds, drx_dataset_find, name, bounds) : -1;
    drx_array *b = i < 0 ? NULL : member_array(ds, path, i);
    char *place = b ? strdup(drx_dataset_name(ds, i)) : NULL;
    drx_cf of;
    bool own;
    int status;

    if (!place)
        return i < 0 ? DONE : FAILED;
    if ((status = exit_code(path, drx_cf_describe(b, &of))) != DONE) {
        free(place);
        return status;
    }
    own = of.units != NULL;
    inherit_meaning(a, bounds, &of);
    status = encode(ds, &b, place, &of, units);
    free(place);
    return status == DONE && own ? exit_code(path, drx_attr_set_text(b, "units", units)) : status;
}

/* Store the coordinate, and its bounds, in the other units. Gives the exit code. */
static int change(drx_dataset *ds, const char *path, const char *given, const char *units)
{
    const int i = find_time(ds, path, given);
    drx_array *a = i < 0 ? NULL : member_array(ds, path, i);
    char *name = a ? strdup(drx_dataset_name(ds, i)) : NULL; /* that of the dataset goes with the variable */
    drx_cf cf, to;
    int status = FAILED;

    if (!name)
        return FAILED;
    if (holds_text(a) || drx_cf_describe(a, &cf) != DRX_OK || !holds_dates(&cf)) {
        (void)failed("%s: '%s' has no units of time since a date", path, name);
        free(name);
        return FAILED;
    }
    to = cf;
    to.units = units;
    if (!holds_dates(&to))
        (void)failed("'%s' are not units of time since a date, such as 'hours since 2001-01-01'", units);
    else
        status = change_bounds(ds, path, name, a, units);
    if (status == DONE)
        status = encode(ds, &a, name, &cf, units);
    free(name);
    return status == DONE ? exit_code(path, drx_attr_set_text(a, "units", units)) : status;
}

static int retime(struct args *args)
{
    struct opt opts[] = { WAIT_OPTION, { 0 } };
    const char *path;
    drx_dataset *ds;

    if (!parse_args(args, opts, "DATASET UNITS ..."))
        return args->status;
    path = args->words[0];
    if (args->nwords > 3)
        return misused("unexpected word '%s'; the usage is drx retime %s", args->words[3], args->verb->usage);
    if (!names_dataset(args->words[0]))
        return no_array(path, "dataset");
    ds = open_dataset(path, DRX_RDWR, DRX_LAST);
    return ds ? commit_and_close(
                    ds, path,
                    change(ds, path, args->nwords == 3 ? args->words[1] : NULL, args->words[args->nwords - 1]))
              : FAILED;
}

extern const struct verb verb_retime;
const struct verb verb_retime = {
    .name = "retime",
    .summary = "Store a time coordinate, and its bounds, in other units",
    .usage = "DATASET [VARIABLE] UNITS [--wait[=SECONDS]]",
    .words = "VARIABLE\tthe coordinate; it may be left out where one has dates\n"
             "UNITS\tsuch as 'hours since 2001-01-01'; dates that they cannot hold exactly are refused\n",
    .examples = "  drx retime winds 'hours since 1900-01-01'\n"
                "  drx retime winds time 'seconds since 1970-01-01' --wait\n",
    .run = retime,
};
