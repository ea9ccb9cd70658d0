/* drxmp_dataset.h - datasets of drx_dataset.h that many processes have open together, on MPI.
 *
 * The ranks of a communicator make one transaction together: they add variables, grow dimensions, write elements, and
 * commit. Rank 0 changes dataset.xds and the logs. Each rank reads and writes its own elements, through the arrays that
 * the dataset lends. The files are byte for byte those of a serial program that makes the same calls.
 *
 * The conventions of drxmp.h hold. Every call here is collective but for drxmp_dataset_serial and _oldest, and its
 * arguments must be equal on all ranks (checked). It returns the same status everywhere. Errors are those of the call
 * of drx_dataset.h with the same name, and DRX_EMISMATCH, DRX_EMPI, and DRX_EBUSY while a request on one of the
 * dataset's arrays is pending. When rank 0 has made a change and another rank has no memory for it, the dataset
 * changes no more: close it and open it again. The last commit is as it was.
 *
 * What a killed job has left of a transaction, the next open for writing takes back. */
#ifndef DRXMP_DATASET_H
#define DRXMP_DATASET_H

#include <drx_dataset.h>
#include <drxmp.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drxmp_dataset drxmp_dataset; /* opaque; made by drxmp_dataset_create, _open */

/* As drx_dataset_create and drx_dataset_open. `path` is the same folder on all ranks. All ranks together are one
 * writer, which shares the dataset with no other (DRX_SHARED: DRX_EUNSUPPORTED). */
DRX_API drx_status drxmp_dataset_create(MPI_Comm comm, const char *path, drxmp_dataset **out);
DRX_API drx_status drxmp_dataset_open(MPI_Comm comm, const char *path, int mode, int64_t at, drxmp_dataset **out);

/* Abort the transaction in progress, close the arrays, and release the handle, even on an error, but not while requests
 * are pending (DRX_EBUSY). NULL on all ranks is fine. It never commits, as drx_dataset_close does not. */
DRX_API drx_status drxmp_dataset_close(drxmp_dataset *d);

/* As drx_dataset_refresh. When a rank cannot follow rank 0, the handle is of no use any more. */
DRX_API drx_status drxmp_dataset_refresh(drxmp_dataset *d);

/* This rank's view of the dataset, for all inquiries of drx_dataset.h that take a const pointer. It belongs to `d`
 * and is valid until drxmp_dataset_close. Not collective. NULL gives NULL. */
DRX_API const drx_dataset *drxmp_dataset_serial(const drxmp_dataset *d);

/* As drx_dataset_array: the array of a variable, which the dataset closes. All calls of drxmp.h that read and write
 * take it; drxmp_attr_set and its like belong to the transaction. */
DRX_API drx_status drxmp_dataset_array(drxmp_dataset *d, const char *name, drxmp_array **out);

/* As drx_open_at, on all ranks; drxmp_close closes it. */
DRX_API drx_status drxmp_open_at(MPI_Comm comm, const char *path, int64_t at, drxmp_array **out);

/* As drx_dataset_add; `out` may be NULL. */
DRX_API drx_status drxmp_dataset_add(drxmp_dataset *d, const char *name, const drx_spec *spec, drxmp_array **out);

/* As drx_dataset_begin and drx_dataset_reserve; `first` may be NULL. */
DRX_API drx_status drxmp_dataset_begin(drxmp_dataset *d);
DRX_API drx_status drxmp_dataset_reserve(drxmp_dataset *d, const char *dim, int64_t by, int64_t *first);
DRX_API drx_status drxmp_dataset_reserve_before(drxmp_dataset *d, const char *dim, int64_t by, int64_t *first);

/* As drx_dataset_add_group, drx_dataset_remove, drx_dataset_extend and so on, and attributes by part. */
DRX_API drx_status drxmp_dataset_add_group(drxmp_dataset *d, const char *path);
DRX_API drx_status drxmp_dataset_add_dim(drxmp_dataset *d, const char *path, int64_t lower, int64_t upper);
DRX_API drx_status drxmp_dataset_add_type(drxmp_dataset *d, const char *path, drx_type type);
DRX_API drx_status drxmp_dataset_remove(drxmp_dataset *d, const char *name);
DRX_API drx_status drxmp_dataset_remove_group(drxmp_dataset *d, const char *path);
DRX_API drx_status drxmp_dataset_set_name(drxmp_dataset *d, int part, const char *old_path, const char *new_path);
DRX_API drx_status drxmp_dataset_extend(drxmp_dataset *d, const char *dim, int64_t by);
DRX_API drx_status drxmp_dataset_extend_before(drxmp_dataset *d, const char *dim, int64_t by);
DRX_API drx_status drxmp_dataset_trim(drxmp_dataset *d, const char *dim, int64_t before, int64_t after);
DRX_API drx_status drxmp_dataset_add_axis(drxmp_dataset *d, const char *name, int at, const char *dim);
DRX_API drx_status drxmp_dataset_attr_set(drxmp_dataset *d, int part, const char *of, const char *name, drx_type type,
                                          int64_t n, const void *values);
DRX_API drx_status drxmp_dataset_attr_set_text(drxmp_dataset *d, int part, const char *of, const char *name,
                                               const char *utf8);
DRX_API drx_status drxmp_dataset_attr_delete(drxmp_dataset *d, int part, const char *of, const char *name);

/* As drx_dataset_commit: the elements that all ranks have written are durable with it. */
DRX_API drx_status drxmp_dataset_commit(drxmp_dataset *d, const char *message);

/* As drx_dataset_forget and drx_dataset_compact. The elements that all ranks have written are durable with it. */
DRX_API drx_status drxmp_dataset_forget(drxmp_dataset *d, int64_t n);
DRX_API drx_status drxmp_dataset_compact(drxmp_dataset *d);
/* As drx_dataset_oldest. Not collective. */
DRX_API int64_t drxmp_dataset_oldest(const drxmp_dataset *d);

/* As drx_dataset_abort. */
DRX_API drx_status drxmp_dataset_abort(drxmp_dataset *d);

#ifdef __cplusplus
}
#endif

#endif
