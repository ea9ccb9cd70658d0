#include <pthread.h>

#include "bench.h"

enum { MOST_THREADS = 8 };

struct share {
    enum outcome (*run)(void *with, int which);
    void *with;
    int which;
    enum outcome outcome;
};

static void *run_share(void *arg)
{
    struct share *s = arg;

    s->outcome = s->run(s->with, s->which);
    return NULL;
}

enum outcome in_threads(int n, enum outcome (*run)(void *with, int which), void *with)
{
    struct share shares[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    enum outcome outcome = n <= MOST_THREADS ? DONE : complain("%d threads, expected at most %d", n, MOST_THREADS);
    int started = 1;

    for (int t = 0; t < n && outcome == DONE; t++)
        shares[t] = (struct share){ run, with, t, FAILED };
    while (outcome == DONE && started < n)
        if (pthread_create(&ids[started], NULL, run_share, &shares[started]) == 0)
            started++;
        else
            outcome = complain("no thread");
    if (outcome == DONE)
        run_share(&shares[0]);
    for (int t = 1; t < started; t++)
        (void)pthread_join(ids[t], NULL);
    for (int t = 0; t < n && outcome == DONE; t++)
        outcome = shares[t].outcome;
    return outcome;
}
