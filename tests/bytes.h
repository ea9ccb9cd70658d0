/* Small files as values, which need no freeing. */
#ifndef BYTES_H
#define BYTES_H

#include "testing.h"

struct bytes {
    size_t n;
    uint8_t p[1 << 15];
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

#endif
