#include "deadly.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/io.h"

static struct drxi_files hooked;
static long calls_left;

static const struct drxi_files *live(void)
{
    if (--calls_left == 0)
        (void)kill(getpid(), SIGKILL);
    return &drxi_posix;
}

static drx_status deadly_open(const char *path, enum drxi_how how, drxi_io **out)
{
    return live()->open(path, how, out);
}

static drx_status deadly_link(const char *from, const char *to, bool *can)
{
    return live()->link(from, to, can);
}

static drx_status deadly_rename(const char *from, const char *to)
{
    return live()->rename(from, to);
}

static drx_status deadly_remove(const char *path)
{
    return live()->remove(path);
}

static drx_status deadly_sync_folder(const char *path)
{
    return live()->sync_folder(path);
}

bool deadly(drx_status (*call)(void), long n)
{
    int status;
    const pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        hooked = drxi_posix;
        hooked.open = deadly_open;
        hooked.link = deadly_link;
        hooked.rename = deadly_rename;
        hooked.remove = deadly_remove;
        hooked.sync_folder = deadly_sync_folder;
        calls_left = n;
        drxi_files = &hooked;
        _exit(call() == DRX_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}
