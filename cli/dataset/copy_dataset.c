#include "copy_dataset.h"

#include <stdlib.h>
#include <string.h>

#include "convert/import.h"
#include "datasets.h"
#include "files/paths.h"

struct copying {
    drx_dataset *from, *to;
    const char *path; /* of `from` */
    const struct dataset_layout *layout;
    bool whole;
    struct range *of; /* each dimension */
    struct progress progress;
};

int add_source(drx_dataset *ds, const char *path, const char *name, struct source *s, const char *const dims[],
               const struct dataset_layout *l)
{
    const struct codec codec = codec_for(l->codec, &s->codec, 0, l->flags);
    const char *plain[DRX_MAX_NDIM]; /* names of --chunk */
    int64_t chunk[DRX_MAX_NDIM];
    drx_spec spec = { .ndim = s->ndim,
                      .type = s->type,
                      .shape = s->shape,
                      .lower = s->lower,
                      .grows = s->grows,
                      .dims = dims[0] ? dims : NULL,
                      .fill = s->fill_name ? s->fill : NULL,
                      .chunk_order = l->order ? *l->order : s->order,
                      .align = l->align ? l->align : s->align,
                      .flags = l->flags & ~DRX_FROM_ZERO,
                      .source = source_origin(s) };
    uint32_t unlimited = 0; /* dimensions that begin with the variable */
    drx_array *a;
    int status;

    if (s->null)
        spec = (drx_spec){ .type = s->type, .source = spec.source };
    for (int j = 0; dims[0] && j < s->ndim; j++) {
        const int d = find_in_scope(ds, drx_dataset_dim_find, name, dims[j]);

        plain[j] = dims[j] + (dims[j][0] == '/');
        s->lower[j] = d < 0 ? s->lower[j] : drx_dataset_dim_lower(ds, d);
        spec.grows |= (uint32_t)(d >= 0 && is_unlimited(ds, d)) << j;
        unlimited |= (uint32_t)(d < 0 && s->grows >> j & 1) << j;
    }
    if (!s->null) {
        set_codec(&spec, &codec);
        source_set_chunk(s, &spec, chunk);
    }
    if (spec.chunk)
        name_chunks(&l->chunks, dims[0] ? s->ndim : 0, plain, chunk);
    status = exit_code(path, drx_dataset_add(ds, name, &spec, &a));
    for (int j = 0; status == DONE && j < s->ndim; j++)
        if (unlimited >> j & 1)
            status = exit_code(path, note_unlimited(ds, dim_of(ds, drx_dataset_find(ds, name), j)));
    if (status == DONE)
        status = s->kind->copy_attributes(s, a, path);
    return status == DONE ? copy_elements(s, a, path, false) : status;
}

/* The named types of a group; one that another needed may be there. */
static int copy_types(const struct copying *c, const char *group)
{
    const size_t n = strlen(group);
    drx_status st = DRX_OK;
    drx_type type;

    for (int i = 0; !st && i < drx_dataset_type_count(c->from); i++) {
        const char *path = drx_dataset_type(c->from, i, &type);

        if (!*path || !DRX_IS_DEFINED(type) || strncmp(path, group, n) != 0 ||
            (size_t)(base_name(path) - path) != n + (n > 0))
            continue;
        st = drx_dataset_add_type(c->to, path, type);
        st = st == DRX_EEXIST ? DRX_OK : st;
    }
    return exit_code(c->path, st);
}

/* Groups, or the attributes of dimensions. Gives the exit code. */
static int copy_parts(const struct copying *c, int part)
{
    const bool groups = part == DRX_GROUP;
    const int n = groups ? drx_dataset_group_count(c->from) : drx_dataset_dim_count(c->from);
    int status = DONE;

    for (int i = 0; status == DONE && i < n; i++) {
        const char *name = groups ? drx_dataset_group(c->from, i) : drx_dataset_dim(c->from, i, NULL);

        if (groups)
            status = exit_code(c->path, drx_dataset_add_group(c->to, name));
        else if (drx_dataset_dim_find(c->to, name) < 0)
            continue; /* no variable has it */
        if (status == DONE && groups)
            status = copy_types(c, name);
        if (status == DONE)
            status = copy_all_attributes(&(struct owner){ .ds = c->from, .part = part, .name = name },
                                         &(struct owner){ .ds = c->to, .part = part, .name = name }, c->path);
    }
    return status;
}

static int copy_variable_of(struct copying *c, int i)
{
    const char *name = drx_dataset_name(c->from, i);
    struct selection part = { .path = (char *)name };
    struct source s = { 0 };
    char *dims[DRX_MAX_NDIM] = { NULL };
    drx_array *a;
    int status = select_member(c->from, c->path, i, c->of, &a, &part);

    if (status == DONE)
        status = source_of_array(&s, c->path, a, &part);
    if (status == DONE) {
        s.progress = &c->progress;
        if (s.type >= DRX_FLOAT32 && s.type <= DRX_COMPLEX128 && !is_coordinate_in(c->from, c->path, i))
            s.rounding = c->layout->rounding;
        if (c->whole && !(c->layout->flags & DRX_FROM_ZERO))
            memcpy(s.lower, drx_lower(a), (size_t)s.ndim * sizeof *s.lower);
        status = place_dims(c->from, i, dims);
    }
    if (status == DONE)
        status = add_source(c->to, c->path, name, &s, (const char *const *)dims, c->layout);
    for (int k = 0; k < DRX_MAX_NDIM; k++)
        free(dims[k]);
    source_close(&s);
    return status;
}

static int fill_copy(drx_dataset *ds, const char *path, void *with)
{
    struct copying *c = with;
    const struct owner from = { .ds = c->from }, to = { .ds = ds };
    int status;

    c->to = ds;
    status = copy_types(c, "");
    if (status == DONE)
        status = copy_all_attributes(&from, &to, c->path);
    if (status == DONE)
        status = copy_parts(c, DRX_GROUP);
    for (int i = 0; status == DONE && i < drx_dataset_count(c->from); i++)
        status = copy_variable_of(c, i);
    hide_progress();
    if (status == DONE)
        status = copy_parts(c, DRX_DIMENSION);
    for (int d = 0; status == DONE && d < drx_dataset_dim_count(c->from); d++) /* the copy has not grown yet */
        if (is_unlimited(c->from, d))
            status = exit_code(c->path, note_unlimited(ds, drx_dataset_dim(c->from, d, NULL)));
    if (status == DONE && interrupted())
        status = FAILED;
    return status == DONE ? commit_typed(ds, path) : status;
}

/* Is each dimension of --chunk there? Adds to *bytes those of all variables. */
static int check_copy(const struct copying *c, int64_t *bytes)
{
    const struct chunks *chunks = &c->layout->chunks;

    for (int k = 0; k < chunks->n; k++)
        if (drx_dataset_dim_find(c->from, chunks->dim[k]) < 0)
            return failed("%s: --chunk: has no dimension '%s'; `drx info` tells their names", c->path, chunks->dim[k]);
    for (int i = 0; i < drx_dataset_count(c->from); i++) {
        struct selection s = { .path = (char *)drx_dataset_name(c->from, i) };
        drx_array *a;

        if (select_member(c->from, c->path, i, c->of, &a, &s) != DONE)
            return FAILED;
        *bytes += box_bytes(s.ndim, s.count, drx_type_size(drx_dtype(a)));
    }
    return DONE;
}

int copy_dataset(drx_dataset *from, const char *path, const char *text, const char *to,
                 const struct dataset_layout *layout)
{
    struct copying c = { .from = from, .path = path, .layout = layout, .whole = !text };
    int64_t bytes = 0;
    int status = is_free_folder(to, "") ? select_part_of(from, path, text, &c.of) : FAILED;

    if (status == DONE)
        status = check_copy(&c, &bytes);
    if (layout->memory_bytes)
        limit_slabs(layout->memory_bytes);
    begin_progress(&c.progress, bytes);
    if (status == DONE)
        status = make_dataset(to, fill_copy, &c);
    free(c.of);
    return status;
}
