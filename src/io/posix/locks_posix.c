/* Locks of an open file (F_OFD_SETLK), which belong to its descriptor.
 *
 * Several writers share the lock of one byte far beyond all data. The one that makes a change locks the bytes before
 * it. Whoever writes elements shares the lock of the byte after it. A single writer locks everything. */
#include "io/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "compile with _FILE_OFFSET_BITS=64");
static const off_t together = (off_t)1 << 62, elements = ((off_t)1 << 62) + 1, door = ((off_t)1 << 62) + 2;

/* Lock or unlock n bytes; n 0: all bytes from `begin` on. Repeats the call when a signal interrupts it. */
static int lock_bytes(int fd, int command, short *type, off_t begin, off_t n)
{
    struct flock lock;
    int st;

    memset(&lock, 0, sizeof lock);
    lock.l_type = *type;
    lock.l_whence = SEEK_SET;
    lock.l_start = begin;
    lock.l_len = n;
    do
        st = fcntl(fd, command, &lock);
    while (st != 0 && errno == EINTR);
    *type = lock.l_type;
    return st;
}

static int set_lock(int fd, short type, off_t begin, off_t n)
{
    return lock_bytes(fd, F_OFD_SETLK, &type, begin, n);
}

int drxi_posix_is_locked(int fd, bool *locked)
{
    short type = F_WRLCK; /* then the type of a conflicting lock */
    const int st = lock_bytes(fd, F_OFD_GETLK, &type, together, 1);

    *locked = st == 0 && type != F_UNLCK;
    return st;
}

/* A read-only descriptor cannot hold a lock that excludes the shared one, so check for that one. A writer that opens
 * the file later to share it waits before its first change. */
static int lock_to_read(int fd)
{
    bool locked = false;

    if (set_lock(fd, F_RDLCK, 0, 0) != 0)
        return -1;
    if (drxi_posix_is_locked(fd, &locked) == 0 && !locked)
        return 0;
    drxi_posix_unlock(fd, DRXI_LOCK_ALONE);
    errno = EAGAIN;
    return -1;
}

int drxi_posix_lock(int fd, enum drxi_lock kind)
{
    int st;

    if (kind == DRXI_LOCK_TOGETHER)
        st = set_lock(fd, F_RDLCK, together, 1);
    else
        st = set_lock(fd, F_WRLCK, 0, kind == DRXI_LOCK_CHANGE ? together : 0);
    return st != 0 && errno == EBADF && kind == DRXI_LOCK_ALONE ? lock_to_read(fd) : st;
}

void drxi_posix_unlock(int fd, enum drxi_lock kind)
{
    (void)set_lock(fd, F_UNLCK, 0, kind == DRXI_LOCK_CHANGE ? together : 0);
}

int drxi_posix_guard(int fd, int64_t begin, int64_t end, bool on)
{
    short type = on ? F_WRLCK : F_UNLCK;

    return lock_bytes(fd, F_OFD_SETLKW, &type, begin, end - begin);
}

/* Wait while somebody has closed the door. */
static int pass_door(struct posix_io *file)
{
    short type = F_RDLCK;
    const int st = lock_bytes(file->fd, F_OFD_SETLKW, &type, door, 1);

    return st ? st : set_lock(file->fd, F_UNLCK, door, 1);
}

/* The first of the threads that write takes the lock, and the last one releases it. All pass the door, which whoever
 * waits for the writes to end has closed: the system gives a shared lock beside one that is waited for, and threads
 * that write all the time have it all the time. Nobody waits at the door with the mutex, which those that end need. */
static int begin_write(struct posix_io *file)
{
    short type = F_RDLCK;
    int st = 0;

    (void)pthread_mutex_lock(&file->writes_lock);
    if (file->writes > 0) {
        (void)pthread_mutex_unlock(&file->writes_lock);
        if ((st = pass_door(file)))
            return st;
        (void)pthread_mutex_lock(&file->writes_lock);
    }
    if (file->writes == 0)
        st = lock_bytes(file->fd, F_OFD_SETLKW, &type, elements, 2);
    if (st == 0 && file->writes == 0)
        st = set_lock(file->fd, F_UNLCK, door, 1);
    file->writes += st == 0;
    (void)pthread_mutex_unlock(&file->writes_lock);
    return st;
}

static int end_write(struct posix_io *file)
{
    int st = 0;

    (void)pthread_mutex_lock(&file->writes_lock);
    if (--file->writes == 0)
        st = set_lock(file->fd, F_UNLCK, elements, 1);
    (void)pthread_mutex_unlock(&file->writes_lock);
    return st;
}

/* As another open file, since this one may have writes, too. */
static int drain(const struct posix_io *file)
{
    short type = F_WRLCK;
    char proc[40];
    int fd, st;

    (void)snprintf(proc, sizeof proc, "/proc/self/fd/%d", file->fd);
    do
        fd = open(proc, O_RDWR | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -1;
    st = lock_bytes(fd, F_OFD_SETLKW, &type, door, 1);
    type = F_WRLCK;
    if (st == 0)
        st = lock_bytes(fd, F_OFD_SETLKW, &type, elements, 1);
    (void)close(fd);
    return st;
}

int drxi_posix_writes(struct posix_io *file, enum drxi_writes what)
{
    return what == DRXI_WRITES_DRAIN ? drain(file) : what == DRXI_WRITE_BEGINS ? begin_write(file) : end_write(file);
}
