/* What the log of an array says, in memory: bounds, map, history, names, attributes.
 *
 *   state.c       bounds, history, names of axes, and records applied
 *   attrs.h       attributes */
#ifndef DRXI_STATE_H
#define DRXI_STATE_H

#include "log/attrs.h"
#include "log/chain.h"
#include "map/map.h"

struct drxi_state {
    struct drxi_desc desc;
    int64_t shape[DRX_MAX_NDIM];
    int64_t most_chunks; /* with so many chunks, all offsets fit 63 bits */
    drxi_map map;
    int64_t growths, growth_axis_room, growth_by_room;
    uint8_t *growth_axis;
    int64_t *growth_by;
    int64_t growth_runs; /* runs of growths that added chunks along one axis */
    struct drxi_attrs attrs;
    char *dim[DRX_MAX_NDIM];
    struct drxi_stripes stripes;
    bool is_member;
    struct drxi_membership member;

    struct drxi_chain chain;
    bool at_sync; /* the last record is a SYNC */
    bool ever_synced;
    int64_t synced_chunks;
    bool unknown_records; /* optional records that this version does not know */
    bool intent_open;     /* the last record is this INTENT: */
    struct drxi_growth intent;
};

/* Bytes from one chunk to the next. DRX_EOVERFLOW. */
drx_status drxi_chunk_pitch(const struct drxi_desc *desc, int64_t *bytes);

drx_status drxi_state_init(struct drxi_state *s, const struct drxi_desc *desc);
void drxi_state_free(struct drxi_state *s);

/* Where the chunks along an axis end. */
int64_t drxi_state_chunks_end(const struct drxi_state *s, int axis);

/* A growth. drxi_state_prepare does arithmetic and takes memory; it may fail, and drxi_state_grow does not. Reading an
 * old log calls them, too, so what a caller may be refused does not belong here but in drxi_prepare_growth. */
struct drxi_step {
    struct drxi_growth growth;
    int64_t by_chunks, chunks_before, chunks_after;
};
drx_status drxi_state_prepare(struct drxi_state *s, int axis, int64_t by, struct drxi_step *step);
void drxi_state_grow(struct drxi_state *s, const struct drxi_step *step);

/* Set the name of an axis; takes `made`. NULL removes the name. */
void drxi_state_set_dim(struct drxi_state *s, int axis, char *made);

/* Apply the next valid record of the chain. DRX_EDAMAGED: the record contradicts the state, which has not changed.
 * After the last record, call drxi_attrs_pack. */
drx_status drxi_state_apply(struct drxi_state *s, const struct drxi_record *record);

#endif
