/* Finding a variable in a netCDF file, and its coordinates. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"
#include "frame/text.h"
#include "nc.h"

/* Candidates: variables with dimensions, except coordinates. */
struct candidates {
    FILE *list; /* their names */
    int n;
    int group, id; /* the last one */
};

bool nc_is_coordinate(int group, int id, const char *name)
{
    char dim[NC_MAX_NAME + 1];
    int ndim, dimid;

    return nc_inq_varndims(group, id, &ndim) == NC_NOERR && ndim == 1 &&
           nc_inq_vardimid(group, id, &dimid) == NC_NOERR && nc_inq_dimname(group, dimid, dim) == NC_NOERR &&
           strcmp(dim, name) == 0;
}

static int list_variable(struct candidates *c, const char *where, int group, int id)
{
    char name[NC_MAX_NAME + 1];
    int ndim;
    int st = nc_inq_varname(group, id, name);

    if (!st)
        st = nc_inq_varndims(group, id, &ndim);
    if (st || ndim == 0 || nc_is_coordinate(group, id, name))
        return st;
    c->group = group;
    c->id = id;
    (void)fprintf(c->list, "%s%s%s", c->n++ ? ", " : "", where, name);
    return NC_NOERR;
}

static int list_group(struct candidates *c, int group)
{
    char *where = nc_group_prefix(group);
    int nvars = 0, ngroups = 0, *groups = NULL;
    int st = where ? nc_inq_nvars(group, &nvars) : NC_ENOMEM;

    for (int id = 0; !st && id < nvars; id++)
        st = list_variable(c, where + strspn(where, "/"), group, id);
    if (!st)
        st = nc_inq_grps(group, &ngroups, NULL);
    groups = calloc((size_t)ngroups + 1, sizeof *groups);
    if (!st)
        st = groups ? nc_inq_grps(group, NULL, groups) : NC_ENOMEM;
    for (int i = 0; !st && i < ngroups; i++)
        st = list_group(c, groups[i]);
    free(groups);
    free(where);
    return st;
}

static bool list_candidates(const struct source *s, FILE *out, int *n)
{
    struct nc *nc = s->state;
    struct candidates c = { .list = out };
    const int st = list_group(&c, nc->root);

    nc->group = c.group;
    nc->id = c.id;
    *n = c.n;
    return st ? nc_failed(s, "list", st) : true;
}

/* The group inside of `group` with that name. */
static bool enter_group(int *group, const char *name)
{
    char found[NC_MAX_NAME + 1];

    return nc_inq_ncid(*group, name, group) == NC_NOERR && nc_inq_grpname(*group, found) == NC_NOERR &&
           strcmp(found, name) == 0; /* classic files find any group in themselves */
}

bool nc_find_variable(struct source *s)
{
    struct nc *nc = s->state;
    char *path, *rest, *name;
    bool found = true;

    if (!s->name)
        return source_choose(s, list_candidates, "variable");
    path = strdup(s->name);
    if (!path)
        return nc_failed(s, "read", NC_ENOMEM);
    rest = path + strspn(path, "/");
    nc->group = nc->root;
    for (name = strsep(&rest, "/"); found && rest; name = strsep(&rest, "/"))
        found = enter_group(&nc->group, name);
    found = found && nc_inq_varid(nc->group, name, &nc->id) == NC_NOERR;
    free(path);
    return found || source_choose(s, list_candidates, "variable");
}

char *nc_group_prefix(int group)
{
    size_t n = 0;
    char *name;

    if (nc_inq_grpname_full(group, &n, NULL) != NC_NOERR) /* a classic file has only its root */
        return strdup("");
    name = calloc(n + 2, 1);
    if (name && nc_inq_grpname_full(group, NULL, name) == NC_NOERR && n > 1)
        name[n] = '/';
    else if (name)
        name[0] = '\0';
    return name;
}

/* Does `group` have a variable of numbers with the name of the dimension, and with no other dimension? */
static bool has_coordinate(const struct source *s, int group, int dimid, const char *name)
{
    nc_type type;
    int id, ndim, own;

    if (nc_inq_varid(group, name, &id) != NC_NOERR || nc_inq_varndims(group, id, &ndim) != NC_NOERR || ndim != 1 ||
        nc_inq_vardimid(group, id, &own) != NC_NOERR || own != dimid || nc_inq_vartype(group, id, &type) != NC_NOERR)
        return false;
    if (!nc_element_type(type))
        warn("%s: the coordinates %s are not numbers and are left out", s->label, name);
    return nc_element_type(type) != 0;
}

char *nc_coordinate_name(const struct source *s, int axis)
{
    const struct nc *nc = s->state;
    char dim[NC_MAX_NAME + 1];
    int ids[NC_MAX_VAR_DIMS];
    int group = nc->group;
    char *prefix, *name;

    if (nc_inq_vardimid(nc->group, nc->id, ids) != NC_NOERR || nc_inq_dimname(nc->group, ids[axis], dim) != NC_NOERR)
        return NULL;
    while (!has_coordinate(s, group, ids[axis], dim)) /* an outer group may have the dimension */
        if (nc_inq_grp_parent(group, &group) != NC_NOERR)
            return NULL;
    prefix = nc_group_prefix(group);
    if (!prefix || asprintf(&name, "%s%s", prefix, dim) < 0)
        name = NULL;
    free(prefix);
    return name;
}

bool nc_names_variable(int group, int id, const char *attribute, const char *name)
{
    nc_type type;
    size_t n;
    char *text;
    bool found;

    if (nc_inq_att(group, id, attribute, &type, &n) || type != NC_CHAR || !(text = calloc(1, n + 1)))
        return false;
    found = nc_get_att_text(group, id, attribute, text) == NC_NOERR && has_word(text, name);
    free(text);
    return found;
}
