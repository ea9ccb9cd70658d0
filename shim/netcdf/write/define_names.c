/* Names, as netCDF-C takes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

enum { MOST_BYTES = 200 }; /* of a name in a dataset */

static union {
    void *address;
    int (*check)(const char *name);
} check;
static union {
    void *address;
    int (*normalize)(const unsigned char *utf8, unsigned char **normal);
} normalize;

void bridge_find_names(void *(*find)(void *with, const char *name), void *with)
{
    check.address = find(with, "NC_check_name");
    normalize.address = find(with, "nc_utf8_normalize");
}

/* Where netCDF-C has no function to ask. */
static bool is_good(const char *name)
{
    const unsigned char first = (unsigned char)*name, last = (unsigned char)(*name ? name[strlen(name) - 1] : 0);

    for (const char *at = name; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '/')
            return false;
    return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z') || (first >= '0' && first <= '9') ||
                   first == '_' || first >= 0x80
               ? last != ' '
               : false;
}

int bridge_check_name(const char *name, char normal[NC_MAX_NAME + 1])
{
    unsigned char *made = NULL;
    int st = !name ? NC_EINVAL : check.address ? check.check(name) : is_good(name) ? NC_NOERR : NC_EBADNAME;

    if (st)
        return st;
    if (normalize.address)
        st = normalize.normalize((const unsigned char *)name, &made);
    else if (!(made = (unsigned char *)strdup(name)))
        st = NC_ENOMEM;
    if (!st && strlen((const char *)made) > MOST_BYTES) {
        if (strlen((const char *)made) <= NC_MAX_NAME && !bridge_quiet)
            (void)fprintf(stderr, "libdrx-netcdf: the name '%.40s...' has more than %d bytes\n", name, MOST_BYTES);
        st = NC_EMAXNAME;
    }
    if (!st)
        memcpy(normal, made, strlen((const char *)made) + 1);
    free(made);
    return st;
}

const char *bridge_normal(const char *name, char normal[NC_MAX_NAME + 1])
{
    unsigned char *made = NULL;
    const char *at = name;

    while (*at > 0)
        at++;
    if (!*at || !normalize.address || normalize.normalize((const unsigned char *)name, &made) != NC_NOERR)
        return name;
    if (strlen((const char *)made) <= NC_MAX_NAME)
        name = memcpy(normal, made, strlen((const char *)made) + 1);
    free(made);
    return name;
}

char *bridge_path_in(const struct bridge_group *g, const char *name)
{
    char *path;

    return asprintf(&path, "%s%s%s", g->path, *g->path ? "/" : "", name) < 0 ? NULL : path;
}
