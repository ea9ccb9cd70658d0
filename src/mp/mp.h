/* What the files of libdrxmp offer each other.
 *
 *   call.c settings.c   a collective call and its agreement; settings from info keys and the environment
 *   array/              an array that many ranks have open
 *     mp_open mp_log mp_change   create, open, close; equal logs on all ranks, sync, refresh; growth, attributes
 *     mp_access mp_copy          boxes of each rank; a copy into another layout
 *   move/               elements between memory and the file
 *     move order mp_request   one collective read or write, in steps; which waits for which; those begun and waited for
 *     exchange block      chunks that several ranks take part in, cut into blocks
 *     axis_set            the indices of an axis that a rank takes
 *     backend mpi_file file_runs   system calls or MPI-IO; MPI-IO with views of the file
 *   darray/             distributed arrays in memory (darray.h)
 *     darray darray_gather darray_sets darray_owner   make and free; what every rank holds and owns
 *     darray_memory node darray_progress  sections in memory that the ranks of a node share (sections.h)
 *     darray_zones darray_move     zones of chunks; reading and writing
 *     darray_redistribute darray_pieces darray_halo   from one distribution to another; padding
 *     darray_dap          exports and imports of the Distributed Array Protocol
 *   onesided/           one-sided access to darrays (onesided.h)
 *
 * Every collective call has the same shape: plan (local, may fail, never communicates), agree, act, agree, finish. One
 * rank acts for all, or all exchange data; a rank that failed completes the exchange. Nothing returns between the
 * agreements.
 *
 * Invariants
 *   1. Only the root (rank 0) has the log open and locked. Its handle comes from drx_open, those of the others are
 *      replicas (array/replica.h). All have the same state between calls.
 *   2. A call that changes the state holds the gate of each rank's handle, so that reading threads wait.
 *   3. With MPI-IO, only threads that make calls touch the data of a handle; helper threads do not. */
#ifndef DRXI_MP_H
#define DRXI_MP_H

#include "array/replica.h"
#include "drxmp.h"

enum { DRXI_ROOT = 0 };

struct drxi_settings {
    enum drxi_backend { DRXI_POSIX, DRXI_MPIIO } backend;
    int64_t io_ranks; /* 1 to all */
    int64_t buffer_bytes;
};

struct drxmp_array {
    MPI_Comm comm, request_comm; /* our own; for calls, for requests */
    int rank, ranks;
    drx_array *a;
    struct drxi_settings settings;
    MPI_File file;              /* by MPI-IO, of all ranks; MPI_FILE_NULL: each by POSIX */
    bool requested;             /* a request was begun some time */
    int pending;                /* requests that were not waited for; of these the ones that are not over: */
    struct drxi_move *requests; /* oldest first: move.c */
    int64_t *wire;              /* of a collective call that waits: move.c */
    struct drxi_axis_set *sets;
};

/* ---- mp_open.c ----------------------------------------------------------------------- */

/* A duplicate of an intracommunicator, which returns errors. Collective. */
drx_status drxi_duplicate_comm(MPI_Comm comm, MPI_Comm *own);

/* As drxmp_create and drxmp_open, of equal arguments, with settings of their own. What is made by drxi_make has no
 * fill yet, if that is not zero: all of its chunks are written. *out stays on failure. Collective. */
drx_status drxi_make(MPI_Comm comm, const struct drxi_settings *settings, const char *path, const drx_spec *spec,
                     drxmp_array **out);
drx_status drxi_open_made(MPI_Comm comm, const struct drxi_settings *settings, const char *path, drxmp_array **out);

/* ---- call.c -------------------------------------------------------------------------- */

enum { DRXI_CALL_ARGS = 12 };

/* A collective call as this rank makes it: arguments that all have to give alike. */
struct drxi_call {
    char name[32];
    int64_t args;
    struct {
        char label[24];
        int64_t value;
        int64_t hashed; /* value stands for something longer */
    } arg[DRXI_CALL_ARGS];
};

void drxi_call_start(struct drxi_call *call, const char *name);
void drxi_call_int(struct drxi_call *call, const char *label, int64_t value);
void drxi_call_bytes(struct drxi_call *call, const char *label, const void *bytes, size_t n);
void drxi_call_text(struct drxi_call *call, const char *label, const char *text); /* may be NULL */
void drxi_call_also(struct drxi_call *call, const char *text); /* the last argument, a hashed one, goes on */
void drxi_call_stripes(struct drxi_call *call, int n, const char *const stripes[]); /* of a spec */

/* All ranks return the same status: the worst that one has, or DRX_EMISMATCH when calls differ (call NULL: not looked
 * at). The detail is that of a rank that failed so, and names it. Collective. */
drx_status drxi_agree(MPI_Comm comm, drx_status mine, const struct drxi_call *call);

/* The same in two halves around a reduction by MPI_MIN. The second half is collective; or it is local, and knows no
 * detail but this rank's own, which may be NULL. */
void drxi_agree_prepare(MPI_Comm comm, drx_status mine, const struct drxi_call *call, int64_t low[3]);
drx_status drxi_agree_explain(MPI_Comm comm, const int64_t low[3], const struct drxi_call *call);
drx_status drxi_agree_result(const int64_t low[3], int rank, const char *detail);

/* All ranks return the root's status, and have the root's `n` bytes when it is DRX_OK. Collective. */
drx_status drxi_from_root(MPI_Comm comm, drx_status roots, void *bytes, int n);

/* A status for what an MPI call returned. */
drx_status drxi_mpi(int code, const char *what);

/* ---- settings.c ------------------------------------------------------------------------- */

/* Those of the environment; then what `info` says of them. */
drx_status drxi_settings_init(struct drxi_settings *s, int ranks);
drx_status drxi_settings_read(struct drxi_settings *s, int ranks, MPI_Info info);
bool drxi_settings_equal(const struct drxi_settings *s, const struct drxi_settings *other);

/* How other ranks' sections are reached. */
struct drxi_remote {
    int64_t node_ranks; /* as if no more ranks than so many shared memory */
    bool near;          /* by loads and stores, where memory is shared */
    bool off;           /* not at all: sections are private */
    bool progress;      /* a thread makes RMA go on */
};
/* As this rank's environment says. */
drx_status drxi_settings_remote(struct drxi_remote *remote);

/* ---- backend.c --------------------------------------------------------------------------- */

/* Read and write the data file that way from now on; on failure as before. No request is under way. Collective. */
drx_status drxi_use_backend(drxmp_array *m, enum drxi_backend backend);
/* Close what it has open beside m->a. Collective. */
void drxi_leave_backend(drxmp_array *m);

/* ---- mp_log.c ---------------------------------------------------------------------------- */

/* DRX_EBUSY while there are requests that were not waited for: what they know of the array must not change. */
drx_status drxi_check_idle(const drxmp_array *m);
/* `n` bytes of the root for all, any number. Collective. */
drx_status drxi_broadcast(MPI_Comm comm, void *bytes, int64_t n);
/* On the root, make the call as if it had the array alone. Returns its status; DRX_OK on other ranks. */
drx_status drxi_by_root(drxmp_array *m, drx_status (*call)(drx_array *a, const void *arg), const void *arg);
/* After a change that the root has made and each rank of its own: tell where the log ends now. Collective. */
drx_status drxi_share_log_end(drxmp_array *m, drx_status roots);
/* After a change that the root alone has made, and its log went to `before`, -1: is another now: let all make it.
 * Collective. */
drx_status drxi_share_log(drxmp_array *m, drx_status roots, int64_t before);

/* ---- file_runs.c ----------------------------------------------------------------------------- */

/* Move a box of each rank between its chunks and memory by MPI-IO, all together, NULL: none. Each rank has a status of
 * its own. Collective. */
drx_status drxi_move_runs(drxmp_array *m, bool writing, const struct drxi_box *box, void *mem);

/* By collective calls of MPI-IO; else all set a view together, and each makes its own calls. Equal on all ranks; tests
 * that know better change it. */
extern bool drxi_runs_together;

/* ---- move.c -------------------------------------------------------------------------------- */

/* The first agreement of a collective call on an array, on the call and on `mine`; requests go on meanwhile.
 * DRX_EINVAL, on this rank alone, when m is NULL. */
drx_status drxi_begin(drxmp_array *m, drx_status mine, const struct drxi_call *call);
/* Finish all requests. Collective; all ranks are known to make this call. */
void drxi_finish_moves(drxmp_array *m);

/* Move a box of each rank, checked, NULL: none; its chunks exist. A rank for which `st` says that it has none takes
 * part, and nothing is moved then, as when calls differ. All return the same status. Collective. */
drx_status drxi_move_boxes(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                           const struct drxi_box *box, void *mem);
/* The same, begun; `box` may go, `mem` stays. */
drx_status drxi_move_boxes_start(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                                 const struct drxi_box *box, void *mem, drx_request **out);
/* What each rank moves, known to all. */
struct drxi_moved {
    struct drxi_axis_set *sets;  /* [ranks][ndim], in indices of the array */
    bool boxes;                  /* on all ranks, they are ranges on all axes */
    const struct drxi_box *box;  /* the same as this rank's sets, if they are that and not empty */
    void *mem;                   /* of its first element; without a box: of local index 0 on all axes */
    const int64_t *stride_bytes; /* of a local index */
};
/* Move that: boxes as above, the rest through the exchange. The calls were compared, and `st` is this rank's alone.
 * Collective. */
drx_status drxi_move_sets(drxmp_array *m, bool writing, const struct drxi_call *call, drx_status st,
                          const struct drxi_moved *moved);
/* Memory of `m` for boxes. */
drx_status drxi_move_memory(drxmp_array *m);

#endif
