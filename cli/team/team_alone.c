/* The team of one process. */
#include "arrays/arrays.h"
#include "frame/team.h"

const bool team_forks = true;

void begin_team(void)
{
}

int end_team(int status)
{
    return status;
}

int team_rank(void)
{
    return 0;
}

int team_size(void)
{
    return 1;
}

bool go_alone(void)
{
    return true;
}

int agree(int status)
{
    return status;
}

void share_bytes(void *bytes, size_t n)
{
    (void)bytes, (void)n;
}

void add_up(int64_t numbers[], int n)
{
    (void)numbers, (void)n;
}

void take_largest(double numbers[], int n)
{
    (void)numbers, (void)n;
}

void say(const char *line)
{
    (void)fputs(line, stderr);
}

FILE *team_output(void)
{
    return stdout;
}

void put_from(int rank)
{
    (void)rank;
}

drx_array *open_together(const char *path, int mode, int64_t commit)
{
    return open_array_at(path, mode, commit);
}

int close_together(drx_array *a, const char *path, int status)
{
    return close_array(a, path, status);
}

int commit_together(drx_array *a, const char *path, int status)
{
    return commit_array(a, path, status);
}

drx_status extend_together(drx_array *a, int axis, bool before, int64_t by)
{
    return (before ? drx_extend_before : drx_extend)(a, axis, by);
}

struct alone {
    next_of_slab *next;
    void *with;
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    const struct alone *alone = with;
    int64_t lo[DRX_MAX_NDIM] = { 0 }, count[DRX_MAX_NDIM]; /* all of it */

    return alone->next(alone->with, done, n, lo, count, buf);
}

drx_status append_together(drx_array *a, int axis, bool before, int64_t by, drx_order order, next_of_slab *next,
                           void *with)
{
    struct alone alone = { next, with };

    return (before ? drx_prepend_pieces : drx_append_pieces)(a, axis, by, order, next_piece, &alone);
}

drx_status write_together(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf)
{
    return drx_write(a, lo, count, order, buf);
}

int copy_together(drx_array *a, const char *path, const drx_copy_spec *spec)
{
    drx_copy_spec own = *spec;
    drx_array *copy;
    drx_status st;

    own.flags |= DRX_TEMPORARY;
    own.flags &= ~(unsigned)DRX_REPLACE;
    st = drx_copy(a, path, &own, &copy);
    if (st == DRX_EINTERRUPTED)
        return FAILED; /* the signal says it all */
    return st ? failed_drx(path, st) : name_array(copy, path, spec->flags, DONE);
}

bool has_local_stripes(void)
{
    return false;
}

drx_status remove_together(const char *path)
{
    return drx_remove(path);
}

drx_status missing_together(const char *path, drx_missing *missing, void *user)
{
    return drx_missing_stripes(path, missing, user);
}

int create_together(const char *path, const drx_spec *spec)
{
    drx_array *a = create_array(path, spec);

    return a ? commit_array(a, path, DONE) : FAILED;
}

drx_array *start_array(const char *path, drx_spec *spec)
{
    return create_unnamed_array(path, spec);
}

int spread_array(drx_array **a, const char *path, const drx_spec *spec, int status)
{
    (void)a, (void)path, (void)spec;
    return status;
}

int finish_array(drx_array *a, const char *path, unsigned flags, int status)
{
    return a ? name_array(a, path, flags, status) : status;
}
