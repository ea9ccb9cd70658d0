#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum outcome parse_command(char *line, const char *usage, struct command *c)
{
    int folder = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%63s %63s %" SCNd64 " %63s %n", c->name, c->peer, &c->size, c->word, &folder) != 4 || !folder ||
        !line[folder])
        return complain("'%s' is not a command, expected %s", line, usage);
    if (strlen(line + folder) >= FOLDER_BYTES)
        return complain("the name of the folder is too long");
    c->folder = line + folder;
    return DONE;
}

static const char *name_of(const void *entry)
{
    return *(const char *const *)entry;
}

enum outcome look_up(const struct command *c, const struct known *known, const void **work, const void **peer)
{
    *work = *peer = NULL;
    for (const void *const *table = known->works; *table; table++)
        for (const char *entry = *table; name_of(entry); entry += known->work_bytes)
            if (strcmp(name_of(entry), c->name) == 0)
                *work = entry;
    for (const void *const *p = known->peers; *p; p++)
        if (strcmp(name_of(*p), c->peer) == 0)
            *peer = *p;
    if (!*work)
        return complain("no workload '%s'", c->name);
    if (!*peer)
        return complain("no peer '%s'", c->peer);
    if (c->size < 64 || c->size % 64 || c->size > 2048)
        return complain("size %" PRId64 ", expected a multiple of 64, at most 2048", c->size);
    return DONE;
}
