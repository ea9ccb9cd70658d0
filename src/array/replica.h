/* All that libdrxmp sees of a handle; it includes no other header of this room.
 *
 * Several processes have an array open together. One of them, the root's, reads and
 * writes the log; the others are replicas, which know the log from the root and share the data file. Those that only
 * read watch the log for trims of others, too (watch.c).
 *
 * Invariants
 *   1. All have the same state, except for what only the writer of the log needs. After each change the root tells
 *      the replicas where its log ends; they have made the same change in memory.
 *   2. The program changes none of them by the calls of drx.h: `parallel` is set. */
#ifndef DRXI_REPLICA_H
#define DRXI_REPLICA_H

#include "base/gate.h"
#include "box/box.h"

/* A request that is not over, as others see it. */
struct drxi_pending {
    struct drxi_pending *next;
    uint64_t number; /* in the order in which they began */
    bool writing;
    bool collective;                  /* of libdrxmp: it is over when its caller knows, and nobody can wait for it */
    const int64_t *lo, *count, *step; /* its box; step NULL: 1 */
};

/* Requests that go on beside the caller: async.c. */
struct drxi_requests {
    _Atomic(struct drxi_pending *) first; /* oldest first */
    uint64_t begun;
    pthread_mutex_t lock;
    pthread_cond_t done;
};

/* What struct drx_array begins with. */
struct drxi_parts {
    const char *label; /* for messages */
    struct drxi_log *log;
    struct drxi_data *data; /* with the slab of an append that goes on */
    struct drxi_gate *gate;
    struct drxi_requests *requests;
    bool writable, temporary;
    atomic_bool parallel; /* one of the handles of several processes */
};
static inline const struct drxi_parts *drxi_parts_of(const drx_array *a)
{
    return (const struct drxi_parts *)(const void *)a;
}
static inline const struct drxi_state *drxi_state_of(const drx_array *a)
{
    return &drxi_parts_of(a)->log->state;
}
static inline struct drxi_data *drxi_data_of(const drx_array *a)
{
    return drxi_parts_of(a)->data;
}

/* ---- the handle ---- */

/* drx_open of a lone array. */
DRXI_SHARED drx_status drxi_open(const char *path, int mode, drx_array **out);

/* As drx_create. Without `fill` a fill that is not zero is not written: the caller writes all initial chunks before
 * anybody else sees the array. */
enum { DRXI_FILLED = 1, DRXI_FOR_DATASET = 2 /* without a log and names */ };
DRXI_SHARED drx_status drxi_create(const char *path, const drx_spec *spec, unsigned how, drx_array **out);
/* The same in memory, without data: drxi_redirect_data gives it some, and one process makes the initial chunks. `id`,
 * of DRXI_ID_BYTES, is that of the array; NULL: a new one. */
DRXI_SHARED drx_status drxi_create_bare(const drx_spec *spec, const uint8_t id[], drx_array **out);
DRXI_SHARED drx_status drxi_lengthen_bare(drx_array *a);
DRXI_SHARED drx_status drxi_array_free(drx_array *a); /* closes what is open */
/* Whether the handle can write now: DRX_EACCES, or why it is broken. */
DRXI_SHARED drx_status drxi_check_writable(const drx_array *a);
/* Processes no longer agree on the state: the handle only reads from now on. */
static inline void drxi_set_broken(drx_array *a, drx_status st)
{
    drxi_parts_of(a)->log->broken = st;
}
/* So many processes have it open together, and only they write; 0: drx.h calls it alone, as any other. */
static inline void drxi_set_parallel(drx_array *a, int ranks)
{
    struct drxi_log *log = drxi_parts_of(a)->log;

    ((struct drxi_parts *)(void *)a)->parallel = ranks > 0;
    log->others = log->others || ranks > 1;
}
static inline void drxi_set_persistent(drx_array *a) /* it is not temporary any more */
{
    ((struct drxi_parts *)(void *)a)->temporary = false;
}
/* So many processes may have it open on one machine. */
static inline void drxi_share_machine(drx_array *a, int processes)
{
    drxi_parts_of(a)->data->file->view_limit_bytes = processes > 1 ? DRXI_PARALLEL_VIEW_BYTES : DRXI_VIEW_BYTES;
}

/* Check a box against bounds, and that there is a buffer unless it is empty; *stride_bytes are its strides in
 * memory. */
DRXI_SHARED drx_status drxi_check_box(const drx_array *a, const int64_t lower[], const int64_t upper[],
                                      const drx_box *box, const void *buf, bool *empty, int64_t stride_bytes[]);

/* After elements were moved, while the state cannot change: DRX_ERANGE when others have trimmed some of them since the
 * state was read. A handle that has the array alone looks at nothing. */
DRXI_SHARED drx_status drxi_watch_box(drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[]);

/* What a trim has given back does not match: what counts is that it was trimmed. */
static inline bool drxi_is_lost(const drx_array *a, drx_status st)
{
    return !drxi_parts_of(a)->writable && (st == DRX_ECHECKSUM || st == DRX_EDAMAGED);
}

/* ---- a box with a buffer of another type: access/typed_box.c ---- */

/* Cells of `span` indices of each axis, the first from `origin` on, cut the box. What it has of a cell is a piece. It is
 * converted between `own`, of the array's type, and the buffer. Lists of cells begin at 0. */
struct drxi_typed_box {
    drx_array *a; /* this and the next five: the caller's */
    const drx_box *box;
    drx_type type; /* of the buffer */
    drx_conversion how;
    bool writing;
    void *buf;

    bool empty;
    int ndim;
    drx_order order;                  /* of the elements of a piece */
    size_t item_bytes[2];             /* of the array, of the buffer */
    int64_t mem_stride[DRX_MAX_NDIM]; /* of the buffer, bytes */
    int64_t origin[DRX_MAX_NDIM], span[DRX_MAX_NDIM];

    int64_t at[DRX_MAX_NDIM], count[DRX_MAX_NDIM]; /* the piece, counted in the box */
    int64_t lo[DRX_MAX_NDIM];                      /* its index in the array */
    uint8_t *own, *other;
    int64_t own_stride[DRX_MAX_NDIM], other_stride[DRX_MAX_NDIM]; /* bytes */
    int64_t refused;             /* the number in the box of the first element that does not fit */
    char why[DRXI_DETAIL_BYTES]; /* about it */
};

/* Check the box and the conversion, with the gate entered. Of a box with elements, set the origin where its first chunk
 * begins. Without elements, or after an error, it is empty, and nothing below applies. */
drx_status drxi_typed_check(struct drxi_typed_box *t);
/* Choose the cells, for stages of so many bytes together. Spans may become less afterwards, and the origin another one
 * that is not above the box. */
void drxi_typed_cut(struct drxi_typed_box *t, int64_t bytes);
drx_status drxi_typed_stages(struct drxi_typed_box *t); /* allocates them; freed in any case by: */
void drxi_typed_free(struct drxi_typed_box *t);
/* The cells that the box meets, and the one after `cell` in the order of the box; false: there is none. */
void drxi_typed_cells(const struct drxi_typed_box *t, int64_t first[], int64_t last[]);
bool drxi_typed_next(const struct drxi_typed_box *t, const int64_t first[], const int64_t last[], int64_t cell[]);
/* Turn to the piece of a cell; false when nothing of it is to be moved. */
bool drxi_typed_piece(struct drxi_typed_box *t, const int64_t cell[]);
void drxi_typed_take(struct drxi_typed_box *t);       /* the piece, from `own` to the buffer */
drx_status drxi_typed_give(struct drxi_typed_box *t); /* and from the buffer to `own` */
drx_status drxi_typed_try(struct drxi_typed_box *t);  /* whether all pieces can be given */
/* DRX_EMISMATCH: an element did not fit. The detail is about the first one. */
drx_status drxi_typed_status(const struct drxi_typed_box *t);

/* ---- requests: async.c, before.c ---- */

/* What drx_test and drx_wait call; wait frees the request. */
struct drxi_request_ops {
    drx_status (*test)(drx_request *req, int *done);
    drx_status (*wait)(drx_request *req);
};
struct drx_request {
    const struct drxi_request_ops *ops;
};

DRXI_SHARED void drxi_finish_requests(drx_array *a); /* those that nobody waited for */

static inline bool drxi_has_pending(const drx_array *a)
{
    return atomic_load_explicit(&drxi_parts_of(a)->requests->first, memory_order_acquire) != NULL;
}
/* A call that touches elements calls this before it enters the gate: wait for the requests that began before `p` and
 * touch an element of its box, unless both read. DRX_EBUSY: a collective one does, and `p` is not collective. It costs
 * a load when nothing is pending. */
DRXI_SHARED drx_status drxi_wait_turn_slowly(drx_array *a, const struct drxi_pending *p);
static inline drx_status drxi_wait_turn(drx_array *a, const struct drxi_pending *p)
{
    return drxi_has_pending(a) && p->lo && p->count ? drxi_wait_turn_slowly(a, p) : DRX_OK;
}
/* The same for a list of n elements, which counts as the box around them. */
drx_status drxi_wait_turn_of_points(drx_array *a, bool writing, int64_t n, const int64_t indices[]);
/* The same before a growth of `axis`, for requests that reach beyond the bound, and before a call that touches all
 * elements. */
drx_status drxi_wait_to_grow(drx_array *a, int axis, enum drxi_end end);
drx_status drxi_wait_for_all(drx_array *a, bool writing, bool collective);

/* A collective request, whose turn has come, is in the list between these two. The caller keeps the order among
 * collective ones. */
DRXI_SHARED void drxi_pending_begin(drx_array *a, struct drxi_pending *p);
DRXI_SHARED void drxi_pending_end(drx_array *a, struct drxi_pending *p);

/* ---- the log ---- */

/* The end of the log. */
struct drxi_log_end {
    int64_t bytes;
    uint64_t sequence;
    uint32_t crc;
    bool at_sync;
    int64_t time; /* of the last commit */
};
static inline struct drxi_log_end drxi_get_log_end(const drx_array *a)
{
    const struct drxi_state *s = drxi_state_of(a);

    return (struct drxi_log_end){ s->chain.end, s->chain.sequence, s->chain.crc, s->at_sync,
                                  drxi_parts_of(a)->log->time };
}
static inline void drxi_set_log_end(drx_array *a, struct drxi_log_end end)
{
    struct drxi_state *s = &drxi_parts_of(a)->log->state;

    s->chain.end = end.bytes;
    s->chain.sequence = end.sequence;
    s->chain.crc = end.crc;
    s->at_sync = end.at_sync;
    drxi_parts_of(a)->log->time = end.time;
}

/* The valid bytes of the log from `from` on; 0: all, with the head. Free with drxi_free. */
DRXI_SHARED drx_status drxi_read_log(const drx_array *a, int64_t from, uint8_t **bytes, int64_t *n);
/* Apply bytes of the log: those that follow on, or all when it is a new one. */
DRXI_SHARED drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n);

/* ---- the data ---- */

/* Open the data of `path`, whose log that is: by their names, or, of a temporary array, by the root's aliases. */
DRXI_SHARED drx_status drxi_open_replica(const char *path, bool writable, const struct drxi_alias aliases[],
                                         const uint8_t *bytes, int64_t n, drx_array **out);
/* What this handle has written of the data is durable. */
DRXI_SHARED drx_status drxi_sync_data(drx_array *a);
/* Let the data go through `io`, which is another way to the same file and belongs to the array now. Returns the one
 * that it had, the caller's. The gate is shut. */
DRXI_SHARED drxi_io *drxi_redirect_data(drx_array *a, drxi_io *io);

/* ---- changes: run.c ---- */

/* What closes chunks: `closer` is NULL for a process alone. */
typedef drx_status drxi_close_what(drx_array *a, const struct drxi_closer *closer, const void *arg);

/* Those who change an array together: a process alone, or the ranks of a job. All run the same change, which all have
 * prepared, with their gates shut, and have agreed on. All get the same status, but where a call says otherwise. */
struct drxi_team {
    int rank; /* 0: the root, which changes files and log */
    /* Before the root restores cells that a growth uncovers; `doubt`, the root's: it may have to. */
    drx_status (*settle)(const struct drxi_team *t, const struct drxi_step *step, bool doubt);
    drx_status (*from_root)(const struct drxi_team *t, drx_status roots);
    drx_status (*close)(const struct drxi_team *t, drx_array *a, drxi_close_what *what, const void *arg);
    drx_status (*share)(const struct drxi_team *t, drx_status roots); /* and the end of the root's log */
    drx_status (*end)(const struct drxi_team *t, drx_status st);      /* the change is over, with that status of all */
};

/* A change that was prepared. */
struct drxi_change {
    struct drxi_record record;
    /* Before the record: the root's status, or that of all. NULL: nothing. */
    drx_status (*before)(drx_array *a, struct drxi_change *c, const struct drxi_team *t);
    /* What the root has begun is undone. Returns `st`. NULL: it has begun nothing. */
    drx_status (*undo)(drx_array *a, struct drxi_change *c, drx_status st);
    void (*publish)(drx_array *a, struct drxi_change *c); /* after it: memory follows. NULL: nothing changes */

    struct drxi_step step;  /* of a growth */
    struct drxi_attr attr;  /* to be set, */
    int64_t at;             /* or to be deleted */
    char *name;             /* of an axis */
    struct drxi_data after; /* of an append: the elements with its slab */
};

/* Begin to prepare; what was prepared is freed by drxi_change_end, also after an error. */
static inline void drxi_change_start(struct drxi_change *c)
{
    memset(c, 0, offsetof(struct drxi_change, after));
    c->after.map.spare = (struct drxi_axial){ 0 };
}
DRXI_SHARED void drxi_change_end(struct drxi_change *c);
/* Carry it out. */
DRXI_SHARED drx_status drxi_change_run(drx_array *a, struct drxi_change *c, const struct drxi_team *t);

/* A growth. `writes`: its slab will be written, between the next two. */
DRXI_SHARED drx_status drxi_prepare_growth(drx_array *a, int axis, enum drxi_end end, int64_t by, bool writes,
                                           struct drxi_change *c);
/* Until drxi_end_append, drxi_data_of gives the elements with the slab. After a success of the first the second
 * follows, with the status of all. */
DRXI_SHARED drx_status drxi_begin_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t);
DRXI_SHARED drx_status drxi_end_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t, drx_status st);
/* DRX_EINVAL: a piece of a slab of `by` indices has none, or more than are left after `done`. */
drx_status drxi_check_piece(const drx_array *a, int64_t done, int64_t by, int64_t n);
/* The status `st` of the caller's function, with a detail if that has set none. */
drx_status drxi_refused_piece(const drx_array *a, int64_t done, int64_t by, drx_status st);

/* Others. */
DRXI_SHARED drx_status drxi_prepare_trim(drx_array *a, int axis, int64_t before, int64_t after, struct drxi_change *c);
DRXI_SHARED drx_status drxi_prepare_axis(drx_array *a, int at, const char *name, struct drxi_change *c);
DRXI_SHARED drx_status drxi_prepare_rename(drx_array *a, int axis, const char *name, struct drxi_change *c);
DRXI_SHARED drx_status drxi_prepare_attr(drx_array *a, const char *name, drx_type type, int64_t n, const void *values,
                                         struct drxi_change *c);
DRXI_SHARED drx_status drxi_prepare_attr_text(drx_array *a, const char *name, const char *utf8, struct drxi_change *c);
DRXI_SHARED drx_status drxi_prepare_attr_delete(drx_array *a, const char *name, struct drxi_change *c);

#endif
