/* drxf_calls.h - the calls that the module drx makes. Their definitions say more, and so does the module.
 *
 * `id` is a handle. An absent argument is a null pointer. Texts end by a NUL; an empty one stands for none. */
#ifndef DRXF_CALLS_H
#define DRXF_CALLS_H

#include "drxf.h"

/* ---- f_array.c: any array, and any handle ---- */

DRX_API drx_status drxf_create(const char *path, const struct drxf_spec *from, int64_t *id);
DRX_API drx_status drxf_open(const char *path, int mode, int64_t *id);
DRX_API drx_status drxf_close(int64_t id);
DRX_API void drxf_drop(int64_t id);
DRX_API int drxf_is_open(int64_t id);
DRX_API drx_status drxf_refresh(int64_t id);
DRX_API drx_status drxf_sync(int64_t id);
DRX_API drx_status drxf_persist(int64_t id, int replace);
DRX_API drx_status drxf_extend(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *by);
DRX_API drx_status drxf_trim(int64_t id, const CFI_cdesc_t *axis, const CFI_cdesc_t *before, const CFI_cdesc_t *after);
DRX_API drx_status drxf_add_axis(int64_t id, const CFI_cdesc_t *at, const char *name);
DRX_API drx_status drxf_dim_rename(int64_t id, const CFI_cdesc_t *axis, const char *name);

/* ---- f_elements.c ---- */

DRX_API drx_status drxf_read(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                             const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxf_write(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                              const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxf_append(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *values, int bits);
DRX_API drx_status drxf_get(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *value, int bits);
DRX_API drx_status drxf_put(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *value, int bits);
DRX_API drx_status drxf_points(int64_t id, int writing, const CFI_cdesc_t *indices, const CFI_cdesc_t *values,
                               int bits);

/* ---- f_names.c ---- */

DRX_API int drxf_ndim(int64_t id);
DRX_API int drxf_dtype(int64_t id);
DRX_API void drxf_bounds(int64_t id, int which, int64_t out[]);
DRX_API const char *drxf_dim_name(int64_t id, int axis);
DRX_API int drxf_axis_named(int64_t id, const char *name);
DRX_API int drxf_attr_count(int64_t id, int part, const char *of);
DRX_API const char *drxf_attr_name(int64_t id, int part, const char *of, int i);
DRX_API drx_status drxf_attr_info(int64_t id, int part, const char *of, const char *name, int *type, int64_t *n,
                                  int *is_text);
DRX_API drx_status drxf_attr_get(int64_t id, int part, const char *of, const char *name, const CFI_cdesc_t *values,
                                 int bits);
DRX_API drx_status drxf_attr_get_text(int64_t id, int part, const char *of, const char *name, const void **text,
                                      int64_t *n);
DRX_API drx_status drxf_attr_set(int64_t id, int part, const char *of, const char *name, const CFI_cdesc_t *values);
DRX_API drx_status drxf_attr_set_text(int64_t id, int part, const char *of, const char *name, const char *text);
DRX_API drx_status drxf_attr_delete(int64_t id, int part, const char *of, const char *name);

/* ---- f_dataset.c ---- */

DRX_API drx_status drxf_dataset_create(const char *path, int64_t *id);
DRX_API drx_status drxf_dataset_open(const char *path, int mode, const CFI_cdesc_t *at, int64_t *id);
DRX_API drx_status drxf_dataset_array(int64_t id, const char *name, int64_t *array);
DRX_API drx_status drxf_dataset_add(int64_t id, const char *name, const struct drxf_spec *from, int64_t *array);
DRX_API drx_status drxf_dataset_remove(int64_t id, const char *name);
DRX_API drx_status drxf_dataset_add_group(int64_t id, const char *path);
DRX_API drx_status drxf_dataset_remove_group(int64_t id, const char *path);
DRX_API drx_status drxf_dataset_set_name(int64_t id, int part, const char *old_path, const char *new_path);
DRX_API drx_status drxf_dataset_add_axis(int64_t id, const char *name, const CFI_cdesc_t *at, const char *dim);
DRX_API drx_status drxf_dataset_extend(int64_t id, int how, const char *dim, const CFI_cdesc_t *by, int64_t *first);
DRX_API drx_status drxf_dataset_trim(int64_t id, const char *dim, const CFI_cdesc_t *before, const CFI_cdesc_t *after);
DRX_API drx_status drxf_dataset_commit(int64_t id, const char *message);
DRX_API drx_status drxf_dataset_forget(int64_t id, const CFI_cdesc_t *n);
DRX_API drx_status drxf_dataset_do(int64_t id, int what);
DRX_API int drxf_dataset_count(int64_t id, int part);
DRX_API const char *drxf_dataset_name(int64_t id, int part, int i);
DRX_API int drxf_dataset_has(int64_t id, const char *name);
DRX_API void drxf_dataset_dim(int64_t id, const char *name, int64_t *extent, int64_t *lower);
DRX_API int64_t drxf_dataset_number(int64_t id, int last);
DRX_API drx_status drxf_dataset_commit_info(int64_t id, const CFI_cdesc_t *number, int64_t *time, const char **message);

/* ---- f_spec.c ---- */

DRX_API void drxf_mold(const CFI_cdesc_t *mold, int *type, int *ndim, int64_t shape[CFI_MAX_RANK]);
DRX_API drx_status drxf_extents(const CFI_cdesc_t *d, const char *name, int expected, int *n,
                                int64_t out[DRX_MAX_NDIM]);
DRX_API drx_status drxf_fill(const CFI_cdesc_t *fill, int type, void *out);

/* ---- drxf_fail.c ---- */

DRX_API int drxf_message(const CFI_cdesc_t *errmsg, const char *text);

#endif
