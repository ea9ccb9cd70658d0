#include "nc_tree.h"

enum { MOST_DIMS = 32, BYTES = 6, POINTS = 8, MOST_ELEMENTS = 8 * 8 * 8 };

struct dim {
    char path[80];
    int group, first, length, id; /* it is `first` long, then grows to `length`; its number in the file */
};

struct variable {
    char path[80];
    const char *name;
    int group, kind, ndim, var;
    int dims[TREE_MAX_NDIM];
};

struct making {
    struct tree *t;
    uint64_t *random;
    bool hide;
    drx_dataset *ds;
    int parent[TREE_GROUPS], nc[TREE_GROUPS];
    struct dim dims[MOST_DIMS];
    struct variable vars[TREE_VARIABLES];
    int ndims, nvars, bytes_dim; /* that of the file which goes through the bytes of strings */
};

static const struct {
    drx_type type;
    nc_type nc;
} kinds[] = { { DRX_INT32, NC_INT },         { DRX_FLOAT64, NC_DOUBLE },         { DRX_INT16, NC_SHORT },
              { DRX_BYTES(BYTES), NC_CHAR }, { DRX_UNICODE(POINTS), NC_STRING }, { DRX_FLOAT32, NC_FLOAT },
              { DRX_UINT8, NC_STRING } };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void join(char *path, size_t room, const char *group, const char *name)
{
    (void)snprintf(path, room, "%s%s%s", group, *group ? "/" : "", name);
}

/* ---- groups ---- */

static void add_groups(struct making *m)
{
    static const char *const names[] = { "ocean", "deep", "ice" };
    char path[64];

    m->t->ngroups = 1;
    m->t->groups[0][0] = '\0';
    m->parent[0] = -1;
    for (int tries = 0; tries < 12 && m->t->ngroups < TREE_GROUPS; tries++) {
        const int parent = (int)random_below(m->random, m->t->ngroups), n = m->t->ngroups;
        const char *name = names[random_below(m->random, 3)];

        join(path, sizeof path, m->t->groups[parent], name);
        if (drx_dataset_group_find(m->ds, path) >= 0)
            continue;
        assert_ok(drx_dataset_add_group(m->ds, path));
        assert_nc(nc_def_grp(m->nc[parent], name, &m->nc[n]));
        memcpy(m->t->groups[n], path, sizeof path);
        m->parent[n] = parent;
        m->t->ngroups++;
    }
}

/* ---- dimensions ---- */

static int find_dim(const struct making *m, const char *path)
{
    for (int d = 0; d < m->ndims; d++)
        if (strcmp(m->dims[d].path, path) == 0)
            return d;
    return -1;
}

/* One of the group or of one above, whether another one hides it or not; -1: this variable has it already. */
static int random_dim(struct making *m, const struct variable *v)
{
    static const char *const names[] = { "x", "y", "t", "lat" };
    char path[80], name[8];
    int group = v->group, d;

    while (group > 0 && random_below(m->random, 2))
        group = m->parent[group];
    (void)snprintf(name, sizeof name, "%.4s%c", names[random_below(m->random, 4)], m->hide ? '\0' : '0' + group);
    join(path, sizeof path, m->t->groups[group], name);
    d = find_dim(m, path);
    for (int k = 0; k < v->ndim; k++)
        if (v->dims[k] == d)
            return -1;
    if (d < 0) {
        const int length = 1 + (int)random_below(m->random, 6), grows = (int)random_below(m->random, 3) == 0;

        d = m->ndims++;
        assert_true(d < MOST_DIMS);
        m->dims[d] = (struct dim){ .group = group, .first = length, .length = length + 2 * grows };
        memcpy(m->dims[d].path, path, sizeof path);
        assert_nc(nc_def_dim(m->nc[group], name, grows ? NC_UNLIMITED : (size_t)length, &m->dims[d].id));
    }
    return d;
}

/* ---- variables ---- */

static bool is_own_string(const struct variable *v)
{
    return kinds[v->kind].type == DRX_UINT8;
}

static void add_variable(struct making *m, struct variable *v)
{
    const bool own = is_own_string(v);
    int64_t shape[TREE_MAX_NDIM + 1] = { 1 };
    const char *dims[TREE_MAX_NDIM + 1];
    char paths[TREE_MAX_NDIM + 1][96];
    const drx_spec spec = { .ndim = v->ndim + own > 0 ? v->ndim + own : 1,
                            .type = kinds[v->kind].type,
                            .shape = shape,
                            .dims = v->ndim + own > 0 ? dims : NULL };
    drx_array *a;

    for (int k = 0; k < v->ndim; k++) {
        const struct dim *d = &m->dims[v->dims[k]];

        shape[k] = d->first;
        (void)snprintf(paths[k], sizeof paths[k], "/%s", d->path);
        dims[k] = paths[k];
    }
    if (own) { /* the axis of the bytes of strings, by a path: a group above may have one of that name */
        (void)snprintf(paths[v->ndim], sizeof paths[0], "/%s_strlen", v->path);
        dims[v->ndim] = paths[v->ndim];
        shape[v->ndim] = BYTES;
    }
    assert_ok(drx_dataset_add(m->ds, v->path, &spec, &a));
    if (own)
        assert_ok(drx_attr_set_text(a, "drx.string", "1"));
}

/* The dimension of bytes is the last one. */
static void define(struct making *m, struct variable *v)
{
    int ids[TREE_MAX_NDIM + 1], ndim = v->ndim;

    for (int k = 0; k < v->ndim; k++)
        ids[k] = m->dims[v->dims[k]].id;
    if (kinds[v->kind].nc == NC_CHAR && m->bytes_dim < 0)
        assert_nc(nc_def_dim(m->nc[0], "string6", BYTES, &m->bytes_dim));
    if (kinds[v->kind].nc == NC_CHAR)
        ids[ndim++] = m->bytes_dim;
    assert_nc(nc_def_var(m->nc[v->group], v->name, kinds[v->kind].nc, ndim, ids, &v->var));
}

static bool is_taken(const struct making *m, const char *path)
{
    for (int i = 0; i < m->nvars; i++)
        if (strcmp(m->vars[i].path, path) == 0)
            return true;
    return false;
}

/* Of its dimension. */
static void make_coordinate(const struct making *m, struct variable *v)
{
    const struct dim *d = &m->dims[v->dims[0]];
    const char *slash = strrchr(d->path, '/');

    v->group = d->group;
    v->kind %= 3; /* numbers */
    v->name = slash ? slash + 1 : d->path;
    memcpy(v->path, d->path, sizeof v->path);
}

/* Some are coordinates; and where names hide others, some have that of a dimension of this group or another one. */
static void add_variables(struct making *m)
{
    static const char *const names[] = { "temp", "salt", "u", "v", "x", "t" };

    for (int tries = 0; tries < TREE_VARIABLES; tries++) {
        struct variable *v = &m->vars[m->nvars];
        const int ndim = (int)random_below(m->random, TREE_MAX_NDIM + 1);

        *v = (struct variable){ .group = (int)random_below(m->random, m->t->ngroups),
                                .kind = (int)random_below(m->random, KINDS),
                                .name = names[random_below(m->random, m->hide ? 6 : 4)] };
        join(v->path, sizeof v->path, m->t->groups[v->group], v->name);
        if (is_taken(m, v->path))
            continue;
        for (int k = 0; k < ndim; k++) {
            const int d = random_dim(m, v);

            if (d >= 0)
                v->dims[v->ndim++] = d;
        }
        if (v->ndim == 1 && !is_taken(m, m->dims[v->dims[0]].path) && random_below(m->random, 2))
            make_coordinate(m, v);
        add_variable(m, v);
        m->nvars++;
    }
    for (int i = 0; i < m->nvars; i++)
        define(m, &m->vars[i]);
}

/* ---- elements ---- */

static void write_elements(struct making *m, const struct variable *v, int number)
{
    static char stored[MOST_ELEMENTS * 4 * POINTS];
    int64_t lo[TREE_MAX_NDIM + 1] = { 0 }, count[TREE_MAX_NDIM + 1] = { 1 };
    size_t start[TREE_MAX_NDIM + 1] = { 0 }, n = 1;
    size_t counts[TREE_MAX_NDIM + 1] = { 0 };
    char *strings[MOST_ELEMENTS];
    drx_array *a;

    for (int k = 0; k < v->ndim; k++) {
        count[k] = m->dims[v->dims[k]].length;
        counts[k] = (size_t)count[k];
        n *= counts[k];
    }
    counts[v->ndim] = BYTES;
    if (is_own_string(v))
        count[v->ndim] = BYTES;
    assert_true(n <= MOST_ELEMENTS);
    memset(stored, 0, sizeof stored);
    for (size_t i = 0; i < n; i++) {
        const int value = number * 1000 + (int)i;
        char text[24];

        (void)snprintf(text, sizeof text, "%.*x", (int)(i % 5), value);
        if (kinds[v->kind].nc == NC_STRING)
            strings[i] = strdup(text);
        if (kinds[v->kind].nc == NC_CHAR || is_own_string(v)) {
            memcpy(stored + i * BYTES, text, strlen(text));
        } else if (kinds[v->kind].nc == NC_STRING) {
            for (size_t k = 0; k < strlen(text); k++)
                ((uint32_t *)(void *)stored)[i * POINTS + k] = (unsigned char)text[k];
        } else if (v->kind == 0) {
            ((int32_t *)(void *)stored)[i] = value;
        } else if (v->kind == 1) {
            ((double *)(void *)stored)[i] = value + 0.25;
        } else if (v->kind == 2) {
            ((int16_t *)(void *)stored)[i] = (int16_t)value;
        } else {
            ((float *)(void *)stored)[i] = (float)value / 3;
        }
    }
    assert_ok(drx_dataset_array(m->ds, v->path, &a));
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, stored));
    assert_nc(
        nc_put_vara(m->nc[v->group], v->var, start, counts, kinds[v->kind].nc == NC_STRING ? (void *)strings : stored));
    for (size_t i = 0; kinds[v->kind].nc == NC_STRING && i < n; i++)
        free(strings[i]);
}

/* ---- attributes ---- */

static void put_text(struct making *m, int part, const char *path, int nc, int var)
{
    char text[100];

    (void)snprintf(text, sizeof text, "of '%s'", path);
    assert_ok(drx_dataset_attr_set_text(m->ds, part, path, "title", text));
    assert_nc(nc_put_att_text(nc, var, "title", strlen(text), text));
}

static void put_attributes(struct making *m)
{
    static const char *const strings[] = { "one", "two" };

    for (int g = 0; g < m->t->ngroups; g++) {
        const double number = g + 0.5;

        if (random_below(m->random, 3))
            put_text(m, DRX_GROUP, m->t->groups[g], m->nc[g], NC_GLOBAL);
        assert_ok(drx_dataset_attr_set(m->ds, DRX_GROUP, m->t->groups[g], "level", DRX_FLOAT64, 1, &number));
        assert_nc(nc_put_att_double(m->nc[g], NC_GLOBAL, "level", NC_DOUBLE, 1, &number));
        if (random_below(m->random, 2))
            continue;
        assert_ok(drx_dataset_attr_set_text(m->ds, DRX_GROUP, m->t->groups[g], "names", "one\ntwo"));
        assert_ok(drx_dataset_attr_set_text(m->ds, DRX_GROUP, m->t->groups[g], "drx.strings", "2 names\n"));
        assert_nc(nc_put_att_string(m->nc[g], NC_GLOBAL, "names", 2, (const char **)(void *)strings));
    }
    for (int i = 0; i < m->nvars; i++)
        if (random_below(m->random, 2))
            put_text(m, DRX_VARIABLE, m->vars[i].path, m->nc[m->vars[i].group], m->vars[i].var);
}

void tree_make(const char *ds, const char *nc, bool hide, uint64_t *random, struct tree *t)
{
    static struct making m;

    m = (struct making){ .t = t, .random = random, .hide = hide, .bytes_dim = -1 };
    assert_ok(drx_dataset_create(ds, &m.ds));
    assert_nc(nc_create(nc, NC_NETCDF4 | NC_CLOBBER, &m.nc[0]));
    add_groups(&m);
    add_variables(&m);
    assert_ok(drx_dataset_commit(m.ds, "made"));
    for (int d = 0; d < m.ndims; d++)
        assert_ok(drx_dataset_extend(m.ds, m.dims[d].path, m.dims[d].length - m.dims[d].first));
    put_attributes(&m);
    for (int i = 0; i < m.nvars; i++)
        write_elements(&m, &m.vars[i], i);
    assert_ok(drx_dataset_commit(m.ds, "written"));
    assert_ok(drx_dataset_close(m.ds));
    assert_nc(nc_close(m.nc[0]));
}
