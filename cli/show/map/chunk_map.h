/* What `drx map` shows: where the chunks are. */
#ifndef CHUNK_MAP_H
#define CHUNK_MAP_H

#include "frame/cli.h"

/* The bounds of `a` in chunks. */
void chunk_bounds(const drx_array *a, int64_t bounds[]);

/* The addresses of a 2-D array as a table, then the axial vectors; what is long
 * is abbreviated unless `all`. */
int put_map_text(drx_array *a, const char *path, bool all);
int put_map_json(drx_array *a, const char *path);

#endif
