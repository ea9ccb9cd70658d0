/* Bytes of an .npy file. */
#ifndef NPY_BYTES_H
#define NPY_BYTES_H

#include <stddef.h>

#include "npy.h"

/* Move n bytes at that offset of the file; of a pipe the next n. get returns
 * false, silently, when the file ends before, with errno 0, or on an error. */
bool npy_get(const struct npy *npy, void *buf, size_t n, int64_t offset);
bool npy_put(const struct npy *npy, const void *buf, size_t n, int64_t offset);

#endif
