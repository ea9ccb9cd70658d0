/* The paper's calls on those of drxmp.h. All handles stand in two lists, in the order in which they were made, since
 * DRXMP_Terminate releases them all; a handle that is in none is refused, not followed. */
#include "drxmp_paper.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../shim.h"

struct link {
    struct link *next;
};

struct DRXMDHdr {
    struct link link;
    drxmp_array *array; /* NULL: described, not created */
    bool writable;
    DRXComm comm;
    drx_spec spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
};

struct DRXMDMemHdr {
    struct link link;
    int kdim;
    drx_order order;
    int64_t start[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    void *base;
};

static struct link *arrays, *boxes;

/* What is too large for the library becomes what it refuses, with its own words. */
static int64_t number_of(size_t n)
{
    return n <= INT64_MAX ? (int64_t)n : -1;
}

/* Where the list points to the handle, or to its end: so it does for a null pointer. */
static struct link **find(struct link **list, const void *h)
{
    while (*list && *list != h)
        list = &(*list)->next;
    return list;
}

static void *add(struct link **list, size_t bytes)
{
    return *find(list, NULL) = calloc(1, bytes);
}

static void drop(struct link **list, void *h)
{
    struct link **at = find(list, h);

    *at = (*at)->next;
    free(h);
}

drxmp_array *DRXMP_Array(DRXMDHdl drxhdl)
{
    return *find(&arrays, drxhdl) ? drxhdl->array : NULL;
}

/* DRX_EINVAL, with `what` about the call as its detail. */
static int refuse(const char *call, const char *what)
{
    return shim_fail(DRX_EINVAL, "%s: %s", call, what);
}

static const char no_array[] = "the handle is not one of an array: it is NULL, was closed, or was never made";
static const char no_files[] = "the handle has no files yet: DRXMP_Create makes them";
static const char no_box[] = "the handle is not one of a box in memory: it is NULL, was freed, or was never made";

/* Why DRXMP_Array gives none; NULL: it gives one. */
static const char *lacks(DRXMDHdl h)
{
    return !*find(&arrays, h) ? no_array : !h->array ? no_files : NULL;
}

int DRXMP_Init(DRXMDHdl *drxhdl, int kdim, size_t *initsize, int *chkshape, DRXType dtype, DRXComm comm)
{
    DRXMDHdl h;

    if (!drxhdl)
        return refuse("DRXMP_Init", "drxhdl is a null pointer");
    *drxhdl = NULL;
    if (kdim < 1 || kdim > DRX_MAX_NDIM)
        return refuse("DRXMP_Init", "kdim is not a number of dimensions, 1 to 32");
    if (!initsize || !chkshape)
        return refuse("DRXMP_Init", "initsize or chkshape is a null pointer");
    h = add(&arrays, sizeof *h);
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

    if (!*find(&arrays, drxhdl))
        return refuse("DRXMP_Create", no_array);
    if (drxhdl->array)
        return refuse("DRXMP_Create", "the handle has files already");
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
    const DRXMDHdl h = drxhdl ? add(&arrays, sizeof *h) : NULL;
    drxmp_array *array;
    drx_status st;

    if (drxhdl)
        *drxhdl = NULL;
    st = drxmp_open(MPI_COMM_WORLD, filename, number, h ? &array : NULL);
    if (st) {
        if (h)
            drop(&arrays, h);
        if (number < 0)
            (void)refuse("DRXMP_Open", "the mode is not \"r\", \"r+\" or \"rw\"");
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

    if (!*find(&arrays, drxhdl))
        return refuse("DRXMP_Close", no_array);
    if (drxhdl->writable)
        st = drxmp_sync(drxhdl->array);
    closing = drxmp_close(drxhdl->array);
    if (closing == DRX_EBUSY) /* the array is still open */
        return closing;
    drop(&arrays, drxhdl);
    return st ? st : closing;
}

int DRXMP_Terminate(void)
{
    int first = DRX_OK;

    for (struct link *h = arrays, *next; h; h = next) {
        int st;

        next = h->next;
        st = DRXMP_Close((DRXMDHdl)h);
        first = first ? first : st;
    }
    while (boxes)
        drop(&boxes, boxes);
    return first;
}

int DRXMP_Extend(DRXMDHdl drxhdl, int dim, size_t by)
{
    const char *why = lacks(drxhdl);

    return why ? refuse("DRXMP_Extend", why) : (int)drxmp_extend(drxhdl->array, dim, number_of(by));
}

int DRXMP_Mem_init(DRXMDMemHdl *memhdl, int kdim, size_t *start, size_t *count, drx_order order, void *base)
{
    DRXMDMemHdl h;

    if (!memhdl)
        return refuse("DRXMP_Mem_init", "memhdl is a null pointer");
    *memhdl = NULL;
    if (kdim < 1 || kdim > DRX_MAX_NDIM)
        return refuse("DRXMP_Mem_init", "kdim is not a number of dimensions, 1 to 32");
    if (!start || !count)
        return refuse("DRXMP_Mem_init", "start or count is a null pointer");
    h = add(&boxes, sizeof *h);
    if (!h)
        return DRX_ENOMEM;
    h->kdim = kdim;
    h->order = order;
    h->base = base;
    for (int j = 0; j < kdim; j++) {
        h->start[j] = number_of(start[j]);
        h->count[j] = number_of(count[j]);
    }
    *memhdl = h;
    return DRX_OK;
}

int DRXMP_Mem_free(DRXMDMemHdl memhdl)
{
    if (!*find(&boxes, memhdl))
        return refuse("DRXMP_Mem_free", no_box);
    drop(&boxes, memhdl);
    return DRX_OK;
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

static const char *does_not_fit(drxmp_array *a, DRXMDMemHdl box)
{
    if (!*find(&boxes, box))
        return no_box;
    return box->kdim == drx_ndim(drxmp_serial(a)) ? NULL : "the box has not as many dimensions as the array";
}

static drx_status moved(drxmp_array *a, bool writing, bool all, const struct DRXMDMemHdr *box)
{
    const int64_t *lo = box ? box->start : NULL, *count = box ? box->count : NULL;
    const drx_order order = box ? box->order : DRX_ROW_MAJOR;
    void *base = box ? box->base : NULL;

    if (writing)
        return (all ? drxmp_write_all : drxmp_write)(a, lo, count, order, base);
    return (all ? drxmp_read_all : drxmp_read)(a, lo, count, order, base);
}

/* A box that does not go with the array is given as none, so that a collective call is still made by all. */
static int move(const char *call, bool writing, bool all, DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    const char *lacking = lacks(drxhdl), *unfit = lacking ? NULL : does_not_fit(drxhdl->array, memhdl);
    int st = lacking ? refuse(call, lacking) : (int)moved(drxhdl->array, writing, all, unfit ? NULL : memhdl);

    if (unfit && st == DRX_EINVAL)
        st = refuse(call, unfit);
    if (stat) {
        stat->error = st;
        stat->count = st ? 0 : elements(memhdl);
    }
    return st;
}

int DRXMP_Read(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move("DRXMP_Read", false, false, drxhdl, memhdl, stat);
}

int DRXMP_Read_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move("DRXMP_Read_all", false, true, drxhdl, memhdl, stat);
}

int DRXMP_Write(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move("DRXMP_Write", true, false, drxhdl, memhdl, stat);
}

int DRXMP_Write_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move("DRXMP_Write_all", true, true, drxhdl, memhdl, stat);
}
