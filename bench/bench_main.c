#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { NAME_BYTES = 64, LINE_BYTES = FOLDER_BYTES + 256, TEXT_BYTES = 1024, ANSWER_BYTES = 2048 };

static char complaint[TEXT_BYTES];
static char answer[ANSWER_BYTES]; /* the members that the workload gave */

enum outcome complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(complaint, sizeof complaint, format, args);
    va_end(args);
    return FAILED;
}

static void add_answer(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add_answer(const char *format, ...)
{
    const size_t used = strlen(answer);
    va_list args;

    va_start(args, format);
    vsnprintf(answer + used, sizeof answer - used, format, args);
    va_end(args);
}

void answer_number(const char *key, double value)
{
    add_answer(", \"%s\": %.9g", key, value);
}

void answer_integer(const char *key, int64_t value)
{
    add_answer(", \"%s\": %" PRId64, key, value);
}

void answer_checksum(uint64_t sum)
{
    add_answer(", \"checksum\": \"%016" PRIx64 "\"", sum);
}

void answer_text(const char *key, const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20)
            *c = ' ';
    add_answer(", \"%s\": \"%s\"", key, text);
}

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            printf("\\u%04x", *text);
        else
            putchar(*text);
    putchar('"');
}

static const struct work *find_work(const char *name)
{
    const struct work *const tables[] = { growth_works, read_works, map_works, machine_works };

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

/* WORKLOAD PEER SIZE warm|cold FOLDER; the folder may hold spaces. */
static enum outcome run(char *line, const struct work **work)
{
    char name[NAME_BYTES], peer[NAME_BYTES], cache[NAME_BYTES];
    struct job job = { 0 };
    int folder = 0;

    *work = NULL;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%63s %63s %" SCNd64 " %63s %n", name, peer, &job.size, cache, &folder) != 4 || !folder ||
        !line[folder])
        return complain("'%s' is no command, expected WORKLOAD PEER SIZE warm|cold FOLDER", line);
    if (strlen(line + folder) >= sizeof job.folder)
        return complain("the name of the folder is too long");
    memcpy(job.folder, line + folder, strlen(line + folder) + 1);
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

        answer[0] = complaint[0] = '\0';
        outcome = run(line, &work);
        printf("{\"workload\": \"%s\", \"outcome\": \"%s\"%s", work ? work->name : "",
               outcome == DONE     ? "done"
               : outcome == FAILED ? "failed"
                                   : "declined",
               answer);
        if (outcome == FAILED) {
            printf(", \"error\": ");
            print_string(complaint);
        }
        printf("}\n");
        if (fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
