/* What the files of the operating system are made of: names apart from bytes. */
#ifndef DRXI_POSIX_H
#define DRXI_POSIX_H

#include "io/io.h"

/* A name for a file that is parked, or new where it needs one: path, process,
 * number. */
#define DRXI_OTHER_FORMAT "%s.new-%ld-%u"

/* The folder that a path names a file in, to be freed; NULL: out of memory. */
char *drxi_posix_folder(const char *path);

/* Rename, but not over anything; errno when it is not 0. */
int drxi_posix_rename(const char *from, const char *to);

/* The calls of struct drxi_files. */
drx_status drxi_posix_remove(const char *path);
drx_status drxi_posix_link(const char *from, const char *to, bool *can);
drx_status drxi_posix_move(const char *from, const char *to);
drx_status drxi_posix_same(const char *a, const char *b, bool *same);
drx_status drxi_posix_order(const char *a, const char *b, int *order, bool *apart);
drx_status drxi_posix_absolute(const char *folder, char **out);
void drxi_posix_look(const char *path, bool follow, struct drxi_looked *out);
drx_status drxi_posix_idle(const char *path, bool *idle);
drx_status drxi_posix_others(const char *path, void (*seen)(void *user, const char *name), void *user);

/* Locks of an open file: 0, or -1 with errno. DRXI_LOCK_ALONE is unlocked with all others, too. */
int drxi_posix_lock(int fd, enum drxi_lock kind); /* EAGAIN, EACCES: somebody else has one */
void drxi_posix_unlock(int fd, enum drxi_lock kind);
int drxi_posix_is_locked(int fd, bool *locked);
int drxi_posix_guard(int fd, int64_t begin, int64_t end, bool on); /* waits */

#endif
