/* Arrays of the team of ranks. libdrxmp opens them together, and each rank uses its own view. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "team_mpi.h"

static drxmp_array *opened;

/* All get the same status. */
int open_on_all(const char *path, const char *real, int mode, int64_t commit, drx_array **a)
{
    const drx_status st = mode == DRX_RDONLY ? drxmp_open_at(team_comm(), real, commit, &opened)
                                             : drxmp_open(team_comm(), real, mode, &opened);

    *a = drxmp_serial(opened);
    return exit_code(path, st);
}

static int close_all(const char *path, int status)
{
    const drx_status st = drxmp_close(opened);

    opened = NULL;
    return st && status == DONE ? failed_drx(path, st) : status;
}

int hold_array(drxmp_array *m, drx_array **a)
{
    opened = m;
    *a = drxmp_serial(m);
    return DONE;
}

drxmp_array *held_array(void)
{
    return opened;
}

/* As rank 0's environment says. */
bool has_local_stripes(void)
{
    const char *value = getenv("DRXMP_LOCAL_STRIPES");
    bool local = value && strcmp(value, "0") != 0;

    share_bytes(&local, sizeof local);
    return local;
}

drx_status remove_together(const char *path)
{
    return has_local_stripes() ? drxmp_remove(team_comm(), path) : drx_remove(path);
}

drx_status missing_together(const char *path, drx_missing *missing, void *user)
{
    return has_local_stripes() ? drxmp_missing_stripes(team_comm(), path, missing, user)
                               : drx_missing_stripes(path, missing, user);
}

static int create_on_all(const char *path, const drx_spec *spec)
{
    drxmp_array *m;
    drx_status st = drxmp_create(team_comm(), path, spec, &m), closed;

    if (st == DRX_EEXIST)
        return failed("%s; give a new path, or --force to replace it", drx_last_error());
    if (st)
        return failed_drx(path, st);
    st = drxmp_sync(m);
    closed = drxmp_close(m);
    return exit_code(path, st ? st : closed);
}

int create_together(const char *path, const drx_spec *spec)
{
    drx_array *a;

    if (spec->nstripes > 0 && has_local_stripes())
        return create_on_all(path, spec);
    if (!go_alone())
        return DONE;
    a = create_array(path, spec);
    return a ? commit_array(a, path, DONE) : FAILED;
}

/* Rank 0 opens it first as drx does, for the same messages, if it can. */
drx_array *open_together(const char *path, int mode, int64_t commit)
{
    const bool local = has_local_stripes(), tries = team_rank() == 0 && !local;
    drx_array *first = tries ? open_array_at(path, mode, commit) : NULL;
    drx_array *a = NULL;
    int status = !tries || first ? DONE : FAILED;

    if (first)
        status = close_array(first, path, status);
    if (agree(status) == DONE)
        (void)open_on_all(path, path, mode, commit, &a);
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
