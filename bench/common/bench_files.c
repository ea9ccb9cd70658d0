#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

int64_t proc_bytes(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    char line[256];
    int64_t kib = 0;

    while (file && !kib && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':')
            kib = strtoll(line + strlen(key) + 1, NULL, 10);
    if (file)
        (void)fclose(file);
    return kib * 1024;
}

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void *buffer(enum buffer which, size_t bytes)
{
    static struct {
        void *memory;
        size_t bytes;
    } buffers[BUFFERS];
    const size_t rounded = (bytes + 63) / 64 * 64;

    if (buffers[which].bytes < rounded) {
        free(buffers[which].memory);
        buffers[which].memory = aligned_alloc(64, rounded);
        buffers[which].bytes = buffers[which].memory ? rounded : 0;
        if (!buffers[which].memory) {
            (void)complain("no memory for a buffer of %zu bytes", rounded);
            return NULL;
        }
        memset(buffers[which].memory, 0xff, rounded);
    }
    return buffers[which].memory;
}

void *new_handle(size_t bytes, void **out)
{
    *out = calloc(1, bytes);
    if (!*out)
        (void)complain("no memory");
    return *out;
}

static char *next_path(void)
{
    static char paths[3][PATH_BYTES];
    static int next;

    return paths[next++ % 3];
}

const char *path_in(const char *folder, const char *name)
{
    char *path = next_path();

    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    return path;
}

const char *path_of(const struct job *job, const char *array)
{
    char *path = next_path();

    snprintf(path, PATH_BYTES, "%s/%s-%s", job->folder, job->peer->files, array);
    return path;
}

const char *file_of(const char *path, const char *suffix)
{
    static char file[PATH_BYTES + 8];

    snprintf(file, sizeof file, "%s%s", path, suffix);
    return file;
}

int64_t stored_bytes(const char *path, const char *suffix)
{
    struct stat st;

    return stat(file_of(path, suffix), &st) == 0 ? (int64_t)st.st_blocks * 512 : 0;
}

enum outcome each_file(const char *const suffixes[], const char *path,
                       enum outcome (*visit)(const char *file, void *with), void *with)
{
    enum outcome outcome = DONE;

    for (const char *const *s = suffixes; *s && outcome == DONE; s++) {
        glob_t found = { 0 };
        const int failed = glob(file_of(path, *s), GLOB_NOMAGIC | GLOB_NOSORT, NULL, &found);

        if (failed && failed != GLOB_NOMATCH)
            outcome = complain("%s%s: cannot be looked for", path, *s);
        for (size_t i = 0; i < found.gl_pathc && outcome == DONE; i++)
            outcome = visit(found.gl_pathv[i], with);
        globfree(&found);
    }
    return outcome;
}

static enum outcome add_bytes(const char *file, void *with)
{
    struct stat st;

    *(int64_t *)with += stat(file, &st) == 0 ? (int64_t)st.st_size : 0;
    return DONE;
}

int64_t files_bytes(const struct peer *peer, const char *path)
{
    int64_t bytes = 0;

    (void)each_file(peer->suffixes, path, add_bytes, &bytes);
    return bytes;
}

static enum outcome remove_file(const char *file, void *with)
{
    (void)with;
    (void)unlink(file); /* it may be there or not */
    return DONE;
}

void remove_files(const char *const suffixes[], const char *path)
{
    (void)each_file(suffixes, path, remove_file, NULL);
}

static enum outcome sync_file(const char *file, void *with)
{
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    enum outcome outcome = DONE;

    (void)with;
    if (fd < 0 || fsync(fd) != 0)
        outcome = complain("%s: %s", file, strerror(errno));
    if (fd >= 0)
        close(fd);
    return outcome;
}

enum outcome sync_files(const char *const suffixes[], const char *path)
{
    return each_file(suffixes, path, sync_file, NULL);
}

enum outcome move_bytes(int fd, bool writing, void *memory, size_t bytes, int64_t offset)
{
    char *at = memory;

    while (bytes > 0) {
        const ssize_t n = writing ? pwrite(fd, at, bytes, offset) : pread(fd, at, bytes, offset);

        if (n <= 0)
            return complain("%s: %s", writing ? "pwrite" : "pread", n ? strerror(errno) : "end of file");
        at += n;
        bytes -= (size_t)n;
        offset += n;
    }
    return DONE;
}

/* Bytes in the page cache; -1: not known. */
static int64_t resident_bytes_of(int fd, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page;
    unsigned char *states = malloc(pages);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    int64_t resident = -1;

    if (states && map != MAP_FAILED && mincore(map, bytes, states) == 0) {
        resident = 0;
        for (size_t i = 0; i < pages; i++)
            resident += states[i] & 1;
        resident *= (int64_t)page;
    }
    if (map != MAP_FAILED)
        munmap(map, bytes);
    free(states);
    return resident < (int64_t)bytes ? resident : (int64_t)bytes;
}

static bool is_resident(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_size > 0 && resident_bytes_of(fd, (size_t)st.st_size) == (int64_t)st.st_size;
}

/* Nothing to do when all is in the page cache. */
static bool read_through(int fd)
{
    const size_t bytes = 1 << 20;
    char *scratch;
    int64_t offset = 0;
    ssize_t n = -1;

    if (is_resident(fd))
        return true;
    scratch = malloc(bytes);
    while (scratch && (n = pread(fd, scratch, bytes, offset)) > 0)
        offset += n;
    free(scratch);
    return n == 0;
}

static bool drop(int fd)
{
    return fsync(fd) == 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0;
}

struct settling {
    bool cold;
    int64_t resident, total; /* bytes */
};

static enum outcome settle_file(const char *file, void *with)
{
    struct settling *settling = with;
    struct stat st;
    bool settled;
    const int fd = open(file, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return complain("%s: %s", file, strerror(errno));
    settled = (settling->cold ? drop(fd) : read_through(fd)) && fstat(fd, &st) == 0;
    if (settled && settling->cold && st.st_size > 0) {
        const int64_t stayed = resident_bytes_of(fd, (size_t)st.st_size);

        settling->resident += stayed < 0 ? (int64_t)st.st_size : stayed; /* not known: all */
        settling->total += (int64_t)st.st_size;
    }
    close(fd);
    return settled ? DONE : complain("%s: cannot be brought into the page cache or out of it", file);
}

enum outcome settle_cache(const char *const suffixes[], const char *path, bool cold)
{
    struct settling settling = { .cold = cold };
    const enum outcome outcome = each_file(suffixes, path, settle_file, &settling);

    if (outcome == DONE && cold)
        answer_number("resident", settling.total ? (double)settling.resident / (double)settling.total : 0);
    return outcome;
}
