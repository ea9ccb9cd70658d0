/* drxmp_paper.h - the interface of DRX-MP as E. J. Otoo and D. Rotem print it ("Parallel Access of Out-Of-Core Dense
 * Extendible Arrays", LBNL 2009, section IV.C), on libdrxmp.
 *
 * What the paper names has its parameters; what it needs beside, and leaves open, is marked "not in the paper".
 *
 * Conventions
 *   - Every call returns DRX_OK (0) or a negative status of drx.h, the same on all ranks where a call is collective;
 *     drx_last_error() tells more.
 *   - All calls stand between MPI_Init and MPI_Finalize, and are made by one thread.
 *   - Indices, extents and shapes count elements, but for a chunk's shape they need a size_t.
 *   - A handle that is closed, or never was, is DRX_EINVAL; drx_last_error() names the call. A collective call on a bad
 *     handle of an array waits for nobody.
 */
#ifndef DRXMP_PAPER_H
#define DRXMP_PAPER_H

#include <drxmp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DRXMDHdr *DRXMDHdl;       /* of an array on disk */
typedef DRXMDHdl DRXMDHdrPtr;            /* as the text of the paper calls it */
typedef struct DRXMDMemHdr *DRXMDMemHdl; /* of a box of it in memory */
typedef MPI_Comm DRXComm;

/* The paper's types by its names; any other drx_type will do, too. */
typedef drx_type DRXType;
#define DRX_INTEGER DRX_INT32
#define DRX_DOUBLE DRX_FLOAT64
#define DRX_COMPLEX DRX_COMPLEX128

typedef struct {
    int error;     /* what the call returned */
    int64_t count; /* elements moved by this rank; 0 after an error */
} DRXMPStatus;

/* ---- arrays ------------------------------------------------------------------- */

/* Describe a new array, whose files DRXMP_Create makes.
 *
 *   kdim      1 to DRX_MAX_NDIM
 *   initsize  kdim initial bounds, copied; each may be 0
 *   chkshape  kdim extents of a chunk, copied
 *   comm      of all later calls; stays the caller's, and is used until DRXMP_Create has returned
 *
 * Collective: equal arguments (checked by DRXMP_Create).
 * Errors: DRX_EINVAL, DRX_ENOMEM; then *drxhdl is NULL. */
DRX_API int DRXMP_Init(DRXMDHdl *drxhdl, int kdim, size_t *initsize, int *chkshape, DRXType dtype, DRXComm comm);

/* Make filename.xmd and filename.xta, and open them for writing; not in the paper.
 *
 * Collective. Errors: those of drxmp_create, DRX_EEXIST among them, after which the description is still there;
 * DRX_EINVAL when the handle has files already. */
DRX_API int DRXMP_Create(DRXMDHdl drxhdl, char *filename);

/* Open an array on MPI_COMM_WORLD: mode "r" to read, "r+" or "rw" to read, write and extend.
 *
 * Collective. Errors: those of drxmp_open, DRX_EINVAL for another mode; then *drxhdl is NULL. */
DRX_API int DRXMP_Open(DRXMDHdl *drxhdl, char *filename, char *mode);

/* Make what was written durable, close, free. The handle is gone, also on error, except for DRX_EBUSY: then requests of
 * drxmp.h are pending, or exports were not released, and the array stays open.
 *
 * Collective. Errors: those of drxmp_sync and drxmp_close. */
DRX_API int DRXMP_Close(DRXMDHdl drxhdl);

/* Close all arrays, in the order in which they were made, and free all handles, also those of boxes. An array that is
 * busy stays open.
 *
 * Collective. Errors: the first of those of DRXMP_Close. */
DRX_API int DRXMP_Terminate(void);

/* Grow dimension `dim` by `by` indices; not in the paper.
 *
 * Collective: equal arguments (checked). Errors: those of drxmp_extend. */
DRX_API int DRXMP_Extend(DRXMDHdl drxhdl, int dim, size_t by);

/* The array behind the handle, for calls of drxmp.h and, through drxmp_serial, of drx.h; it belongs to the handle. NULL
 * when there are no files yet. Not in the paper. Not collective. */
DRX_API drxmp_array *DRXMP_Array(DRXMDHdl drxhdl);

/* ---- boxes in memory -------------------------------------------------------------- */

/* Describe memory that holds the box of `count` elements from index `start` on, in the given order: a conventional
 * array. Not in the paper, which leaves open how such a handle is made.
 *
 *   kdim   dimensions, those of the array that it is used with
 *   count  extents; 0 for a rank that takes no part in a collective call
 *   base   of the memory; stays the caller's
 *
 * Not collective. Errors: DRX_EINVAL, DRX_ENOMEM; then *memhdl is NULL. */
DRX_API int DRXMP_Mem_init(DRXMDMemHdl *memhdl, int kdim, size_t *start, size_t *count, drx_order order, void *base);
DRX_API int DRXMP_Mem_free(DRXMDMemHdl memhdl);

/* Move the elements of the box from the file to memory, or from memory to the file (not in the paper). `stat` may be
 * NULL.
 *
 * DRXMP_Read, DRXMP_Write: not collective. DRXMP_Read_all, DRXMP_Write_all: collective, each rank its own box.
 * Errors: those of drxmp_read and so on; DRX_EINVAL when the box has not the array's number of dimensions. */
DRX_API int DRXMP_Read(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);
DRX_API int DRXMP_Read_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);
DRX_API int DRXMP_Write(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);
DRX_API int DRXMP_Write_all(DRXMDHdl drxhdl, DRXMDMemHdl memhdl, DRXMPStatus *stat);

#ifdef __cplusplus
}
#endif

#endif
