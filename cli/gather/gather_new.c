/* The variables of a new dataset, which are those of a file. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "gather.h"

/* A name for the axis of the bytes of strings: VARIABLE_strlen, or with a number after it. */
static bool name_string_dim(const struct whole_file *f, struct variable *v)
{
    bool good = asprintf(&v->string_dim, "%s_strlen", v->name) >= 0;

    for (int i = 2; good && dim_of_file(f, v->string_dim) >= 0; i++) {
        free(v->string_dim);
        good = asprintf(&v->string_dim, "%s_strlen_%d", v->name, i) >= 0;
    }
    if (!good)
        v->string_dim = NULL;
    return good;
}

/* Note what the bytes of an array are. */
static int add_note(const struct variable *v, drx_array *a)
{
    if (v->source.holds == NUMBERS || v->source.holds == OTHERS)
        return DONE;
    return exit_code(v->source.label, v->source.holds == CHARACTERS ? drx_attr_set_text(a, CHAR_NOTE, "characters")
                                                                    : drx_attr_set_text(a, STRING_NOTE, "utf-8"));
}

/* ---- other types than in the file ---------------------------------------------------------------- */

/* Has a type all numbers of another one? */
static bool holds_all(drx_type wide, drx_type type)
{
    const size_t bits = 8 * drx_type_size(type), room = 8 * drx_type_size(wide);
    int64_t least = -1;

    if (wide == type)
        return true;
    if (!type_is_real(wide) || !type_is_real(type) || wide == DRX_BOOL || type == DRX_BOOL)
        return false;
    if (!type_is_whole(wide))
        return type_is_whole(type) ? bits <= (room == 64 ? 32 : room == 32 ? 16 : 8) : bits < room;
    return type_is_whole(type) && bits < room &&
           (convert_value(DRX_INT64, &least, wide, &(int64_t){ 0 }) || !convert_value(DRX_INT64, &least, type, &least));
}

/* What --type says. Gives the exit code. */
static int take_types(const struct gather_wish *wish, const struct whole_file *f)
{
    char *all = strdup(wish->types ? wish->types : ""), *rest = all, *item;
    int status = all ? DONE : out_of_memory(BUFSIZ);

    while (status == DONE && wish->types && (item = strsep(&rest, ",")) != NULL) {
        char *type = item + strcspn(item, "=");
        int i;

        if (!*type) {
            status = misused("--type '%s' is not VARIABLE=TYPE", item);
            continue;
        }
        *type++ = '\0';
        i = var_of_file(f, item);
        if (i < 0 || f->var[i].source.holds != NUMBERS)
            status = misused("--type: %s has no variable '%s' of numbers", f->path, item);
        else if (!take_type("--type", type, &f->var[i].stored))
            status = MISUSED;
    }
    free(all);
    return status;
}

/* That of the file, unless other ones are wished. Gives the exit code. */
static int choose_type(const struct gather_wish *wish, struct variable *v)
{
    const drx_type named = v->stored;
    drx_type least = v->source.type;
    drx_array *keeper;
    drx_cf cf;

    if (wish->unpack && v->source.holds == NUMBERS) {
        keeper = describe_source(&v->source, &cf);
        if (!keeper)
            return FAILED;
        v->unpacks = is_packed(&cf);
        least = v->unpacks ? unpacked_type(&cf) : least;
        (void)drx_close(keeper);
    }
    v->stored = named ? named : least;
    return holds_all(v->stored, least) ? DONE
                                       : misused("--type %s=%s does not hold all %s of %s; give a wider type", v->name,
                                                 drx_type_name(named), drx_type_name(least), v->source.label);
}

/* The attributes that say how the elements of the file are packed are not those of the array. */
static int set_attributes(const struct variable *v, drx_array *a, const void *fill)
{
    static const char *const packing[] = { "scale_factor", "add_offset", "_Unsigned",  "missing_value",
                                           "valid_min",    "valid_max",  "valid_range" };
    drx_status st = DRX_OK;
    const void *values;
    drx_type type;

    for (size_t i = 0; v->unpacks && (!st || st == DRX_ENOENT) && i < sizeof packing / sizeof *packing; i++)
        st = drx_attr_delete(a, packing[i]);
    st = st == DRX_ENOENT ? DRX_OK : st;
    if (!st && fill && v->stored != v->source.type &&
        (v->unpacks || drx_attr_get(a, "_FillValue", &type, NULL, &values) == DRX_OK))
        st = drx_attr_set(a, "_FillValue", v->stored, 1, fill);
    return exit_code(v->source.label, st);
}

/* ---- one variable -------------------------------------------------------------------------------- */

struct shape {
    const char *dims[DRX_MAX_NDIM], *places[DRX_MAX_NDIM];
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
    _Alignas(VALUE_ALIGN_BYTES) unsigned char fill[VALUE_MAX_BYTES];
};

/* Describe the array. Its chunk is chosen for what all files have. */
static int describe_new(const struct appending *p, struct variable *v, struct shape *sh, drx_spec *spec)
{
    const struct whole_file *f = &p->f;
    const struct codec codec = codec_for(p->wish->codec, &v->source.codec, 0, p->wish->like->flags);
    int status = DONE, grown = -1;

    if (v->ndim < 0) {
        *spec = (drx_spec){ .type = v->stored, .source = source_origin(&v->source) };
        return DONE;
    }
    *spec = *p->wish->like;
    *sh = (struct shape){ .shape = { 1 } };
    for (int j = 0; j < v->ndim; j++) {
        sh->dims[j] = f->dim[v->dim[j]].name;
        sh->places[j] = f->dim[v->dim[j]].place;
        sh->shape[j] = v->source.shape[j];
        v->source.grows |= (uint32_t)f->dim[v->dim[j]].grows << j;
        if (p->name && strcmp(sh->dims[j], p->name) == 0)
            grown = j;
    }
    for (int i = 0; grown >= 0 && i < p->n; i++)
        sh->shape[grown] += p->of[i].extent;
    spec->ndim = v->ndim;
    if (v->source.holds == STRINGS)
        status = measure_strings(f, v);
    if (status == DONE && v->source.holds == STRINGS && !name_string_dim(f, v))
        status = out_of_memory(BUFSIZ);
    if (status == DONE && v->source.holds == STRINGS) {
        sh->dims[spec->ndim] = sh->places[spec->ndim] = v->string_dim;
        v->source.chunk[spec->ndim] = v->string_bytes;
        sh->shape[spec->ndim++] = v->string_bytes;
    }
    spec->dims = spec->ndim ? sh->places : NULL;
    spec->ndim = spec->ndim ? spec->ndim : 1;
    spec->shape = sh->shape;
    spec->type = v->stored;
    if (v->unpacks ? convert_value(DRX_FLOAT64, &(double){ NAN }, v->stored, sh->fill)
                   : v->source.fill_name && convert_value(v->source.type, v->source.fill, v->stored, sh->fill))
        spec->fill = sh->fill;
    set_codec(spec, &codec);
    spec->grows = v->source.grows;
    spec->source = source_origin(&v->source);
    source_set_chunk(&v->source, spec, sh->chunk);
    if (spec->chunk)
        name_chunks(p->wish->chunks, spec->dims ? spec->ndim : 0, sh->dims, sh->chunk);
    if (grown >= 0)
        sh->shape[grown] = 0;
    return status;
}

static int make_variable(struct appending *p, struct variable *v)
{
    struct owner to = { .ds = p->ds };
    struct shape sh;
    drx_spec spec;
    int status = choose_type(p->wish, v);

    if (status == DONE)
        status = describe_new(p, v, &sh, &spec);
    if (status == DONE)
        status = exit_code(v->source.label, drx_dataset_add(p->ds, v->name, &spec, &to.array));
    if (status == DONE)
        status = add_note(v, to.array);
    if (status == DONE)
        status = copy_whole_attributes(&p->f, v, 0, &to);
    return status == DONE ? set_attributes(v, to.array, spec.fill) : status;
}

/* Copy the variables along which no files are joined. What no variable of another form or file is compared with needs
 * no meaning. */
static int copy_fixed(struct appending *p)
{
    const bool means = p->name || p->wish->unpack || p->wish->types;
    struct progress progress;
    int64_t bytes = 0;
    int status = means ? check_variables(p) : DONE;

    for (int i = 0; i < p->f.nvars; i++) {
        struct joined *j = &p->joined[i];

        if (!means)
            *j = (struct joined){ .var = &p->f.var[i], .axis = -1, .means.same = true };
        bytes += j->axis < 0 ? variable_bytes(&p->f.var[i]) : 0;
    }
    begin_progress(&progress, bytes);
    p->f.progress = &progress;
    for (int i = 0; status == DONE && i < p->f.nvars; i++) {
        struct joined *j = &p->joined[i];

        j->array = member_array(p->ds, p->path, i);
        j->var->named = p->wish->rounding->bits && is_coordinate_in(p->ds, p->path, i);
        if (!j->array)
            status = FAILED;
        else if (j->axis < 0)
            status = copy_variable(&p->f, j->var, j->array, NULL, j->means.same ? NULL : &j->means);
    }
    p->f.progress = NULL;
    hide_progress();
    return status;
}

/* The number of a dimension that the option names; -1 after printing that there is none. */
static int named_dim(const struct whole_file *f, const char *option, const char *name)
{
    const int found = name ? dim_of_file(f, name) : -1;

    if (found < 0)
        (void)failed("%s: %s has no dimension '%s'", option, f->path, name ? name : "");
    return found;
}

/* Add the dimensions of the file, without elements along the one that joins files. */
static int add_dims(const struct appending *p, int joins)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < p->f.ndims; i++)
        if (is_dataset_path(p->f.dim[i].name))
            st = drx_dataset_add_dim(p->ds, p->f.dim[i].name, 0, i == joins ? 0 : p->f.dim[i].extent);
    return exit_code(p->told, st);
}

/* Note the dimensions that are going to grow, and look for those that --chunk names. Gives the exit code. */
static int find_dims(struct whole_file *f, const struct gather_wish *wish)
{
    for (int i = 0; i < wish->grows->n; i++) {
        const int found = named_dim(f, "--grows", wish->grows->of[i]);

        if (found < 0)
            return MISUSED;
        f->dim[found].grows = true;
    }
    for (int i = 0; i < wish->chunks->n; i++)
        if (named_dim(f, "--chunk", wish->chunks->dim[i]) < 0)
            return MISUSED;
    return DONE;
}

int make_variables(struct appending *p)
{
    const int d = p->name ? dim_of_file(&p->f, p->name) : -1;
    int status = find_dims(&p->f, p->wish);

    if (d >= 0)
        p->f.dim[d].grows = true;
    if (status == DONE)
        status = take_types(p->wish, &p->f);
    if (status == DONE)
        status = add_dims(p, d);
    for (int i = 0; status == DONE && i < p->f.nvars; i++)
        status = make_variable(p, &p->f.var[i]);
    p->dim = p->name ? drx_dataset_dim_find(p->ds, p->name) : -1;
    return status == DONE ? copy_fixed(p) : status;
}
