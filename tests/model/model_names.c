#include "model.h"

enum { LONGEST_NAME = 1024 };

/* Few names, so that they are often replaced; now and then the longest one. */
static void choose_name(struct model *m, char *name)
{
    static const char *const names[] = {
        "units", "Units", "a", "b", "long name with spaces", "\xe2\x82\xac/m\xc2\xb2", "_FillValue", "line\nbreak"
    };
    int64_t dice = rng_between(&m->rng, 0, 99);

    if (dice < 80) {
        snprintf(name, LONGEST_NAME + 1, "%s", names[rng_between(&m->rng, 0, 7)]);
    } else if (dice < 97) {
        snprintf(name, LONGEST_NAME + 1, "n%" PRId64, rng_between(&m->rng, 0, 30));
    } else {
        memset(name, (int)rng_between(&m->rng, 'a', 'z'), LONGEST_NAME);
        name[LONGEST_NAME] = '\0';
    }
}

static int64_t choose_length(struct model *m)
{
    int64_t dice = rng_between(&m->rng, 0, 99);

    return dice < 8 ? 0 : dice < 40 ? 1 : dice < 97 ? rng_between(&m->rng, 2, 40) : rng_between(&m->rng, 41, 3000);
}

static drx_status set(struct model *m, const void *with)
{
    return m->hands->attr_set(m, with);
}

static void set_values(struct model *m, struct attr *attr)
{
    drx_type type = (drx_type)rng_between(&m->rng, DRX_INT8, DRX_BOOL);

    attr->type = type;
    attr->n = choose_length(m);
    attr->bytes = (size_t)attr->n * drx_type_size(type);
    attr->values = plain_alloc(attr->bytes);
    rng_fill(&m->rng, attr->values, attr->bytes);
    say(m, "attr_set \"%s\" %s n %" PRId64, attr->name, drx_type_name(type), attr->n);
    EXPECT_OK(m, attempt(m, set, attr));
}

static void set_text(struct model *m, struct attr *attr)
{
    attr->type = DRX_UINT8;
    attr->is_text = true;
    attr->n = choose_length(m);
    attr->bytes = (size_t)attr->n;
    attr->values = plain_alloc(attr->bytes + 1);
    for (int64_t i = 0; i < attr->n; i++)
        attr->values[i] = (unsigned char)rng_between(&m->rng, 1, 126);
    if (attr->n >= 3)
        memcpy(attr->values, "\xe2\x82\xac", 3);
    say(m, "attr_set_text \"%s\" of %" PRId64 " bytes", attr->name, attr->n);
    EXPECT_OK(m, attempt(m, set, attr));
}

void op_attr_set(struct model *m)
{
    char name[LONGEST_NAME + 1];
    struct attr attr = { .name = name };

    choose_name(m, name);
    if (rng_chance(&m->rng, 30))
        set_text(m, &attr);
    else
        set_values(m, &attr);
    m->run->calls++;
    names_set(&m->names, &attr);
    free(attr.values);
    check_names(m, m->a, &m->names);
}

void op_attr_get(struct model *m)
{
    char name[LONGEST_NAME + 1];
    int64_t n = -1;
    int i;

    choose_name(m, name);
    i = names_find(&m->names, name);
    say(m, "attr_get \"%s\"", name);
    if (i < 0) {
        EXPECT_ERROR(m, drx_attr_get(m->a, name, NULL, &n, NULL), DRX_ENOENT);
        CHECK(m, n == -1, "an output argument was set in spite of the error");
        return;
    }
    EXPECT_OK(m, drx_attr_get(m->a, name, NULL, &n, NULL));
    m->run->calls++;
    CHECK(m, n == m->names.attr[i].n, "n is %" PRId64, n);
    EXPECT_OK(m, drx_attr_info(m->a, i, NULL, NULL, NULL, NULL));
}

void op_attr_delete(struct model *m)
{
    char name[LONGEST_NAME + 1];
    int i;

    choose_name(m, name);
    if (m->names.n && rng_chance(&m->rng, 60))
        snprintf(name, sizeof name, "%s", m->names.attr[rng_between(&m->rng, 0, m->names.n - 1)].name);
    i = names_find(&m->names, name);
    say(m, "attr_delete \"%s\"", name);
    if (i < 0) {
        EXPECT_ERROR(m, m->hands->attr_delete(m, name), DRX_ENOENT);
    } else {
        EXPECT_OK(m, m->hands->attr_delete(m, name));
        m->run->calls++;
        names_delete(&m->names, i);
    }
    check_names(m, m->a, &m->names);
}

struct naming {
    int axis;
    const char *name;
};

static drx_status name_axis(struct model *m, const void *with)
{
    const struct naming *n = with;

    return m->hands->dim_rename(m, n->axis, n->name);
}

void op_dim_rename(struct model *m)
{
    int axis = (int)rng_between(&m->rng, 0, m->ndim - 1);
    char text[LONGEST_NAME + 1];
    const char *name = NULL;

    if (rng_chance(&m->rng, 75)) { /* unlike the name of any other axis */
        name = text;
        snprintf(text, sizeof text, "%s %d.%" PRId64, rng_chance(&m->rng, 50) ? "longitude" : "\xce\xbb", axis,
                 rng_between(&m->rng, 0, 3));
    }
    say(m, "dim_rename axis %d to %s", axis, name ? name : "NULL");
    EXPECT_OK(m, attempt(m, name_axis, &(struct naming){ axis, name }));
    m->run->calls++;
    names_rename_dim(&m->names, axis, name);
    check_names(m, m->a, &m->names);
}
