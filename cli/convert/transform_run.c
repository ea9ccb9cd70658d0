/* Plans a copy and carries it out. */
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "import.h"
#include "show/text/info.h"
#include "transform.h"

int plan_transform(const struct transform *t, drx_copy_plan *plan)
{
    drx_status st;

    st = drx_plan_copy(t->array, &t->spec, plan, NULL, 0, NULL);
    if (st == DRX_ERANGE)
        return failed("%s: --memory %lld is too small; give at least %lld bytes", t->from,
                      (long long)t->spec.memory_bytes, (long long)plan->memory_bytes);
    return exit_code(t->from, st);
}

static int put_plan_table(const struct transform *t)
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

struct stream {
    int64_t bytes, memory_bytes;
};

/* All elements, slab by slab. */
static struct stream stream_of(const struct transform *t)
{
    const int64_t most = t->spec.memory_bytes ? t->spec.memory_bytes : SLAB_BYTES;
    struct stream s;
    struct extent e;

    source_extent(t, &e);
    s.bytes = box_bytes(e.ndim, e.shape, drx_type_size(e.type));
    s.memory_bytes = s.bytes < most ? s.bytes : most;
    return s;
}

static void put_stream(const char *what, const char *name, const struct stream *s)
{
    put("%s %s: %lld bytes, in slabs of at most %lld bytes\n", what, name, (long long)s->bytes,
        (long long)s->memory_bytes);
}

static int put_plan_text(const struct transform *t, const struct stream *s)
{
    int status = DONE;

    if (t->imports)
        put_stream("import", t->from, s);
    if (t->selects && !exports_part(t))
        put_stream("select from", t->from, s);
    if (t->copies)
        status = put_plan_table(t);
    if (t->exports && status == DONE)
        put_stream("export to", t->path, s);
    return status;
}

static void put_step(struct json *j, const char *name, const struct stream *s, const drx_copy_plan *plan)
{
    json_begin(j, NULL, '{', true);
    json_string(j, "step", name);
    if (plan) {
        put_copy_figures(j, plan);
    } else {
        json_number(j, "bytes", s->bytes);
        json_number(j, "memory_bytes", s->memory_bytes);
    }
    json_end(j, '}');
}

static void put_json(const struct transform *t, const struct stream *s, const drx_copy_plan *plan)
{
    struct json j = { 0 };

    json_begin(&j, NULL, '{', true);
    json_string(&j, "source", t->from);
    json_string(&j, "target", t->path);
    json_begin(&j, "steps", '[', true);
    if (t->imports)
        put_step(&j, "import", s, NULL);
    if (t->selects && !exports_part(t))
        put_step(&j, "select", s, NULL);
    if (t->copies)
        put_step(&j, "copy", NULL, plan);
    if (t->exports)
        put_step(&j, "export", s, NULL);
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
        return put_plan_text(t, &s);
    put_json(t, &s, &plan);
    return DONE;
}

bool exports_part(const struct transform *t)
{
    return t->selects && t->exports && !t->copies && t->chunk.n == 0;
}

static int copy_layout(struct transform *t)
{
    struct progress progress = { 0 };
    drx_copy_spec spec = t->spec;
    drx_array *copy;
    drx_status st;

    spec.flags |= DRX_TEMPORARY;
    spec.flags &= ~(unsigned)DRX_REPLACE;
    spec.progress = follow_progress;
    spec.user = &progress;
    st = drx_copy(t->array, t->exports ? t->between : t->path, &spec, &copy);
    hide_progress();
    if (st == DRX_EINTERRUPTED)
        return FAILED; /* the signal says it all */
    if (st)
        return failed_drx(t->from, st);
    go_on_with(t, copy);
    return DONE;
}

/* Name the variable like that of the source file, or like the file if it holds one array. */
static int name_variable(struct transform *t)
{
    const char *name = t->source.name ? t->source.name : base_name(t->source.file);
    char *copy = strdup(name);

    if (!copy)
        return out_of_memory((int64_t)strlen(name));
    if (!t->source.name && strchr(copy, '.'))
        *strrchr(copy, '.') = '\0';
    t->target.variable = copy;
    return DONE;
}

static int export_array(struct transform *t)
{
    const bool named = t->imports && t->target.format != NPY && !t->target.variable;
    const bool direct = exports_part(t);
    struct selection whole = { .path = t->from };
    const struct selection *part = &whole;
    drx_array *a = direct ? array_of_source(&t->source, &part) : t->array;
    int status = direct ? DONE : settle_selection(&whole, a);

    t->target.order = t->order;
    t->target.coords = !t->imports && (direct || !t->selects); /* those beside are of the whole array */
    t->target.own_chunks = t->chunk.n > 0;
    if (status == DONE && named)
        status = name_variable(t);
    if (status == DONE)
        status = export_selection(a, part, &t->target);
    if (named) {
        free(t->target.variable);
        t->target.variable = NULL;
    }
    return status;
}

/* An array that is replaced stays until the new one is durable. */
static int name_target(struct transform *t)
{
    drx_array *a = t->array;

    t->array = NULL;
    return name_array(a, t->path, t->spec.flags & DRX_REPLACE, interrupted() ? FAILED : DONE);
}

int run_transform(struct transform *t)
{
    drx_copy_plan plan;
    const bool planned = t->copies && (t->imports || t->selects || begins_at_zero(t->array));
    int status = planned ? plan_transform(t, &plan) : DONE; /* fails early if it fails */

    watch_interrupts();
    if (t->spec.memory_bytes)
        limit_slabs(t->spec.memory_bytes);
    if (status == DONE && (t->imports || t->selects) && !exports_part(t))
        status = import_elements(t);
    if (status == DONE && t->copies)
        status = copy_layout(t);
    if (status == DONE)
        status = t->exports ? export_array(t) : name_target(t);
    remains->complete = status == DONE;
    return status;
}
