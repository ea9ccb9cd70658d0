/* What a copy comes to, in words and figures. */
#include <stdlib.h>

#include "arrays/slabs.h"
#include "frame/json.h"
#include "show/text/copy_figures.h"
#include "transform.h"

int plan_transform(const struct transform *t, drx_copy_plan *plan)
{
    const drx_status st = drx_plan_copy(t->array, &t->spec, plan, NULL, 0, NULL);

    if (st == DRX_ERANGE)
        return failed("%s: --memory %lld is too small; give at least %lld bytes", t->from,
                      (long long)t->spec.memory_bytes, (long long)plan->memory_bytes);
    return exit_code(t->from, st);
}

static int put_table(const struct transform *t)
{
    drx_copy_plan plan;
    size_t length = 0;
    drx_status st = drx_plan_copy(t->array, &t->spec, &plan, NULL, 0, &length);
    char *text = st ? NULL : calloc(length + 1, 1);

    if (!st && !text)
        return out_of_memory((int64_t)length);
    if (!st)
        st = drx_plan_copy(t->array, &t->spec, &plan, text, length + 1, NULL);
    if (!st)
        put("%s", text);
    free(text);
    return exit_code(t->from, st);
}

/* ---- imports and exports -------------------------------------------------------------------- */

struct stream {
    int64_t bytes, memory_bytes;
};

/* All elements, slab by slab. */
static struct stream stream_of(const struct transform *t)
{
    const bool file = t->imports;
    const int ndim = file ? t->source.ndim : drx_ndim(t->array);
    const int64_t *shape = file ? t->source.shape : drx_shape(t->array);
    const drx_type type = file ? t->source.type : drx_dtype(t->array);
    const int64_t most = t->spec.memory_bytes ? t->spec.memory_bytes : SLAB_BYTES;
    struct stream s = { .bytes = box_bytes(ndim, shape, drx_type_size(type)) };

    s.memory_bytes = s.bytes < most ? s.bytes : most;
    return s;
}

static void put_stream(const char *what, const char *name, const struct stream *s)
{
    put("%s %s: %lld bytes, in slabs of at most %lld bytes\n", what, name, (long long)s->bytes,
        (long long)s->memory_bytes);
}

static void put_json_stream(struct json *j, const struct stream *s)
{
    json_number(j, "bytes", s->bytes);
    json_number(j, "memory_bytes", s->memory_bytes);
}

/* ---- all steps -------------------------------------------------------------------------------- */

static int put_text(const struct transform *t, const struct stream *s)
{
    int status = DONE;

    if (t->imports)
        put_stream("import", t->from, s);
    if (t->copies)
        status = put_table(t);
    if (t->exports && status == DONE)
        put_stream("export to", t->path, s);
    return status;
}

static void begin_step(struct json *j, const char *name)
{
    json_begin(j, NULL, '{', true);
    json_string(j, "step", name);
}

static void put_json(const struct transform *t, const struct stream *s, const drx_copy_plan *plan)
{
    struct json j = { 0 };

    json_begin(&j, NULL, '{', true);
    json_string(&j, "source", t->from);
    json_string(&j, "target", t->path);
    json_begin(&j, "steps", '[', true);
    if (t->imports) {
        begin_step(&j, "import");
        put_json_stream(&j, s);
        json_end(&j, '}');
    }
    if (t->copies) {
        begin_step(&j, "copy");
        put_copy_figures(&j, plan);
        json_end(&j, '}');
    }
    if (t->exports) {
        begin_step(&j, "export");
        put_json_stream(&j, s);
        json_end(&j, '}');
    }
    json_end(&j, ']');
    json_end(&j, '}');
}

int print_transform(const struct transform *t, bool as_json)
{
    const struct stream s = stream_of(t);
    drx_copy_plan plan;
    int status = DONE;

    if (t->copies)
        status = plan_transform(t, &plan);
    if (status != DONE)
        return status;
    if (!as_json)
        return put_text(t, &s);
    put_json(t, &s, &plan);
    return DONE;
}
