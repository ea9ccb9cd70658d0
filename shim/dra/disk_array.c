#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "drx_dra.h"
#include "drx_tools.h"
#include "old_file.h"

static const char name_attribute[] = "name";

struct names {
    char name[DISK_NAME_BYTES], path[DISK_PATH_BYTES];
};

static drx_status take_names(struct names *n, const char *name, const char *path)
{
    memset(n, 0, sizeof *n);
    if (!path || !path[0])
        return shim_fail(DRX_EINVAL, "the name of the file is empty");
    if (strlen(path) >= sizeof n->path)
        return shim_fail(DRX_EINVAL, "the name of the file has %zu bytes, expected less than %zu", strlen(path),
                         sizeof n->path);
    (void)snprintf(n->path, sizeof n->path, "%s", path);
    (void)snprintf(n->name, sizeof n->name, "%s", name ? name : "");
    return DRX_OK;
}

/* Programs may give different names on different processes; the name of process 0 counts. */
static drx_status share_names(MPI_Comm comm, struct names *n)
{
    return MPI_Bcast(n, sizeof *n, MPI_CHAR, 0, comm) == MPI_SUCCESS ? DRX_OK
                                                                     : shim_fail(DRX_EMPI, "the names were not told");
}

static drx_status check_mode(int mode)
{
    const drx_status st = disk_check_init();

    if (st || mode == DRA_RW || mode == DRA_W || mode == DRA_R)
        return st;
    return shim_fail(DRX_EINVAL, "mode %d, expected DRA_RW, DRA_W or DRA_R", mode);
}

static drx_status check_create(const struct disk_create *c)
{
    drx_status st = check_mode(c->mode);

    if (!st && !drxgai_type(c->type))
        st = shim_fail(DRX_EINVAL, "Disk Resident Arrays have no type %d", c->type);
    if (!st && (c->ndim < 1 || c->ndim > DISK_MAX_NDIM))
        st = shim_fail(DRX_EINVAL, "%d dimensions, expected 1 to %d", c->ndim, DISK_MAX_NDIM);
    for (int j = 0; !st && j < c->ndim; j++)
        if (c->dims[j] < 1)
            st = shim_fail(DRX_EINVAL, "dimension %d is %lld, expected 1 or more", drxgai_axis(j, c->ndim, c->fortran),
                           (long long)c->dims[j]);
    return st;
}

static void fill_in(struct disk_array *a, int mode, MPI_Comm comm, const struct names *names)
{
    a->mode = mode;
    a->group = GA_Pgroup_get_default();
    a->comm = comm;
    memcpy(a->path, names->path, sizeof a->path);
}

/* Take over what the pair of files says. */
static void take_pair(struct disk_array *a, drxmp_array *pair)
{
    a->pair = pair;
    a->here = drxmp_serial(pair);
    a->ndim = drx_ndim(a->here);
    a->type = drx_dtype(a->here);
    if (a->ndim <= DISK_MAX_NDIM) {
        memcpy(a->dims, drx_shape(a->here), (size_t)a->ndim * sizeof *a->dims);
        memcpy(a->chunk, drx_chunk(a->here), (size_t)a->ndim * sizeof *a->chunk);
    }
}

/* Close everything that is open. Keep the first error and its detail. */
static drx_status leave(struct disk_array *a, drx_status st)
{
    char detail[1024];
    drx_status closed;

    (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
    closed = a->pair ? drxmp_close(a->pair) : DRX_OK;
    disk_old_close(a);
    return st ? drx_fail(st, detail) : closed;
}

static drx_status make_pair(const struct disk_create *c, MPI_Comm comm, const struct names *names, drxmp_array **out)
{
    int64_t chunk[DISK_MAX_NDIM];
    drx_spec spec = {
        .ndim = c->ndim, .type = drxgai_type(c->type), .shape = c->dims, .chunk = chunk, .flags = DRX_REPLACE
    };
    const size_t item_bytes = drx_type_size(spec.type);
    drx_status st;

    disk_chunk(c->ndim, c->dims, c->hint, item_bytes, chunk);
    spec.align = drxgai_alignment(c->ndim, chunk, item_bytes);
    st = drxmp_create(comm, names->path, &spec, out);
    if (st || !names->name[0])
        return st;
    st = drxmp_attr_set_text(*out, name_attribute, names->name);
    if (st == DRX_EINVAL) /* not UTF-8 */
        st = drxmp_attr_set(*out, name_attribute, DRX_UINT8, (int64_t)strlen(names->name), names->name);
    if (st)
        (void)drxmp_close(*out);
    return st;
}

/* Remove what Global Arrays' own library stored under the name; else it would reappear when the pair is deleted. */
static drx_status remove_old(MPI_Comm comm, const struct names *names)
{
    drx_status st = DRX_OK;

    if (disk_is_root(comm) && old_file_is_there(names->path))
        st = old_file_remove(names->path);
    return drxgai_agree(comm, st == DRX_EFORMAT ? DRX_OK : st, NULL); /* the file is something else */
}

static drx_status make(const struct disk_create *c, MPI_Comm comm, const struct names *names, struct disk_array *a)
{
    drxmp_array *pair;
    drx_status st = make_pair(c, comm, names, &pair);

    if (st)
        return st;
    take_pair(a, pair);
    fill_in(a, c->mode, comm, names);
    memcpy(a->name, names->name, sizeof a->name);
    st = remove_old(comm, names);
    return st ? leave(a, st) : DRX_OK;
}

/* What creating and opening begin with: all agree that they may, and have the names of process 0. */
static drx_status begin(drx_status st, MPI_Comm comm, const char *name, const char *path, struct names *names, int *d_a,
                        struct disk_array **a)
{
    *a = NULL;
    if (!st && disk_is_root(comm))
        st = take_names(names, name, path);
    if (!st)
        st = disk_new(d_a, a);
    st = drxgai_agree(comm, st, NULL);
    return st ? st : share_names(comm, names);
}

drx_status disk_create(const struct disk_create *c, int *d_a)
{
    const MPI_Comm comm = disk_comm();
    struct disk_array *a;
    struct names names;
    drx_status st = begin(check_create(c), comm, c->name, c->path, &names, d_a, &a);

    if (!st)
        st = make(c, comm, &names, a);
    if (st && a)
        disk_release(*d_a);
    return st;
}

static void read_name(struct disk_array *a)
{
    const void *values;
    drx_type type;
    int64_t n;

    if (drx_attr_get(a->here, name_attribute, &type, &n, &values) == DRX_OK && type == DRX_UINT8)
        (void)snprintf(a->name, sizeof a->name, "%.*s", (int)(n < DISK_NAME_BYTES ? n : DISK_NAME_BYTES),
                       (const char *)values);
}

static drx_status check_kind(const struct disk_array *a)
{
    if (a->ndim > DISK_MAX_NDIM)
        return shim_fail(DRX_EUNSUPPORTED, "%s: %d dimensions, Global Arrays has %d at most", a->path, a->ndim,
                         DISK_MAX_NDIM);
    if (!drxgai_type_number(a->type, false))
        return shim_fail(DRX_EUNSUPPORTED, "%s: Global Arrays has no type %s", a->path, drx_type_name(a->type));
    for (int j = 0; a->here && j < a->ndim; j++)
        if (drx_lower(a->here)[j] != 0)
            return shim_fail(DRX_EUNSUPPORTED,
                             "%s: its indices do not begin at 0; copy it with drx copy --from-zero, and open the copy",
                             a->path);
    return DRX_OK;
}

static drx_status open_old(struct disk_array *a)
{
    drx_status st = DRX_OK;

    if (a->mode != DRA_R)
        st = shim_fail(DRX_EACCES,
                       "%s.info: an array that Global Arrays' own library has stored is opened with DRA_R alone; "
                       "drx import makes another of it",
                       a->path);
    if (!st)
        st = disk_old_open(a, a->path);
    return drxgai_agree(a->comm, st, NULL);
}

static drx_status open_pair(struct disk_array *a)
{
    drxmp_array *pair;
    drx_status st = drxmp_open(a->comm, a->path, a->mode == DRA_R ? DRX_RDONLY : DRX_RDWR, &pair);

    if (st)
        return st;
    take_pair(a, pair);
    read_name(a);
    return DRX_OK;
}

/* What process 0 finds under a name that could not be opened for want of a file. */
struct found {
    int pair, old;
};

static drx_status look(const struct disk_array *a, struct found *found)
{
    char name[DISK_PATH_BYTES + 8];

    (void)snprintf(name, sizeof name, "%s.xmd", a->path);
    *found = (struct found){ 0 };
    if (disk_is_root(a->comm))
        *found = (struct found){ access(name, F_OK) == 0, old_file_is_there(a->path) };
    return MPI_Bcast(found, 2, MPI_INT, 0, a->comm) == MPI_SUCCESS
               ? DRX_OK
               : shim_fail(DRX_EMPI, "%s: the processes could not agree", a->path);
}

/* A program takes DRX_ENOENT for leave to make an array of this name, so a part that is missing is another error. */
static drx_status open_any(struct disk_array *a)
{
    struct found found = { 0 };
    drx_status st = open_pair(a);
    char why[1024];

    (void)snprintf(why, sizeof why, "%s", drx_last_error());
    if (st == DRX_ENOENT && (st = look(a, &found)) == DRX_OK)
        st = found.pair  ? shim_fail(DRX_EIO, "%s: the array is there, but not all of its files: %s", a->path, why)
             : found.old ? open_old(a)
                         : drx_fail(DRX_ENOENT, why);
    return st ? st : check_kind(a); /* the same everywhere */
}

drx_status disk_open(const char *path, int mode, int *d_a)
{
    const MPI_Comm comm = disk_comm();
    struct disk_array *a;
    struct names names;
    drx_status st = begin(check_mode(mode), comm, NULL, path, &names, d_a, &a);

    if (!st) {
        fill_in(a, mode, comm, &names);
        st = open_any(a);
    }
    if (st && a) {
        st = leave(a, st);
        disk_release(*d_a);
    }
    return st;
}

drx_status disk_close(int d_a)
{
    struct disk_array *a;
    drx_status st = drxgai_agree(disk_comm(), disk_find(d_a, &a), NULL);

    if (st)
        return st;
    disk_requests_finish(a);
    st = leave(a, DRX_OK);
    disk_release(d_a);
    return st;
}

drx_status disk_delete(int d_a)
{
    const MPI_Comm comm = disk_comm();
    struct names names;
    struct disk_array *a;
    drx_status st = drxgai_agree(comm, disk_find(d_a, &a), NULL), removed = DRX_OK;
    bool old;

    if (st)
        return st;
    memcpy(names.path, a->path, sizeof names.path);
    old = a->old != NULL;
    st = disk_close(d_a);
    if (disk_is_root(comm))
        removed = old ? old_file_remove(names.path) : drx_remove(names.path);
    removed = drxgai_agree(comm, removed, NULL);
    return st ? st : removed;
}

drx_status disk_read(const struct disk_array *a, const int64_t lo[], const int64_t count[], const int64_t stride[],
                     void *buf)
{
    return a->old ? old_file_read(a->old, lo, count, stride, buf)
                  : drx_read_box(a->here, &(drx_box){ .lo = lo, .count = count, .stride = stride }, buf);
}

drx_status disk_extend(int d_a, int64_t dim, int64_t by, bool fortran)
{
    struct disk_array *a;
    drx_status st = disk_find(d_a, &a);

    if (!st && a->mode == DRA_R)
        st = shim_fail(DRX_EACCES, "%s was not opened for writing", a->path);
    if (!st && (dim < fortran || dim >= a->ndim + fortran))
        st = shim_fail(DRX_EINVAL, "%s: dimension %lld, it has %d to %d", a->path, (long long)dim, fortran,
                       a->ndim - !fortran);
    st = drxgai_agree(disk_comm(), st, NULL);
    if (st)
        return st;
    disk_requests_finish(a);
    st = drxmp_extend(a->pair, drxgai_axis((int)dim, a->ndim, fortran), by);
    if (!st)
        memcpy(a->dims, drx_shape(a->here), (size_t)a->ndim * sizeof *a->dims);
    return st;
}

void disk_print(int d_a)
{
    struct disk_array *a;

    if (disk_find(d_a, &a)) {
        (void)disk_own_result("DRA_Print_internals", DRX_EINVAL);
        return;
    }
    printf("disk resident array %d: \"%s\" in %s, mode %d, type %s\n", d_a, a->name, a->path, a->mode,
           drx_type_name(a->type));
    for (int j = 0; j < a->ndim; j++)
        printf("  dimension %d: %lld in chunks of %lld\n", j, (long long)a->dims[j], (long long)a->chunk[j]);
}
