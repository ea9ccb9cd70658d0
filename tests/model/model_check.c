#include "array/array.h"
#include "model.h"

enum { SMALL_FILE = 1 << 20 };

void check_box(struct model *m, drx_array *a, const struct box *b, drx_order order)
{
    int64_t stride[DRX_MAX_NDIM];
    struct area got = area_new(m, count_elements(m, b->count));
    struct area want = area_copy(&got);

    plain_strides(m->ndim, b->count, order, stride);
    plain_load(&m->now, b->lo, b->count, NULL, stride, area_body(&want));
    EXPECT_OK(m, a == m->a ? m->hands->read(m, b, order, area_body(&got))
                           : drx_read(a, b->lo, b->count, order, area_body(&got)));
    CHECK(m, area_same(&got, &want), "box lo %s count %s, order %d: wrong elements", numbers(m->ndim, b->lo),
          numbers(m->ndim, b->count), (int)order);
    area_free(&got);
    area_free(&want);
}

void check_elements(struct model *m)
{
    struct box b = whole_box(m->ndim, m->now.lower, m->now.shape);

    check_box(m, m->a, &b, DRX_ROW_MAJOR);
    check_box(m, m->a, &b, DRX_COL_MAJOR);
}

static void check_numbers(struct model *m, int ndim, const char *what, const int64_t *got, const int64_t *want)
{
    CHECK(m, memcmp(got, want, (size_t)ndim * sizeof *got) == 0, "%s %s, not %s", what, numbers(ndim, got),
          numbers(ndim, want));
}

static void check_extents(struct model *m, const char *what, const int64_t *got, const int64_t *want)
{
    check_numbers(m, m->ndim, what, got, want);
}

void check_bounds(struct model *m, const drx_array *a, const int64_t *lower, const int64_t *shape)
{
    check_extents(m, "from", drx_lower(a), lower);
    check_extents(m, "shape", drx_shape(a), shape);
}

void check_reader_bounds(struct model *m, const struct reader *r)
{
    CHECK(m, drx_ndim(r->a) == r->ndim, "reader %d: ndim %d", (int)(r - m->reader), drx_ndim(r->a));
    check_numbers(m, r->ndim, "a reader sees it from", drx_lower(r->a), r->lower);
    check_numbers(m, r->ndim, "a reader sees shape", drx_shape(r->a), r->shape);
}

static void check_dim(struct model *m, int j, const char *name, const char *want)
{
    CHECK(m, !name == !want && (!name || strcmp(name, want) == 0), "axis %d is named %s, not %s", j,
          name ? name : "(none)", want ? want : "(none)");
}

static void check_spec(struct model *m)
{
    static const unsigned char zero[MAX_ELEM_BYTES] = { 0 };
    drx_spec spec;

    memset(&spec, 0xff, sizeof spec);
    drx_describe(m->a, &spec);
    CHECK(m, spec.nstripes == m->stripes, "described with %d stripes", spec.nstripes);
    CHECK(m, spec.ndim == m->ndim && spec.type == m->type, "described as %d axes of type %d", spec.ndim,
          (int)spec.type);
    check_extents(m, "described with shape", spec.shape, m->now.shape);
    for (int j = 0; j < m->ndim; j++)
        CHECK(m, (spec.lower ? spec.lower[j] : 0) == m->now.lower[j], "described from %" PRId64 " on on axis %d",
              spec.lower ? spec.lower[j] : 0, j);
    check_extents(m, "described with chunk", spec.chunk, m->chunk);
    CHECK(m, memcmp(spec.fill ? spec.fill : zero, m->fill, m->elem_bytes) == 0, "described with another fill");
    CHECK(m, spec.chunk_order == m->chunk_order, "described with chunk order %d", (int)spec.chunk_order);
    CHECK(m, spec.codec == m->codec && (spec.level != 0) == (m->codec != DRX_RAW), "described with codec %d, level %d",
          (int)spec.codec, spec.level);
    CHECK(m, spec.flags == m->flags, "described with flags %u", spec.flags);
    CHECK(m, (spec.align ? spec.align : 1) == m->align, "described with align %" PRId64, spec.align);
    for (int j = 0; j < m->ndim; j++)
        check_dim(m, j, spec.dims ? spec.dims[j] : NULL, m->names.dim[j]);
}

/* The library's list of growths, with runs of one end of an axis added up. A shorter log has another list. */
static void check_growths(struct model *m)
{
    int64_t n = drx_growth_count(m->a);
    int k = -1;
    struct growth run = { -1, 0 };

    check_extents(m, "initial shape", drx_initial_shape(m->a), m->initial);
    if (m->compacted)
        return;
    for (int64_t i = 0; i < n; i++) {
        struct growth g;

        EXPECT_OK(m, drx_growth(m->a, i, &g.axis, &g.by));
        if (g.axis == run.axis && (g.by < 0) == (run.by < 0)) {
            run.by += g.by;
            continue;
        }
        CHECK(m, k < 0 || (k < m->n_grown && m->grown[k].by == run.by), "growth up to %" PRId64 " is wrong", i);
        k++;
        run = g;
        CHECK(m, k < m->n_grown && m->grown[k].axis == g.axis, "growth %" PRId64 " is of axis %d", i, g.axis);
    }
    CHECK(m, k + 1 == m->n_grown && (k < 0 || m->grown[k].by == run.by), "the last growths are wrong (%d of %d)", k + 1,
          m->n_grown);
}

void check_inquiry(struct model *m)
{
    CHECK(m, drx_ndim(m->a) == m->ndim, "ndim %d", drx_ndim(m->a));
    CHECK(m, drx_dtype(m->a) == m->type, "type %d", (int)drx_dtype(m->a));
    check_bounds(m, m->a, m->now.lower, m->now.shape);
    check_extents(m, "chunk", drx_chunk(m->a), m->chunk);
    check_spec(m);
    check_growths(m);
    check_names(m, m->a, &m->names);
}

void check_all(struct model *m)
{
    check_inquiry(m);
    check_map(m, m->a, m->book.count);
    check_elements(m);
}

void check_map(struct model *m, drx_array *a, int64_t chunks)
{
    CHECK(m, drx_chunk_count(a) == chunks, "%" PRId64 " chunks, not %" PRId64, drx_chunk_count(a), chunks);
    for (int64_t q = 0; q < chunks; q++) {
        const int64_t *index = book_index(&m->book, q);
        int64_t address = -1;
        int64_t back[DRX_MAX_NDIM] = { 0 };

        if (!book_lives(&m->book, q)) {
            EXPECT_ERROR(m, drx_chunk_index(a, q, back), DRX_ERANGE);
            continue;
        }
        CHECK(m, drx_chunk_address(a, index, &address) == DRX_OK && address == q, "F*(%s) is %" PRId64 ", not %" PRId64,
              numbers(m->ndim, index), address, q);
        CHECK(m, drx_chunk_index(a, q, back) == DRX_OK && memcmp(back, index, (size_t)m->ndim * sizeof *back) == 0,
              "chunk at %" PRId64 " is %s, not %s", q, numbers(m->ndim, back), numbers(m->ndim, index));
    }
}

static void check_attr(struct model *m, const drx_array *a, int i, const struct attr *want)
{
    const char *name = NULL;
    const void *values = NULL;
    drx_type type = 0;
    int64_t n = -1;
    int is_text = -1;

    CHECK(m, drx_attr_info(a, i, &name, &type, &n, &is_text) == DRX_OK, "attribute %d: %s", i, drx_last_error());
    CHECK(m, strcmp(name, want->name) == 0, "attribute %d is %s, not %s", i, name, want->name);
    CHECK(m, type == want->type && n == want->n && !is_text == !want->is_text,
          "attribute %s: type %d n %" PRId64 " text %d, not %d %" PRId64 " %d", name, (int)type, n, is_text,
          (int)want->type, want->n, want->is_text);
    type = 0;
    n = -1;
    CHECK(m, drx_attr_get(a, want->name, &type, &n, &values) == DRX_OK, "attribute %s: %s", name, drx_last_error());
    CHECK(m, type == want->type && n == want->n, "attribute %s: type %d n %" PRId64, name, (int)type, n);
    CHECK(m, want->bytes == 0 || memcmp(values, want->values, want->bytes) == 0, "attribute %s: wrong values", name);
    CHECK(m, !want->is_text || ((const char *)values)[want->bytes] == '\0', "attribute %s: no NUL behind", name);
}

void check_names(struct model *m, const drx_array *a, const struct names *names)
{
    CHECK(m, drx_attr_count(a) == names->n, "%d attributes, not %d", drx_attr_count(a), names->n);
    for (int i = 0; i < names->n; i++)
        check_attr(m, a, i, &names->attr[i]);
    for (int j = 0; j < names->ndim; j++)
        check_dim(m, j, drx_dim_name(a, j), names->dim[j]);
}

struct raw_layout layout_of(const struct model *m)
{
    return (struct raw_layout){ m->chunk, m->chunk_order, m->align, m->word_bytes, m->fill, m->residue };
}

bool file_is_small(const struct model *m)
{
    struct raw_layout layout = layout_of(m);

    return m->codec == DRX_RAW && raw_stride(&layout, &m->now) * m->book.count <= SMALL_FILE;
}

/* Whether the file ends where somebody wrote. */
static bool ends_early(const struct model *m)
{
    bool zero = true;

    for (size_t i = 0; i < sizeof m->fill; i++)
        zero = zero && ((const unsigned char *)&m->fill)[i] == 0;
    return m->hands == &lent && !(m->flags & DRX_CHECKSUM) && zero;
}

void check_file(struct model *m, bool strict)
{
    struct raw_layout layout = layout_of(m);
    struct raw_bytes raw;
    const int64_t pitch = raw_stride(&layout, &m->now);
    char why[512] = "";

    file_read(m, &raw);
    CHECK(m, !strict || raw.n == m->book.count * pitch || (ends_early(m) && raw.n < m->book.count * pitch),
          "%s: %" PRId64 " bytes, not %" PRId64 " chunks of %" PRId64, m->path, raw.n, m->book.count, pitch);
    CHECK(m, raw_agrees(&layout, &m->now, &m->book, &raw, why, sizeof why), "%s: %s", m->path, why);
    if (strict) /* of a closed array */
        file_check_sums(m, &raw);
    free(raw.data);
}

/* The box of the array that a reader sees as that: it has index 0 on an axis that the reader does not know. */
static struct box box_of_now(int ndim, const struct reader *r, const struct box *b)
{
    struct box now = { { 0 }, { 0 } };

    for (int j = 0; j < ndim; j++)
        now.count[j] = 1;
    for (int j = 0; j < r->ndim; j++) {
        now.lo[r->axis[j]] = b->lo[j];
        now.count[r->axis[j]] = b->count[j];
    }
    return now;
}

/* Whether the library may have lost what a reader needs to know: more than one log replaced the other meanwhile. */
static bool may_be_lost(const struct model *m, const struct reader *r)
{
    return r->compacted > 1 && (m->trimmed || m->ndim != r->ndim);
}

/* A box that was trimmed since the reader saw the bounds is refused; when nobody can tell, any may be. A server tells
 * only of files that have changed: as long as they have not, the reader has what it had. */
void check_reader_box(struct model *m, struct reader *r, const struct box *b, drx_order order)
{
    const struct plain *const there = r->frozen ? &r->then : &m->now;
    const struct box now = box_of_now(there->ndim, r, b);
    const int64_t n = plain_product(there->ndim, now.count);
    int64_t stride[DRX_MAX_NDIM];
    struct area got = area_new(m, n), want = area_copy(&got);
    bool left = true, compares = true;
    drx_status st;

    for (int j = 0; j < there->ndim; j++)
        left = left && now.lo[j] >= r->first[j] && now.lo[j] + now.count[j] <= r->end[j];
    st = drx_read(r->a, b->lo, b->count, order, area_body(&got));
    plain_strides(r->ndim, b->count, order, stride);
    if (r->stale && (st == DRX_OK || st == DRX_EMISMATCH)) { /* its elements may be older */
        compares = false;
    } else if (!left && st == DRX_OK) { /* told when the space is given back, or the cells are used again */
        compares = false;
    } else if (r->renamed && !left) { /* it may not learn of that */
        compares = false;
    } else if (r->remote && !left && st == DRX_OK) {
        plain_load(&r->then, b->lo, b->count, NULL, stride, area_body(&want));
    } else if (n == 0 || (left && !(st == DRX_ERANGE && may_be_lost(m, r)))) {
        EXPECT_OK(m, st);
        plain_strides(there->ndim, now.count, order, stride);
        if (left)
            plain_load(there, now.lo, now.count, NULL, stride, area_body(&want));
    } else {
        EXPECT_ERROR(m, st, DRX_ERANGE);
        compares = false;
    }
    CHECK(m, !compares || area_same(&got, &want), "reader %d: box lo %s count %s, order %d: wrong elements",
          (int)(r - m->reader), numbers(r->ndim, b->lo), numbers(r->ndim, b->count), (int)order);
    area_free(&got);
    area_free(&want);
    if (n > 0 && r->compacted < 2)
        r->compacted = 0; /* it has seen them */
}

void check_reader(struct model *m, struct reader *r)
{
    const struct box all = whole_box(r->ndim, r->lower, r->shape);

    check_reader_bounds(m, r);
    check_names(m, r->a, &r->names);
    if (!r->cut && r->ndim == m->ndim && !r->frozen && m->hands != &lent)
        check_map(m, r->a, r->chunks);
    if (m->puts_pending)
        return;
    check_reader_box(m, r, &all, DRX_ROW_MAJOR);
    check_reader_box(m, r, &all, DRX_COL_MAJOR);
}
