/* What is in a folder: arrays, and folders. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct names {
    char **name;
    size_t n, room;
};

struct folder {
    struct names arrays;  /* without suffix; those of which one file is there, too */
    struct names folders; /* links to folders are not among them */
};

/* Read the folder, both lists sorted so that a2 comes before a10; what begins with a dot is left out. Prints what
 * goes wrong and returns false. */
bool read_folder(struct folder *folder, const char *path);
void free_folder(struct folder *folder);

bool is_folder(const char *path); /* links followed */

/* The path of `name` in a folder, "." or nothing being the present one; to be freed. NULL: out of memory. */
char *in_folder(const char *folder, const char *name);

bool is_same_file(const char *a, const char *b); /* links followed; both exist */

/* What follows the last slash. */
const char *base_name(const char *path);

/* Does the word mean an array rather than a folder: is one of its files there? */
bool has_array_file(const char *path);

#endif
