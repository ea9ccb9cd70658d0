/* The owned indices of one axis as runs, in increasing global order. */
#include "dap/dap_internal.h"

struct drxi_keyed *dapi_new_pairs(int64_t n)
{
    return dapi_alloc(drxi_mul_saturated(n, 2), sizeof(struct drxi_keyed));
}

void dapi_sort_pairs(struct drxi_keyed pairs[], int64_t n)
{
    drxi_sort_keyed(pairs, pairs + n, n);
}

int dap_sort_indices(const struct dap_dim *d, int64_t order[])
{
    struct drxi_keyed *pairs;
    bool increase = true;

    if (!dapi_is_unstructured(d))
        return DAP_EINVAL;
    for (int64_t i = 0; i < d->n_indices; i++) {
        order[i] = i;
        increase = increase && (i == 0 || d->indices[i - 1] < d->indices[i]);
    }
    if (increase)
        return DAP_OK;
    pairs = dapi_new_pairs(d->n_indices);
    if (!pairs)
        return DAP_ENOMEM;
    for (int64_t i = 0; i < d->n_indices; i++)
        pairs[i] = (struct drxi_keyed){ d->indices[i], i };
    dapi_sort_pairs(pairs, d->n_indices);
    for (int64_t i = 0; i < d->n_indices; i++)
        order[i] = pairs[i].value;
    dapi_free(pairs);
    return DAP_OK;
}

int dapi_all_differ(const struct dap_dim *(*dim)(const void *of, int64_t i), const void *of, int64_t count,
                    bool *differ)
{
    struct drxi_marks marks = { NULL, INT64_MAX, INT64_MIN };
    int64_t n = 0, words;

    for (int64_t k = 0; k < count; k++) {
        const struct dap_dim *d = dim(of, k);

        for (int64_t i = 0; i < d->n_indices; i++) {
            marks.least = drxi_min(marks.least, d->indices[i]);
            marks.most = drxi_max(marks.most, d->indices[i]);
        }
        n += d->n_indices;
    }
    words = n > 0 ? drxi_marks_words(marks.least, marks.most, n) : 0;
    *differ = words >= 0;
    if (words <= 0)
        return DAP_OK;
    marks.bits = dapi_alloc(words, sizeof *marks.bits);
    for (int64_t k = 0; marks.bits && *differ && k < count; k++)
        *differ = drxi_mark_all(&marks, dim(of, k)->indices, dim(of, k)->n_indices);
    if (!marks.bits)
        return DAP_ENOMEM;
    dapi_free(marks.bits);
    return DAP_OK;
}

/* The number of them that are less than `global`. */
static int64_t count_below(const struct dap_dim *d, const int64_t order[], int64_t global)
{
    int64_t low = 0, high = d->n_indices;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (d->indices[order[middle]] < global)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Runs: next and end are global indices, or, for u, places in `order`. */

int dap_runs_begin(struct dap_runs *runs, const struct dap_dim *d, const int64_t order[], int64_t lo, int64_t hi)
{
    *runs = (struct dap_runs){ .dim = d, .order = order };
    if (dapi_is_block(d)) {
        (void)dap_owned_range(d, &runs->next, &runs->end);
    } else if (dapi_is_cyclic(d)) {
        runs->end = d->size;
    } else if (dapi_is_unstructured(d) && (order || d->n_indices == 0)) {
        runs->next = count_below(d, order, lo);
        runs->end = count_below(d, order, hi);
        return DAP_OK;
    } else {
        return DAP_EINVAL;
    }
    runs->next = drxi_max(runs->next, lo);
    runs->end = drxi_min(runs->end, hi);
    return DAP_OK;
}

/* The first owned index from next on begins a block or lies in one. */
static int next_of_blocks(struct dap_runs *runs, struct dap_run *run)
{
    const struct dap_dim *d = runs->dim;
    const int64_t block = runs->next / d->block_size;
    int64_t steps = (d->proc_grid_rank - block % d->proc_grid_size) % d->proc_grid_size;

    if (steps < 0)
        steps += d->proc_grid_size;
    if (steps > (runs->end - 1) / d->block_size - block) {
        runs->next = runs->end;
        return 0;
    }
    if (steps > 0)
        runs->next = (block + steps) * d->block_size;
    run->global = runs->next;
    run->local = (block + steps) / d->proc_grid_size * d->block_size + run->global % d->block_size;
    run->count = drxi_min(d->block_size - run->global % d->block_size, runs->end - run->global);
    runs->next += run->count;
    return 1;
}

static int next_of_indices(struct dap_runs *runs, struct dap_run *run)
{
    const struct dap_dim *d = runs->dim;
    const int64_t *order = runs->order;

    run->local = order[runs->next];
    run->global = d->indices[run->local];
    for (run->count = 1; ++runs->next < runs->end; run->count++)
        if (order[runs->next] != run->local + run->count || d->indices[order[runs->next]] != run->global + run->count)
            break;
    return 1;
}

int dap_runs_next(struct dap_runs *runs, struct dap_run *run)
{
    const struct dap_dim *d = runs->dim;

    if (runs->next >= runs->end)
        return 0;
    if (dapi_is_unstructured(d))
        return next_of_indices(runs, run);
    if (dapi_is_cyclic(d) && d->proc_grid_size > 1)
        return next_of_blocks(runs, run);
    run->global = runs->next; /* the only run: one range, and b or one process */
    run->local = run->global - d->start;
    run->count = runs->end - runs->next;
    runs->next = runs->end;
    return 1;
}
