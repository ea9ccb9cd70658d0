/* Moves the elements of a variable of a whole file into an array of a dataset, or compares them with it. */
#include <stdlib.h>
#include <string.h>

#include "whole_file.h"

enum work { COPY, COMPARE, MEASURE };

struct moving {
    const struct whole_file *f;
    struct variable *v;
    drx_array *a; /* NULL: MEASURE */
    enum work work;
    const struct meaning *means; /* NULL: the bytes are copied */
    struct rounding *rounding;   /* NULL: nothing is rounded */
    struct piece piece;
    enum { UNKNOWN, SAME, OTHER } missing; /* what nobody wrote reads as the fill value of the array, or does not */
    int64_t letters, room;                 /* of a text in the file, and in the array, if they are unlike; else 0 */
};

/* Where a box begins in the variable. */
static void locate(const struct moving *c, const int64_t at[], int64_t start[])
{
    memcpy(start, at, DRX_MAX_NDIM * sizeof *at);
    if (c->piece.axis >= 0)
        start[c->piece.axis] += c->piece.from;
}

/* The box in the array. */
static void place(const struct moving *c, const struct slabs *slabs, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < slabs->ndim; j++) {
        lo[j] = slabs->at[j] + (j == c->piece.axis ? c->piece.at : 0);
        count[j] = slabs->extent[j];
    }
}

static bool is_float(drx_type type)
{
    return type == DRX_FLOAT32 || type == DRX_FLOAT64;
}

/* As the array stores them: `other`, or, if c->means is NULL, the values. */
static drx_status encode(const struct moving *c, int64_t n, void *values, void *other)
{
    drx_status st = DRX_OK;

    if (c->means)
        st = drx_cf_encode(&c->means->given, &c->means->stored, n, values, other);
    if (!st && c->rounding)
        st = drx_keep_bits(drx_dtype(c->a), c->rounding->bits, fill_of(c->a), n, c->means ? other : values,
                           &c->rounding->told);
    return st;
}

/* What would do when numbers cannot become those that are stored. */
static const char *way_out(const struct moving *c)
{
    const drx_cf *stored = &c->means->stored, *given = &c->means->given;

    if (type_is_whole(stored->type) &&
        (stored->scale_factor != given->scale_factor || stored->add_offset != given->add_offset))
        return "; files that are packed in different ways fit into a dataset that was imported with --unpack";
    return type_is_whole(stored->type) && given->type != stored->type
               ? "; a dataset that was imported with --type VARIABLE=TYPE has room for more"
               : "";
}

/* n texts with the room that the array has for them. */
static void spread(const struct moving *c, int64_t n, char *texts)
{
    const char *fill = fill_of(c->a);

    while (n-- > 0) {
        memmove(texts + n * c->room, texts + n * c->letters, (size_t)c->letters);
        memset(texts + n * c->room + c->letters, fill ? *fill : '\0', (size_t)(c->room - c->letters));
    }
}

/* `buf`: room for the elements and as many of the array, the wider ones first, so that both are aligned. */
static int move_numbers(void *with, const struct slabs *slabs, void *buf)
{
    const struct moving *c = with;
    const int64_t n = box_bytes(slabs->ndim, slabs->extent, 1);
    const size_t given = drx_type_size(c->v->source.type), stored = drx_type_size(drx_dtype(c->a));
    char *other = stored > given ? buf : (char *)buf + (size_t)n * given;
    char *values = stored > given ? (char *)buf + (size_t)n * stored : buf;
    int64_t start[DRX_MAX_NDIM], lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    drx_status st;

    locate(c, slabs->at, start);
    place(c, slabs, lo, count);
    if (!source_read(&c->v->source, start, slabs->extent, values))
        return FAILED;
    if (c->letters) {
        if (count[slabs->ndim - 1] != c->letters)
            return failed("%s: is too large", c->v->source.label);
        spread(c, n / c->letters, values);
        count[slabs->ndim - 1] = c->room;
    }
    if (c->work == COMPARE && c->v->source.holds == OTHERS) {
        st = read_at(c->a, lo, count, DRX_ROW_MAJOR, other);
        if (!st && memcmp(other, values, (size_t)n * given) != 0)
            return failed("%s: its elements differ from those of the dataset", c->v->source.label);
    } else if (c->work == COMPARE) {
        st = read_at(c->a, lo, count, DRX_ROW_MAJOR, other);
        if (!st)
            st = drx_cf_compare(&c->means->stored, other, &c->means->given, values, n, NULL);
    } else {
        st = encode(c, n, values, other);
        if (st == DRX_EMISMATCH && c->means)
            return failed("%s: %s%s", c->v->source.label, drx_last_error(), way_out(c));
        if (!st)
            st = write_at(c->a, lo, count, DRX_ROW_MAJOR, c->means ? other : values);
    }
    return exit_code(c->v->source.label, st);
}

/* The strings as bytes of `width` each, NULs after them. */
static void pack(char *const strings[], size_t n, size_t width, char *bytes)
{
    memset(bytes, 0, n * width);
    for (size_t i = 0; i < n; i++)
        if (strings[i])
            memcpy(bytes + i * width, strings[i], strnlen(strings[i], width));
}

static void measure(struct variable *v, char *const strings[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strings[i] && (int64_t)strlen(strings[i]) > v->string_bytes)
            v->string_bytes = (int64_t)strlen(strings[i]);
}

/* `buf`: the pointers of the strings, then room for their bytes, twice. */
static int move_strings(void *with, const struct slabs *slabs, void *buf)
{
    const struct moving *c = with;
    const size_t n = (size_t)box_bytes(slabs->ndim, slabs->extent, 1);
    const size_t width = c->a ? (size_t)drx_shape(c->a)[slabs->ndim] : 0;
    char **strings = buf;
    char *bytes = (char *)buf + n * sizeof *strings;
    int64_t start[DRX_MAX_NDIM], lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    locate(c, slabs->at, start);
    if (!source_read(&c->v->source, start, slabs->extent, strings))
        return FAILED;
    measure(c->v, strings, n);
    if (c->a)
        pack(strings, n, width, bytes);
    for (size_t i = 0; i < n; i++)
        free(strings[i]);
    if (!c->a)
        return DONE;
    place(c, slabs, lo, count);
    lo[slabs->ndim] = 0;
    count[slabs->ndim] = (int64_t)width;
    if (c->work == COPY)
        return exit_code(c->v->source.label, write_at(c->a, lo, count, DRX_ROW_MAJOR, bytes));
    st = read_at(c->a, lo, count, DRX_ROW_MAJOR, bytes + n * width);
    if (st || c->v->string_bytes > (int64_t)width || memcmp(bytes, bytes + n * width, n * width) != 0)
        return st ? failed_drx(c->v->source.label, st)
                  : failed("%s: its text differs from that of the dataset", c->v->source.label);
    return DONE;
}

/* Does an element that nobody wrote read as the fill value of the array? */
static bool is_missing_same(const struct moving *c, const int64_t start[])
{
    const size_t bytes = drx_type_size(c->v->source.type);
    char *value = calloc(1, bytes + VALUE_MAX_BYTES), *stored = value + (bytes + 15) / 16 * 16;
    int64_t one[DRX_MAX_NDIM];
    bool same;

    for (int j = 0; j < DRX_MAX_NDIM; j++)
        one[j] = 1;
    same = value && source_read(&c->v->source, start, one, value) && encode(c, 1, value, stored) == DRX_OK &&
           is_fill(c->a, c->means ? stored : value);
    free(value);
    return same;
}

/* The array has its fill value already where the file stores nothing. */
static bool is_absent(void *with, const int64_t at[], const int64_t extent[])
{
    struct moving *c = with;
    int64_t start[DRX_MAX_NDIM];

    locate(c, at, start);
    if (c->missing == OTHER || c->v->source.kind->holds(&c->v->source, start, extent))
        return false;
    if (c->missing == UNKNOWN)
        c->missing = is_missing_same(c, start) ? SAME : OTHER;
    return c->missing == SAME;
}

/* The bytes that one element of a slab needs in memory. */
static size_t bytes_of_one(const struct moving *c, bool strings)
{
    if (strings)
        return sizeof(char *) + (c->a ? 2 * (size_t)drx_shape(c->a)[c->v->ndim] : 0);
    if (c->letters)
        return (size_t)(c->room / c->letters) + 1;
    return drx_type_size(c->v->source.type) + (c->means ? drx_type_size(drx_dtype(c->a)) : 0);
}

static int move(struct moving *c)
{
    const bool strings = c->v->source.holds == STRINGS;
    const struct source *s = &c->v->source;
    const int ndim = strings ? c->v->ndim : s->ndim;
    struct slabs slabs;
    int64_t unit[DRX_MAX_NDIM], count[DRX_MAX_NDIM], lower[DRX_MAX_NDIM] = { 0 }, total;

    memcpy(count, s->shape, sizeof count);
    if (c->piece.axis >= 0)
        count[c->piece.axis] = c->piece.count;
    total = box_bytes(ndim, count, 1);
    if (total == 0 || c->v->ndim < 0)
        return DONE;
    memcpy(unit, s->chunk, sizeof unit);
    if (c->a && !strings)
        choose_unit(c->a, s->chunk, unit);
    if (c->v->source.holds == CHARACTERS && c->v->ndim > 0 && s->shape[ndim - 1] < drx_shape(c->a)[ndim - 1] &&
        ndim - 1 != c->piece.axis) {
        unit[ndim - 1] = c->letters = s->shape[ndim - 1];
        c->room = drx_shape(c->a)[ndim - 1];
    }
    if (total > 0)
        total = cut_box(&slabs, ndim, count, unit, bytes_of_one(c, strings), DRX_ROW_MAJOR);
    if (total < 0)
        return failed("%s: is too large", s->label);
    if (c->piece.axis >= 0)
        lower[c->piece.axis] = drx_lower(c->a)[c->piece.axis] + c->piece.at;
    set_phase(&slabs, lower);
    slabs.counted_bytes = drx_type_size(s->type);
    slabs.absent = s->kind->holds && c->work == COPY && !strings && !c->piece.again && !c->letters ? is_absent : NULL;
    return do_slabs(&slabs, strings ? move_strings : move_numbers, c, c->work == COPY ? c->f->progress : NULL);
}

int64_t variable_bytes(const struct variable *v)
{
    const int64_t bytes = box_bytes(v->source.ndim, v->source.shape, drx_type_size(v->source.type));

    return bytes < 0 ? 0 : bytes;
}

int measure_strings(const struct whole_file *f, struct variable *v)
{
    struct moving c = { .f = f, .v = v, .work = MEASURE, .piece.axis = -1 };

    v->string_bytes = 1;
    return move(&c);
}

int copy_variable(const struct whole_file *f, struct variable *v, drx_array *a, const struct piece *piece,
                  const struct meaning *means)
{
    struct moving c = { .f = f, .v = v, .a = a, .work = COPY, .piece.axis = -1, .means = means };

    if (piece)
        c.piece = *piece;
    if (f->rounding && f->rounding->bits && v->source.holds == NUMBERS && is_float(drx_dtype(a)) && !v->named)
        c.rounding = f->rounding;
    return move(&c);
}

int compare_variable(const struct whole_file *f, struct variable *v, drx_array *a, const struct meaning *means)
{
    struct moving c = { .f = f, .v = v, .a = a, .work = COMPARE, .piece.axis = -1, .means = means };

    return move(&c);
}
