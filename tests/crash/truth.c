#include "truth.h"

static char *copy(const char *text)
{
    char *made = text ? strdup(text) : NULL;

    assert_true(!text || made);
    return made;
}

static int64_t all_cells(const struct truth *t)
{
    return t->limit[0] * t->limit[1] * t->limit[2];
}

struct truth *truth_new(const char *at, int ndim, drx_type type, const int64_t shape[], const int64_t limit[],
                        int64_t fill)
{
    struct truth *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->ndim = ndim;
    t->type = type;
    t->fill = fill;
    t->at[0] = at;
    for (int j = 0; j < TRUTH_NDIM; j++) {
        t->limit[j] = j < ndim ? limit[j] : 1;
        t->shape[j] = j < ndim ? shape[j] : 1;
    }
    t->cell = calloc((size_t)all_cells(t), sizeof *t->cell);
    assert_non_null(t->cell);
    for (int64_t i = 0; i < all_cells(t); i++)
        t->cell[i].synced = t->cell[i].sure = t->cell[i].now = t->cell[i].next = fill;
    return t;
}

struct truth *truth_clone(const struct truth *from, const char *at)
{
    struct truth *t = truth_new(at, from->ndim, from->type, from->shape, from->limit, from->fill);

    for (int j = 0; j < TRUTH_NDIM; j++)
        t->dim[j] = copy(from->dim[j]);
    for (t->attrs = 0; t->attrs < from->attrs; t->attrs++)
        t->attr[t->attrs] = (struct attr){ copy(from->attr[t->attrs].name), copy(from->attr[t->attrs].value) };
    for (int64_t i = 0; i < all_cells(t); i++)
        t->cell[i].next = from->cell[i].now;
    truth_commit(t);
    truth_done(t, ALL);
    truth_sync(t);
    t->must = t->there = false;
    t->synced = from->synced; /* what the log says */
    return t;
}

void truth_free(struct truth *t)
{
    for (int64_t i = 0; i < all_cells(t); i++)
        free(t->cell[i].since);
    for (int i = 0; i < t->versions; i++)
        free(t->version[i].text);
    for (int i = 0; i < t->attrs; i++) {
        free(t->attr[i].name);
        free(t->attr[i].value);
    }
    for (int j = 0; j < TRUTH_NDIM; j++)
        free(t->dim[j]);
    free(t->version);
    free(t->cell);
    free(t);
}

struct cell *truth_cell(const struct truth *t, const int64_t index[])
{
    int64_t i = 0;

    for (int j = 0; j < TRUTH_NDIM; j++) {
        const int64_t at = j < t->ndim ? index[j] : 0;

        assert_true(at < t->limit[j]);
        i = i * t->limit[j] + at;
    }
    return &t->cell[i];
}

void truth_write(struct cell *cell, int64_t value)
{
    if (cell->n == cell->room) {
        cell->room = cell->room ? 2 * cell->room : 2;
        cell->since = realloc(cell->since, (size_t)cell->room * sizeof *cell->since);
        assert_non_null(cell->since);
    }
    cell->since[cell->n++] = cell->next = value;
}

void truth_set_attr(struct truth *t, const char *name, const char *value)
{
    int i = 0;

    while (i < t->attrs && strcmp(t->attr[i].name, name) != 0)
        i++;
    if (i == t->attrs) {
        assert_true(value && i < TRUTH_MOST_ATTRS);
        t->attr[t->attrs++] = (struct attr){ copy(name), NULL };
    }
    free(t->attr[i].value);
    t->attr[i].value = copy(value);
    if (value)
        return;
    free(t->attr[i].name);
    t->attrs--;
    memmove(t->attr + i, t->attr + i + 1, (size_t)(t->attrs - i) * sizeof *t->attr);
}

void truth_set_dim(struct truth *t, int axis, const char *name)
{
    free(t->dim[axis]);
    t->dim[axis] = copy(name);
}

enum { TEXT_BYTES = 16384 };

__attribute__((format(printf, 2, 3))) static void say(char *text, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;

    va_start(args, format);
    assert_in_range(vsnprintf(text + n, TEXT_BYTES - n, format, args), 0, TEXT_BYTES - n - 1);
    va_end(args);
}

/* The same text of a truth and of an array: bounds, names, attributes. */
static char *describe(const struct truth *t)
{
    char *text = calloc(1, TEXT_BYTES);

    for (int j = 0; j < t->ndim; j++)
        say(text, "%lld [%s] ", (long long)t->shape[j], t->dim[j] ? t->dim[j] : "");
    for (int i = 0; i < t->attrs; i++)
        say(text, "%s=%s ", t->attr[i].name, t->attr[i].value);
    return text;
}

static char *describe_array(drx_array *a)
{
    char *text = calloc(1, TEXT_BYTES);

    for (int j = 0; j < drx_ndim(a); j++)
        say(text, "%lld [%s] ", (long long)drx_shape(a)[j], drx_dim_name(a, j) ? drx_dim_name(a, j) : "");
    for (int i = 0; i < drx_attr_count(a); i++) {
        const char *name;
        const void *value;
        int64_t bytes;

        assert_ok(drx_attr_info(a, i, &name, NULL, NULL, NULL));
        assert_ok(drx_attr_get(a, name, NULL, &bytes, &value));
        say(text, "%s=%.*s ", name, (int)bytes, (const char *)value);
    }
    return text;
}

void truth_commit(struct truth *t)
{
    struct version *v;

    t->version = realloc(t->version, (size_t)(t->versions + 1) * sizeof *t->version);
    assert_non_null(t->version);
    v = &t->version[t->versions++];
    memcpy(v->shape, t->shape, sizeof v->shape);
    v->text = describe(t);
}

void truth_done(struct truth *t, enum handed handed)
{
    for (int64_t i = 0; i < all_cells(t); i++) {
        struct cell *cell = &t->cell[i];

        if (handed == ALL || (handed == WRITTEN && cell->next != cell->now))
            cell->sure = cell->next;
        cell->now = cell->next;
    }
    t->done = t->versions - 1;
    t->there = true;
}

void truth_sync(struct truth *t)
{
    for (int64_t i = 0; i < all_cells(t); i++) {
        t->cell[i].synced = t->cell[i].now;
        t->cell[i].n = 0;
    }
    t->first = t->versions - 1;
    t->synced = t->must = t->sound = true;
}

bool truth_is_at(const struct truth *t, const char *place)
{
    for (int i = 0; i < TRUTH_MOST_PLACES; i++)
        if (t->at[i] && strcmp(t->at[i], place) == 0)
            return true;
    return false;
}

void truth_leave(struct truth *t, const char *place)
{
    for (int i = 0; i < TRUTH_MOST_PLACES; i++)
        if (t->at[i] && strcmp(t->at[i], place) == 0)
            t->at[i] = NULL;
}

void truth_enter(struct truth *t, const char *place)
{
    int i = 0;

    while (t->at[i])
        i++;
    assert_true(i < TRUTH_MOST_PLACES);
    t->at[i] = place;
}

int64_t truth_elements(int ndim, const int64_t shape[])
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n *= shape[j];
    return n;
}

static int64_t element(const struct truth *t, const void *buf, int64_t i)
{
    return t->type == DRX_INT32 ? ((const int32_t *)buf)[i] : ((const int64_t *)buf)[i];
}

static bool was_written(const struct cell *cell, int64_t value)
{
    for (int i = 0; i < cell->n; i++)
        if (cell->since[i] == value)
            return true;
    return false;
}

/* `inside`: in the bounds before the step. */
static bool is_allowed(const struct truth *t, const struct cell *cell, bool inside, enum demand demand, int64_t value)
{
    if (demand == POWER_CUT)
        return value == cell->synced || was_written(cell, value) || (!t->synced && value == 0);
    if (!inside)
        return value == cell->next;
    if (value == cell->now || (demand == DIED && value == cell->next))
        return true;
    return cell->now != cell->sure && (value == cell->sure || was_written(cell, value));
}

static bool cells_agree(const struct truth *t, const int64_t shape[], const void *buf, enum demand demand, char *why,
                        size_t room)
{
    int64_t index[TRUTH_NDIM] = { 0 };
    const int64_t n = truth_elements(t->ndim, shape);

    for (int64_t i = 0; i < n; i++) {
        const struct cell *cell = truth_cell(t, index);
        const int64_t value = element(t, buf, i);
        bool inside = true;

        for (int j = 0; j < t->ndim; j++)
            inside = inside && index[j] < t->version[t->done].shape[j];
        if (!is_allowed(t, cell, inside, demand, value)) {
            (void)snprintf(why, room, "element [%lld %lld %lld] is %lld; synced %lld, sure %lld, now %lld, next %lld",
                           (long long)index[0], (long long)index[1], (long long)index[2], (long long)value,
                           (long long)cell->synced, (long long)cell->sure, (long long)cell->now, (long long)cell->next);
            return false;
        }
        (void)next_index(t->ndim, shape, index);
    }
    return true;
}

static int find_version(const struct truth *t, const char *text, enum demand demand)
{
    const int first = demand == POWER_CUT ? t->first : t->done;
    const int last = demand == DIED_BETWEEN ? t->done : t->versions - 1;

    for (int v = last; v >= first; v--)
        if (strcmp(t->version[v].text, text) == 0)
            return v;
    return -1;
}

void *truth_read(drx_array *a)
{
    const int64_t lo[TRUTH_NDIM] = { 0 };
    void *buf = malloc((size_t)truth_elements(drx_ndim(a), drx_shape(a)) * drx_type_size(drx_dtype(a)) + 1);

    assert_non_null(buf);
    if (drx_read(a, lo, drx_shape(a), DRX_ROW_MAJOR, buf) == DRX_OK)
        return buf;
    free(buf);
    return NULL;
}

bool truth_agrees(const struct truth *t, drx_array *a, enum demand demand, int *version, char *why, size_t room)
{
    char *text;
    void *buf;
    bool agrees;

    if (drx_ndim(a) != t->ndim || drx_dtype(a) != t->type) {
        (void)snprintf(why, room, "another number of axes, or type");
        return false;
    }
    text = describe_array(a);
    *version = find_version(t, text, demand);
    if (*version < 0)
        (void)snprintf(why, room, "found %.200s; expected from %.200s to %.200s", text, t->version[t->first].text,
                       t->version[t->versions - 1].text);
    free(text);
    if (*version < 0)
        return false;
    buf = truth_read(a);
    if (!buf) {
        (void)snprintf(why, room, "reading it: %s", drx_last_error());
        return false;
    }
    agrees = cells_agree(t, t->version[*version].shape, buf, demand, why, room);
    free(buf);
    return agrees;
}

static void take_names(struct truth *t, drx_array *a)
{
    while (t->attrs > 0)
        truth_set_attr(t, t->attr[t->attrs - 1].name, NULL);
    for (int i = 0; i < drx_attr_count(a); i++) {
        const char *name;
        const void *value;

        assert_ok(drx_attr_info(a, i, &name, NULL, NULL, NULL));
        assert_ok(drx_attr_get(a, name, NULL, NULL, &value));
        truth_set_attr(t, name, value);
    }
    for (int j = 0; j < t->ndim; j++)
        truth_set_dim(t, j, drx_dim_name(a, j));
}

void truth_become(struct truth *t, drx_array *a)
{
    const int64_t *shape = drx_shape(a), n = truth_elements(t->ndim, shape);
    int64_t index[TRUTH_NDIM] = { 0 };
    void *buf = truth_read(a);

    assert_non_null(buf);
    for (int64_t i = 0; i < all_cells(t); i++)
        t->cell[i].next = t->fill;
    memcpy(t->shape, shape, (size_t)t->ndim * sizeof *shape);
    for (int64_t i = 0; i < n; i++) {
        truth_cell(t, index)->next = element(t, buf, i);
        (void)next_index(t->ndim, shape, index);
    }
    free(buf);
    take_names(t, a);
    truth_commit(t);
    truth_done(t, ALL);
    truth_sync(t);
}
