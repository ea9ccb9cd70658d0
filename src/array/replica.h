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
#pragma once

#include <semaphore.h>

#include "base/work.h"
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
    struct drxi_requests *requests;
    bool writable, temporary;
    bool gone;            /* it was lent by a dataset that has it no more */
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
enum {
    DRXI_FILLED = 1,
    DRXI_FOR_DATASET = 2, /* without a log and names */
    DRXI_BARE = 4         /* in memory, without data: drxi_redirect_data gives it some */
};
DRXI_SHARED drx_status drxi_create(const char *path, const drx_spec *spec, unsigned how, drx_array **out);
/* A bare one is the array of this id, of DRXI_ID_BYTES. */
static inline void drxi_set_id(drx_array *a, const uint8_t id[])
{
    memcpy(drxi_parts_of(a)->log->state.desc.id, id, DRXI_ID_BYTES);
}
/* Whether the handle can write now: DRX_EACCES, or why it is broken. */
drx_status drxi_check_writable(const drx_array *a);
/* Processes no longer agree on the state: the handle only reads from now on. */
static inline void drxi_set_broken(drx_array *a, drx_status st)
{
    drxi_parts_of(a)->log->broken = st;
}
/* This many processes have it open together, and only they write; 0: drx.h calls it alone, as any other. */
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
/* This many processes may have it open on one machine. */
static inline void drxi_share_machine(drx_array *a, int processes)
{
    drxi_parts_of(a)->data->file->view_limit_bytes = processes > 1 ? DRXI_PARALLEL_VIEW_BYTES : DRXI_VIEW_BYTES;
}

/* Check a box against bounds, and that there is a buffer unless it is empty; *stride_bytes are its strides in
 * memory. */
drx_status drxi_check_box(const drx_array *a, const int64_t lower[], const int64_t upper[], const drx_box *box,
                          const void *buf, bool *empty, int64_t stride_bytes[]);

/* After elements were moved, while the state cannot change: DRX_ERANGE when others have trimmed some of them since the
 * state was read. A handle that has the array alone looks at nothing. */
DRXI_SHARED drx_status drxi_watch_box(drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[]);

/* What a trim has given back does not match: what counts is that it was trimmed. */
static inline bool drxi_is_lost(const drx_array *a, drx_status st)
{
    return !drxi_parts_of(a)->writable && (st == DRX_ECHECKSUM || st == DRX_EDAMAGED);
}

/* ---- a box with a buffer of another type: access/typed_box.c ---- */

/* Cells of `span` indices of each axis, the first from `origin` on, cut the box. What it has of a cell is a piece. It
 * is converted between `own`, of the array's type, and the buffer. Lists of cells begin at 0. */
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

/* Check the box and the conversion, after drxi_enter. Of a box with elements, set the origin where its first chunk
 * begins. Without elements, or after an error, it is empty, and nothing below applies. */
drx_status drxi_typed_check(struct drxi_typed_box *t);
/* How many bytes both stages may have together, where this many are wanted. In boxes_as.c. */
DRXI_SHARED int64_t drxi_typed_bytes(const drx_array *a, int64_t wanted);
/* Choose the cells, for stages of this many bytes together. Spans may become less afterwards, and the origin another
 * one that is not above the box. */
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

/* ---- requests, and whose turn it is: async.c, enter.c, before.c ---- */

/* What drx_test and drx_wait call; wait frees the request. */
struct drxi_request_ops {
    drx_status (*test)(drx_request *req, int *done);
    drx_status (*wait)(drx_request *req);
};
struct drx_request {
    const struct drxi_request_ops *ops;
};

/* Memory for the box of a struct drxi_pending. */
struct drxi_turn {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
};
/* Let p be of all elements; or of a list of n, which counts as the box around them: nothing while nothing is
 * pending. */
void drxi_turn_of_all(struct drxi_pending *p, struct drxi_turn *t);
void drxi_turn_of_points(struct drxi_pending *p, struct drxi_turn *t, const drx_array *a, int64_t n,
                         const int64_t indices[]);

/* Wait for the requests that began before `p` and touch an element of its box, unless both read; NULL: it touches none.
 * Then enter, in any case: from here to drxi_leave the state does not change. DRX_EBUSY: a collective request touches
 * such an element, and `p` is not collective. */
DRXI_SHARED drx_status drxi_enter(drx_array *a, const struct drxi_pending *p);
DRXI_SHARED void drxi_leave(drx_array *a);
/* Make the call while nobody is inside. */
DRXI_SHARED drx_status drxi_shut_out(drx_array *a, drx_status (*call)(drx_array *a, void *with), void *with);

/* A collective request, whose turn has come, is in the list between these two. The caller keeps the order among
 * collective ones. */
DRXI_SHARED void drxi_pending_begin(drx_array *a, struct drxi_pending *p);
DRXI_SHARED void drxi_pending_end(drx_array *a, struct drxi_pending *p);

/* What a helper thread carries out, or who waits for it: errand.c. */
struct drxi_errand {
    void (*run)(struct drxi_errand *e);
    struct drxi_work work;
    sem_t done;                                              /* posted when it was run */
    enum { DRXI_NOT_BEGUN, DRXI_UNDER_WAY, DRXI_RUN } state; /* as the caller has seen it */
};
static inline void drxi_errand_init(struct drxi_errand *e, void (*run)(struct drxi_errand *e))
{
    e->run = run;
    e->state = DRXI_NOT_BEGUN;
    (void)sem_init(&e->done, 0, 0);
}
static inline void drxi_errand_free(struct drxi_errand *e)
{
    (void)sem_destroy(&e->done);
}
/* Bring it on, and tell whether it was run. With `wait` it was: by this thread, which runs what no helper has begun, or
 * by a helper; then this thread sleeps, so that helpers of other processes get the processor, too. */
DRXI_SHARED bool drxi_errand_bring_on(struct drxi_errand *e, bool wait);

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
/* Apply bytes of the log: those that follow on, or all when it is a new one. Nobody is inside meanwhile. */
DRXI_SHARED drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n);

/* ---- the data ---- */

/* Open the data of `path`, whose log that is: by their names, or, of a temporary array, by the root's aliases. */
DRXI_SHARED drx_status drxi_open_replica(const char *path, bool writable, const struct drxi_alias aliases[],
                                         const uint8_t *bytes, int64_t n, drx_array **out);
/* What this handle has written of the data is durable. */
DRXI_SHARED drx_status drxi_sync_data(drx_array *a);
/* Let the data go through `io`, which is another way to the same file and belongs to the array now. Returns the one
 * that it had, the caller's. Requests that nobody waited for are over. */
DRXI_SHARED drxi_io *drxi_redirect_data(drx_array *a, drxi_io *io);

/* ---- changes: asked.c ---- */

struct drxi_change;

/* What somebody asks for. */
struct drxi_asked {
    enum drxi_kind kind; /* of its record */
    int axis;            /* or where a new one goes */
    enum drxi_end end;   /* of it that grows */
    int64_t by, after;   /* a growth; a trim before, and after */
    const char *name;    /* of an axis or an attribute */
    bool is_text;        /* `values` are UTF-8, to a zero */
    drx_type type;
    int64_t n;
    const void *values;
    /* Of an append: write the slab. Meanwhile drxi_data_of gives the elements with it. NULL: any other growth. */
    drx_status (*write)(drx_array *a, const struct drxi_change *c, void *with);
    void *with;
};

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
    const struct drxi_asked *asked;
    const struct drxi_team *team; /* NULL: nothing was prepared */
    bool shut;                    /* the gate is, or is claimed */
    struct drxi_record record;
    /* Before the record: the root's status, or that of all. NULL: nothing. */
    drx_status (*before)(drx_array *a, struct drxi_change *c, const struct drxi_team *t);
    /* What the root has begun is undone. Returns `st`. NULL: it has begun nothing. */
    drx_status (*undo)(drx_array *a, struct drxi_change *c, drx_status st);
    void (*publish)(drx_array *a, struct drxi_change *c); /* after it: memory follows. NULL: nothing changes */

    struct drxi_step step;                            /* of a growth */
    struct drxi_attr attr;                            /* to be set, */
    int64_t at;                                       /* or to be deleted */
    char *name;                                       /* of an axis */
    struct drxi_data after;                           /* of an append: the elements with its slab */
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM]; /* and the bounds that its caller knew */
};

/* Prepare a change, after the requests that it must not overtake: all errors are found but those of files. Of bounds
 * and axes, and of everything by a process alone, nobody else changes anything from then on. `asked` stays until the
 * next one, which ends the change in any case: run it, unless this rank or any other has failed. */
DRXI_SHARED drx_status drxi_prepare(drx_array *a, const struct drxi_asked *asked, const struct drxi_team *t,
                                    struct drxi_change *c);
DRXI_SHARED drx_status drxi_carry_out(drx_array *a, struct drxi_change *c, drx_status st);

/* DRX_EINVAL: a piece of a slab of `by` indices has none, or more than are left after `done`. */
drx_status drxi_check_piece(const drx_array *a, int64_t done, int64_t by, int64_t n);
/* The status `st` of the caller's function, with a detail if that has set none. */
drx_status drxi_refused_piece(const drx_array *a, int64_t done, int64_t by, drx_status st);
