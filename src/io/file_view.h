/* The bytes of a file as read-only memory.
 *
 * Reading raises SIGBUS when another process has shortened the file or the device fails. drxi_view_use returns false
 * then. Each use but drxi_view_get_then checks that its handler for SIGBUS is in place, since the program may set its
 * own, and the handler passes unrelated signals on to the previous one. */
#pragma once

#include "base/base.h"

struct drxi_view {
    const uint8_t *base;
    int64_t bytes; /* length of the file when it was last checked */
    int64_t room;  /* the view serves until the file is longer than this */
    int64_t span;  /* of addresses, from `base` on */
    bool tells;    /* the system tells this user what of the file is in memory */

    /* 0: the byte at an offset is at base + offset. Otherwise units go in turn to this many files, each of which has
     * file_span addresses: drxi_view_at finds the byte. */
    int files;
    int64_t unit, file_span;

    struct drxi_view *older, *newer; /* open ones of the process */
};

/* Where the byte at the offset is; those after it follow up to the end of its unit. */
static inline const uint8_t *drxi_view_at(const struct drxi_view *view, int64_t offset)
{
    int64_t unit;

    if (view->files == 0)
        return view->base + offset;
    unit = offset / view->unit;
    return view->base + unit % view->files * view->file_span + unit / view->files * view->unit + offset % view->unit;
}

/* Bytes that lie `step` apart, n of them; such groups lie `turn` apart. */
struct drxi_view_row {
    int64_t n, step, groups, turn;
};

/* How the bytes lie in memory whose offsets are evenly apart: groups * n of them, the first one at the offset, `count`
 * at most. `all`: the row is the same from any offset, and has them all. */
struct drxi_view_row drxi_view_row(const struct drxi_view *view, int64_t offset, int64_t apart, int64_t count,
                                   bool *all);

/* Make a view of the open file; false when that is impossible. An open view stays where it is in memory. */
bool drxi_view_open(int fd, int64_t bytes, struct drxi_view *view);
/* The same of n files, to which units of this many bytes go in turn. */
bool drxi_view_open_units(int n, const int fd[], int64_t unit, int64_t bytes, struct drxi_view *view);
/* An open view, of a file that is so long now. */
static inline void drxi_view_renew(struct drxi_view *view, int64_t bytes)
{
    view->bytes = bytes <= view->room ? bytes : 0;
}
DRXI_SHARED void drxi_view_close(struct drxi_view *view);

/* Call work(arg), which reads bytes of the view and must not hold anything to release; false when unreadable bytes
 * cut it short. */
bool drxi_view_use(const struct drxi_view *view, void (*work)(void *arg), void *arg);

/* Copy n bytes from the offset in the same way. */
bool drxi_view_get(const struct drxi_view *view, int64_t offset, void *buf, size_t n);
/* The same for a program that gets many elements: the caller has found where the bytes are, and has called
 * drxi_view_get once, which sets the handler. After them come the two words at `place`, in another view (NULL:
 * none). */
bool drxi_view_get_then(const uint8_t *at, void *buf, size_t n, const uint8_t *place, uint64_t word[2]);

/* Bring bytes of a view into memory, in large pages where the file system has them; false when that fails or the system
 * cannot. After it has said that it cannot, drxi_view_touches is false. */
bool drxi_view_touch(const uint8_t *at, size_t bytes);
bool drxi_view_touches(void);

/* Release the pages that were read; the system keeps them in its cache. Other threads may be reading. */
void drxi_view_let_go(const struct drxi_view *view);

/* What views may keep mapped of the memory that drx_set_memory allows; INT64_MAX: no limit is set. */
int64_t drxi_view_most(void);
/* Release the pages of all views if the process has mapped more than that of files, apart from libraries. */
void drxi_view_bound(int64_t most);

/* Whether the page of that offset is in memory; for a view that tells. */
bool drxi_view_resident(const struct drxi_view *view, int64_t offset);
/* The same, for any view, by trying to read from the file without waiting. True, too, where that is unknown. A page
 * that is not in memory is on its way afterwards. */
bool drxi_file_resident(int fd, int64_t offset);
