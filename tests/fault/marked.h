/* Small arrays that are known again wherever they are found. */
#ifndef MARKED_H
#define MARKED_H

#include "testing.h"

/* Over so many of the folders s0 and s1, beside that of their metadata, the data of arrays are spread that are made. */
extern int marked_stripes;

/* Make, or replace, an array of n elements that are all `mark`, with a growth, an attribute and a SYNC in its log. */
void marked_make(const char *path, int64_t n, int8_t mark);

/* Is the array there, and whole, and this one? */
bool marked_is(const char *path, int64_t n, int8_t mark);

/* No file of that array is there. */
bool marked_none(const char *path);

/* So many files are there under names that this shell pattern matches. */
int marked_count(const char *pattern);

/* Remove them. */
void marked_clear(const char *pattern);

/* Remove all that is in the current folder, and make the folders left, right, s0, s1 and s2 in it. */
void marked_clean(void);

/* What a copy reported of its progress: how often, and the last time. It is interrupted at call `stop_at`. */
struct marked_seen {
    int64_t calls, stop_at, last, total;
};

int marked_progress(void *seen, int64_t done, int64_t total);

#endif
