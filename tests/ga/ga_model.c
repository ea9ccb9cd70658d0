#include "ga_testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int all_types[TYPES] = { C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL, C_LONGLONG };

static const struct {
    const char *name;
    size_t bytes;
} types[TYPES] = { /* of all_types */
                   { "int", sizeof(int) },           { "long", sizeof(long) },      { "float", sizeof(float) },
                   { "double", sizeof(double) },     { "scpl", 2 * sizeof(float) }, { "dcpl", 2 * sizeof(double) },
                   { "longlong", sizeof(long long) }
};

static int place_of(int type)
{
    for (int i = 0; i < TYPES; i++)
        if (all_types[i] == type)
            return i;
    wrong("type %d", type);
}

const char *type_name(int type)
{
    return types[place_of(type)].name;
}

/* The bytes of all models. */
static struct block {
    struct block *next;
    unsigned char bytes[];
} * blocks;

void free_models(void)
{
    while (blocks) {
        struct block *next = blocks->next;

        free(blocks);
        blocks = next;
    }
}

struct model make_model(int type, int ndim, const int64_t dims[])
{
    struct model model = { .type = type, .ndim = ndim, .count = 1, .element_bytes = types[place_of(type)].bytes };
    struct block *block;

    for (int j = 0; j < ndim; j++) {
        model.dims[j] = dims[j];
        model.count *= dims[j];
    }
    block = calloc(1, sizeof *block + (size_t)model.count * model.element_bytes);
    if (!block)
        wrong("no memory");
    block->next = blocks;
    blocks = block;
    model.bytes = block->bytes;
    return model;
}

static void set_element(const struct model *model, int64_t i, int value)
{
    unsigned char *at = model->bytes + (size_t)i * model->element_bytes;
    const int64_t integer = value * INT64_C(1000003);
    const float single[2] = { (float)value, (float)(value / 2 + 1) };
    const double twice[2] = { value, value / 2 + 1 };

    if (model->type == C_INT)
        memcpy(at, &value, sizeof value);
    else if (model->type == C_LONG || model->type == C_LONGLONG)
        memcpy(at, &integer, sizeof integer);
    else if (model->type == C_FLOAT || model->type == C_SCPL)
        memcpy(at, single, model->element_bytes);
    else
        memcpy(at, twice, model->element_bytes);
}

void fill_model(struct model *model, uint64_t salt)
{
    for (int64_t i = 0; i < model->count; i++) {
        const uint64_t hash = ((uint64_t)i + salt * 1000003u + 1) * 0x9e3779b97f4a7c15u;

        set_element(model, i, 1 + (int)(hash >> 41)); /* 23 bits */
    }
}

struct model grown(const struct model *model, int axis, int64_t by, bool before)
{
    const struct section whole = whole_section(model);
    int64_t dims[MOST_DIMS];
    struct model larger;

    memcpy(dims, model->dims, sizeof dims);
    dims[axis] += by;
    larger = make_model(model->type, model->ndim, dims);
    memcpy(larger.lower, model->lower, sizeof larger.lower);
    larger.lower[axis] -= before ? by : 0;
    copy_section(&larger, &whole, model, &whole, false);
    return larger;
}

unsigned char *element(const struct model *model, const int64_t index[])
{
    int64_t at = 0;

    for (int j = 0; j < model->ndim; j++) {
        if (index[j] < model->lower[j] || index[j] >= model->lower[j] + model->dims[j])
            wrong("the test is wrong: index %" PRId64 " of axis %d", index[j], j);
        at = at * model->dims[j] + index[j] - model->lower[j];
    }
    return model->bytes + (size_t)at * model->element_bytes;
}

struct section whole_section(const struct model *model)
{
    struct section section = { .ndim = model->ndim };

    for (int j = 0; j < model->ndim; j++) {
        section.lo[j] = model->lower[j];
        section.hi[j] = model->lower[j] + model->dims[j] - 1;
    }
    return section;
}

struct section random_section(const struct model *model)
{
    struct section section = { .ndim = model->ndim };

    for (int j = 0; j < model->ndim; j++)
        section.hi[j] = below(model->dims[j]);
    return section_like(model, &section, false);
}

struct section section_like(const struct model *model, const struct section *other, bool reversed)
{
    struct section section = { .ndim = model->ndim };

    for (int j = 0; j < model->ndim; j++) {
        const int k = reversed ? model->ndim - 1 - j : j;
        const int64_t more = other->hi[k] - other->lo[k];

        section.lo[j] = model->lower[j] + below(model->dims[j] - more);
        section.hi[j] = section.lo[j] + more;
    }
    return section;
}

bool step(const struct section *section, int64_t index[], bool first_axis_first)
{
    for (int k = 0; k < section->ndim; k++) {
        const int j = first_axis_first ? k : section->ndim - 1 - k;

        if (index[j]++ < section->hi[j])
            return true;
        index[j] = section->lo[j];
    }
    return false;
}

void copy_section(struct model *to, const struct section *at, const struct model *from, const struct section *section,
                  bool reversed)
{
    int64_t target[MOST_DIMS], source[MOST_DIMS];
    bool more_target, more_source;

    memcpy(target, at->lo, sizeof target);
    memcpy(source, section->lo, sizeof source);
    do {
        memcpy(element(to, target), element(from, source), to->element_bytes);
        more_source = step(section, source, reversed);
        more_target = step(at, target, false);
    } while (more_source && more_target);
    if (more_source || more_target || to->type != from->type)
        wrong("the test is wrong: sections that do not match");
}

uint64_t compare(const struct model *model, const unsigned char *found, const char *what)
{
    struct section whole = whole_section(model), one = whole;
    uint64_t sum = 0xcbf29ce484222325u;
    char text[SECTION_TEXT];

    memcpy(one.hi, one.lo, sizeof one.hi);
    for (size_t i = 0; i < (size_t)model->count * model->element_bytes; i++) {
        if (found[i] != model->bytes[i])
            wrong("%s: %s element %s", what, type_name(model->type), section_text(&one, text));
        sum = (sum ^ found[i]) * 0x100000001b3u;
        if ((i + 1) % model->element_bytes == 0) {
            (void)step(&whole, one.lo, false);
            memcpy(one.hi, one.lo, sizeof one.hi);
        }
    }
    return sum;
}

const char *section_text(const struct section *section, char text[SECTION_TEXT])
{
    size_t used = 0;

    for (int j = 0; j < section->ndim; j++)
        used += (size_t)snprintf(text + used, SECTION_TEXT - used, "%c%" PRId64 ":%" PRId64, j ? ',' : '[',
                                 section->lo[j], section->hi[j]);
    (void)snprintf(text + used, SECTION_TEXT - used, "]");
    return text;
}
