/* Coordinates of a source by what they mean (drx_cf.h): where an append goes, and whether others are the stored
 * ones. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "import.h"

/* What is compared: elements of the array and of the source. */
struct pair {
    drx_cf stored, given;
    drx_array *keeper;
    void *have, *more;
};

static void release_pair(struct pair *p)
{
    free(p->have);
    free(p->more);
    (void)drx_close(p->keeper);
}

/* Read m elements of `a` and n of the source from index `from` on. Gives the exit code; release them in any case. */
static int load(struct pair *p, struct coordinate_source *c, drx_array *a, int64_t lo, int64_t m, int64_t from,
                int64_t n)
{
    const size_t bytes[] = { drx_type_size(drx_dtype(a)), drx_type_size(c->source.type) };
    drx_status st = drx_cf_describe(a, &p->stored);

    p->have = calloc((size_t)m + 1, bytes[0]);
    p->more = calloc((size_t)n + 1, bytes[1]);
    if (!p->have || !p->more)
        return out_of_memory((m + n) * (int64_t)bytes[0]);
    if (!st && m > 0)
        st = drx_read(a, &lo, &m, DRX_ROW_MAJOR, p->have);
    if (st)
        return failed_drx(c->path, st);
    p->keeper = describe_source(&c->source, &p->given);
    if (!p->keeper || (n > 0 && !source_read(&c->source, &from, &n, p->more)))
        return FAILED;
    p->stored.name = p->given.name = base_name(c->path);
    return DONE;
}

int compare_coordinate(struct coordinate_source *c, drx_array *a, const char *way_out)
{
    struct pair p = { 0 };
    const int64_t n = c->source.shape[0];
    int status = load(&p, c, a, drx_lower(a)[0], n, 0, n);

    if (status == DONE && drx_cf_compare(&p.stored, p.have, &p.given, p.more, n, NULL) != DRX_OK)
        status = failed("%s: its values differ from the coordinates %s: %s; %s", c->path, c->source.label,
                        drx_last_error(), way_out);
    release_pair(&p);
    return status;
}

/* The coordinate may have grown with another array already, beyond those indices; then it must have these very values.
 * `p` has all of it. */
static int settle_coordinate(struct coordinate_source *c, const struct addition *added, const struct pair *p,
                             const struct span *span, const char *way_out)
{
    const int64_t lower = drx_lower(c->array)[0], upper = lower + drx_shape(c->array)[0];
    const int64_t more = added->before ? span->lower - lower : upper - span->upper;
    const int64_t there = more < added->count ? more : added->count;
    const size_t bytes = drx_type_size(p->stored.type);
    const int64_t at = added->before ? more - there : span->upper - lower,
                  from = added->before ? added->count - there : 0;

    if (upper - lower - more != span->upper - span->lower)
        return failed("%s: has the indices %" PRId64 " to %" PRId64 ", but the array %" PRId64 " to %" PRId64
                      "; trim it to those, or %s",
                      c->path, lower, upper - 1, span->lower, span->upper - 1, way_out);
    if (drx_cf_compare(&p->stored, (const char *)p->have + (size_t)at * bytes, &p->stored,
                       (const char *)c->values + (size_t)from * bytes, there, NULL) != DRX_OK)
        return failed("%s: has %" PRId64 " indices already, %" PRId64 " more than the array, and they are not those of "
                      "%s: %s; %s",
                      c->path, upper - lower, more, c->source.label, drx_last_error(), way_out);
    c->there = there;
    return DONE;
}

int align_coordinate(struct coords *all, struct coordinate_source *c, const struct import *wish,
                     const struct span *span, const char *way_out)
{
    const int64_t lower = drx_lower(c->array)[0], m = drx_shape(c->array)[0], n = c->source.shape[0] - wish->from;
    const size_t bytes = drx_type_size(drx_dtype(c->array));
    struct pair p = { 0 };
    struct aligned pair = { &p.stored, &p.given, span->upper - span->lower, n, NULL, NULL };
    drx_cf_alignment where;
    char *why;
    int status;

    if (n < 0)
        return DONE; /* --from is refused elsewhere */
    status = load(&p, c, c->array, lower, m, wish->from, n);
    c->values = calloc((size_t)n + 1, bytes);
    all->at = calloc((size_t)n + 1, sizeof *all->at);
    if (status == DONE && (!c->values || !all->at))
        status = out_of_memory(n);
    if (status == DONE) {
        pair.have = (const char *)p.have + (size_t)(span->lower - lower) * bytes;
        pair.more = p.more;
    }
    if (status == DONE && drx_cf_align(&p.stored, pair.m, pair.have, &p.given, n, p.more, wish->overlap, all->at,
                                       c->values, &where) != DRX_OK) {
        why = strdup(drx_last_error());
        status = failed("%s: neither continues %s nor leads up to it: %s%s; %s", c->source.label, c->path,
                        why ? why : "", overlap_hint(&pair, wish->overlap), way_out);
        free(why);
    }
    if (status == DONE) {
        all->added = (struct addition){ where.side == DRX_CF_BEFORE, where.from, where.appended };
        memmove(c->values, (char *)c->values + (size_t)where.from * bytes, (size_t)where.appended * bytes);
        status = settle_coordinate(c, &all->added, &p, span, way_out);
        if (status == DONE && c->there == 0)
            all->gap = gap_text(&p.stored, pair.m, pair.have, where.appended, c->values, all->added.before);
    }
    release_pair(&p);
    return status;
}
