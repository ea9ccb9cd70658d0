#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

/* Cut the numbers off the name, and keep them. False: something else follows the name. */
static bool take_arguments(char *name, struct job *job)
{
    char *at = strchr(name, ':');

    for (int i = 0; at && i < ARGUMENTS; i++) {
        *at = '\0';
        job->argument[i] = strtoll(at + 1, &at, 10);
        if (*at == '\0')
            return true;
        if (*at != ':')
            return false;
    }
    return !at;
}

static enum outcome run(char *line, const struct work **work)
{
    static const void *const tables[] = { growth_works,  ends_works,   beside_works,  read_works,
                                          map_works,     layout_works, disk_works,    deep_works,
                                          dataset_works, jobs_works,   machine_works, NULL };
    const struct known known = { tables, sizeof **work, (const void *const *)peers };
    const void *found = NULL, *peer = NULL;
    struct job job = { 0 };
    struct command c;
    enum outcome outcome = parse_command(line, "WORKLOAD[:NUMBER...] PEER SIZE warm|cold FOLDER", &c);

    *work = NULL;
    if (outcome == DONE && !take_arguments(c.name, &job))
        outcome = complain("'%s': expected a name and at most %d numbers, each behind a colon", c.name, ARGUMENTS);
    if (outcome == DONE)
        outcome = look_up(&c, &known, &found, &peer);
    *work = found;
    if (outcome != DONE)
        return outcome;
    job.peer = peer;
    job.folder = c.folder;
    job.size = c.size;
    job.cold = strcmp(c.word, "cold") == 0;
    if (job.peer->declines >> (*work)->access & 1 || ((*work)->access == SHARED_BOXES && !job.peer->shares))
        return DECLINED;
    return (*work)->run(*work, &job);
}

int main(void)
{
    char line[LINE_BYTES];

    while (fgets(line, sizeof line, stdin)) {
        const struct work *work;
        enum outcome outcome;

        begin_answer();
        outcome = run(line, &work);
        if (!end_answer(work ? work->name : "", outcome))
            return 1;
    }
    return 0;
}
