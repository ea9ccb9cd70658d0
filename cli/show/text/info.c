/* Asks the library what an array is; prints it as JSON. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frame/defined_value.h"
#include "info.h"
#include "show/map/map_picture.h"

/* The library's detail, after the array's name unless it names the array or a file of it. */
static void take_report(struct info *info, drx_status st)
{
    const char *detail = drx_last_error()[0] || !st ? drx_last_error() : drx_strerror(st);
    const size_t n = strlen(info->path);

    if (!detail[0] || (strncmp(detail, info->path, n) == 0 && (detail[n] == ':' || detail[n] == '.')))
        (void)snprintf(info->report, sizeof info->report, "%s", detail);
    else
        (void)snprintf(info->report, sizeof info->report, "%s: %s", info->path, detail);
}

/* A file here, on a server, or a stripe on the disk of another node. */
static bool look_at_file(struct info *info, int i, struct file_sizes *sizes)
{
    const char *name = drx_file(info->array, i);
    drx_file_status found = { 0 };
    drx_status st = DRX_OK;
    struct stat file;

    if (!name) /* of a null variable */
        return true;
    if (drx_is_url(name)) {
        st = drx_file_state(info->array, i, &found.bytes, &found.changed);
        found.stored_bytes = found.bytes;
    } else if (stat(name, &file) == 0) {
        found.bytes = (int64_t)file.st_size;
        found.stored_bytes = (int64_t)file.st_blocks * 512;
        found.changed = file.st_mtime;
    } else if (errno == ENOENT) {
        st = drx_file_look(info->array, i, &found);
    } else {
        (void)snprintf(info->report, sizeof info->report, "%s: cannot stat: %s", name, strerror(errno));
        return false;
    }
    if (st)
        take_report(info, st);
    *sizes = (struct file_sizes){ found.bytes, found.stored_bytes };
    if (found.changed > info->changed)
        info->changed = found.changed;
    return !st;
}

static int data_files(const struct info *info)
{
    return info->spec.nstripes ? info->spec.nstripes : 1;
}

static bool look_at_files(struct info *info)
{
    bool good = look_at_file(info, 0, &info->metadata);

    for (int k = 0; good && k < data_files(info); k++) {
        good = look_at_file(info, 1 + k, &info->stripe[k]);
        info->data.bytes += info->stripe[k].bytes;
        info->data.on_disk += info->stripe[k].on_disk;
    }
    if (good && drx_file(info->array, 1 + data_files(info)))
        good = look_at_file(info, 1 + data_files(info), info->spec.codec ? &info->table : &info->checksums);
    return good;
}

/* Report that the metadata is missing if the data file is there. */
static void name_half(struct info *info)
{
    struct array_files files;
    struct stat file;

    if (list_array_files(info->path, &files) == DRX_ENOENT && lstat(files.name[0], &file) != 0 &&
        lstat(files.name[1], &file) == 0)
        (void)snprintf(info->report, sizeof info->report, "%s: missing, only %s is there", files.name[0],
                       files.name[1]);
    free_array_files(&files);
}

bool open_info(struct info *info, const char *path, int64_t commit)
{
    drx_status st;

    memset(info, 0, sizeof *info);
    info->path = path;
    st = drx_open_at(path, commit, &info->array);
    take_report(info, st);
    if (st == DRX_ENOENT)
        name_half(info);
    if (st)
        return false;
    drx_describe(info->array, &info->spec);
    info->chunk_bytes = (int64_t)drx_type_size(info->spec.type);
    for (int j = 0; j < info->spec.ndim; j++)
        info->chunk_bytes *= drx_chunk(info->array)[j];
    if (look_at_files(info))
        return true;
    (void)drx_close(info->array);
    info->array = NULL;
    return false;
}

int look_at_packing(struct info *info)
{
    const drx_status st = info->spec.codec ? drx_packing_of(info->array, &info->packing) : DRX_OK;

    info->surveyed = !st;
    if (st != DRX_EDAMAGED)
        return exit_code(info->path, st);
    if (!info->report[0]) {
        take_report(info, st);
        warn("%s", info->report);
    }
    return DONE;
}

double packing_ratio(const struct info *info)
{
    const drx_packing *p = &info->packing;

    if (p->stored_bytes == 0)
        return 0;
    return (double)(p->compressed_chunks + p->open_chunks) * (double)info->chunk_bytes / (double)p->stored_bytes;
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

bool is_trimmed(const drx_array *a)
{
    int64_t shape[DRX_MAX_NDIM], by;
    int axis;

    memcpy(shape, drx_initial_shape(a), (size_t)drx_ndim(a) * sizeof *shape);
    for (int64_t i = 0; i < drx_growth_count(a) && !drx_growth(a, i, &axis, &by); i++)
        shape[axis] += by < 0 ? -by : by;
    return memcmp(shape, drx_shape(a), (size_t)drx_ndim(a) * sizeof *shape) != 0;
}

static void put_history(struct json *j, drx_array *a)
{
    const int ndim = drx_ndim(a);
    int64_t shape[DRX_MAX_NDIM];
    int64_t by;
    const bool trimmed = is_trimmed(a);
    int axis;

    memcpy(shape, drx_initial_shape(a), (size_t)ndim * sizeof *shape);
    json_begin(j, "history", '[', true);
    for (int64_t i = 0; i < drx_growth_count(a) && !put_failed(); i++) {
        if (drx_growth(a, i, &axis, &by))
            break;
        shape[axis] += by < 0 ? -by : by;
        json_begin(j, NULL, '{', false);
        json_number(j, "axis", axis);
        json_number(j, "by", by < 0 ? -by : by);
        if (by < 0)
            json_boolean(j, "before", true);
        if (!trimmed)
            json_numbers(j, "shape", ndim, shape);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void put_stripes(struct json *j, const struct info *info)
{
    json_begin(j, "stripes", '[', info->spec.nstripes > 0);
    for (int k = 0; k < info->spec.nstripes; k++) {
        json_begin(j, NULL, '{', false);
        json_string(j, "folder", info->spec.stripes[k]);
        json_string(j, "file", drx_file(info->array, 1 + k));
        json_number(j, "bytes", info->stripe[k].bytes);
        json_number(j, "bytes_on_disk", info->stripe[k].on_disk);
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void put_packing(struct json *j, const struct info *info)
{
    const drx_packing *p = &info->packing;
    const double ratio = packing_ratio(info);

    if (!info->surveyed)
        return;
    if (ratio > 0)
        json_value(j, "ratio", DRX_FLOAT64, &ratio);
    else
        json_null(j, "ratio");
    json_number(j, "stored_bytes", p->stored_bytes);
    json_number(j, "open_bytes", p->open_chunks * info->chunk_bytes);
    json_number(j, "dead_bytes", p->dead_bytes);
    json_number(j, "compressed_chunks", p->compressed_chunks);
    json_number(j, "open_chunks", p->open_chunks);
    json_number(j, "empty_chunks", p->empty_chunks);
}

void put_info_json(struct json *j, const struct info *info, bool long_too)
{
    drx_array *a = info->array;
    const drx_spec *spec = &info->spec;
    static const char zero[VALUE_MAX_BYTES];

    json_begin(j, NULL, '{', true);
    json_string(j, "path", info->path);
    json_numbers(j, "shape", spec->ndim, drx_shape(a));
    if (is_null(a))
        json_boolean(j, "null", true);
    json_numbers(j, "lower", spec->ndim, drx_lower(a));
    json_numbers(j, "chunk", spec->ndim, drx_chunk(a));
    json_type_of(j, spec->type);
    json_string(j, "order", spec->chunk_order == DRX_COL_MAJOR ? "F" : "C");
    json_begin(j, "dims", '[', false);
    for (int axis = 0; axis < spec->ndim; axis++)
        json_string(j, NULL, drx_dim_name(a, axis));
    json_end(j, ']');
    json_value(j, "fill", spec->type, spec->fill ? spec->fill : zero);
    json_attributes(j, &(struct owner){ .array = a });
    if (long_too)
        put_history(j, a);
    else
        json_number(j, "growths", drx_growth_count(a));
    json_number(j, "chunks", chunks_inside(a));
    json_number(j, "addresses", drx_chunk_count(a));
    json_number(j, "data_bytes", info->data.bytes);
    json_number(j, "metadata_bytes", info->metadata.bytes);
    json_numbers(j, "initial_shape", spec->ndim, drx_initial_shape(a));
    json_number(j, "align", spec->align ? spec->align : 1);
    json_number(j, "data_bytes_on_disk", info->data.on_disk);
    put_stripes(j, info);
    json_boolean(j, "checksum", info->spec.flags & DRX_CHECKSUM);
    if (info->spec.flags & DRX_CHECKSUM)
        json_number(j, "checksum_bytes", info->checksums.bytes);
    json_codec(j, spec);
    if (spec->codec)
        json_number(j, "table_bytes", info->table.bytes);
    if (spec->codec && long_too)
        put_packing(j, info);
    if (info->report[0])
        json_string(j, "report", info->report);
    json_end(j, '}');
}
