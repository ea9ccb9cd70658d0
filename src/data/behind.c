/* Writing behind: the system begins to write elements to the disk soon after they were written, so that a sync finds
 * little to wait for, and memory does not fill with bytes that must be written before it can be used again.
 *
 * The data are cut into spans. A span waits to be pushed when it has been written whole, or, if it was written in part,
 * when the data grow, since what lies below the last growth is rarely written again. A push makes the program wait for
 * the disk, which is of no use with memory enough and without a sync. So the first sixteenth of the memory pushes
 * nothing (Linux itself begins at a tenth). From then on every SPAN_BYTES that are written push one or two spans, the
 * oldest first, until only the youngest waits. Scattered writes push nothing, and a span waits once for each reason,
 * however often it is written: rewriting costs what it did.
 *
 * A copy from memory writes faster than any disk, so it would wait for most of its pushes: for the disk, and for the
 * file system, which finds places for the bytes meanwhile and keeps other writes out of the file. It pushes nothing in
 * the first eighth of the memory, and so leaves the beginning to Linux. */
#include "base/hooks.h"
#include "data/data.h"

enum {
    SPAN_BYTES = DRXI_BEHIND_SPAN_BYTES,
    REST_BYTES = SPAN_BYTES / 16, /* less is left to the sync */
    WAITED = -2 * SPAN_BYTES      /* counts what is written later */
};

static const int64_t least_start_bytes = INT64_C(256) << 20;
static const int64_t most_start_bytes = INT64_C(2) << 30; /* half of the spans that can wait */

static atomic_bool off;

void drx_set_write_behind(int on)
{
    atomic_store_explicit(&off, !on, memory_order_relaxed);
}

static bool is_on(const struct drxi_data *data)
{
    return data->file->io->ops->push && !atomic_load_explicit(&off, memory_order_relaxed);
}

static int64_t start_bytes(bool late)
{
    const int64_t room = drxi_room_for_files();

    if (drxi_hooks.behind_bytes > 0)
        return drxi_hooks.behind_bytes * (late ? 2 : 1);
    return drxi_max(least_start_bytes, late ? room / 8 : drxi_min(room / 16, most_start_bytes));
}

/* Follow the spans from `first` on. */
static void move_to(struct drxi_behind *b, int64_t first)
{
    if (first < b->first || first >= b->first + DRXI_BEHIND_SPANS)
        memset(b->written, 0, sizeof b->written);
    else
        for (int64_t s = b->first; s < first; s++)
            b->written[s % DRXI_BEHIND_SPANS] = 0;
    b->first = first;
}

/* Let a span wait, the oldest in its place when too many do. */
static void enqueue(struct drxi_behind *b, int64_t span)
{
    if (b->waiting == DRXI_BEHIND_SPANS) {
        b->oldest++;
        b->waiting--;
    }
    b->queue[(b->oldest + b->waiting++) % DRXI_BEHIND_SPANS] = span;
}

static void count_bytes(struct drxi_behind *b, int64_t span, int64_t bytes)
{
    int32_t *written = &b->written[span % DRXI_BEHIND_SPANS];
    const bool waited = *written < 0;

    *written += (int32_t)bytes;
    if (waited)
        *written = *written < 0 ? *written : -1;
    else if (*written >= SPAN_BYTES) {
        *written = WAITED;
        enqueue(b, span);
    }
}

/* Take the spans first <= s < end from those that wait; false when it is not yet time to push any. */
static bool take_run(struct drxi_behind *b, int64_t bytes, int64_t *first, int64_t *end)
{
    b->bytes += bytes;
    if (b->bytes < start_bytes(b->late) + SPAN_BYTES || b->waiting < 2)
        return false;
    b->bytes -= SPAN_BYTES;
    *first = b->queue[b->oldest++ % DRXI_BEHIND_SPANS];
    *end = *first + 1;
    b->waiting--;
    if (b->waiting > 1 && b->queue[b->oldest % DRXI_BEHIND_SPANS] == *end) {
        b->oldest++;
        b->waiting--;
        ++*end;
    }
    return true;
}

void drxi_behind_write(struct drxi_data *data, int64_t offset, int64_t n)
{
    struct drxi_behind *b = &data->file->behind;

    if (!is_on(data))
        return;
    for (const int64_t end = offset + n; offset < end;) {
        const int64_t span = offset / SPAN_BYTES, next = drxi_min((span + 1) * SPAN_BYTES, end);
        int64_t first, last;
        bool some;

        (void)pthread_mutex_lock(&b->lock);
        if (span >= b->first + DRXI_BEHIND_SPANS)
            move_to(b, span - DRXI_BEHIND_SPANS + 1);
        if (span >= b->first)
            count_bytes(b, span, next - offset);
        some = take_run(b, next - offset, &first, &last);
        (void)pthread_mutex_unlock(&b->lock);
        if (some)
            data->file->io->ops->push(data->file->io, first * SPAN_BYTES, last * SPAN_BYTES);
        offset = next;
    }
}

void drxi_behind_grow(struct drxi_data *data, int64_t bytes)
{
    struct drxi_behind *b = &data->file->behind;
    int64_t end;

    if (!is_on(data))
        return;
    (void)pthread_mutex_lock(&b->lock);
    end = drxi_min(b->length / SPAN_BYTES, b->first + DRXI_BEHIND_SPANS);
    for (int64_t s = b->first; s < end; s++) {
        const int32_t written = b->written[s % DRXI_BEHIND_SPANS];

        if (written >= REST_BYTES || (written < 0 && written - WAITED >= REST_BYTES))
            enqueue(b, s);
    }
    if (bytes < b->length)
        move_to(b, drxi_min(b->first, bytes / SPAN_BYTES));
    else if (b->length / SPAN_BYTES > b->first)
        move_to(b, b->length / SPAN_BYTES);
    b->length = bytes;
    (void)pthread_mutex_unlock(&b->lock);
}

/* When the late time ends, what was not pushed in it is pushed little by little, as after the start. */
void drxi_behind_late(struct drxi_data *data, bool late)
{
    struct drxi_behind *b = &data->file->behind;

    (void)pthread_mutex_lock(&b->lock);
    b->late = late;
    if (!late)
        b->bytes = drxi_min(b->bytes, start_bytes(false));
    (void)pthread_mutex_unlock(&b->lock);
}
