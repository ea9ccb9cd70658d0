#include "model.h"

void say(struct model *m, const char *format, ...)
{
    char *line = m->trail[m->op % TRAIL];
    va_list args;

    va_start(args, format);
    vsnprintf(line, LINE, format, args);
    va_end(args);
    if (m->run->trace)
        fprintf(stderr, "  %" PRId64 ".%" PRId64 " %s\n", m->history, m->op, line);
}

const char *numbers(int n, const int64_t *v)
{
    static char text[8][256];
    static unsigned turn;
    char *out = text[turn++ % 8];
    size_t used = 0;

    out[0] = '\0';
    for (int j = 0; j < n && used < sizeof text[0]; j++)
        used += (size_t)snprintf(out + used, sizeof text[0] - used, "%s%" PRId64, j ? "," : "", v[j]);
    return out;
}

void model_report(struct model *m)
{
    int64_t first = m->op < TRAIL ? 0 : m->op - TRAIL + 1;

    fprintf(stderr, "  seed %" PRIu64 " history %" PRId64 " operation %" PRId64 "\n  array: %s\n", m->run->seed,
            m->history, m->op, m->about);
    fprintf(stderr, "  now: from %s shape %s, open for %s%s\n", numbers(m->ndim, m->now.lower),
            numbers(m->ndim, m->now.shape),
            m->shared     ? "writing together"
            : m->writable ? "writing"
                          : "reading",
            m->puts_pending ? ", puts pending" : "");
    for (int64_t i = first; i <= m->op; i++)
        fprintf(stderr, "  op %" PRId64 ": %s\n", i, m->trail[i % TRAIL]);
    fprintf(stderr, "  repeat: %s=%" PRIu64 " DRX_MODEL_HISTORY=%" PRId64 " DRX_MODEL_TRACE=1\n",
            m->run->hands == &alone ? "DRX_MODEL_SEED" : "DRX_SEED", m->run->seed, m->history);
    m->reported = true;
}

void model_fail(struct model *m, const char *file, int line, const char *what, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "\nmodel: FAILED at %s:%d: %s\n  ", file, line, what);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    if (m->elsewhere)
        _exit(99); /* the history reports it */
    model_report(m);
    fail();
}

void expect_status(struct model *m, drx_status st, drx_status one, drx_status other, const char *file, int line,
                   const char *call)
{
    if (st != one && st != other)
        model_fail(m, file, line, call, "returned %d (%s; %s), not %d (%s)", (int)st, drx_strerror(st),
                   drx_last_error(), (int)one, drx_strerror(one));
    if (st != DRX_OK && drx_last_error()[0] == '\0')
        model_fail(m, file, line, call, "returned %d (%s) and drx_last_error() is empty", (int)st, drx_strerror(st));
}

drx_order choose_order(struct model *m)
{
    return rng_chance(&m->rng, 50) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
}

struct box choose_box(struct model *m, int ndim, const int64_t *lower, const int64_t *shape)
{
    struct box b;

    for (int j = 0; j < ndim; j++) {
        int64_t how = rng_between(&m->rng, 0, 9);

        b.lo[j] = b.count[j] = 0;
        if (shape[j] == 0)
            continue;
        if (how < 3) {
            b.count[j] = shape[j];
        } else {
            b.lo[j] = rng_between(&m->rng, 0, shape[j] - 1);
            b.count[j] = how < 6 ? 1 : rng_between(&m->rng, 1, shape[j] - b.lo[j]);
        }
    }
    if (rng_chance(&m->rng, 4)) {
        int j = (int)rng_between(&m->rng, 0, ndim - 1);

        b.lo[j] = rng_between(&m->rng, 0, shape[j]);
        b.count[j] = 0;
    }
    for (int j = 0; j < ndim; j++)
        b.lo[j] += lower[j];
    return b;
}

/* Random bits, so that floats are often NaNs; now and then the fill or zero. */
void choose_element(struct model *m, void *element)
{
    rng_fill(&m->rng, element, m->elem_bytes);
    if (rng_chance(&m->rng, 5))
        memcpy(element, m->fill, m->elem_bytes);
    else if (rng_chance(&m->rng, 5))
        memset(element, 0, m->elem_bytes);
}

int64_t count_elements(const struct model *m, const int64_t *count)
{
    return plain_product(m->ndim, count);
}

struct box whole_box(int ndim, const int64_t *lower, const int64_t *shape)
{
    struct box b = { { 0 }, { 0 } };

    memcpy(b.lo, lower, (size_t)ndim * sizeof *lower);
    memcpy(b.count, shape, (size_t)ndim * sizeof *shape);
    return b;
}

struct area area_new(struct model *m, int64_t elements)
{
    struct area a;

    a.bytes = (size_t)elements * m->elem_bytes + 2 * AREA_GUARD;
    a.mem = plain_alloc(a.bytes);
    memset(a.mem, (int)rng_between(&m->rng, 0, 255), a.bytes);
    return a;
}

struct area area_copy(const struct area *a)
{
    struct area copy = *a;

    copy.mem = plain_alloc(a->bytes);
    memcpy(copy.mem, a->mem, a->bytes);
    return copy;
}

void *area_body(const struct area *a)
{
    return a->mem + AREA_GUARD;
}

bool area_same(const struct area *a, const struct area *b)
{
    return a->bytes == b->bytes && memcmp(a->mem, b->mem, a->bytes) == 0;
}

void area_free(struct area *a)
{
    free(a->mem);
    a->mem = NULL;
}

struct area area_random(struct model *m, int64_t elements)
{
    struct area a = area_new(m, elements);
    unsigned char *body = area_body(&a);

    if (rng_chance(&m->rng, 90)) {
        rng_fill(&m->rng, body, (size_t)elements * m->elem_bytes);
        return a;
    }
    for (int64_t i = 0; i < elements; i++)
        choose_element(m, body + (size_t)i * m->elem_bytes);
    return a;
}
