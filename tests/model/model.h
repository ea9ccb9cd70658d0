/* model.h - a history: an array of the library and what it should be.
 *
 * A history makes an array, does random operations to it and to a plain array
 * beside it, compares the two, and removes it. The same seed and history number
 * give the same operations on every machine. */
#ifndef DRX_MODEL_H
#define DRX_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "book.h"
#include "drx.h"
#include "model_rng.h"
#include "names.h"
#include "plain.h"
#include "rawfile.h"

enum { MAX_ELEM_BYTES = 16, READERS = 2, TRAIL = 24, LINE = 400, MOST_STRIPES = 4 };

enum storage { ON_DISK, IN_MEMORY, TEMPORARY };

struct run {
    uint64_t seed;
    const char *folder; /* where arrays are made */
    int64_t calls;      /* operations that did something; comparisons are not counted */
    bool trace;         /* print each operation before it is done */
};

struct box {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
};

struct growth {
    int axis;
    int64_t by;
};

/* A second handle, for reading: it stays at the bounds and names it has seen. */
struct reader {
    drx_array *a; /* NULL: not open */
    int64_t shape[DRX_MAX_NDIM];
    int64_t chunks;
    struct names names;
};

struct model {
    struct run *run;
    int64_t history, op;
    struct rng rng;

    enum storage storage;
    char path[LINE];
    int ndim;
    drx_type type;
    size_t elem_bytes, word_bytes;
    unsigned char fill[MAX_ELEM_BYTES];
    drx_order chunk_order;
    unsigned flags;
    int64_t align;
    int stripes; /* files that the data are spread over; 0: they are not */
    char stripe[MOST_STRIPES][LINE + 64];
    int64_t chunk[DRX_MAX_NDIM];
    int64_t initial[DRX_MAX_NDIM];
    int64_t most_elements, most_bytes; /* growth stops there */

    drx_array *a;
    bool writable;
    bool pool_off;
    bool puts_pending; /* what drx_put wrote may not be in the file yet */
    bool residue;      /* cells outside the bounds were scribbled over */
    bool large;        /* an array larger than the buffers of the library */
    struct plain now;
    struct book book;
    struct names names;
    struct growth *grown; /* since it was made; uninterrupted growths merged */
    int n_grown;

    struct reader reader[READERS];
    bool reported, ended;
    char about[LINE];
    char trail[TRAIL][LINE]; /* the last operations, a ring */
};

/* ---- model_core.c: saying, failing, choosing ---- */

/* Note what comes next: one line, shown when something fails. */
void say(struct model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* n numbers as text; valid until eight calls later. */
const char *numbers(int n, const int64_t *v);
/* Where the history is, how it came there, and how to repeat it. */
void model_report(struct model *m);
/* Give the reason and the report, then fail the test. */
void model_fail(struct model *m, const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#define CHECK(m, condition, ...) ((condition) ? (void)0 : model_fail((m), __FILE__, __LINE__, #condition, __VA_ARGS__))

#define EXPECT_OK(m, call) expect_status((m), (call), DRX_OK, DRX_OK, __FILE__, __LINE__, #call)
#define EXPECT_ERROR(m, call, want) expect_status((m), (call), (want), (want), __FILE__, __LINE__, #call)
#define EXPECT_EITHER(m, call, one, other) expect_status((m), (call), (one), (other), __FILE__, __LINE__, #call)
/* A failure, also an expected one, must come with a detail. */
void expect_status(struct model *m, drx_status st, drx_status one, drx_status other, const char *file, int line,
                   const char *call);

drx_order choose_order(struct model *m);
struct box choose_box(struct model *m, const int64_t *shape); /* inside shape */
void choose_element(struct model *m, void *element);
int64_t count_elements(const struct model *m, const int64_t *count);
struct box whole_box(const struct model *m, const int64_t *shape);

/* Memory for elements with guards around it, all of one random byte. */
struct area {
    unsigned char *mem;
    size_t bytes;
};
struct area area_new(struct model *m, int64_t elements);
struct area area_copy(const struct area *a);
void *area_body(const struct area *a);
bool area_same(const struct area *a, const struct area *b);
void area_free(struct area *a);
/* A box of random elements, for writing. */
struct area area_random(struct model *m, int64_t elements);

/* ---- model_array.c ---- */

void history_begin(struct model *m, struct run *run, int64_t history);
void history_end(struct model *m);

/* ---- model_check.c: comparing ---- */

void check_box(struct model *m, drx_array *a, const struct box *b, drx_order order);
void check_elements(struct model *m, drx_array *a, const int64_t *shape); /* all, both orders */
void check_inquiry(struct model *m);
void check_map(struct model *m, drx_array *a, int64_t chunks);
void check_names(struct model *m, const drx_array *a, const struct names *names);
/* The data file; strict: of a closed array, whose length is exact. */
void check_file(struct model *m, bool strict);
void check_reader(struct model *m, struct reader *r);
bool file_is_small(const struct model *m);
struct raw_layout layout_of(const struct model *m);

/* ---- model_file.c ---- */

void data_path(const struct model *m, const char *suffix, char *path, size_t room);
void file_take_names(struct model *m);                               /* of the stripes, from the open array */
void file_read(struct model *m, struct raw_bytes *raw);              /* of each file all that its chunks take */
void file_check_sums(struct model *m, const struct raw_bytes *data); /* if there are any */
/* Write that, and a tail behind the end of one file. */
void file_write(struct model *m, const struct raw_bytes *raw, const unsigned char *tail, size_t n);

/* ---- model_growth.c, model_elements.c, model_names.c, model_handles.c,
 *      model_errors.c: the operations ---- */

void op_extend(struct model *m);
void op_append(struct model *m);
void op_sync(struct model *m);
void op_set_pool(struct model *m);

void op_read(struct model *m);
void op_write(struct model *m);
void op_read_strided(struct model *m);
void op_write_strided(struct model *m);
void op_get_put(struct model *m);
void op_async(struct model *m);

void op_attr_set(struct model *m);
void op_attr_get(struct model *m);
void op_attr_delete(struct model *m);
void op_dim_rename(struct model *m);

void op_check(struct model *m);
void op_check_file(struct model *m);
void op_reopen(struct model *m);
void op_power_cut(struct model *m);
void op_reader_open(struct model *m);
void op_reader_read(struct model *m);
void op_reader_refresh(struct model *m);
void op_reader_close(struct model *m);

void op_error(struct model *m);

/* A handle of its own, in the present state of the array. */
void reader_take_state(struct model *m, struct reader *r);
void reader_close(struct model *m, struct reader *r);

#endif
