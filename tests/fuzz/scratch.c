/* A folder for the files of a target. */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

enum { MOST_FILE_BYTES = 4 << 20, OPEN_FOLDERS = 16 };

static char folder[256];

void fuzz_failed(const char *condition, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: does not hold: %s (last error: %s)\n", file, line, condition, drx_last_error());
    abort();
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type;
    if (where->level > 0)
        (void)remove(path);
    return 0;
}

void fuzz_clear_scratch(void)
{
    (void)nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static void leave_scratch(void)
{
    fuzz_clear_scratch();
    (void)rmdir(folder);
}

void fuzz_enter_scratch(void)
{
    const struct rlimit most = { MOST_FILE_BYTES, MOST_FILE_BYTES };
    const char *base = getenv("TMPDIR");

    if (!base)
        base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof folder, "%s/drx-fuzz-XXXXXX", base);
    fuzz_require(mkdtemp(folder) && chdir(folder) == 0);
    (void)atexit(leave_scratch);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &most);
}

void fuzz_write_file(const char *name, const void *bytes, size_t n)
{
    FILE *out = fopen(name, "wb");

    if (!out)
        return; /* such a name */
    fuzz_require(fwrite(bytes, 1, n, out) == n && fclose(out) == 0);
}

void fuzz_make_folder(const char *name)
{
    if (name[0] != '/' && !strstr(name, ".."))
        (void)mkdir(name, 0755);
}
