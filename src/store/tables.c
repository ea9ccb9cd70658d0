/* The things of a store by number, name and stem. */
#include "store/kinds.h"

static uint32_t id_of(const struct drxi_thing *t)
{
    return (uint32_t)t->what << 16 | t->number;
}

const struct drxi_table *drxi_table_of(const struct drxi_store *s, int what)
{
    const struct drxi_table *const tables[] = { NULL, &s->group, &s->dimension, &s->variable, &s->type };

    return tables[what];
}

static struct drxi_thing *of_id(const struct drxi_store *s, uint32_t id)
{
    return drxi_table_of(s, (int)(id >> 16))->of[id & 0xffff];
}

struct drxi_thing *drxi_store_thing(const struct drxi_store *s, enum drxi_what what, uint16_t number)
{
    const struct drxi_table *table = drxi_table_of(s, what);
    struct drxi_thing *t;

    if ((what == DRXI_THE_STORE) != (number == 0))
        return NULL;
    if (what == DRXI_THE_STORE)
        return (struct drxi_thing *)&s->root.thing;
    t = number <= table->largest ? table->of[number] : NULL;
    return t && !t->removed ? t : NULL;
}

uint16_t drxi_store_next(const struct drxi_store *s, enum drxi_what what)
{
    return (uint16_t)(1 + drxi_max(drxi_table_of(s, what)->largest, s->base.is ? s->base.largest[what] : 0));
}

/* ---- names ---- */

static struct drxi_key name_key(const void *owner, int64_t id)
{
    const struct drxi_thing *t = of_id(owner, (uint32_t)id);

    return (struct drxi_key){ t->key, 3 + strlen(t->key + 3) };
}

static struct drxi_key stem_key(const void *owner, int64_t id)
{
    const struct drxi_thing *t = of_id(owner, (uint32_t)id);

    return (struct drxi_key){ t->stem_key, 2 + strlen(t->stem_key + 2) };
}

static struct drxi_keys names_of(const struct drxi_store *s)
{
    return (struct drxi_keys){ name_key, s };
}

static struct drxi_keys stems_of(const struct drxi_store *s)
{
    return (struct drxi_keys){ stem_key, s };
}

/* Groups, variables and types of one group have different names; so have its dimensions. */
static void put_scope(uint8_t key[3], int what, uint16_t group)
{
    key[0] = what == DRXI_A_DIMENSION;
    drxi_put16(key + 1, group);
}

/* The axes of a lone array may have names that are alike. */
static bool is_named(const struct drxi_store *s, const struct drxi_thing *t)
{
    return t->key && (s->kind == DRXI_DATASET || t->what != DRXI_A_DIMENSION);
}

static drx_status make_key(int what, uint16_t group, struct drxi_text name, char **out)
{
    char *key = name.n > 0 ? drxi_malloc(name.n + 4) : NULL;

    *out = key;
    if (!key)
        return name.n > 0 ? DRX_ENOMEM : DRX_OK;
    put_scope((uint8_t *)key, what, group);
    memcpy(key + 3, name.p, name.n);
    key[3 + name.n] = '\0';
    return DRX_OK;
}

/* The index has room. */
static void add_name(struct drxi_store *s, struct drxi_thing *t)
{
    int64_t id;

    t->before = t->behind = 0;
    if (!is_named(s, t))
        return;
    id = drxi_index_find(&s->names, names_of(s), t->key, 3 + strlen(t->key + 3));
    s->run.names = true;
    if (id < 0) {
        drxi_index_set(&s->names, names_of(s), id_of(t));
        return;
    }
    t->before = (uint32_t)id;
    t->behind = of_id(s, t->before)->behind;
    if (t->behind)
        of_id(s, t->behind)->before = id_of(t);
    of_id(s, t->before)->behind = id_of(t);
    s->alike++;
}

static void take_name(struct drxi_store *s, struct drxi_thing *t)
{
    if (!is_named(s, t))
        return;
    if (!t->before)
        drxi_index_remove(&s->names, names_of(s), id_of(t));
    else
        of_id(s, t->before)->behind = t->behind;
    if (t->behind)
        of_id(s, t->behind)->before = t->before;
    if (!t->before && t->behind)
        drxi_index_set(&s->names, names_of(s), t->behind);
    s->alike -= t->before || t->behind;
    t->before = t->behind = 0;
}

uint16_t drxi_store_find(const struct drxi_store *s, enum drxi_what what, uint16_t group, const char *name)
{
    const struct drxi_text text = { name, strlen(name) };
    uint8_t key[3 + DRXI_PATH_NAME_BYTES];
    int64_t id;

    if (text.n > DRXI_PATH_NAME_BYTES)
        return 0;
    put_scope(key, what, group);
    memcpy(key + 3, name, text.n);
    id = drxi_index_find(&s->names, names_of(s), key, 3 + text.n);
    return id >= 0 && id >> 16 == what ? (uint16_t)(id & 0xffff) : 0;
}

drx_status drxi_store_rename(struct drxi_store *s, struct drxi_thing *t, struct drxi_text name)
{
    char *key;
    drx_status st = drxi_index_reserve(&s->names, names_of(s));

    if (!st)
        st = make_key(t->what, t->group, name, &key);
    if (st)
        return st;
    take_name(s, t);
    drxi_free(t->key);
    t->key = key;
    add_name(s, t);
    return DRX_OK;
}

/* ---- stems ---- */

drx_status drxi_store_set_stem(struct drxi_store *s, struct drxi_thing *t, struct drxi_text stem)
{
    char *key = drxi_malloc(stem.n + 3);
    drx_status st = key ? drxi_index_reserve(&s->stems, stems_of(s)) : DRX_ENOMEM;

    if (!st) {
        drxi_put16((uint8_t *)key, t->group);
        memcpy(key + 2, stem.p, stem.n);
        key[2 + stem.n] = '\0';
        if (drxi_index_find(&s->stems, stems_of(s), key, 2 + stem.n) >= 0)
            st = drxi_fail(DRX_EDAMAGED, "a second \"%s\"", key + 2);
    }
    if (st) {
        drxi_free(key);
        return st;
    }
    t->stem_key = key;
    drxi_index_set(&s->stems, stems_of(s), id_of(t));
    return DRX_OK;
}

const struct drxi_thing *drxi_store_of_stem(const struct drxi_store *s, uint16_t group, const char *stem)
{
    char key[2 + DRXI_STEM_BYTES];
    const size_t n = strlen(stem);
    int64_t id;

    if (n > DRXI_STEM_BYTES)
        return NULL;
    drxi_put16((uint8_t *)key, group);
    memcpy(key + 2, stem, n);
    id = drxi_index_find(&s->stems, stems_of(s), key, 2 + n);
    return id >= 0 ? of_id(s, (uint32_t)id) : NULL;
}

/* ---- the tree of groups ---- */

/* Jumps make the way up from a group logarithmic in its depth (Myers 1983, skew-binary numbers). */
static void hang(const struct drxi_store *s, struct drxi_group *g)
{
    const struct drxi_group *up = drxi_store_group(s, g->thing.group);
    const struct drxi_group *far = drxi_store_group(s, up->jump);
    const struct drxi_group *farther = drxi_store_group(s, far->jump);

    g->depth = up->depth + 1;
    g->jump = up->depth - far->depth == far->depth - farther->depth ? farther->thing.number : up->thing.number;
}

bool drxi_store_is_above(const struct drxi_store *s, uint16_t above, uint16_t group)
{
    const struct drxi_group *to = drxi_store_group(s, above), *g = drxi_store_group(s, group);

    while (g->depth > to->depth) {
        const struct drxi_group *far = drxi_store_group(s, g->jump);

        g = far->depth >= to->depth ? far : drxi_store_group(s, g->thing.group);
    }
    return g == to;
}

/* ---- adding and removing ---- */

/* After a BASE numbers may be left out, up to those that it names. */
static bool is_next(const struct drxi_store *s, int what, uint16_t number)
{
    const uint16_t last = drxi_table_of(s, what)->largest, given = s->base.is ? s->base.largest[what] : 0;

    return number > last && (number <= given || number == 1 + drxi_max(last, given));
}

drx_status drxi_store_add(struct drxi_store *s, enum drxi_what what, uint16_t number, uint16_t group,
                          struct drxi_text name, size_t bytes, void *out)
{
    struct drxi_table *table = (struct drxi_table *)drxi_table_of(s, what);
    struct drxi_group *in = drxi_store_group(s, group);
    struct drxi_thing *t;
    drx_status st;

    if (!in || in->thing.removed)
        return drxi_fail(DRX_EDAMAGED, "it lies in group %d, which is not there", group);
    if (!is_next(s, what, number))
        return drxi_fail(DRX_EDAMAGED, "number %d, after %d", number, table->largest);
    st = drxi_reserve(&table->of, &table->room, number + INT64_C(1), sizeof *table->of);
    if (!st)
        st = drxi_index_reserve(&s->names, names_of(s));
    t = st ? NULL : drxi_calloc(1, bytes);
    if (!t)
        return DRX_ENOMEM;
    t->what = (uint8_t)what;
    t->number = number;
    t->group = group;
    t->made_by = s->run.number;
    if ((st = make_key(what, group, name, &t->key))) {
        drxi_free(t);
        return st;
    }
    memset(table->of + table->largest + 1, 0, (size_t)(number - table->largest) * sizeof *table->of);
    table->of[number] = t;
    table->largest = number;
    t->next = in->first;
    in->first = id_of(t);
    if (what == DRXI_A_GROUP)
        hang(s, (struct drxi_group *)t);
    add_name(s, t);
    memcpy(out, &t, sizeof t);
    return DRX_OK;
}

/* A type stays usable, without a name. */
static void drop_thing(struct drxi_store *s, struct drxi_thing *t)
{
    take_name(s, t);
    if (t->what == DRXI_A_TYPE) {
        drxi_free(t->key);
        t->key = NULL;
    } else {
        t->removed = true;
    }
    t->gone = s->end.sequence + 1;
    if (t->what == DRXI_A_VARIABLE)
        ((struct drxi_variable *)t)->last_step = s->steps;
}

void drxi_store_remove(struct drxi_store *s, struct drxi_thing *t)
{
    struct drxi_group *pending = t->what == DRXI_A_GROUP ? (struct drxi_group *)t : NULL;
    struct drxi_group *last = pending;
    uint32_t id;

    drop_thing(s, t);
    while (pending) { /* removed groups are in a list, by their jumps, which nobody needs any more */
        for (id = pending->first; id != 0; id = of_id(s, id)->next) {
            struct drxi_thing *in = of_id(s, id);

            if (in->removed)
                continue;
            drop_thing(s, in);
            if (in->what != DRXI_A_GROUP)
                continue;
            last->jump = in->number;
            last = (struct drxi_group *)in;
        }
        pending = pending == last ? NULL : drxi_store_group(s, pending->jump);
    }
}

/* ---- the end ---- */

static void free_thing(struct drxi_thing *t)
{
    struct drxi_variable *v = (struct drxi_variable *)t;

    if (!t)
        return;
    drxi_free(t->key);
    drxi_free(t->stem_key);
    drxi_attrs_free(&t->attrs);
    if (t->what == DRXI_A_TYPE)
        drxi_free(((struct drxi_type *)t)->fields);
    if (t->what == DRXI_A_VARIABLE) {
        drxi_free(v->source);
        drxi_stripes_free(&v->stripes);
    }
    drxi_free(t);
}

void drxi_store_free_things(struct drxi_store *s)
{
    for (int what = DRXI_A_GROUP; what < DRXI_WHATS; what++) {
        const struct drxi_table *table = drxi_table_of(s, what);

        for (int64_t i = 1; i <= table->largest; i++)
            free_thing(table->of[i]);
        drxi_free(table->of);
    }
    drxi_attrs_free(&s->root.thing.attrs);
    drxi_index_free(&s->names);
    drxi_index_free(&s->stems);
}
