/* What `drx info` shows. */
#pragma once

#include <time.h>

#include "arrays/select.h"
#include "frame/json.h"

struct file_sizes {
    int64_t bytes, on_disk;
};

struct info {
    const char *path;
    drx_array *array;
    drx_spec spec;    /* as described by the library */
    char report[512]; /* what the library says about damage, or why the array cannot be opened, or "" */
    struct file_sizes metadata, checksums;
    struct file_sizes data; /* of all data files */
    struct file_sizes stripe[DRX_MAX_STRIPES];
    struct file_sizes table; /* of a compressed array */
    drx_packing packing;     /* what look_at_packing found */
    bool surveyed;           /* it found it; false: the table is damaged, which the report says */
    int64_t chunk_bytes;
    time_t changed;
};

/* Open the array, as of a commit of its dataset, and ask. False, silently: the report says why it cannot be opened. */
bool open_info(struct info *info, const char *path, int64_t commit);
int close_info(struct info *info, int status); /* the exit code */

/* Ask what the files of a compressed array hold: this reads its whole table. Gives the exit code. */
int look_at_packing(struct info *info);
/* This many bytes of chunks for each byte that is stored for them; 0: nothing is. */
double packing_ratio(const struct info *info);

/* `long_too`: with the history, else only its length. */
void put_info_json(struct json *j, const struct info *info, bool long_too);
void put_broken_json(struct json *j, const struct info *info); /* what open_info could not open */
void put_info_text(const struct info *info);

/* Was it trimmed? The history does not tell when, so that only the present shape is known. */
bool is_trimmed(const drx_array *a);

/* List the arrays of a folder, as lines or (j) objects; recursive: and those of its folders. Returns the exit code. */
int list_folder(const char *path, bool recursive, struct json *j);

/* "2026-01-31 12:00", local time. */
enum { TIME_TEXT_BYTES = 32 };
const char *time_text(time_t time, char out[TIME_TEXT_BYTES]);

/* ---- print_box.c: A selection of an array as text. */

/* Print a line for each row along the last axis, columns flush right; with more than two axes, a line "# [i, :, :]"
 * before each plane. Elements are printed by what they mean, or, when `raw`, as they are stored. Returns the
 * exit code. */
int print_box(drx_array *a, const struct selection *s, bool raw);

/* ---- advice.c: Prints advice on a layout. */

struct advice { /* of an open array */
    const char *path;
    drx_array *array;
    drx_spec now;
    int n;                            /* kinds of requests; 0: nothing is asked of the layout */
    const struct codec_table *codecs; /* NULL: nothing is asked of these */
    drx_access *access;
    int64_t (*count)[DRX_MAX_NDIM];
    drx_access_cost *before, *after;
    drx_advise_spec spec;
    drx_advice advice;
};

void put_advice_text(const struct advice *a);
void put_advice_json(struct json *j, const struct advice *a);

/* Members of the current object. */
void put_copy_figures(struct json *j, const drx_copy_plan *plan);

/* ---- codec_table.c: What codecs make of a sample of the chunks of an array, and how fast. */

#define ONE_MORE(...) +1

enum { CODEC_TRIALS = 5 DRX_CODEC_LIST(ONE_MORE) };

struct codec_table {
    int64_t chunks, of_chunks; /* of the sample, and in the bounds */
    int n;
    struct codec codec[CODEC_TRIALS];
    drx_trial trial[CODEC_TRIALS];
    int best; /* -1: none makes it smaller by more than a twentieth */
};

/* Try them. Gives the exit code. */
int try_codecs(struct codec_table *t, drx_array *a, const char *path);

void put_codecs_text(const struct codec_table *t, const drx_array *a, const char *path);
void put_codecs_json(struct json *j, const struct codec_table *t); /* members of the current object */
