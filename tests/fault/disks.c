#include "disks.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static bool put(const char *file, const char *text)
{
    const int fd = open(file, O_WRONLY);
    const bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        (void)close(fd);
    return good;
}

/* The user is root there, and its group is that of root. */
static bool enter_as_user(void)
{
    char users[32], groups[32];

    (void)snprintf(users, sizeof users, "0 %u 1", (unsigned)getuid());
    (void)snprintf(groups, sizeof groups, "0 %u 1", (unsigned)getgid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && put("/proc/self/setgroups", "deny") &&
           put("/proc/self/uid_map", users) && put("/proc/self/gid_map", groups);
}

bool disks_enter(void)
{
    return (unshare(CLONE_NEWNS) == 0 || enter_as_user()) && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

bool disks_mount_memory(const char *folder)
{
    return mkdir(folder, 0777) == 0 && mount("none", folder, "tmpfs", 0, "size=64m") == 0;
}

bool disks_mount_ext4(const char *folder)
{
    char command[400];

    (void)snprintf(command, sizeof command,
                   "PATH=$PATH:/sbin:/usr/sbin; truncate -s 64M %s.image && mkfs.ext4 -q %s.image && mkdir %s && "
                   "mount -o loop %s.image %s",
                   folder, folder, folder, folder, folder);
    return system(command) == 0;
}

static int open_filler(const char *folder)
{
    char name[256];
    int fd;

    (void)snprintf(name, sizeof name, "%s/filler", folder);
    fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0666);
    assert_true(fd >= 0);
    return fd;
}

void disks_fill_up(const char *folder, long long left)
{
    static const char bytes[1 << 16];
    const int fd = open_filler(folder);
    struct stat status;

    for (size_t n = sizeof bytes; n > 0;) /* to the last byte */
        if (write(fd, bytes, n) < 0)
            n /= 2;
    assert_int_equal(fsync(fd), 0);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(ftruncate(fd, status.st_size > left ? status.st_size - left : 0), 0);
    assert_int_equal(close(fd), 0);
}

void disks_make_room(const char *folder)
{
    char name[256];

    (void)snprintf(name, sizeof name, "%s/filler", folder);
    assert_int_equal(unlink(name), 0);
}
