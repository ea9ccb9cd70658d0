/* A disk in memory in place of that of the operating system: the two tables of src/io/io.h over an image, and a
 * journal of all that changes on it. */
#ifndef DISK_H
#define DISK_H

#include "image.h"
#include "io/io.h"

struct disk;

/* A disk that begins as `im`, which it takes over; NULL: empty. Free with disk_free, when all its files are closed. */
struct disk *disk_new(struct image *im);
void disk_free(struct disk *d);

/* From now on files are looked up on this disk; those that are open stay where they are. NULL: on the operating
 * system's. Returns the one before. */
struct disk *disk_use(struct disk *d);

const struct image *disk_image(const struct disk *d); /* as programs see it */
int disk_changes(const struct disk *d);
const struct change *disk_change(const struct disk *d, int i);

#endif
