/* A reference file of Kerchunk, version 1: what Zarr, version 2, says of arrays, and where their chunks lie. */
#pragma once

#include <json-c/json.h>

#include "dataset/datasets.h"
#include "files/paths.h"

/* An array as Zarr has it: index 0 is the first one. */
struct zarr_variable {
    drx_array *a;
    const char *path, *name; /* for messages; in the file */
    const char *dataset;     /* the path of the dataset that is asked for, or NULL */
    int ndim;                /* 0: a scalar, whose array has one axis */
    char *dim[DRX_MAX_NDIM]; /* names, to be freed; NULL: none */
};

/* ---- zarr_metadata.c ---- */

/* .zarray and .zattrs. NULL: out of memory. */
struct json_object *zarray_of(const struct zarr_variable *v);
struct json_object *zattrs_of(const struct zarr_variable *v);

/* Does an axis begin inside a chunk, so that Zarr cannot read the chunks where they lie? */
bool begins_inside_chunk(const struct zarr_variable *v);

/* Does the file of references hold the elements, as one chunk of Zarr that is not compressed? So it does with a
 * scalar in a compressed chunk of several elements, and with a small variable that begins inside a chunk. */
bool is_inline(const struct zarr_variable *v);

/* ---- zarr_attributes.c ---- */

/* The attributes as xarray expects them, without those that only DRX understands. is_text: of an array of text. */
struct json_object *attributes_of(const struct owner *of, bool is_text);
struct json_object *json_of_value(drx_type type, const void *value);

/* ---- refs_inline.c ---- */

/* A frame of Blosc that holds n bytes of one repeated element, in base64; to be freed. NULL: out of memory. */
char *constant_frame(drx_type type, const void *element, int64_t n);
/* False: a frame cannot repeat the element, a string of more than 255 bytes that are not alike. */
bool has_constant_frame(drx_type type, const void *element);
/* n elements as files have them, as they are or in a frame that is a copy of them; the same. */
char *stored_elements(drx_type type, const void *elements, int64_t n, bool frame);

/* ---- refs_file.c ---- */

struct refs_file {
    struct target target;
    int status; /* what went wrong first */
    bool some;  /* it has references already */
    size_t n;
    char bytes[1 << 16];
};

/* "-" is standard output. False after printing why. */
bool begin_refs(struct refs_file *f, const char *name);
/* The text of a JSON object, as a string. */
void put_object_ref(struct refs_file *f, const char *key, struct json_object *object);
/* key and url are the insides of strings of JSON (json_inside). */
void put_chunk_ref(struct refs_file *f, const char *key, const char *url, int64_t offset, int64_t bytes);
void put_inline_ref(struct refs_file *f, const char *key, const char *base64);
/* Give the file its name, or, when `status` or anything before is not DONE, leave none. Gives the exit code. */
int end_refs(struct refs_file *f, int status);

/* The text as inside of a string of JSON; to be freed. NULL: it is not UTF-8, or out of memory. */
char *json_inside(const char *text);

/* ---- refs_chunks.c ---- */

/* May other programs read the chunks of the array where they lie? Gives the exit code, after printing what would do. */
int check_for_refs(const struct zarr_variable *v);
/* One reference for each chunk. base: the URL of the folder of the files; NULL: on this machine. Gives the exit
 * code. */
int put_chunk_refs(struct refs_file *f, const struct zarr_variable *v, const char *base);
