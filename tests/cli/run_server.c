/* Runs the program drx for tests without loading its libraries again each time: a child is forked for each run.
 *
 * A request on standard input is a number of bytes as text and a newline, then this many bytes of strings that each end
 * with a NUL: the umask in octal, the folder, three files for standard input, output and error, and the words of the
 * command line. The answer on standard output is a line with the exit code, or minus the signal. A run that crashes
 * writes its stack to standard error, one frame a line, the innermost first. */
#include <execinfo.h>
#include <fcntl.h>
#include <hdf5.h>
#include <netcdf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "formats/h5/h5.h"

enum { MOST_WORDS = 4096, NOT_RUN = 127, LEAKS_EACH = 5, MOST_FRAMES = 64, MOST_SECONDS = 300 };

int drx_main(int argc, char **argv); /* main of cli/verbs/main.c, compiled under this name */

void __lsan_do_leak_check(void) __attribute__((weak));

/* Whether this run is looked at for leaks, which takes ten times as long as most verbs: one in LEAKS_EACH, each time
 * others; all with DRX_TORTURE=1. */
static bool look_for_leaks(void)
{
    const char *full = getenv("DRX_TORTURE");
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (full && strcmp(full, "1") == 0) || (now.tv_nsec / 1000) % LEAKS_EACH == 0;
}

/* A test can tell from it whose fault a crash is. */
static void tell_where(int number)
{
    void *frames[MOST_FRAMES];
    const int n = backtrace(frames, MOST_FRAMES);

    if (n > 1)
        backtrace_symbols_fd(frames + 1, n - 1, STDERR_FILENO); /* without this function */
    (void)raise(number);
}

/* Sanitizers have handlers of their own of all but the first, which do the same. */
static void tell_where_it_crashes(void)
{
    static const int numbers[] = { SIGXCPU, SIGSEGV, SIGABRT, SIGFPE, SIGILL };
    const struct sigaction action = { .sa_handler = tell_where, .sa_flags = SA_RESETHAND | SA_NODEFER };
    void *frame;

    (void)backtrace(&frame, 1); /* the first call loads a library */
    for (size_t i = 0; i < (__lsan_do_leak_check ? 1 : sizeof numbers / sizeof *numbers); i++)
        if (sigaction(numbers[i], &action, NULL) != 0)
            _exit(NOT_RUN);
}

/* What the program has registered with atexit has run by now. The destructors of sixty libraries, which take longer
 * than most verbs, are left out. */
static void end_at_once(int code, void *ignored)
{
    (void)ignored;
    (void)fflush(NULL);
    if (__lsan_do_leak_check && look_for_leaks())
        __lsan_do_leak_check();
    _exit(code);
}

static void redirect(const char *file, int flags, int to)
{
    const int fd = open(file, flags, 0600);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(NOT_RUN);
    (void)close(fd);
}

static _Noreturn void run(char *request, size_t bytes)
{
    static char *argv[MOST_WORDS + 2];
    char *field[5];
    char *at = request;
    int argc = 1;

    for (int i = 0; i < 5; i++, at += strlen(at) + 1)
        field[i] = at;
    argv[0] = field[0];
    for (; at < request + bytes && argc <= MOST_WORDS; at += strlen(at) + 1)
        argv[argc++] = at;
    if (chdir(field[1]) != 0)
        _exit(NOT_RUN);
    redirect(field[2], O_RDONLY, STDIN_FILENO);
    redirect(field[3], O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(field[4], O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    (void)umask((mode_t)strtol(field[0], NULL, 8));
    if (on_exit(end_at_once, NULL) != 0 || setrlimit(RLIMIT_CPU, &(struct rlimit){ MOST_SECONDS, RLIM_INFINITY }) != 0)
        _exit(NOT_RUN); /* only what hangs reaches the limit */
    exit(drx_main(argc, argv));
}

/* The exit code of the request that follows, or minus the signal. */
static int serve(size_t bytes)
{
    char *request = calloc(bytes + 1, 1);
    int status = NOT_RUN << 8;
    pid_t child;

    if (!request || fread(request, 1, bytes, stdin) != bytes)
        return -1;
    child = fork();
    if (child == 0)
        run(request, bytes);
    free(request);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* What HDF5 and netCDF do when they are called first. */
static void begin_libraries(void)
{
    int id;

    h5_stay_out_of_exit();
    (void)H5open();
    if (nc_create("begin.nc", NC_NETCDF4 | NC_DISKLESS, &id) == NC_NOERR)
        (void)nc_abort(id);
}

int main(void)
{
    size_t bytes;

    begin_libraries();
    tell_where_it_crashes();
    (void)setvbuf(stdin, NULL, _IONBF, 0); /* a child must not have what belongs to the next request */
    while (scanf("%zu", &bytes) == 1 && getchar() == '\n') {
        (void)printf("%d\n", serve(bytes));
        (void)fflush(stdout);
    }
    return 0;
}
