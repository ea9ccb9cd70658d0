/* What the log of an array says, in memory: bounds, map, history, names, attributes.
 *
 *   state.c       bounds, growth, trims, new axes
 *   chain.c       whether a log goes on at a place
 *   freed.c       addresses that trims have freed
 *   attrs.c       attributes */
#pragma once

#include "format/format.h"
#include "io/io.h"
#include "map/map.h"

/* ---- index.c: Numbers found by a string of bytes, their key: a hash table with open addressing. The owner has the
 * keys. */

struct drxi_key {
    const void *bytes;
    size_t n;
};

struct drxi_index { /* zero: empty */
    int64_t n, places;
    int64_t *place; /* number + 1; 0: free */
    uint64_t secret;
};

/* The keys of the numbers in an index. */
struct drxi_keys {
    struct drxi_key (*of)(const void *owner, int64_t number);
    const void *owner;
};

void drxi_index_free(struct drxi_index *x);
int64_t drxi_index_find(const struct drxi_index *x, struct drxi_keys keys, const void *bytes, size_t n); /* -1: none */
drx_status drxi_index_reserve(struct drxi_index *x, struct drxi_keys keys);       /* room for one more */
void drxi_index_set(struct drxi_index *x, struct drxi_keys keys, int64_t number); /* in the place of one of its key */
void drxi_index_remove(struct drxi_index *x, struct drxi_keys keys, int64_t number); /* nothing has its key then */

/* ---- attrs.c: A table of attributes in memory: those of an array, or of a dataset. */

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

/* ---- freed.c: Addresses that trims have abandoned and whose bytes are still to be given back to the file system. */

struct drxi_span {
    int64_t first, n; /* addresses */
};

/* Many spans of n addresses at regular distances: along level k, count[k] of them, pitch[k] apart. Level 0 is the
 * slowest, and the addresses increase. */
struct drxi_lattice {
    struct drxi_span span; /* the first one */
    int levels;
    int64_t count[DRX_MAX_NDIM], pitch[DRX_MAX_NDIM];
};

struct drxi_freed {
    int64_t spans, lattices;
    int64_t pending_spans, pending_lattices; /* what a trim has prepared, behind those */
    int64_t span_room, lattice_room;
    struct drxi_span *span;
    struct drxi_lattice *lattice;
};

/* Prepare what the chunks lo <= i < hi free; nothing happens when there are none. Memory: at most some hundred bytes
 * for each segment that has some. DRX_ENOMEM. Then take or drop it. */
drx_status drxi_freed_prepare(struct drxi_freed *f, const drxi_map *map, const int64_t lo[], const int64_t hi[]);
void drxi_freed_take(struct drxi_freed *f);
void drxi_freed_drop(struct drxi_freed *f);

void drxi_freed_clear(struct drxi_freed *f);
void drxi_freed_free(struct drxi_freed *f);

static inline bool drxi_freed_any(const struct drxi_freed *f)
{
    return f->spans + f->lattices > 0;
}

/* The spans of a lattice in order, at[] beginning with zeros; false after the last one. */
int64_t drxi_lattice_first(const struct drxi_lattice *g, const int64_t at[]);
bool drxi_lattice_step(const struct drxi_lattice *g, int64_t at[]);

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
    drx_source *source; /* one block; NULL: none */

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
