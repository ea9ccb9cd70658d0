/* Wraps the library. It opens, makes, renames and removes no file outside the scratch folder, since an input can
 * contain any name, and no allocation (linked with --wrap) is out of proportion to the input. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "fuzz.h"
#include "io/io.h"

static const struct drxi_files *inner;
static char *scratch;

static bool is_inside(const char *path)
{
    const size_t n = strlen(scratch);

    if (strstr(path, ".."))
        return false;
    return path[0] != '/' || (strncmp(path, scratch, n) == 0 && path[n] == '/');
}

static drx_status refuse(const char *path)
{
    return drxi_fail(DRX_EACCES, "%s: outside of the scratch folder", path);
}

static drx_status confined_open(const char *path, enum drxi_how how, drxi_io **out)
{
    *out = NULL;
    return is_inside(path) ? inner->open(path, how, out) : refuse(path);
}

static drx_status confined_remove(const char *path)
{
    return is_inside(path) ? inner->remove(path) : refuse(path);
}

static drx_status confined_link(const char *from, const char *to, bool *can)
{
    return is_inside(from) && is_inside(to) ? inner->link(from, to, can) : refuse(from);
}

static drx_status confined_rename(const char *from, const char *to)
{
    return is_inside(from) && is_inside(to) ? inner->rename(from, to) : refuse(from);
}

static drx_status confined_exchange(const char *a, const char *b, bool *can)
{
    return is_inside(a) && is_inside(b) ? inner->exchange(a, b, can) : refuse(a);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static struct drxi_files confined;

    fuzz_enter_scratch();
    inner = drxi_files;
    scratch = getcwd(NULL, 0);
    fuzz_require(scratch);
    confined = *inner;
    confined.open = confined_open;
    confined.remove = confined_remove;
    confined.link = confined_link;
    confined.rename = confined_rename;
    confined.exchange = confined_exchange;
    drxi_files = &confined;
    return 0;
}

/* Buffers of a fixed size, the largest of which takes some MiB, go with any input. */
enum { FIXED_BYTES = 11 << 20, TIMES = 64 };

static size_t most = SIZE_MAX;

void *__real_drxi_malloc(size_t bytes);
void *__real_drxi_calloc(size_t n, size_t bytes);
void *__real_drxi_realloc(void *old, size_t bytes);
void *__wrap_drxi_malloc(size_t bytes);
void *__wrap_drxi_calloc(size_t n, size_t bytes);
void *__wrap_drxi_realloc(void *old, size_t bytes);

void fuzz_limit_allocations(size_t n)
{
    most = FIXED_BYTES + TIMES * n;
}

void *__wrap_drxi_malloc(size_t bytes)
{
    fuzz_require(bytes <= most);
    return __real_drxi_malloc(bytes);
}

void *__wrap_drxi_calloc(size_t n, size_t bytes)
{
    fuzz_require(bytes == 0 || n <= most / bytes);
    return __real_drxi_calloc(n, bytes);
}

void *__wrap_drxi_realloc(void *old, size_t bytes)
{
    fuzz_require(bytes <= most);
    return __real_drxi_realloc(old, bytes);
}
