#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { NAME_BYTES = 64 };

const struct peer *const *peers;

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

static const struct work *find_work(const char *name)
{
    for (const struct work *const *table = works; *table; table++)
        for (const struct work *w = *table; w->name; w++)
            if (strcmp(w->name, name) == 0)
                return w;
    return NULL;
}

static const struct peer *find_peer(const char *name)
{
    for (const struct peer *const *p = peers; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

/* The folder may hold spaces. */
static enum outcome parse(char *line, struct job *job, const struct work **work)
{
    char name[NAME_BYTES], peer[NAME_BYTES], cache[NAME_BYTES];
    int folder = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%63s %63s %" SCNd64 " %63s %n", name, peer, &job->size, cache, &folder) != 4 || !folder ||
        !line[folder])
        return complain("'%s' is not a command, expected WORKLOAD[:NUMBER...] PEER SIZE warm|cold FOLDER", line);
    if (strlen(line + folder) >= FOLDER_BYTES)
        return complain("the name of the folder is too long");
    if (!take_arguments(name, job))
        return complain("'%s': expected a name and at most %d numbers, each after a colon", name, ARGUMENTS);
    job->folder = line + folder;
    job->cold = strcmp(cache, "cold") == 0;
    job->peer = find_peer(peer);
    *work = find_work(name);
    if (!*work)
        return complain("no workload '%s'", name);
    if (!job->peer)
        return complain("no peer '%s'", peer);
    return DONE;
}

enum outcome check_size(const struct job *job)
{
    return job->size < 64 || job->size % 64 || job->size > 2048
               ? complain("size %" PRId64 ", expected a multiple of 64, at most 2048", job->size)
               : DONE;
}

static enum outcome run(char *line, const struct work **work)
{
    struct job job = { 0 };
    enum outcome outcome = parse(line, &job, work);

    if (outcome == DONE)
        outcome = check_job(&job);
    if (outcome != DONE)
        return outcome;
    if (job.peer->declines >> (*work)->access & 1 || ((*work)->access == SHARED_BOXES && !job.peer->shares))
        return DECLINED;
    return (*work)->run(*work, &job);
}

/* FAILED: it failed, or its answer could not be written. */
static enum outcome perform(char *line)
{
    const struct work *work = NULL;
    enum outcome outcome;

    begin_answer();
    outcome = agree(run(line, &work));
    return bench_rank == 0 && !end_answer(work ? work->name : "", outcome) ? FAILED : outcome;
}

int bench_main(int argc, char *argv[], const struct peer *const *table)
{
    static char line[LINE_BYTES];
    enum outcome outcome = DONE;

    peers = table;
    begin_group(&argc, &argv);
    for (int i = 1; i < argc; i++)
        (void)snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", i > 1 ? " " : "", argv[i]);
    if (argc > 1)
        outcome = perform(line);
    else
        while (next_line(line))
            (void)perform(line);
    end_group();
    return outcome == FAILED;
}
