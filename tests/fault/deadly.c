#include "deadly.h"
#include "file_faults.h"
#include "processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include "io/io.h"

bool deadly(drx_status (*call)(void), long n)
{
    int status;
    const pid_t pid = fork_idle();

    assert_true(pid >= 0);
    if (pid == 0) {
        drxi_fault_arm(n, 0, false);
        _exit(call() == DRX_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}
