#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arrays/arrays.h"
#include "info.h"

static bool look_at_file(struct info *info, const char *name, struct file_sizes *sizes)
{
    struct stat file;

    if (stat(name, &file) != 0) {
        (void)snprintf(info->report, sizeof info->report, "%s: cannot stat: %s", name, strerror(errno));
        return false;
    }
    *sizes = (struct file_sizes){ (int64_t)file.st_size, (int64_t)file.st_blocks * 512 };
    if (file.st_mtime > info->changed)
        info->changed = file.st_mtime;
    return true;
}

static int data_files(const struct info *info)
{
    return info->spec.nstripes ? info->spec.nstripes : 1;
}

static bool look_at_files(struct info *info)
{
    const char *name;
    bool good = look_at_file(info, drx_file(info->array, 0), &info->metadata);

    for (int k = 0; good && k < data_files(info); k++) {
        good = look_at_file(info, drx_file(info->array, 1 + k), &info->stripe[k]);
        info->data.bytes += info->stripe[k].bytes;
        info->data.on_disk += info->stripe[k].on_disk;
    }
    if (good && (name = drx_file(info->array, 1 + data_files(info))) != NULL)
        good = look_at_file(info, name, &info->checksums);
    return good;
}

/* The library's detail, with the array's name in front when it names no file of it. */
static void take_report(struct info *info, drx_status st)
{
    const char *detail = drx_last_error()[0] || !st ? drx_last_error() : drx_strerror(st);
    const size_t n = strlen(info->path);

    if (!detail[0] || (strncmp(detail, info->path, n) == 0 && (detail[n] == ':' || detail[n] == '.')))
        (void)snprintf(info->report, sizeof info->report, "%s", detail);
    else
        (void)snprintf(info->report, sizeof info->report, "%s: %s", info->path, detail);
}

/* Of two files only the chunks are there: that is no array, but more than nothing. */
static void name_half(struct info *info)
{
    struct stat file;
    char *meta, *data;

    if (asprintf(&meta, "%s.xmd", info->path) < 0)
        return;
    if (asprintf(&data, "%s.xta", info->path) >= 0) {
        if (lstat(meta, &file) != 0 && lstat(data, &file) == 0)
            (void)snprintf(info->report, sizeof info->report, "%s: missing, only %s is there", meta, data);
        free(data);
    }
    free(meta);
}

bool open_info(struct info *info, const char *path)
{
    drx_status st;

    memset(info, 0, sizeof *info);
    info->path = path;
    st = drx_open(path, DRX_RDONLY, &info->array);
    take_report(info, st);
    if (st == DRX_ENOENT)
        name_half(info);
    if (st)
        return false;
    drx_describe(info->array, &info->spec);
    if (look_at_files(info))
        return true;
    (void)drx_close(info->array);
    info->array = NULL;
    return false;
}

int close_info(struct info *info, int status)
{
    return close_array(info->array, info->path, status);
}

const char *time_text(time_t time, char out[TIME_TEXT_BYTES])
{
    struct tm local;

    if (!localtime_r(&time, &local) || strftime(out, TIME_TEXT_BYTES, "%Y-%m-%d %H:%M", &local) == 0)
        (void)snprintf(out, TIME_TEXT_BYTES, "-");
    return out;
}
