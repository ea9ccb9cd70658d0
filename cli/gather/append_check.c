/* Does a whole file fit behind a dataset: the same variables, of the same types, dimensions and meaning? */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"

/* The variables of the file that the dataset lacks (extra), or those of the dataset along the dimension that the file
 * lacks; to be freed, NULL: out of memory. */
static char *other_names(const struct appending *p, bool extra)
{
    char *names = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&names, &bytes);
    int n = 0;

    for (int i = 0; out && extra && i < p->f.nvars; i++)
        if (drx_dataset_find(p->ds, p->f.var[i].name) < 0)
            (void)fprintf(out, "%s%s", n++ ? ", " : "", p->f.var[i].name);
    for (int i = 0; out && !extra && i < drx_dataset_count(p->ds); i++) {
        const char *name = drx_dataset_name(p->ds, i);
        bool along = false;

        for (int k = 0; k < drx_dataset_ndim(p->ds, i); k++)
            along = along || drx_dataset_axis(p->ds, i, k) == p->dim;
        if (along && var_of_file(&p->f, name) < 0)
            (void)fprintf(out, "%s%s", n++ ? ", " : "", name);
    }
    return out ? end_text(out, &names) : NULL;
}

int check_names(const struct appending *p)
{
    char *extra = other_names(p, true), *missing = other_names(p, false), *renamed = renamed_variables(p);
    int status = DONE;

    if (renamed && renamed[0])
        status = failed("%s: other names: %s; rename them, and the dimensions of these names, in the file, for example "
                        "by rename of xarray",
                        p->f.path, renamed);
    else if (!extra || !missing)
        status = out_of_memory(BUFSIZ);
    else if (missing[0])
        status = failed("%s: lacks variables of the dataset: %s; give a file that has them", p->f.path, missing);
    else if (extra[0])
        status = failed("%s: has variables that the dataset lacks: %s; remove them from the file", p->f.path, extra);
    free(renamed);
    free(missing);
    free(extra);
    return status;
}

static const char *kind_text(enum source_holds kind, drx_type type)
{
    return kind == CHARACTERS ? "characters" : kind == STRINGS ? "strings" : drx_type_name(type);
}

static int refuse_type(const struct appending *p, const struct joined *j, enum source_holds kind)
{
    const drx_cf *of = &j->means.stored, *in = &j->means.given; /* types 0: not compared yet */
    const char *stored = kind_text(kind, of->type ? of->type : drx_dtype(j->array));

    return failed("%s: holds %s, but %s in %s; store it as %s in the file%s", j->var->source.label,
                  kind_text(j->var->source.holds, in->type ? in->type : j->var->source.type), stored, p->told, stored,
                  kind == NUMBERS && j->var->source.holds == NUMBERS
                      ? ", or import the dataset with --type, in which both fit"
                      : "");
}

static int check_kind(const struct appending *p, const struct joined *j)
{
    const drx_array *a = j->array;
    const bool dims = drx_dataset_ndim(p->ds, j->member) != 0;
    const enum source_holds kind = dims && holds_strings(a)      ? STRINGS
                                   : holds_text(a)               ? CHARACTERS
                                   : DRX_IS_NUMBER(drx_dtype(a)) ? NUMBERS
                                                                 : OTHERS;

    return kind == j->var->source.holds ? DONE : refuse_type(p, j, kind);
}

bool is_packed(const drx_cf *cf)
{
    return scale_of(cf) != 1 || cf->add_offset != 0;
}

/* As xarray and netCDF4 decode them: floats hold the 65536 numbers of 16 bits, if the offset is not far larger. */
drx_type unpacked_type(const drx_cf *cf)
{
    const double scale = fabs(scale_of(cf));
    const bool small = drx_type_size(cf->type) <= 2 || cf->type == DRX_FLOAT32;

    return small && (65536 * scale + fabs(cf->add_offset)) / 16777216 <= scale / 2 ? DRX_FLOAT32 : DRX_FLOAT64;
}

/* May the numbers be of another type, as for append_dataset of Python? They are converted without loss, or refused. */
static bool is_free_type(const struct appending *p, const struct joined *j)
{
    const drx_cf *stored = &j->means.stored, *given = &j->means.given;

    const bool widens = type_is_whole(stored->type) == type_is_whole(given->type) &&
                        drx_type_size(stored->type) > drx_type_size(given->type);

    return strcmp(j->var->name, drx_dataset_dim(p->ds, p->dim, NULL)) == 0 || is_packed(stored) || is_packed(given) ||
           (holds_dates(stored) && holds_dates(given)) || (type_is_whole(stored->type) && stored->fill) || widens;
}

/* Numbers that are packed unlike the stored ones become those only by rounding; floats have to be wide enough. */
static int check_packing(const struct appending *p, const struct joined *j)
{
    const drx_cf *stored = &j->means.stored, *given = &j->means.given;
    const bool unlike = scale_of(stored) != scale_of(given) || stored->add_offset != given->add_offset;

    if (unlike && !is_packed(stored) && !type_is_whole(stored->type) &&
        drx_type_size(unpacked_type(given)) > drx_type_size(stored->type))
        return failed("%s: is packed with %g and %g, whose numbers need float64, but %s holds %s; --type %s=float64 of "
                      "a new import does",
                      j->var->source.label, scale_of(given), given->add_offset, p->told, drx_type_name(stored->type),
                      j->var->name);
    if (unlike && !p->wish->append && !p->wish->unpack)
        return failed("%s: is packed with scale_factor %g and add_offset %g, but with %g and %g in %s; --unpack stores "
                      "floats",
                      j->var->source.label, scale_of(given), given->add_offset, scale_of(stored), stored->add_offset,
                      p->told);
    if (p->wish->append && p->wish->unpack && is_packed(stored) && type_is_whole(stored->type))
        return failed("%s: is packed in %s, too; remove --unpack, or import the dataset again with it",
                      j->var->source.label, p->told);
    return DONE;
}

int check_types(const struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        const struct joined *j = &p->joined[i];

        if (j->axis < 0 || j->var->source.holds != NUMBERS)
            continue;
        status = check_packing(p, j);
        if (status == DONE && j->means.stored.type != j->means.given.type && !is_free_type(p, j))
            status = refuse_type(p, j, j->var->source.holds);
    }
    return status;
}

/* Does the variable have the dimensions of the stored one in another order? */
static bool is_transposed(const struct appending *p, const struct joined *j)
{
    const int ndim = j->var->ndim;
    bool same = true, all = ndim == drx_dataset_ndim(p->ds, j->member) - (j->var->source.holds == STRINGS);

    for (int k = 0; all && k < ndim; k++) {
        bool found = false;

        for (int l = 0; l < ndim; l++) {
            const bool equal = strcmp(p->f.dim[j->var->dim[k]].name,
                                      drx_dataset_dim(p->ds, drx_dataset_axis(p->ds, j->member, l), NULL)) == 0;

            found = found || equal;
            same = same && (k != l || equal);
        }
        all = found;
    }
    return all && !same;
}

static int refuse_transposed(const struct appending *p, const struct joined *j)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int status;

    for (int i = 0; out && i < 2 * j->var->ndim; i++) {
        const int k = i % j->var->ndim;

        (void)fprintf(out, "%s%s",
                      i == 0   ? ""
                      : k == 0 ? ", but "
                               : ", ",
                      i == k ? p->f.dim[j->var->dim[k]].name
                             : drx_dataset_dim(p->ds, drx_dataset_axis(p->ds, j->member, k), NULL));
    }
    if (!out || !end_text(out, &text))
        return out_of_memory(BUFSIZ);
    status =
        failed("%s: is transposed: its dimensions are %s in %s; turn them in the file, for example by transpose of "
               "xarray",
               j->var->source.label, text, p->told);
    free(text);
    return status;
}

/* Compares the dimensions, and finds the axis that grows. Characters lie along a dimension of any name: xarray calls it
 * after their number, string5. */
static int check_dims(const struct appending *p, struct joined *j)
{
    const struct variable *v = j->var;
    const int stored = drx_dataset_ndim(p->ds, j->member), ndim = stored - (stored > 0 && v->source.holds == STRINGS);

    j->axis = -1;
    if ((v->ndim < 0) != (stored < 0))
        return failed("%s: is null, without elements, %s in %s", v->source.label, v->ndim < 0 ? "but not" : "but only",
                      p->told);
    if (is_transposed(p, j))
        return refuse_transposed(p, j);
    if (v->ndim != ndim)
        return failed("%s: has %d dimensions, but %d in %s", v->source.label, v->ndim, ndim, p->told);
    for (int k = 0; k < ndim; k++) {
        const int d = drx_dataset_axis(p->ds, j->member, k);
        const struct dimension *given = &p->f.dim[v->dim[k]];
        const char *name = drx_dataset_dim(p->ds, d, NULL);

        if (strcmp(name, given->name) != 0 && !(v->source.holds == CHARACTERS && holds_letters(p, d)))
            return failed("%s: dimension %d is '%s', but '%s' in %s", v->source.label, k, given->name, name, p->told);
        if (d == p->dim && j->axis >= 0)
            return failed("%s: has the dimension '%s' twice, so nothing can be appended along it", v->source.label,
                          name);
        if (d == p->dim)
            j->axis = k;
    }
    return DONE;
}

bool holds_letters(const struct appending *p, int d)
{
    bool only = d != p->dim && drx_dataset_find(p->ds, drx_dataset_dim(p->ds, d, NULL)) < 0;

    for (int i = 0; only && i < drx_dataset_count(p->ds); i++)
        for (int k = 0; only && k < drx_dataset_ndim(p->ds, i); k++)
            if (drx_dataset_axis(p->ds, i, k) == d) {
                const drx_array *a = member_array(p->ds, p->path, i);

                only = a && k == drx_dataset_ndim(p->ds, i) - 1 && holds_text(a) && !holds_strings(a);
            }
    return only;
}

/* The first dimension that does not grow and has another extent; -1: none. */
static int unlike_dimension(const struct appending *p, const struct joined *j, int64_t *given, int64_t *stored)
{
    for (int k = 0; k < j->var->ndim; k++) {
        const int d = drx_dataset_axis(p->ds, j->member, k);

        *given = p->f.dim[j->var->dim[k]].extent;
        *stored = extent_of(p->ds, d);
        if (d != p->dim && *given != *stored &&
            !(j->axis >= 0 && j->var->source.holds == CHARACTERS && holds_letters(p, d)))
            return d;
    }
    return -1;
}

char *unlike_extents(const struct appending *p)
{
    int64_t given, stored;
    char *text;

    for (int i = 0; i < p->f.nvars; i++) {
        const int d = unlike_dimension(p, &p->joined[i], &given, &stored);

        if (d >= 0)
            return asprintf(&text, "; besides, dimension '%s' has %" PRId64 " indices, but %" PRId64 " in %s",
                            drx_dataset_dim(p->ds, d, NULL), given, stored, p->told) < 0
                       ? NULL
                       : text;
    }
    return strdup("");
}

static int check_extents(const struct appending *p, const struct joined *j)
{
    int64_t given, stored;
    const int d = unlike_dimension(p, j, &given, &stored);
    char *part;
    int status;

    if (d < 0)
        return DONE;
    part = part_of_dimension(p, d, given, stored);
    status = failed("%s: dimension '%s' has %" PRId64 " indices, but %" PRId64 " in %s%s", j->var->source.label,
                    drx_dataset_dim(p->ds, d, NULL), given, stored, p->told, part ? part : "");
    free(part);
    return status;
}

/* What both sides mean, and whether the same bytes mean the same. */
static int find_meaning(struct appending *p, struct joined *j)
{
    drx_cf *stored = &j->means.stored, *given = &j->means.given;
    drx_status st = DRX_OK;

    if (j->var->source.holds != NUMBERS) {
        stored->type = drx_dtype(j->array);
        given->type = j->var->source.type;
        j->means.same = true;
        return stored->type == given->type ? DONE : refuse_type(p, j, j->var->source.holds);
    }
    st = drx_cf_describe(j->array, stored);
    if (!st)
        st = drx_cf_describe(j->given, given);
    for (int i = 0; !st && i < p->f.nvars; i++) {
        inherit_meaning(p->joined[i].array, j->var->name, stored);
        inherit_meaning(p->joined[i].given, j->var->name, given);
    }
    stored->name = given->name = j->var->name;
    if (!st)
        st = match_meaning(&j->means);
    return exit_code(j->var->source.label, st);
}

int find_meanings(struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++)
        status = find_meaning(p, &p->joined[i]);
    return status;
}

int check_variables(struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        struct joined *j = &p->joined[i];

        j->var = &p->f.var[i];
        j->member = drx_dataset_find(p->ds, j->var->name);
        j->array = member_array(p->ds, p->path, j->member);
        status = j->array ? check_kind(p, j) : FAILED;
        if (status == DONE)
            status = check_dims(p, j);
        if (status == DONE && j->var->source.holds == NUMBERS &&
            !(j->given = describe_source(&j->var->source, &j->means.given)))
            status = FAILED;
    }
    return status == DONE ? find_meanings(p) : status;
}

int check_others(struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++)
        status = check_extents(p, &p->joined[i]);
    for (int i = 0; status == DONE && i < p->f.nvars; i++)
        if (p->joined[i].axis < 0)
            status = compare_stored(p, &p->joined[i]);
    return status;
}
