/* What only the drop-in does. Usage: dra_ours [PART ...] */
#include "dra_fortran.h"
#include "drx_dra.h"

void bad(void), better(void), async(void), chunks(void), full(void), memory(void);
void failing(void), meeting(void), stored(void), change(void), discard(void);

static int copy_either(int src, int dst, int ndim, int perm[], int *req)
{
    Integer from = src, to = dst, dims[MOST_DIMS], id, code;

    if (!through_fortran)
        return NDRA_Copy(src, dst, perm, req);
    for (int j = 0; j < ndim; j++)
        dims[ndim - 1 - j] = ndim - perm[j];
    code = ndra_copy_(&from, &to, dims, &id);
    *req = (int)id;
    return (int)code;
}

static int extend_either(int d_a, int ndim, int axis, int64_t by)
{
    Integer handle = d_a, dim = ndim - axis, more = by;

    return through_fortran ? (int)ndra_extend_(&handle, &dim, &more) : NDRA_Extend(d_a, axis, by);
}

static void histories(void)
{
    play_histories(&(struct ability){ copy_either, extend_either, be_slow });
}

static const struct part parts[] = {
    { "bad", bad, ANY_RANKS },
    { "better", better, ANY_RANKS },

    { "async", async, 3 },

    { "chunks", chunks, ANY_RANKS },
    { "failing", failing, ANY_RANKS },
    { "meeting", meeting, ANY_RANKS },
    { "histories", histories, ANY_RANKS }, /* the last one: see DRX_DRA_SOON */
    { "full", full, 0 },
    { "memory", memory, 0 },
    { "stored", stored, 0 },
    { "change", change, 0 },
    { "discard", discard, 0 },
};

int main(int argc, char **argv)
{
    return run_parts(argc, argv, parts, sizeof parts / sizeof *parts);
}
