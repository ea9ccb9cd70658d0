/* A table of attributes in memory: those of an array, or of a dataset. */
#ifndef DRXI_ATTRS_H
#define DRXI_ATTRS_H

#include "format/format.h"
#include "log/index.h"

struct drxi_attr {
    char *name;
    drx_type type;
    bool is_text;
    int64_t n;
    void *values; /* native byte order; a NUL follows text */

    /* What a store says of it, besides. */
    uint32_t stored;  /* its type, also one that drx_type has not: then `type` is 0, and values are as stored */
    int rank;         /* 255: no value */
    int64_t *extents; /* or NULL */
    size_t bytes;     /* of the values */
};

struct drxi_attrs { /* zero: empty */
    int64_t n, room;
    struct drxi_attr *item;
    int64_t holes;
    struct drxi_index names;
};

/* A copy with a NUL behind it; NULL: no memory. */
char *drxi_copy_with_nul(const void *bytes, size_t n);

void drxi_attrs_free(struct drxi_attrs *t);
int64_t drxi_attrs_find(const struct drxi_attrs *t, const char *name, size_t name_bytes); /* -1: none */

/* A copy with a NUL behind it; NULL: no memory. */
char *drxi_copy_with_nul(const void *bytes, size_t n);
/* Reserving, which making does, may fail; set does not, and takes what was made. */
drx_status drxi_attrs_reserve(struct drxi_attrs *t);
drx_status drxi_attrs_make(struct drxi_attrs *t, const struct drxi_attr_payload *payload, struct drxi_attr *made);
void drxi_attrs_set(struct drxi_attrs *t, const struct drxi_attr *made);
void drxi_attr_free(struct drxi_attr *attr); /* frees what it holds */

/* Deleting leaves a hole; packing closes all holes, so that item[0] to item[n - 1] are there. */
void drxi_attrs_delete(struct drxi_attrs *t, int64_t i);
void drxi_attrs_pack(struct drxi_attrs *t);

/* What the public calls check and return; `label` is for messages.
 * DRX_EINVAL, DRX_EOVERFLOW, DRX_ENOENT, DRX_ERANGE. */
drx_status drxi_attrs_check_name(const char *label, const char *name);
drx_status drxi_attrs_check(const char *label, const char *name, drx_type type, int64_t n, const void *values,
                            struct drxi_attr_payload *out);
drx_status drxi_attrs_check_text(const char *label, const char *name, const char *utf8, struct drxi_attr_payload *out);
drx_status drxi_attrs_look_up(const struct drxi_attrs *t, const char *label, const char *name, int64_t *i);
drx_status drxi_attrs_get(const struct drxi_attrs *t, const char *label, const char *name, drx_type *type, int64_t *n,
                          const void **values);
drx_status drxi_attrs_info(const struct drxi_attrs *t, const char *label, int i, const char **name, drx_type *type,
                           int64_t *n, int *is_text);

#endif
