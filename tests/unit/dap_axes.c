#include "dap_axes.h"

char why[200];

void check_why(int status, int expected, const char *what, const char *file, int line)
{
    if (status != expected || (expected ? !strstr(why, what) : why[0] != '\0')) {
        print_error("status %d: \"%s\", expected %d: \"%s\"\n", status, why, expected, what ? what : "");
        _fail(file, line);
    }
    memcpy(why, "?", 2); /* the next call has to say something itself */
}

static void hold(struct axis *a, int64_t rank, int64_t global, bool owned)
{
    assert_true(a->extent[rank] < MOST_HELD);
    a->section[rank][a->extent[rank]++] = (struct held){ global, owned };
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* B: lengths first, then paddings as wide as both neighbours allow. */

static void random_block(uint64_t *seed, struct axis *a)
{
    int64_t owned[MOST_RANKS], width[MOST_RANKS + 1], first = 0;
    const bool periodic = random_below(seed, 3) == 0;

    for (int64_t r = 0; r < a->nranks; r++) {
        owned[r] = random_below(seed, 3) ? random_below(seed, 10) : 0;
        a->size += owned[r];
    }
    for (int64_t border = 0; border <= a->nranks; border++) {
        const int64_t most = border == 0           ? owned[0]
                             : border == a->nranks ? owned[a->nranks - 1]
                                                   : smaller(owned[border - 1], owned[border]);

        width[border] = random_below(seed, 2) ? random_below(seed, most + 1) : 0;
    }
    for (int64_t r = 0; r < a->nranks; r++) {
        struct dap_dim *d = &a->set[r];
        const int64_t before = r > 0 ? width[r] : 0, after = r < a->nranks - 1 ? width[r + 1] : 0;

        d->flags = periodic ? DAP_DIM_PERIODIC : 0;
        d->start = first - before;
        d->stop = first + owned[r] + after;
        d->padding[0] = width[r];
        d->padding[1] = width[r + 1];
        for (int64_t g = d->start; g < d->stop; g++)
            hold(a, r, g, g >= first && g < first + owned[r]);
        first += owned[r];
    }
    a->high = a->size;
}

/* C: dealt out like cards. */

static void random_cyclic(uint64_t *seed, struct axis *a)
{
    const int64_t block_size = 1 + random_below(seed, 6);
    int64_t turn = 0, left = block_size;

    a->size = random_below(seed, 60);
    for (int64_t g = 0; g < a->size; g++) {
        hold(a, turn, g, true);
        if (--left == 0) {
            left = block_size;
            turn = turn + 1 == a->nranks ? 0 : turn + 1;
        }
    }
    for (int64_t r = 0; r < a->nranks; r++) {
        a->set[r].block_size = block_size;
        a->set[r].start = r * block_size;
        if (a->set[r].start > a->size && random_below(seed, 2))
            a->set[r].start = a->size; /* clamped */
    }
    a->high = a->size;
}

/* U: any indices, each for one rank, or for some. */

static void random_unstructured(uint64_t *seed, struct axis *a)
{
    const bool one_to_one = random_below(seed, 2) == 0;
    const int64_t n = random_below(seed, 50);
    int64_t indices[50];
    int64_t next = -random_below(seed, 30);

    a->low = next;
    for (int64_t i = 0; i < n; i++) {
        indices[i] = next;
        next += random_below(seed, 3) ? 1 : 1 + random_below(seed, 9);
    }
    a->high = next + 1;
    for (int64_t i = n; i > 1 && random_below(seed, 4); i--) { /* shuffled, as far as that goes */
        const int64_t j = random_below(seed, i), other = indices[j];

        indices[j] = indices[i - 1];
        indices[i - 1] = other;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t whose = random_below(seed, a->nranks);

        for (int64_t r = 0; r < a->nranks; r++)
            if (r == whose || (!one_to_one && random_below(seed, 4) == 0))
                hold(a, r, indices[i], true);
    }
    a->size = n;
    for (int64_t r = 0; r < a->nranks; r++) {
        for (int64_t i = 0; i < a->extent[r]; i++)
            a->indices[r][i] = a->section[r][i].global;
        a->set[r].flags = one_to_one ? DAP_DIM_ONE_TO_ONE : 0;
        a->set[r].n_indices = a->extent[r];
        a->set[r].indices = a->indices[r];
    }
}

void random_axis(uint64_t *seed, int type, int64_t nranks, struct axis *out)
{
    memset(out, 0, sizeof *out);
    out->nranks = nranks;
    if (type == 'b')
        random_block(seed, out);
    else if (type == 'c')
        random_cyclic(seed, out);
    else
        random_unstructured(seed, out);
    for (int64_t r = 0; r < nranks; r++) {
        out->set[r].dist_type = type;
        out->set[r].size = out->size;
        out->set[r].proc_grid_size = nranks;
        out->set[r].proc_grid_rank = r;
    }
}

static void release(struct dap_array *a)
{
    a->release = NULL;
}

struct dap_array array_of(int ndim, const struct dap_dim dims[], const int64_t shape[])
{
    static double data;
    struct dap_array a = { .abi_major = DAP_ABI_MAJOR,
                           .abi_minor = DAP_ABI_MINOR,
                           .release = release,
                           .version = { DAP_VERSION_MAJOR, DAP_VERSION_MINOR, DAP_VERSION_PATCH },
                           .ndim = ndim,
                           .device_type = DAP_HOST,
                           .data = &data,
                           .itemsize = sizeof data,
                           .format = "d",
                           .shape = shape,
                           .strides = shape, /* nobody calculates with them */
                           .dims = dims,
                           .dim_stride = sizeof *dims };

    return a;
}

int64_t spread(int ndim, const struct axis axes[], struct dap_dim dims[], int64_t shape[])
{
    int64_t grid[8], at[8] = { 0 }, rank = 0;

    for (int axis = 0; axis < ndim; axis++)
        grid[axis] = axes[axis].nranks;
    do {
        for (int axis = 0; axis < ndim; axis++) {
            dims[rank * ndim + axis] = axes[axis].set[at[axis]];
            shape[rank * ndim + axis] = axes[axis].extent[at[axis]];
        }
        rank++;
    } while (next_index(ndim, grid, at));
    return rank;
}
