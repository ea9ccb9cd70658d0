/* Which array or dataset a path or URL means. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge.h"

static const char log_of_dataset[] = "/dataset.xds", log_of_array[] = ".xmd", elements[] = ".xta";

static bool exists(const char *path, const char *suffix)
{
    char name[PATH_MAX];
    const int n = snprintf(name, sizeof name, "%s%s", path, suffix);

    return n > 0 && (size_t)n < sizeof name && access(name, F_OK) == 0;
}

bool bridge_is_dataset(const char *path)
{
    return exists(path, log_of_dataset);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_url(const char *path)
{
    return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

/* The value of a key of a fragment, as in #mode=udf0&commit=3; NULL: it has no such key. */
static const char *value_of(const char *fragment, const char *key)
{
    const size_t n = strlen(key);

    for (const char *at = fragment; at; at = strchr(at, '&')) {
        at++;
        if (strncmp(at, key, n) == 0 && at[n] == '=')
            return at + n + 1;
    }
    return NULL;
}

/* Where the fragment of a path begins: only one with a commit or a mode counts, and no file of the whole name is
 * there. */
static const char *fragment_of(const char *path)
{
    const char *hash = strrchr(path, '#');

    return hash && (value_of(hash, "commit") || value_of(hash, "mode")) &&
                   (strstr(path, "://") || access(path, F_OK) != 0)
               ? hash
               : NULL;
}

static bool cut_end(char *path, const char *end)
{
    const size_t n = strlen(path), k = strlen(end);
    const bool has = n > k && strcmp(path + n - k, end) == 0;

    if (has)
        path[n - k] = '\0';
    return has;
}

char *bridge_plain_path(const char *path)
{
    const char *fragment = fragment_of(path);
    char *plain;

    if (strncmp(path, "file://", 7) == 0)
        path += 7;
    plain = strndup(path, fragment ? (size_t)(fragment - path) : strlen(path));
    while (plain && cut_end(plain, "/"))
        ;
    if (plain && !cut_end(plain, log_of_dataset) && !cut_end(plain, log_of_array))
        (void)cut_end(plain, elements);
    return plain;
}

/* Keep in f->only which variable or group of the dataset is shown. DRX_ENOENT: it has none of that name. */
static drx_status choose(struct bridge_file *f, const char *name)
{
    const char *slash = strrchr(name, '/');

    if (drx_dataset_group_find(f->ds, name) >= 0)
        f->root = strlen(name);
    else if (drx_dataset_find(f->ds, name) >= 0)
        f->root = slash ? (size_t)(slash - name) : 0;
    else
        return DRX_ENOENT;
    f->only = strdup(name);
    return f->only ? DRX_OK : DRX_ENOMEM;
}

/* The dataset of DATASET/VARIABLE or DATASET/GROUP, which is that of the nearest folder above. */
static drx_status open_part(char *path, int64_t at, struct bridge_file *f)
{
    drx_status st = DRX_ENOENT;

    for (char *slash = strrchr(path, '/'), *next; slash && slash != path && !f->ds; slash = next) {
        *slash = '\0';
        if (is_url(path) || bridge_is_dataset(path))
            st = drx_dataset_open(path, DRX_RDONLY, at, &f->ds);
        next = st == DRX_ENOENT ? strrchr(path, '/') : NULL;
        *slash = '/';
        if (!st)
            st = choose(f, slash + 1);
    }
    if (st && f->ds) {
        (void)drx_dataset_close(f->ds);
        f->ds = NULL;
    }
    return st;
}

/* The number after #commit=; false: there is none that is a number. */
static bool read_commit(const char *path, int64_t *at)
{
    const char *fragment = fragment_of(path), *value = fragment ? value_of(fragment, "commit") : NULL;
    char *end;

    *at = DRX_LAST;
    if (!value)
        return true;
    errno = 0;
    *at = strtoll(value, &end, 10);
    return errno == 0 && end != value && (*end == '\0' || *end == '&') && *at >= 0;
}

static bool is_part(char *path, int64_t at)
{
    struct bridge_file f = { .only = NULL };
    const drx_status st = open_part(path, at, &f);

    (void)drx_dataset_close(f.ds);
    free(f.only);
    return st == DRX_OK || st == DRX_ERANGE; /* that commit is not there */
}

bool bridge_names(const char *path)
{
    char *plain;
    int64_t at;
    bool found;

    if (strstr(path, "://")) /* those of #mode=udf0 need no help */
        return false;
    if (!read_commit(path, &at))
        at = DRX_LAST;
    plain = bridge_plain_path(path);
    found = plain && (is_folder(plain) ? bridge_is_dataset(plain) || is_part(plain, at)
                                       : !exists(plain, "") && (exists(plain, log_of_array) || is_part(plain, at)));
    free(plain);
    return found;
}

/* The name without NCO's ending, as in NAME.drx.pid123.ncks.tmp: it renames the file when all is in it. */
static size_t without_ending(const char *path, size_t n)
{
    const char *ending = n > 4 && memcmp(path + n - 4, ".tmp", 4) == 0 ? strstr(path, ".drx.pid") : NULL;

    return ending ? (size_t)(ending + 4 - path) : n;
}

bool bridge_names_new(const char *path)
{
    size_t n = strlen(path);

    while (n > 0 && path[n - 1] == '/')
        n--;
    n = without_ending(path, n);
    return !strstr(path, "://") && n > 4 && memcmp(path + n - 4, ".drx", 4) == 0 && path[n - 5] != '/';
}

/* Coordinates that lie beside the array: of an axis `x` the array x of that axis. */
static bool is_coordinate(const drx_array *a, int axis, const drx_array *coordinate)
{
    const char *name = drx_dim_name(coordinate, 0);

    return drx_ndim(coordinate) == 1 && name && strcmp(name, drx_dim_name(a, axis)) == 0 &&
           drx_lower(coordinate)[0] == drx_lower(a)[axis] && drx_shape(coordinate)[0] == drx_shape(a)[axis];
}

static drx_status add_array(struct bridge_file *f, const char *name, drx_array *a)
{
    struct bridge_variable *v = bridge_new_variable(f, &f->groups[0], NULL, name);

    if (v)
        v->array = a;
    else if (!f->borrowed)
        (void)drx_close(a);
    return v ? DRX_OK : DRX_ENOMEM;
}

static drx_status add_coordinate(struct bridge_file *f, const char *folder, const drx_array *a, int axis)
{
    const char *name = drx_dim_name(a, axis);
    char path[PATH_MAX];
    drx_array *coordinate;
    int n;

    if (!name || !*name || strchr(name, '/') || bridge_find_variable(&f->groups[0], name) >= 0)
        return DRX_OK;
    n = snprintf(path, sizeof path, "%s%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof path || !exists(path, log_of_array) ||
        drx_open(path, DRX_RDONLY, &coordinate) != DRX_OK)
        return DRX_OK;
    if (is_coordinate(a, axis, coordinate))
        return add_array(f, name, coordinate);
    (void)drx_close(coordinate);
    return DRX_OK;
}

/* The array, and the coordinates beside it. */
static drx_status open_array(const char *path, struct bridge_file *f)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[PATH_MAX] = "";
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDONLY, &a);

    if (st)
        return st;
    if (bridge_list_groups(f)) {
        (void)drx_close(a);
        return DRX_ENOMEM;
    }
    st = add_array(f, name, a);
    if (slash && (size_t)(slash + 1 - path) < sizeof folder)
        memcpy(folder, path, (size_t)(slash + 1 - path));
    for (int k = 0; !st && !is_url(path) && k < drx_ndim(a); k++)
        st = add_coordinate(f, folder, a, k);
    return st;
}

static drx_status open_plain(char *path, int64_t at, struct bridge_file *f)
{
    drx_status st = DRX_ENOENT;

    if (is_url(path) || is_folder(path))
        st = drx_dataset_open(path, DRX_RDONLY, at, &f->ds);
    if (st == DRX_ENOENT)
        st = open_part(path, at, f);
    if (st == DRX_ENOENT && at != DRX_LAST)
        return drx_fail(DRX_EINVAL,
                        "#commit=N is of a dataset, its groups and variables; this is none, or was not there yet");
    return st == DRX_ENOENT ? open_array(path, f) : st;
}

_Thread_local const struct bridge_shown *bridge_shown;

static drx_status take_shown(const struct bridge_shown *shown, struct bridge_file *f)
{
    drx_status st = DRX_OK;

    f->borrowed = true;
    f->ds = shown->ds;
    if (!shown->ds && bridge_list_groups(f))
        return DRX_ENOMEM;
    for (int i = 0; !shown->ds && !st && i < shown->n; i++)
        st = add_array(f, shown->names[i], shown->arrays[i]);
    return st;
}

int bridge_open_place(const char *path, struct bridge_file *f)
{
    char *plain = bridge_shown ? NULL : bridge_plain_path(path);
    int64_t at;
    drx_status st;

    if (bridge_shown)
        st = take_shown(bridge_shown, f);
    else if (!plain)
        st = DRX_ENOMEM;
    else if (!read_commit(path, &at))
        st = drx_fail(DRX_EINVAL, "the number of a commit after #commit= is expected to be 0 or more");
    else
        st = open_plain(plain, at, f);
    free(plain);
    return bridge_error(st);
}
