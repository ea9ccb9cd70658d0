/* The arrays and folders in a folder. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <stddef.h>

struct names {
    char **name;
    size_t n, room;
};

struct folder {
    struct names arrays;  /* without suffix; also those with one file missing */
    struct names folders; /* without links to folders */
};

/* Read the folder, except names that begin with a dot; sort both lists, a2 before a10. False after printing why. */
bool read_folder(struct folder *folder, const char *path);
void free_folder(struct folder *folder);

/* Remove the folder with all in it, which are all ours. */
void remove_folder(const char *path);

bool is_folder(const char *path); /* links followed */

/* The path of `name` in a folder ("." or "": the present one), to be freed. NULL: out of memory. */
char *in_folder(const char *folder, const char *name);

bool is_same_file(const char *a, const char *b); /* links followed; both exist */

/* The folder that a path lies in, to be freed; NULL: out of memory. */
char *folder_of(const char *path);
/* What follows the last slash. */
const char *base_name(const char *path);

/* Does one of the files of such an array exist? */
bool has_array_file(const char *path);

/* Is it a folder with a file dataset.xds? An array of the same path has precedence, unless a slash follows. */
bool is_dataset(const char *path);

/* Remove slashes at the end of the word, but not one that is all of it. */
void drop_slashes(char *word);

/* Does the word name a dataset? Removes slashes at its end, and "/dataset.xds". */
bool names_dataset(char *word);

/* The same; a slash stays when the word without it means an array. */
bool means_dataset(char *word);

#endif
