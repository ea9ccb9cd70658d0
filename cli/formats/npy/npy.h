/* Files of NumPy (.npy): one array, in C or Fortran order, of either byte order. Calls print why they return false. */
#pragma once

#include <stdbool.h>

#include "drx.h"

struct npy {
    const char *name; /* as in messages */
    int fd;
    bool pipe;    /* boxes can only be read in sequence */
    bool swapped; /* elements are in the other byte order */
    drx_type type;
    drx_order order;
    int ndim; /* 0 and more than DRX_MAX_NDIM are refused */
    int64_t shape[DRX_MAX_NDIM];
    int64_t start; /* bytes before the first element */
};

/* Open a file, "-" for standard input, and read its header. */
bool npy_open(struct npy *npy, const char *name);
void npy_close(struct npy *npy);

/* Are the elements of the type of the array? */
bool npy_has_type(const struct npy *npy, const drx_array *a);

/* The box of `count` elements from `lo` on, contiguous in the order of the file. */
bool npy_read(struct npy *npy, const int64_t lo[], const int64_t count[], void *buf);
bool npy_write(struct npy *npy, const int64_t lo[], const int64_t count[], const void *buf);

/* Write the header for name, fd, pipe, type, order, ndim and shape; sets start. */
bool npy_write_header(struct npy *npy);

/* Open the file, "-" for standard input; *bytes: its size, unless it is a pipe. */
bool npy_open_file(struct npy *npy, const char *name, int64_t *bytes);

/* Move n bytes at that offset of the file, or the next n of a pipe. npy_get is silent: false with errno 0 means that
 * the file ends before. */
bool npy_get(const struct npy *npy, void *buf, size_t n, int64_t offset);
bool npy_put(const struct npy *npy, const void *buf, size_t n, int64_t offset);
