/* In which way other coordinates of a file are unlike those of the dataset, and what would do. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"

enum { MOST = 1 << 20 }; /* coordinates that are read at once, to tell more about them */

/* Both coordinates of a dimension that does not grow. */
struct both {
    const struct joined *j;
    int64_t m, n;            /* stored and given ones */
    void *have, *more;       /* elements */
    double *stored, *values; /* unpacked */
};

static void release_both(struct both *b)
{
    free(b->have);
    free(b->more);
    free(b->stored);
    free(b->values);
}

/* Is it one of numbers with the name of its only dimension? */
static bool is_joined_coordinate(const struct appending *p, const struct joined *j)
{
    return j->var->source.holds == NUMBERS && j->var->ndim == 1 &&
           strcmp(j->var->name, drx_dataset_dim(p->ds, drx_dataset_axis(p->ds, j->member, 0), NULL)) == 0;
}

/* The coordinate of the dimension; NULL: none. */
static const struct joined *coordinate_of(const struct appending *p, int d)
{
    const int i = var_of_file(&p->f, drx_dataset_dim(p->ds, d, NULL));

    return i >= 0 && is_joined_coordinate(p, &p->joined[i]) ? &p->joined[i] : NULL;
}

/* Read all of both; release them in any case. Silent, since it follows a failure that is told in any case. */
static bool read_both(const struct joined *j, struct both *b)
{
    const int64_t zero = 0;

    b->j = j;
    b->m = drx_shape(j->array)[0];
    b->n = j->var->source.shape[0];
    b->have = calloc((size_t)b->m + 1, drx_type_size(drx_dtype(j->array)));
    b->more = calloc((size_t)b->n + 1, drx_type_size(j->var->source.type));
    b->stored = calloc((size_t)b->m + 1, sizeof *b->stored);
    b->values = calloc((size_t)b->n + 1, sizeof *b->values);
    return b->have && b->more && b->stored && b->values && b->m > 0 && b->n > 0 &&
           source_read(&j->var->source, &zero, &b->n, b->more) &&
           read_at(j->array, &zero, &b->m, DRX_ROW_MAJOR, b->have) == DRX_OK &&
           drx_cf_unpack(&j->means.stored, b->m, b->have, b->stored) == DRX_OK &&
           drx_cf_unpack(&j->means.given, b->n, b->more, b->values) == DRX_OK &&
           drx_cf_convert(&j->means.given, &j->means.stored, b->n, b->values, b->values) == DRX_OK;
}

char *part_of_dimension(const struct appending *p, int d, int64_t given, int64_t stored)
{
    const struct joined *j = coordinate_of(p, d);
    struct both b = { 0 };
    drx_cf_alignment place;
    char *text = NULL;
    const char *name = drx_dataset_dim(p->ds, d, NULL);
    bool is_part;

    if (!j)
        return NULL;
    is_part = read_both(j, &b) &&
              drx_cf_align(&j->means.stored, b.m, b.have, &j->means.given, b.n, b.more, DRX_CF_SKIP, NULL, NULL,
                           &place) == DRX_OK &&
              place.appended == 0;
    if (is_part &&
        asprintf(&text,
                 "; all of these are stored, but %" PRId64 " others are missing; give a file with all of them, "
                 "for example by xarray's reindex(%s=...), which adds missing values",
                 stored - given, name) < 0)
        text = NULL;
    if (!is_part && asprintf(&text, "; give a file with the same coordinates '%s'", name) < 0)
        text = NULL;
    release_both(&b);
    return text;
}

/* ---- of the same extent ------------------------------------------------------------------- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-5 * (1 + fabs(a));
}

static bool is_reverse(const struct both *b)
{
    bool same = b->m == b->n && b->n > 1;

    for (int64_t i = 0; same && i < b->n; i++)
        same = is_near(b->values[i], b->stored[b->n - 1 - i]);
    return same;
}

static bool is_longitude(const drx_cf *cf)
{
    static const char *const units[] = {
        "degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"
    };
    bool found = cf->standard_name && strcmp(cf->standard_name, "longitude") == 0;

    for (size_t i = 0; cf->units && i < sizeof units / sizeof *units; i++)
        found = found || strcmp(cf->units, units[i]) == 0;
    return found;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double least_of(const double *values, int64_t n)
{
    double least = INFINITY;

    for (int64_t i = 0; i < n; i++)
        least = fmin(least, values[i]);
    return least;
}

/* From 0 up to 360, in order. */
static void turn(double *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        values[i] -= 360 * floor(values[i] / 360);
        values[i] = is_near(values[i], 360) ? 0 : values[i];
    }
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
}

/* Are they the same meridians, counted from elsewhere? Changes the values. */
static bool is_turned(struct both *b)
{
    bool same = b->m == b->n && is_longitude(&b->j->means.stored);

    if (same) {
        turn(b->stored, b->m);
        turn(b->values, b->n);
    }
    for (int64_t i = 0; same && i < b->n; i++)
        same = is_near(b->values[i], b->stored[i]);
    return same;
}

/* Print what the coordinates have in common; DONE: nothing that is known. */
static int tell_unlike(const struct appending *p, struct both *b)
{
    const char *name = b->j->var->name;
    const bool west = least_of(b->stored, b->m) < 0, given_west = least_of(b->values, b->n) < 0;

    if (is_reverse(b))
        return failed(
            "%s: '%s' runs the other way, from %g to %g, but from %g to %g in %s; turn it round in the file, for "
            "example by isel(%s=slice(None, None, -1)) of xarray",
            b->j->var->source.label, name, b->values[0], b->values[b->n - 1], b->stored[0], b->stored[b->m - 1],
            p->told, name);
    if (west != given_west && is_turned(b))
        return failed("%s: the longitudes go from %s, but from %s in %s; turn them in the file, for example by "
                      "ds.assign_coords(%s=%sds.%s%s).sortby('%s') of xarray",
                      b->j->var->source.label, given_west ? "-180 to 180" : "0 to 360",
                      west ? "-180 to 180" : "0 to 360", p->told, name, west ? "(" : "", name,
                      west ? " + 180) % 360 - 180" : " % 360", name);
    return DONE;
}

int compare_stored(const struct appending *p, const struct joined *j)
{
    struct both b = { 0 };
    int status = DONE;

    if (j->var->source.shape[0] <= MOST && is_joined_coordinate(p, j) && read_both(j, &b) &&
        drx_cf_compare(&j->means.stored, b.have, &j->means.given, b.more, b.n, NULL) != DRX_OK)
        status = tell_unlike(p, &b);
    release_both(&b);
    return status == DONE ? compare_variable(&p->f, j->var, j->array, &j->means) : status;
}

/* ---- of another name ------------------------------------------------------------------------ */

/* Has the variable of the file that standard_name? */
static bool has_standard_name(struct variable *v, const char *name)
{
    drx_cf cf;
    drx_array *keeper = v->source.holds == NUMBERS ? describe_source(&v->source, &cf) : NULL;
    const bool same = keeper && cf.standard_name && strcmp(cf.standard_name, name) == 0;

    (void)drx_close(keeper);
    return same;
}

/* The stored variable that the file lacks and that this one of the file is; NULL: none. */
static const char *stored_name(const struct appending *p, struct variable *v)
{
    for (int i = 0; i < drx_dataset_count(p->ds); i++) {
        const char *name = drx_dataset_name(p->ds, i), *standard;
        drx_array *a;

        if (var_of_file(&p->f, name) >= 0 || drx_dataset_array(p->ds, name, &a) != DRX_OK)
            continue;
        standard = attribute_text(a, "standard_name");
        if (standard && drx_ndim(a) == 1 && v->ndim == 1 && drx_shape(a)[0] == v->source.shape[0] &&
            has_standard_name(v, standard))
            return name;
    }
    return NULL;
}

char *renamed_variables(const struct appending *p)
{
    char *names = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&names, &bytes);
    int n = 0;

    for (int i = 0; out && i < p->f.nvars; i++) {
        const char *name = drx_dataset_find(p->ds, p->f.var[i].name) < 0 ? stored_name(p, &p->f.var[i]) : NULL;

        if (name)
            (void)fprintf(out, "%s'%s' is '%s' in %s", n++ ? ", " : "", p->f.var[i].name, name, p->told);
    }
    return out ? end_text(out, &names) : NULL;
}
