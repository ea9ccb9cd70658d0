/* Groups: what a path names, and the folders of groups.
 *
 * Invariants
 *   1. A path consists of names. A folder lies where stems lead, which stay when names change.
 *   2. A GROUP is in the file, durably, before its folder is made, and the folder is durable before the COMMIT. The
 *      folder of a removed group goes after it. One that holds anything else stays. */
#include <stdio.h>

#include "dataset/dataset.h"
#include "store/kinds.h"

/* ---- paths ---- */

static const struct drxi_thing *group_above(const struct drxi_store *s, const struct drxi_thing *t)
{
    return &drxi_store_group(s, t->group)->thing;
}

char *drxi_ds_path_of(const struct drxi_store *s, const struct drxi_thing *t,
                      const char *(*part)(const struct drxi_thing *t))
{
    const struct drxi_thing *const root = &s->root.thing;
    size_t n = 0;
    char *path;

    for (const struct drxi_thing *up = t; up != root; up = group_above(s, up))
        n += strlen(part(up)) + 1;
    path = drxi_malloc(n + 1);
    if (!path)
        return NULL;
    path[n] = '\0';
    for (const struct drxi_thing *up = t; up != root; up = group_above(s, up)) {
        const size_t k = strlen(part(up));

        n -= k + 1;
        memcpy(path + n, part(up), k);
        path[n + k] = up == t ? '\0' : '/';
    }
    return path;
}

/* The group in which the last part of a path lies, and that part; -1: one is not there, which ends before *rest. */
static int group_of(const struct drxi_store *s, const char *path, const char **rest)
{
    char name[DRXI_PATH_NAME_BYTES + 2]; /* so that a longer one is none */
    int group = 0;

    *rest = path;
    for (const char *slash; (slash = strchr(*rest, '/')) != NULL; *rest = slash + 1) {
        (void)snprintf(name, sizeof name, "%.*s", (int)(slash - *rest), *rest);
        group = drxi_store_find(s, DRXI_A_GROUP, (uint16_t)group, name);
        if (group == 0) {
            *rest = slash;
            return -1;
        }
    }
    return group;
}

uint16_t drxi_ds_find(const drx_dataset *ds, enum drxi_what what, const char *path)
{
    const char *name;
    const int group = path ? group_of(&ds->store, path, &name) : -1;

    return group < 0 ? 0 : drxi_store_find(&ds->store, what, (uint16_t)group, name);
}

const char *drxi_ds_word(int part)
{
    static const char *const words[] = { "dataset", "group", "dimension", "variable", "type" };

    return words[part];
}

drx_status drxi_ds_need(const drx_dataset *ds, enum drxi_what what, const char *path, uint16_t *number)
{
    *number = drxi_ds_find(ds, what, path);
    return *number ? DRX_OK
                   : drxi_fail(DRX_ENOENT, "%s: has no %s '%s'", ds->path, drxi_ds_word((int)what), path ? path : "");
}

drx_status drxi_ds_find_part(const drx_dataset *ds, int part, const char *of, struct drxi_ds_part *out)
{
    const bool root = part == DRX_DATASET || (part == DRX_GROUP && (!of || !*of));
    const bool good = part >= DRX_DATASET && part <= DRX_VARIABLE && (part != DRX_DATASET || !of || !*of);
    uint16_t number = 0;
    drx_status st;

    if (!ds)
        return drxi_no_dataset();
    if (!good)
        return drxi_fail(DRX_EINVAL,
                         "%s: attributes of part %d, expected DRX_DATASET without a path, DRX_GROUP, DRX_DIMENSION or "
                         "DRX_VARIABLE",
                         ds->path, part);
    st = root ? DRX_OK : drxi_ds_need(ds, (enum drxi_what)part, of, &number);
    if (st)
        return st;
    out->thing = drxi_store_thing(&ds->store, root ? DRXI_THE_STORE : (enum drxi_what)part, number);
    (void)snprintf(out->label, sizeof out->label, "%s%s%s", ds->path, root ? "" : ": ", root ? "" : of);
    return DRX_OK;
}

drx_status drxi_ds_place(const drx_dataset *ds, enum drxi_what what, const char *path, struct drxi_ds_place *out)
{
    const char *name;
    const int group = group_of(&ds->store, path ? path : "", &name);

    if (group < 0)
        return drxi_fail(DRX_ENOENT, "%s: has no group '%.*s' for the %s '%s'", ds->path, (int)(name - path), path,
                         drxi_ds_word(what), path);
    if (!drxi_is_path_name((struct drxi_text){ name, strlen(name) }, DRXI_PATH_NAME_BYTES))
        return drxi_fail(DRX_EINVAL,
                         "%s: \"%s\" cannot name a %s: expected 1 to %d bytes of UTF-8 in its group, no dot in front",
                         ds->path, path ? path : "", drxi_ds_word(what), DRXI_PATH_NAME_BYTES);
    for (int other = DRXI_A_GROUP; other < DRXI_WHATS; other++)
        if ((other == DRXI_A_DIMENSION) == (what == DRXI_A_DIMENSION) &&
            drxi_store_find(&ds->store, (enum drxi_what)other, (uint16_t)group, name))
            return drxi_fail(DRX_EEXIST, "%s: has a %s '%s' already", ds->path, drxi_ds_word(other), path);
    *out = (struct drxi_ds_place){ .group = (uint16_t)group, .name = name };
    return DRX_OK;
}

/* That of a name with a slash, which says where it is. */
static drx_status see_path(const drx_dataset *ds, const char *path, struct drxi_ds_place *out)
{
    const char *name;
    const int group = group_of(&ds->store, path, &name);

    if (group < 0)
        return drxi_fail(DRX_ENOENT, "there is no group '%.*s'", (int)(name - path), path);
    if (!drxi_store_is_above(&ds->store, (uint16_t)group, out->group))
        return drxi_fail(DRX_EINVAL, "dimension '%s' is neither in the group of the variable nor in one above", path);
    *out = (struct drxi_ds_place){ (uint16_t)group,
                                   drxi_store_find(&ds->store, DRXI_A_DIMENSION, (uint16_t)group, name), name };
    return DRX_OK;
}

drx_status drxi_ds_see_dimension(const drx_dataset *ds, uint16_t group, const char *dim, struct drxi_ds_place *out)
{
    const struct drxi_thing *in = &drxi_store_group(&ds->store, group)->thing;
    drx_status st = DRX_OK;

    *out = (struct drxi_ds_place){ group, drxi_store_find(&ds->store, DRXI_A_DIMENSION, group, dim), dim };
    if (strchr(dim, '/'))
        st = see_path(ds, dim + (*dim == '/'), out);
    else
        for (; out->number == 0 && in != &ds->store.root.thing; in = group_above(&ds->store, in))
            out->number = drxi_store_find(&ds->store, DRXI_A_DIMENSION, in->group, dim);
    if (st || out->number ||
        drxi_is_path_name((struct drxi_text){ out->name, strlen(out->name) }, DRXI_PATH_NAME_BYTES))
        return st;
    return drxi_fail(DRX_EINVAL, "\"%s\" cannot name a dimension: expected 1 to %d bytes of UTF-8, no dot in front",
                     dim, DRXI_PATH_NAME_BYTES);
}

drx_status drxi_ds_check_room(const drx_dataset *ds, enum drxi_what what, int n)
{
    const int next = drxi_store_next(&ds->store, what);

    return next > 0 && next + n - 1 <= DRXI_MOST_THINGS
               ? DRX_OK
               : drxi_fail(DRX_EOVERFLOW, "%s: has had %d %ss, which is the most: copy it", ds->path, DRXI_MOST_THINGS,
                           drxi_ds_word(what));
}

/* ---- folders ---- */

char *drxi_ds_path_below(const drx_dataset *ds, const char *folder, const struct drxi_thing *t, const char *end)
{
    char *stems = drxi_ds_path_of(&ds->store, t, drxi_thing_stem);
    char *path = stems ? drxi_format("%s%s%s%s", folder, *stems ? "/" : "", stems, end) : NULL;

    drxi_free(stems);
    return path;
}

char *drxi_ds_stem_path(const drx_dataset *ds, const struct drxi_variable *v)
{
    return drxi_ds_path_below(ds, ds->path, &v->thing, "");
}

char *drxi_ds_folder(const drx_dataset *ds, uint16_t group)
{
    return drxi_ds_path_below(ds, ds->path, &drxi_store_group(&ds->store, group)->thing, "");
}

static bool is_name_taken(const drx_dataset *ds, enum drxi_what what, uint16_t group, const char *folder,
                          const char *stem)
{
    static const char *const endings[] = { "", ".xmd", ".xta", ".xcs", ".xtz", ".xct" };
    const struct drxi_text text = { stem, strlen(stem) };
    bool taken = drxi_store_of_stem(&ds->store, group, stem) || text.n > DRXI_STEM_BYTES ||
                 (what == DRXI_A_GROUP && drxi_ends_like_a_file(text));

    for (size_t i = 0; !taken && i < sizeof endings / sizeof *endings; i++) {
        char *path = drxi_format("%s/%s%s", folder, stem, endings[i]);
        struct drxi_looked looked = { .there = true };

        if (path)
            drxi_files->look(path, false, &looked);
        taken = looked.there;
        drxi_free(path);
    }
    return taken;
}

char *drxi_ds_new_stem(const drx_dataset *ds, enum drxi_what what, const struct drxi_ds_place *place, uint16_t number)
{
    char *folder = drxi_ds_folder(ds, place->group), *stem = folder ? drxi_strdup(place->name) : NULL;

    while (stem && is_name_taken(ds, what, place->group, folder, stem)) {
        char *next = strlen(stem) + 6 <= DRXI_STEM_BYTES ? drxi_format("%s~%d", stem, number) : NULL;

        drxi_free(stem);
        stem = next;
    }
    drxi_free(folder);
    return stem;
}

drx_status drxi_ds_at(drx_status (*call)(const char *path), char *path)
{
    const drx_status st = path ? call(path) : DRX_ENOMEM;

    drxi_free(path);
    return st;
}

drx_status drxi_ds_sync_folder(const drx_dataset *ds, uint16_t group)
{
    const struct drxi_thing *t = &drxi_store_group(&ds->store, group)->thing;

    return drxi_ds_at(drxi_files->sync_folder, drxi_ds_path_below(ds, ds->path, t, "/"));
}

/* Some archives lose empty ones. */
static drx_status make_lost(const drx_dataset *ds, uint16_t group)
{
    char *folder = drxi_ds_folder(ds, group);
    struct drxi_looked looked = { .there = true };
    drx_status st = folder ? DRX_OK : DRX_ENOMEM;

    if (folder)
        drxi_files->look(folder, true, &looked);
    if (!looked.there)
        st = drxi_files->make_folder(folder);
    drxi_free(folder);
    return st;
}

drx_status drxi_ds_sync_folders(const drx_dataset *ds)
{
    const struct drxi_store *s = &ds->store;
    drx_status st = DRX_OK;

    for (int i = 1; !st && i <= s->group.largest; i++)
        if (drxi_store_thing(s, DRXI_A_GROUP, (uint16_t)i))
            st = make_lost(ds, (uint16_t)i);
    for (int i = 0; !st && i <= s->group.largest; i++) {
        const struct drxi_group *g = drxi_store_group(s, (uint16_t)i);

        if (g)
            st = drxi_ds_sync_folder(ds, (uint16_t)i);
        if (st == DRX_ENOENT && g->thing.removed)
            st = DRX_OK;
    }
    return st;
}

bool drxi_ds_is_added(const drx_dataset *ds, const struct drxi_thing *t)
{
    return t && t->made_by == ds->store.run.number;
}

/* Mark the groups in which the transaction has added some; those have the largest numbers. */
static void mark_added(const drx_dataset *ds, const struct drxi_table *t, bool marked[])
{
    for (int i = t->largest; i > 0 && drxi_ds_is_added(ds, t->of[i]); i--)
        marked[((const struct drxi_thing *)t->of[i])->group] = true;
}

drx_status drxi_ds_sync_added(const drx_dataset *ds, bool taken_back)
{
    const struct drxi_store *s = &ds->store;
    bool *const marked = drxi_calloc((size_t)s->group.largest + 1, sizeof *marked);
    drx_status st = marked ? DRX_OK : DRX_ENOMEM;

    if (marked) {
        mark_added(ds, &s->group, marked);
        mark_added(ds, &s->variable, marked);
    }
    for (int i = 0; !st && i <= s->group.largest; i++)
        if (marked[i] && !(taken_back && i > 0 && drxi_ds_is_added(ds, s->group.of[i])))
            st = drxi_ds_sync_folder(ds, (uint16_t)i);
    drxi_free(marked);
    return st;
}

/* ---- folders, listed and removed ---- */

drx_status drxi_ds_keep_name(struct drxi_ds_names *found, char *name)
{
    drx_status st = name ? drxi_reserve(&found->name, &found->room, found->n + 1, sizeof(char *)) : DRX_ENOMEM;

    if (st)
        drxi_free(name);
    else
        found->name[found->n++] = name;
    return st;
}

static void see_name(void *user, const char *name)
{
    struct drxi_ds_names *found = user;

    if (!found->st && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        found->st = drxi_ds_keep_name(found, drxi_strdup(name));
}

drx_status drxi_ds_list_folder(const char *folder, struct drxi_ds_names *found)
{
    const drx_status st = drxi_files->list(folder, see_name, found);

    return st ? st : found->st;
}

void drxi_ds_free_names(struct drxi_ds_names *found)
{
    for (int64_t i = 0; i < found->n; i++)
        drxi_free(found->name[i]);
    drxi_free(found->name);
}

/* The bytes of the stem of a file of variables, which may have another name yet: STEM.xta.new-…; 0: it is none. */
size_t drxi_ds_stem_of(const char *name, char stem[DRXI_STEM_BYTES + 1])
{
    static const char *const endings[] = { ".xta", ".xcs", ".xtz", ".xct" };
    const char *const made = strstr(name, ".new-");
    const size_t n = made ? (size_t)(made - name) : strlen(name);

    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (n > 4 && n - 4 <= DRXI_STEM_BYTES && strncmp(name + n - 4, endings[k], 4) == 0) {
            memcpy(stem, name, n - 4);
            stem[n - 4] = '\0';
            return n - 4;
        }
    return 0;
}

/* Files that had no name yet when their writer died go, too. */
void drxi_ds_remove_folder(const char *folder)
{
    struct drxi_ds_names found = { .n = 0 };
    char detail[DRXI_DETAIL_BYTES], stem[DRXI_STEM_BYTES + 1];

    drxi_report_keep(detail);
    if (drxi_files->remove_folder(folder) && drxi_ds_list_folder(folder, &found) == DRX_OK) {
        for (int64_t i = 0; i < found.n; i++) {
            const size_t n = drxi_ds_stem_of(found.name[i], stem);
            char *path = n > 0 && found.name[i][n + 4] ? drxi_format("%s/%s", folder, found.name[i]) : NULL;

            if (path)
                (void)drxi_files->remove(path);
            drxi_free(path);
        }
        (void)drxi_files->remove_folder(folder);
    }
    drxi_ds_free_names(&found);
    drxi_report_set(detail);
}

void drxi_ds_remove_folders(const drx_dataset *ds, uint64_t since)
{
    for (int i = ds->replica ? 0 : ds->store.group.largest; i > 0; i--) { /* what lies in others first */
        const struct drxi_group *g = drxi_store_group(&ds->store, (uint16_t)i);
        const bool goes = g && (g->thing.removed ? g->thing.gone > since : drxi_ds_is_added(ds, &g->thing));
        char *folder = goes ? drxi_ds_folder(ds, (uint16_t)i) : NULL;

        if (folder)
            drxi_ds_remove_folder(folder);
        drxi_free(folder);
    }
}
