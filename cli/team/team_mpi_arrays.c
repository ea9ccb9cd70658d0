/* Arrays of the team of ranks. libdrxmp opens them together, and each rank uses its own view. A new array has a
 * temporary name until it is complete; rank 0 makes and renames it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/arrays.h"
#include "files/folder.h"
#include "team_mpi.h"

static drxmp_array *opened;
static char *temporary; /* rank 0: the temporary name of a new array, or NULL */

/* All get the same status. */
static int open_all(const char *path, const char *real, int mode, drx_array **a)
{
    const drx_status st = drxmp_open(team_comm(), real, mode, &opened);

    *a = drxmp_serial(opened);
    return exit_code(path, st);
}

static int close_all(const char *path, int status)
{
    const drx_status st = drxmp_close(opened);

    opened = NULL;
    return st && status == DONE ? failed_drx(path, st) : status;
}

/* Stripes may lie on disks that rank 0 does not see. */
static bool has_local_stripes(void)
{
    const char *local = getenv("DRXMP_LOCAL_STRIPES");

    return local && strcmp(local, "0") != 0;
}

/* Rank 0 opens it first as drx does, for the same messages, if it can. */
drx_array *open_together(const char *path, int mode)
{
    const bool tries = team_rank() == 0 && !has_local_stripes();
    drx_array *first = tries ? open_array(path, mode) : NULL;
    drx_array *a = NULL;
    int status = !tries || first ? DONE : FAILED;

    if (first)
        status = close_array(first, path, status);
    if (agree(status) == DONE)
        (void)open_all(path, path, mode, &a);
    return a;
}

int close_together(drx_array *a, const char *path, int status)
{
    (void)a;
    return close_all(path, agree(status));
}

int commit_together(drx_array *a, const char *path, int status)
{
    drx_status st = DRX_OK;

    status = agree(status);
    if (status == DONE)
        st = drxmp_sync(opened);
    return close_together(a, path, st ? failed_drx(path, st) : status);
}

drx_status extend_together(drx_array *a, int axis, bool before, int64_t by)
{
    (void)a;
    return (before ? drxmp_extend_before : drxmp_extend)(opened, axis, by);
}

drx_status append_together(drx_array *a, int axis, bool before, int64_t by, drx_order order, next_of_slab *next,
                           void *with)
{
    (void)a;
    return (before ? drxmp_prepend_pieces : drxmp_append_pieces)(opened, axis, by, order, next, with);
}

drx_status write_together(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    (void)a;
    return drxmp_write_all(opened, lo, count, order, buf);
}

int copy_together(drx_array *a, const char *path, const drx_copy_spec *spec)
{
    drxmp_array *copy;
    drx_status st = drxmp_copy(opened, path, spec, &copy), other;

    (void)a;
    if (st == DRX_EINTERRUPTED)
        return FAILED;
    if (st)
        return failed_drx(path, st);
    st = drxmp_sync(copy);
    other = drxmp_close(copy);
    return exit_code(path, st ? st : other);
}

/* "folder/.name.import-123", not listed with the arrays of the folder. */
static char *name_beside(const char *path)
{
    const char *name = base_name(path);
    char *beside;

    if (asprintf(&beside, "%.*s.%s.import-%ld", (int)(name - path), path, name, (long)getpid()) >= 0)
        return beside;
    (void)out_of_memory((int64_t)strlen(path));
    return NULL;
}

drx_array *start_array(const char *path, drx_spec *spec)
{
    drx_spec own = *spec;
    drx_array *a;
    drx_status st;

    if (spec->nstripes > 0 && has_local_stripes()) {
        (void)failed("%s: rank 0 cannot make stripes on the disks of other nodes; a program can, by drxmp_create",
                     path);
        return NULL;
    }
    own.flags &= ~(unsigned)DRX_REPLACE;
    temporary = is_free_path(path, spec) ? name_beside(path) : NULL;
    if (!temporary)
        return NULL;
    st = drx_create(temporary, &own, &a);
    if (!st)
        return a;
    (void)failed_drx(path, st);
    free(temporary);
    temporary = NULL;
    return NULL;
}

int spread_array(drx_array **a, const char *path, int status)
{
    size_t bytes = temporary ? strlen(temporary) + 1 : 0;
    char *name;

    if (*a)
        status = close_array(*a, path, status);
    *a = NULL;
    share_bytes(&bytes, sizeof bytes);
    name = calloc(bytes + 1, 1);
    if (!name)
        status = out_of_memory((int64_t)bytes);
    status = agree(status);
    if (status == DONE) {
        if (temporary)
            memcpy(name, temporary, bytes);
        share_bytes(name, bytes);
        status = open_all(path, name, DRX_RDWR, a);
    }
    free(name);
    return status;
}

static int name_or_remove(const char *path, unsigned flags, int status)
{
    drx_status st = DRX_OK;

    if (status == DONE) {
        st = drx_rename(temporary, path, flags & DRX_REPLACE);
        if (st)
            status = failed_drx(path, st);
    }
    if (status != DONE)
        (void)drx_remove(temporary);
    free(temporary);
    temporary = NULL;
    return status;
}

int finish_array(drx_array *a, const char *path, unsigned flags, int status)
{
    status = agree(status);
    if (opened)
        status = commit_together(a, path, status);
    if (temporary)
        status = name_or_remove(path, flags, status);
    return agree(status);
}
