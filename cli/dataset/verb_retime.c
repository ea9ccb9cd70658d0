/* The verb that stores a time coordinate, and its bounds, in other units. Elements that are overwritten are no change of a
 * transaction, so it works on a copy of the dataset, which then takes its place: everybody sees one of them, whole. */
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

/* Encode all elements in the other units, and store them if it `writes`; `of`: what they mean. Gives the exit code. */
static int encode(drx_array *a, const char *name, const drx_cf *of, const char *units, bool writes)
{
    static const int64_t zero[DRX_MAX_NDIM];
    const size_t bytes = drx_type_size(drx_dtype(a));
    const int64_t n = box_bytes(drx_ndim(a), drx_shape(a), 1);
    char *both = calloc(2 * (size_t)n + 1, bytes), *new = both + (size_t)n *bytes;
    drx_cf to = *of;
    drx_status st;

    to.units = units;
    if (!both)
        return out_of_memory(2 * n * (int64_t)bytes);
    st = read_at(a, zero, drx_shape(a), DRX_ROW_MAJOR, both);
    if (!st)
        st = drx_cf_encode(of, &to, n, both, new);
    if (!st)
        st = drx_cf_compare(&to, new, of, both, n, NULL);
    if (st)
        (void)failed("%s: cannot be stored in '%s' without loss: %s", name, units, drx_last_error());
    else if (writes)
        st = write_at(a, zero, drx_shape(a), DRX_ROW_MAJOR, new);
    free(both);
    return st ? FAILED : DONE;
}

/* Store the coordinate, and the bounds that it names, in the other units, or only see if that can be. Gives the exit code. */
static int change(drx_dataset *ds, const char *path, const char *name, const char *units, bool writes)
{
    const int i = find_time(ds, path, name);
    drx_array *a = i < 0 ? NULL : member_array(ds, path, i), *b = NULL;
    const char *bounds;
    drx_cf cf, to, of;
    int status;

    if (!a)
        return FAILED;
    name = drx_dataset_name(ds, i);
    if (holds_text(a) || drx_cf_describe(a, &cf) != DRX_OK || !holds_dates(&cf))
        return failed("%s: '%s' has no units of time since a date", path, name);
    to = cf;
    to.units = units;
    if (!holds_dates(&to))
        return failed("'%s' are not units of time since a date, such as 'hours since 2001-01-01'", units);
    bounds = attribute_text(a, "bounds") ? attribute_text(a, "bounds") : attribute_text(a, "climatology");
    if (bounds && drx_dataset_find(ds, bounds) >= 0 && !(b = member_array(ds, path, drx_dataset_find(ds, bounds))))
        return FAILED;
    status = b ? exit_code(path, drx_cf_describe(b, &of)) : DONE;
    if (b && status == DONE) {
        const bool own = of.units != NULL;

        inherit_meaning(a, bounds, &of);
        status = encode(b, bounds, &of, units, writes);
        if (status == DONE && writes && own)
            status = exit_code(path, drx_attr_set_text(b, "units", units));
    }
    if (status == DONE)
        status = encode(a, name, &cf, units, writes);
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
