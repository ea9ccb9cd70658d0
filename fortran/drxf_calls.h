/* drxf_calls.h - the calls that the module drx makes. Their definitions say more, and so does the module.
 *
 * `id` is a handle. An absent argument is a null pointer. Texts end by a NUL; an empty one stands for none. */
#ifndef DRXF_CALLS_H
#define DRXF_CALLS_H

#include "drxf.h"

/* ---- f_kinds.c, f_open.c ---- */

DRX_API drx_status drxf_make(int what, const char *path, int64_t *id, const struct drxf_spec *from, const int *mode,
                             const CFI_cdesc_t *at);
DRX_API drx_status drxf_lend(int64_t id, const char *name, const struct drxf_spec *from, int64_t *array);
DRX_API drx_status drxf_close(int64_t id);
DRX_API void drxf_drop(int64_t id);
DRX_API int drxf_is_open(int64_t id);

/* ---- f_change.c ---- */

DRX_API drx_status drxf_change(int64_t id, int what, const char *name, const char *text, const int *part,
                               const char *of, const CFI_cdesc_t *axis, const CFI_cdesc_t *by,
                               const CFI_cdesc_t *before, const CFI_cdesc_t *after, const CFI_cdesc_t *values,
                               int64_t *first);

/* ---- f_elements.c ---- */

DRX_API drx_status drxf_move(int64_t id, int how, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                             const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxf_append(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *values, int bits,
                               const CFI_cdesc_t *by, const CFI_cdesc_t *start, const CFI_cdesc_t *count);
DRX_API drx_status drxf_element(int64_t id, int how, const CFI_cdesc_t *index, const CFI_cdesc_t *value, int bits);
DRX_API drx_status drxf_points(int64_t id, int how, const CFI_cdesc_t *indices, const CFI_cdesc_t *values, int bits);
DRX_API drx_status drxf_fetch_add(int64_t id, int how, const CFI_cdesc_t *index, const CFI_cdesc_t *add, int64_t *old);

/* ---- f_names.c ---- */

DRX_API int64_t drxf_number(int64_t id, int of, const char *name, const int *part);
DRX_API const char *drxf_name(int64_t id, int of, int i, const int *part, const char *path);
DRX_API void drxf_bounds(int64_t id, int which, int64_t out[]);
DRX_API drx_array *drxf_c_array(int64_t id);
DRX_API drx_status drxf_commit_info(int64_t id, const CFI_cdesc_t *number, int64_t *time, const char **message);
DRX_API drx_status drxf_attr_info(int64_t id, const char *name, int *type, int64_t *n, int *is_text, const int *part,
                                  const char *of);
DRX_API drx_status drxf_attr_get_text(int64_t id, const char *name, const void **text, size_t *n, const int *part,
                                      const char *of);
DRX_API drx_status drxf_attr_get(int64_t id, const char *name, const CFI_cdesc_t *values, int bits, const int *part,
                                 const char *of);

/* ---- f_spec.c ---- */

DRX_API drx_status drxf_describe(struct drxf_spec *s, const CFI_cdesc_t *shape, const CFI_cdesc_t *mold,
                                 const CFI_cdesc_t *chunk, const CFI_cdesc_t *fill, const CFI_cdesc_t *lower);

/* ---- drxf_fail.c ---- */

DRX_API int drxf_message(const CFI_cdesc_t *errmsg, const char *text);
DRX_API void drxf_stop(void);

#endif
