/* Boxes of chunks that are balanced over ranks (Krishnamoorthy et al. 2006, Fig. 6). */
#include "layout/plan_internal.h"

struct search {
    int ndim;
    int64_t offset[DRX_MAX_NDIM]; /* between neighbours on the axis, modulo the ranks */
    int64_t factor[DRX_MAX_NDIM];
    struct drxi_factors *found;
};

static bool is_known(const struct search *s)
{
    const size_t bytes = (size_t)s->ndim * sizeof s->factor[0];

    for (int64_t i = 0; i < s->found->count; i++)
        if (memcmp(s->found->factor + i * s->ndim, s->factor, bytes) == 0)
            return true;
    return false;
}

static drx_status keep(struct search *s)
{
    struct drxi_factors *f = s->found;
    drx_status st;

    if (is_known(s)) /* the same factors, chosen in another order */
        return DRX_OK;
    st = drxi_reserve(&f->factor, &f->room, f->count + 1, (size_t)s->ndim * sizeof s->factor[0]);
    if (st)
        return st;
    memcpy(f->factor + f->count++ * s->ndim, s->factor, (size_t)s->ndim * sizeof s->factor[0]);
    return DRX_OK;
}

/* `ranks` is what is left to be factored: the ranks apart by what the chosen axes reach. */
static drx_status factorise(struct search *s, int64_t ranks)
{
    drx_status st = DRX_OK;

    if (ranks == 1)
        return keep(s);
    for (int j = 0; j < s->ndim && st == DRX_OK; j++) {
        const int64_t f = ranks / drxi_gcd(ranks, s->offset[j]);

        if (s->factor[j] > 1 || f == 1)
            continue;
        s->factor[j] = f;
        st = factorise(s, ranks / f);
        s->factor[j] = 1;
    }
    return st;
}

drx_status drxi_factors(int ranks, int ndim, const int64_t grid[], struct drxi_factors *factors)
{
    struct search s = { .ndim = ndim, .found = factors };
    int64_t offset = 1;

    *factors = (struct drxi_factors){ 0 };
    for (int j = ndim - 1; j >= 0; j--) {
        s.offset[j] = offset % ranks;
        s.factor[j] = 1;
        offset = s.offset[j] * (grid[j] % ranks);
    }
    return factorise(&s, ranks);
}
