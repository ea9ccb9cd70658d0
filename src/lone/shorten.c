/* A shorter log of a lone array (spec/drx-format.md, 5.6): growths of one end of a dimension become one.
 *
 * A growth that adds no chunks makes no expansion record, and may come earlier, with the growth before it, or later,
 * with the next one. One that adds chunks joins the last record, whose coefficients are its own, if that is of the same
 * end, and nothing came in between but trims of the other end, which leave something (6.1). So may trims that follow
 * each other. A trim between the two has the bound of that end again. */
#include "lone/lone.h"
#include "store/kinds.h"

enum { NONE = -1, GONE = 0 };

/* A dimension, after the steps that were taken. */
struct span {
    int64_t lower, upper, chunk;
    int64_t grew[2];  /* by end: the last growth, which the next one may join; NONE */
    int64_t trims[2]; /* since then */
    int64_t trim[2];  /* the last of them, and the bounds before it */
    int64_t before[2];
};

struct shortening {
    int64_t n;
    struct drxi_change_of *step; /* kind GONE: it is in another one */
    int64_t *layers;             /* of chunks that a growth adds */
    struct span *span;           /* by the number of the dimension */
    struct drxi_last last;       /* axis: the dimension that the last record of the map is of; 0: none can be joined */
};

static enum drxi_end change_end(const struct drxi_change_of *c)
{
    return c->a < 0 ? DRXI_LOW : DRXI_HIGH;
}

static void set_bound(struct drxi_change_of *trim, enum drxi_end e, int64_t bound)
{
    *(e == DRXI_LOW ? &trim->a : &trim->b) = bound;
}

/* Whether the bounds are none too far apart when `c` comes before the trim. */
static bool may_come_before(const struct span *d, enum drxi_end e, const struct drxi_change_of *c)
{
    if (d->trims[e] == 0)
        return true;
    return e == DRXI_LOW ? drxi_is_span(c->b, d->before[e]) : drxi_is_span(d->before[e], c->b);
}

/* Whether a growth that ended there may come after the trim. */
static bool may_come_after(const struct shortening *x, const struct span *d, enum drxi_end e, int64_t bound)
{
    const struct drxi_change_of *t = &x->step[d->trim[e]];

    return d->trims[e] == 0 || (e == DRXI_LOW ? t->b > bound : t->a < bound);
}

/* Let the growth be a part of an earlier one, or that a part of it. False: they stay two. */
static bool join_spans(struct shortening *x, struct span *d, struct drxi_change_of *c, int64_t layers, bool *taken)
{
    const enum drxi_end e = change_end(c);
    const int64_t i = d->grew[e];
    struct drxi_change_of *g = i >= 0 ? &x->step[i] : NULL;
    int64_t sum;

    *taken = false;
    if (!g || d->trims[e] > 1 || !drxi_add(g->a, c->a, &sum))
        return false;
    if (layers > 0 && x->layers[i] == 0 && may_come_after(x, d, e, g->b - g->a)) {
        if (d->trims[e] > 0)
            set_bound(&x->step[d->trim[e]], e, g->b - g->a);
        c->a = sum;
        g->kind = GONE;
        return true;
    }
    if ((layers > 0 && (x->last.axis != c->number || x->last.end != e)) || !may_come_before(d, e, c))
        return false;
    g->a = sum;
    g->b = c->b;
    x->layers[i] += layers;
    if (d->trims[e] > 0)
        set_bound(&x->step[d->trim[e]], e, c->b);
    return *taken = true;
}

static void add_change(struct shortening *x, const struct drxi_change_of *c, int64_t layers)
{
    x->layers[x->n] = layers;
    x->step[x->n++] = *c;
}

static void apply_growth(struct shortening *x, struct drxi_change_of c)
{
    struct span *d = &x->span[c.number];
    const enum drxi_end e = change_end(&c);
    const int64_t layers = drxi_layers_of(d->lower, d->upper, d->chunk, c.a, c.b);
    bool taken;

    (void)join_spans(x, d, &c, layers, &taken);
    if (!taken) {
        d->grew[e] = x->n;
        d->trims[e] = 0;
        add_change(x, &c, layers);
    }
    if (layers > 0)
        x->last = (struct drxi_last){ c.number, e };
    *(e == DRXI_LOW ? &d->lower : &d->upper) = c.b;
}

static void trim(struct shortening *x, const struct drxi_change_of *c)
{
    struct span *d = &x->span[c->number];
    const bool empty = c->a == c->b, moved[2] = { [DRXI_LOW] = c->a != d->lower, [DRXI_HIGH] = c->b != d->upper };
    const bool again = x->n > 0 && x->step[x->n - 1].kind == DRXI_LOG_TRIM && x->step[x->n - 1].number == c->number;

    for (int e = 0; e < 2; e++) {
        if (moved[e] || empty)
            d->grew[e] = NONE;
        if (!again) {
            d->trims[e]++;
            d->trim[e] = x->n;
            d->before[e] = e == DRXI_LOW ? d->upper : d->lower; /* the end that it moves */
        }
    }
    if (x->last.axis != c->number || moved[x->last.end] || empty)
        x->last.axis = 0;
    if (again)
        x->step[x->n - 1] = *c;
    else
        add_change(x, c, 0);
    d->lower = c->a;
    d->upper = c->b;
}

static void take_change(struct shortening *x, const struct drxi_change_of *c)
{
    if (c->kind == DRXI_LOG_GROW) {
        apply_growth(x, *c);
    } else if (c->kind == DRXI_LOG_TRIM) {
        trim(x, c);
    } else {
        x->last.axis = 0;
        add_change(x, c, 0);
    }
}

static drx_status merge(const struct drxi_store *s, const struct drxi_variable *v, struct shortening *x)
{
    x->step = drxi_malloc((size_t)s->steps * sizeof *x->step);
    x->layers = drxi_malloc((size_t)s->steps * sizeof *x->layers);
    x->span = drxi_calloc(s->dimension.largest + (size_t)1, sizeof *x->span);
    if (!x->step || !x->layers || !x->span)
        return DRX_ENOMEM;
    for (int j = 0; j < v->ndim; j++)
        x->span[v->dim[j]] = (struct span){ .upper = 1, .chunk = v->chunk[j], .grew = { NONE, NONE } };
    for (int j = 0; j < v->made_ndim; j++) {
        x->span[v->made_dim[j]].lower = v->made_lower[j];
        x->span[v->made_dim[j]].upper = v->made_upper[j];
    }
    for (int64_t i = 0; i < s->steps; i++)
        take_change(x, &s->step[i]);
    return DRX_OK;
}

/* The dimensions that the variable was made with, and the variable; what it was then. */
static void put_made(const struct drxi_store *s, const struct drxi_variable *v, struct drxi_run *run)
{
    struct drxi_variable made = *v;

    for (int i = 1; i <= s->dimension.largest; i++)
        for (int j = 0; j < v->made_ndim; j++) {
            const int64_t bounds[2] = { v->made_lower[j], v->made_upper[j] };

            if (v->made_dim[j] == i)
                drxi_put_dimension(run, (uint16_t)i, 0, bounds,
                                   drxi_thing_name(&drxi_store_dimension(s, (uint16_t)i)->thing));
        }
    made.ndim = v->made_ndim;
    memcpy(made.dim, v->made_dim, sizeof made.dim);
    memcpy(made.chunk, v->made_chunk, sizeof made.chunk);
    drxi_put_variable(run, &made);
    drxi_put_stripes(run, v->thing.number, &v->stripes);
    drxi_put_source(run, v->thing.number, v->source);
    drxi_run_count(run);
}

static void put_types(const struct drxi_store *s, struct drxi_run *run)
{
    for (int i = 1; i <= s->type.largest; i++) {
        const struct drxi_type *t = drxi_store_type(s, (uint16_t)i);

        if (!t)
            continue;
        drxi_run_begin(run, DRXI_LOG_TYPE, t->thing.number);
        drxi_run16(run, t->thing.group);
        drxi_run_text(run, drxi_thing_name(&t->thing));
        drxi_run8(run, (uint8_t)t->class);
        drxi_run_bytes(run, t->fields, t->n_fields);
        drxi_run_end(run);
    }
}

static void put_step(const struct drxi_store *s, const struct drxi_change_of *c, struct drxi_run *run)
{
    static const int64_t one[2] = { 0, 1 };

    if (c->kind == GONE)
        return;
    if (c->kind == DRXI_LOG_GROW) {
        drxi_put_grow(run, c->number, c->a, c->b);
    } else if (c->kind == DRXI_LOG_TRIM) {
        drxi_put_trim(run, c->number, c->a, c->b);
    } else {
        drxi_put_dimension(run, c->number, 0, one, drxi_thing_name(&drxi_store_dimension(s, c->number)->thing));
        drxi_put_axis(run, c->variable, c->at, c->number);
    }
    drxi_run_count(run);
}

drx_status drxi_store_shorten(const struct drxi_store *s, struct drxi_run *run)
{
    const struct drxi_variable *v = drxi_store_variable(s, 1);
    struct shortening x = { .n = 0 };
    drx_status st = merge(s, v, &x);

    run->sequence = s->end.sequence;
    drxi_put_base(run, s, s->next_commit);
    put_types(s, run);
    put_made(s, v, run);
    for (int64_t i = 0; i < x.n; i++)
        put_step(s, &x.step[i], run);
    if (v->epoch > 0) {
        drxi_put_epoch(run, v->thing.number, v->epoch);
        drxi_run_count(run);
    }
    drxi_put_attributes(run, s);
    drxi_run_count(run);
    drxi_free(x.step);
    drxi_free(x.layers);
    drxi_free(x.span);
    return st ? st : run->failed;
}
