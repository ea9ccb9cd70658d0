#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include <drx.h>

#include "dra_job.h"

int size;
const char *folder;

enum { TRANSFER, RISCF, SWEEP, CONVERT };

static activity *const activities[] = {
    [TRANSFER] = transfer,
    [RISCF] = riscf,
    [SWEEP] = sweep,
#ifdef DRX_DROP_IN
    [CONVERT] = convert,
#endif
};

/* work->number: the activity. The third argument of a transfer is bytes for buffers, as passed to DRA_Init; -1: any. */
static enum outcome run_dra(const struct work *work, const struct job *job)
{
    const int64_t bytes = work->number == TRANSFER ? job->argument[2] : work->number == CONVERT ? CONVERT_BYTES : -1;
    enum outcome outcome = FAILED;

    answer_text("drx", "%d.%d.%d", DRX_VERSION_MAJOR, DRX_VERSION_MINOR, DRX_VERSION_PATCH);
    answer_text("Global Arrays", "%d.%d", GA_VERSION_MAJOR, GA_VERSION_MINOR);
    answer_text("compiler", "%s", __VERSION__);
    GA_Initialize();
    if (!MA_init(C_DBL, 4 << 20, 4 << 20) || DRA_Init(4, -1, -1, (double)bytes)) {
        (void)complain("DRA_Init fails");
    } else {
        outcome = agree(activities[work->number](job->argument));
        (void)DRA_Terminate();
    }
    GA_Terminate();
    return outcome;
}

static enum outcome check(const struct job *job)
{
    size = (int)job->size;
    folder = job->folder;
    return size < 1 ? complain("SIZE %d, expected 1 or more", size) : DONE;
}

enum outcome (*const check_job)(const struct job *job) = check;

static const struct work job_works[] = {
    { "plain", run_plain, GROWTH, 0, NULL },
    { "transfer", run_dra, GROWTH, TRANSFER, NULL },
    { "riscf", run_dra, GROWTH, RISCF, NULL },
    { "sweep", run_dra, GROWTH, SWEEP, NULL },
#ifdef DRX_DROP_IN
    { "convert", run_dra, GROWTH, CONVERT, NULL },
#endif
    { 0 },
};
const struct work *const works[] = { job_works, NULL };

static const struct peer ours = { .name = "drx" }, theirs = { .name = "ga" }, plain = { .name = "plain" };

int main(int argc, char *argv[])
{
    static const struct peer *const table[] = { &ours, &theirs, &plain, NULL };

    return bench_main(argc, argv, table);
}
