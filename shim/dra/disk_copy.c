/* Copies from array to array, by drx_copy_into: a helper thread of each process makes its part, while the program goes
 * on, and without MPI. With MPI-IO only the program's own threads may use the file, and the copy is over on return. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"
#include "drx_dra.h"
#include "drx_tools.h"

enum { MOST_DOUBLINGS = 20 }; /* of memory that is too small for a plan */

struct disk_copying {
    drx_array *src, *dst;
    int axis[DISK_MAX_NDIM];
    drx_copy_spec spec;
    pthread_t thread;
    bool begun;       /* the thread */
    atomic_bool over; /* it has nothing left to do */
    drx_status st;
    char *detail;
};

/* Too little memory is refused by the parts of all processes alike, so all try again with the same. */
static void *copy(void *arg)
{
    struct disk_copying *c = arg;

    c->st = drx_copy_into(c->src, c->dst, &c->spec);
    for (int i = 0; c->st == DRX_ERANGE && i < MOST_DOUBLINGS; i++) {
        c->spec.memory_bytes *= 2;
        c->st = drx_copy_into(c->src, c->dst, &c->spec);
    }
    if (c->st)
        c->detail = strdup(drx_last_error());
    atomic_store(&c->over, true);
    return NULL;
}

static bool needs_own_threads(void)
{
    const char *backend = getenv("DRXMP_BACKEND");

    return backend && strcmp(backend, "mpiio") == 0;
}

/* Begin it; without a thread, do it now. */
static void begin(struct disk_copying *c)
{
    c->begun = !needs_own_threads() && pthread_create(&c->thread, NULL, copy, c) == 0;
    if (!c->begun)
        (void)copy(c);
}

bool disk_copying_over(const struct disk_copying *c)
{
    return atomic_load(&c->over);
}

drx_status disk_copying_end(struct disk_copying *c)
{
    drx_status st;

    if (c->begun)
        (void)pthread_join(c->thread, NULL);
    st = c->st;
    if (st)
        (void)drx_fail(st, c->detail ? c->detail : drx_strerror(st));
    free(c->detail);
    free(c);
    return st;
}

static drx_status check_arrays(const struct disk_array *src, const struct disk_array *dst)
{
    if (strcmp(src->path, dst->path) == 0)
        return shim_fail(DRX_EINVAL, "%s is both source and target", src->path);
    if (src->mode == DRA_W)
        return shim_fail(DRX_EACCES, "%s was opened for writing only", src->path);
    if (dst->mode == DRA_R)
        return shim_fail(DRX_EACCES, "%s was opened for reading only", dst->path);
    if (src->group != dst->group || src->group != GA_Pgroup_get_default())
        return shim_fail(DRX_EINVAL, "%s, %s: opened by different groups of processes", src->path, dst->path);
    if (src->type != dst->type)
        return shim_fail(DRX_EMISMATCH, "%s has elements of type %s, %s of %s", src->path, drx_type_name(src->type),
                         dst->path, drx_type_name(dst->type));
    if (src->ndim != dst->ndim)
        return shim_fail(DRX_EMISMATCH, "%s has %d dimensions, %s %d", src->path, src->ndim, dst->path, dst->ndim);
    return DRX_OK;
}

/* Set axes[]: of src, for each of dst. */
static drx_status take_permutation(const struct disk_array *src, const struct disk_array *dst, const void *perm,
                                   bool fortran, int axes[])
{
    bool taken[DISK_MAX_NDIM] = { false };
    const int ndim = src->ndim;

    for (int j = 0; j < ndim; j++) {
        const int dim = drxgai_axis(j, ndim, fortran);
        const int64_t given = !perm ? dim : fortran ? ((const Integer *)perm)[dim - 1] : ((const int *)perm)[dim];
        int axis = -1;

        if (given >= fortran && given < ndim + fortran)
            axis = drxgai_axis((int)given, ndim, fortran);
        if (axis < 0 || taken[axis])
            return shim_fail(DRX_EINVAL, "the permutation has %lld for dimension %d", (long long)given, dim);
        if (dst->dims[j] != src->dims[axis])
            return shim_fail(DRX_EMISMATCH, "%s: dimension %d is %lld, of %s %lld", dst->path, dim,
                             (long long)dst->dims[j], src->path, (long long)src->dims[axis]);
        taken[axis] = true;
        axes[j] = axis;
    }
    return DRX_OK;
}

/* The memory that each process may use, the least of all, for all together. Collective. */
static drx_status share_memory(const struct disk_array *a, drx_copy_spec *spec)
{
    int64_t bytes = disk_settings.buffer_bytes;

    (void)MPI_Comm_rank(a->comm, &spec->part);
    (void)MPI_Comm_size(a->comm, &spec->parts);
    if (MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_MIN, a->comm) != MPI_SUCCESS)
        return shim_fail(DRX_EMPI, "the processes could not agree");
    spec->memory_bytes = bytes * spec->parts;
    return DRX_OK;
}

static drx_status new_request(struct disk_array *src, struct disk_array *dst, const int axis[],
                              struct disk_request **out)
{
    struct disk_request given = { .writing = true, .source = src };
    drx_status st;

    for (int j = 0; j < dst->ndim; j++) {
        given.disk.hi[j] = dst->dims[j] - 1;
        given.source_box.hi[j] = src->dims[j] - 1;
    }
    if (!(given.copying = calloc(1, sizeof *given.copying)))
        return shim_fail(DRX_ENOMEM, "no memory for a request");
    given.copying->src = src->here;
    given.copying->dst = dst->here;
    memcpy(given.copying->axis, axis, sizeof given.copying->axis);
    given.copying->spec.permute = given.copying->axis;
    st = disk_request_new(&given, out);
    if (st)
        free(given.copying);
    return st;
}

static void drop(struct disk_request *r)
{
    if (!r)
        return;
    free(r->copying);
    disk_request_drop(r);
}

drx_status disk_copy(int d_src, int d_dst, const void *perm, bool fortran, int *id)
{
    struct disk_array *src = NULL, *dst = NULL;
    struct disk_request *r = NULL;
    int axis[DISK_MAX_NDIM] = { 0 };
    drx_status st = disk_find(d_src, &src);

    *id = DRA_REQ_FAILED;
    if (!st)
        st = disk_find(d_dst, &dst);
    if (!st)
        st = check_arrays(src, dst);
    if (!st)
        st = take_permutation(src, dst, perm, fortran, axis);
    if (!st)
        st = new_request(src, dst, axis, &r);
    st = drxgai_agree(disk_comm(), st, NULL);
    if (!st)
        st = share_memory(dst, &r->copying->spec);
    if (st) {
        drop(r);
        return st;
    }
    disk_requests_finish(src);
    disk_requests_finish(dst);
    disk_request_buffers_give(disk_settings.buffer_bytes);
    r->array = dst;
    *id = r->id;
    if (!src->old) {
        begin(r->copying);
        return DRX_OK;
    }
    free(r->copying);
    r->copying = NULL;
    r->source = NULL;
    disk_request_end(r, disk_copy_old(src, dst, axis));
    disk_requests_finish(dst);
    return DRX_OK;
}
