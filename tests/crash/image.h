/* What is on a disk: files, each a string of bytes, and names of files. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct image_file {
    uint8_t *bytes;
    int64_t n, room; /* zero from n up to room */
};

struct image_name {
    char *path;
    int file;
};

struct image {
    struct image_file *file;
    struct image_name *name;
    int files, names;
};

/* One change of it. Paths have no "/" or "./" in front. A folder that was made has a name, which leads to an empty
 * file. */
struct change {
    enum { WRITE, RESIZE, SYNC, LINK, RENAME, REMOVE, SYNC_FOLDER } kind;
    int file;          /* of the first four */
    int64_t offset, n; /* of bytes written; RESIZE: the length is n */
    uint8_t *bytes;
    char *name;  /* LINK: of the file; RENAME: from; SYNC_FOLDER: a path in it */
    char *other; /* RENAME: to, over what has that name */
};

void change_free(struct change *c);

/* The folder that a path is in, ended by "/" or empty: its length. */
int folder_length(const char *path);
bool same_folder(const char *a, const char *b);
bool is_below(const char *path, const char *folder); /* in the folder, or in one in it */

int image_new_file(struct image *im);
int image_find(const struct image *im, const char *path); /* the file; -1: none */
void image_write(struct image *im, int file, const uint8_t *bytes, int64_t n, int64_t offset);
void image_resize(struct image *im, int file, int64_t n);
void image_drop_below(struct image *im, const char *folder);
/* What a change does; syncs do nothing. A file that does not exist yet is made. */
void image_apply(struct image *im, const struct change *c);
void image_copy(const struct image *from, struct image *to); /* without what has no name */
uint64_t image_hash(const struct image *im);                 /* of the names and what they lead to */
void image_free(struct image *im);

#endif
