/* Makes a dataset of a whole file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/progress.h"
#include "new_dataset.h"
#include "whole_file.h"

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
    if (v->kind == NUMBERS)
        return DONE;
    return exit_code(v->source.label, v->kind == CHARACTERS ? drx_attr_set_text(a, CHAR_NOTE, "characters")
                                                            : drx_attr_set_text(a, STRING_NOTE, "utf-8"));
}

static int add_variable(drx_dataset *ds, const struct whole_file *f, struct variable *v, const drx_spec *like,
                        const struct codec_choice *choice)
{
    const struct codec codec = codec_for(choice, &v->source.codec, 0, like->flags);
    const char *dims[DRX_MAX_NDIM];
    int64_t shape[DRX_MAX_NDIM] = { 1 }, chunk[DRX_MAX_NDIM];
    struct owner to = { .ds = ds };
    drx_spec spec = *like;
    int status = v->kind == STRINGS || nc_find_fill(&v->source) ? DONE : FAILED;
    drx_status st;

    for (int j = 0; j < v->ndim; j++) {
        dims[j] = f->dim[v->dim[j]].name;
        shape[j] = v->source.shape[j];
        v->source.grows |= (uint32_t)f->dim[v->dim[j]].grows << j;
    }
    spec.ndim = v->ndim;
    if (status == DONE && v->kind == STRINGS)
        status = measure_strings(f, v);
    if (status == DONE && v->kind == STRINGS && !name_string_dim(f, v))
        status = out_of_memory(NC_MAX_NAME);
    if (status != DONE)
        return status;
    if (v->kind == STRINGS) {
        dims[spec.ndim] = v->string_dim;
        v->source.chunk[spec.ndim] = v->string_bytes;
        shape[spec.ndim++] = v->string_bytes;
    }
    spec.dims = spec.ndim ? dims : NULL;
    spec.ndim = spec.ndim ? spec.ndim : 1;
    spec.shape = shape;
    spec.type = v->source.type;
    spec.fill = v->source.fill_name ? v->source.fill : NULL;
    set_codec(&spec, &codec);
    spec.grows = v->source.grows;
    source_set_chunk(&v->source, &spec, chunk);
    st = drx_dataset_add(ds, v->name, &spec, &to.array);
    if (st)
        return failed_drx(v->source.label, st);
    status = add_note(v, to.array);
    if (status == DONE)
        status = copy_whole_attributes(f, v, &to);
    return status == DONE ? copy_variable(f, v, to.array, NULL, NULL) : status;
}

/* Note which dimensions of the file are unlimited, and warn of those that no variable has. */
static int note_dimensions(drx_dataset *ds, const struct whole_file *f)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < f->ndims; i++)
        if (!f->dim[i].used)
            warn("%s: no variable has the dimension '%s', which is left out", f->path, f->dim[i].name);
        else if (f->dim[i].unlimited)
            st = note_unlimited(ds, f->dim[i].name);
    return exit_code(f->path, st);
}

int commit_with_command(drx_dataset *ds, const char *path, const char *file, const char *append)
{
    char *message;
    int status;

    if (asprintf(&message, "drx import %s %s%s%s", file, path, append ? " --append " : "", append ? append : "") < 0)
        return out_of_memory(BUFSIZ);
    status = commit_with(ds, path, message);
    free(message);
    return status;
}

struct filling {
    struct whole_file *f;
    const drx_spec *like;
    const struct codec_choice *codec;
};

static int fill_dataset(drx_dataset *ds, const char *path, void *with)
{
    const struct filling *filling = with;
    struct whole_file *f = filling->f;
    const struct owner to = { .ds = ds };
    int status = copy_whole_attributes(f, NULL, &to);

    for (int i = 0; status == DONE && i < f->nvars; i++)
        status = add_variable(ds, f, &f->var[i], filling->like, filling->codec);
    if (status == DONE)
        status = note_dimensions(ds, f);
    if (status == DONE && interrupted())
        status = FAILED;
    return status == DONE ? commit_with_command(ds, path, f->path, NULL) : status;
}

/* Note the dimensions that are going to grow. Gives the exit code. */
static int find_growing(struct whole_file *f, const struct name_list *grows)
{
    for (int i = 0; i < grows->n; i++) {
        const int found = grows->of[i] ? dim_of_file(f, grows->of[i]) : -1;

        if (found < 0)
            return misused("--grows: %s has no dimension '%s'", f->path, grows->of[i] ? grows->of[i] : "");
        f->dim[found].grows = true;
    }
    return DONE;
}

int import_dataset(const char *file, const char *path, const drx_spec *like, const struct name_list *grows,
                   const struct codec_choice *codec, struct rounding *rounding)
{
    struct whole_file f;
    struct filling filling = { &f, like, codec };
    int status;

    if (!is_free_folder(path, ", or --append to add to it") || !open_whole(&f, file))
        return FAILED;
    f.rounding = rounding;
    status = find_growing(&f, grows);
    if (status == DONE)
        status = make_dataset(path, fill_dataset, &filling);
    close_whole(&f);
    return status;
}
