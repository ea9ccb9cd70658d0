/* What the files that implement drxi_posix share. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "io/io.h"

/* The name of a parked file, or of a new one that needs a name: path, process, number. */
#define DRXI_OTHER_FORMAT "%s.new-%ld-%u"
enum { DRXI_OTHER_NAMES = 10000 };

struct posix_io {
    drxi_io io;
    int fd;
    atomic_int other[DRXI_MANNERS]; /* descriptors for reads in that manner: UNTRIED, or -1: none */
    bool locked;
    pthread_mutex_t writes_lock;
    int64_t writes; /* of elements, that have begun */
    enum { NAMED, PARKED, NAMELESS } name;
    char *other_name; /* its name while parked */
};

static inline int drxi_posix_fd(const drxi_io *io)
{
    return ((const struct posix_io *)io)->fd;
}

/* The calls of struct drxi_io_ops on names: naming_posix.c. */
drx_status drxi_posix_file_named(drxi_io *io, bool *named);
drx_status drxi_posix_file_park(drxi_io *io);
drx_status drxi_posix_file_name(drxi_io *io);
void drxi_posix_file_keep(drxi_io *io);
drx_status drxi_posix_file_sole(drxi_io *io);
drx_status drxi_posix_file_replace(drxi_io *io, drxi_io *old);
drx_status drxi_posix_file_alias(drxi_io *io, struct drxi_alias *out);

/* The folder of a path, to be freed; NULL: out of memory. */
char *drxi_posix_folder(const char *path);

/* Set the error of a `what` that could not be opened or made. It names the folder in `path` that is missing, if one
 * is. */
drx_status drxi_posix_fail(int error, const char *path, const char *what);

/* Rename without replacing anything; returns an errno. */
int drxi_posix_rename(const char *from, const char *to);

/* The calls of struct drxi_files. */
drx_status drxi_posix_remove(const char *path);
drx_status drxi_posix_link(const char *from, const char *to, bool *can);
drx_status drxi_posix_move(const char *from, const char *to);
drx_status drxi_posix_exchange(const char *a, const char *b, bool *can);
drx_status drxi_posix_same(const char *a, const char *b, bool *same);
drx_status drxi_posix_order(const char *a, const char *b, int *order, bool *apart);
drx_status drxi_posix_absolute(const char *folder, char **out);
void drxi_posix_look(const char *path, bool follow, struct drxi_looked *out);
drx_status drxi_posix_idle(const char *path, bool *idle);
drx_status drxi_posix_others(const char *path, void (*seen)(void *user, const char *name), void *user);
drx_status drxi_posix_make_folder(const char *path);
drx_status drxi_posix_remove_folder(const char *path);
drx_status drxi_posix_list(const char *folder, void (*seen)(void *user, const char *name), void *user);

/* Files in memory: memory_posix.c. A new one, or -1 with errno; map bytes of one. */
int drxi_posix_memory(void);
drx_status drxi_posix_map(int fd, int64_t offset, int64_t bytes, struct drxi_mapping *out);

/* Locks of an open file: 0, or -1 with errno. Unlocking DRXI_LOCK_ALONE unlocks all. */
int drxi_posix_lock(int fd, enum drxi_lock kind); /* EAGAIN, EACCES: another process has one */
void drxi_posix_unlock(int fd, enum drxi_lock kind);
int drxi_posix_is_locked(int fd, bool *locked);
int drxi_posix_guard(int fd, int64_t begin, int64_t end, bool on);   /* waits */
int drxi_posix_writes(struct posix_io *file, enum drxi_writes what); /* waits */
