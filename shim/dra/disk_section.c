/* Sections whose counterpart has the same shape. Helper threads of each process move its part of the global array
 * between its memory and the file. */
#include <stdio.h>

#include "disk.h"
#include "drx_dra.h"

enum { SHORT_BYTES = 4096 };

/* From 0 on, also in Fortran; the least number, which no array has, stays. */
static int64_t bound(const void *bounds, bool wide, int i, bool fortran)
{
    const int64_t at = wide ? ((const long *)bounds)[i] : ((const int *)bounds)[i];

    return at - (fortran && at > INT64_MIN);
}

static void read_bounds(const struct disk_bounds *b, int ndim, bool fortran, struct disk_box *box)
{
    for (int j = 0; j < ndim; j++) {
        const int i = fortran ? ndim - 1 - j : j;

        box->lo[j] = bound(b->lo, b->wide, i, fortran);
        box->hi[j] = bound(b->hi, b->wide, i, fortran);
    }
}

static drx_status check_box(const char *what, int ndim, const int64_t dims[], const struct disk_box *box, bool fortran)
{
    for (int j = 0; j < ndim; j++)
        if (box->lo[j] < 0 || box->hi[j] < box->lo[j] || box->hi[j] >= dims[j])
            return shim_fail(DRX_ERANGE, "%s: dimension %d: from %lld to %lld, it has %d to %lld", what,
                             drxgai_axis(j, ndim, fortran), (long long)box->lo[j] + fortran,
                             (long long)box->hi[j] + fortran, fortran, (long long)dims[j] - !fortran);
    return DRX_OK;
}

/* The box lies inside an array whose bytes 64 bits can count, so nothing overflows. */
static int64_t elements(int ndim, const struct disk_box *box)
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n *= box->hi[j] - box->lo[j] + 1;
    return n;
}

static drx_status check_arrays(const struct disk_section *s, const struct disk_array *a, int64_t ga_dims[])
{
    int type, ndim;

    if (s->writing && a->mode == DRA_R)
        return shim_fail(DRX_EACCES, "%s was opened for reading only", a->path);
    if (!s->writing && a->mode == DRA_W)
        return shim_fail(DRX_EACCES, "%s was opened for writing only", a->path);
    if (a->group != GA_Pgroup_get_default())
        return shim_fail(DRX_EINVAL, "%s was opened by another group of processes", a->path);
    if (!GA_Valid_handle(s->g_a))
        return shim_fail(DRX_EINVAL, "%d is not a handle of a global array", s->g_a);
    NGA_Inquire64(s->g_a, &type, &ndim, ga_dims);
    if (ndim != a->ndim)
        return shim_fail(DRX_EMISMATCH, "%s has %d dimensions, the global array %d", a->path, a->ndim, ndim);
    if (drxgai_type(type) != a->type)
        return shim_fail(DRX_EMISMATCH, "%s has elements of type %s, the global array of type %d", a->path,
                         drx_type_name(a->type), type);
    return DRX_OK;
}

static drx_status take_whole(const struct disk_array *a, const int64_t ga_dims[], bool fortran, struct disk_request *r)
{
    for (int j = 0; j < a->ndim; j++) {
        if (a->dims[j] != ga_dims[j])
            return shim_fail(DRX_EMISMATCH, "%s: dimension %d is %lld, of the global array %lld", a->path,
                             drxgai_axis(j, a->ndim, fortran), (long long)a->dims[j], (long long)ga_dims[j]);
        r->disk.lo[j] = r->memory.lo[j] = 0;
        r->disk.hi[j] = r->memory.hi[j] = ga_dims[j] - 1;
    }
    return DRX_OK;
}

static drx_status take_sections(const struct disk_section *s, const struct disk_array *a, const int64_t ga_dims[],
                                struct disk_request *r)
{
    drx_status st;

    if (s->ndim && s->ndim != a->ndim)
        return shim_fail(DRX_EMISMATCH, "%s has %d dimensions, the call is for %d", a->path, a->ndim, s->ndim);
    read_bounds(&s->memory, a->ndim, s->fortran, &r->memory);
    read_bounds(&s->disk, a->ndim, s->fortran, &r->disk);
    st = check_box("section of the global array", a->ndim, ga_dims, &r->memory, s->fortran);
    if (!st)
        st = check_box(a->path, a->ndim, a->dims, &r->disk, s->fortran);
    if (!st && elements(a->ndim, &r->memory) != elements(a->ndim, &r->disk))
        st = shim_fail(DRX_EMISMATCH, "%s: a section of %lld elements, and of %lld in the global array", a->path,
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
        st = s->whole ? take_whole(r->array, ga_dims, s->fortran, r) : take_sections(s, r->array, ga_dims, r);
    return st;
}

/* Does each process that takes part have one box of the global array, and are the shapes equal? */
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

/* Find the same part in the file. */
static void locate(const struct disk_request *r, bool transposed, struct disk_box *part, struct disk_place *p)
{
    const int ndim = r->array->ndim;
    int64_t stride[DISK_MAX_NDIM];

    p->memory = drxgai_access(r->g_a, ndim, part->lo, part->hi, stride);
    for (int j = ndim - 1; j >= 0; j--) {
        const int i = transposed ? ndim - 1 - j : j;

        p->lo[i] = r->disk.lo[i] + part->lo[j] - r->memory.lo[j];
        p->count[i] = part->hi[j] - part->lo[j] + 1;
        p->stride[i] = stride[j];
    }
    NGA_Release_update64(r->g_a, part->lo, part->hi);
}

static drx_status start_read(struct disk_request *r, const struct disk_place *p)
{
    const drx_box box = { .lo = p->lo, .count = p->count, .stride = p->stride };
    const drx_status st = drx_read_async(r->array->here, &box, p->memory, &r->io[0]);

    r->parts = !st;
    return st;
}

static drx_status start_direct(struct disk_request *r, bool transposed)
{
    const int process = GA_Pgroup_nodeid(r->array->group);
    struct disk_box part;
    struct disk_place p;

    if (!drxgai_part(r->g_a, r->array->ndim, process, r->memory.lo, r->memory.hi, part.lo, part.hi))
        return DRX_OK;
    locate(r, transposed, &part, &p);
    if (r->array->old)
        return disk_read(r->array, p.lo, p.count, p.stride, p.memory);
    return r->writing ? disk_write_shared(r, transposed, &p) : start_read(r, &p);
}

/* How many of the indices lie in the chunk of the first one, or of the last one, if they cut that chunk; else 0. */
static int64_t cut_at_start(int64_t lo, int64_t end, int64_t chunk)
{
    const int64_t next = (lo / chunk + 1) * chunk;

    return lo % chunk == 0 ? 0 : (next < end ? next : end) - lo;
}

static int64_t cut_at_end(int64_t lo, int64_t end, int64_t chunk)
{
    const int64_t from = end / chunk * chunk;

    return end % chunk == 0 ? 0 : end - (from > lo ? from : lo);
}

/* Are runs at the borders of the section, inside chunks, so short that writing what lies between them is faster? A cut
 * across the slowest axis leaves one run of each chunk. All processes agree. */
static bool is_narrow(const struct disk_request *r)
{
    int64_t row_bytes = (int64_t)drx_type_size(r->array->type);
    bool narrow = false;

    for (int j = r->array->ndim - 1; j > 0; j--) {
        const int64_t lo = r->disk.lo[j], end = r->disk.hi[j] + 1, chunk = r->array->chunk[j];
        const int64_t cuts[2] = { cut_at_start(lo, end, chunk), cut_at_end(lo, end, chunk) };

        for (int i = 0; i < 2; i++)
            narrow |= cuts[i] > 0 && cuts[i] * row_bytes < SHORT_BYTES;
        row_bytes *= chunk;
    }
    return r->writing && narrow;
}

/* A helper takes longer to begin a small write than the write takes, and all that time other processes wait. Several
 * processes that write small parts of a file wait for each other in the system. All processes agree. */
static void judge_size(struct disk_request *r)
{
    const int64_t bytes = elements(r->array->ndim, &r->disk) * (int64_t)drx_type_size(r->array->type);

    r->soon = r->writing && bytes / GA_Pgroup_nnodes(r->array->group) <= disk_settings.soon_bytes;
    r->alone = r->narrow && bytes <= disk_settings.soon_bytes / 2;
}

static void tell(const struct disk_request *r, bool direct)
{
    printf("process %d: request %d %s %s%s\n", GA_Nodeid(), r->id, r->writing ? "writes" : "reads", r->array->path,
           direct ? "" : ", in the order of elements");
    for (int j = 0; j < r->array->ndim; j++)
        printf("  dimension %d: %lld to %lld, in the global array %lld to %lld\n", j, (long long)r->disk.lo[j],
               (long long)r->disk.hi[j], (long long)r->memory.lo[j], (long long)r->memory.hi[j]);
}

drx_status disk_section(const struct disk_section *s, int *id)
{
    struct disk_request asked = { .array = NULL }, *r = NULL;
    drx_status st = prepare(s, &asked);
    bool direct;

    *id = DRA_REQ_FAILED;
    if (!st) {
        asked.narrow = is_narrow(&asked);
        judge_size(&asked);
    }
    if (!st)
        disk_requests_before(&asked);
    if (!st)
        st = disk_request_new(&asked, &r);
    st = drxgai_agree(disk_comm(), st, NULL);
    if (st) {
        if (r)
            disk_request_drop(r);
        return st;
    }
    GA_Sync(); /* what others put has arrived in our memory, and nobody uses what we will write */
    direct = is_direct(r, s->transposed);
    if (disk_settings.debug)
        tell(r, direct);
    st = direct ? start_direct(r, s->transposed) : disk_move_in_order(r, s->transposed);
    if (r->writing || !direct)
        GA_Sync(); /* some runtimes serve what others get and put only inside calls of Global Arrays */
    if (st || r->parts == 0)
        disk_request_end(r, st);
    *id = r->id;
    return DRX_OK;
}
