/* Where a dataset is written: under its name; or, while another dataset has that, beside it, to take its place with
 * the first commit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "write.h"

/* What rank 0 of those that share the file finds is what all do. */
static int from_first(void *parameters, int value)
{
#ifdef BRIDGE_MPI
    if (parameters &&
        MPI_Bcast(&value, 1, MPI_INT, 0, ((const struct bridge_processes *)parameters)->comm) != MPI_SUCCESS)
        return NC_EMPI;
#endif
    (void)parameters;
    return value;
}

static bool is_first(void *parameters)
{
    int rank = 0;

#ifdef BRIDGE_MPI
    if (parameters)
        (void)MPI_Comm_rank(((const struct bridge_processes *)parameters)->comm, &rank);
#endif
    (void)parameters;
    return rank == 0;
}

enum { NOTHING, A_DATASET, OTHER };

/* What has the name: nothing, or an empty folder; a dataset; or something else. */
static int look(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return errno == ENOENT ? NOTHING : OTHER;
    return bridge_is_dataset(path) ? A_DATASET : rmdir(path) == 0 ? NOTHING : OTHER;
}

/* Beside `path`: FOLDER/.NAME.new-PROCESS. */
static char *staged_path(const char *path, int process)
{
    const char *name = bridge_last(path);
    char *staged;

    return asprintf(&staged, "%.*s.%s.new-%d", (int)(name - path), path, name, process) < 0 ? NULL : staged;
}

/* A file of another kind goes, as with netCDF-C. */
static int make_way(const char *path, int mode, void *parameters, bool *stage)
{
    int found = is_first(parameters) ? look(path) : NOTHING;

    found = from_first(parameters, found);
    *stage = found == A_DATASET;
    if (found != NOTHING && (mode & NC_NOCLOBBER))
        return NC_EEXIST;
    if (found == OTHER && is_first(parameters))
        found = unlink(path) == 0 ? NOTHING : EACCES;
    return from_first(parameters, found) == EACCES ? EACCES : NC_NOERR;
}

int bridge_create_place(const char *path, int mode, void *parameters, struct bridge_file *f)
{
    int process = from_first(parameters, (int)getpid());
    bool stage;
    int st;

    f->path = bridge_plain_path(path);
    if (!f->path)
        return NC_ENOMEM;
    st = make_way(f->path, mode, parameters, &stage);
    if (!st && stage && !(f->staged = staged_path(f->path, process)))
        st = NC_ENOMEM;
    if (st)
        return st;
    (void)bridge_raise_limit();
    f->created = true;
    return bridge_error(bridge_store_open(f, f->staged ? f->staged : f->path, true, parameters));
}

int bridge_write_place(const char *path, void *parameters, struct bridge_file *f)
{
    f->path = strchr(path, '#') || strstr(path, "://") ? NULL : bridge_plain_path(path);
    if (!f->path)
        return NC_EPERM; /* an earlier commit, or a server */
    if (look(f->path) != A_DATASET)
        return NC_EPERM; /* a variable, group or array by itself */
    (void)bridge_raise_limit();
    return bridge_error(bridge_store_open(f, f->path, false, parameters));
}

int bridge_move_place(const char *from, const char *to, bool copies)
{
    const int found = look(to);

    if (copies)
        return bridge_error(drx_dataset_duplicate(from, to));
    if (found == A_DATASET)
        return bridge_error(drx_dataset_replace(from, to));
    if (found == OTHER && unlink(to) != 0)
        return EACCES;
    return bridge_error(drx_dataset_rename(from, to));
}

/* ---- commit ---- */

static int take_place(struct bridge_file *f, void *parameters)
{
    const drx_status st = is_first(parameters) ? drx_dataset_replace(f->staged, f->path) : DRX_OK;
    const int error = from_first(parameters, bridge_error(st));

    if (error)
        return error;
    free(f->staged);
    f->staged = NULL;
    return NC_NOERR;
}

/* The dataset has to be closed for that, and the arrays are lent again. */
static int replace(struct bridge_file *f, bool closing)
{
    void *parameters = NULL;
    int st;

#ifdef BRIDGE_MPI
    struct bridge_processes p = { f->comm, MPI_INFO_NULL };

    if (f->together)
        parameters = &p;
#endif
    for (int i = 0; i < f->nvars; i++) {
        f->vars[i]->array = NULL;
        f->vars[i]->together = NULL;
    }
    st = bridge_error(bridge_store_close(f));
    if (!st)
        st = take_place(f, parameters);
    if (!st && !closing)
        st = bridge_error(bridge_store_open(f, f->path, false, parameters));
    for (int i = 0; !st && !closing && i < f->nvars; i++)
        st = bridge_error(bridge_store_array(f, f->vars[i], NULL));
    return st;
}

int bridge_commit(struct bridge_file *f, bool closing)
{
    int st = bridge_make_variables(f);

    if (!st)
        st = bridge_fill_all(f);
    if (!st)
        st = bridge_error(BRIDGE_STORE(f, commit, NULL));
    if (st)
        return st;
    f->committed = true;
    return f->staged ? replace(f, closing) : NC_NOERR;
}

int bridge_discard(struct bridge_file *f)
{
    const bool goes = f->created && !f->committed;
    int st = NC_NOERR;

#ifdef BRIDGE_MPI
    const bool first = !f->together || f->rank == 0;
#else
    const bool first = true;
#endif
    (void)bridge_store_close(f);
    if (goes && first)
        st = bridge_error(drx_dataset_delete(f->staged ? f->staged : f->path));
    return st;
}
