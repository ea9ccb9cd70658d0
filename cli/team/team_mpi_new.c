/* New arrays of the team of ranks. A new array has a temporary name until it is complete. Rank 0 makes and renames it.
 * When its stripes may lie on the disks of several nodes, all ranks do, and rank 0 first collects its attributes in
 * memory. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrays/arrays.h"
#include "files/paths.h"
#include "team_mpi.h"

static char
    *temporary; /* the temporary name of a new array, or NULL; on other ranks than 0 when it is on several nodes */
static bool on_nodes; /* all ranks make it */

enum { NAME_BYTES = 1025 };

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

/* An array without elements, which keeps attributes. */
static drx_array *make_keeper(const drx_spec *spec)
{
    static const int64_t nothing[DRX_MAX_NDIM];
    const drx_spec bare = {
        .ndim = spec->ndim, .type = spec->type, .shape = nothing, .dims = spec->dims, .fill = spec->fill
    };

    return create_array(NULL, &bare);
}

static bool goes_to_nodes(const drx_spec *spec)
{
    const char *value = getenv("DRXMP_LOCAL_STRIPES");

    return spec->nstripes > 0 && value && strcmp(value, "0") != 0;
}

drx_array *start_array(const char *path, drx_spec *spec)
{
    drx_spec own = *spec;
    drx_array *a;

    own.flags &= ~(unsigned)DRX_REPLACE;
    temporary = is_free_path(path, spec) ? name_beside(path) : NULL;
    if (!temporary)
        return NULL;
    on_nodes = goes_to_nodes(spec);
    a = on_nodes ? make_keeper(spec) : create_array(temporary, &own);
    if (a)
        return a;
    free(temporary);
    temporary = NULL;
    return NULL;
}

/* Rank 0's name for all. */
static int share_name(char **name)
{
    size_t bytes = temporary ? strlen(temporary) + 1 : 0;
    int status;

    share_bytes(&bytes, sizeof bytes);
    *name = calloc(bytes + 1, 1);
    status = agree(*name ? DONE : out_of_memory((int64_t)bytes));
    if (status != DONE)
        return status;
    if (temporary)
        memcpy(*name, temporary, bytes);
    share_bytes(*name, bytes);
    return DONE;
}

/* ---- on several nodes ---- */

struct given {
    char name[NAME_BYTES];
    drx_type type;
    int64_t n;
    int is_text;
};

static drx_status set_given(const struct given *t, const char *values)
{
    return t->is_text ? drxmp_attr_set_text(held_array(), t->name, values)
                      : drxmp_attr_set(held_array(), t->name, t->type, t->n, values);
}

/* Set attribute i of the keeper, which rank 0 has. Collective. */
static int give_attribute(const drx_array *keeper, int i, const char *path)
{
    struct given t = { .name = "" };
    const void *values = NULL;
    const char *name;
    size_t bytes;
    char *copy;
    int status = DONE;

    if (keeper) {
        (void)drx_attr_info(keeper, i, &name, &t.type, &t.n, &t.is_text);
        (void)drx_attr_get(keeper, name, NULL, NULL, &values);
        (void)strncpy(t.name, name, sizeof t.name - 1);
    }
    share_bytes(&t, sizeof t);
    bytes = (size_t)t.n * drx_type_size(t.type);
    copy = calloc(bytes + 1, 1); /* a text ends with a NUL */
    status = agree(copy ? DONE : out_of_memory((int64_t)bytes));
    if (status == DONE) {
        if (values)
            memcpy(copy, values, bytes);
        share_bytes(copy, bytes);
        status = exit_code(path, set_given(&t, copy));
    }
    free(copy);
    return status;
}

static int give_attributes(const drx_array *keeper, const char *path)
{
    int n = keeper ? drx_attr_count(keeper) : 0, status = DONE;

    share_bytes(&n, sizeof n);
    for (int i = 0; status == DONE && i < n; i++)
        status = give_attribute(keeper, i, path);
    return status;
}

static int make_on_all(drx_array **a, const char *path, const char *name, const drx_spec *spec)
{
    drx_array *keeper = *a;
    drx_spec own = *spec;
    drxmp_array *m;
    drx_status st;
    int status;

    *a = NULL;
    own.flags &= ~(unsigned)DRX_REPLACE;
    st = drxmp_create(team_comm(), name, &own, &m);
    status = st ? failed_drx(path, st) : hold_array(m, a);
    if (status == DONE)
        status = give_attributes(keeper, path);
    (void)drx_close(keeper);
    return status;
}

/* ---- */

int spread_array(drx_array **a, const char *path, const drx_spec *spec, int status)
{
    char *name = NULL;

    share_bytes(&on_nodes, sizeof on_nodes);
    if (*a && !on_nodes) {
        status = close_array(*a, path, status);
        *a = NULL;
    }
    status = agree(status);
    if (status == DONE)
        status = share_name(&name);
    if (status == DONE) {
        status = on_nodes ? make_on_all(a, path, name, spec) : open_on_all(path, name, DRX_RDWR, DRX_LAST, a);
    } else {
        (void)drx_close(*a);
        *a = NULL;
    }
    if (on_nodes) { /* it is made, so that all will name or remove it, or nothing is */
        free(temporary);
        temporary = held_array() ? name : NULL;
    }
    if (temporary != name)
        free(name);
    return status;
}

/* Rank 0 does, or all. */
static int name_or_remove(const char *path, unsigned flags, int status)
{
    drx_status st = DRX_OK;

    if (status == DONE) {
        st = on_nodes ? drxmp_rename(team_comm(), temporary, path, flags & DRX_REPLACE)
                      : drx_rename(temporary, path, flags & DRX_REPLACE);
        if (st)
            status = failed_to_put(path, st);
    }
    if (status != DONE)
        (void)(on_nodes ? drxmp_remove(team_comm(), temporary) : drx_remove(temporary));
    free(temporary);
    temporary = NULL;
    return status;
}

int finish_array(drx_array *a, const char *path, unsigned flags, int status)
{
    status = agree(status);
    if (held_array())
        status = commit_together(a, path, status);
    if (temporary)
        status = name_or_remove(path, flags, status);
    return agree(status);
}
