/* Datasets as verbs use them: opening, attributes, and what import notes for export. The calls print what goes
 * wrong. */
#pragma once

#include "arrays/select.h"

struct json;

/* NULL after printing why. Prints a report of the library as a warning. */
drx_dataset *open_dataset(const char *path, int mode, int64_t at);
/* Abort what was not committed and close. Returns `status`, or FAILED after printing why. */
int close_dataset(drx_dataset *ds, const char *path, int status);

/* The path of the dimension of that axis of variable i; its name: plain, or "/PATH" where another dimension comes
 * first in its scope; in `out`, cut to fit. */
const char *dim_of(const drx_dataset *ds, int i, int axis);
enum { DIM_TEXT_BYTES = 4096 };
const char *dim_text(const drx_dataset *ds, int i, int axis, char out[DIM_TEXT_BYTES]);

/* The paths of the dimensions of variable i, "/g/x", which no nearer ones hide; to be freed. Gives the exit code. */
int place_dims(const drx_dataset *ds, int i, char *dims[]);

/* The array of member i; NULL after printing why. */
drx_array *member_array(drx_dataset *ds, const char *path, int i);

/* Is variable i a coordinate, or do others name it for their coordinates or bounds? */
bool is_coordinate_in(drx_dataset *ds, const char *path, int i);

/* The range of each dimension that `text` says (select_dims), in `of`, to be freed; and member i with what they
 * select of it. A dimension stays, with one index, where one is selected. They give the exit code. */
int select_part_of(drx_dataset *ds, const char *path, const char *text, struct range **of);
int select_member(drx_dataset *ds, const char *path, int i, const struct range of[], drx_array **a,
                  struct selection *s);

/* Is the dimension unlimited in an exported file: it grew, or was unlimited in the file that was imported? */
bool is_unlimited(const drx_dataset *ds, int d);
/* Note that it is. */
drx_status note_unlimited(drx_dataset *ds, const char *dim);
/* Let what is noted follow a new name of a dimension, or of a group, whose dimensions have it in their paths. */
drx_status rename_unlimited(drx_dataset *ds, const char *old, const char *new);
/* The number of indices of a dimension. */
int64_t extent_of(const drx_dataset *ds, int d);

/* How many strings of netCDF the attribute was made from; -1: it was none. */
int64_t string_count(const struct owner *of, const char *name);

/* What a dataset is, as `ncdump -h` prints it (of that group alone; "": all) or as JSON. They give the exit code. */
int put_dataset_text(drx_dataset *ds, const char *path, const char *group);
void put_attribute_value(const struct owner *of, const struct attribute *t, bool bare); /* bare: not as in CDL */
int put_dataset_json(struct json *j, drx_dataset *ds, const char *path);

/* The last `most` commits (-1: all), the last one first. */
int put_log(drx_dataset *ds, const char *path, int64_t most, bool as_json);

/* "2026-01-31 12:00:59", local time; "-": unknown, as for a folder without dataset.xds. */
enum { COMMIT_TIME_BYTES = 64 };
const char *commit_time_text(int64_t microseconds, char out[COMMIT_TIME_BYTES]);

struct deflate;

/* Write the netCDF-4 file `name`; text: of the part (select_dims), NULL: all; deflate: of all variables, if given.
 * Gives the exit code. */
int export_dataset(drx_dataset *ds, const char *path, const char *text, const char *name,
                   const struct deflate *deflate);

/* ---- parts.c: Variables, dimensions and groups of a dataset, by their paths. The calls print what goes wrong and give
 * the exit code. */

/* Rename those of `parts` (bits of enum drx_part) that have the path `old`; 0: all, but not a dimension with a
 * group. */
int rename_part(drx_dataset *ds, const char *path, const char *old, const char *new, unsigned parts);

/* Remove, or rename to the path `to`, the variable or group `inside` of the dataset in `folder`, whose whole path is
 * `path`, in a commit of its own. */
int remove_part(const char *folder, const char *path, const char *inside);
int move_part(const char *folder, const char *path, const char *inside, const char *to);

/* ---- new_dataset.c: A new dataset. It is made under another name beside its place and renamed when it is durable, so
 * that a verb that fails or is killed leaves no dataset. */

/* Fills the empty dataset and commits; `path` is for messages. Gives the exit code. */
typedef int fill_work(drx_dataset *ds, const char *path, void *with);

/* Is there nothing, or an empty folder, which the new one replaces? Prints what is; `otherwise` ends the message when
 * that is a dataset. */
bool is_free_folder(const char *path, const char *otherwise);

/* Make a dataset of that path, which is free. Interrupts wait from here on. Gives the exit code. */
int make_dataset(const char *path, fill_work *fill, void *with);

/* Commit with what was typed as the message, cut to the bytes that one may have and made UTF-8. Gives the exit code. */
int commit_typed(drx_dataset *ds, const char *path);
/* Do that if `status` is DONE, and close. Gives the exit code. */
int commit_and_close(drx_dataset *ds, const char *path, int status);
