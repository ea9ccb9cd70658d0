#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dra_model.h"

const int all_types[TYPES] = { C_INT, C_LONG, C_FLOAT, C_DBL, C_SCPL, C_DCPL };

static const struct {
    int type;
    size_t bytes;
    const char *name;
} types[TYPES] = {
    { C_INT, sizeof(int), "int" },       { C_LONG, sizeof(long), "long" },      { C_FLOAT, sizeof(float), "float" },
    { C_DBL, sizeof(double), "double" }, { C_SCPL, 2 * sizeof(float), "scpl" }, { C_DCPL, 2 * sizeof(double), "dcpl" },
};

static int place_of(int type)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].type == type)
            return i;
    wrong("type %d", type);
    return -1;
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
    struct model model = { .type = type, .ndim = ndim, .count = 1 };
    struct block *block;

    for (int j = 0; j < ndim; j++) {
        model.dims[j] = dims[j];
        model.count *= dims[j];
    }
    model.element_bytes = types[place_of(type)].bytes;
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
    const long integer = value;
    const float single[2] = { (float)value, (float)(value / 2 + 1) };
    const double twice[2] = { value, value / 2 + 1 };

    if (model->type == C_INT)
        memcpy(at, &value, sizeof value);
    else if (model->type == C_LONG)
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

struct section whole_section(const struct model *model)
{
    struct section section = { .ndim = model->ndim };

    for (int j = 0; j < model->ndim; j++)
        section.hi[j] = model->dims[j] - 1;
    return section;
}

int64_t section_count(const struct section *section)
{
    int64_t count = 1;

    for (int j = 0; j < section->ndim; j++)
        count *= section->hi[j] - section->lo[j] + 1;
    return count;
}

struct section random_section(const struct model *model)
{
    struct section section = { .ndim = model->ndim };

    for (int j = 0; j < model->ndim; j++) {
        const int64_t n = 1 + below(model->dims[j]);

        section.lo[j] = below(model->dims[j] - n + 1);
        section.hi[j] = section.lo[j] + n - 1;
    }
    return section;
}

struct section section_like(const struct model *model, const struct section *other, bool reversed)
{
    struct section section = { .ndim = model->ndim };

    for (int j = 0; j < model->ndim; j++) {
        const int k = reversed ? model->ndim - 1 - j : j;
        const int64_t n = other->hi[k] - other->lo[k] + 1;

        section.lo[j] = below(model->dims[j] - n + 1);
        section.hi[j] = section.lo[j] + n - 1;
    }
    return section;
}

static int64_t linear(const struct model *model, const int64_t index[])
{
    int64_t at = 0;

    for (int j = 0; j < model->ndim; j++)
        at = at * model->dims[j] + index[j];
    return at;
}

/* The next index of the section, the last axis first, or the first one. False behind the last index. */
static bool step(const struct section *section, int64_t index[], bool first_axis_first)
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

    if (section_count(at) != section_count(section) || to->type != from->type)
        wrong("sections that do not match in a test");
    memcpy(target, at->lo, sizeof target);
    memcpy(source, section->lo, sizeof source);
    do {
        memcpy(to->bytes + (size_t)linear(to, target) * to->element_bytes,
               from->bytes + (size_t)linear(from, source) * from->element_bytes, to->element_bytes);
        (void)step(section, source, reversed);
    } while (step(at, target, false));
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
