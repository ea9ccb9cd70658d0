/* The arrays of a folder, as a list. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "info.h"

/* A list is printed in parts of PART lines, which have common columns. */
enum { PART = 256, COLUMNS = 6, LONGEST_NAME = 40 };

enum { NAME, TYPE, SHAPE, SIZE, GROWTHS, CHANGED };

struct line {
    char *column[COLUMNS]; /* TYPE is NULL: the array cannot be opened */
    char *report;          /* or NULL */
};

struct list {
    bool recursive;
    struct json *j;
    struct line lines[PART];
    int nlines;
    int64_t arrays, broken;
    int status;
};

static void put_list_line(const struct line *line, const int widths[])
{
    int last = CHANGED;

    for (int c = 0; c <= last; c++) {
        const char *text = line->column[c] ? line->column[c] : "";
        const int pad = widths[c] - character_count(text);

        if (c == TYPE && !line->column[c]) {
            put("cannot be opened: %s", line->report ? line->report : "out of memory");
            break;
        }
        if (c == SIZE || c == GROWTHS)
            put("%*s%s%s", pad > 0 ? pad : 0, "", text, c < last ? "  " : "");
        else
            put("%s%*s", text, c < last ? (pad > 0 ? pad : 0) + 2 : 0, "");
    }
    put("\n");
    if (line->column[TYPE] && line->report)
        put("  warning: %s\n", line->report);
}

static void put_lines(struct list *list)
{
    int widths[COLUMNS] = { 0 };

    for (int i = 0; i < list->nlines; i++)
        for (int c = 0; c < COLUMNS; c++) {
            const int width = list->lines[i].column[c] ? character_count(list->lines[i].column[c]) : 0;

            if (width > widths[c] && (c != NAME || width <= LONGEST_NAME))
                widths[c] = width;
        }
    for (int i = 0; i < list->nlines; i++) {
        put_list_line(&list->lines[i], widths);
        for (int c = 0; c < COLUMNS; c++)
            free(list->lines[i].column[c]);
        free(list->lines[i].report);
    }
    list->nlines = 0;
}

/* "time=132, lat=73", or "132 × 73" when no axis has a name. */
static char *shape_text(const drx_array *a)
{
    const int ndim = drx_ndim(a);
    char numbers[NUMBERS_TEXT_BYTES];
    char *text = NULL, *name;
    size_t bytes = 0;
    FILE *out;
    bool named = false;

    for (int j = 0; j < ndim; j++)
        named = named || drx_dim_name(a, j);
    if (!named)
        return strdup(numbers_text(ndim, drx_shape(a), " \u00d7 ", numbers));
    out = open_memstream(&text, &bytes);
    for (int j = 0; out && j < ndim; j++) {
        const char *raw = drx_dim_name(a, j);

        name = raw ? visible_text(raw, strlen(raw)) : NULL;
        (void)fprintf(out, "%s%s%s%" PRId64, j ? ", " : "", name ? name : "", raw ? "=" : "", drx_shape(a)[j]);
        free(name);
    }
    return out ? end_text(out, &text) : NULL;
}

static void take_line(struct list *list, const struct info *info, const char *name)
{
    struct line *line = &list->lines[list->nlines++];
    const int64_t growths = info->array ? drx_growth_count(info->array) : 0;
    char size[SIZE_TEXT_BYTES], changed[TIME_TEXT_BYTES];

    memset(line, 0, sizeof *line);
    line->column[NAME] = visible_text(name, strlen(name));
    if (info->report[0])
        line->report = visible_text(info->report, strlen(info->report));
    if (!info->array)
        return;
    size_text(info->data.on_disk + info->table.on_disk + info->metadata.on_disk, size);
    line->column[TYPE] = strdup(drx_type_name(info->spec.type));
    line->column[SHAPE] = shape_text(info->array);
    line->column[SIZE] = strdup(size);
    if (asprintf(&line->column[GROWTHS], "%" PRId64 " growth%s", growths, growths == 1 ? " " : "s") < 0)
        line->column[GROWTHS] = NULL;
    line->column[CHANGED] = strdup(time_text(info->changed, changed));
}

void put_broken_json(struct json *j, const struct info *info)
{
    json_begin(j, NULL, '{', true);
    json_string(j, "path", info->path);
    json_string(j, "error", info->report);
    json_end(j, '}');
}

static void list_array(struct list *list, const char *path, const char *name)
{
    struct info info;
    const bool good = open_info(&info, path, DRX_LAST);

    list->arrays++;
    list->broken += !good;
    if (!list->j)
        take_line(list, &info, name);
    else if (good)
        put_info_json(list->j, &info, false);
    else
        put_broken_json(list->j, &info);
    if (good && close_info(&info, DONE) != DONE)
        list->status = FAILED;
    if (list->nlines == PART)
        put_lines(list);
}

/* A folder whose arrays have names that begin with `prefix`. */
static void list_in(struct list *list, const char *path, const char *prefix)
{
    struct folder folder;
    char *inside, *name;

    if (!read_folder(&folder, path)) {
        list->status = FAILED;
        return;
    }
    for (int folders = 0; folders <= (int)list->recursive; folders++) {
        const struct names *names = folders ? &folder.folders : &folder.arrays;

        for (size_t i = 0; i < names->n && !put_failed(); i++) {
            inside = in_folder(path, names->name[i]);
            name = in_folder(prefix, names->name[i]);
            if (!inside || !name)
                list->status = out_of_memory((int64_t)strlen(path));
            else if (folders)
                list_in(list, inside, name);
            else
                list_array(list, inside, name);
            free(inside);
            free(name);
        }
        if (!folders)
            put_lines(list); /* each folder has its own columns */
    }
    if (list->arrays == 0 && !prefix[0])
        warn("%s: no arrays in this folder%s", path,
             folder.folders.n > 0 && !list->recursive ? "; -r looks into the folders in it" : "");
    free_folder(&folder);
}

int list_folder(const char *path, bool recursive, struct json *j)
{
    struct list *list = calloc(1, sizeof *list);
    int status;

    if (!list)
        return out_of_memory((int64_t)sizeof *list);
    list->recursive = recursive;
    list->j = j;
    list_in(list, path, "");
    status = list->status;
    if (list->broken > 0)
        status = failed("%s: %" PRId64 " of %" PRId64 " arrays cannot be opened", path, list->broken, list->arrays);
    free(list);
    return status;
}
