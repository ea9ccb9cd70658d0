/* What `drx info` shows. */
#ifndef INFO_H
#define INFO_H

#include "cli.h"

struct info {
    const char *path;
    drx_array *array;
    drx_spec spec; /* as described by the library */
    char *report;  /* what the library had to say about a damaged array; may be empty or NULL */
    int64_t data_bytes, data_bytes_on_disk, metadata_bytes;
};

void put_info_json(const struct info *info);
void put_info_text(const struct info *info);

#endif
