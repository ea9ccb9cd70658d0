/* All file access goes through two tables of calls, so that memory can replace a file and tests can make any call
 * fail. */
#pragma once

#include "base/base.h"
#include "io/file_view.h"

typedef struct drxi_io drxi_io;

/* A path by which another process may open a file that is open here, and the identity by which it recognizes that
 * file. */
struct drxi_alias {
    uint64_t id[2];
    char path[1024];
};

/* Locks belong to an open file, not to the process, so two handles in one process exclude each other. ALONE excludes
 * ALONE and TOGETHER. */
enum drxi_lock {
    DRXI_LOCK_ALONE,    /* held until close by a single writer, or by a reader to keep writers away */
    DRXI_LOCK_TOGETHER, /* held until close by each of several writers */
    DRXI_LOCK_CHANGE,   /* held until unlock or close by the one of these writers that changes the log */
};

/* Writes of elements by several writers, which the log tells each other of. */
enum drxi_writes {
    DRXI_WRITE_BEGINS, /* when nobody is in the way */
    DRXI_WRITE_ENDS,
    DRXI_WRITES_DRAIN /* wait until all have ended that have begun */
};

/* How bytes are read, for the system: after those before them, when its reading ahead helps; here and there, when it
 * would read in vain; or directly, not through its cache. */
enum drxi_manner { DRXI_IN_ORDER, DRXI_SCATTERED, DRXI_DIRECTLY, DRXI_MANNERS };

/* Where the system has some bytes: in the open file `fd` (-1: in none), `bytes` of them from `offset` on. Or a file
 * reads them by itself, in a thread of its own. */
struct drxi_spot {
    int fd;
    int64_t offset, bytes;
    drxi_io *starts; /* whose ops->start reads them; or NULL */
};

/* Bytes of a file as memory, from the byte at `offset` on. What is mapped begins and ends with pages. */
struct drxi_mapping {
    uint8_t *base;
    void *pages; /* NULL: nothing is mapped */
    size_t page_bytes;
};

/* Takes the bytes of a read as they come, in order, n of them from byte `at` of the read on. */
struct drxi_sink {
    void (*take)(struct drxi_sink *sink, const uint8_t *bytes, size_t n, size_t at);
};

/* What reads of a file cost. Who plans reads looks here, and need not know what kind of file it is. All zero: each read
 * is a call of `read`, and costs as much as its bytes. */
struct drxi_cost {
    int64_t gap_bytes;  /* reading through this many costs about as much as another read */
    int64_t most_bytes; /* of memory for a large request: this many bytes under way keep the device busy */
    int64_t row_bytes;  /* reads that follow each other are called in order when they have more bytes together */
    int depth;    /* reads worth having under way at once, for which `where` is called; 0: `read` is all there is */
    bool at_once; /* a read is a copy in memory, and costs little even of a few bytes */
    bool trips;   /* a read waits for a round trip, so several are asked for ahead: `prefetch` */
    bool pours;   /* what comes may be taken while it comes, by a sink */
    bool direct;  /* reads may pass by the system's cache, which pays for what does not fit there */
    bool mapped;  /* `view` may give the bytes as memory */
};

/* What a server tells of a file that is pinned to a state (remote/remote.h). */
enum drxi_states {
    DRXI_FRESH =
        1, /* it was changed a moment before it was pinned: perhaps it cannot be told when it is changed again */
    DRXI_FIRM = 2,   /* it is pinned to a state that no later one is mistaken for */
    DRXI_ALTERED = 4 /* it was found to have another state, and has no judge */
};

/* Decides whether a file that has another state may be read on; otherwise sets the detail. *as_of is the file's: zero
 * at first and after `repin`; the judge notes there how much of the log it has taken into account. Many threads may ask
 * at once. */
typedef drx_status drxi_judge(void *of, const drxi_io *io, int64_t *as_of);

/* Calls of a file that is pinned to the state in which it was first met: io->pinned, but no set of files.
 *   is       gets enum drxi_states
 *   drop     forgets what was read of it, so that it is asked for again, in the state to which it is pinned
 *   judge    sets its judge
 *   renew    asks for the present state, and pins the file to that. ops->named is false from then on when the file is
 *            gone or has become shorter. With an inquiry, takes its answer
 *   inquire  begins to ask. An inquiry is to be answered or forgotten, both of which wait for it, before the file is
 *            closed
 *   forget   forgets an inquiry
 *   repin    pins n such files to their present states, at once */
struct drxi_inquiry;
struct drxi_state_ops {
    unsigned (*is)(const drxi_io *io);
    void (*drop)(drxi_io *io);
    void (*judge)(drxi_io *io, drxi_judge *judge, void *of);
    drx_status (*renew)(drxi_io *io, struct drxi_inquiry *inquiry);
    drx_status (*inquire)(drxi_io *io, struct drxi_inquiry **out);
    void (*forget)(struct drxi_inquiry *inquiry);
    drx_status (*repin)(drxi_io *const io[], int n);
};

/* An open file. Offsets and lengths are bytes; offset >= 0. Errors carry a detail that names the file and the offset.
 * Calls that name a part of the cost are made only where that is set, and may be NULL elsewhere.
 *   read     reads n bytes, or as many as there are before the end, and sets *got
 *   write    writes all n bytes or fails
 *   size     gets the length
 *   resize   sets the length; new bytes are zero and take no space
 *   reserve  takes room on the device for the bytes from begin to end, so that writing them does not run out of it; the
 *            length stays. DRX_ENOSPC; DRX_OK where the file system cannot reserve
 *   punch    gives the bytes from begin to end back to the file system: they read as zero. DRX_OK where it cannot, and
 *            they stay
 *   sync     makes the length and everything written durable
 *   extent   finds the next stored bytes, *begin <= i < *end, at or after the offset, as far as the file system tells
 *            them from holes; *begin is INT64_MAX when only a hole follows
 *   push     begins to write these bytes to the device, without waiting for them; a failure is left to `sync`. NULL:
 *            they are in no file of the system
 *   where    (depth) finds the byte at the offset, for reads by the caller in that manner, if the file allows it
 *   view     (mapped) makes a view; base is NULL when there is none. Brings an open one up to date: one that does not
 *            serve any more gets 0 bytes. Close it before the file
 *   map      maps some bytes of a file of drxi_files->memory for loads and stores (struct drxi_mapping). NULL: another
 *            kind of file
 *   lock     takes a lock (enum drxi_lock) without waiting; DRX_EBUSY when others hold one that excludes it
 *   unlock   releases DRXI_LOCK_CHANGE
 *   locked   asks whether others have the file open for writing, alone or together
 *   stamp    gets a number that changes soon after any write to the file
 *   named    asks whether io->path still names this file
 *   park     gives the file another name instead of io->path. `close` removes it unless `name` or `keep` was called, so
 *            a failure in between is undone
 *   name     gives it the name io->path; DRX_EEXIST when that is taken
 *   keep     keeps the name under which it is parked
 *   sole     checks that io->path is the only name of the file, neither a symbolic link nor one of several hard links;
 *            otherwise DRX_EUNSUPPORTED
 *   replace  moves the name io->path atomically from `old`, whose only name it is, to this new file, which gets the
 *            rights of `old` and, where that is permitted, its owner
 *   alias    gets a path by which other processes can open the file while it is open here, even without a name;
 *            DRX_EUNSUPPORTED when they cannot
 *   close    releases `io` even when it fails
 *   guard    waits until no other open file, in any process, guards bytes from begin to end, and guards them; with
 *            `on` false, stops guarding them. Threads that share `io` do not exclude each other this way
 *   writes   see enum drxi_writes. Threads that share `io` may write at the same time. NULL: the file is no log
 *   start    (where a spot names the file) begins a read, and returns -1. `done` gets the number of bytes, from another
 *            thread; fewer than n: `read` tells why. Or returns that number at once. With a sink (pours), the sink
 *            takes the bytes, and `buf` may have some of them
 *   prefetch    (trips) begins to fetch bytes that will probably be read next; `sparing`: leaves half of the room to
 *            others. Returns how many are asked for now, 0 when they are there or on their way; -1: there is no room,
 *            or the file may change without a sign. The read that takes them, or a prefetch of 0 bytes, or the end of
 *            the file frees their memory
 *   state    further calls; NULL: the system tells at once what others change */
struct drxi_io_ops {
    drx_status (*read)(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got);
    drx_status (*write)(drxi_io *io, const void *buf, size_t n, int64_t offset);
    drx_status (*size)(drxi_io *io, int64_t *bytes);
    drx_status (*resize)(drxi_io *io, int64_t bytes);
    drx_status (*reserve)(drxi_io *io, int64_t begin, int64_t end);
    drx_status (*punch)(drxi_io *io, int64_t begin, int64_t end);
    drx_status (*sync)(drxi_io *io);
    drx_status (*extent)(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end);
    void (*push)(drxi_io *io, int64_t begin, int64_t end);
    void (*where)(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *out);
    drx_status (*view)(drxi_io *io, struct drxi_view *view);
    drx_status (*map)(drxi_io *io, int64_t offset, int64_t bytes, struct drxi_mapping *out);
    drx_status (*lock)(drxi_io *io, enum drxi_lock kind);
    void (*unlock)(drxi_io *io);
    drx_status (*locked)(drxi_io *io, bool *locked);
    drx_status (*stamp)(drxi_io *io, uint64_t *stamp);
    drx_status (*named)(drxi_io *io, bool *named);
    drx_status (*park)(drxi_io *io);
    drx_status (*name)(drxi_io *io);
    void (*keep)(drxi_io *io);
    drx_status (*sole)(drxi_io *io);
    drx_status (*replace)(drxi_io *io, drxi_io *old);
    drx_status (*alias)(drxi_io *io, struct drxi_alias *out);
    drx_status (*close)(drxi_io *io);
    drx_status (*guard)(drxi_io *io, int64_t begin, int64_t end, bool on);
    drx_status (*writes)(drxi_io *io, enum drxi_writes what);
    int64_t (*start)(drxi_io *io, void *buf, size_t n, int64_t offset, struct drxi_sink *sink,
                     void (*done)(void *arg, int64_t got), void *arg);
    int64_t (*prefetch)(drxi_io *io, int64_t offset, int64_t n, bool sparing);
    const struct drxi_state_ops *state;
};

struct drxi_io {
    const struct drxi_io_ops *ops;
    char *path; /* for messages */
    struct drxi_cost cost;
    bool callers_only; /* only the caller's threads may use it, not helper threads */
    bool filled;       /* new chunks have the fill before the file is lengthened */
    bool pinned; /* what is read belongs to one state, and others change the file without a word. Of no set of files */
};

/* Close a file if one is open, whatever comes of it. */
static inline void drxi_close(drxi_io *io)
{
    if (io)
        (void)io->ops->close(io);
}

/* Calls of struct drxi_state_ops, which do nothing for other files. */
static inline bool drxi_state_is(const drxi_io *io, enum drxi_states what)
{
    return io && io->ops->state && (io->ops->state->is(io) & what);
}

static inline bool drxi_state_drop(drxi_io *io)
{
    if (io->ops->state)
        io->ops->state->drop(io);
    return io->ops->state != NULL;
}

static inline drx_status drxi_state_renew(drxi_io *io, struct drxi_inquiry *inquiry)
{
    return io->ops->state ? io->ops->state->renew(io, inquiry) : DRX_OK;
}

/* DRXI_NEW makes a new file for writing. ops->name gives it its name; closing it before that removes it. */
enum drxi_how { DRXI_READ, DRXI_WRITE, DRXI_NEW };

/* What a name leads to. `there` is false, too, when the system does not tell. */
struct drxi_looked {
    bool there, regular;
    uint32_t owner, mode;        /* mode: permissions */
    int64_t bytes, stored_bytes; /* stored: on the disk */
    int64_t changed;             /* seconds since 1970 */
};

/* Names of files.
 *   open         opens or makes a file
 *   remove       removes a name; DRX_ENOENT when it does not exist
 *   lock_folder  locks the folder of `path` until *out is closed, against others that take this lock before they change
 *                names there. Waits some seconds, then gives DRX_EBUSY. *out is NULL where folders cannot be locked
 *   sync_folder  makes changes of names in the folder of `path` durable
 *   link         gives the file `from` the name `to` as well; DRX_EEXIST when that is taken, DRX_EUNSUPPORTED from one
 *                file system to another. *can is false, and nothing changes, where a file has only one name
 *   rename       renames, with the same errors
 *   exchange     exchanges two names at once. *can is false, and nothing changes, where the system cannot
 *   same         asks whether both names exist and name the same file
 *   order        compares the folders of two paths: 0 for the same folder, otherwise < 0 or > 0, alike in all
 *                processes. *apart: they are on different file systems
 *   absolute     gets the absolute path of a folder, to be freed
 *   look         describes what has the name, or, with `follow`, what a symbolic link of that name leads to
 *   idle         asks whether nobody has the file open, as far as the system can tell
 *   make_folder  makes a folder; DRX_EEXIST
 *   remove_folder  removes an empty folder
 *   list         calls `seen` with each name in a folder, in no order
 *   others       calls `seen` with each name that a parked or new file beside `path` has, or that a killed process
 *                left there
 *   memory       makes an empty file in memory, without a name, that other processes can open by its alias. It takes
 *                memory where it is written to; DRX_EUNSUPPORTED where the system has no such files
 *   expect_open  `open` will soon be asked for `path` with this suffix: a server is asked for many files at a time;
 *                false: there is no server. Failures are left to `open`. `fresh`: what was asked for earlier does not
 *                serve. When a connection must be made, this many more are made beside it, for what will follow
 *   expect_none  expects none of those any more whose path begins so */
struct drxi_files {
    drx_status (*open)(const char *path, enum drxi_how how, drxi_io **out);
    drx_status (*remove)(const char *path);
    drx_status (*lock_folder)(const char *path, drxi_io **out);
    drx_status (*sync_folder)(const char *path);
    drx_status (*link)(const char *from, const char *to, bool *can);
    drx_status (*rename)(const char *from, const char *to);
    drx_status (*exchange)(const char *a, const char *b, bool *can);
    drx_status (*same)(const char *a, const char *b, bool *same);
    drx_status (*order)(const char *a, const char *b, int *order, bool *apart);
    drx_status (*absolute)(const char *folder, char **out);
    void (*look)(const char *path, bool follow, struct drxi_looked *out);
    drx_status (*idle)(const char *path, bool *idle);
    drx_status (*others)(const char *path, void (*seen)(void *user, const char *name), void *user);
    drx_status (*make_folder)(const char *path);
    drx_status (*remove_folder)(const char *path);
    drx_status (*list)(const char *folder, void (*seen)(void *user, const char *name), void *user);
    drx_status (*memory)(drxi_io **out);
    bool (*expect_open)(const char *path, const char *suffix, bool fresh, int connections);
    void (*expect_none)(const char *path);
};

enum { DRXI_FEW_CONNECTIONS = 6, DRXI_MANY_CONNECTIONS = 24 };

extern const struct drxi_files drxi_posix;
extern const struct drxi_files drxi_anywhere; /* and files on servers: remote/anywhere.c */
extern const struct drxi_files *drxi_files;   /* the table in use: drxi_anywhere, unless a test wraps it */
DRXI_SHARED const struct drxi_files *drxi_files_in_use(void);

/* Nothing, and false, where opening a file costs little. */
static inline bool drxi_expect(const char *path, const char *suffix, bool fresh, int connections)
{
    return drxi_files->expect_open && drxi_files->expect_open(path, suffix, fresh, connections);
}

static inline void drxi_expect_none(const char *path)
{
    if (drxi_files->expect_none)
        drxi_files->expect_none(path);
}

/* An empty file in memory. Its bytes never move. */
drx_status drxi_memory_open(drxi_io **out);

/* How many bytes of files the system can keep in memory for this process, as it was when first asked. */
DRXI_SHARED int64_t drxi_room_for_files(void);
/* Where control groups or limits of resources allow this process less memory, let a part of that be the default of
 * drx_set_memory. The first call looks. */
void drxi_keep_to_process(void);

/* Gets a number that changes while whoever has the lock does something. */
typedef drx_status drxi_stamp(void *of, uint64_t *out);
/* Take DRXI_LOCK_CHANGE; wait while another process that has it makes progress (lock_change.c). DRX_EBUSY: none for
 * 30 s. */
drx_status drxi_lock_change(drxi_io *log, drxi_stamp *stamp, void *of);
/* Open a log for writing, and lock *out by that call: it has the name then, although others may take it away between
 * the two. DRX_EBUSY: they do so again and again. */
drx_status drxi_open_locked(const char *name, drx_status (*lock)(void *of), void *of, drxi_io **out);
/* Whether a log has that length, as nobody else writes to it. DRX_EBUSY: the locks of the file system do not work. */
drx_status drxi_check_length(drxi_io *log, int64_t expected);

/* A tag that differs between boots and machines: at most 24 bits, neither all 0 nor all 1. */
uint32_t drxi_boot_tag(void);
