/* The verb that stores a time coordinate, and its bounds, in other units, as new variables of their names: units belong to
 * commits, and elements do not, so dates that were written over would be others as of an earlier commit. It works on a copy of
 * the dataset, which then takes its place: everybody sees one of them, whole. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/meaning.h"
#include "arrays/slabs.h"
#include "datasets.h"
#include "files/absent.h"
#include "files/folder.h"
#include "frame/options.h"
#include "new_dataset.h"

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

static drx_status copy_attributes(drx_array *from, drx_array *to)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < drx_attr_count(from); i++) {
        const char *name;
        drx_type type;
        int64_t n;
        int is_text;
        const void *values;

        st = drx_attr_info(from, i, &name, &type, &n, &is_text);
        if (!st)
            st = drx_attr_get(from, name, &type, &n, &values);
        if (!st)
            st = is_text ? drx_attr_set_text(to, name, values) : drx_attr_set(to, name, type, n, values);
    }
    return st;
}

/* Another variable of that name, with the attributes of `a`. The status of the library. */
static drx_status replace(drx_dataset *ds, const char *name, drx_array *a, drx_array **out)
{
    const bool scalar = drx_dataset_ndim(ds, drx_dataset_find(ds, name)) == 0;
    drx_spec spec;
    drx_status st;

    drx_describe(a, &spec);
    spec.flags &= DRX_CHECKSUM | DRX_SHELL;
    spec.dims = scalar ? NULL : spec.dims;
    st = drx_dataset_remove(ds, name);
    if (!st)
        st = drx_dataset_add(ds, name, &spec, out);
    return st ? st : copy_attributes(a, *out);
}

/* Encode all elements in the other units, and store them in a new variable if it `writes`; `of`: what they mean. *a is that
 * one then. Gives the exit code. */
static int encode(drx_dataset *ds, drx_array **a, const char *name, const drx_cf *of, const char *units, bool writes)
{
    static const int64_t zero[DRX_MAX_NDIM];
    const size_t bytes = drx_type_size(drx_dtype(*a));
    const int64_t n = box_bytes(drx_ndim(*a), drx_shape(*a), 1);
    char *both = calloc(2 * (size_t)n + 1, bytes), *new = both + (size_t)n *bytes;
    drx_cf to = *of;
    drx_status st;

    to.units = units;
    if (!both)
        return out_of_memory(2 * n * (int64_t)bytes);
    st = read_at(*a, zero, drx_shape(*a), DRX_ROW_MAJOR, both);
    if (!st)
        st = drx_cf_encode(of, &to, n, both, new);
    if (!st)
        st = drx_cf_compare(&to, new, of, both, n, NULL);
    if (st)
        (void)failed("%s: cannot be stored in '%s' without loss: %s", name, units, drx_last_error());
    else if (writes && !(st = replace(ds, name, *a, a)))
        st = write_at(*a, zero, drx_shape(*a), DRX_ROW_MAJOR, new);
    free(both);
    return st ? FAILED : DONE;
}

/* The bounds that a coordinate names, if it is stored in the other units, too; *b NULL: there are none. Gives the exit code. */
static int change_bounds(drx_dataset *ds, const char *path, drx_array *a, const char *units, bool writes)
{
    const char *const named = attribute_text(a, "bounds"), *const bounds =
                                                               named ? named : attribute_text(a, "climatology");
    const int i = bounds ? drx_dataset_find(ds, bounds) : -1;
    drx_array *b = i < 0 ? NULL : member_array(ds, path, i);
    drx_cf of;
    bool own;
    int status;

    if (!b)
        return i < 0 ? DONE : FAILED;
    if ((status = exit_code(path, drx_cf_describe(b, &of))) != DONE)
        return status;
    own = of.units != NULL;
    inherit_meaning(a, bounds, &of);
    status = encode(ds, &b, bounds, &of, units, writes);
    return status == DONE && writes && own ? exit_code(path, drx_attr_set_text(b, "units", units)) : status;
}

/* Store the coordinate, and its bounds, in the other units, or only see if that can be. Gives the exit code. */
static int change(drx_dataset *ds, const char *path, const char *given, const char *units, bool writes)
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
        status = change_bounds(ds, path, a, units, writes);
    if (status == DONE)
        status = encode(ds, &a, name, &cf, units, writes);
    free(name);
    return status == DONE && writes ? exit_code(path, drx_attr_set_text(a, "units", units)) : status;
}

/* Of a copy, which then takes the place of the dataset. */
static int change_copy(drx_dataset *copy, const char *path, void *with)
{
    const char *const *words = with; /* the variable, or NULL, and the units */
    int status = change(copy, path, words[0], words[1], true);
    drx_dataset *ds;

    if (status == DONE)
        status = commit_typed(copy, path);
    ds = status == DONE ? open_dataset(path, DRX_RDONLY, DRX_LAST) : NULL;
    if (status == DONE && (!ds || drx_dataset_last(ds) >= drx_dataset_last(copy)))
        status = ds ? failed("%s: another process has changed it meanwhile; give the command again", path) : FAILED;
    (void)drx_dataset_close(ds);
    return status;
}

static int retime(struct args *args)
{
    struct opt opts[] = { WAIT_OPTION, { 0 } };
    const char *path, *words[2];
    drx_dataset *ds;
    int status = FAILED;

    if (!parse_args(args, opts, "DATASET UNITS ..."))
        return args->status;
    path = args->words[0];
    if (args->nwords > 3)
        return misused("unexpected word '%s'; the usage is drx retime %s", args->words[3], args->verb->usage);
    if (!names_dataset(args->words[0]))
        return no_array(path, "dataset");
    words[0] = args->nwords == 3 ? args->words[1] : NULL;
    words[1] = args->words[args->nwords - 1];
    ds = open_dataset(path, DRX_RDONLY, DRX_LAST);
    if (ds)
        status = close_dataset(ds, path, change(ds, path, words[0], words[1], false));
    return status == DONE ? remake_dataset(path, change_copy, words) : status;
}

extern const struct verb verb_retime;
const struct verb verb_retime = {
    .name = "retime",
    .summary = "Store a time coordinate, and its bounds, in other units",
    .usage = "DATASET [VARIABLE] UNITS [--wait[=SECONDS]]",
    .words = "DATASET\tis copied, and the copy takes its place, so there must be room for it\n"
             "VARIABLE\tthe coordinate; it may be left out where one has dates\n"
             "UNITS\tsuch as 'hours since 2001-01-01'; dates that they cannot hold exactly are refused\n",
    .examples = "  drx retime winds 'hours since 1900-01-01'\n"
                "  drx retime winds time 'seconds since 1970-01-01' --wait\n",
    .run = retime,
};
