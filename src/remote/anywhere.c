/* The table of names that the library uses: files of the system, but for URLs. On a server nothing has a name to
 * change, and no folder can be listed. */
#include "remote/remote.h"

const struct drxi_files *drxi_files = &drxi_anywhere;

const struct drxi_files *drxi_files_in_use(void)
{
    return drxi_files;
}

static drx_status refuse_url(const char *url)
{
    return drxi_fail(DRX_EACCES, "%s: files on a server are only read", url);
}

static drx_status any_open(const char *path, enum drxi_how how, drxi_io **out)
{
    return drxi_is_url(path) ? drxi_remote_open(path, how, out) : drxi_posix.open(path, how, out);
}

static drx_status any_remove(const char *path)
{
    return drxi_is_url(path) ? refuse_url(path) : drxi_posix.remove(path);
}

/* Nobody changes names there. */
static drx_status any_lock_folder(const char *path, drxi_io **out)
{
    *out = NULL;
    return drxi_is_url(path) ? DRX_OK : drxi_posix.lock_folder(path, out);
}

static drx_status any_sync_folder(const char *path)
{
    return drxi_is_url(path) ? DRX_OK : drxi_posix.sync_folder(path);
}

static drx_status any_link(const char *from, const char *to, bool *can)
{
    *can = false;
    if (drxi_is_url(to))
        return refuse_url(to);
    return drxi_is_url(from) ? DRX_OK : drxi_posix.link(from, to, can);
}

static drx_status any_rename(const char *from, const char *to)
{
    return drxi_is_url(from) ? refuse_url(from) : drxi_is_url(to) ? refuse_url(to) : drxi_posix.rename(from, to);
}

static drx_status any_exchange(const char *a, const char *b, bool *can)
{
    *can = false;
    return drxi_is_url(a) ? refuse_url(a) : drxi_is_url(b) ? refuse_url(b) : drxi_posix.exchange(a, b, can);
}

static drx_status any_same(const char *a, const char *b, bool *same)
{
    if (!drxi_is_url(a) && !drxi_is_url(b))
        return drxi_posix.same(a, b, same);
    *same = strcmp(a, b) == 0;
    return DRX_OK;
}

static drx_status any_order(const char *a, const char *b, int *order, bool *apart)
{
    if (!drxi_is_url(a) && !drxi_is_url(b))
        return drxi_posix.order(a, b, order, apart);
    *order = strcmp(a, b);
    *apart = true;
    return DRX_OK;
}

static drx_status any_absolute(const char *folder, char **out)
{
    if (!drxi_is_url(folder))
        return drxi_posix.absolute(folder, out);
    *out = drxi_strdup(folder);
    return *out ? DRX_OK : DRX_ENOMEM;
}

static void any_look(const char *path, bool follow, struct drxi_looked *out)
{
    memset(out, 0, sizeof *out);
    if (!drxi_is_url(path))
        drxi_posix.look(path, follow, out);
}

static drx_status any_idle(const char *path, bool *idle)
{
    *idle = false;
    return drxi_is_url(path) ? DRX_OK : drxi_posix.idle(path, idle);
}

static drx_status any_others(const char *path, void (*seen)(void *user, const char *name), void *user)
{
    return drxi_is_url(path) ? DRX_OK : drxi_posix.others(path, seen, user);
}

static drx_status any_make_folder(const char *path)
{
    return drxi_is_url(path) ? refuse_url(path) : drxi_posix.make_folder(path);
}

static drx_status any_remove_folder(const char *path)
{
    return drxi_is_url(path) ? refuse_url(path) : drxi_posix.remove_folder(path);
}

static drx_status any_list(const char *folder, void (*seen)(void *user, const char *name), void *user)
{
    return drxi_is_url(folder) ? drxi_fail(DRX_EUNSUPPORTED, "%s: a server does not list the files of a folder", folder)
                               : drxi_posix.list(folder, seen, user);
}

static drx_status any_memory(drxi_io **out)
{
    return drxi_posix.memory(out);
}

const struct drxi_files drxi_anywhere = {
    any_open,   any_remove,   any_lock_folder,    any_sync_folder,     any_link,
    any_rename, any_exchange, any_same,           any_order,           any_absolute,
    any_look,   any_idle,     any_others,         any_make_folder,     any_remove_folder,
    any_list,   any_memory,   drxi_remote_expect, drxi_remote_unexpect
};
