/* Files that the Disk Resident Arrays of Global Arrays have written: F.info, a line of numbers and a name, beside the
 * elements in F, or in F.0, F.1, … (Nieplocha, Foster 1996; as Global Arrays 5 writes them). Read only. Needs neither
 * MPI nor Global Arrays.
 *
 * Errors: a status, and drx_last_error() names the file, the line or the byte, and what was expected.
 * Threads: any number may read one file at a time. */
#ifndef OLD_FILE_H
#define OLD_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "drx.h"

enum { OLD_FILE_NAME = 80 };

/* An open file. Axes and indices are those that a C program sees: in the reverse of the order in F.info. */
struct old_file {
    char *path; /* F */
    int ndim;
    drx_type type;
    int64_t shape[DRX_MAX_NDIM]; /* elements, each >= 1 */
    int64_t block[DRX_MAX_NDIM]; /* elements of a contiguous block, but for those at the upper ends; along the first
                                    axis of a single file there is one block */
    char name[OLD_FILE_NAME];    /* as it was given; of no certain encoding */
    int files;                   /* 1: F itself; else F.0 to F.(files - 1) */
    int *fds;
    /* The next block along axis j is in the file that is `advance` further on, modulo their number; after `turn` blocks
     * it is the same file. */
    int64_t advance[DRX_MAX_NDIM], turn[DRX_MAX_NDIM];
    int64_t *sums; /* [j * files + k], j <= ndim: elements that file k has of the array without its first j axes */
};

/* Is there an F.info? It says nothing of what is in it. */
bool old_file_is_there(const char *path);

/* Open F, without its ".info". This checks F.info and the lengths of the files, which may be too long if an array
 * replaced a larger one. Close *f even when this fails.
 * Errors: DRX_ENOENT, DRX_EACCES, DRX_EFORMAT (F.info), DRX_EDAMAGED (a file is missing or too short), DRX_EOVERFLOW,
 * DRX_EIO, DRX_ENOMEM. */
drx_status old_file_open(struct old_file *f, const char *path);
void old_file_close(struct old_file *f);

/* Remove F.info and its files, if it can be opened. Errors: as old_file_open, and DRX_EIO. */
drx_status old_file_remove(const char *path);

/* Read the box of `count` elements from `lo` on. Neighbours along axis j are stride[j] elements apart in memory (each
 * stride >= 1, no two elements in one place). Allocates at most 256 KiB beside `buf`.
 * Errors: DRX_ERANGE, DRX_EDAMAGED, DRX_EIO, DRX_ENOMEM. */
drx_status old_file_read(const struct old_file *f, const int64_t lo[], const int64_t count[], const int64_t stride[],
                         void *buf);

/* The strides of a box that is alone in memory, the last axis fastest (DRX_ROW_MAJOR) or the first. */
void old_file_strides(const struct old_file *f, const int64_t count[], drx_order order, int64_t stride[]);

#endif
