/* Sections that have the shape of their counterpart: each process moves what it has of the global array, between that
 * memory and the file, without a message and without a buffer, by helper threads. */
#include "disk.h"

static int64_t bound(const void *bounds, bool wide, int i)
{
    return wide ? ((const long *)bounds)[i] : ((const int *)bounds)[i];
}

static void read_bounds(const struct disk_bounds *b, int ndim, struct disk_box *box)
{
    for (int j = 0; j < ndim; j++) {
        const int i = b->fortran ? ndim - 1 - j : j;

        box->lo[j] = bound(b->lo, b->wide, i) - b->fortran;
        box->hi[j] = bound(b->hi, b->wide, i) - b->fortran;
    }
}

static drx_status check_box(const char *what, int ndim, const int64_t dims[], const struct disk_box *box)
{
    for (int j = 0; j < ndim; j++)
        if (box->lo[j] < 0 || box->hi[j] < box->lo[j] || box->hi[j] >= dims[j])
            return disk_fail(DRX_ERANGE, "%s: dimension %d: from %lld to %lld, it has 0 to %lld", what, j,
                             (long long)box->lo[j], (long long)box->hi[j], (long long)dims[j] - 1);
    return DRX_OK;
}

/* Of boxes inside of arrays, whose bytes 64 bits can count. */
static int64_t elements(int ndim, const struct disk_box *box)
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n *= box->hi[j] - box->lo[j] + 1;
    return n;
}

/* ---- what is asked for ------------------------------------------------------------------ */

static drx_status check_arrays(const struct disk_section *s, const struct disk_array *a, int64_t ga_dims[])
{
    int type, ndim;

    if (s->writing && !disk_may_write(a))
        return disk_fail(DRX_EACCES, "%s was opened for reading only", a->path);
    if (!s->writing && !disk_may_read(a))
        return disk_fail(DRX_EACCES, "%s was opened for writing only", a->path);
    if (a->group != GA_Pgroup_get_default())
        return disk_fail(DRX_EINVAL, "%s was opened by another group of processes", a->path);
    if (!GA_Valid_handle(s->g_a))
        return disk_fail(DRX_EINVAL, "%d is no handle of a global array", s->g_a);
    NGA_Inquire64(s->g_a, &type, &ndim, ga_dims);
    if (ndim != a->ndim)
        return disk_fail(DRX_EMISMATCH, "%s has %d dimensions, the global array %d", a->path, a->ndim, ndim);
    if (disk_type(type) != a->type)
        return disk_fail(DRX_EMISMATCH, "%s has elements of type %s, the global array of type %d", a->path,
                         drx_type_name(a->type), type);
    return DRX_OK;
}

static drx_status take_whole(const struct disk_array *a, const int64_t ga_dims[], struct disk_request *r)
{
    for (int j = 0; j < a->ndim; j++) {
        if (a->dims[j] != ga_dims[j])
            return disk_fail(DRX_EMISMATCH, "%s: dimension %d is %lld, of the global array %lld", a->path, j,
                             (long long)a->dims[j], (long long)ga_dims[j]);
        r->disk.lo[j] = r->memory.lo[j] = 0;
        r->disk.hi[j] = r->memory.hi[j] = ga_dims[j] - 1;
    }
    return DRX_OK;
}

static drx_status take_sections(const struct disk_section *s, const struct disk_array *a, const int64_t ga_dims[],
                                struct disk_request *r)
{
    drx_status st;

    read_bounds(&s->memory, a->ndim, &r->memory);
    read_bounds(&s->disk, a->ndim, &r->disk);
    st = check_box("section of the global array", a->ndim, ga_dims, &r->memory);
    if (!st)
        st = check_box(a->path, a->ndim, a->dims, &r->disk);
    if (!st && elements(a->ndim, &r->memory) != elements(a->ndim, &r->disk))
        st = disk_fail(DRX_EMISMATCH, "%s: a section of %lld elements, and of %lld in the global array", a->path,
                       (long long)elements(a->ndim, &r->disk), (long long)elements(a->ndim, &r->memory));
    return st;
}

static drx_status prepare(const struct disk_section *s, struct disk_request *r)
{
    int64_t ga_dims[DISK_MAX_NDIM];
    drx_status st = disk_check_init();

    r->writing = s->writing;
    r->g_a = s->g_a;
    if (!st)
        st = disk_find(s->d_a, &r->array);
    if (!st)
        st = check_arrays(s, r->array, ga_dims);
    if (!st)
        st = s->whole ? take_whole(r->array, ga_dims, r) : take_sections(s, r->array, ga_dims, r);
    return st;
}

/* ---- directly ------------------------------------------------------------------------------ */

/* Whether each process of those that take part has one box of the global array, and the shapes are equal. */
static bool is_direct(const struct disk_request *r, bool transposed)
{
    const int ndim = r->array->ndim;

    for (int j = 0; j < ndim; j++) {
        const int i = transposed ? ndim - 1 - j : j;

        if (r->memory.hi[j] - r->memory.lo[j] != r->disk.hi[i] - r->disk.lo[i])
            return false;
    }
    return GA_Total_blocks(r->g_a) < 0 && !GA_Is_mirrored(r->g_a) && GA_Get_pgroup(r->g_a) == r->array->group;
}

/* What this process has of the section; false: nothing. */
static bool own_part(const struct disk_request *r, struct disk_box *part)
{
    const int ndim = r->array->ndim;

    NGA_Distribution64(r->g_a, GA_Pgroup_nodeid(r->array->group), part->lo, part->hi);
    for (int j = 0; j < ndim; j++) {
        part->lo[j] = part->lo[j] > r->memory.lo[j] ? part->lo[j] : r->memory.lo[j];
        part->hi[j] = part->hi[j] < r->memory.hi[j] ? part->hi[j] : r->memory.hi[j];
        if (part->lo[j] > part->hi[j])
            return false;
    }
    return true;
}

static drx_status start_direct(struct disk_request *r, bool transposed)
{
    const int ndim = r->array->ndim;
    int64_t ld[DISK_MAX_NDIM], lo[DISK_MAX_NDIM], count[DISK_MAX_NDIM], stride[DISK_MAX_NDIM], along = 1;
    struct disk_box part;
    void *memory;

    if (!own_part(r, &part))
        return DRX_OK;
    NGA_Access64(r->g_a, part.lo, part.hi, &memory, ld);
    for (int j = ndim - 1; j >= 0; j--) {
        const int i = transposed ? ndim - 1 - j : j;

        lo[i] = r->disk.lo[i] + part.lo[j] - r->memory.lo[j];
        count[i] = part.hi[j] - part.lo[j] + 1;
        stride[i] = along;
        along *= j > 0 ? ld[j - 1] : 1;
    }
    NGA_Release_update64(r->g_a, part.lo, part.hi);
    if (r->array->old)
        return disk_old_read(r->array, lo, count, stride, memory);
    return r->writing ? drx_write_strided_async(r->array->here, lo, count, NULL, stride, memory, &r->io)
                      : drx_read_strided_async(r->array->here, lo, count, NULL, stride, memory, &r->io);
}

drx_status disk_section(const struct disk_section *s, int *id)
{
    struct disk_request asked = { .array = NULL }, *r = NULL;
    drx_status st = prepare(s, &asked);

    if (!st)
        disk_requests_before(&asked);
    if (!st)
        st = disk_request_new(&asked, &r);
    st = disk_agree(disk_comm(), st);
    if (st) {
        if (r)
            disk_request_drop(r);
        return st;
    }
    GA_Sync(); /* what others put is in our memory, and they are done with what will be written */
    st = is_direct(r, s->transposed) ? start_direct(r, s->transposed) : disk_move_in_order(r, s->transposed);
    if (!r->io)
        disk_request_end(r, st);
    *id = r->id;
    return DRX_OK;
}
