#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "team.h"

static volatile sig_atomic_t caught; /* the signal, or 0 */

static void note(int number)
{
    caught = number;
}

void watch_interrupts(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART };
    struct sigaction old;

    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &action, NULL);
}

bool interrupted(void)
{
    return caught != 0;
}

void die_if_interrupted(void)
{
    if (!caught)
        return;
    (void)signal(caught, SIG_DFL);
    (void)raise(caught);
}

enum { BAR = 30 };

static bool shown;

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void begin_progress(struct progress *p, int64_t total_bytes)
{
    memset(p, 0, sizeof *p);
    p->total_bytes = total_bytes;
    p->terminal = team_rank() == 0 && isatty(STDERR_FILENO) == 1;
    p->begin = now();
}

void add_progress(struct progress *p, int64_t bytes)
{
    static const char full[BAR + 1] = "##############################";
    const double time = now();
    const double seconds = time - p->begin;
    double part, rate;
    char done[SIZE_TEXT_BYTES], per_second[SIZE_TEXT_BYTES];
    int left;

    p->done_bytes += bytes;
    if (!p->terminal || seconds < 1.0 || time - p->shown_at < 0.1 || p->total_bytes <= 0)
        return;
    part = (double)p->done_bytes / (double)p->total_bytes;
    rate = (double)p->done_bytes / seconds;
    left = rate > 0.0 ? (int)((double)(p->total_bytes - p->done_bytes) / rate + 0.5) : 0;
    size_text(p->done_bytes, done);
    size_text((int64_t)rate, per_second);
    (void)fprintf(stderr, "\r[%-*.*s] %3d %%  %s  %s/s  %d:%02d left\033[K", BAR, (int)(part * BAR), full,
                  (int)(part * 100), done, per_second, left / 60, left % 60);
    (void)fflush(stderr);
    p->shown_at = time;
    shown = true;
}

int follow_progress(void *user, int64_t done_bytes, int64_t total_bytes)
{
    struct progress *p = user;

    if (p->begin == 0.0)
        begin_progress(p, total_bytes);
    add_progress(p, done_bytes - p->done_bytes);
    return interrupted();
}

void hide_progress(void)
{
    if (shown)
        (void)fputs("\r\033[K", stderr);
    shown = false;
}
