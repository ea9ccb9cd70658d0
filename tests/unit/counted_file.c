#include "counted_file.h"

uint8_t content[BYTES], buf[BYTES];
atomic_uint_fast64_t moment;
uint64_t seed;
struct file *file;
bool near;
drxi_io *cached;
struct drxi_cache *cache;
static char name[] = "file";

/* Begin a call, with the lock. */
static drx_status count_call(struct file *f)
{
    (void)pthread_mutex_lock(&f->lock);
    return ++f->calls == f->fails_at ? drxi_fail(DRX_EIO, "failed") : DRX_OK;
}

static drx_status file_read(drxi_io *io, void *to, size_t n, int64_t offset, size_t *got)
{
    struct file *f = (struct file *)io;
    void (*meanwhile)(void) = f->meanwhile;
    drx_status st = count_call(f);

    *got = 0;
    if (!st)
        st = f->inner->ops->read(f->inner, to, n, offset, got);
    (void)pthread_mutex_unlock(&f->lock);
    if (meanwhile) {
        f->meanwhile = NULL;
        meanwhile();
    }
    return st;
}

static drx_status file_write(drxi_io *io, const void *from, size_t n, int64_t offset)
{
    struct file *f = (struct file *)io;
    void (*before)(void) = f->before;
    drx_status st, half;

    if (before) {
        f->before = NULL;
        before();
    }
    st = count_call(f);
    half = f->inner->ops->write(f->inner, from, st ? n / 2 : n, offset);

    (void)pthread_mutex_unlock(&f->lock);
    return st ? st : half;
}

static drx_status file_size(drxi_io *io, int64_t *bytes)
{
    return ((struct file *)io)->inner->ops->size(((struct file *)io)->inner, bytes);
}

static drx_status file_resize(drxi_io *io, int64_t bytes)
{
    struct file *f = (struct file *)io;
    drx_status st = count_call(f);

    st = st ? st : f->inner->ops->resize(f->inner, bytes);
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

static drx_status file_punch(drxi_io *io, int64_t begin, int64_t end)
{
    struct file *f = (struct file *)io;
    drx_status st = count_call(f);

    st = st ? st : f->inner->ops->punch(f->inner, begin, end);
    (void)pthread_mutex_unlock(&f->lock);
    return st;
}

static drx_status file_close(drxi_io *io)
{
    struct file *f = (struct file *)io;
    const drx_status st = f->inner->ops->close(f->inner);

    (void)pthread_mutex_destroy(&f->lock);
    free(f);
    return st;
}

static const struct drxi_io_ops file_ops = { .read = file_read,
                                             .write = file_write,
                                             .size = file_size,
                                             .resize = file_resize,
                                             .punch = file_punch,
                                             .close = file_close };

void open_cached(int block_shift, int64_t most_bytes, bool with_moment)
{
    const struct drxi_cache_spec spec = { block_shift, most_bytes, with_moment ? &moment : NULL, near };

    if (!seed)
        seed = starting_seed(1);
    assert_non_null(file = calloc(1, sizeof *file));
    file->io.ops = &file_ops;
    file->io.path = name;
    (void)pthread_mutex_init(&file->lock, NULL);
    assert_ok(drxi_memory_open(&file->inner));
    for (int i = 0; i < BYTES; i++)
        content[i] = (uint8_t)random_next(&seed);
    assert_ok(file->inner->ops->write(file->inner, content, BYTES, 0));
    assert_ok(drxi_cached_open(&file->io, &spec, &cached));
    cache = drxi_cache_of(cached);
    assert_non_null(cache);
}

void close_cached(void)
{
    assert_ok(cached->ops->close(cached));
}

struct drxi_cache_counts counts(void)
{
    struct drxi_cache_counts c;

    drxi_cache_count(cache, &c);
    return c;
}

void expect(int64_t offset, int64_t n)
{
    size_t got;

    assert_ok(cached->ops->read(cached, buf, (size_t)n, offset, &got));
    assert_int_equal(got, drxi_max(0, drxi_min(n, BYTES - offset)));
    assert_memory_equal(buf, content + offset, got);
}
