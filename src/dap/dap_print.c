/* Printing an axis set. */
#include "base/line.h"
#include "dap/dap_internal.h"

static int64_t padding_at(const struct dap_dim set[], int64_t border)
{
    return border < set->proc_grid_size ? set[border].padding[0] : set[border - 1].padding[1];
}

static void print_block(struct drxi_line *l, const struct dap_dim set[])
{
    bool padded = false;

    if (set->flags & DAP_DIM_ALIAS) {
        drxi_add_text(l, "{} %lld", (long long)set->size);
        return;
    }
    drxi_add_text(l, "b");
    for (int64_t r = 0; r < set->proc_grid_size; r++)
        drxi_add_text(l, " %lld", (long long)(set[r].start + dapi_shared_before(&set[r])));
    drxi_add_text(l, " %lld", (long long)set->size);
    for (int64_t border = 0; border <= set->proc_grid_size; border++)
        padded = padded || padding_at(set, border) != 0;
    if (padded) {
        drxi_add_text(l, " padding");
        for (int64_t border = 0; border <= set->proc_grid_size; border++)
            drxi_add_text(l, " %lld", (long long)padding_at(set, border));
    }
    if (set->flags & DAP_DIM_PERIODIC)
        drxi_add_text(l, " periodic");
}

static void print_cyclic(struct drxi_line *l, const struct dap_dim *d)
{
    drxi_add_text(l, "c %lld over %lld", (long long)d->size, (long long)d->proc_grid_size);
    if (d->block_size != 1)
        drxi_add_text(l, " block %lld", (long long)d->block_size);
}

static void print_unstructured(struct drxi_line *l, const struct dap_dim set[])
{
    drxi_add_text(l, "u %lld", (long long)set->size);
    for (int64_t r = 0; r < set->proc_grid_size; r++) {
        drxi_add_text(l, " [");
        for (int64_t i = 0; i < set[r].n_indices; i++)
            drxi_add_text(l, " %lld", (long long)set[r].indices[i]);
        drxi_add_text(l, " ]");
    }
    if (set->flags & DAP_DIM_ONE_TO_ONE)
        drxi_add_text(l, " one_to_one");
}

int64_t dap_print(const struct dap_dim set[], char *text, size_t bytes)
{
    struct drxi_line l = { text, text ? bytes : 0, 0 };

    if (l.room > 0)
        text[0] = '\0';
    if (dapi_is_block(set))
        print_block(&l, set);
    else if (dapi_is_cyclic(set))
        print_cyclic(&l, set);
    else if (dapi_is_unstructured(set))
        print_unstructured(&l, set);
    else
        return DAP_EINVAL;
    return (int64_t)l.length;
}
