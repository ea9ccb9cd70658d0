/* A plan as text. */
#include "base/line.h"
#include "layout/plan/plan_internal.h"

static void put_shape(struct drxi_line *t, const char *name, int ndim, const int64_t extent[])
{
    drxi_add_text(t, "%s", name);
    for (int j = 0; j < ndim; j++)
        drxi_add_text(t, "%s%lld", j ? "x" : " ", (long long)extent[j]);
}

static void put_axes(struct drxi_line *t, const struct drxi_relayout_pass *pass, int ndim)
{
    drxi_add_text(
        t, "  axis       source       target          lcm       region        block     leftover   kept bytes\n");
    for (int i = 0; i < ndim; i++) {
        const int j = pass->traverse[i];

        drxi_add_text(t, "  %4d %12lld %12lld %12lld %12lld %12lld %12lld %12lld\n", j, (long long)pass->source.unit[j],
                      (long long)pass->target.unit[j], (long long)drxi_min(pass->lcm[j], pass->group[j]),
                      (long long)pass->region[j], (long long)pass->block[j], (long long)pass->leftover[j],
                      (long long)pass->kept_bytes[j]);
    }
}

static void put_pass(struct drxi_line *t, const struct drxi_relayout *plan, int i)
{
    const struct drxi_relayout_pass *pass = &plan->pass[i];
    const int ndim = plan->ndim;
    int64_t kept = 0;

    drxi_add_text(t, "pass %d of %d: ", i + 1, plan->passes);
    put_shape(t, pass->source.temporary ? "temporary chunks" : "chunks", ndim, pass->source.chunk);
    put_shape(t, pass->target.temporary ? " to temporary chunks" : " to chunks", ndim, pass->target.chunk);
    drxi_add_text(t, ", %s\n", pass->kind == DRXI_KEPT ? "leftovers kept" : "by templates, borders read again");
    put_axes(t, pass, ndim);
    for (int j = 0; j < ndim; j++)
        kept += pass->kept_bytes[j];
    drxi_add_text(t, "  memory  %lld bytes: %d of %lld for blocks, %lld for leftovers, %d of %lld for target chunks\n",
                  (long long)pass->memory_bytes, pass->buffers, (long long)pass->block_bytes, (long long)kept,
                  pass->buffers, (long long)pass->stage_bytes);
    drxi_add_text(t, "  steps   %lld\n", (long long)pass->steps);
    drxi_add_text(t, "  read    %lld bytes in %lld calls\n", (long long)pass->read_bytes, (long long)pass->read_calls);
    drxi_add_text(t, "  write   %lld bytes in %lld calls\n", (long long)pass->write_bytes,
                  (long long)pass->write_calls);
    drxi_add_text(t, "  time    %.3g s modelled\n", pass->seconds);
}

size_t drxi_relayout_print(const struct drxi_relayout *plan, char *buf, size_t n)
{
    struct drxi_line t = { buf, n, 0 };

    put_shape(&t, "array", plan->ndim, plan->shape);
    drxi_add_text(&t, " of %lld bytes an element: %d pass%s\n", (long long)plan->item_bytes, plan->passes,
                  plan->passes == 1 ? "" : "es");
    for (int i = 0; i < plan->passes; i++)
        put_pass(&t, plan, i);
    drxi_add_text(&t, "memory %lld bytes, temporary files %lld bytes\n", (long long)plan->memory_bytes,
                  (long long)plan->temporary_bytes);
    drxi_add_text(&t, "read %lld bytes in %lld calls, write %lld bytes in %lld calls, %.3g s modelled\n",
                  (long long)plan->read_bytes, (long long)plan->read_calls, (long long)plan->write_bytes,
                  (long long)plan->write_calls, plan->seconds);
    return t.length;
}
