/* Groups that contain themselves, by links of any kind. */
#include "frame/cli.h"
#include "h5.h"

struct level { /* a group that is walked through */
    const struct level *outer;
    H5O_info_t info;
    const char *told; /* the path of the file; NULL: print nothing */
};

static herr_t look_at_link(hid_t group, const char *name, const H5L_info_t *link, void *outer)
{
    struct level here = { .outer = outer, .told = ((struct level *)outer)->told };

    (void)link;
    if (H5Oget_info_by_name2(group, name, &here.info, H5O_INFO_BASIC, H5P_DEFAULT) < 0 ||
        here.info.type != H5O_TYPE_GROUP)
        return 0;
    for (const struct level *up = outer; up; up = up->outer)
        if (up->info.addr == here.info.addr && up->info.fileno == here.info.fileno) {
            if (here.told)
                (void)failed("%s: the group '%s' contains itself; give SOURCE:VARIABLE to import one variable",
                             here.told, name);
            return 1;
        }
    return H5Literate_by_name(group, name, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, &here, H5P_DEFAULT);
}

bool h5_is_endless(const char *path, bool tell)
{
    const hid_t file = h5_is_file(path) ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    struct level root = { .told = tell ? path : NULL };
    const bool endless = file >= 0 && H5Oget_info2(file, &root.info, H5O_INFO_BASIC) >= 0 &&
                         H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, &root) > 0;

    h5_close(file);
    return endless;
}

bool h5_is_netcdf(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool marked = file >= 0 && H5Aexists(file, "_NCProperties") > 0;

    h5_close(file);
    return marked && !h5_is_endless(path, false);
}

static herr_t look_for_object(hid_t file, const char *name, const H5L_info_t *link, void *path)
{
    H5O_info_t info;

    if (link->type != H5L_TYPE_HARD && H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        warn("%s: the link '%s' leads to nothing that HDF5 can open, and is left out", (const char *)path, name);
    return 0;
}

void h5_warn_of_links(hid_t file, const char *path)
{
    (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, look_for_object, (void *)path);
}
