/* What `drx info` shows. */
#ifndef INFO_H
#define INFO_H

#include <time.h>

#include "frame/cli.h"
#include "frame/json.h"

struct file_sizes {
    int64_t bytes, on_disk;
};

struct info {
    const char *path;
    drx_array *array;
    drx_spec spec;    /* as described by the library */
    char report[512]; /* what the library had to say about a damaged array, or ""; when it cannot be opened, why */
    struct file_sizes metadata, checksums; /* checksums: if the array has any */
    struct file_sizes data;                /* of all data files; and of each: */
    struct file_sizes stripe[DRX_MAX_STRIPES];
    time_t changed;
};

/* Open the array and ask. False, silently: it cannot be opened, the report says why. */
bool open_info(struct info *info, const char *path);
int close_info(struct info *info, int status); /* the exit code */

/* `long_too`: with the history, else only its length. */
void put_info_json(struct json *j, const struct info *info, bool long_too);
void put_broken_json(struct json *j, const struct info *info); /* what open_info could not open */
void put_info_text(const struct info *info);

/* The arrays of a folder, in text a line for each, in JSON an object for each; `recursive`: of the folders in it,
 * too. j NULL: text. Returns the exit code, after printing what went wrong. */
int list_folder(const char *path, bool recursive, struct json *j);

/* As a line of a list begins: the date and time of a change. */
enum { TIME_TEXT_BYTES = 32 };
const char *time_text(time_t time, char out[TIME_TEXT_BYTES]);

#endif
