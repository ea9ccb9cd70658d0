/* What the files of old_file.h share. */
#ifndef OLD_PARTS_H
#define OLD_PARTS_H

#include "../shim.h"
#include "old_file.h"

/* ---- old_info.c: F.info, as text; messages ------------------------------- */

/* Read F.info into ndim, type, shape, block, name and files of `f`, which has its path. All numbers are checked, and
 * that 64 bits hold the bytes of the array. */
drx_status old_info_read(struct old_file *f);

/* For a system call on `path` that set errno, doing `what`; and for an allocation. */
drx_status old_fail_errno(const char *path, const char *what);
drx_status old_out_of_memory(const char *path);

/* ---- old_file.c ------------------------------------------------------------------- */

/* F, or F.k; of -1, F.info. To be freed. */
char *old_file_name(const struct old_file *f, int k);

/* Extents of the block with indices `b`: smaller at the upper ends. */
void old_block_extents(const struct old_file *f, const int64_t b[], int64_t extent[]);

/* The file of that block, and the byte in it where it begins. */
int old_block_place(const struct old_file *f, const int64_t b[], const int64_t extent[], int64_t *begin);

#endif
