/* Advice on a layout, as text and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"
#include "info.h"

enum { REAL_ROOM = 32 };

static const char times[] = " \u00d7 ";

/* About three digits. */
static const char *real(double x, char out[REAL_ROOM])
{
    (void)snprintf(out, REAL_ROOM, x >= 1e9 ? "%.2e" : x >= 100 ? "%.0f" : "%.3g", x);
    return out;
}

static const char *size(double bytes, char out[SIZE_TEXT_BYTES])
{
    size_text(bytes < 9e18 ? (int64_t)bytes : INT64_MAX, out);
    return out;
}

/* The number of requests of that shape that cover the array. */
static double requests_in_array(const struct advice *a, int i)
{
    double n = 1;

    for (int j = 0; j < a->now.ndim; j++)
        n *= (double)a->now.shape[j] / (double)a->count[i][j];
    return n;
}

/* The command for the proposed copy, to be freed; NULL: there is none, or out of memory. */
static char *advice_command(const struct advice *a)
{
    char *text = NULL, *beside, numbers[NUMBERS_TEXT_BYTES];
    size_t bytes;
    FILE *out = a->advice.copies ? open_memstream(&text, &bytes) : NULL;

    if (!out)
        return NULL;
    beside = path_beside_dataset(a->path);
    (void)fprintf(out, "drx copy %s", a->path[0] == '-' ? "-- " : "");
    write_word(out, a->path, "");
    (void)fputc(' ', out);
    write_word(out, beside ? beside : a->path, "-new");
    free(beside);
    (void)fprintf(out, " --chunk %s", numbers_text(a->now.ndim, a->advice.chunk, ",", numbers));
    if (a->advice.align != (a->now.align ? a->now.align : 1))
        (void)fprintf(out, " --align %" PRId64, a->advice.align);
    if (a->spec.memory_bytes)
        (void)fprintf(out, " --memory %" PRId64, a->spec.memory_bytes);
    return end_text(out, &text);
}

static void put_layout(const char *label, const struct advice *a, const int64_t chunk[], int64_t align)
{
    char numbers[NUMBERS_TEXT_BYTES], text[SIZE_TEXT_BYTES];
    double bytes = (double)drx_type_size(a->now.type);

    for (int j = 0; j < a->now.ndim; j++)
        bytes *= (double)chunk[j];
    put("%-11s%s  (%s", label, numbers_text(a->now.ndim, chunk, times, numbers), size(bytes, text));
    if (align > 1)
        put(", aligned to %s%s", size((double)align, text),
            align == a->advice.block_bytes ? ", a block of the file system" : "");
    put(")\n");
}

static void put_request(const struct advice *a, int i)
{
    const drx_access_cost *before = &a->before[i], *after = &a->after[i];
    const double n = requests_in_array(a, i);
    char shape[NUMBERS_TEXT_BYTES], bytes[2][SIZE_TEXT_BYTES], text[6][REAL_ROOM];

    put("%-16s %6s %8s %8s %10s %10s %9s %9s", numbers_text(a->now.ndim, a->count[i], ",", shape),
        real(a->access[i].weight, text[0]), real(before->calls, text[1]), real(after->calls, text[2]),
        size(before->bytes, bytes[0]), size(after->bytes, bytes[1]), real(before->seconds, text[3]),
        real(after->seconds, text[4]));
    put(" %9s", real(n * before->seconds, text[0]));
    put(" %9s %9s\n", real(a->advice.copy.seconds, text[1]), real(n * after->seconds, text[2]));
}

static void put_advice_table(const struct advice *a)
{
    put("\n%-23s %17s %21s %19s %29s\n", "", "calls", "bytes", "seconds", "all of the array, seconds");
    put("%-16s %6s %8s %8s %10s %10s %9s %9s %9s %9s %9s\n", "request", "times", "before", "after", "before", "after",
        "before", "after", "before", "copying", "after");
    for (int i = 0; i < a->n; i++)
        put_request(a, i);
}

static void put_verdict(const struct advice *a)
{
    const drx_advice *d = &a->advice;
    char text[3][REAL_ROOM], memory[SIZE_TEXT_BYTES];
    char *command;

    put("\nA round of these requests, each as often as its times say: %s s before, %s s after.\n",
        real(d->before_seconds, text[0]), real(d->after_seconds, text[1]));
    if (!d->copies) {
        put("No chunk of that size is better than the present one.\n");
        return;
    }
    put("Copying takes %s s, in %d pass%s with %s of memory: it pays for itself after %s rounds.\n",
        real(d->copy.seconds, text[0]), d->copy.passes, d->copy.passes == 1 ? "" : "es",
        size((double)d->copy.memory_bytes, memory), real(d->rounds, text[1]));
    command = advice_command(a);
    put("\n%s\n", command ? command : "(out of memory)");
    free(command);
}

void put_advice_text(const struct advice *a)
{
    char numbers[NUMBERS_TEXT_BYTES];

    put_visible(a->path);
    put(": %s %s\n", numbers_text(a->now.ndim, a->now.shape, times, numbers), drx_type_name(a->now.type));
    put_layout("present", a, a->now.chunk, a->now.align);
    if (a->n && a->advice.copies)
        put_layout("proposed", a, a->advice.chunk, a->advice.align);
    if (a->n) {
        put_advice_table(a);
        put_verdict(a);
    }
    if (a->codecs) {
        put("\n");
        put_codecs_text(a->codecs, a->array, a->path);
    }
}

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

static void put_layout_json(struct json *j, const struct advice *a)
{
    const drx_advice *d = &a->advice;
    char *command = advice_command(a);

    json_numbers(j, "proposed_chunk", a->now.ndim, d->chunk);
    json_number(j, "proposed_align", d->align);
    json_number(j, "block_bytes", d->block_bytes);
    put_requests(j, a);
    put_real(j, "before_seconds", d->before_seconds);
    put_real(j, "after_seconds", d->after_seconds);
    if (d->copies) {
        json_begin(j, "copy", '{', false);
        put_copy_figures(j, &d->copy);
        json_end(j, '}');
        put_real(j, "rounds", d->rounds);
    } else {
        json_null(j, "copy");
        json_null(j, "rounds");
    }
    json_string(j, "command", command);
    free(command);
}

void put_advice_json(struct json *j, const struct advice *a)
{
    json_begin(j, NULL, '{', true);
    json_string(j, "path", a->path);
    json_numbers(j, "shape", a->now.ndim, a->now.shape);
    json_string(j, "type", drx_type_name(a->now.type));
    json_numbers(j, "chunk", a->now.ndim, a->now.chunk);
    json_number(j, "align", a->now.align ? a->now.align : 1);
    if (a->n)
        put_layout_json(j, a);
    if (a->codecs)
        put_codecs_json(j, a->codecs);
    json_end(j, '}');
}

void put_copy_figures(struct json *j, const drx_copy_plan *plan)
{
    json_number(j, "passes", plan->passes);
    json_number(j, "memory_bytes", plan->memory_bytes);
    json_number(j, "temporary_bytes", plan->temporary_bytes);
    json_number(j, "read_bytes", plan->read_bytes);
    json_number(j, "read_calls", plan->read_calls);
    json_number(j, "write_bytes", plan->write_bytes);
    json_number(j, "write_calls", plan->write_calls);
    json_value(j, "seconds", DRX_FLOAT64, &plan->seconds);
}
