/* An array on a server: what its files may become while it is open.
 *
 * Nobody tells a reader that a file changes. A server says, with each answer, which state the file has (io/io.h),
 * and this file decides what that means.
 *
 * Invariants
 *   1. The log that the handle knows is a prefix of the log on the server whenever elements are given out that were
 *      read from a file in another state. Otherwise the array was replaced, or its log was.
 *   2. Growth leaves the elements inside the bounds as they are, and says so in the log: an append records its GROW
 *      before it writes elements. So a file of raw chunks that has changed since the log last told of growth was
 *      overwritten: DRX_EMISMATCH. Checksums only compare, so a change of theirs needs no reason.
 *   3. A file is opened after the log was read. So one look at the log after the first read shows that both belong
 *      together: it still holds what the handle knows. */
#include <time.h>

#include "array/array.h"

enum { LOOKS = 5, FIRST_PAUSE_MS = 50 }; /* whoever copies files to a server copies the log last: wait for it */

static drx_status refuse_file(const drxi_io *io)
{
    return drxi_fail(DRX_EMISMATCH,
                     "%s: changed since it was opened, and the log does not tell of growth: refresh the "
                     "handle to see it as it is now",
                     io->path);
}

static bool only_compares(const drx_array *a, const drxi_io *io)
{
    struct drxi_stored_file f;

    for (int k = 0; drxi_data_file(&a->data, k, &f); k++)
        if (f.io == io)
            return f.compares;
    return false;
}

static drx_status judge_growths(void *of, const drxi_io *io, int64_t *as_of)
{
    drx_array *a = of;
    struct timespec pause = { 0, FIRST_PAUSE_MS * 1000000L };

    for (int i = 0; i < LOOKS; i++) {
        drx_status st;
        int64_t now;

        if (i > 0) {
            (void)nanosleep(&pause, NULL);
            pause.tv_nsec *= 2;
        }
        (void)pthread_mutex_lock(&a->watch.lock);
        st = drxi_watch_renew(a);
        now = a->watch.growths;
        (void)pthread_mutex_unlock(&a->watch.lock);
        if (st)
            return st;
        if (now > *as_of || only_compares(a, io)) {
            *as_of = now;
            drxi_data_drop_read(&a->data); /* the other files may have changed, too */
            return DRX_OK;
        }
    }
    return refuse_file(io);
}

void drxi_set_judge(drx_array *a)
{
    struct drxi_stored_file f;

    for (int k = 0; drxi_data_file(&a->data, k, &f); k++)
        if (f.io->ops->state)
            f.io->ops->state->judge(f.io, judge_growths, a);
}

drx_status drxi_repin_files(drx_array *const a[], int64_t n)
{
    struct drxi_stored_file f;
    drxi_io **io = NULL;
    int64_t files = 0, room = 0;
    drx_status st = DRX_OK;

    for (int64_t i = 0; i < n; i++)
        for (int k = 0; !st && drxi_data_file(&a[i]->data, k, &f); k++) {
            if (f.io->pinned && !(st = drxi_reserve(&io, &room, files + 1, sizeof(drxi_io *))))
                io[files++] = f.io;
        }
    if (!st && files > 0)
        st = io[0]->ops->state->repin(io, (int)files);
    drxi_free(io);
    return st;
}

/* The log and, of most arrays, the elements are asked for at once. */
void drxi_expect_array(const char *path, bool fresh, int connections)
{
    drxi_expect(path, ".xmd", fresh, connections);
    drxi_expect(path, ".xta", fresh, connections);
}
