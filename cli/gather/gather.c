/* Makes a dataset of whole files, or appends them to one, in one transaction. */
#include "gather.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"

/* The coordinates that are stored, if there are any. */
static int read_stored(struct appending *p)
{
    const int i = drx_dataset_find(p->ds, p->name);
    drx_array *a = i < 0 ? NULL : member_array(p->ds, p->path, i);
    const int64_t zero = 0;
    drx_status st;

    p->extent = p->stored;
    if (!a || drx_dataset_ndim(p->ds, i) != 1 || drx_dataset_axis(p->ds, i, 0) != p->dim || holds_text(a) ||
        !type_is_real(drx_dtype(a)))
        return i < 0 || a ? DONE : FAILED;
    p->values = calloc((size_t)p->stored + 1, drx_type_size(drx_dtype(a)));
    if (!p->values)
        return out_of_memory(p->stored * (int64_t)drx_type_size(drx_dtype(a)));
    st = drx_cf_describe(a, &p->cf);
    return exit_code(p->path, st ? st : read_at(a, &zero, &p->stored, DRX_ROW_MAJOR, p->values));
}

static int plan(struct appending *p)
{
    int status;

    p->dim = drx_dataset_dim_find(p->ds, p->name);
    if (p->dim < 0)
        return failed("%s: has no dimension '%s'; 'drx info %s' lists them", p->path, p->name, p->path);
    p->stored = extent_of(p->ds, p->dim);
    p->width = calloc((size_t)drx_dataset_dim_count(p->ds) + 1, sizeof *p->width);
    if (!p->width)
        return out_of_memory(BUFSIZ);
    status = read_stored(p);
    if (status == DONE && p->n > 1 && p->wish->append)
        status = order_files(p);
    for (int i = 0; status == DONE && i < p->n; i++)
        status = interrupted() ? FAILED : plan_file(p, &p->of[i]);
    return status;
}

/* Note which dimensions of the file are unlimited. */
static int note_dimensions(drx_dataset *ds, const struct whole_file *f)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < f->ndims; i++)
        if (f->dim[i].unlimited && is_dataset_path(f->dim[i].name))
            st = note_unlimited(ds, f->dim[i].name);
    return exit_code(f->path, st);
}

/* Number 0 is the root. */
static int copy_group_attributes(const struct appending *p, int i)
{
    const struct owner to = { .ds = p->ds,
                              .part = i ? DRX_GROUP : DRX_DATASET,
                              .name = i ? p->f.tree.group[i].path : NULL };

    return copy_whole_attributes(&p->f, NULL, i, &to);
}

/* The types that have names, in their groups, whether a variable has them or not. */
static int add_types(const struct appending *p)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < p->f.tree.ntypes; i++) {
        const struct tree_type *t = &p->f.tree.type[i];

        if (strcmp(drx_type_describe(t->type)->name, base_name(t->path)) == 0 && is_dataset_path(t->path))
            st = drx_dataset_add_type(p->ds, t->path, t->type);
    }
    return exit_code(p->told, st);
}

/* The first file says what the dataset is like. */
static int fill_dataset(drx_dataset *ds, const char *path, void *with)
{
    struct appending *p = with;
    int status = DONE;

    p->ds = ds;
    p->told = p->of[0].path;
    if (p->n > 1)
        status = choose_dimension(p);
    if (status == DONE && p->n > 1)
        status = order_files(p);
    if (status == DONE)
        status = open_planned(p, &p->of[0]);
    p->told = p->of[0].path;
    for (int i = 1; status == DONE && i < p->f.tree.ngroups; i++)
        if (is_dataset_path(p->f.tree.group[i].path))
            status = exit_code(p->told, drx_dataset_add_group(ds, p->f.tree.group[i].path));
    if (status == DONE)
        status = add_types(p);
    for (int i = 0; status == DONE && i < p->f.tree.ngroups; i++)
        status = is_dataset_path(p->f.tree.group[i].path) ? copy_group_attributes(p, i) : DONE;
    if (status == DONE)
        status = make_variables(p);
    if (status == DONE)
        status = note_dimensions(ds, &p->f);
    if (status == DONE && p->name)
        status = plan(p);
    if (status == DONE && p->name)
        status = run_plan(p);
    if (status == DONE && interrupted())
        status = FAILED;
    return status == DONE ? commit_typed(ds, path) : status;
}

static int append(struct appending *p)
{
    const bool replaces = p->wish->overlap == DRX_CF_REPLACE;
    int64_t given = 0;
    int status = plan(p);

    for (int i = 0; i < p->n; i++)
        given += p->of[i].extent;
    if (status != DONE || given == 0 || (p->extent == p->stored && !replaces))
        return status;
    watch_interrupts();
    status = run_plan(p);
    return status == DONE ? commit_typed(p->ds, p->path) : status;
}

static int append_all(struct appending *p)
{
    int status = FAILED;

    p->name = strdup(p->wish->append);
    if (!p->name)
        return out_of_memory(BUFSIZ);
    (void)snprintf(remains->changed, PATH_MAX, "%s", p->path);
    p->ds = open_dataset(p->path, p->wish->shared ? DRX_SHARED : DRX_RDWR, DRX_LAST);
    if (p->ds)
        status = close_dataset(p->ds, p->path, append(p));
    remains->complete = status == DONE;
    return status;
}

/* Warn of steps that are unlike all others, and say how to take back what one append added on one side. */
static void warn_of_gaps(const struct appending *p)
{
    const int64_t after = p->extent - p->before - p->stored;

    for (int i = 0; i < p->n; i++)
        if (p->of[i].gap && p->wish->append && (p->before == 0 || after == 0))
            warn("%s 'drx trim %s %s --%s %" PRId64
                 "' takes this append back, and --leave-gaps leaves room for the part",
                 p->of[i].gap, p->path, p->name, after ? "after" : "before", after ? after : p->before);
        else if (p->of[i].gap)
            warn("%s --leave-gaps leaves room for the part", p->of[i].gap);
}

int gather(char *const words[], int n, const char *path, const struct gather_wish *wish)
{
    struct appending p = { .path = path, .told = path, .wish = wish, .coordinate = -1 };
    int status = DONE;

    if (!wish->append && !is_free_folder(path, ", or --append to add to it"))
        return FAILED;
    status = list_files(words, n, &p);
    if (status == DONE)
        status = wish->append ? append_all(&p) : make_dataset(path, fill_dataset, &p);
    if (status == DONE)
        warn_of_gaps(&p);
    close_planned(&p);
    for (int i = 0; i < p.n; i++) {
        free(p.of[i].path);
        free(p.of[i].index);
        free(p.of[i].gap);
    }
    free(p.of);
    free(p.name);
    free(p.values);
    free(p.width);
    return status;
}
