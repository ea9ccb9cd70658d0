#include <stdlib.h>

#include "advice.h"
#include "copy_figures.h"
#include "frame/json.h"

static void put_real(struct json *j, const char *key, double x)
{
    json_value(j, key, DRX_FLOAT64, &x);
}

static void put_cost(struct json *j, const char *key, const drx_access_cost *cost, double in_array)
{
    json_begin(j, key, '{', false);
    put_real(j, "calls", cost->calls);
    put_real(j, "bytes", cost->bytes);
    put_real(j, "seconds", cost->seconds);
    put_real(j, "array_seconds", cost->seconds * in_array);
    json_end(j, '}');
}

static void put_requests(struct json *j, const struct advice *a)
{
    json_begin(j, "requests", '[', true);
    for (int i = 0; i < a->n; i++) {
        json_begin(j, NULL, '{', false);
        json_numbers(j, "access", a->now.ndim, a->count[i]);
        put_real(j, "times", a->access[i].weight);
        put_cost(j, "before", &a->before[i], requests_in_array(a, i));
        put_cost(j, "after", &a->after[i], requests_in_array(a, i));
        json_end(j, '}');
    }
    json_end(j, ']');
}

static void put_copy(struct json *j, const drx_copy_plan *plan)
{
    json_begin(j, "copy", '{', false);
    put_copy_figures(j, plan);
    json_end(j, '}');
}

void put_advice_json(struct json *j, const struct advice *a)
{
    const drx_advice *d = &a->advice;
    char *command = advice_command(a);

    json_begin(j, NULL, '{', true);
    json_string(j, "path", a->path);
    json_numbers(j, "shape", a->now.ndim, a->now.shape);
    json_string(j, "type", drx_type_name(a->now.type));
    json_numbers(j, "chunk", a->now.ndim, a->now.chunk);
    json_number(j, "align", a->now.align ? a->now.align : 1);
    json_numbers(j, "proposed_chunk", a->now.ndim, d->chunk);
    json_number(j, "proposed_align", d->align);
    json_number(j, "block_bytes", d->block_bytes);
    put_requests(j, a);
    put_real(j, "before_seconds", d->before_seconds);
    put_real(j, "after_seconds", d->after_seconds);
    if (d->copies) {
        put_copy(j, &d->copy);
        put_real(j, "rounds", d->rounds);
    } else {
        json_null(j, "copy");
        json_null(j, "rounds");
    }
    json_string(j, "command", command);
    json_end(j, '}');
    free(command);
}
