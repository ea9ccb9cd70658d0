/* Copying the elements of an array into another one, which exists: all of them, or a part that is shared out. Each part
 * is a box of the target, chosen as the ranks of drxmp_copy choose theirs, but without asking each other. */
#include <math.h>

#include "array/place.h"
#include "layout/run/copy_request.h"

enum {
    MANY_PARTS = 16,
    MOST_KINDS = 9 /* of parts; in a plane those at corners, along borders, and between them */
};

/* ---- the request ---- */

/* What describes a new array is already settled. */
static drx_status check_into_spec(const drx_array *to, const drx_copy_spec *spec)
{
    const char *given = spec->chunk         ? "chunk"
                        : spec->chunk_order ? "chunk_order"
                        : spec->align       ? "align"
                        : spec->flags       ? "flags"
                        : spec->nstripes    ? "nstripes"
                        : spec->codec       ? "codec"
                                            : NULL;

    return given
               ? drxi_fail(DRX_EINVAL, "%s: spec.%s is given, but the array exists: expected 0", to->parts.label, given)
               : DRX_OK;
}

static drx_status check_permutation(const drx_array *from, const int permute[])
{
    const int ndim = from->data.ndim;
    bool taken[DRX_MAX_NDIM] = { false };

    for (int j = 0; permute && j < ndim; j++) {
        if (permute[j] < 0 || permute[j] >= ndim || taken[permute[j]])
            return drxi_fail(DRX_EINVAL, "%s: permute[%d] is %d, expected each of 0 to %d once", from->parts.label, j,
                             permute[j], ndim - 1);
        taken[permute[j]] = true;
    }
    return DRX_OK;
}

static drx_status check_same_extents(const drx_array *from, const drx_array *to, const int permute[])
{
    const struct drxi_data *x = &from->data, *y = &to->data;

    if (x->type != y->type)
        return drxi_fail(DRX_EMISMATCH, "%s has elements of type %s, %s of %s", from->parts.label,
                         drx_type_name(x->type), to->parts.label, drx_type_name(y->type));
    if (x->ndim != y->ndim)
        return drxi_fail(DRX_EMISMATCH, "%s has %d axes, %s %d", from->parts.label, x->ndim, to->parts.label, y->ndim);
    for (int j = 0; j < y->ndim; j++) {
        const int axis = permute ? permute[j] : j;

        if (x->shape[axis] != y->shape[j])
            return drxi_fail(DRX_EMISMATCH, "%s: axis %d has %lld indices, axis %d of %s %lld", to->parts.label, j,
                             (long long)y->shape[j], axis, from->parts.label, (long long)x->shape[axis]);
    }
    return DRX_OK;
}

static drx_status check_apart(const drx_array *from, const drx_array *to)
{
    bool same = from == to;
    drx_status st = DRX_OK;

    if (!same && from->path && to->path) {
        struct drxi_names x = { 0 }, y = { 0 };

        st = drxi_names_make(from->path, &x);
        if (!st)
            st = drxi_names_make(to->path, &y);
        if (!st)
            st = drxi_files->same(x.meta, y.meta, &same);
        drxi_names_free(&x);
        drxi_names_free(&y);
    }
    return same ? drxi_fail(DRX_EINVAL, "%s: is both source and target", to->parts.label) : st;
}

drx_status drxi_copying_start_into(struct drxi_copying *c, const drx_array *from, const drx_array *to,
                                   const drx_copy_spec *spec)
{
    static const drx_copy_spec all_zero;
    const drx_copy_spec *given = spec ? spec : &all_zero;
    drx_status st = check_into_spec(to, given);

    if (!st)
        st = check_permutation(from, given->permute);
    if (!st)
        st = check_same_extents(from, to, given->permute);
    if (!st)
        st = check_apart(from, to);
    if (!st)
        st = drxi_check_writable(to);
    return st ? st : drxi_copying_describe(c, from, to, given);
}

/* Either kind. In the order of their addresses, so that two copies never wait for each other. */
drx_status drxi_copying_begin(struct drxi_copying *c, drx_array *from, drx_array *to, const drx_copy_spec *spec,
                              bool collective)
{
    const bool swapped = to && (uintptr_t)to < (uintptr_t)from;
    drx_status st = drxi_wait_for_all(from, false, collective);

    if (!st && to)
        st = drxi_wait_for_all(to, true, collective);
    if (st)
        return st;
    c->inside[0] = swapped ? to : from;
    c->inside[1] = swapped ? from : to == from ? NULL : to;
    for (int i = 0; i < 2 && c->inside[i]; i++)
        drxi_gate_stay(&c->inside[i]->gate);
    return to ? drxi_copying_start_into(c, from, to, spec) : drxi_copying_start(c, from, spec);
}

void drxi_copying_end(struct drxi_copying *c)
{
    for (int i = 0; i < 2 && c->inside[i]; i++)
        drxi_gate_end_stay(&c->inside[i]->gate);
    c->inside[0] = NULL;
}

/* ---- its parts ---- */

static drx_status plan_share(const struct drxi_copying *c, const struct drxi_share *share, int part,
                             struct drxi_relayout *plan)
{
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    struct drxi_relayout_request mine;

    drxi_share_request(&c->request, share, part, lo, hi, &mine);
    return drxi_relayout_plan(&mine, plan, NULL);
}

/* Parts that have the same plan, at other places. */
struct kind {
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* of one of them */
};

static bool is_among(int n, const struct kind kind[], const struct drxi_relayout_request *request)
{
    for (int i = 0; i < n; i++)
        if (drxi_relayout_alike(request, kind[i].lo, kind[i].hi))
            return true;
    return false;
}

/* The seconds of the slowest part; INFINITY when memory is too small for one. Ends as soon as they are no less than
 * `least`. Making a plan takes long, so one is made for parts of a kind. */
static drx_status time_share(const struct drxi_copying *c, const struct drxi_share *share, double least,
                             struct drxi_relayout *plan, double *seconds)
{
    struct kind kind[MOST_KINDS];
    drx_status st = DRX_OK;
    int kinds = 0;

    *seconds = 0;
    for (int part = 0; !st && part < share->ranks && *seconds < least; part++) {
        struct drxi_relayout_request mine;

        drxi_share_request(&c->request, share, part, kind[kinds].lo, kind[kinds].hi, &mine);
        if (is_among(kinds, kind, &mine))
            continue;
        st = drxi_relayout_plan(&mine, plan, NULL);
        *seconds = st ? INFINITY : *seconds > plan->seconds ? *seconds : plan->seconds;
        kinds += kinds + 1 < MOST_KINDS;
    }
    return st == DRX_ERANGE ? DRX_OK : st;
}

/* The way to share whose slowest part is fastest, among many parts the first that is possible; -1: none is. */
static drx_status choose_among(const struct drxi_copying *c, const struct drxi_share share[], int count,
                               struct drxi_relayout *plan, int *best)
{
    double least = INFINITY, seconds;
    drx_status st = DRX_OK;

    *best = -1;
    for (int i = 0; !st && i < count && (*best < 0 || share[i].ranks <= MANY_PARTS); i++) {
        st = time_share(c, &share[i], least, plan, &seconds);
        if (!st && seconds < least) {
            least = seconds;
            *best = i;
        }
    }
    return st;
}

/* Of a copy box by box, which the planner only checks. */
static drx_status choose_boxes(struct drxi_copying *c, int part, int parts, struct drxi_relayout *plan)
{
    drx_status st = drxi_relayout_plan(&c->request, plan, NULL);

    plan->write_bytes = drxi_copying_bytes(c);
    return st || parts == 1 ? st : drxi_copying_share(c, part, parts, &plan->write_bytes);
}

drx_status drxi_copying_plan_part(struct drxi_copying *c, int part, int parts, struct drxi_relayout *plan)
{
    struct drxi_share share[DRXI_SHARES];
    int count = 0, best = -1;
    drx_status st = DRX_OK;

    if (c->by_boxes || c->target.codec != DRX_RAW)
        return choose_boxes(c, part, parts, plan);
    while (!st && best < 0 && parts > 1) {
        st = drxi_shares(&c->request, parts, share, &count);
        if (!st)
            st = choose_among(c, share, count, plan, &best);
        if (!st && best < 0)
            parts = count > 0 ? parts / 2 : parts - 1;
    }
    if (st)
        return st;
    if (best >= 0)
        return plan_share(c, &share[best], part, plan);
    st = drxi_relayout_plan(&c->request, plan, NULL); /* by all, who must hear of too little memory */
    if (!st && part > 0)
        *plan = (struct drxi_relayout){ .passes = 0 };
    return st;
}

/* ---- the copy ---- */

static drx_status copy_elements(struct drxi_copy_alone *c, drx_array *src, const drx_copy_spec *spec)
{
    const struct drxi_told told = { .tell = drxi_copy_alone_tell, .user = c };
    drx_status st = drxi_copying_begin(&c->layout, src, c->to, spec, false);

    if (!st && c->to->data.file->pool)
        st = drxi_pool_flush(c->to->data.file->pool);
    if (!st)
        st =
            drxi_copying_plan_part(&c->layout, c->layout.spec->part, (int)drxi_max(c->layout.spec->parts, 1), &c->plan);
    if (!st)
        st = drxi_copying_run(&c->layout, &c->plan, c->to, c->to->path, &told);
    return st ? st : drxi_watch_all(c->to);
}

drx_status drx_copy_into(drx_array *src, drx_array *dst, const drx_copy_spec *spec)
{
    struct drxi_copy_alone *c;
    drx_status st;

    if (!src || !dst)
        return drxi_no_array();
    if (!(c = drxi_calloc(1, sizeof *c)))
        return DRX_ENOMEM;
    drxi_report_clear();
    c->to = dst;
    st = copy_elements(c, src, spec);
    drxi_copying_end(&c->layout);
    drxi_free(c);
    return st;
}
