/* model.h - a history: an array of the library and what it should be.
 *
 * A history makes an array, does random operations to it and to a plain array beside it, compares the two, and removes
 * it. The same seed and history number give the same operations on every machine. */
#ifndef DRX_MODEL_H
#define DRX_MODEL_H

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drx_tools.h"
#include "testing.h"

/* ---- random.c: numbers that are the same on every machine ---- */

struct rng {
    uint64_t state;
};
struct rng rng_seeded(uint64_t seed, uint64_t stream);
int64_t rng_between(struct rng *r, int64_t lo, int64_t hi); /* lo <= result <= hi */
bool rng_chance(struct rng *r, int percent);
void rng_fill(struct rng *r, void *bytes, size_t n);
void rng_permutation(struct rng *r, int n, int *order);

/* ---- plain.c: the plain array: dense, row-major, laid out again at every growth ----
 *
 * What the library is compared with. It knows nothing of chunks, files or the library, and prefers being obviously
 * right to being fast. */

struct plain {
    int ndim;
    size_t elem_bytes;
    int64_t lower[DRX_MAX_NDIM], shape[DRX_MAX_NDIM];
    unsigned char *data;
};

void *plain_alloc(size_t n); /* n zeroed bytes, at least one */
int64_t plain_product(int n, const int64_t *extent);
/* Strides, in elements, of a contiguous box of `count`. */
void plain_strides(int ndim, const int64_t *count, drx_order order, int64_t *stride);

void plain_init(struct plain *p, int ndim, size_t elem_bytes, const int64_t *lower, const int64_t *shape,
                const void *fill);
void plain_copy(struct plain *to, const struct plain *from); /* `to` holds nothing yet */
void plain_free(struct plain *p);
/* New bounds of an axis. What both have stays; the rest holds the fill. */
void plain_resize(struct plain *p, int axis, int64_t lower, int64_t extent, const void *fill);
void plain_add_axis(struct plain *p, int at);
unsigned char *plain_at(const struct plain *p, const int64_t *index);

/* Element lo[j] + i * step[j] of the array and element i * stride[j] of mem, for 0 <= i < count[j]; step NULL: 1.
 * plain_load fills mem from the array, plain_store the array from mem. */
void plain_load(const struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step,
                const int64_t *stride, void *mem);
void plain_store(struct plain *p, const int64_t *lo, const int64_t *count, const int64_t *step, const int64_t *stride,
                 void *mem);

/* ---- book.c: F* by brute force ----
 *
 * A book numbers chunks in the order in which they are appended. No coefficients, no expansion records: only the
 * sentence "a slab is laid out in row-major order with the grown axis varying slowest, away from the old bound". */

struct book {
    int ndim;
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM]; /* in chunks */
    int64_t count;                                    /* chunks so far */
    int64_t room;
    int64_t *index;   /* ndim values per address */
    int64_t *address; /* by index, dense and row-major over the bounds */
};

/* The initial box of chunks, in row-major or in symmetric shell order. */
void book_init(struct book *b, int ndim, const int64_t *lower, const int64_t *upper, bool shell);
void book_copy(struct book *to, const struct book *from); /* `to` holds nothing yet */
void book_free(struct book *b);
/* The chunks that an axis has now: it grew at one end, or was trimmed. */
void book_move(struct book *b, int axis, int64_t lower, int64_t upper);
void book_add_axis(struct book *b, int at);
int64_t book_address(const struct book *b, const int64_t *index);
const int64_t *book_index(const struct book *b, int64_t address);
bool book_lives(const struct book *b, int64_t address); /* false: it was trimmed */

/* ---- names.c: attributes and names of dimensions as an ordered list in memory ---- */

struct attr {
    char *name;
    drx_type type;
    int64_t n;
    bool is_text;
    size_t bytes;
    unsigned char *values;
};

struct names {
    int ndim;
    char *dim[DRX_MAX_NDIM]; /* NULL: no name */
    int n;
    struct attr *attr; /* in the order in which they were first set */
};

void names_init(struct names *s, int ndim);
void names_free(struct names *s);
void names_copy(struct names *to, const struct names *from); /* `to` holds nothing yet */
int names_find(const struct names *s, const char *name);     /* -1: none */
/* Sets a copy of `attr`, in the place of the one of that name if there is one. */
void names_set(struct names *s, const struct attr *attr);
void names_delete(struct names *s, int i);
void names_rename_dim(struct names *s, int axis, const char *name);
void names_add_dim(struct names *s, int at, const char *name);

/* ---- rawfile.c: what the files hold, byte for byte, worked out from the plain array and the book alone ---- */

struct raw_layout {
    const int64_t *chunk; /* extents of a chunk */
    drx_order order;      /* inside a chunk */
    int64_t align;
    size_t word_bytes; /* of the number in an element: half of a complex one */
    const unsigned char *fill;
    bool any_ghosts; /* cells outside the bounds may hold anything */
};

struct raw_bytes {
    unsigned char *data;
    int64_t n;
};

/* Bytes from one chunk to the next. */
int64_t raw_stride(const struct raw_layout *l, const struct plain *p);
/* Read the whole file; false, with errno set, when that fails. */
bool raw_read(const char *path, struct raw_bytes *r);
/* Compare; bytes missing at the end count as zero. On a difference, say in `why` where it is and return false. */
bool raw_agrees(const struct raw_layout *l, const struct plain *p, const struct book *b, const struct raw_bytes *r,
                char *why, size_t room);
/* Put random bytes into cells outside the bounds, a third of them, as a power cut leaves them that kept the data of an
 * append and lost its record. */
void raw_scribble(const struct raw_layout *l, const struct plain *p, const struct book *b, struct raw_bytes *r,
                  struct rng *rng);

/* All checksums are right, and none is in flight, unless writes were cut short; with a zero fill, what was never
 * written is zero. Like raw_agrees. */
bool sums_agree(const struct raw_bytes *sums, const struct raw_bytes *data, const struct book *b, int64_t chunk_bytes,
                int64_t pitch, bool zero_fill, bool cut_short, char *why, size_t room);
/* As after a power cut, when none of them was valid before it. */
void sums_forget_boot(struct raw_bytes *sums);

/* ---- a history ---- */

enum { MAX_ELEM_BYTES = 512, READERS = 3, TRAIL = 24, LINE = 400, MOST_STRIPES = 4 };

enum storage { ON_DISK, IN_MEMORY, TEMPORARY };

struct run {
    uint64_t seed;
    const struct hands *hands;
    const char *folder; /* where arrays are made */
    const char *url;    /* where a server has the files of this machine; NULL: it cannot be asked */
    int64_t calls;      /* operations that did something; comparisons are not counted */
    bool trace;         /* print each operation before it is done */
    int rank, ranks;    /* this one of this many, which all have the model; one process: 0 of 1 */
};

struct box {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
};

struct growth {
    int axis;
    int64_t by; /* negative: at the low end */
};

/* A second handle: it stays at the bounds, axes and names it has seen. */
struct reader {
    drx_array *a;           /* NULL: not open */
    struct drx_dataset *ds; /* that lent it; or NULL */
    bool shared;            /* open for writing, beside the first one: its turn may come */
    bool remote;            /* through a server */
    char path[LINE];        /* by which it was opened */
    bool renamed;           /* the array has another name now */
    bool frozen;            /* its files have no name: it has what is in `then`, and in the axes of that */
    bool stale; /* through a server: what it has may be older than the files, or refused until it looks again */
    int ndim;
    int axis[DRX_MAX_NDIM];                           /* where its axes are among those of now */
    int64_t lower[DRX_MAX_NDIM], shape[DRX_MAX_NDIM]; /* in its axes */
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM];   /* in those of now: what was never trimmed since */
    bool cut;                                         /* something was */
    int compacted;                                    /* times, since it looked */
    int64_t chunks;
    struct names names;
    struct plain then; /* through a server: what it had when it looked; frozen: what there was in the end */
};

struct hands;

/* What readers of a dataset see: its last commit. */
struct kept {
    int64_t lower[DRX_MAX_NDIM], shape[DRX_MAX_NDIM];
    struct book book;
    struct names names;
};

struct model {
    struct run *run;
    const struct hands *hands;
    int64_t history, op;
    struct rng rng;

    enum storage storage;
    char path[LINE], other[LINE]; /* and that of a copy */
    bool copied;                  /* there is one */
    bool remote;                  /* readers come through a server, too */
    int ndim;
    drx_type type;
    size_t elem_bytes, word_bytes;
    unsigned char fill[MAX_ELEM_BYTES];
    drx_order chunk_order;
    drx_codec codec; /* its files are not compared with what the book says */
    unsigned flags;
    int64_t align;
    int stripes; /* files that the data are spread over; 0: they are not */
    char stripe[MOST_STRIPES][LINE + 64];
    int64_t chunk[DRX_MAX_NDIM];
    int64_t origin[DRX_MAX_NDIM], initial[DRX_MAX_NDIM];
    int64_t most_elements, most_bytes; /* growth stops there */

    drx_array *a;
    bool writable, shared;
    bool pool_off;
    bool puts_pending;          /* what drx_put wrote may not be in the file yet */
    bool residue;               /* cells outside the bounds were scribbled over */
    bool trimmed, widened;      /* ever; an axis was added */
    bool compacted;             /* so the library has another list of growths */
    ino_t log;                  /* the file, 0: none; a sync or an open may replace it, too */
    bool large;                 /* an array larger than the buffers of the library */
    bool faulty;                /* calls of the system may fail */
    bool others;                /* other processes may change it, when it is shared */
    bool cut_short;             /* a write was, by a failure or by the end of a process */
    bool in_motion;             /* requests are under way: no trouble now */
    bool in_trouble, elsewhere; /* now; in the process of somebody else */
    struct plain now;
    struct book book;
    struct names names;
    struct kept kept;     /* of a lent array */
    struct growth *grown; /* since it was made; uninterrupted growths merged */
    int n_grown;

    struct reader reader[READERS];
    bool reported, ended;
    char about[LINE];
    char trail[TRAIL][LINE]; /* the last operations, a ring */
};

/* ---- model_hands.c: who makes the changes ---- */

enum fault { OF_MEMORY, OF_DISK, OF_ROOM };

struct selection;

/* The calls of a process alone, or of all ranks of a job together. Each rank has the whole model, and draws the same
 * numbers. All calls act on m->a, which `create` and `open` set. */
struct hands {
    drx_status (*create)(struct model *m, const drx_spec *spec);
    drx_status (*open)(struct model *m, int mode);
    drx_status (*close)(struct model *m);
    drx_status (*refresh)(struct model *m);
    drx_status (*remove)(struct model *m, const char *path);
    drx_status (*extend)(struct model *m, struct growth g);
    drx_status (*append)(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf);
    drx_status (*trim)(struct model *m, int axis, int64_t before, int64_t after);
    drx_status (*add_axis)(struct model *m, int at, const char *name);
    drx_status (*attr_set)(struct model *m, const struct attr *attr);
    drx_status (*attr_delete)(struct model *m, const char *name);
    drx_status (*dim_rename)(struct model *m, int axis, const char *name);
    drx_status (*sync)(struct model *m);
    drx_status (*compact)(struct model *m);
    drx_status (*write)(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                        const void *buf);
    drx_status (*read)(struct model *m, const struct box *b, drx_order order, void *buf);
    void (*arm)(struct model *m, enum fault fault, int64_t nth);
    bool (*disarm)(struct model *m, enum fault fault); /* whether it came */
    void (*meet)(struct model *m);                     /* the others have come as far */
    void (*apart)(struct model *m);                    /* what each rank does for itself; NULL: there are no ranks */
    /* This rank's part of a selection, with elements of another type. The plain array has what is written. */
    drx_status (*move_as)(struct model *m, bool writing, const struct selection *whole, const drx_box *mine,
                          drx_type type, drx_conversion how, void *buf);
};
extern const struct hands alone, lent;

/* Calls through m->a that a lent array takes, too. */
drx_status alone_attr_set(struct model *m, const struct attr *attr);
drx_status alone_attr_delete(struct model *m, const char *name);
drx_status alone_write(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                       const void *buf);
drx_status alone_read(struct model *m, const struct box *b, drx_order order, void *buf);
void alone_arm(struct model *m, enum fault fault, int64_t nth);
bool alone_disarm(struct model *m, enum fault fault);
void alone_meet(struct model *m);
drx_status alone_move_as(struct model *m, bool writing, const struct selection *whole, const drx_box *mine,
                         drx_type type, drx_conversion how, void *buf);

/* ---- model_share.c: what of a box each rank gets ---- */

struct share {
    struct box box;
    bool steps; /* of any rank: all use the same call, whatever the box of one is */
    int64_t step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    int64_t first; /* the element of memory where it begins */
};

/* Numbers that all ranks draw alike, without those of the history: a call that is tried again is the same. */
uint64_t luck_of(const struct model *m);

/* Of a box in memory: adjacent parts, all for one rank, or, when they may be interleaved, every n-th index. */
struct share share_of(const struct model *m, int rank, const struct box *whole, const int64_t *step,
                      const int64_t *stride, bool interleaved, uint64_t luck);
drx_box box_of(const struct share *s);
int64_t *indices_of(const struct model *m, const struct share *s); /* in row-major order; the caller frees them */
/* A copy of its elements, contiguous in that order; the caller frees it. */
void *contiguous(const struct model *m, const struct share *s, drx_order order, const void *buf);

/* ---- model_elements.c ---- */

/* A box with steps, and memory for it with strides of any sign and order. */
struct selection {
    struct box box;
    int64_t step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    int64_t first, span; /* memory: `lo` is element `first` of `span` */
};
/* For the library: without steps when all are 1. `shared`: an axis may have stride 0, one element for many. */
drx_box choose_selection(struct model *m, struct selection *s, const char *what, bool shared);

/* ---- model_lent.c ---- */

void keep(struct model *m);                                         /* what there is now was committed */
void lent_folder(const struct model *m, char *folder, size_t room); /* of the dataset */

/* ---- model_trouble.c ---- */

/* A change that draws no random numbers, and has no effect on the model. */
typedef drx_status change(struct model *m, const void *with);
/* Make it, perhaps in another process, or with a failure at first. */
drx_status attempt(struct model *m, change *call, const void *with);
/* The same; a try that had no effect is followed by `again` instead, which does the same in another way. */
drx_status attempt_or(struct model *m, change *call, change *again, const void *with);

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
/* Inside these bounds. */
struct box choose_box(struct model *m, int ndim, const int64_t *lower, const int64_t *shape);
void choose_element(struct model *m, void *element);
int64_t count_elements(const struct model *m, const int64_t *count);
struct box whole_box(int ndim, const int64_t *lower, const int64_t *shape);

/* Memory for elements with guards around it, all of one random byte. */
enum { AREA_GUARD = 32 };
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

/* ---- model_trim.c ---- */

/* The chunks that hold elements along an axis; and the book with these. */
void chunks_of(const struct model *m, int axis, int64_t *lower, int64_t *upper);
void chunks_from(int64_t first, int64_t extent, int64_t chunk, int64_t *lower, int64_t *upper);
void book_follow(struct model *m, int axis);

/* ---- model_array.c ---- */

void history_begin(struct model *m, struct run *run, int64_t history);
void open_array(struct model *m, int mode);
void close_array(struct model *m);
void history_end(struct model *m);

/* ---- model_check.c: comparing ---- */

void check_box(struct model *m, drx_array *a, const struct box *b, drx_order order);
void check_elements(struct model *m); /* all, both orders */
void check_bounds(struct model *m, const drx_array *a, const int64_t *lower, const int64_t *shape);
void check_inquiry(struct model *m); /* bounds, layout, growths, names */
void check_map(struct model *m, drx_array *a, int64_t chunks);
void check_names(struct model *m, const drx_array *a, const struct names *names);
void check_all(struct model *m); /* that, the map and the elements */
/* The data file; strict: of a closed array, whose length is exact. */
void check_file(struct model *m, bool strict);
void check_reader(struct model *m, struct reader *r);
void check_reader_bounds(struct model *m, const struct reader *r);
void check_reader_box(struct model *m, struct reader *r, const struct box *b, drx_order order);
bool file_is_small(const struct model *m);
struct raw_layout layout_of(const struct model *m);

/* ---- model_file.c ---- */

void data_path(const struct model *m, const char *suffix, char *path, size_t room);
void file_take_names(struct model *m);                               /* of the stripes, from the open array */
void file_read(struct model *m, struct raw_bytes *raw);              /* of each file all that its chunks take */
void file_check_sums(struct model *m, const struct raw_bytes *data); /* if there are any */
/* Write that, and a tail after the end of one file. */
/* Bytes behind the payloads and the table, which have no meaning. */
void file_lengthen(struct model *m, const unsigned char *tail, size_t n);
void file_write(struct model *m, const struct raw_bytes *raw, const unsigned char *tail, size_t n);

/* ---- model_beside.c: other handles, and copies ---- */

void reader_close(struct model *m, struct reader *r);
void readers_close(struct model *m, bool all); /* or those that are open for writing */
/* What a refresh of a reader gives. */
drx_status refresh_status(const struct model *m, const struct reader *r, bool removed);
/* What others may do while the callback of an append runs, after any of its pieces. */
void beside_append(struct model *m);
/* Something happened after which a reader through a server may be told to look again. */
void disturb_readers(struct model *m);

/* ---- model_cache.c ---- */

void cache_data(const struct model *m, drx_array *a); /* in some histories; of a handle that has just been opened */
void cache_next_moment(void);                         /* others may have written */

/* ---- model_play.c ---- */

void one_history(struct model *m, struct run *run, int64_t number);

/* ---- the operations ---- */

typedef void operation(struct model *m);

operation op_extend, op_append, op_sync, op_compact, op_set_pool; /* model_growth.c */
/* Count, for each reader, that another log took the place of the one it may know. */
void note_replaced(struct model *m);
operation op_trim, op_add_axis;                                 /* model_trim.c */
operation op_read, op_write, op_read_strided, op_write_strided; /* model_elements.c */
operation op_get_put, op_points, op_async;
operation op_typed;                                                           /* model_typed.c */
operation op_attr_set, op_attr_get, op_attr_delete, op_dim_rename;            /* model_names.c */
operation op_check, op_check_file, op_reopen, op_power_cut, op_persist;       /* model_handles.c */
operation op_reader_open, op_reader_read, op_reader_refresh, op_reader_close; /* model_beside.c */
operation op_take_turns, op_duplicate, op_rename;
operation op_give_up; /* model_lent.c */
operation op_damage;  /* model_damage.c */
operation op_error;   /* model_errors.c */

#endif
