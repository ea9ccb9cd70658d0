/* Does a source fit behind the array that it is appended to? */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "files/paths.h"
#include "import_append.h"

static int check_shape(const struct appending *p)
{
    const struct source *s = p->s;
    const int64_t *shape = drx_shape(p->a);
    char axis[AXIS_TEXT_BYTES];

    if (s->ndim != drx_ndim(p->a))
        return failed("%s: has %d dimensions, expected %d as %s has", s->label, s->ndim, drx_ndim(p->a), p->path);
    for (int j = 0; j < s->ndim; j++) {
        const char *name = drx_dim_name(p->a, j);

        if (j != p->axis && s->shape[j] != shape[j])
            return failed("%s: has %" PRId64 " indices on %s, expected %" PRId64 " as %s has", s->label, s->shape[j],
                          axis_text(p->a, j, axis), shape[j], p->path);
        if (name && p->wish->dims[j] && strcmp(name, p->wish->dims[j]) != 0)
            return failed("%s: axis %d is called '%s', but '%s' in %s; --dims gives other names", s->label, j,
                          p->wish->dims[j], name, p->path);
    }
    if (p->wish->from > s->shape[p->axis])
        return failed("%s: has %" PRId64 " indices on %s; give at most that many with --from", s->label,
                      s->shape[p->axis], axis_text(p->a, p->axis, axis));
    return DONE;
}

/* Elements of both are read as this type. */
static int check_types(const struct appending *p)
{
    const drx_type stored = p->means.stored.type, given = p->means.given.type;

    return stored == given ? DONE
                           : failed("%s: has type %s, but %s of %s", p->s->label, drx_type_name(given),
                                    drx_type_name(stored), p->path);
}

/* A pipe yields pieces along its slowest axis only. */
static int check_pipe(const struct appending *p)
{
    const struct source *s = p->s;
    char axis[AXIS_TEXT_BYTES];

    if (!s->pipe || axis_from_slowest(s->ndim, s->order, 0) == p->axis ||
        (p->wish->from == 0 && box_bytes(s->ndim, s->shape, drx_type_size(s->type)) <= SLAB_BYTES))
        return DONE;
    return failed("%s: cannot be appended along %s piece by piece from a pipe; give a file", s->label,
                  axis_text(p->a, p->axis, axis));
}

/* Another variable, by its standard_name, or by its name and long_name, is not appended unless --as says so. */
static int check_name(const struct appending *p, const drx_array *other, const drx_cf *stored, const drx_cf *given)
{
    const char *have = base_name(p->path), *is = p->s->name ? base_name(p->s->name) : NULL;
    const char *names[] = { attribute_text(p->a, "long_name"), attribute_text(other, "long_name") };

    if (p->wish->as && strcmp(p->wish->as, have) != 0)
        return failed("--as says '%s', but the array is '%s'; give that name", p->wish->as, have);
    if (p->wish->as)
        return DONE;
    if (stored->standard_name && given->standard_name) {
        if (strcmp(stored->standard_name, given->standard_name) == 0)
            return DONE;
        return failed("%s: the standard_name is '%s', but that of %s is '%s'; --as %s appends it all the same",
                      p->s->label, given->standard_name, p->path, stored->standard_name, have);
    }
    if (!is || strcasecmp(is, have) == 0 || (names[0] && names[1] && strcmp(names[0], names[1]) == 0))
        return DONE;
    return failed("%s: is called '%s', but the array '%s', and no standard_name or long_name says that they are one "
                  "variable; --as %s appends it all the same",
                  p->s->label, is, have, have);
}

/* Complex numbers are neither converted nor do they change their fill value. */
static int match_complex(struct appending *p)
{
    struct meaning units = p->means;
    const void *have = p->means.stored.fill, *fill = p->means.given.fill;
    const drx_type type = p->s->type;
    const bool same_type = p->means.stored.fill_type == type && p->means.given.fill_type == type;

    units.stored.type = units.given.type = DRX_FLOAT64;
    units.stored.fill = units.given.fill = NULL;
    units.stored.nmissing = units.given.nmissing = 0;
    p->means.same = match_meaning(&units) == DRX_OK && units.same;
    if (!p->means.same)
        return failed("%s: has other units, scale_factor or add_offset than %s, and complex numbers are not converted; "
                      "--force appends them as they are",
                      p->s->label, p->path);
    if ((!have || is_nan(p->means.stored.fill_type, have)) && (!fill || is_nan(p->means.given.fill_type, fill)))
        return DONE; /* NaN is missing in any case */
    if (have && fill && same_type && memcmp(have, fill, drx_type_size(type)) == 0)
        return DONE;
    return failed("%s: has another fill value than %s, and complex numbers are not converted; --force appends them as "
                  "they are",
                  p->s->label, p->path);
}

/* What a variable without attributes holds are elements as the array stores them. Files of a kind that never has any do
 * not say what is missing, too. */
static void take_as_stored(struct meaning *m, bool is_bare)
{
    drx_cf *const both[] = { &m->stored, &m->given };

    for (int i = 0; i < 2; i++) {
        both[i]->units = both[i]->calendar = NULL;
        both[i]->scale_factor = both[i]->add_offset = 0;
    }
    if (is_bare && !m->given.fill) {
        m->given.fill = m->stored.fill;
        m->given.fill_type = m->stored.fill_type;
        m->given.missing = m->stored.missing;
        m->given.nmissing = m->stored.nmissing;
        m->given.missing_type = m->stored.missing_type;
    }
}

/* Bounds of a coordinate, which are along its axis, seldom have units of their own. */
static int find_units(struct appending *p)
{
    struct source *s = p->s, coordinate;
    char *name = s->kind->coordinate_name ? s->kind->coordinate_name(s, p->axis) : NULL;
    int status = DONE;
    drx_cf of;

    p->of_stored = open_named_like(p->a, p->path, p->axis);
    if (p->of_stored)
        inherit_meaning(p->of_stored, base_name(p->path), &p->means.stored);
    if (name && !p->means.given.units) {
        status = source_open_other(&coordinate, s, name) ? DONE : FAILED;
        if (status == DONE) {
            p->of_given = describe_source(&coordinate, &of);
            if (p->of_given)
                inherit_meaning(p->of_given, base_name(s->name), &p->means.given);
            else
                status = FAILED;
            source_close(&coordinate);
        }
    }
    free(name);
    return status;
}

/* If the source has a name and attributes, it must be the same variable, and its numbers must be ones that the array
 * can store. */
static int check_meaning(struct appending *p)
{
    drx_cf *stored = &p->means.stored, *given = &p->means.given;
    drx_status st;
    int status;

    p->means = (struct meaning){ .stored.type = drx_dtype(p->a), .given.type = p->s->type, .same = true };
    if (p->wish->force)
        return check_types(p);
    if ((st = drx_cf_describe(p->a, stored)))
        return failed_drx(p->path, st);
    p->given = describe_source(p->s, given);
    if (!p->given)
        return FAILED;
    status = check_name(p, p->given, stored, given);
    stored->name = given->name = base_name(p->path);
    stored->standard_name = given->standard_name = NULL; /* compared above */
    if (status == DONE)
        status = find_units(p);
    if (drx_attr_count(p->given) == 0 && !given->units) {
        if (p->s->type == drx_dtype(p->a))
            given->type = given->fill_type = stored->type;
        take_as_stored(&p->means, !p->s->kind->coordinate_name);
    }
    if (status == DONE)
        status = check_types(p);
    if (status == DONE && type_is_complex(p->s->type))
        return match_complex(p);
    if (status == DONE && match_meaning(&p->means) != DRX_OK)
        status = failed("%s: %s; --force appends its numbers as they are", p->s->label, drx_last_error());
    return status;
}

int check_source(struct appending *p)
{
    int64_t plane[DRX_MAX_NDIM];
    int status = check_shape(p);

    if (status == DONE)
        status = check_meaning(p);
    if (status == DONE)
        status = check_pipe(p);
    memcpy(plane, p->s->shape, sizeof plane);
    plane[p->axis] = 1;
    p->plane_bytes = box_bytes(p->s->ndim, plane, drx_type_size(p->s->type));
    if (status == DONE && p->plane_bytes < 0)
        status = failed("%s: is too large", p->s->label);
    return status;
}

void release_source(struct appending *p)
{
    (void)drx_close(p->given);
    (void)drx_close(p->of_given);
    (void)drx_close(p->of_stored);
}
