/* Groups: their list, and what a program asks of them. Number 0 is the root of the file; the others have one more than
 * in the dataset. */
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

const char *bridge_last(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

bool bridge_is_inside(const struct bridge_file *f, const char *path)
{
    return f->root == 0 || (strncmp(path, f->only, f->root) == 0 && path[f->root] == '/');
}

int bridge_group_above(const struct bridge_file *f, const char *path)
{
    char *above = strndup(path, (size_t)(bridge_last(path) - path));
    int group = above ? 0 : -1;

    if (above && *above) {
        above[strlen(above) - 1] = '\0';
        if (bridge_is_inside(f, above))
            group = drx_dataset_group_find(f->ds, above) + 1;
    }
    free(above);
    return group;
}

int bridge_list_groups(struct bridge_file *f)
{
    const bool all = f->ds && (!f->only || !f->only[f->root]);
    const int n = all ? drx_dataset_group_count(f->ds) : 0;
    int parent;

    if (!bridge_new_group(f, f->only ? f->only : "", f->root, -1))
        return NC_ENOMEM;
    for (int i = 0; i < n; i++) {
        const char *path = drx_dataset_group(f->ds, i);
        const bool inside = bridge_is_inside(f, path);

        parent = inside ? bridge_group_above(f, path) : -1;
        if ((inside && parent < 0) || !bridge_new_group(f, path, strlen(path), parent))
            return NC_ENOMEM;
    }
    return NC_NOERR;
}

static int find_child(const struct bridge_file *f, int parent, const char *name, size_t n)
{
    for (int i = 0; i < f->ngroups; i++)
        if (f->groups[i].parent == parent && strncmp(bridge_last(f->groups[i].path), name, n) == 0 &&
            bridge_last(f->groups[i].path)[n] == '\0')
            return i;
    return -1;
}

int bridge_find_group(const struct bridge_file *f, int from, const char *path, size_t n)
{
    const char *const end = path + n;

    for (size_t k; path < end && from >= 0; path += k) {
        k = strcspn(path, "/");
        k = k < (size_t)(end - path) ? k : (size_t)(end - path);
        if (k > 0)
            from = find_child(f, from, path, k);
        else
            k = 1; /* the slash */
    }
    return from;
}

/* ---- inquiries ---- */

int bridge_ncid_of(int ncid, int group)
{
    return (int)((unsigned)ncid >> BRIDGE_ID_SHIFT << BRIDGE_ID_SHIFT | (unsigned)group);
}

int bridge_inq_ncid(int ncid, const char *path, int *group)
{
    const struct bridge_group *g = bridge_group(ncid);
    char normal[NC_MAX_NAME + 1];
    int found;

    if (!g)
        return NC_EBADID;
    found = path ? bridge_find_group(g->file, g->number, path, strlen(path)) : 0;
    if (found < 0) {
        path = bridge_normal(path, normal);
        found = bridge_find_group(g->file, g->number, path, strlen(path));
    }
    if (found < 0 || (path && path[strspn(path, "/")] == '\0' && found > 0)) /* "/" is the root alone */
        return NC_ENOGRP;
    BRIDGE_GIVE(group, bridge_ncid_of(ncid, found));
    return NC_NOERR;
}

int bridge_inq_grps(int ncid, int *n, int *ids)
{
    const struct bridge_group *g = bridge_group(ncid);
    int count = 0;

    if (!g)
        return NC_EBADID;
    for (int i = 0; i < g->file->ngroups; i++)
        if (g->file->groups[i].parent == g->number) {
            if (ids)
                ids[count] = bridge_ncid_of(ncid, i);
            count++;
        }
    BRIDGE_GIVE(n, count);
    return NC_NOERR;
}

int bridge_inq_grpname(int ncid, char *name)
{
    const struct bridge_group *g = bridge_group(ncid);
    const char *own = g && g->number > 0 ? bridge_last(g->path) : "/";

    if (g && name)
        memcpy(name, own, strlen(own) + 1);
    return g ? NC_NOERR : NC_EBADID;
}

int bridge_inq_grpname_full(int ncid, size_t *length, char *name)
{
    const struct bridge_group *g = bridge_group(ncid);
    const size_t from = g && g->file->root > 0 ? g->file->root + 1 : 0; /* of the path as the file has it */
    const char *path = g && g->number > 0 ? g->path + from : "";

    if (g && length)
        *length = 1 + strlen(path);
    if (g && name) {
        *name = '/';
        memcpy(name + 1, path, strlen(path) + 1);
    }
    return g ? NC_NOERR : NC_EBADID;
}

int bridge_inq_grp_parent(int ncid, int *parent)
{
    const struct bridge_group *g = bridge_group(ncid);

    if (!g || g->parent < 0)
        return g ? NC_ENOGRP : NC_EBADID;
    BRIDGE_GIVE(parent, bridge_ncid_of(ncid, g->parent));
    return NC_NOERR;
}
