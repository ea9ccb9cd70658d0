/* The verb that adds a variable, with the coordinates that come with it, to a dataset. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "convert/import.h"
#include "dataset/copy_dataset.h"
#include "dataset/datasets.h"
#include "files/paths.h"
#include "verbs/verbs.h"

struct adding {
    drx_dataset *ds;
    const char *path, *name; /* of the dataset, and of the new variable */
    bool there, force;       /* it replaces one */
    struct import wish;      /* codec, and names of dimensions */
};

/* Has each axis a name, and the extent of the dataset's dimension? Gives the exit code. */
static int check_dims(struct adding *w, const struct source *s)
{
    struct import *wish = &w->wish;

    const int ndim = s->null ? 0 : s->ndim;

    if (wish->names.n && wish->names.n != ndim)
        return failed("%s: --dims has %d names; give %d, one for each dimension", s->label, wish->names.n, ndim);
    for (int j = 0; j < ndim; j++) {
        const char *dim = wish->dims[j] = wish->names.n ? wish->names.of[j] : s->dims[j];
        const int d = dim ? find_in_scope(w->ds, drx_dataset_dim_find, w->name, dim) : -1;

        if (!dim && (s->ndim > 1 || s->shape[0] != 1))
            return failed("%s: axis %d has no name; give --dims NAME,..., one for each dimension", s->label, j);
        if (d >= 0 && extent_of(w->ds, d) != s->shape[j])
            return failed("%s: has %" PRId64 " indices on %s, but %s has %" PRId64 "; select as many, for example "
                          "by FROM[%s=...] of an array, or give the dimension another name with --dims",
                          s->label, s->shape[j], dim, w->path, extent_of(w->ds, d), dim);
    }
    return DONE;
}

/* The groups above the variable that are missing. Gives the exit code. */
static int add_groups(struct adding *w)
{
    int status = DONE;

    for (const char *end = strchr(w->name, '/'); status == DONE && end; end = strchr(end + 1, '/')) {
        char *group = strndup(w->name, (size_t)(end - w->name));

        if (!group)
            status = out_of_memory((int64_t)strlen(w->name));
        else if (drx_dataset_group_find(w->ds, group) < 0)
            status = exit_code(w->path, drx_dataset_add_group(w->ds, group));
        free(group);
    }
    return status;
}

static int add_all(struct adding *w, struct source *s, const char *place)
{
    const struct dataset_layout layout = { .codec = &w->wish.codec };
    struct coords coords = { 0 };
    int status = check_dims(w, s);

    w->wish.ds = w->ds;
    w->wish.place = w->path;
    w->wish.name = w->name;
    if (status == DONE)
        status = find_coords(&coords, s, &w->wish, place, -1, NULL);
    if (status == DONE)
        status = add_groups(w);
    if (status == DONE && w->there)
        status = exit_code(place, drx_dataset_remove(w->ds, w->name));
    if (status == DONE)
        status = add_source(w->ds, w->path, w->name, s, w->wish.dims, &layout);
    for (int i = 0; status == DONE && i < coords.n; i++) {
        const char *inside = coords.of[i].path + (strcmp(w->path, ".") == 0 ? 0 : strlen(w->path) + 1);
        const char *dim = base_name(inside);

        if (!coords.of[i].is_there)
            status = add_source(w->ds, w->path, inside, &coords.of[i].source, &dim, &layout);
    }
    release_coords(&coords);
    return status == DONE && interrupted() ? FAILED : status;
}

static int add_from(struct adding *w, char *from)
{
    char *place = in_folder(w->path, w->name);
    struct source s = { 0 };
    int status = FAILED;

    if (!place)
        return out_of_memory((int64_t)strlen(w->path));
    (void)snprintf(remains->changed, PATH_MAX, "%s", w->path);
    w->ds = open_dataset(w->path, DRX_RDWR, DRX_LAST);
    w->there = w->ds && drx_dataset_find(w->ds, w->name) >= 0;
    if (w->there && !w->force)
        status =
            failed("%s: is there already; give another name, or --force to replace it; drx write stores elements in it",
                   place);
    else if (w->ds)
        status = source_open_any(&s, from, DRX_LAST);
    if (w->ds && status == DONE)
        status = add_all(w, &s, place);
    source_close(&s);
    if (w->ds)
        status = commit_and_close(w->ds, w->path, status);
    remains->complete = status == DONE;
    free(place);
    return status;
}

static int add_axis_or_variable(struct args *args)
{
    struct adding w = { .wish = { .coords = true,
                                  .way_out = "add it to another dataset, or select the part that has the same "
                                             "coordinates, for example by FROM[NAME=...] of an array" } };
    struct opt opts[] = {
        { "dims", "NAME,...", "other names for the dimensions", &w.wish.names, .take = take_names },
        CODEC_OPTIONS(&w.wish.codec, "as FROM"),
        { "force", .to = &w.force,
          .help = "replace a variable of that name, of any type and shape, in the same commit" },
        WAIT_OPTION,
        { 0 },
    };
    int status;

    if (!parse_args(args, opts, "DATASET VARIABLE FROM"))
        return args->status;
    if (check_codec(&w.wish.codec, opts) != DONE)
        return MISUSED;
    w.path = args->words[0];
    w.name = args->words[1];
    if (!names_dataset(args->words[0]))
        return no_array(w.path, "dataset");
    if (names_dataset(args->words[2]))
        return failed("%s: is a dataset; give a variable of it: %s/NAME", args->words[2], args->words[2]);
    if (!has_array(args->words[2]) && is_done_by_child(args->words[2], &status))
        return status;
    watch_interrupts();
    return add_from(&w, args->words[2]);
}

const struct verb verb_add = {
    .name = "add",
    .summary = "Add a variable to a dataset: an array, a part of one, or a variable of a file",
    .usage = "DATASET VARIABLE FROM [OPTION ...]",
    .words =
        "VARIABLE\tits name in the dataset, which is new, or with --force one to replace; in a group, as ocean/temp. "
        "Groups that are missing are added, too. A dimension is that of the group, or of the nearest one above it\n"
        "FROM\tan array, or a part of it as 'other/t[time=2003]'; or a file as import reads it: FILE or "
        "FILE:VARIABLE. Dimensions of the same name are the same: they have equal extents and coordinates. Others "
        "are added, with their coordinates, in the same commit\n",
    .examples = "  drx add winds sst sst.nc:SST\n"
                "  drx add winds w 'other/w[time=1982]' --codec zstd\n"
                "  drx add winds ocean/temp argo.nc:temp\n"
                "  drx add winds height height.npy --dims lat,lon\n",
    .run = add_axis_or_variable,
};
