/* Exports of the ranks of a distributed array, as JSON: an object whose keys are the ranks. Each has the three keys of
 * the Distributed Array Protocol. */
#pragma once

#include <dap.h>
#include <json-c/json.h>

#include "frame/cli.h"

struct spot {
    char *why;
    size_t why_bytes;
    int64_t rank; /* -1: of the file */
    int axis;     /* -1: of the rank */
};

/* Write "rank R, axis A, KEY: what" to `why`; false. */
bool spot_wrong(const struct spot *spot, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same: VALUE, expected what. */
bool spot_unfit(const struct spot *spot, const char *key, struct json_object *value, const char *expected);

bool spot_whole(const struct spot *spot, const char *key, struct json_object *value, int64_t *out);
/* A list, its length in *n. */
bool spot_list(const struct spot *spot, const char *key, struct json_object *value, const char *expected, size_t *n);

/* Read a dictionary of dim_data; extent: of the buffer. Ranges are not checked. The caller frees dim->indices. */
bool read_exported_axis(const struct spot *spot, struct json_object *dictionary, int64_t extent, struct dap_dim *dim);

enum { WHY_BYTES = 512 };

struct exports {
    int64_t nranks;
    struct dap_array *ranks;      /* [nranks]; without data */
    const struct dap_array **set; /* each of them */
    char why[WHY_BYTES];          /* what is wrong, or "" */
};

/* Read the file ("-": standard input) and validate it. False: `why` says what is wrong. Free it in any case. */
bool read_exports(struct exports *f, const char *path);
void free_exports(struct exports *f);

/* Print valid exports: lines of text, or keys of an object. */
void put_exports_text(const struct exports *f, const char *path);
struct json;
void put_exports_json(struct json *j, const struct exports *f);
