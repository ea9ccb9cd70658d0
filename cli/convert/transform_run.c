/* The steps of a copy. */
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "files/folder.h"
#include "frame/interrupt.h"
#include "frame/progress.h"
#include "import.h"
#include "transform.h"

/* Go on with this array. */
static void go_on_with(struct transform *t, drx_array *a)
{
    (void)drx_close(t->array); /* read, or without a name */
    t->array = a;
}

static int import_elements(struct transform *t)
{
    struct source *s = &t->source;
    drx_spec spec = { .ndim = s->ndim, .type = s->type, .shape = s->shape, .dims = (const char *const *)s->dims };
    const bool last = !t->copies && !t->exports;
    const char *path = last ? t->path : t->between;
    int status;

    spec.flags = DRX_TEMPORARY;
    spec.fill = s->fill_name ? s->fill : NULL;
    if (!t->copies)
        spec.chunk = t->spec.chunk;
    if (last) {
        spec.chunk_order = t->order;
        spec.align = t->spec.align;
        spec.flags |= t->spec.flags & DRX_CHECKSUM;
        spec.nstripes = t->spec.nstripes;
        spec.stripes = t->spec.stripes;
    }
    go_on_with(t, create_array(path, &spec));
    if (!t->array)
        return FAILED;
    status = s->kind->copy_attributes(s, t->array, t->from);
    return status == DONE ? copy_elements(s, t->array, path, false) : status;
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

/* A variable of a file that came from another is called as there, or like a file of one array. */
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
    struct selection whole = { .path = t->from };
    int status = settle_selection(&whole, t->array);

    t->target.order = t->order;
    t->target.coords = !t->imports;
    t->target.own_chunks = t->chunk.n > 0;
    if (status == DONE && named)
        status = name_variable(t);
    if (status == DONE)
        status = export_selection(t->array, &whole, &t->target);
    if (named) {
        free(t->target.variable);
        t->target.variable = NULL;
    }
    return status;
}

/* What is replaced stays until the new array is durable. */
static int name_target(struct transform *t)
{
    drx_array *a = t->array;

    t->array = NULL;
    return name_array(a, t->path, t->spec.flags & DRX_REPLACE, interrupted() ? FAILED : DONE);
}

int run_transform(struct transform *t)
{
    drx_copy_plan plan;
    int status = t->copies ? plan_transform(t, &plan) : DONE; /* which can fail, before there is much to do */

    watch_interrupts();
    if (t->spec.memory_bytes)
        limit_slabs(t->spec.memory_bytes);
    if (status == DONE && t->imports)
        status = import_elements(t);
    if (status == DONE && t->copies)
        status = copy_layout(t);
    if (status == DONE)
        status = t->exports ? export_array(t) : name_target(t);
    return status;
}
