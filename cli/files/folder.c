#include "paths.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <drx_dataset.h>

#include "frame/cli.h"

/* Compare the numbers at *a and *b, and go past them. */
static int compare_numbers(const char **a, const char **b)
{
    const char *x = *a + strspn(*a, "0");
    const char *y = *b + strspn(*b, "0");
    const size_t m = strspn(x, "0123456789");
    const size_t n = strspn(y, "0123456789");

    *a = x + m;
    *b = y + n;
    if (m != n)
        return m < n ? -1 : 1;
    return strncmp(x, y, n);
}

static int compare_names(const void *left, const void *right)
{
    const char *const first = *(char *const *)left;
    const char *const second = *(char *const *)right;
    const char *a = first;
    const char *b = second;
    int order;

    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            order = compare_numbers(&a, &b);
            if (order)
                return order;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    if (*a || *b)
        return *a ? 1 : -1;
    return strcmp(first, second); /* a1 and a01 */
}

/* Sort, and drop repeated names. */
static void sort_names(struct names *names)
{
    size_t kept = 0;

    if (names->n > 0)
        qsort(names->name, names->n, sizeof *names->name, compare_names);
    for (size_t i = 0; i < names->n; i++)
        if (kept > 0 && strcmp(names->name[kept - 1], names->name[i]) == 0)
            free(names->name[i]);
        else
            names->name[kept++] = names->name[i];
    names->n = kept;
}

static bool add_name(struct names *names, const char *name, size_t bytes)
{
    char **more;

    if (names->n == names->room) {
        const size_t room = names->room ? 2 * names->room : 64;

        more = realloc(names->name, room * sizeof *more);
        if (!more)
            return false;
        names->name = more;
        names->room = room;
    }
    names->name[names->n] = strndup(name, bytes);
    return names->name[names->n] != NULL && ++names->n > 0;
}

static bool is_entry_folder(int fd, const struct dirent *entry)
{
    struct stat file;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(fd, entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(file.st_mode);
}

static bool take_entry(struct folder *folder, int fd, const struct dirent *entry)
{
    const size_t n = strlen(entry->d_name);
    const char *suffix = n > 4 ? entry->d_name + n - 4 : "";

    if (entry->d_name[0] == '.')
        return true;
    if (is_entry_folder(fd, entry))
        return add_name(&folder->folders, entry->d_name, n);
    if (strcmp(suffix, ".xmd") == 0 || strcmp(suffix, ".xta") == 0 || strcmp(suffix, ".xtz") == 0)
        return add_name(&folder->arrays, entry->d_name, n - 4);
    return true;
}

/* The variables of a dataset, of all groups, whatever the names of their files. False: it cannot be read. */
static bool read_variables(struct folder *folder, const char *path)
{
    drx_dataset *ds;
    bool good = is_dataset(path) && drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds) == DRX_OK;

    for (int i = 0; good && i < drx_dataset_count(ds); i++)
        good = add_name(&folder->arrays, drx_dataset_name(ds, i), strlen(drx_dataset_name(ds, i)));
    return good && drx_dataset_close(ds) == DRX_OK;
}

bool read_folder(struct folder *folder, const char *path)
{
    DIR *stream = opendir(path);
    const struct dirent *entry = NULL;
    bool good = stream != NULL, is_read;

    memset(folder, 0, sizeof *folder);
    is_read = good && read_variables(folder, path);
    errno = good ? 0 : errno;
    while (good && !is_read) {
        errno = 0;
        entry = readdir(stream);
        if (!entry)
            break;
        good = take_entry(folder, dirfd(stream), entry);
    }
    good = good && errno == 0;
    if (!stream && errno == ENOENT)
        (void)no_such(path, "folder");
    else if (!good)
        (void)failed_errno(path, "read the folder");
    if (stream)
        (void)closedir(stream);
    sort_names(&folder->arrays);
    sort_names(&folder->folders);
    if (!good)
        free_folder(folder);
    return good;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    memset(names, 0, sizeof *names);
}

void free_folder(struct folder *folder)
{
    free_names(&folder->arrays);
    free_names(&folder->folders);
}

void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        char *name = in_folder(path, entry->d_name);

        if (name && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(name) != 0)
            remove_folder(name);
        free(name);
    }
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

/* What a server has under a URL; asked for once, since the verb opens what it has found. A failure is reported by the
 * call that opens it. */
struct found {
    char *url;
    int array, dataset;
};

static struct found look_at_url(const char *url)
{
    static struct found last;

    if (last.url && strcmp(last.url, url) == 0)
        return last;
    free(last.url);
    last.url = strdup(url);
    if (drx_look(url, &last.array, &last.dataset))
        last.array = 1;
    return last;
}

bool is_folder(const char *path)
{
    struct stat file;

    if (drx_is_url(path))
        return look_at_url(path).dataset;

    return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;

    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

char *in_folder(const char *folder, const char *name)
{
    const size_t n = strlen(folder);
    char *path;

    if (n == 0 || strcmp(folder, ".") == 0)
        return strdup(name);
    if (asprintf(&path, "%s%s%s", folder, folder[n - 1] == '/' ? "" : "/", name) < 0)
        return NULL;
    return path;
}

char *folder_of(const char *path)
{
    const char *base = base_name(path);
    const size_t n = (size_t)(base - path);

    return n == 0 ? strdup(".") : strndup(path, n > 1 ? n - 1 : 1);
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool has_array_file(const char *path)
{
    static const char *const suffixes[] = { ".xmd", ".xta", ".xtz" };
    struct stat file;
    bool has = false;
    char *name;

    if (drx_is_url(path))
        return look_at_url(path).array;
    for (int i = 0; i < 3; i++) {
        if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
            return true; /* the next call reports it */
        has = has || (lstat(name, &file) == 0 && !S_ISDIR(file.st_mode));
        free(name);
    }
    return has;
}

static const char dataset_file[] = "dataset.xds";

bool is_dataset(const char *path)
{
    struct stat status;
    bool found;
    char *file;

    if (drx_is_url(path))
        return !look_at_url(path).array && look_at_url(path).dataset;
    file = has_array_file(path) ? NULL : in_folder(path, dataset_file);
    found = file && stat(file, &status) == 0;
    free(file);
    return found;
}

void drop_slashes(char *word)
{
    for (size_t n = strlen(word); n > 1 && word[n - 1] == '/'; n--)
        word[n - 1] = '\0';
}

bool names_dataset(char *word)
{
    const size_t n = strlen(word), file = strlen(dataset_file);

    if (strcmp(base_name(word), dataset_file) == 0 && n > file + 1)
        word[n - file] = '\0';
    if (!is_dataset(word))
        return false;
    drop_slashes(word);
    return true;
}

bool means_dataset(char *word)
{
    char *whole = strdup(word);
    const bool means = whole && names_dataset(word);

    if (means && !is_dataset(word)) /* but an array of that name */
        memcpy(word, whole, strlen(whole) + 1);
    free(whole);
    return means;
}
