/* Internal interface of libdrxmp.
 *
 *   call.c comm.c       a collective call and its agreement; communicators
 *   settings.c hints.c  settings from info keys and the environment; hints for MPI-IO
 *   far/                stripes on disks that only one node sees
 *   array/              an array that many ranks have open
 *     mp_open mp_log mp_change   create, open, close; equal logs on all ranks, sync, refresh; growth, attributes
 *     mp_names mp_reach          names of arrays whose stripes may lie on several nodes; what a rank does alone with
 *     these mp_access mp_access_as     read and write the box of each rank; the same with buffers of another type
 *     mp_copy                    copy into another layout
 *   dataset/            a dataset that many ranks have open
 *     mp_ds_open mp_ds_change mp_ds_arrays   open, close, refresh; a transaction; arrays that it lends
 *   move/               moves elements between memory and the file
 *     move order mp_request   a collective read or write, in steps; the order of moves; requests
 *     exchange block      chunks that several ranks take part in, cut into blocks
 *     packed close_passed round   writes to compressed arrays; chunks closed; chunks that all ranks compress
 *     chunks              the chunks that a rank takes part in
 *     axis_set            the indices of an axis that a rank takes
 *     backend mpi_file file_runs   the choice of system calls or MPI-IO; MPI-IO with file views
 *   darray/             distributed arrays in memory (darray.h)
 *     darray darray_gather darray_sets darray_owner   make and free; what every rank holds and owns
 *     darray_memory node darray_turn darray_progress  sections in memory that the ranks of a node share (sections.h)
 *     darray_zones darray_move     zones of chunks; read and write
 *     darray_halo darray_redistribute ghost_plan ghost_pairs ghost_copy axis_common   refresh ghosts and add them to
 *                         their owners; copy to another distribution (ghosts.h)
 *     darray_dap          exports and imports of the Distributed Array Protocol
 *   onesided/           one-sided access to darrays (onesided.h)
 *   memory/             arrays in the memory of the job (job.h)
 *
 * Every collective call plans, agrees, acts, agrees and finishes. Planning is local, may fail and never communicates.
 * Then one rank acts for all, or all ranks exchange data; a rank that failed still completes the exchange. No call
 * returns between the agreements.
 *
 * Invariants
 *   1. The root (rank 0) alone reads the state from the log, writes to it and locks it. drx_open made its handle; the
 *      other ranks have replicas (array/replica.h). All ranks have the same state between calls.
 *   2. A call that changes the state holds the gate of each rank's handle, so that reading threads wait.
 *   3. With MPI-IO, only the caller's threads touch the data of a handle; helper threads do not. */
#pragma once

#include "array/replica.h"
#include "drxmp.h"

enum { DRXI_ROOT = 0, DRXI_HINTS_BYTES = 2048 };

struct drxi_settings {
    enum drxi_backend { DRXI_POSIX, DRXI_MPIIO } backend;
    int64_t io_ranks; /* 1 to all */
    int64_t buffer_bytes;
    bool local_stripes;           /* other nodes may have stripes that this one does not see (far/far.h) */
    int64_t cache_bytes;          /* of the data, with MPI-IO or from other nodes; -1: not set */
    char hints[DRXI_HINTS_BYTES]; /* for MPI-IO: hints.c */
};

/* The dataset behind an array that drxmp_open gave out as a variable of one: what these calls do. Collective. */
struct drxi_mp_owner {
    drx_status (*sync)(const struct drxi_mp_owner *owner);
    drx_status (*refresh)(const struct drxi_mp_owner *owner);
    drx_status (*close)(const struct drxi_mp_owner *owner); /* of the array, too */
};

struct drxmp_array {
    MPI_Comm comm, request_comm; /* duplicates; one for blocking calls, one for requests */
    int rank, ranks;
    drx_array *a;
    const struct drxi_mp_ways *ways;   /* to its elements */
    struct drxi_job *job;              /* has its data in memory; NULL: they are in files */
    drx_status *lent;                  /* by a dataset, which closes it: why that is broken */
    const struct drxi_mp_owner *owner; /* it has a dataset of its own; or NULL */
    struct drxi_home *home;            /* has stripes on several nodes; NULL: every rank sees all files */
    struct drxi_settings settings;
    MPI_File file;              /* open on all ranks; MPI_FILE_NULL without MPI-IO */
    drxi_io *mpi;               /* with it: the array's own file, which is behind, as MPI reads and writes it */
    bool behind;                /* the root's last change may not have reached all: the next sends the whole log */
    bool settled;               /* this rank's payloads since the root's last sync of its own: drxi_settle_payloads */
    bool requested;             /* a request has begun on this handle */
    int pending;                /* requests that the caller has not waited for */
    struct drxi_move *requests; /* those of them that are not over, oldest first (move.c) */
    int64_t *wire;              /* memory of blocking collective calls (move.c) */
    struct drxi_axis_set *sets; /* the same */
};

/* ---- comm.c -------------------------------------------------------------------------- */

/* Duplicate an intracommunicator; the duplicate has MPI_ERRORS_RETURN. Collective. */
drx_status drxi_duplicate_comm(MPI_Comm comm, MPI_Comm *own);
/* The same, with memory of zeros for a handle; NULL after a failure, which is that of all ranks. Collective. */
drx_status drxi_new_on(MPI_Comm comm, size_t bytes, MPI_Comm *own, void **handle);

/* ---- mp_open.c ----------------------------------------------------------------------- */

/* As drxmp_create and drxmp_open, with these settings. The arguments are known to be equal. drxi_make does not write a
 * fill other than zero, so the caller writes all chunks. Neither sets *out on failure. Collective. */
drx_status drxi_make(MPI_Comm comm, const struct drxi_settings *settings, const char *path, const drx_spec *spec,
                     drxmp_array **out);
drx_status drxi_open_made(MPI_Comm comm, const struct drxi_settings *settings, const char *path, drxmp_array **out);

/* drxmp_open of a lone array. */
drx_status drxi_open_lone(MPI_Comm comm, const char *path, int mode, drxmp_array **out);

/* A handle without an array, and the end of one. Collective. */
drx_status drxi_new_handle(MPI_Comm comm, drxmp_array **out);
void drxi_free_handle(drxmp_array *m);
void drxi_free_failed(drxmp_array *m, const char *made); /* the detail stays; `made` is removed, unless it is NULL */
/* All ranks show the same of an array of a dataset, which each has lent: m->a is there on all. Collective. */
drx_status drxi_share_lent(drxmp_array *m);

/* ---- call.c -------------------------------------------------------------------------- */

enum { DRXI_CALL_ARGS = 20 };

/* A collective call as this rank makes it, with the arguments that must be equal on all ranks. */
struct drxi_call {
    char name[32];
    int64_t args;
    struct {
        char label[24];
        int64_t value;
        int64_t hashed; /* value is a hash of the argument */
    } arg[DRXI_CALL_ARGS];
};

void drxi_call_start(struct drxi_call *call, const char *name);
void drxi_call_int(struct drxi_call *call, const char *label, int64_t value);
void drxi_call_type(struct drxi_call *call, const char *label, drx_type type);
void drxi_call_bytes(struct drxi_call *call, const char *label, const void *bytes, size_t n);
void drxi_call_text(struct drxi_call *call, const char *label, const char *text); /* may be NULL */
void drxi_call_also(struct drxi_call *call, const char *text); /* add to the last argument, which is hashed */
void drxi_call_stripes(struct drxi_call *call, int n, const char *const stripes[]);    /* of a spec */
void drxi_call_spec(struct drxi_call *call, const drx_spec *spec);                     /* all fields; mp_open.c */
void drxi_call_settings(struct drxi_call *call, const struct drxi_settings *settings); /* mp_open.c */

/* All ranks return the same status: the worst `mine`, or DRX_EMISMATCH when the calls differ. The detail comes from the
 * first rank with that status, and names it. A NULL call is not compared. Collective. */
drx_status drxi_agree(MPI_Comm comm, drx_status mine, const struct drxi_call *call);

/* The same in two halves, around a reduction by MPI_MIN. drxi_agree_explain is a collective second half.
 * drxi_agree_result is a local one, which knows only this rank's `detail`; that may be NULL. */
void drxi_agree_prepare(MPI_Comm comm, drx_status mine, const struct drxi_call *call, int64_t low[3]);
drx_status drxi_agree_explain(MPI_Comm comm, const int64_t low[3], const struct drxi_call *call);
drx_status drxi_agree_result(const int64_t low[3], int rank, const char *detail);

/* Give all ranks the root's status and, when that is DRX_OK, its `n` bytes. Collective. */
drx_status drxi_from_root(MPI_Comm comm, drx_status roots, void *bytes, int n);

/* How many agreements of any ranks this process has seen end. What another rank did before its part in one is seen
 * after it: the moment of caches (pool/cached_file.h). */
extern atomic_uint_fast64_t drxi_agreements;

/* DRX_EMPI before MPI_Init and after MPI_Finalize, when a call of MPI would end the job. */
drx_status drxi_check_running(void);
/* The status for the error code of an MPI call; `what` says in the detail what failed. */
drx_status drxi_mpi(int code, const char *what);

/* ---- settings.c ------------------------------------------------------------------------- */

/* Read the settings from the environment. Change those that `info` names, or, on failure, none. */
drx_status drxi_settings_init(struct drxi_settings *s, int ranks);
/* As above, for a call that this rank begins with the status `mine`. If that is an error, it is returned, and its
 * detail stays. The ranks can compare their settings in any case. */
drx_status drxi_settings_init_anyway(struct drxi_settings *s, int ranks, drx_status mine);
drx_status drxi_settings_read(struct drxi_settings *s, int ranks, MPI_Info info);
/* How many bytes a cache of what this rank reads may have. A job that writes has the array alone. One that only reads
 * keeps nothing unless the user allows it. */
int64_t drxi_settings_cache(const struct drxi_settings *s, bool writable);
bool drxi_settings_equal(const struct drxi_settings *s, const struct drxi_settings *other);

/* ---- hints.c ---- */

/* Add the hints of the text "key=value,key=value,...", which messages call `name`; or those keys of `info` that are not
 * DRX's. They replace older ones of the same keys. */
drx_status drxi_hints_of_text(char hints[DRXI_HINTS_BYTES], const char *name, const char *text);
drx_status drxi_hints_of_info(char hints[DRXI_HINTS_BYTES], MPI_Info info);
/* Set them in `info`. */
drx_status drxi_hints_give(const char hints[], MPI_Info info);

/* How a rank reaches the sections of other ranks. */
struct drxi_remote {
    int64_t node_ranks; /* treat at most this many ranks as sharing memory */
    bool near;          /* use loads and stores where memory is shared */
    bool off;           /* never; sections are private */
    bool progress;      /* start a thread that makes RMA progress */
};
/* Read it from this rank's environment. */
drx_status drxi_settings_remote(struct drxi_remote *remote);

/* ---- mp_access.c ------------------------------------------------------------------------ */

/* The ways to the elements, by where they are.
 *
 *   access  moves a box of the caller's. Local
 *   move    moves a box that is checked, with the gate entered. Local
 *   settle  before a growth, in which the root restores cells that crashes or trims have left, if it is in doubt:
 *           what the ranks have written is durable, or there is room for what they will write. Collective */
struct drxi_mp_ways {
    drx_status (*access)(drxmp_array *m, bool writing, const drx_box *box, void *buf);
    drx_status (*move)(drxmp_array *m, bool writing, const struct drxi_box *box, void *mem);
    drx_status (*settle)(drxmp_array *m, const struct drxi_step *step, bool doubt);
};
extern const struct drxi_mp_ways drxi_in_files, drxi_in_job;

/* ---- memory/, of an array in the memory of the job; elsewhere they do nothing --------------------- */

/* Make one: m->a, m->ways and m->job. `keeper`: the caller's communicator. After a failure, drxi_free_handle.
 * Collective. */
drx_status drxi_job_make(drxmp_array *m, MPI_Comm keeper, const drx_spec *spec);
/* As such an array needs them. */
void drxi_job_settings(const drxmp_array *m, struct drxi_settings *s);
/* Before m->a is closed, which releases the rest. Collective. */
void drxi_job_end(drxmp_array *m);
/* DRX_EBUSY: chunks are exported. */
drx_status drxi_job_check_idle(const drxmp_array *m);
/* DRX_EBUSY: drx_wait was not called for a one-sided request. */
drx_status drxi_job_check_waited(const drxmp_array *m);
/* Complete the one-sided requests of this rank, before a collective call. Local. */
void drxi_job_complete(const drxmp_array *m);
/* Whether this node may hold its part of this many chunks: DRX_ENOMEM. Local. */
drx_status drxi_job_check(const drxmp_array *m, int64_t chunks);
/* Count again, in drxi_node_bytes, the chunks between the bounds: those of a growth that failed are not there. */
void drxi_job_recount(const drxmp_array *m);
/* Order loads and stores before the call before those after it. NULL is fine. */
void drxi_job_settle(const drxmp_array *m);
/* The least that each rank has memory for. Tests change it. */
extern int64_t drxi_job_least_bytes;

/* ---- mp_names.c ---------------------------------------------------------------------------- */

/* As drx_rename and drx_remove, by the root. `local`: with the stripes of all nodes. Collective. */
drx_status drxi_rename_for_all(MPI_Comm comm, bool local, const char *from, const char *to, unsigned flags);
drx_status drxi_remove_for_all(MPI_Comm comm, bool local, const char *path);

/* ---- backend.c --------------------------------------------------------------------------- */

/* Switch to the backend and the hints of these settings, and keep them; on failure the old ones stay. No request is
 * pending. Collective. */
drx_status drxi_use_settings(drxmp_array *m, const struct drxi_settings *settings);
/* Set in `info` what MPI-IO says of the open file, or else the hints. Local. */
drx_status drxi_tell_hints(const drxmp_array *m, MPI_Info info);
/* Close m->file. Collective. */
void drxi_leave_backend(drxmp_array *m);

/* ---- mp_log.c ---------------------------------------------------------------------------- */

/* DRX_EBUSY while requests are pending, because the array must not change under them. */
drx_status drxi_check_idle(const drxmp_array *m);
/* Give all ranks the root's `n` bytes; n may exceed INT_MAX. On the others *bytes is NULL before; it is to be freed,
 * also after a failure, of which not all ranks may know. Collective. */
drx_status drxi_share_bytes(MPI_Comm comm, uint8_t **bytes, int64_t n);
/* The root makes the call as if it had the array alone. Returns its status; DRX_OK on other ranks. */
drx_status drxi_by_root(drxmp_array *m, drx_status (*call)(drx_array *a, const void *arg), const void *arg);
/* Make durable what all ranks have written. Collective. */
drx_status drxi_sync_everywhere(drxmp_array *m);
/* What the other ranks than the root have written of a compressed array is durable: before the root, alone, makes its
 * own durable, and counts all payloads until then as such. Nobody is inside. Local. */
drx_status drxi_settle_payloads(drxmp_array *m);
/* The checksums of what is durable, for drxi_shut_out. */
drx_status drxi_settle_sums(drx_array *a, void *none);
/* Of a compressed array: all know that one of them has written since the last SYNC, so that the root appends another;
 * and how many chunks are open. Collective. */
drx_status drxi_share_written(drxmp_array *m);
/* The epochs of a compressed array: what is written now gets one, and the last SYNC promised the other. The root's
 * alone rise, as those of one process do; before each call ends in which they may have, also one that failed, the
 * others take them. Until then nobody writes with an older one. Collective. */
struct drxi_epochs {
    int64_t now, synced;
};
struct drxi_epochs drxi_epochs_of(const drxmp_array *m);
drx_status drxi_take_epochs(drx_array *a, void *roots);  /* for drxi_shut_out */
drx_status drxi_share_epochs(drxmp_array *m, bool shut); /* shut: nobody is inside */
/* After a change that every rank makes by itself, send the root's end of the log to all. Collective. */
drx_status drxi_share_log_end(drxmp_array *m, drx_status roots);

/* ---- file_runs.c ----------------------------------------------------------------------------- */

/* Move the box of each rank between its chunks and memory by MPI-IO; `box` is NULL on a rank that moves nothing. Ranks
 * may return different statuses. Collective. */
drx_status drxi_move_runs(drxmp_array *m, bool writing, const struct drxi_box *box, void *mem);

/* Use collective calls of MPI-IO. Otherwise the ranks set views together, and each reads and writes by itself. Equal on
 * all ranks. Tests change it. */
extern bool drxi_runs_together;

/* ---- move.c -------------------------------------------------------------------------------- */

/* Unless `mine` is an error, write to the file what drx_put has gathered on this rank: before the first agreement of
 * any collective call, so that the others see it after the call, and it overwrites nothing that they write then.
 * Local. */
drx_status drxi_flush_puts(const drxmp_array *m, drx_status mine);
/* Do that, and make the first agreement of a collective call on an array, while requests make progress. DRX_EINVAL when
 * m is NULL, without communication. */
drx_status drxi_begin(drxmp_array *m, drx_status mine, const struct drxi_call *call);
/* The second half of it: for a call that ends the handle even if nothing can be written, or has flushed before. */
drx_status drxi_begin_unflushed(drxmp_array *m, drx_status mine, const struct drxi_call *call);
/* Finish all requests. Collective; the ranks have agreed to make this call. */
void drxi_finish_moves(drxmp_array *m);

/* drxi_enter for the box of this rank in a collective call; NULL: an error, and it has none. */
static inline void drxi_enter_box(drx_array *a, bool writing, const drx_box *box)
{
    const struct drxi_pending p = { .writing = writing,
                                    .collective = true,
                                    .lo = box ? box->lo : NULL,
                                    .count = box ? box->count : NULL,
                                    .step = box ? box->step : NULL };

    (void)drxi_enter(a, &p); /* a collective call waits for no other */
}
/* Move the box of each rank, which is checked and whose chunks exist; NULL on a rank that moves nothing. A rank that
 * could not prepare its box passes the reason as `st`. Then, and when the calls differ, no rank moves anything. All
 * ranks return the same status. Collective. */
drx_status drxi_move_boxes(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                           const struct drxi_box *box, void *mem);
/* Begin the same as a request. It copies `box`, and uses `mem` until it is over. Requests cannot write to a compressed
 * array: then the call does it, and the request is over. */
drx_status drxi_move_boxes_start(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                                 const struct drxi_box *box, void *mem, drx_request **out);
/* What each rank moves. All ranks know the sets. */
struct drxi_moved {
    struct drxi_axis_set *sets;  /* [ranks][ndim], in indices of the array */
    bool boxes;                  /* the sets of all ranks are ranges */
    const struct drxi_box *box;  /* this rank's sets as a box; NULL when they are not one, or are empty */
    void *mem;                   /* of the first element of the box; without a box, of local index 0 on all axes */
    const int64_t *stride_bytes; /* of a local index */
    void *runs;                  /* of a request: what the sets point to, or NULL */
    atomic_int *uses;            /* of a request: counts those that the caller has not waited for */
};
/* Move them: boxes as above, the rest through the exchange. The ranks have compared their calls. Collective. */
drx_status drxi_move_sets(drxmp_array *m, bool writing, const struct drxi_call *call, const struct drxi_moved *moved);
/* Begin the same as a request, which compares the calls. It takes over the sets and their runs, also on failure. */
drx_status drxi_move_sets_start(drxmp_array *m, bool writing, const struct drxi_call *call,
                                const struct drxi_moved *moved, drx_request **out);
/* Make room in m->wire and m->sets for `ndim` axes. */
drx_status drxi_move_memory(drxmp_array *m, int ndim);
