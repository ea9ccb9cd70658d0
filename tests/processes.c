#include "processes.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether a thread of this process sleeps; also if it has ended. */
static bool sleeps(const char *thread)
{
    char path[300], stat[300];
    const char *name_end = NULL;
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
    if (!(f = fopen(path, "r")))
        return true;
    if (fgets(stat, sizeof stat, f))
        name_end = strrchr(stat, ')');
    (void)fclose(f);
    return !name_end || name_end[2] == 'S';
}

/* Whether all threads but this one sleep. */
static bool others_sleep(void)
{
    DIR *threads = opendir("/proc/self/task");
    bool sleep = true;

    for (const struct dirent *e; threads && sleep && (e = readdir(threads));)
        sleep = e->d_name[0] == '.' || strtol(e->d_name, NULL, 10) == getpid() || sleeps(e->d_name);
    if (threads)
        (void)closedir(threads);
    return sleep;
}

pid_t fork_idle(void)
{
    while (!others_sleep())
        (void)usleep(1000);
    return fork();
}

pid_t start(bool (*work)(int), int arg)
{
    const pid_t pid = fork_idle();

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        _exit(work(arg) ? 0 : 1);
    }
    return pid;
}

void finish(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

bool is_running(pid_t pid, int *status)
{
    return waitpid(pid, status, WNOHANG) == 0;
}

void end(pid_t pid)
{
    int status;

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
}

bool idle(int ignored)
{
    for (;;)
        (void)pause();
}

bool did_call(drx_status st, const char *call)
{
    if (st)
        print_error("%s\n  gave %d (%s): %s\n", call, (int)st, drx_strerror(st), drx_last_error());
    return st == DRX_OK;
}

void *common(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

void make_int32(const char *path, const int64_t shape[2], const int64_t chunk[2], int32_t fill, drx_order order,
                unsigned flags)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = shape,
                            .chunk = chunk,
                            .fill = &fill,
                            .chunk_order = order,
                            .codec = flags & MAKE_PACKED ? DRX_LZ4 : DRX_RAW,
                            .flags = DRX_REPLACE | (flags & ~MAKE_PACKED) };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_close(a));
}

int sample_or_all(int some, int many)
{
    const char *full = getenv("DRX_TORTURE");

    return full && strcmp(full, "1") == 0 ? many : some;
}
