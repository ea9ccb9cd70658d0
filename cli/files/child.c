#include "paths.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frame/cli.h"
#include "frame/team.h"

static struct remains nobodys; /* nobody waits */
struct remains *remains = &nobodys;

static pid_t child;

static void pass_on(int number)
{
    (void)kill(child, number);
}

static void take_back(void)
{
    const char *path = remains->changed;
    drx_status st = DRX_OK;
    drx_dataset *ds = NULL;
    drx_array *a = NULL, *member;

    if (remains->temporary[0] && unlink(remains->temporary) != 0)
        remove_folder(remains->temporary);
    if (path[0])
        st = is_dataset(path) ? drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds) : drx_open(path, DRX_RDWR, &a);
    if (st == DRX_EBUSY && is_dataset(path)) { /* others share it */
        st = drx_dataset_open(path, DRX_SHARED, DRX_LAST, &ds);
        st = st ? st : drx_dataset_begin(ds);
    }
    for (int i = 0; !st && ds && i < drx_dataset_count(ds); i++)
        st = drx_dataset_array(ds, drx_dataset_name(ds, i), &member); /* which takes back what it has */
    (void)exit_code(path, st);
    (void)drx_dataset_close(ds);
    (void)drx_close(a);
}

/* What became of the child that a signal ended. */
static int follow(const char *word, int number)
{
    if (number == SIGINT || number == SIGTERM || number == SIGHUP) { /* it has tidied up */
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    if (remains->reading[0])
        word = remains->reading;
    if (!remains->complete)
        take_back();
    if (isatty(STDERR_FILENO) == 1)
        (void)fputs("\r\033[K", stderr); /* where its progress was */
    if (remains->complete) {
        warn("%s: the process that reads it ended by signal %d (%s) when all was done; the result is complete", word,
             number, strsignal(number));
        return DONE;
    }
    return failed("%s: the process that reads it ended by signal %d (%s); %s%s", word, number, strsignal(number),
                  remains->overwritten ? "what it has replaced stays replaced" : "all is as it was",
                  remains->way_out ? remains->way_out : "");
}

/* What interrupts the parent goes to the child, and waits until it can; what ends the parent ends the child. */
bool is_done_by_child(const char *word, int *status)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    const pid_t parent = getpid();
    void *shared = mmap(NULL, sizeof *remains, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ended = FAILED << 8;
    sigset_t passed, before;

    if (shared == MAP_FAILED || !team_forks)
        return false;
    remains = shared;
    (void)fflush(NULL);
    (void)sigemptyset(&passed);
    for (int i = 0; i < 3; i++)
        (void)sigaddset(&passed, numbers[i]);
    (void)sigprocmask(SIG_BLOCK, &passed, &before);
    child = fork();
    if (child <= 0)
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(FAILED);
    if (child <= 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (signal(numbers[i], pass_on) == SIG_IGN)
            (void)signal(numbers[i], SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    *status = WIFSIGNALED(ended) ? follow(word, WTERMSIG(ended)) : WEXITSTATUS(ended);
    return true;
}
