/* Files: opened, created, committed, closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "write/write.h"

#ifdef BRIDGE_MPI
#include <mpi.h>
#endif

enum { MOST_FILES = 1 << 16 };

static struct bridge_file *files[MOST_FILES];

struct bridge_group *bridge_group(int ncid)
{
    struct bridge_file *f = files[(unsigned)ncid >> BRIDGE_ID_SHIFT];
    const int number = ncid & ((1 << BRIDGE_ID_SHIFT) - 1);

    return f && number < f->ngroups && (number == 0 || f->groups[number].parent >= 0) ? &f->groups[number] : NULL;
}

struct bridge_variable *bridge_variable_of(int ncid, int varid, struct bridge_file **f, int *st)
{
    struct bridge_group *g = bridge_group(ncid);

    *f = g ? g->file : NULL;
    *st = NC_EBADID;
    return g ? bridge_variable(g, varid, st) : NULL;
}

/* ---- new and gone ---- */

static void release(int ncid, struct bridge_file *f)
{
    files[(unsigned)ncid >> BRIDGE_ID_SHIFT] = NULL;
    bridge_release(f);
    if (!f->borrowed)
        (void)bridge_store_close(f);
    free(f->only);
    free(f->path);
    free(f->staged);
#ifdef BRIDGE_MPI
    if (f->has_comm)
        (void)MPI_Comm_free(&f->comm);
#endif
    (void)pthread_mutex_destroy(&f->lock);
    free(f);
}

static struct bridge_file *new_file(int ncid, const NC_Dispatch *table, void *parameters)
{
    struct bridge_file *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    (void)pthread_mutex_init(&f->lock, NULL);
    f->fill_mode = NC_FILL;
    f->model = table->model;
    f->process = (int)getpid();
#ifdef BRIDGE_MPI
    if (parameters) {
        f->has_comm = MPI_Comm_dup(*(const MPI_Comm *)parameters, &f->comm) == MPI_SUCCESS;
        (void)MPI_Comm_rank(f->comm, &f->rank);
    }
#endif
    (void)parameters;
    files[(unsigned)ncid >> BRIDGE_ID_SHIFT] = f;
    return f;
}

/* Programs that end without nc_close have their files all the same, as with HDF5. */
static void close_all(void)
{
    for (int i = 0; i < MOST_FILES; i++)
        if (files[i] && files[i]->writable && !files[i]->together && files[i]->process == (int)getpid() &&
            bridge_commit(files[i], true) == NC_NOERR)
            files[i]->writable = false;
}

static void close_at_exit(void)
{
    static bool registered;

    registered = registered || atexit(close_all) == 0;
}

int bridge_create(const char *path, int mode, size_t bytes, int basepe, size_t *hint, void *parameters,
                  const NC_Dispatch *table, int ncid)
{
    struct bridge_file *f;
    int st;

    (void)bytes, (void)basepe, (void)hint;
    if (mode & (NC_MMAP | NC_64BIT_OFFSET | NC_64BIT_DATA | NC_INMEMORY | NC_DISKLESS))
        return NC_EINVAL;
    f = new_file(ncid, table, parameters);
    if (!f)
        return NC_ENOMEM;
    f->writable = f->defining = true;
    f->classic = (mode & NC_CLASSIC_MODEL) != 0;
    st = bridge_create_place(path, mode, parameters, f);
    if (!st)
        st = bridge_list(f);
    if (!st)
        st = bridge_error(
            BRIDGE_STORE(f, attr_set_text, DRX_DATASET, NULL, "drx.model", f->classic ? "classic" : "enhanced"));
    if (!st)
        f->groups[0].attributes.known = true;
    if (st && f->ds)
        (void)bridge_discard(f);
    if (st)
        release(ncid, f);
    else
        close_at_exit();
    return st;
}

/* What nc_create has noted: `classic` or `enhanced`; "": nothing, as of other datasets, and of parts. */
static const char *model_of(const struct bridge_file *f)
{
    const void *text = "";
    drx_type type = DRX_UINT8;

    if (f->ds && !f->only)
        (void)drx_dataset_attr_get(f->ds, DRX_DATASET, NULL, "drx.model", &type, NULL, &text);
    return type == DRX_UINT8 ? text : "";
}

int bridge_open(const char *path, int mode, int basepe, size_t *hint, void *parameters, const NC_Dispatch *table,
                int ncid)
{
    const bool writes = (mode & NC_WRITE) != 0 && !bridge_shown;
    struct bridge_file *f = new_file(ncid, table, writes ? parameters : NULL);
    int st;

    (void)basepe, (void)hint;
    if (!f)
        return NC_ENOMEM;
    f->writable = writes;
    st = writes ? bridge_write_place(path, parameters, f) : bridge_open_place(path, f);
    if (!st)
        st = bridge_list(f);
    f->classic = !st && strcmp(model_of(f), "classic") == 0;
    if (st)
        release(ncid, f);
    else if (writes)
        close_at_exit();
    return st;
}

int bridge_close(int ncid, void *unused)
{
    struct bridge_group *g = bridge_group(ncid);
    int st = NC_NOERR;

    (void)unused;
    if (!g || g->parent >= 0)
        return g ? NC_EBADGRPID : NC_EBADID;
    if (g->file->writable)
        st = bridge_commit(g->file, true);
    if (!st)
        release(ncid, g->file);
    return st;
}

int bridge_abort(int ncid)
{
    struct bridge_group *g = bridge_group(ncid);
    int st = NC_NOERR;

    if (!g)
        return NC_EBADID;
    if (g->file->writable)
        st = bridge_discard(g->file);
    release(ncid, g->file);
    return st;
}

/* ---- sync ---- */

/* Show the newest commit. Groups and variables keep their numbers, since a dataset keeps their order; after one was
 * removed, those behind it move up. */
static int refresh(struct bridge_file *f)
{
    drx_status st = DRX_OK;

    if (f->ds)
        st = drx_dataset_refresh(f->ds);
    for (int i = 0; !f->ds && !st && i < f->nvars; i++)
        st = drx_refresh(f->vars[i]->array);
    return st ? bridge_error(st) : bridge_list_again(f);
}

int bridge_sync(int ncid)
{
    struct bridge_group *g = bridge_group(ncid);
    int st = NC_NOERR;

    if (!g)
        return NC_EBADID;
    if (!g->file->writable)
        return refresh(g->file);
    if (g->file->defining)
        st = g->file->classic ? NC_EINDEFINE : bridge__enddef(ncid, 0, 0, 0, 0);
    return st ? st : bridge_commit(g->file, false);
}

/* ---- the format ---- */

int bridge_inq_format(int ncid, int *format)
{
    struct bridge_group *g = bridge_group(ncid);
    int groups, unlimited = 0, st = bridge_inq_grps(ncid, &groups, NULL);
    bool classic = !st && groups == 0 && g->parent < 0;

    if (!st && g->file->created && g->file->classic) {
        BRIDGE_GIVE(format, NC_FORMAT_NETCDF4_CLASSIC);
        return NC_NOERR;
    }
    classic = classic && strcmp(model_of(g->file), "enhanced") != 0;
    if (classic)
        st = bridge_open_all(g->file);
    for (int d = 0; classic && d < g->file->ndims; d++)
        unlimited += g->file->dims[d].unlimited;
    for (int i = NC_GLOBAL; classic && !st && i < g->nvars; i++) {
        const struct bridge_attributes *all = bridge_attributes(g, i, &st);

        classic = i < 0 || bridge_is_classic(g->vars[i]->type);
        for (int k = 0; all && k < all->n; k++)
            classic = classic && bridge_is_classic(all->list[k].type);
    }
    if (!st && format)
        *format = classic && unlimited < 2 ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4;
    return st;
}

int bridge_inq_format_extended(int ncid, int *format, int *mode)
{
    const struct bridge_group *g = bridge_group(ncid);

    if (g && format)
        *format = g->file->model;
    BRIDGE_GIVE(mode, NC_NETCDF4);
    return g ? NC_NOERR : NC_EBADID;
}
