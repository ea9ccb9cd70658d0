/* Does a whole file fit behind a dataset: the same variables, of the same types, dimensions and meaning? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "frame/text.h"

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

static const char *kind_text(enum kind kind, drx_type type)
{
    return kind == CHARACTERS ? "characters" : kind == STRINGS ? "strings" : drx_type_name(type);
}

static int refuse_type(const struct appending *p, const struct joined *j, enum kind kind)
{
    const char *stored = kind_text(kind, j->means.stored.type);

    return failed("%s: holds %s, but %s in %s; store it as %s in the file", j->var->source.label,
                  kind_text(j->var->kind, j->means.given.type), stored, p->path, stored);
}

static int check_kind(const struct appending *p, const struct joined *j)
{
    const drx_array *a = j->array;
    const bool dims = drx_dataset_ndim(p->ds, j->member) > 0;
    const enum kind kind = dims && holds_strings(a) ? STRINGS : holds_text(a) ? CHARACTERS : NUMBERS;

    return kind == j->var->kind ? DONE : refuse_type(p, j, kind);
}

static bool is_packed(const drx_cf *cf)
{
    return (cf->scale_factor != 0 && cf->scale_factor != 1) || cf->add_offset != 0;
}

static bool is_date(const drx_cf *cf)
{
    int found = 0;

    return drx_cf_is_date(cf, &found) == DRX_OK && found;
}

/* May the numbers be of another type, as for append_dataset of Python? They are converted without loss, or refused. */
static bool is_free_type(const struct appending *p, const struct joined *j)
{
    const drx_cf *stored = &j->means.stored, *given = &j->means.given;

    return strcmp(j->var->name, drx_dataset_dim(p->ds, p->dim, NULL)) == 0 || is_packed(stored) || is_packed(given) ||
           (is_date(stored) && is_date(given)) || (type_is_whole(stored->type) && stored->fill);
}

int check_types(const struct appending *p)
{
    int status = DONE;

    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        const struct joined *j = &p->joined[i];

        if (j->axis >= 0 && j->means.stored.type != j->means.given.type && !is_free_type(p, j))
            status = refuse_type(p, j, j->var->kind);
    }
    return status;
}

/* Does the variable have the dimensions of the stored one in another order? */
static bool is_transposed(const struct appending *p, const struct joined *j)
{
    const int ndim = j->var->ndim;
    bool same = true, all = ndim == drx_dataset_ndim(p->ds, j->member) - (j->var->kind == STRINGS);

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
               j->var->source.label, text, p->path);
    free(text);
    return status;
}

/* Compares the dimensions, and finds the axis that grows. */
static int check_dims(const struct appending *p, struct joined *j)
{
    const struct variable *v = j->var;
    const int ndim = drx_dataset_ndim(p->ds, j->member) - (v->kind == STRINGS);

    j->axis = -1;
    if (is_transposed(p, j))
        return refuse_transposed(p, j);
    if (v->ndim != ndim)
        return failed("%s: has %d dimensions, but %d in %s", v->source.label, v->ndim, ndim, p->path);
    for (int k = 0; k < ndim; k++) {
        const int d = drx_dataset_axis(p->ds, j->member, k);
        const struct dimension *given = &p->f.dim[v->dim[k]];
        const char *name = drx_dataset_dim(p->ds, d, NULL);

        if (strcmp(name, given->name) != 0)
            return failed("%s: dimension %d is '%s', but '%s' in %s", v->source.label, k, given->name, name, p->path);
        if (d == p->dim && j->axis >= 0)
            return failed("%s: has the dimension '%s' twice, so nothing can be appended along it", v->source.label,
                          name);
        if (d == p->dim)
            j->axis = k;
    }
    return DONE;
}

/* The first dimension that does not grow and has another extent; -1: none. */
static int unlike_dimension(const struct appending *p, const struct joined *j, int64_t *given, int64_t *stored)
{
    for (int k = 0; k < j->var->ndim; k++) {
        const int d = drx_dataset_axis(p->ds, j->member, k);

        *given = p->f.dim[j->var->dim[k]].extent;
        *stored = extent_of(p->ds, d);
        if (d != p->dim && *given != *stored)
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
                            drx_dataset_dim(p->ds, d, NULL), given, stored, p->path) < 0
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
                    drx_dataset_dim(p->ds, d, NULL), given, stored, p->path, part ? part : "");
    free(part);
    return status;
}

/* An array in memory with the attributes and the fill of the variable: what it means. */
static int describe_given(struct appending *p, struct joined *j)
{
    static const int64_t none = 0;
    drx_spec spec = { .ndim = 1, .type = j->var->source.type, .shape = &none };
    struct owner to = { 0 };
    int status = j->var->kind == STRINGS || nc_find_fill(&j->var->source) ? DONE : FAILED;
    drx_status st;

    spec.fill = j->var->source.fill_name ? j->var->source.fill : NULL;
    st = status == DONE ? drx_create(NULL, &spec, &j->given) : DRX_OK;
    if (st)
        return failed_drx(j->var->source.label, st);
    to.array = j->given;
    return status == DONE ? copy_whole_attributes(&p->f, j->var, &to) : status;
}

/* What both sides mean, and whether the same bytes mean the same. */
static int find_meaning(struct appending *p, struct joined *j)
{
    drx_cf *stored = &j->means.stored, *given = &j->means.given;
    drx_status st;

    if (j->var->kind != NUMBERS) {
        stored->type = given->type = DRX_UINT8;
        j->means.same = true;
        return DONE;
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
        if (status == DONE)
            status = describe_given(p, j);
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
