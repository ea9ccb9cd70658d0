#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

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
