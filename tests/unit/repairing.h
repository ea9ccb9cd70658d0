/* An array to repair, and what drx_repair reports and leaves. */
#ifndef REPAIRING_H
#define REPAIRING_H

#include "array/array.h"
#include "bytes.h"
#include "drx_tools.h"

enum { MOST_ELEMENTS = 1 << 14 };

struct found {
    int n[DRX_ERROR + 1];
    char text[8192];
};

static struct found found;

static inline void note(void *user, drx_severity severity, const char *text)
{
    const size_t used = strlen(found.text);

    found.n[severity]++;
    (void)snprintf(found.text + used, sizeof found.text - used, "%s\n", text);
}

static inline drx_status repair(void)
{
    memset(&found, 0, sizeof found);
    return drx_repair("r", note, NULL, NULL, NULL);
}

#define assert_told(what)                                              \
    do {                                                               \
        if (!strstr(found.text, what))                                 \
            print_error("\"%s\" expected in: %s\n", what, found.text); \
        assert_non_null(strstr(found.text, what));                     \
    } while (0)

/* The damaged logs that were kept. */
static inline void remove_kept(void)
{
    char name[64];
    int i = 0;

    do
        (void)snprintf(name, sizeof name, "r.xmd.damaged-%d", ++i);
    while (unlink(name) == 0);
}

struct seen {
    int64_t shape[5], chunks;
    int ndim, attrs;
    int16_t element[MOST_ELEMENTS];
    int64_t chunk_index[512][5];
};

static inline void see(struct seen *s)
{
    drx_array *a;

    memset(s, 0, sizeof *s);
    assert_ok(drx_open("r", DRX_RDONLY, &a));
    if (!strstr(drx_last_error(), "torn tail"))
        assert_string_equal(drx_last_error(), "");
    s->ndim = drx_ndim(a);
    s->attrs = drx_attr_count(a);
    memcpy(s->shape, drx_shape(a), (size_t)s->ndim * sizeof s->shape[0]);
    s->chunks = drx_chunk_count(a);
    assert_ok(drx_read(a, (int64_t[5]){ 0 }, s->shape, DRX_ROW_MAJOR, s->element));
    for (int64_t q = 0; q < s->chunks && q < 512; q++)
        assert_ok(drx_chunk_index(a, q, s->chunk_index[q]));
    assert_ok(drx_close(a));
}

static inline bool same_array(const struct seen *a, const struct seen *b)
{
    return memcmp(a->shape, b->shape, sizeof a->shape) == 0 && a->chunks == b->chunks &&
           memcmp(a->element, b->element, sizeof a->element) == 0 &&
           memcmp(a->chunk_index, b->chunk_index, sizeof a->chunk_index) == 0;
}

static inline void write_elements(drx_array *a)
{
    static int16_t buf[MOST_ELEMENTS];

    for (int i = 0; i < MOST_ELEMENTS; i++)
        buf[i] = (int16_t)(i * 7 + 1);
    assert_ok(drx_write(a, (int64_t[5]){ 0 }, drx_shape(a), DRX_ROW_MAJOR, buf));
}

/* A log with all kinds of records, but for stripes. */
static inline void make_all_kinds(void)
{
    const int64_t shape[2] = { 6, 5 }, chunk[2] = { 3, 2 };
    const char *const dims[2] = { "north", "east" };
    const int16_t fill = -3, row[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = chunk, .dims = dims, .fill = &fill, .flags = DRX_REPLACE
    };
    drx_array *a;

    assert_ok(drx_create("r", &spec, &a));
    assert_ok(drx_extend(a, 1, 1));
    assert_ok(drx_attr_set_text(a, "title", "a text that is a little longer than a growth"));
    assert_ok(drx_append(a, 0, 1, DRX_ROW_MAJOR, row));
    assert_ok(drx_sync(a));
    assert_ok(drx_attr_set(a, "numbers", DRX_INT16, 5, row));
    assert_ok(drx_extend(a, 1, 2));
    assert_ok(drx_attr_delete(a, "numbers"));
    assert_ok(drx_extend(a, 0, 3));
    assert_ok(drx_dim_rename(a, 1, ""));
    assert_ok(drx_append(a, 1, 1, DRX_ROW_MAJOR, row));
    assert_ok(drx_dim_rename(a, 0, "height"));
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_extend(a, 1, 4));
    assert_ok(drx_attr_set_text(a, "title", "another"));
    write_elements(a);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static struct bytes original, damaged, data, after, after_data;
static struct seen before;

static inline int64_t record_bytes(size_t at)
{
    return at == 0 ? drxi_get32(original.p + 12) : drxi_get32(original.p + at + 8);
}

static inline void remember(void)
{
    original = load("r.xmd");
    data = load("r.xta");
    see(&before);
}

#endif
