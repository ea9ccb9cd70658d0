#include "marked.h"

#include <ftw.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 256 };

int marked_stripes;
drx_codec marked_codec;

void marked_make(const char *path, int64_t n, int8_t mark)
{
    const int64_t shape[1] = { n - 1 }, chunk[1] = { 2 };
    const int8_t fill = -1;
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT8,
                            .shape = shape,
                            .chunk = chunk,
                            .fill = &fill,
                            .align = 8,
                            .flags = DRX_REPLACE,
                            .codec = marked_codec,
                            .nstripes = marked_stripes,
                            .stripes = marked_stripes ? (const char *const[]){ "../s0", "../s1" } : NULL };
    int8_t buf[MOST];
    drx_array *a;

    memset(buf, mark, sizeof buf);
    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_write(a, (int64_t[]){ 0 }, shape, DRX_ROW_MAJOR, buf));
    assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, buf));
    assert_ok(drx_attr_set_text(a, "title", "marked"));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

bool marked_is(const char *path, int64_t n, int8_t mark)
{
    int8_t buf[MOST];
    drx_array *a;
    bool good;

    if (drx_open(path, DRX_RDONLY, &a) != DRX_OK)
        return false;
    good = strlen(drx_last_error()) == 0 && drx_shape(a)[0] == n && drx_attr_count(a) == 1 &&
           drx_read(a, (int64_t[]){ 0 }, drx_shape(a), DRX_ROW_MAJOR, buf) == DRX_OK;
    for (int64_t i = 0; good && i < n; i++)
        good = buf[i] == mark;
    assert_ok(drx_close(a));
    return good;
}

bool marked_none(const char *path)
{
    char pattern[300];

    (void)snprintf(pattern, sizeof pattern, "%s.*", path);
    return marked_count(pattern) == 0;
}

int marked_count(const char *pattern)
{
    glob_t found;
    const int st = glob(pattern, 0, NULL, &found);
    const int n = st == 0 ? (int)found.gl_pathc : 0;

    globfree(&found);
    return n;
}

void marked_clear(const char *pattern)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            assert_int_equal(unlink(found.gl_pathv[i]), 0);
    globfree(&found);
}

static int remove_entry(const char *path, const struct stat *unused, int kind, struct FTW *where)
{
    return where->level > 0 ? remove(path) : 0;
}

void marked_clean(void)
{
    static const char *const folders[] = { "left", "right", "s0", "s1", "s2" };

    assert_int_equal(nftw(".", remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
    for (int i = 0; i < (int)(sizeof folders / sizeof folders[0]); i++)
        assert_int_equal(mkdir(folders[i], 0777), 0);
}

int marked_progress(void *user, int64_t done, int64_t total)
{
    struct marked_seen *seen = user;

    assert_true(done >= seen->last && done <= total);
    seen->last = done;
    seen->total = total;
    return ++seen->calls == seen->stop_at;
}
