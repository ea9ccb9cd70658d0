#include "processes.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t start(bool (*work)(int), int arg)
{
    const pid_t pid = fork();

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
                            .flags = DRX_REPLACE | flags };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_close(a));
}

int sample_or_all(int some, int many)
{
    const char *full = getenv("DRX_TORTURE");

    return full && strcmp(full, "1") == 0 ? many : some;
}
