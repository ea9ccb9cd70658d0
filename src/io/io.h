/* Files behind two small tables, so that memory can stand in for a file, and tests can make any call fail. */
#ifndef DRXI_IO_H
#define DRXI_IO_H

#include "base/base.h"
#include "io/file_view.h"

typedef struct drxi_io drxi_io;

/* A path by which another process may open a file that is open here, and the identity by which it checks that it
 * did. */
struct drxi_alias {
    uint64_t id[2];
    char path[1024];
};

/* Locks of an open file, not of the process: two handles in one process exclude each other. ALONE excludes itself
 * and TOGETHER. */
enum drxi_lock {
    DRXI_LOCK_ALONE,    /* until close, for one writer; on a file opened to read, keeps writers away */
    DRXI_LOCK_TOGETHER, /* until close, for each of several writers */
    DRXI_LOCK_CHANGE,   /* for the writer among these that changes the log; until unlock or close */
};

/* An open file. Offsets and lengths are bytes; offset >= 0. Errors carry a
 * detail that names the file and the offset.
 *   read    moves n bytes, or as many as there are before the end: *got
 *   write   moves all n bytes or fails
 *   size, resize  the length; new bytes are zero and take no space
 *   reserve room on the device for bytes up to there, so that writing them will not
 *           run out of it; the length stays. DRX_ENOSPC; no error where it cannot be had
 *   sync    what was written and the length are durable
 *   extent  the next stored bytes, *begin <= i < *end, at or behind offset, as
 *           far as the file system tells them from holes; *begin = INT64_MAX
 *           when nothing but a hole follows
 *   ahead   these bytes will be read soon; a hint
 *   view    a view of it, to be closed before it; base is NULL when there is none
 *   lock    see enum drxi_lock; does not wait: DRX_EBUSY when others keep it away
 *   unlock  what DRXI_LOCK_CHANGE locked
 *   locked  whether others write to it, alone or together
 *   stamp   a number that is another one soon after somebody has written to the file
 *   named   whether its path still names this file
 *   park    let the file have another name than io->path, which is gone at close
 *           unless `name` is called: so that much can fail, and be undone
 *   name    give it the name io->path; DRX_EEXIST when that is taken
 *   keep    let it have the other name that it is parked under for good
 *   sole    whether io->path is a name of the file by itself, and its only one: it is no symbolic
 *           link, and there are no hard links; DRX_EUNSUPPORTED when not
 *   replace a new file takes the name io->path from `old`, which has it as its only one, at once; with
 *           the rights of `old`, and its owner as far as that is permitted
 *   alias   how other processes can open the file while it is open here, also when it has no
 *           name; DRX_EUNSUPPORTED when they cannot
 *   close   releases `io` even when it fails
 *   guard   bytes from begin up to end are this file's alone among all that guard them, in any process, which is
 *           waited for; or, not `on`, no longer. Threads that share `io` do not exclude each other so */
struct drxi_io_ops {
    drx_status (*read)(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got);
    drx_status (*write)(drxi_io *io, const void *buf, size_t n, int64_t offset);
    drx_status (*size)(drxi_io *io, int64_t *bytes);
    drx_status (*resize)(drxi_io *io, int64_t bytes);
    drx_status (*reserve)(drxi_io *io, int64_t begin, int64_t end);
    drx_status (*sync)(drxi_io *io);
    drx_status (*extent)(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end);
    void (*ahead)(drxi_io *io, int64_t offset, int64_t n);
    drx_status (*view)(drxi_io *io, struct drxi_view *view);
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
};

struct drxi_io {
    const struct drxi_io_ops *ops;
    char *path;        /* for messages */
    bool callers_only; /* only the caller's threads may use it, not helper threads */
};

/* DRXI_NEW: a new file for writing. ops->name gives it its name; it is gone if closed without. */
enum drxi_how { DRXI_READ, DRXI_WRITE, DRXI_NEW };

/* What a name leads to; not there when that cannot be told. */
struct drxi_looked {
    bool there, regular;
    uint32_t owner;
};

/* Names of files.
 *   remove       of a name that is not there is DRX_ENOENT
 *   lock_folder  keep others from changing names beside `path` under this lock,
 *                waiting for it for some seconds, then DRX_EBUSY, until *out is
 *                closed; *out is NULL where folders cannot be locked
 *   sync_folder  what happened to the names beside `path` is durable
 *   link         the file `from` has the name `to`, too; DRX_EEXIST when that is
 *                taken, DRX_EUNSUPPORTED from one file system to another; *can is
 *                false, and nothing done, where a file has but one name
 *   rename       the same, and `from` is no name of it any more
 *   same         whether both are names of one file that is there
 *   order        of the folders of two paths: 0 for one folder, or else < 0 or > 0,
 *                the same for everybody; *apart: on file systems that differ
 *   absolute     the path of a folder from the root on, to be freed
 *   look         what bears the name, or, with `follow`, what a symbolic link of that name leads to
 *   idle         whether nobody has the file open, as far as the system can tell
 *   others       call `seen` with each name that a file parked or new beside `path`
 *                has, or that a process which was killed has left */
struct drxi_files {
    drx_status (*open)(const char *path, enum drxi_how how, drxi_io **out);
    drx_status (*remove)(const char *path);
    drx_status (*lock_folder)(const char *path, drxi_io **out);
    drx_status (*sync_folder)(const char *path);
    drx_status (*link)(const char *from, const char *to, bool *can);
    drx_status (*rename)(const char *from, const char *to);
    drx_status (*same)(const char *a, const char *b, bool *same);
    drx_status (*order)(const char *a, const char *b, int *order, bool *apart);
    drx_status (*absolute)(const char *folder, char **out);
    void (*look)(const char *path, bool follow, struct drxi_looked *out);
    drx_status (*idle)(const char *path, bool *idle);
    drx_status (*others)(const char *path, void (*seen)(void *user, const char *name), void *user);
};

extern const struct drxi_files drxi_posix;
extern const struct drxi_files *drxi_files; /* the table in use: drxi_posix, unless a test wraps it */

/* An empty file in memory. Its bytes never move. */
drx_status drxi_memory_open(drxi_io **out);

/* Tells this boot of this machine from others: at most 24 bits, neither all 0 nor all 1. */
uint32_t drxi_boot_tag(void);
/* ---- faults (for tests) ---------------------------------------------------- */

/* Let the nth call of the tables (of drxi_files, and of files opened through it) fail with `error` (an errno), and,
 * if `persistent`, all calls after it. nth 0: no call fails. error 0: the process is killed by SIGKILL before the
 * call. In the static library alone. */
void drxi_fault_arm(long nth, int error, bool persistent);
bool drxi_fault_fired(void);

#endif
