/* The paper's calls on those of drxmp.h. All handles stand in two lists, since DRXMP_Terminate releases them all; a
 * handle that is in none is refused, not followed. */
#include "drxmp_paper.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct DRXMDHdr {
    DRXMDHdl next;      /* made after this one */
    drxmp_array *array; /* NULL: described, not created */
    bool writable;
    DRXComm comm;
    drx_spec spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
};

struct DRXMDMemHdr {
    DRXMDMemHdl next;
    int kdim;
    drx_order order;
    int64_t start[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    void *base;
};

static DRXMDHdl arrays;
static DRXMDMemHdl boxes;

/* What is too large for the library becomes what it refuses, with its own words. */
static int64_t number_of(size_t n)
{
    return n <= INT64_MAX ? (int64_t)n : -1;
}

/* Where the list points to the handle, or to its end. */
static DRXMDHdl *find_array(DRXMDHdl h)
{
    DRXMDHdl *at = &arrays;

    while (*at && *at != h)
        at = &(*at)->next;
    return at;
}

drxmp_array *DRXMP_Array(DRXMDHdl drxhdl)
{
    return drxhdl && *find_array(drxhdl) ? drxhdl->array : NULL;
}

static DRXMDHdl new_array(void)
{
    DRXMDHdl h = calloc(1, sizeof *h);

    *find_array(NULL) = h;
    return h;
}

static void free_array(DRXMDHdl h)
{
    *find_array(h) = h->next;
    free(h);
}

int DRXMP_Init(DRXMDHdl *drxhdl, int kdim, size_t *initsize, int *chkshape, DRXType dtype, DRXComm comm)
{
    DRXMDHdl h;

    if (!drxhdl)
        return DRX_EINVAL;
    *drxhdl = NULL;
    if (kdim < 1 || kdim > DRX_MAX_NDIM || !initsize || !chkshape)
        return DRX_EINVAL;
    h = new_array();
    if (!h)
        return DRX_ENOMEM;
    h->comm = comm;
    h->spec.ndim = kdim;
    h->spec.type = dtype;
    h->spec.shape = h->shape;
    h->spec.chunk = h->chunk;
    for (int j = 0; j < kdim; j++) {
        h->shape[j] = number_of(initsize[j]);
        h->chunk[j] = chkshape[j];
    }
    *drxhdl = h;
    return DRX_OK;
}

int DRXMP_Create(DRXMDHdl drxhdl, char *filename)
{
    drx_status st;

    if (!drxhdl || !*find_array(drxhdl) || drxhdl->array)
        return DRX_EINVAL;
    st = drxmp_create(drxhdl->comm, filename, &drxhdl->spec, &drxhdl->array);
    drxhdl->writable = !st;
    return st;
}

/* The library refuses -1. */
static int mode_of(const char *mode)
{
    if (mode && strcmp(mode, "r") == 0)
        return DRX_RDONLY;
    return mode && (strcmp(mode, "r+") == 0 || strcmp(mode, "rw") == 0) ? DRX_RDWR : -1;
}

/* A rank without memory makes the call, too, since the others do: it fails on all. */
int DRXMP_Open(DRXMDHdl *drxhdl, char *filename, char *mode)
{
    const int number = mode_of(mode);
    const DRXMDHdl h = drxhdl ? new_array() : NULL;
    drxmp_array *array;
    drx_status st;

    if (drxhdl)
        *drxhdl = NULL;
    st = drxmp_open(MPI_COMM_WORLD, filename, number, h ? &array : NULL);
    if (st) {
        if (h)
            free_array(h);
        return st;
    }
    h->array = array;
    h->writable = number == DRX_RDWR;
    *drxhdl = h;
    return DRX_OK;
}

int DRXMP_Close(DRXMDHdl drxhdl)
{
    drx_status st = DRX_OK, closing;

    if (!drxhdl || !*find_array(drxhdl))
        return DRX_EINVAL;
    if (drxhdl->writable)
        st = drxmp_sync(drxhdl->array);
    closing = drxmp_close(drxhdl->array);
    free_array(drxhdl);
    return st ? st : closing;
}

int DRXMP_Terminate(void)
{
    int first = DRX_OK;

    while (arrays) {
        const int st = DRXMP_Close(arrays);

        first = first ? first : st;
    }
    while (boxes)
        (void)DRXMP_Mem_free(boxes);
    return first;
}

int DRXMP_Extend(DRXMDHdl drxhdl, int dim, size_t by)
{
    return drxmp_extend(DRXMP_Array(drxhdl), dim, number_of(by));
}

static DRXMDMemHdl *find_box(DRXMDMemHdl h)
{
    DRXMDMemHdl *at = &boxes;

    while (*at && *at != h)
        at = &(*at)->next;
    return at;
}

int DRXMP_Mem_init(DRXMDMemHdl *memhdl, int kdim, size_t *start, size_t *count, drx_order order, void *base)
{
    DRXMDMemHdl h;

    if (!memhdl)
        return DRX_EINVAL;
    *memhdl = NULL;
    if (kdim < 1 || kdim > DRX_MAX_NDIM || !start || !count)
        return DRX_EINVAL;
    h = calloc(1, sizeof *h);
    if (!h)
        return DRX_ENOMEM;
    h->kdim = kdim;
    h->order = order;
    h->base = base;
    for (int j = 0; j < kdim; j++) {
        h->start[j] = number_of(start[j]);
        h->count[j] = number_of(count[j]);
    }
    *find_box(NULL) = h;
    *memhdl = h;
    return DRX_OK;
}

int DRXMP_Mem_free(DRXMDMemHdl memhdl)
{
    DRXMDMemHdl *at = find_box(memhdl);

    if (!memhdl || !*at)
        return DRX_EINVAL;
    *at = memhdl->next;
    free(memhdl);
    return DRX_OK;
}

typedef drx_status move(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *base);

static drx_status write_one(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *base)
{
    return drxmp_write(a, lo, count, order, base);
}

static drx_status write_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *base)
{
    return drxmp_write_all(a, lo, count, order, base);
}

/* They are in memory, so that 64 bits hold their number. */
static int64_t elements(const struct DRXMDMemHdr *box)
{
    int64_t n = 1;

    for (int j = 0; j < box->kdim; j++)
        if (box->count[j] == 0)
            return 0;
    for (int j = 0; j < box->kdim; j++)
        n *= box->count[j];
    return n;
}

/* A box that does not go with the array is given as none, so that a collective call is still made by all. */
static int move_box(move *moving, DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    drxmp_array *a = DRXMP_Array(drxhdl);
    const bool known = a && memhdl && *find_box(memhdl) && memhdl->kdim == drx_ndim(drxmp_serial(a));
    const drx_status st = known ? moving(a, memhdl->start, memhdl->count, memhdl->order, memhdl->base)
                                : moving(a, NULL, NULL, DRX_ROW_MAJOR, NULL);

    if (stat) {
        stat->error = st;
        stat->count = st ? 0 : elements(memhdl);
    }
    return st;
}

int DRXMP_Read(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box(drxmp_read, drxhdl, memhdl, stat);
}

int DRXMP_Read_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box(drxmp_read_all, drxhdl, memhdl, stat);
}

int DRXMP_Write(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box(write_one, drxhdl, memhdl, stat);
}

int DRXMP_Write_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box(write_all, drxhdl, memhdl, stat);
}
