/* Small arrays with a mark by which a test recognizes them anywhere. */
#ifndef MARKED_H
#define MARKED_H

#include "testing.h"

/* How many of the folders s0 and s1 hold data of new arrays, beside the folder of their metadata. */
extern int marked_stripes;

/* How new arrays are compressed. */
extern drx_codec marked_codec;

/* Make, or replace, an array of n elements that are all `mark`, with a growth, an attribute and a SYNC in its log. */
void marked_make(const char *path, int64_t n, int8_t mark);

/* Is this array there, and whole? */
bool marked_is(const char *path, int64_t n, int8_t mark);

/* No file of that array is there. */
bool marked_none(const char *path);

/* Count the files whose names match this shell pattern. */
int marked_count(const char *pattern);

/* Remove them. */
void marked_clear(const char *pattern);

/* Empty the current folder, and make the folders left, right, s0, s1 and s2 in it. */
void marked_clean(void);

/* What a copy reported of its progress: how often, and the last time. It is interrupted at call `stop_at`. */
struct marked_seen {
    int64_t calls, stop_at, last, total;
};

int marked_progress(void *seen, int64_t done, int64_t total);

#endif
