#include <stdlib.h>
#include <string.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include <drx.h>

#include "dra_job.h"

int size;
char folder[FOLDER_BYTES];

static const struct activity *const activities[] = {
    &plain_activity,   &transfer_activity, &riscf_activity, &sweep_activity,
#ifdef DRX_DROP_IN
    &convert_activity,
#endif
};

void answer_versions(void)
{
    answer_text("drx", "%d.%d.%d", DRX_VERSION_MAJOR, DRX_VERSION_MINOR, DRX_VERSION_PATCH);
    answer_text("Global Arrays", "%d.%d", GA_VERSION_MAJOR, GA_VERSION_MINOR);
    answer_text("compiler", "%s", __VERSION__);
}

static const struct activity *find(const char *name)
{
    for (size_t i = 0; i < sizeof activities / sizeof *activities; i++)
        if (strcmp(activities[i]->name, name) == 0)
            return activities[i];
    return NULL;
}

static enum outcome run(int argc, char **argv)
{
    const struct activity *a = argc > 1 ? find(argv[1]) : NULL;
    int64_t number[NUMBERS] = { 0 };
    enum outcome outcome;

    if (!a)
        return complain("usage: WHAT SIZE NUMBER... FOLDER");
    if (argc != a->numbers + 4 || strlen(argv[argc - 1]) >= sizeof folder)
        return complain("usage: %s SIZE %s FOLDER", a->name, a->usage);
    size = (int)strtol(argv[2], NULL, 10);
    for (int i = 0; i < a->numbers; i++)
        number[i] = strtoll(argv[3 + i], NULL, 10);
    memcpy(folder, argv[argc - 1], strlen(argv[argc - 1]) + 1);
    if (size < 1)
        return complain("SIZE %s, expected 1 or more", argv[2]);
    if (a->plain)
        return a->run(number);
    if (!MA_init(C_DBL, 4 << 20, 4 << 20) || DRA_Init(4, -1, -1, a->memory ? a->memory(number) : -1))
        return complain("DRA_Init fails");
    outcome = a->run(number);
    (void)DRA_Terminate();
    return outcome;
}

int main(int argc, char **argv)
{
    enum outcome outcome;

    begin_group(&argc, &argv);
    begin_answer();
    GA_Initialize();
    outcome = agree(run(argc, argv));
    if (bench_rank == 0)
        (void)end_answer(argc > 1 ? argv[1] : "", outcome);
    GA_Terminate();
    end_group();
    return outcome != DONE;
}
