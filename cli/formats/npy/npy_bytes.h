/* An .npy file as bytes. */
#ifndef NPY_BYTES_H
#define NPY_BYTES_H

#include <stddef.h>

#include "npy.h"

/* Open the file, "-" for standard input; `bytes` is its size, when it is no pipe. */
bool npy_open_file(struct npy *npy, const char *name, int64_t *bytes);

/* Move n bytes at that offset of the file; of a pipe the next n. get returns
 * false, silently, when the file ends before, with errno 0, or on an error. */
bool npy_get(const struct npy *npy, void *buf, size_t n, int64_t offset);
bool npy_put(const struct npy *npy, const void *buf, size_t n, int64_t offset);

#endif
