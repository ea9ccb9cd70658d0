#include "datasets.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files/paths.h"

/* Print what is at the path, where there is no folder. Gives FAILED. */
static int no_dataset(const char *path)
{
    char *folder = dataset_of(path);
    int status;

    if (!has_array(path))
        status = no_array(path, "dataset");
    else if (folder)
        status = failed("%s: is a variable of the dataset %s; give the dataset", path, folder);
    else
        status = failed("%s: is an array, not a dataset; give the folder of one", path);
    free(folder);
    return status;
}

drx_dataset *open_dataset(const char *path, int mode, int64_t at)
{
    drx_dataset *ds;
    drx_status st;

    do
        st = drx_dataset_open(path, mode, at, &ds);
    while (wait_for_writer(st));
    if (!st && mode == DRX_SHARED && (st = drx_dataset_begin(ds))) {
        (void)failed_drx(path, st);
        (void)drx_dataset_close(ds);
        return NULL;
    }
    if (st) {
        if (st == DRX_ENOENT && names_group(path))
            (void)no_array(path, "dataset");
        else if (st == DRX_ENOENT && is_folder(path) && !drx_is_url(path))
            (void)failed("%s: is a folder, but not a dataset; give a dataset, or an array in the folder", path);
        else if (is_folder(path) || drx_is_url(path))
            (void)failed_drx(path, st);
        else
            (void)no_dataset(path);
        return NULL;
    }
    if (drx_last_error()[0])
        warn("%s", drx_last_error());
    return ds;
}

int close_dataset(drx_dataset *ds, const char *path, int status)
{
    const drx_status st = drx_dataset_close(ds);

    return st && status == DONE ? failed_drx(path, st) : status;
}

const char *dim_of(const drx_dataset *ds, int i, int axis)
{
    return drx_dataset_dim(ds, drx_dataset_axis(ds, i, axis), NULL);
}

const char *dim_text(const drx_dataset *ds, int i, int axis, char out[DIM_TEXT_BYTES])
{
    const int d = drx_dataset_axis(ds, i, axis);
    const char *path = dim_of(ds, i, axis), *name = base_name(path);
    const bool is_plain = find_in_scope(ds, drx_dataset_dim_find, drx_dataset_name(ds, i), name) == d;

    (void)snprintf(out, DIM_TEXT_BYTES, "%s%s", is_plain ? "" : "/", is_plain ? name : path);
    return out;
}

int place_dims(const drx_dataset *ds, int i, char *dims[])
{
    for (int k = 0; k < drx_dataset_ndim(ds, i); k++)
        if (asprintf(&dims[k], "/%s", dim_of(ds, i, k)) < 0) {
            dims[k] = NULL;
            return out_of_memory(BUFSIZ);
        }
    return DONE;
}

drx_array *member_array(drx_dataset *ds, const char *path, int i)
{
    drx_array *a;
    const drx_status st = drx_dataset_array(ds, drx_dataset_name(ds, i), &a);
    char *inside;

    if (!st)
        return a;
    inside = in_folder(path, drx_dataset_name(ds, i));
    (void)failed_drx(inside ? inside : path, st);
    free(inside);
    return NULL;
}

int select_part_of(drx_dataset *ds, const char *path, const char *text, struct range **of)
{
    const int n = drx_dataset_dim_count(ds);

    *of = calloc((size_t)n + 1, sizeof **of);
    return *of ? select_dims(ds, path, text, *of) : out_of_memory(n);
}

int select_member(drx_dataset *ds, const char *path, int i, const struct range of[], drx_array **a, struct selection *s)
{
    int status = FAILED;

    *a = member_array(ds, path, i);
    if (*a)
        status = settle_selection(s, *a);
    for (int k = 0; status == DONE && k < drx_dataset_ndim(ds, i); k++) {
        const struct range *r = &of[drx_dataset_axis(ds, i, k)];

        s->lo[k] = r->lo;
        s->count[k] = r->count;
        s->step[k] = r->step;
    }
    return status;
}

/* The names of those that are noted; NULL: none. */
static const char *unlimited_names(const drx_dataset *ds)
{
    const void *names;
    drx_type type;

    return drx_dataset_attr_get(ds, DRX_DATASET, NULL, UNLIMITED_NOTE, &type, NULL, &names) == DRX_OK &&
                   type == DRX_UINT8
               ? names
               : NULL;
}

bool is_unlimited(const drx_dataset *ds, int d)
{
    return drx_dataset_dim_grew(ds, d) > 0 || has_word(unlimited_names(ds), drx_dataset_dim(ds, d, NULL));
}

drx_status note_unlimited(drx_dataset *ds, const char *dim)
{
    const char *names = unlimited_names(ds);
    drx_status st = DRX_ENOMEM;
    char *all;

    if (has_word(names, dim))
        return DRX_OK;
    if (asprintf(&all, "%s%s%s", names ? names : "", names ? " " : "", dim) >= 0) {
        st = drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, UNLIMITED_NOTE, all);
        free(all);
    }
    return st;
}

drx_status rename_unlimited(drx_dataset *ds, const char *old, const char *new)
{
    const char *names = unlimited_names(ds);
    const size_t n = strlen(old);
    char *all = NULL;
    size_t bytes = 0;
    drx_status st = DRX_ENOMEM;
    FILE *out = names ? open_memstream(&all, &bytes) : NULL;

    if (!names)
        return DRX_OK;
    for (const char *at = names; out && *at; at += *at == ' ') {
        const size_t word = strcspn(at, " ");
        const bool is = word >= n && memcmp(at, old, n) == 0 && (word == n || at[n] == '/');

        (void)fprintf(out, "%s%s%.*s", at > names ? " " : "", is ? new : "", (int)(word - (is ? n : 0)),
                      at + (is ? n : 0));
        at += word;
    }
    if (out && end_text(out, &all))
        st = strcmp(all, names) == 0 ? DRX_OK : drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, UNLIMITED_NOTE, all);
    free(all);
    return st;
}

int64_t extent_of(const drx_dataset *ds, int d)
{
    int64_t bound;

    (void)drx_dataset_dim(ds, d, &bound);
    return bound - drx_dataset_dim_lower(ds, d);
}

int64_t string_count(const struct owner *of, const char *name)
{
    struct attribute t;
    const char *line, *end;

    if (!find_attribute(of, STRINGS_NOTE, &t) || !t.is_text)
        return -1;
    for (line = t.values; *line; line = *end ? end + 1 : end) {
        const char *space = strchr(line, ' ');

        end = line + strcspn(line, "\n");
        if (space && space < end && (size_t)(end - space - 1) == strlen(name) &&
            memcmp(space + 1, name, strlen(name)) == 0)
            return strtoll(line, NULL, 10);
    }
    return -1;
}

const char *commit_time_text(int64_t microseconds, char out[COMMIT_TIME_BYTES])
{
    const time_t seconds = (time_t)(microseconds / 1000000);
    struct tm local;

    if (microseconds == 0 || !localtime_r(&seconds, &local) ||
        strftime(out, COMMIT_TIME_BYTES, "%Y-%m-%d %H:%M:%S", &local) == 0)
        (void)snprintf(out, COMMIT_TIME_BYTES, "-");
    return out;
}

bool is_coordinate_in(drx_dataset *ds, const char *path, int i)
{
    static const char *const attributes[] = { "bounds", "climatology", "coordinates" };
    const char *name = base_name(drx_dataset_name(ds, i)); /* in whatever group */

    if (drx_dataset_dim_find(ds, drx_dataset_name(ds, i)) >= 0)
        return true;
    for (int k = 0; k < drx_dataset_count(ds); k++) {
        const drx_array *a = member_array(ds, path, k);

        for (size_t j = 0; a && j < sizeof attributes / sizeof *attributes; j++)
            if (has_word(attribute_text(a, attributes[j]), name))
                return true;
    }
    return false;
}
