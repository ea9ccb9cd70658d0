/* Small files as values, which need no freeing, and changes of a few bytes of a file. */
#ifndef BYTES_H
#define BYTES_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

struct bytes {
    size_t n;
    uint8_t p[1 << 17];
};

static inline struct bytes load(const char *name)
{
    struct bytes b;
    FILE *f = fopen(name, "rb");

    assert_non_null(f);
    b.n = fread(b.p, 1, sizeof b.p, f);
    assert_true(b.n < sizeof b.p);
    assert_int_equal(fclose(f), 0);
    return b;
}

/* The file stays the same one, when it is there. */
static inline void store(const char *name, const void *p, size_t n)
{
    FILE *f = fopen(name, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(p, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static inline void store_bytes(const char *name, struct bytes b)
{
    store(name, b.p, b.n);
}

static inline void copy_file(const char *from, const char *to)
{
    store_bytes(to, load(from));
}

static inline void assert_bytes(const char *name, struct bytes expected)
{
    const struct bytes b = load(name);

    assert_int_equal(b.n, expected.n);
    assert_memory_equal(b.p, expected.p, b.n);
}

static inline bool same_bytes(const struct bytes *a, const struct bytes *b)
{
    return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

static inline bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

static inline int64_t length_of(const char *name)
{
    struct stat status;

    assert_int_equal(stat(name, &status), 0);
    return status.st_size;
}

static inline void put_bytes(const char *name, int64_t offset, const void *p, size_t n)
{
    const int fd = open(name, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, p, n, offset), n);
    assert_int_equal(close(fd), 0);
}

static inline void put_byte(const char *name, int64_t offset, int byte)
{
    put_bytes(name, offset, &(uint8_t){ (uint8_t)byte }, 1);
}

/* Change bits of a byte; a second time puts it back. */
static inline void flip(const char *name, int64_t offset, int bits)
{
    const int fd = open(name, O_RDONLY);
    uint8_t byte;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    assert_int_equal(close(fd), 0);
    put_byte(name, offset, byte ^ bits);
}

#endif
