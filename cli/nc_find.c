#include "nc_find.h"

#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* Candidates: the variables with dimensions that are no coordinates. */
struct candidates {
    FILE *list; /* their names, with that of the file, as in an error message */
    int n;
    int group, id; /* the last one */
};

static bool is_coordinate(int group, int id, const char *name)
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
    if (st || ndim == 0 || is_coordinate(group, id, name))
        return st;
    c->group = group;
    c->id = id;
    (void)fprintf(c->list, "%s%s%s", c->n++ ? ", " : "", where, name);
    return NC_NOERR;
}

/* `where`: the groups, with a slash behind each. */
static int list_group(struct candidates *c, const char *where, int group)
{
    char name[NC_MAX_NAME + 1];
    char *inner;
    int nvars = 0, ngroups = 0;
    int *groups;
    int st = nc_inq_nvars(group, &nvars);

    for (int id = 0; !st && id < nvars; id++)
        st = list_variable(c, where, group, id);
    if (!st)
        st = nc_inq_grps(group, &ngroups, NULL);
    if (st || ngroups == 0)
        return st;
    groups = calloc((size_t)ngroups, sizeof *groups);
    if (!groups)
        return NC_ENOMEM;
    st = nc_inq_grps(group, NULL, groups);
    for (int i = 0; !st && i < ngroups; i++) {
        st = nc_inq_grpname(groups[i], name);
        if (!st && asprintf(&inner, "%s%s/", where, name) < 0)
            st = NC_ENOMEM;
        if (st)
            break;
        st = list_group(c, inner, groups[i]);
        free(inner);
    }
    free(groups);
    return st;
}

/* The candidates as text, to be freed; NULL after printing why. */
static char *list_candidates(const struct nc_variable *v, struct candidates *c)
{
    char *text = NULL;
    size_t bytes;
    int st;

    memset(c, 0, sizeof *c);
    c->list = open_memstream(&text, &bytes);
    if (!c->list) {
        (void)nc_failed(v, "list", NC_ENOMEM);
        return NULL;
    }
    st = list_group(c, "", v->root);
    if (fclose(c->list) != 0)
        st = NC_ENOMEM;
    if (!st)
        return text;
    free(text);
    (void)nc_failed(v, "list", st);
    return NULL;
}

static bool take_only_one(struct nc_variable *v)
{
    struct candidates c;
    char *list = list_candidates(v, &c);

    if (!list)
        return false;
    if (c.n == 1) {
        v->group = c.group;
        v->id = c.id;
        v->name = strdup(list);
    } else if (c.n == 0) {
        (void)failed("%s: has no variable with dimensions that is no coordinate, expected SOURCE:VARIABLE", v->file);
    } else {
        (void)failed("%s: has %d variables, expected one of them as SOURCE:VARIABLE: %s", v->file, c.n, list);
    }
    free(list);
    return v->name != NULL;
}

static bool has_no_variable(const struct nc_variable *v)
{
    struct candidates c;
    char *list = list_candidates(v, &c);

    if (list)
        (void)failed("%s: no variable '%s', expected one of %s", v->file, v->name, list);
    free(list);
    return false;
}

/* The group inside of `group` with that name. */
static bool enter_group(int *group, const char *name)
{
    char found[NC_MAX_NAME + 1];

    return nc_inq_ncid(*group, name, group) == NC_NOERR && nc_inq_grpname(*group, found) == NC_NOERR &&
           strcmp(found, name) == 0; /* classic files find any group in themselves */
}

bool nc_find_variable(struct nc_variable *v)
{
    char *path, *rest, *name;
    bool found = true;

    if (!v->name)
        return take_only_one(v);
    path = strdup(v->name);
    if (!path)
        return nc_failed(v, "read", NC_ENOMEM);
    rest = path + strspn(path, "/");
    v->group = v->root;
    for (name = strsep(&rest, "/"); found && rest; name = strsep(&rest, "/"))
        found = enter_group(&v->group, name);
    found = found && nc_inq_varid(v->group, name, &v->id) == NC_NOERR;
    free(path);
    return found ? true : has_no_variable(v);
}
