/* Memory of sections, and the windows over it. When several ranks share a node, their sections are in one shared window
 * there, which the kernel keeps in a file system in memory. If that had too little room, a later store would raise
 * SIGBUS. So the code first checks the room, then allocates all pages at once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "copy/copy.h"
#include "mp/darray/sections.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it */
#endif

enum { ALIGNED_BYTES = 16, MPI_OWN_BYTES = 1 << 16 /* MPI's own use for each rank */ };

static const char *shared_folder(void)
{
    const char *said = getenv("OMPI_MCA_osc_sm_backing_directory");

    return said && *said ? said : "/dev/shm";
}

static int64_t ask_room(void)
{
    struct statvfs fs;

    return statvfs(shared_folder(), &fs) == 0 ? drxi_mul_saturated((int64_t)fs.f_bavail, (int64_t)fs.f_frsize) : -1;
}

int64_t (*drxi_shared_room)(void) = ask_room;

atomic_int_fast64_t drxi_node_bytes;

static int64_t page_bytes(void)
{
    return sysconf(_SC_PAGESIZE);
}

/* The shared memory of one rank: a page for its lock, whole pages for its section, and room to align both. */
static int64_t shared_bytes(int64_t section_bytes)
{
    const int64_t page = page_bytes();

    return (drxi_ceil_div(section_bytes, page) + 2) * page;
}

static drx_status check_room(const struct drxi_node *node, const int64_t bytes[])
{
    const int64_t room = drxi_shared_room();
    int64_t all = 0;

    for (int i = 0; i < node->ranks; i++)
        if (bytes[node->whole[i]] > INT64_MAX / 4 ||
            !drxi_add(all, shared_bytes(bytes[node->whole[i]]) + MPI_OWN_BYTES, &all))
            return drxi_fail(DRX_EOVERFLOW, "the bytes of the sections of a node overflow 64 bits");
    return room < 0 || all <= room
               ? DRX_OK
               : drxi_fail(DRX_ENOMEM, "%s has room for %lld bytes, expected %lld, for the sections of %d ranks",
                           shared_folder(), (long long)room, (long long)all, node->ranks);
}

bool drxi_take_pages(uint8_t *from, int64_t bytes)
{
    const uintptr_t page = (uintptr_t)page_bytes(), first = (uintptr_t)from / page * page;
    const size_t all = (uintptr_t)from + (uintptr_t)bytes - first;
    int failed;

    do
        failed = madvise((void *)first, all, MADV_POPULATE_WRITE);
    while (failed && (errno == EINTR || errno == EAGAIN));
    return !failed || errno == EINVAL || errno == ENOSYS;
}

/* Compute the extents and strides of a rank's dense section. */
static drx_status lay_out_section(drxmp_darray *d, int rank, drx_order order, int64_t extent[], int64_t *bytes)
{
    bool fits = true, empty = false;

    *bytes = (int64_t)d->item_bytes;
    for (int j = 0; j < d->ndim; j++) {
        extent[j] = dap_num_local(drxi_darray_dim(d, rank, j));
        fits = fits && drxi_mul(*bytes, drxi_max(extent[j], 1), bytes); /* strides fit even when it is empty */
        empty = empty || extent[j] == 0;
    }
    if (!fits)
        return drxi_fail(DRX_EOVERFLOW, "the bytes of a section overflow 64 bits");
    *bytes = empty ? 0 : *bytes;
    drxi_strides(d->ndim, extent, d->item_bytes, order, d->reach[rank].stride_bytes);
    return DRX_OK;
}

/* The sections are going to be made. They have been checked, so that the sum does not overflow. */
static void count_node_bytes(drxmp_darray *d, const struct drxi_node *node, const int64_t bytes[])
{
    d->counted = node ? 0 : d->bytes;
    for (int i = 0; node && i < node->ranks; i++)
        d->counted += bytes[node->whole[i]];
    (void)atomic_fetch_add(&drxi_node_bytes, d->counted);
}

static drx_status lay_out_all(drxmp_darray *d, drx_order order, const struct drxi_node *node)
{
    int64_t extent[DRX_MAX_NDIM], *bytes = drxi_malloc((size_t)d->ranks * sizeof *bytes);
    drx_status st = bytes ? DRX_OK : drxi_fail(DRX_ENOMEM, "out of memory for the sizes of all sections");

    for (int rank = 0; !st && rank < d->ranks; rank++) {
        st = lay_out_section(d, rank, order, extent, &bytes[rank]);
        if (!st && rank == d->rank) {
            memcpy(d->extent, extent, sizeof *extent * (size_t)d->ndim);
            memcpy(d->stride_bytes, d->reach[rank].stride_bytes, sizeof *extent * (size_t)d->ndim);
            d->bytes = bytes[rank];
        }
    }
    if (!st && node && node->ranks > 1)
        st = check_room(node, bytes);
    if (!st)
        count_node_bytes(d, node, bytes);
    drxi_free(bytes);
    return st;
}

static void borrow_section(drxmp_darray *d, const struct dap_array *from)
{
    for (int j = 0; j < d->ndim; j++) {
        d->extent[j] = from->shape[j];
        d->stride_bytes[j] = from->strides[j];
    }
    d->mem = from->data;
    d->read_only = from->flags & DAP_READ_ONLY;
}

drx_status drxi_memory_plan(drxmp_darray *d, const struct drxi_darray_plan *plan, const struct drxi_node *node)
{
    d->reach = drxi_calloc((size_t)d->ranks, sizeof *d->reach);
    d->strides = drxi_calloc((size_t)d->ranks * (size_t)d->ndim, sizeof *d->strides);
    if (!d->reach || !d->strides)
        return drxi_fail(DRX_ENOMEM, "out of memory for the sections of all ranks");
    for (int rank = 0; rank < d->ranks; rank++)
        d->reach[rank].stride_bytes = d->strides + (int64_t)rank * d->ndim;
    if (!plan->imported)
        return lay_out_all(d, plan->order, node);
    borrow_section(d, plan->imported);
    return DRX_OK;
}

static drx_status make_private(drxmp_darray *d)
{
    d->mem = d->own = drxi_calloc(1, (size_t)d->bytes);
    return d->mem ? DRX_OK : drxi_fail(DRX_ENOMEM, "out of memory for a section of %lld bytes", (long long)d->bytes);
}

/* Lock the window once, for all later accesses. `code`: of making it. */
static drx_status open_window(int code, const char *what, MPI_Win *win)
{
    if (code != MPI_SUCCESS) {
        *win = MPI_WIN_NULL;
        return drxi_mpi(code, what);
    }
    (void)MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
    return drxi_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, *win), "opening a window");
}

drx_status drxi_window_make(MPI_Comm comm, void *base, int64_t bytes, int unit, MPI_Win *win)
{
    return open_window(MPI_Win_create(base, (MPI_Aint)bytes, unit, MPI_INFO_NULL, comm, win), "making a window", win);
}

void drxi_window_free(MPI_Win *win)
{
    if (*win == MPI_WIN_NULL)
        return;
    (void)MPI_Win_unlock_all(*win);
    (void)MPI_Win_free(win);
}

static drx_status allocate_shared(drxmp_darray *d, const struct drxi_node *node)
{
    MPI_Info info = MPI_INFO_NULL;
    uint8_t *base;
    int code;

    (void)MPI_Info_create(&info);
    (void)MPI_Info_set(info, "alloc_shared_noncontig", "true"); /* so that ranks share no page */
    code = MPI_Win_allocate_shared((MPI_Aint)shared_bytes(d->bytes), 1, info, node->comm, &base, &d->shared);
    (void)MPI_Info_free(&info);
    return open_window(code, "sharing the memory of a node", &d->shared);
}

/* Find the lock of rank i of the node. Its section begins a page later. */
static drx_status find_shared(const drxmp_darray *d, int i, uint8_t **lock)
{
    const uintptr_t page = (uintptr_t)page_bytes();
    uint8_t *base = NULL;
    MPI_Aint bytes;
    int unit;
    const drx_status st = drxi_mpi(MPI_Win_shared_query(d->shared, i, &bytes, &unit, &base), "finding shared memory");

    *lock = base + (page - (uintptr_t)base % page) % page;
    return st;
}

/* Make the shared window and set this rank's part to zero, which MPI does not promise. */
static drx_status make_shared(drxmp_darray *d, const struct drxi_node *node)
{
    drx_status st = allocate_shared(d, node);

    for (int i = 0; !st && i < node->ranks; i++) {
        struct drxi_reach *r = &d->reach[node->whole[i]];
        uint8_t *lock;

        st = find_shared(d, i, &lock);
        r->mem = lock + page_bytes();
        r->lock = (atomic_uint *)(void *)lock;
        if (!st && i == node->rank && !drxi_take_pages(lock, page_bytes() + d->bytes))
            st = drxi_fail(DRX_ENOMEM, "%s has no room for a section of %lld bytes", shared_folder(),
                           (long long)d->bytes);
        else if (!st && i == node->rank) {
            d->mem = r->mem;
            atomic_init(r->lock, 0);
            memset(d->mem, 0, (size_t)d->bytes);
        }
    }
    return st;
}

/* The window has the bytes of the section from the lowest to the highest address. Compute how far before the first
 * element it begins, and its length. It begins at an aligned address, because otherwise MPICH 4.0 puts to a lower
 * address than intended. */
static void find_span(const drxmp_darray *d, int64_t *before, int64_t *bytes)
{
    int64_t low = 0, high = (int64_t)d->item_bytes;

    for (int j = 0; j < d->ndim; j++) {
        const int64_t way = (d->extent[j] - 1) * d->stride_bytes[j];

        if (d->extent[j] == 0)
            low = high = 0;
        if (d->extent[j] == 0)
            break;
        low += drxi_min(way, 0);
        high += drxi_max(way, 0);
    }
    if (high > low)
        low -= (int64_t)((uintptr_t)(d->mem + low) % ALIGNED_BYTES);
    *before = -low;
    *bytes = high - low;
}

/* Send each rank's strides to all, because imported sections may have any. */
static drx_status tell_strides(drxmp_darray *d, int64_t before)
{
    const int width = d->ndim + 2;
    int64_t *wire = drxi_malloc((size_t)d->ranks * (size_t)width * sizeof *wire), *mine;
    drx_status st = drxi_agree(d->comm, wire ? DRX_OK : DRX_ENOMEM, NULL);

    if (!st) {
        mine = wire + (int64_t)d->rank * width;
        mine[0] = before;
        mine[1] = d->read_only;
        memcpy(mine + 2, d->stride_bytes, sizeof *mine * (size_t)d->ndim);
        st = drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, wire, width, MPI_INT64_T, d->comm),
                      "gathering strides");
    }
    for (int rank = 0; !st && rank < d->ranks; rank++) {
        const int64_t *from = wire + (int64_t)rank * width;

        d->reach[rank].at = (MPI_Aint)from[0];
        d->reach[rank].read_only = from[1] != 0;
        d->some_read_only = d->some_read_only || from[1] != 0;
        memcpy(d->reach[rank].stride_bytes, from + 2, sizeof *from * (size_t)d->ndim);
    }
    drxi_free(wire);
    return st;
}

/* A rank that cannot open the first takes part in making the second. That is not made with MPI_Win_allocate, on whose
 * memory MPI_Fetch_and_op of MPICH 4.0 is not atomic. */
static drx_status make_both_windows(drxmp_darray *d, int64_t before, int64_t bytes)
{
    const int word = sizeof d->far_lock;
    const drx_status st = drxi_window_make(d->comm, bytes > 0 ? d->mem - before : NULL, bytes, 1, &d->sections);
    const drx_status other = drxi_window_make(d->comm, &d->far_lock, word, word, &d->locks);

    return st ? st : other;
}

/* Make the windows. When they are off, or MPI cannot make them, as Open MPI on some networks, the darray is cut off:
 * everything works except one-sided access that needs RMA. */
static drx_status make_windows(drxmp_darray *d, const struct drxi_node *node, int64_t before, int64_t bytes)
{
    const int turn = d->remote.off ? -1 : drxi_turn_begin(d->comm, node);
    drx_status st = d->remote.off ? DRX_EUNSUPPORTED : drxi_agree(d->comm, make_both_windows(d, before, bytes), NULL);

    drxi_turn_end(turn);
    for (int rank = 0; rank < d->ranks; rank++) { /* all ranks now use the locks in the window */
        d->reach[rank].lock = NULL;
        if (!d->remote.near)
            d->reach[rank].mem = NULL;
    }
    if (st) {
        drxi_window_free(&d->sections);
        drxi_window_free(&d->locks);
        d->cut_off = true;
        return DRX_OK;
    }
    if (d->remote.progress && !(st = drxi_progress_want()))
        d->progressing = true;
    return st;
}

drx_status drxi_memory_make(drxmp_darray *d, const struct drxi_darray_plan *plan, const struct drxi_node *node)
{
    const bool shared = !plan->imported && node && node->ranks > 1;
    const bool near = d->ranks == 1 || (d->remote.near && shared && node->ranks == d->ranks);
    struct drxi_reach *mine = &d->reach[d->rank];
    int64_t before, bytes;
    drx_status st = DRX_OK;

    atomic_init(&d->lock, 0);
    if (shared)
        st = make_shared(d, node);
    else if (!plan->imported)
        st = make_private(d);
    if (!shared) {
        mine->mem = d->mem;
        mine->lock = &d->lock;
    }
    find_span(d, &before, &bytes);
    if (!near)
        st = drxi_agree(d->comm, st, NULL); /* making a window is collective */
    if (!st && plan->imported)
        st = tell_strides(d, before);
    return st || near ? st : make_windows(d, node, before, bytes);
}

void drxi_memory_free(drxmp_darray *d)
{
    if (d->progressing)
        drxi_progress_leave();
    drxi_window_free(&d->sections);
    drxi_window_free(&d->locks);
    drxi_window_free(&d->shared);
    (void)atomic_fetch_sub(&drxi_node_bytes, d->counted);
    drxi_free(d->own);
    drxi_free(d->reach);
    drxi_free(d->strides);
}

void drxi_memory_order(const drxmp_darray *d)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (d->shared != MPI_WIN_NULL)
        (void)MPI_Win_sync(d->shared);
    if (d->sections != MPI_WIN_NULL)
        (void)MPI_Win_sync(d->sections);
}

void drxi_memory_fence(const drxmp_darray *d)
{
    if (drxi_check_running()) /* the call that fences finds it out */
        return;
    for (int rank = 0; atomic_load(&d->outstanding.first) && rank < d->ranks; rank++)
        if (!d->reach[rank].mem) /* others see what requests put */
            (void)MPI_Win_flush(rank, d->sections);
    drxi_memory_order(d);
}
