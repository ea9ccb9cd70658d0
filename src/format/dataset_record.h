/* Encodes and decodes the description and the records of `dataset.xds` (spec/drx-format.md, section 10). It does no
 * input or output. */
#ifndef DRXI_DATASET_RECORD_H
#define DRXI_DATASET_RECORD_H

#include "format/format.h"

enum {
    DRXI_DATASET_BYTES = 48, /* of the description */
    DRXI_MESSAGE_MAX_BYTES = 4096,
    DRXI_MEMBER_NAME_MAX_BYTES = 200,
    DRXI_COMMIT_HEAD_BYTES = 24,
    DRXI_COMMIT_CHANGE_BYTES = 24
};

enum drxi_dataset_kind {
    DRXI_DS_DIMENSION = 1, /* bounds, name */
    DRXI_DS_ADD,           /* arg: number of dimensions; id, dimensions, name */
    DRXI_DS_REMOVE,        /* member */
    DRXI_DS_ATTR,          /* member or dataset; attribute set */
    DRXI_DS_ATTR_DELETE,   /* member or dataset; name */
    DRXI_DS_COMMIT,        /* number, time, changes of bounds, message */
    DRXI_DS_ADD_AXIS,      /* arg: which axis it becomes; member, dimension */
    DRXI_DS_ATTR_LATER     /* as DRXI_DS_ATTR, of a type that came after complex128 */
};

/* Write the description to `out`; return its CRC, which begins the chain. */
uint32_t drxi_dataset_encode(const uint8_t id[], uint8_t out[DRXI_DATASET_BYTES]);
/* DRX_EFORMAT, DRX_EDAMAGED, DRX_EUNSUPPORTED; `name` is the file's. */
drx_status drxi_dataset_decode(const uint8_t *p, size_t n, const char *name, uint8_t id[], uint32_t *crc);

/* An encoder returns the length of the payload, a multiple of 8, and writes it if `out` is not NULL. A decoder returns
 * false for a malformed payload; what it returns points into the payload. */

struct drxi_dimension_record {
    int64_t lower, bound;
    const char *name; /* not terminated */
    size_t name_bytes;
};
size_t drxi_dimension_encode(const struct drxi_dimension_record *dim, uint8_t *out);
bool drxi_dimension_decode(const struct drxi_record *record, struct drxi_dimension_record *dim);

struct drxi_addition {
    uint8_t id[DRXI_ID_BYTES]; /* of the array's creation */
    int ndim;                  /* 0: a scalar */
    int dim[DRX_MAX_NDIM];
    const char *name; /* not terminated */
    size_t name_bytes;
};
size_t drxi_addition_encode(const struct drxi_addition *add, uint8_t *out);
bool drxi_addition_decode(const struct drxi_record *record, struct drxi_addition *add);

/* REMOVE, ATTR and ATTR_DELETE begin with the number of the member; -1 is the dataset. What follows is the payload of
 * the record of an array: `rest`, whose kind is DRXI_ATTR, DRXI_ATTR_LATER or DRXI_ATTR_DELETE. */
enum { DRXI_TARGET_BYTES = 8 };
void drxi_target_encode(int64_t member, uint8_t *out);
bool drxi_target_decode(const struct drxi_record *record, int64_t *member, struct drxi_record *rest);

/* A member gets one more axis, of extent 1. */
struct drxi_new_axis {
    int64_t member;
    int at, dim;
};
enum { DRXI_NEW_AXIS_BYTES = 16 };
void drxi_new_axis_encode(const struct drxi_new_axis *axis, uint8_t *out);
bool drxi_new_axis_decode(const struct drxi_record *record, struct drxi_new_axis *axis);

/* A dimension moves one of its bounds outwards, or inwards. */
struct drxi_dim_change {
    int dim;
    enum drxi_end end;
    int64_t by;    /* growth; negative: a trim */
    int64_t bound; /* at that end, after */
};
struct drxi_commit_record {
    int64_t number, time;
    int changes;
    const char *message; /* not terminated */
    size_t message_bytes;
};
size_t drxi_commit_encode(const struct drxi_commit_record *commit, const struct drxi_dim_change change[], uint8_t *out);
bool drxi_commit_decode(const struct drxi_record *record, struct drxi_commit_record *commit);
bool drxi_commit_change(const struct drxi_record *record, int i, struct drxi_dim_change *change);

/* Whether a member can have this name, which is that of its files. */
bool drxi_is_member_name(const char *name, size_t n);

#endif
