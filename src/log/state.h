/* What the log of an array says, in memory: bounds, map, history, names, attributes.
 *
 *   state.c       bounds, growth, trims, new axes
 *   chain.c       whether a log goes on at a place
 *   freed.h       addresses that trims have freed
 *   attrs.h       attributes */
#ifndef DRXI_STATE_H
#define DRXI_STATE_H

#include "io/io.h"
#include "log/attrs.h"
#include "log/freed.h"

/* A place in a log, where the next record would be. */
struct drxi_log_place {
    int64_t end;  /* offset */
    int64_t last; /* of the last record, which begins with its checksum; of the head if there is none */
    uint64_t sequence;
    uint32_t crc;
};

enum drxi_tail { DRXI_WHOLE, DRXI_TORN, DRXI_DAMAGED };

/* DRX_EDAMAGED when the file no longer holds the last record that the chain knows; *more: something follows it. */
drx_status drxi_chain_continues(drxi_io *io, const struct drxi_log_place *chain, bool *more);
/* Whether the log's path still names it, whose end that is. `now`: opened at the path, or the log as it was asked for
 * again. On a server, where names tell nothing, it is the same log if it holds the last record. */
drx_status drxi_chain_named(drxi_io *log, const struct drxi_log_place *end, drxi_io *now, bool *named);

struct drxi_state {
    struct drxi_desc desc;                            /* with the axes that were added */
    struct drxi_desc made;                            /* as the file has it */
    int64_t origin[DRX_MAX_NDIM];                     /* the first lower bounds, of the axes that it was made with */
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM]; /* lower <= index < upper */
    int64_t shape[DRX_MAX_NDIM];                      /* upper - lower */
    int64_t left[2][DRX_MAX_NDIM];                    /* by end: drxi_state_reach at the last trim */
    int64_t most_chunks;                              /* with this many chunks, all offsets fit 63 bits */
    bool fixed_axes;                                  /* a lone array is in use: a new axis is DRX_EMISMATCH */
    drxi_map map;
    int64_t growths, growth_axis_room, growth_by_room;
    uint8_t *growth_axis;
    int64_t *growth_by;      /* negative: at the low end */
    bool trimmed;            /* ever */
    struct drxi_freed freed; /* since the last SYNC: not yet given back */
    struct drxi_attrs attrs;
    char *dim[DRX_MAX_NDIM];
    struct drxi_stripes stripes;

    struct drxi_log_place chain;
    bool at_sync; /* the last record is a SYNC */
    bool ever_synced;
    int64_t synced_chunks;
    int64_t epoch;        /* of the last SYNC of a compressed array; 0: none */
    bool unknown_records; /* optional records that this version does not know */
    bool unknown_open;    /* what follows the last C is of a later version, and no writer cuts it off */
    bool intent_open;     /* what follows begins with this growth, of an append: */
    struct drxi_growth intent;
};

/* The state of a new array, to be freed also on failure; lower NULL: zeros. DRX_EOVERFLOW. */
drx_status drxi_state_init(struct drxi_state *s, const struct drxi_desc *desc, const int64_t lower[]);
/* The same with at most this many chunks. */
drx_status drxi_state_start(struct drxi_state *s, const struct drxi_desc *desc, const int64_t lower[],
                            int64_t most_chunks);
void drxi_state_free(struct drxi_state *s);

/* Where the chunks along an axis begin and end. */
int64_t drxi_state_chunks_begin(const struct drxi_state *s, int axis);
int64_t drxi_state_chunks_end(const struct drxi_state *s, int axis);

/* A growth. drxi_state_prepare does arithmetic and takes memory; it may fail, and drxi_state_grow does not. Reading an
 * old log calls them, too, so what a caller may be refused does not belong here but in array/asked.c and grow.c. */
struct drxi_step {
    struct drxi_growth growth;
    int64_t by_chunks, chunks_before, chunks_after;
};
/* Whether preparing it changes nothing that others may be reading. */
bool drxi_state_is_ready(const struct drxi_state *s, int axis, enum drxi_end end);
drx_status drxi_state_prepare(struct drxi_state *s, int axis, enum drxi_end end, int64_t by, struct drxi_step *step);
void drxi_state_grow(struct drxi_state *s, const struct drxi_step *step);

/* What grew last. */
static inline struct drxi_last drxi_state_last(const struct drxi_state *s)
{
    const int64_t n = s->growths;

    return n == 0 ? (struct drxi_last){ -1, DRXI_HIGH }
                  : (struct drxi_last){ s->growth_axis[n - 1], s->growth_by[n - 1] < 0 ? DRXI_LOW : DRXI_HIGH };
}

/* The outermost bound of an axis since its chunks there were made: what lies between it and the present bound may hold
 * elements that a trim has left. */
int64_t drxi_state_reach(const struct drxi_state *s, int axis, enum drxi_end end);
/* Of two bounds at that end, the one that is farther out. */
static inline int64_t drxi_outer(enum drxi_end end, int64_t a, int64_t b)
{
    return end == DRXI_LOW ? drxi_min(a, b) : drxi_max(a, b);
}
static inline int64_t drxi_inner(enum drxi_end end, int64_t a, int64_t b)
{
    return end == DRXI_LOW ? drxi_max(a, b) : drxi_min(a, b);
}

/* New bounds inside the old ones, in the same two steps. */
drx_status drxi_state_prepare_trim(struct drxi_state *s, const struct drxi_trimming *trim);
void drxi_state_trim(struct drxi_state *s, const struct drxi_trimming *trim);

/* One more axis of extent 1, before axis `at`; the same. */
drx_status drxi_state_prepare_axis(struct drxi_state *s);
void drxi_state_add_axis(struct drxi_state *s, int at);

/* Set the name of an axis; takes `made`. NULL removes the name. */
void drxi_state_set_dim(struct drxi_state *s, int axis, char *made);

#endif
