/* What drx dap check prints about valid exports. */
#include <stdlib.h>

#include "exports.h"
#include "frame/json.h"

/* The dimension of the rank at `grid_rank` on that axis and 0 on the others. */
static const struct dap_dim *dim_on(const struct exports *f, int axis, int64_t grid_rank)
{
    int64_t stride = 1;

    for (int behind = axis + 1; behind < f->ranks->ndim; behind++)
        stride *= f->ranks->dims[behind].proc_grid_size;
    return &f->ranks[grid_rank * stride].dims[axis];
}

struct range {
    int64_t least, most;
};

/* Of the elements that a rank owns; or, `padding`, of the communication padding between neighbours. */
static struct range range_of(const struct exports *f, int axis, bool padding)
{
    struct range range = { INT64_MAX, 0 };

    for (int64_t k = padding; k < f->ranks->dims[axis].proc_grid_size; k++) {
        const struct dap_dim *dim = dim_on(f, axis, k);
        const int64_t n = padding ? dim->padding[0] : dap_num_owned(dim);

        range.least = n < range.least ? n : range.least;
        range.most = n > range.most ? n : range.most;
    }
    return range;
}

static void put_range(const char *before, struct range range, const char *after)
{
    if (range.least < range.most)
        put("%s%lld to %lld%s", before, (long long)range.least, (long long)range.most, after);
    else
        put("%s%lld%s", before, (long long)range.most, after);
}

static void put_block(const struct exports *f, int axis)
{
    const int64_t n = f->ranks->dims[axis].proc_grid_size;
    const struct dap_dim *first = dim_on(f, axis, 0), *last = dim_on(f, axis, n - 1);

    if (first->padding[0] || last->padding[1])
        put(", boundary padding %lld and %lld", (long long)first->padding[0], (long long)last->padding[1]);
    if (n > 1 && range_of(f, axis, true).most > 0)
        put_range(", communication padding ", range_of(f, axis, true), "");
    put("%s", first->flags & DAP_DIM_PERIODIC ? ", periodic" : "");
}

static void put_axis(const struct exports *f, int axis)
{
    const struct dap_dim *d = &f->ranks->dims[axis];

    put("  axis %d: size %lld", axis, (long long)d->size);
    if (d->proc_grid_size > 1) {
        put(" over %lld, ", (long long)d->proc_grid_size);
        if (d->dist_type == 'c' && d->block_size > 1)
            put("cyclic in blocks of %lld", (long long)d->block_size);
        else
            put("%s", d->dist_type == 'b' ? "block" : d->dist_type == 'c' ? "cyclic" : "unstructured");
        put_range(", ", range_of(f, axis, false), " each");
    } else {
        put(", undistributed%s", d->dist_type == 'u' ? ", in any order" : "");
    }
    if (d->dist_type == 'b')
        put_block(f, axis);
    put("%s\n", d->flags & DAP_DIM_ONE_TO_ONE ? ", one to one" : "");
}

void put_exports_text(const struct exports *f, const char *path)
{
    const struct dap_array *a = f->ranks;

    put_visible(path);
    put(": good: %lld rank%s", (long long)f->nranks, f->nranks == 1 ? "" : "s");
    for (int axis = 0; axis < a->ndim; axis++)
        put("%s%lld", axis ? " x " : ", grid ", (long long)a->dims[axis].proc_grid_size);
    put(", %s\n", a->format);
    for (int axis = 0; axis < a->ndim; axis++)
        put_axis(f, axis);
}

static void put_form(struct json *j, const struct exports *f, int axis)
{
    const int64_t n = f->ranks->dims[axis].proc_grid_size;
    struct dap_dim *set = calloc((size_t)n, sizeof *set);
    char *text = NULL;
    int64_t length = -1;

    for (int64_t k = 0; set && k < n; k++)
        set[k] = *dim_on(f, axis, k);
    if (set)
        length = dap_print(set, NULL, 0);
    if (length >= 0)
        text = malloc((size_t)length + 1);
    if (text)
        (void)dap_print(set, text, (size_t)length + 1);
    json_string(j, "form", text);
    free(text);
    free(set);
}

static void put_axis_json(struct json *j, const struct exports *f, int axis)
{
    const struct dap_dim *d = &f->ranks->dims[axis];
    const char type[] = { (char)d->dist_type, '\0' };
    const struct range range = range_of(f, axis, false);

    json_begin(j, NULL, '{', false);
    json_string(j, "dist_type", type);
    json_number(j, "size", d->size);
    json_number(j, "proc_grid_size", d->proc_grid_size);
    json_numbers(j, "owned", 2, (const int64_t[]){ range.least, range.most });
    put_form(j, f, axis);
    json_end(j, '}');
}

void put_exports_json(struct json *j, const struct exports *f)
{
    json_number(j, "ranks", f->nranks);
    json_string(j, "typestr", f->ranks->format);
    json_begin(j, "axes", '[', true);
    for (int axis = 0; axis < f->ranks->ndim; axis++)
        put_axis_json(j, f, axis);
    json_end(j, ']');
}
