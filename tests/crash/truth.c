#include "truth.h"

static char *copy(const char *text)
{
    char *made = text ? strdup(text) : NULL;

    assert_true(!text || made);
    return made;
}

int64_t truth_cells(const struct truth *t)
{
    return (TRUTH_LOW + t->limit[0]) * (TRUTH_LOW + t->limit[1]) * (TRUTH_LOW + t->limit[2]);
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
        t->limit[j] = j < ndim ? limit[j] : TRUTH_NEW_AXIS;
        t->shape[j] = j < ndim ? shape[j] : 1;
    }
    t->cell = calloc((size_t)truth_cells(t), sizeof *t->cell);
    assert_non_null(t->cell);
    for (int64_t i = 0; i < truth_cells(t); i++)
        t->cell[i].synced = t->cell[i].sure = t->cell[i].now = t->cell[i].next = fill;
    return t;
}

struct truth *truth_clone(const struct truth *from, const char *at)
{
    struct truth *t = truth_new(at, from->ndim, from->type, from->shape, from->limit, from->fill);

    memcpy(t->lower, from->lower, sizeof t->lower);
    for (int j = 0; j < TRUTH_NDIM; j++)
        t->dim[j] = copy(from->dim[j]);
    for (t->attrs = 0; t->attrs < from->attrs; t->attrs++)
        t->attr[t->attrs] = (struct attr){ copy(from->attr[t->attrs].name), copy(from->attr[t->attrs].value) };
    for (int64_t i = 0; i < truth_cells(t); i++)
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
    for (int64_t i = 0; i < truth_cells(t); i++)
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

        assert_true(at >= -TRUTH_LOW && at < t->limit[j]);
        i = i * (TRUTH_LOW + t->limit[j]) + TRUTH_LOW + at;
    }
    return &t->cell[i];
}

static void add(struct cell *cell, struct written written)
{
    if (cell->n == cell->room) {
        cell->room = cell->room ? 2 * cell->room : 2;
        cell->since = realloc(cell->since, (size_t)cell->room * sizeof *cell->since);
        assert_non_null(cell->since);
    }
    cell->since[cell->n++] = written;
    cell->next = written.value;
}

void truth_write(struct cell *cell, int64_t value)
{
    add(cell, (struct written){ .value = value });
}

void truth_uncover(struct truth *t, const int64_t lo[], const int64_t count[])
{
    int64_t in_box[TRUTH_NDIM] = { 0 }, index[TRUTH_NDIM];

    if (truth_elements(t->ndim, count) == 0)
        return;
    do {
        struct cell *cell;

        for (int j = 0; j < t->ndim; j++)
            index[j] = lo[j] + in_box[j];
        cell = truth_cell(t, index);
        if (cell->n > 0 || cell->synced != t->fill || cell->now != t->fill)
            add(cell, (struct written){ t->fill, t->versions - 1, true });
    } while (next_index(t->ndim, count, in_box));
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

void truth_add_axis(struct truth *t, const char *name)
{
    assert_true(t->ndim < TRUTH_NDIM);
    t->lower[t->ndim] = 0;
    t->shape[t->ndim] = 1;
    truth_set_dim(t, t->ndim++, name);
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
        say(text, "%lld+%lld [%s] ", (long long)t->lower[j], (long long)t->shape[j], t->dim[j] ? t->dim[j] : "");
    for (int i = 0; i < t->attrs; i++)
        say(text, "%s=%s ", t->attr[i].name, t->attr[i].value);
    return text;
}

static char *describe_array(drx_array *a)
{
    char *text = calloc(1, TEXT_BYTES);

    for (int j = 0; j < drx_ndim(a); j++)
        say(text, "%lld+%lld [%s] ", (long long)drx_lower(a)[j], (long long)drx_shape(a)[j],
            drx_dim_name(a, j) ? drx_dim_name(a, j) : "");
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
    v->ndim = t->ndim;
    memcpy(v->lower, t->lower, sizeof v->lower);
    memcpy(v->shape, t->shape, sizeof v->shape);
    v->text = describe(t);
}

void truth_done(struct truth *t, enum handed handed)
{
    for (int64_t i = 0; i < truth_cells(t); i++) {
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
    for (int64_t i = 0; i < truth_cells(t); i++) {
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

static bool was_written(const struct cell *cell, int first, int64_t value)
{
    for (int i = first; i < cell->n; i++)
        if (cell->since[i].value == value)
            return true;
    return false;
}

/* Where what can be in that version begins; -1: with what was synced. */
static int first_written(const struct cell *cell, int version)
{
    int first = -1;

    for (int i = 0; i < cell->n; i++)
        if (cell->since[i].fresh && cell->since[i].version <= version)
            first = i;
    return first;
}

/* After a power cut that left that version. */
static bool may_be_left(const struct truth *t, const struct cell *cell, int version, int64_t value)
{
    const int first = first_written(cell, version);

    return (first < 0 && value == cell->synced) || was_written(cell, first < 0 ? 0 : first, value) ||
           (!t->synced && value == 0);
}

/* When the process died. `inside`: in the bounds before the step. */
static bool is_allowed(const struct cell *cell, bool inside, enum demand demand, int64_t value)
{
    if (!inside)
        return value == cell->next;
    if (value == cell->now || (demand == DIED && value == cell->next))
        return true;
    return cell->now != cell->sure && (value == cell->sure || was_written(cell, 0, value));
}

static bool is_inside(const struct version *v, const int64_t index[])
{
    for (int j = 0; j < v->ndim; j++)
        if (index[j] < v->lower[j] || index[j] >= v->lower[j] + v->shape[j])
            return false;
    return true;
}

static bool cells_agree(const struct truth *t, int version, const void *buf, enum demand demand, char *why, size_t room)
{
    const struct version *v = &t->version[version];
    int64_t in_box[TRUTH_NDIM] = { 0 }, index[TRUTH_NDIM] = { 0 };
    const int64_t n = truth_elements(v->ndim, v->shape);

    for (int64_t i = 0; i < n; i++) {
        const struct cell *cell;
        const int64_t value = element(t, buf, i);

        for (int j = 0; j < v->ndim; j++)
            index[j] = v->lower[j] + in_box[j];
        cell = truth_cell(t, index);
        if (demand == POWER_CUT ? !may_be_left(t, cell, version, value)
                                : !is_allowed(cell, is_inside(&t->version[t->done], index), demand, value)) {
            (void)snprintf(why, room, "element [%lld %lld %lld] is %lld; synced %lld, sure %lld, now %lld, next %lld",
                           (long long)index[0], (long long)index[1], (long long)index[2], (long long)value,
                           (long long)cell->synced, (long long)cell->sure, (long long)cell->now, (long long)cell->next);
            return false;
        }
        (void)next_index(v->ndim, v->shape, in_box);
    }
    return true;
}

/* The latest version of that text before version `end`. */
static int find_version(const struct truth *t, const char *text, enum demand demand, int end)
{
    const int first = demand == POWER_CUT ? t->first : t->done;
    const int newest = demand == DIED_BETWEEN ? t->done : t->versions - 1, last = newest < end ? newest : end - 1;

    for (int v = last; v >= first; v--)
        if (strcmp(t->version[v].text, text) == 0)
            return v;
    return -1;
}

void *truth_read(drx_array *a)
{
    void *buf = malloc((size_t)truth_elements(drx_ndim(a), drx_shape(a)) * drx_type_size(drx_dtype(a)) + 1);

    assert_non_null(buf);
    if (drx_read(a, drx_lower(a), drx_shape(a), DRX_ROW_MAJOR, buf) == DRX_OK)
        return buf;
    free(buf);
    return NULL;
}

bool truth_agrees(const struct truth *t, drx_array *a, enum demand demand, int *version, char *why, size_t room)
{
    char *text;
    void *buf;
    bool agrees = false;

    if (drx_dtype(a) != t->type) {
        (void)snprintf(why, room, "another type");
        return false;
    }
    text = describe_array(a);
    *version = find_version(t, text, demand, t->versions);
    if (*version < 0)
        (void)snprintf(why, room, "found %.200s; expected from %.200s to %.200s", text, t->version[t->first].text,
                       t->version[t->versions - 1].text);
    buf = *version < 0 ? NULL : truth_read(a);
    if (*version >= 0 && !buf)
        (void)snprintf(why, room, "reading it: %s", drx_last_error());
    while (buf && !agrees && *version >= 0) { /* bounds may have gone back and forth */
        agrees = cells_agree(t, *version, buf, demand, why, room);
        if (!agrees)
            *version = find_version(t, text, demand, *version);
    }
    free(text);
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
    const int64_t *shape = drx_shape(a), *lower = drx_lower(a), n = truth_elements(drx_ndim(a), shape);
    int64_t in_box[TRUTH_NDIM] = { 0 }, index[TRUTH_NDIM];
    void *buf = truth_read(a);

    assert_non_null(buf);
    for (int64_t i = 0; i < truth_cells(t); i++)
        t->cell[i].next = t->fill;
    for (int j = drx_ndim(a); j < t->ndim; j++)
        truth_set_dim(t, j, NULL);
    t->ndim = drx_ndim(a);
    memcpy(t->lower, lower, (size_t)t->ndim * sizeof *lower);
    memcpy(t->shape, shape, (size_t)t->ndim * sizeof *shape);
    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < t->ndim; j++)
            index[j] = lower[j] + in_box[j];
        truth_cell(t, index)->next = element(t, buf, i);
        (void)next_index(t->ndim, shape, in_box);
    }
    free(buf);
    take_names(t, a);
    truth_commit(t);
    truth_done(t, ALL);
    truth_sync(t);
}
