#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

enum { NAME_BYTES = 64, LINE_BYTES = FOLDER_BYTES + 256 };

static const struct work *find_work(const char *name)
{
    const struct work *const tables[] = { growth_works, read_works, map_works, layout_works, machine_works };

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct work *work = tables[t]; work->name; work++)
            if (strcmp(work->name, name) == 0)
                return work;
    return NULL;
}

static const struct peer *find_peer(const char *name)
{
    for (const struct peer *const *p = peers; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

/* Cuts the numbers off the name, and keeps them; false: there is something else. */
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

/* WORKLOAD[:NUMBER...] PEER SIZE warm|cold FOLDER; the folder may hold spaces. */
static enum outcome run(char *line, const struct work **work)
{
    char name[NAME_BYTES], peer[NAME_BYTES], cache[NAME_BYTES];
    struct job job = { 0 };
    int folder = 0;

    *work = NULL;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%63s %63s %" SCNd64 " %63s %n", name, peer, &job.size, cache, &folder) != 4 || !folder ||
        !line[folder])
        return complain("'%s' is no command, expected WORKLOAD[:NUMBER...] PEER SIZE warm|cold FOLDER", line);
    if (strlen(line + folder) >= sizeof job.folder)
        return complain("the name of the folder is too long");
    memcpy(job.folder, line + folder, strlen(line + folder) + 1);
    if (!take_arguments(name, &job))
        return complain("'%s': expected a name and at most %d numbers, each behind a colon", name, ARGUMENTS);
    *work = find_work(name);
    job.peer = find_peer(peer);
    job.cold = strcmp(cache, "cold") == 0;
    if (!*work)
        return complain("no workload '%s'", name);
    if (!job.peer)
        return complain("no peer '%s'", peer);
    if (job.size < 64 || job.size % 64 || job.size > 2048)
        return complain("size %" PRId64 ", expected a multiple of 64, at most 2048", job.size);
    if (job.peer->declines >> (*work)->access & 1)
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
