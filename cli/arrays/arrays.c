#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays.h"
#include "files/paths.h"
#include "frame/team.h"

static bool is_file_there(const char *path, const char *suffix)
{
    struct stat file;
    char *name;
    bool there;

    if (asprintf(&name, "%s%s", path, suffix) < 0)
        return false;
    there = lstat(name, &file) == 0;
    free(name);
    return there;
}

static drx_status list_pair(const char *path, struct array_files *files)
{
    static const char *const suffixes[][3] = { { ".xmd", ".xta", ".xcs" }, { ".xmd", ".xtz", ".xct" } };
    const bool packed = !is_file_there(path, ".xta") && (is_file_there(path, ".xtz") || is_file_there(path, ".xct"));

    for (int i = 0; i < 3; i++) {
        if (i == 2 && !is_file_there(path, suffixes[packed][i]))
            break;
        if (asprintf(&files->name[files->n], "%s%s", path, suffixes[packed][i]) < 0)
            return DRX_ENOMEM;
        files->n++;
    }
    return DRX_OK;
}

drx_status list_array_files(const char *path, struct array_files *files)
{
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDONLY, &a), other;
    const char *name;

    files->n = 0;
    if (st) {
        other = list_pair(path, files);
        return other ? other : st;
    }
    while (!st && (name = drx_file(a, files->n)) != NULL) {
        files->name[files->n] = strdup(name);
        if (files->name[files->n])
            files->n++;
        else
            st = DRX_ENOMEM;
    }
    other = drx_close(a);
    return st ? st : other;
}

void free_array_files(struct array_files *files)
{
    while (files->n > 0)
        free(files->name[--files->n]);
}

char *array_path(char *word)
{
    static const char *const suffixes[] = { ".xmd", ".xta", ".xcs", ".xtz", ".xct" };
    const size_t n = strlen(word);

    if (n > 1 && word[n - 1] == '/')
        drop_slash_of_group(word);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (n > 4 && word[n - 5] != '/' && strcmp(word + n - 4, suffixes[i]) == 0) {
            word[n - 4] = '\0';
            break;
        }
    return word;
}

static bool is_own_file(const char *path, const char *file)
{
    struct array_files files;
    bool same = list_array_files(path, &files) == DRX_ENOMEM;

    for (int i = 0; i < files.n && !same; i++)
        same = is_same_file(files.name[i], file);
    free_array_files(&files);
    return same;
}

int expect_other_file(const char *path, const char *file)
{
    const bool own = team_rank() == 0 && is_own_file(path, file);

    return agree(own ? failed("%s: is a file of the array itself; give another name", file) : DONE);
}

int array_paths(char *words[], int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++) {
        const size_t whole = strlen(words[i]);
        const bool file = strlen(array_path(words[i])) < whole;

        if (!(file && kept > 0 && strcmp(words[kept - 1], words[i]) == 0))
            words[kept++] = words[i];
    }
    return kept;
}

const void *fill_of(const drx_array *a)
{
    static const char zero[VALUE_MAX_BYTES];
    drx_spec spec;

    drx_describe(a, &spec);
    return spec.fill && memcmp(spec.fill, zero, drx_type_size(spec.type)) != 0 ? spec.fill : NULL;
}

bool is_fill(const drx_array *a, const void *element)
{
    static const char zero[VALUE_MAX_BYTES];
    const void *fill = fill_of(a);

    return memcmp(element, fill ? fill : zero, drx_type_size(drx_dtype(a))) == 0;
}

bool begins_at_zero(const drx_array *a)
{
    for (int j = 0; j < drx_ndim(a); j++)
        if (drx_lower(a)[j] != 0)
            return false;
    return true;
}

bool is_simple(const drx_array *a)
{
    int64_t shape[DRX_MAX_NDIM], by;
    int axis;

    if (!begins_at_zero(a))
        return false;
    memcpy(shape, drx_initial_shape(a), (size_t)drx_ndim(a) * sizeof *shape);
    for (int64_t i = 0; i < drx_growth_count(a) && !drx_growth(a, i, &axis, &by); i++) {
        if (by < 0)
            return false;
        if (shape[axis] + by > drx_shape(a)[axis])
            break; /* as of an earlier commit */
        shape[axis] += by;
    }
    return memcmp(shape, drx_shape(a), (size_t)drx_ndim(a) * sizeof *shape) == 0;
}

static const int64_t *index_of(const drx_array *a, const int64_t at[], int64_t index[])
{
    for (int j = 0; j < drx_ndim(a); j++)
        index[j] = drx_lower(a)[j] + at[j];
    return index;
}

drx_status read_at(drx_array *a, const int64_t at[], const int64_t count[], drx_order order, void *buf)
{
    int64_t lo[DRX_MAX_NDIM];

    return drx_read(a, index_of(a, at, lo), count, order, buf);
}

drx_status write_at(drx_array *a, const int64_t at[], const int64_t count[], drx_order order, const void *buf)
{
    int64_t lo[DRX_MAX_NDIM];

    return drx_write(a, index_of(a, at, lo), count, order, buf);
}

drx_array *create_array(const char *path, const drx_spec *spec)
{
    drx_array *a;
    drx_status st;

    if (path && !is_outside_datasets(path)) /* NULL: in memory */
        return NULL;
    st = drx_create(path, spec, &a);
    if (st == DRX_EEXIST && !is_dataset(path))
        (void)failed("%s; give a new path, or --force to replace it", drx_last_error());
    else if (st)
        (void)failed_drx(path, st);
    return st ? NULL : a;
}

bool is_free_path(const char *path, const drx_spec *spec)
{
    drx_array *old = NULL;
    drx_status st;

    if (!is_outside_datasets(path))
        return false;
    if (is_dataset(path))
        return !failed("%s: a dataset has that name; give a new path", path);
    st = spec->flags & DRX_REPLACE ? DRX_ENOENT : drx_open(path, DRX_RDONLY, &old);
    (void)drx_close(old);
    if (st == DRX_ENOENT)
        return true;
    return st ? !failed_drx(path, st)
              : !failed("%s.xmd: exists already; give a new path, or --force to replace it", path);
}

drx_array *create_unnamed_array(const char *path, drx_spec *spec)
{
    if (!is_free_path(path, spec))
        return NULL;
    spec->flags |= DRX_TEMPORARY;
    return create_array(path, spec);
}

int name_array(drx_array *a, const char *path, unsigned flags, int status)
{
    if (status == DONE)
        status = exit_code(path, drx_sync(a));
    if (status == DONE)
        status = exit_code(path, drx_persist(a, flags & DRX_REPLACE));
    return commit_array(a, path, status);
}

drx_array *open_array(const char *path, int mode)
{
    return open_array_at(path, mode, DRX_LAST);
}

drx_array *open_array_at(const char *path, int mode, int64_t commit)
{
    drx_array *a;
    drx_status st;
    bool absent;

    do
        st = mode == DRX_RDONLY ? drx_open_at(path, commit, &a) : drx_open(path, mode, &a);
    while (wait_for_writer(st));
    absent = st == DRX_ENOENT && commit == DRX_LAST && !drx_is_url(path) && !has_array(path);
    if (absent && strchr(path, '['))
        (void)failed("%s: no such array; a selection ends with a bracket, as in PATH[SELECTION]", path);
    else if (absent)
        (void)no_array(path, "array");
    else if (st)
        (void)failed_drx(path, st);
    if (st)
        return NULL;
    if (drx_last_error()[0])
        warn("%s", drx_last_error());
    return a;
}

int close_array(drx_array *a, const char *path, int status)
{
    const drx_status st = drx_close(a);

    return st && status == DONE ? failed_drx(path, st) : status;
}

int commit_array(drx_array *a, const char *path, int status)
{
    return close_array(a, path, status == DONE ? exit_code(path, drx_sync(a)) : status);
}

bool is_axis(const char *word)
{
    if (word[0] != '-' || !isdigit((unsigned char)word[1]))
        return true;
    return !misused("AXIS %s is negative; give a number from 0 up or the name of a dimension", word);
}

const char *axis_text(const drx_array *a, int axis, char out[AXIS_TEXT_BYTES])
{
    const char *name = drx_dim_name(a, axis);
    char *shown = name ? visible_text(name, strlen(name)) : NULL;
    size_t n = shown ? strlen(shown) : 0;
    const bool long_name = n > AXIS_TEXT_BYTES - 16; /* what stands round it, and an ellipsis */

    if (long_name)
        n = whole_characters(shown, AXIS_TEXT_BYTES - 16);
    (void)snprintf(out, AXIS_TEXT_BYTES, shown ? "axis %d (%.*s%s)" : "axis %d", axis, (int)n, shown ? shown : "",
                   long_name ? "\u2026" : "");
    free(shown);
    return out;
}

/* " or one of the names y, x", to be freed; "" when no axis has a name, NULL: out of memory. */
static char *names_of(const drx_array *a)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int n = 0;

    if (!out)
        return NULL;
    for (int j = 0; j < drx_ndim(a); j++)
        if (drx_dim_name(a, j))
            (void)fprintf(out, "%s%s", n++ ? ", " : " or one of the names ", drx_dim_name(a, j));
    return end_text(out, &text);
}

bool find_axis(const drx_array *a, const char *path, const char *word, int *axis)
{
    const int ndim = drx_ndim(a);
    char *names, *end;
    long number;
    int found = 0;

    if (word[0] && word[strspn(word, "0123456789")] == '\0') {
        number = strtol(word, &end, 10); /* too large stays too large */
        if (number < ndim) {
            *axis = (int)number;
            return true;
        }
    }
    for (int j = 0; j < ndim; j++)
        if (drx_dim_name(a, j) && strcmp(drx_dim_name(a, j), word) == 0 && found++ == 0)
            *axis = j;
    if (found == 1)
        return true;
    names = names_of(a);
    if (found)
        (void)failed("%s: '%s' is the name of %d axes; give the number of the axis", path, word, found);
    else
        (void)failed("%s: no axis '%s'; give 0 to %d%s", path, word, ndim - 1, names ? names : "");
    free(names);
    return false;
}

char *path_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char *beside;

    if (!name || !name[0] || strchr(name, '/'))
        return NULL;
    if (asprintf(&beside, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name) < 0)
        return NULL;
    return beside;
}

/* The path of the variable that a name means beside one of the dataset, to be freed; NULL: there is none. */
static char *path_in_scope(const drx_dataset *ds, const char *path, const char *name)
{
    const char *inside;
    char *folder = dataset_above(path, &inside), *found = NULL;
    const int i = folder && name ? find_in_scope(ds, drx_dataset_find, inside, name) : -1;

    if (i >= 0)
        found = in_folder(folder, drx_dataset_name(ds, i));
    free(folder);
    return found;
}

drx_array *open_array_beside(const drx_array *a, const char *path, const char *name)
{
    const drx_dataset *ds = drx_dataset_of(a);
    char *beside = ds ? path_in_scope(ds, path, name) : path_beside(path, name);
    drx_array *found = NULL;

    if (beside)
        (void)drx_open_at(beside, ds ? drx_dataset_shown(ds) : DRX_LAST, &found);
    free(beside);
    return found;
}

bool is_null(const drx_array *a)
{
    return drx_dataset_of(a) && !drx_file(a, 1);
}

drx_array *kept_if(bool wanted, drx_array *a)
{
    if (wanted)
        return a;
    (void)drx_close(a);
    return NULL;
}

/* The dimension of an axis, as the path of its coordinate, "/g/time"; to be freed. NULL: the array at `path` is
 * that. */
static char *coordinate_path(const drx_array *a, const char *path, int axis)
{
    const drx_dataset *ds = drx_dataset_of(a);
    const char *inside = base_name(path), *name = drx_dim_name(a, axis);
    char *folder = ds ? dataset_above(path, &inside) : NULL, *found = NULL;

    if (folder)
        name = drx_dataset_dim(ds, drx_dataset_axis(ds, drx_dataset_find(ds, inside), axis), NULL);
    if (name && strcmp(inside, name) != 0 && asprintf(&found, "%s%s", folder ? "/" : "", name) < 0)
        found = NULL;
    free(folder);
    return found;
}

drx_array *open_named_like(const drx_array *a, const char *path, int axis)
{
    char *name = coordinate_path(a, path, axis);
    drx_array *found = name ? open_array_beside(a, path, name) : NULL;

    free(name);
    return kept_if(found && drx_ndim(found) == 1, found);
}

drx_array *open_labels(const drx_array *a, const char *path, int axis)
{
    drx_array *found = open_named_like(a, path, axis);

    return kept_if(found && drx_shape(found)[0] == drx_shape(a)[axis] && !type_is_complex(drx_dtype(found)), found);
}

drx_array *open_coordinate(const drx_array *a, const char *path, int axis)
{
    drx_array *found = open_labels(a, path, axis);

    return kept_if(found && type_is_real(drx_dtype(found)), found);
}
