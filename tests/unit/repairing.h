/* An array to repair, its log record by record, and what drx_repair reports and leaves. */
#ifndef REPAIRING_H
#define REPAIRING_H

#include "array/array.h"
#include "bytes.h"
#include "findings.h"
#include "lone/lone.h"

enum { MOST_ELEMENTS = 1 << 14, HEAD_BYTES = DRXI_STORE_HEAD_BYTES, ID_AT = 32 };

/* ---- the array ---- */

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
    assert_string_equal(drx_last_error(), "");
    s->ndim = drx_ndim(a);
    s->attrs = drx_attr_count(a);
    memcpy(s->shape, drx_shape(a), (size_t)s->ndim * sizeof s->shape[0]);
    s->chunks = drx_chunk_count(a);
    assert_ok(drx_read(a, drx_lower(a), s->shape, DRX_ROW_MAJOR, s->element));
    for (int64_t q = 0; q < s->chunks && q < 512; q++)
        if (drx_chunk_index(a, q, s->chunk_index[q])) /* trimmed */
            memset(s->chunk_index[q], 0, sizeof s->chunk_index[q]);
    assert_ok(drx_close(a));
}

static inline bool same_array(const struct seen *a, const struct seen *b)
{
    return memcmp(a->shape, b->shape, sizeof a->shape) == 0 && a->chunks == b->chunks && a->attrs == b->attrs &&
           memcmp(a->element, b->element, sizeof a->element) == 0 &&
           memcmp(a->chunk_index, b->chunk_index, sizeof a->chunk_index) == 0;
}

/* Whether `part`, of an array that has only grown at its high ends since, has the elements that `all` has there. */
static inline bool has_elements_of(const struct seen *part, const struct seen *all)
{
    int64_t index[5] = { 0 }, i = 0;

    for (int j = 0; j < part->ndim; j++)
        if (part->shape[j] == 0)
            return true;
    do {
        int64_t at = 0;

        for (int j = 0; j < all->ndim; j++)
            at = at * all->shape[j] + index[j];
        if (part->element[i++] != all->element[at])
            return false;
    } while (next_index(part->ndim, part->shape, index));
    return true;
}

static inline void write_elements(drx_array *a)
{
    static int16_t buf[MOST_ELEMENTS];

    for (int i = 0; i < MOST_ELEMENTS; i++)
        buf[i] = (int16_t)(i * 7 + 1);
    assert_ok(drx_write(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, buf));
}

/* Grow the array along all axes: its elements stay, and all others are the fill. Then it is good. */
static inline void grow_repaired(const struct seen *now)
{
    static struct seen grown;
    int64_t index[5] = { 0 }, i = 0;
    int16_t fill;
    drx_array *a;

    assert_ok(drx_open("r", DRX_RDWR, &a));
    assert_string_equal(drx_last_error(), "");
    memcpy(&fill, a->log.state.desc.fill, sizeof fill);
    for (int j = 0; j < now->ndim; j++)
        assert_ok(drx_extend(a, j, 3));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    see(&grown);
    assert_true(has_elements_of(now, &grown));
    do {
        bool inside = true;

        for (int j = 0; j < now->ndim; j++)
            inside = inside && index[j] < now->shape[j];
        assert_true(inside || grown.element[i] == fill);
        i++;
    } while (next_index(grown.ndim, grown.shape, index));
    if (check("r") || found.n[DRX_WARNING] > 0)
        fail_msg("it grew, and a check says: %s", found.text);
}

/* A log with many kinds of records. */
static inline void make_all_kinds_with(drx_codec codec, unsigned flags)
{
    const int64_t shape[2] = { 6, 5 }, chunk[2] = { 3, 2 };
    const char *const dims[2] = { "north", "east" };
    const int16_t fill = -3, row[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT16,
                            .shape = shape,
                            .chunk = chunk,
                            .dims = dims,
                            .fill = &fill,
                            .codec = codec,
                            .flags = DRX_REPLACE | flags };
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

static inline void make_all_kinds(void)
{
    make_all_kinds_with(DRX_RAW, 0);
}

/* ---- its files ---- */

enum { DATA_FILES = 4 };
static const char *const data_name[DATA_FILES] = { "r.xta", "r.xcs", "r.xtz", "r.xct" };
static struct bytes original, damaged, after; /* logs */
static struct bytes data[DATA_FILES];
static struct seen before;

static inline void remember(void)
{
    original = load("r.xmd");
    for (int i = 0; i < DATA_FILES; i++) {
        data[i].n = 0;
        if (access(data_name[i], F_OK) == 0)
            data[i] = load(data_name[i]);
    }
    see(&before);
}

static inline void restore_data(void)
{
    for (int i = 0; i < DATA_FILES; i++)
        if (data[i].n > 0)
            store_bytes(data_name[i], data[i]);
}

static inline bool has_data(void)
{
    static struct bytes now;

    for (int i = 0; i < DATA_FILES; i++) {
        if (data[i].n == 0)
            continue;
        now = load(data_name[i]);
        if (!same_bytes(&data[i], &now))
            return false;
    }
    return true;
}

/* The damaged logs that were kept: how many. */
static inline int remove_kept(void)
{
    char name[64];
    int i = 0;

    do
        (void)snprintf(name, sizeof name, "r.xmd.damaged-%d", ++i);
    while (unlink(name) == 0);
    return i - 1;
}

/* ---- the records of the original log ---- */

static inline size_t record_bytes(size_t at)
{
    return drxi_get32(original.p + at + 8);
}

static inline int kind_of(size_t at)
{
    return original.p[at + 12];
}

static inline uint64_t sequence_of(size_t at)
{
    return drxi_get64(original.p + at + 16);
}

static inline bool counts(size_t at)
{
    return original.p[at + 13] & DRXI_C;
}

/* The record number n, from 0 on, of a kind. */
static inline size_t find_record(int kind, int n)
{
    for (size_t at = DRXI_LOG_AT; at < original.n; at += record_bytes(at))
        if (kind_of(at) == kind && n-- == 0)
            return at;
    fail_msg("no such record");
    return 0;
}

#endif
