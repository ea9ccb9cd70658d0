/* The bytes of a file as memory, to read only.
 *
 * Another process may shorten the file, or the device may fail: reading then raises
 * SIGBUS. drxi_view_use turns that into a false: its handler for SIGBUS is looked after
 * at each use (each 64th get of a thread), since the program may set its own, and passes
 * on what happens elsewhere to the one before it. */
#ifndef DRXI_FILE_VIEW_H
#define DRXI_FILE_VIEW_H

#include "base/base.h"

struct drxi_view {
    const uint8_t *base;
    int64_t bytes; /* of the file, when it was looked at last */
    int64_t room;  /* up to which it may grow without another view */
};

/* Make a view of the open file; false when it cannot be. */
bool drxi_view_open(int fd, int64_t bytes, struct drxi_view *view);
void drxi_view_close(struct drxi_view *view);

/* Call work(arg), which reads bytes of the view, and holds nothing that would have to
 * be given back; false when it was cut short, since bytes could not be read. */
bool drxi_view_use(const struct drxi_view *view, void (*work)(void *arg), void *arg);

/* Copy n bytes from the offset, in the same way. */
bool drxi_view_get(const struct drxi_view *view, int64_t offset, void *buf, size_t n);

/* Let go of the pages that were read, which stay in the system's memory: other threads
 * may be reading. */
void drxi_view_let_go(const struct drxi_view *view);

/* Whether the page of that offset is in memory. */
bool drxi_view_resident(const struct drxi_view *view, int64_t offset);

#endif
