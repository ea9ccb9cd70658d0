/* A table of files around the library's own that keeps to the scratch folder: names in an input can be any. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void fuzz_confine(void)
{
    static struct drxi_files confined;

    inner = drxi_files;
    scratch = getcwd(NULL, 0);
    fuzz_require(scratch);
    confined = *inner;
    confined.open = confined_open;
    confined.remove = confined_remove;
    confined.link = confined_link;
    confined.rename = confined_rename;
    drxi_files = &confined;
}
