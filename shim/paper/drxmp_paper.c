/* The paper's calls on those of drxmp.h. All handles stand in two lists, since DRXMP_Terminate releases them all; a
 * handle that is in none is refused, not followed. */
#include "drxmp_paper.h"

#include <drx_tools.h>
#include <stdbool.h>
#include <stdio.h>
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

/* DRX_EINVAL, with `what` about the call as its detail. */
static int refuse(const char *call, const char *what)
{
    char text[160];

    (void)snprintf(text, sizeof text, "%s: %s", call, what);
    return drx_fail(DRX_EINVAL, text);
}

static const char no_array[] = "the handle is not one of an array: it is NULL, was closed, or was never made";
static const char no_files[] = "the handle has no files yet: DRXMP_Create makes them";
static const char no_box[] = "the handle is not one of a box in memory: it is NULL, was freed, or was never made";

/* Why DRXMP_Array gives none; NULL: it gives one. */
static const char *lacks(DRXMDHdl h)
{
    return !h || !*find_array(h) ? no_array : !h->array ? no_files : NULL;
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
        return refuse("DRXMP_Init", "drxhdl is a null pointer");
    *drxhdl = NULL;
    if (kdim < 1 || kdim > DRX_MAX_NDIM)
        return refuse("DRXMP_Init", "kdim is not a number of dimensions, 1 to 32");
    if (!initsize || !chkshape)
        return refuse("DRXMP_Init", "initsize or chkshape is a null pointer");
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

    if (!drxhdl || !*find_array(drxhdl))
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
    const DRXMDHdl h = drxhdl ? new_array() : NULL;
    drxmp_array *array;
    drx_status st;

    if (drxhdl)
        *drxhdl = NULL;
    st = drxmp_open(MPI_COMM_WORLD, filename, number, h ? &array : NULL);
    if (st) {
        if (h)
            free_array(h);
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

    if (!drxhdl || !*find_array(drxhdl))
        return refuse("DRXMP_Close", no_array);
    if (drxhdl->writable)
        st = drxmp_sync(drxhdl->array);
    closing = drxmp_close(drxhdl->array);
    if (closing == DRX_EBUSY) /* the array is still open */
        return closing;
    free_array(drxhdl);
    return st ? st : closing;
}

int DRXMP_Terminate(void)
{
    int first = DRX_OK;

    for (DRXMDHdl h = arrays, next; h; h = next) {
        int st;

        next = h->next;
        st = DRXMP_Close(h);
        first = first ? first : st;
    }
    while (boxes)
        (void)DRXMP_Mem_free(boxes);
    return first;
}

int DRXMP_Extend(DRXMDHdl drxhdl, int dim, size_t by)
{
    const char *why = lacks(drxhdl);

    return why ? refuse("DRXMP_Extend", why) : (int)drxmp_extend(drxhdl->array, dim, number_of(by));
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
        return refuse("DRXMP_Mem_init", "memhdl is a null pointer");
    *memhdl = NULL;
    if (kdim < 1 || kdim > DRX_MAX_NDIM)
        return refuse("DRXMP_Mem_init", "kdim is not a number of dimensions, 1 to 32");
    if (!start || !count)
        return refuse("DRXMP_Mem_init", "start or count is a null pointer");
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
        return refuse("DRXMP_Mem_free", no_box);
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

static const char *does_not_fit(drxmp_array *a, DRXMDMemHdl box)
{
    if (!box || !*find_box(box))
        return no_box;
    return box->kdim == drx_ndim(drxmp_serial(a)) ? NULL : "the box has not as many dimensions as the array";
}

/* A box that does not go with the array is given as none, so that a collective call is still made by all. */
static int move_box(const char *call, move *moving, DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    const char *lacking = lacks(drxhdl), *unfit = lacking ? NULL : does_not_fit(drxhdl->array, memhdl);
    int st;

    if (lacking)
        st = refuse(call, lacking);
    else if (!unfit)
        st = moving(drxhdl->array, memhdl->start, memhdl->count, memhdl->order, memhdl->base);
    else if ((st = moving(drxhdl->array, NULL, NULL, DRX_ROW_MAJOR, NULL)) == DRX_EINVAL)
        st = refuse(call, unfit);
    if (stat) {
        stat->error = st;
        stat->count = st ? 0 : elements(memhdl);
    }
    return st;
}

int DRXMP_Read(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box("DRXMP_Read", drxmp_read, drxhdl, memhdl, stat);
}

int DRXMP_Read_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box("DRXMP_Read_all", drxmp_read_all, drxhdl, memhdl, stat);
}

int DRXMP_Write(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box("DRXMP_Write", write_one, drxhdl, memhdl, stat);
}

int DRXMP_Write_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat)
{
    return move_box("DRXMP_Write_all", write_all, drxhdl, memhdl, stat);
}
