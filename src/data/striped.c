/* The data of an array: one file beside the metadata, or stripes in several folders.
 *
 * The log names the stripes by their folders and a unique stem. So their names do not depend on the name of the array,
 * and renaming the array leaves them alone. */
#include "data/sums.h"
#include "remote/remote.h"

static drx_status here_open(struct drxi_stripe_home *home, const char *name, int k, int n, enum drxi_how how,
                            drxi_io **out)
{
    (void)home, (void)k, (void)n;
    return drxi_files->open(name, how, out);
}

static drx_status here_remove(struct drxi_stripe_home *home, const char *name)
{
    (void)home;
    return drxi_files->remove(name);
}

static drx_status here_look(struct drxi_stripe_home *home, const char *name, struct drxi_looked *out)
{
    (void)home;
    drxi_files->look(name, false, out);
    return DRX_OK;
}

static drx_status here_sync_folder(struct drxi_stripe_home *home, const char *name, int k)
{
    (void)home, (void)k;
    return drxi_files->sync_folder(name);
}

static struct drxi_stripe_home here = {
    here_open, here_remove, here_look, here_sync_folder,
    "; where another node has it, drx-mpi on both reaches it with DRXMP_LOCAL_STRIPES=1"
};
static struct drxi_stripe_home server = { here_open, here_remove, here_look, here_sync_folder, "" };
static _Thread_local struct drxi_stripe_home *home = &here;

void drxi_stripes_at(struct drxi_stripe_home *other)
{
    home = other ? other : &here;
}

static struct drxi_stripe_home *home_of(const char *path)
{
    return drxi_is_url(path) ? &server : home;
}

enum { STEM_SUFFIX_BYTES = 2 * DRXI_ID_BYTES + 1 };

static char *folder_of(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');

    return folder[0] == '/' || !slash ? drxi_strdup(folder)
                                      : drxi_format("%.*s%s", (int)(slash + 1 - path), path, folder);
}

char *drxi_first_folder(const char *path, const drx_spec *spec)
{
    return folder_of(path, spec->nstripes > 0 ? spec->stripes[0] : ".");
}

char *drxi_stripe_path(const char *path, const struct drxi_stripes *stripes, int k)
{
    char *folder = folder_of(path, stripes->folder[k]);
    char *name = folder ? drxi_format("%s/%s.%d", folder, stripes->stem, k) : NULL;

    drxi_free(folder);
    return name;
}

bool drxi_stripes_relative(const struct drxi_stripes *stripes)
{
    bool relative = false;

    for (int k = 0; k < stripes->n; k++)
        relative = relative || stripes->folder[k][0] != '/';
    return relative;
}

drx_status drxi_stripes_check(const drx_spec *spec, bool in_memory)
{
    if (spec->nstripes < 0 || spec->nstripes > DRX_MAX_STRIPES || (spec->nstripes > 0) != (spec->stripes != NULL))
        return drxi_fail(DRX_EINVAL, "nstripes is %d, expected as many folders as spec.stripes has, up to %d",
                         spec->nstripes, DRX_MAX_STRIPES);
    for (int k = 0; k < spec->nstripes; k++)
        if (!drxi_stripes_is_folder(spec->stripes[k]))
            return drxi_fail(DRX_EINVAL, "stripe %d: no path, or too long a one, expected that of a folder", k);
    if (spec->nstripes > 0 && in_memory)
        return drxi_fail(DRX_EINVAL, "drx_create: nstripes is %d, an array in memory has no files", spec->nstripes);
    if (spec->nstripes > 0 && spec->codec != DRX_RAW)
        return drxi_fail(DRX_EUNSUPPORTED, "nstripes is %d beside codec %s: a compressed array has no stripes yet",
                         spec->nstripes, drx_codec_name(spec->codec));
    return DRX_OK;
}

drx_status drxi_stripes_new(const char *path, const uint8_t id[], const drx_spec *spec, struct drxi_stripes *out)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char digits[STEM_SUFFIX_BYTES];
    char *stem;
    drx_status st;

    if (spec->nstripes == 0)
        return DRX_OK;
    for (int i = 0; i < DRXI_ID_BYTES; i++) {
        digits[2 * i] = "0123456789abcdef"[id[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
    }
    digits[STEM_SUFFIX_BYTES - 1] = '\0';
    name += strspn(name, "."); /* an array that gets another name when it is complete is hidden; its stripes are not */
    stem = drxi_format("%s.%s.xta", name, digits);
    if (!stem)
        return DRX_ENOMEM;
    st = drxi_stripes_set(stem, spec->nstripes, spec->stripes, out);
    drxi_free(stem);
    return st;
}

drx_status drxi_stripes_absolute(const char *path, struct drxi_stripes *stripes)
{
    drx_status st = DRX_OK;

    if (home_of(path) == &server) /* they stay relative to any copy */
        return DRX_OK;
    for (int k = 0; !st && k < stripes->n; k++) {
        char *folder = folder_of(path, stripes->folder[k]);
        char *absolute = NULL;

        st = folder ? drxi_files->absolute(folder, &absolute) : DRX_ENOMEM;
        drxi_free(folder);
        if (st)
            break;
        drxi_free(stripes->folder[k]);
        stripes->folder[k] = absolute;
    }
    return st;
}

/* Metadata can name any file. Those of a server do not lead to files of this machine, nor these to a server. */
static drx_status check_side(const char *path, const char *name, int k)
{
    if (home_of(path) == home_of(name))
        return DRX_OK;
    return drxi_fail(DRX_EUNSUPPORTED, "%s: its stripe %d is %s, %s", path, k, name,
                     home_of(path) == &server
                         ? "a path on the server's own machine: only stripes with relative paths can be read"
                         : "on a server, and the array is not");
}

static drx_status open_stripe(const char *path, const struct drxi_stripes *stripes, int k, enum drxi_how how,
                              drxi_io **out)
{
    char *name = drxi_stripe_path(path, stripes, k);
    drx_status st = name ? check_side(path, name, k) : DRX_ENOMEM;

    if (!st)
        st = home_of(path)->open(home, name, k, stripes->n, how, out);

    if (st == DRX_ENOENT && how == DRXI_NEW)
        st = drxi_fail(st, "%.*s: no such folder: it was to hold stripe %d of the %d of %s",
                       (int)(strrchr(name, '/') - name), name, k, stripes->n, path);
    else if (st == DRX_ENOENT)
        st = drxi_fail(st, "%s: missing: it is stripe %d of the %d of %s%s", name, k, stripes->n, path,
                       home_of(path)->lacking);
    drxi_free(name);
    return st;
}

drx_status drxi_data_join(drxi_io *const file[], int n, int64_t unit_bytes, const char *path, drxi_io **out)
{
    if (n > 1)
        return drxi_stripes_join(file, n, unit_bytes, path, out);
    *out = file[0];
    return DRX_OK;
}

static drx_status open_stripes(const char *path, const struct drxi_stripes *stripes, int64_t unit_bytes,
                               enum drxi_how how, drxi_io **out)
{
    drxi_io *file[DRX_MAX_STRIPES];
    int opened = 0;
    drx_status st = DRX_OK;

    while (!st && opened < stripes->n) {
        st = open_stripe(path, stripes, opened, how, &file[opened]);
        opened += !st;
    }
    if (!st)
        st = drxi_data_join(file, stripes->n, unit_bytes, path, out);
    while (st && opened > 0) {
        opened--;
        (void)file[opened]->ops->close(file[opened]);
    }
    return st;
}

drx_status drxi_data_open(const char *path, const struct drxi_stripes *stripes, int64_t unit_bytes, enum drxi_how how,
                          drxi_io **out)
{
    char *name;
    drx_status st;

    *out = NULL;
    if (stripes->n > 0)
        return open_stripes(path, stripes, unit_bytes, how, out);
    name = drxi_format("%s.xta", path);
    st = name ? drxi_files->open(name, how, out) : DRX_ENOMEM;
    drxi_free(name);
    return st == DRX_ENOENT && how != DRXI_NEW ? drxi_fail(st, "%s.xta: missing, only %s.xmd is there", path, path)
                                               : st;
}

drx_status drxi_stripes_look(const struct drxi_data *data, int k, struct drxi_looked *out)
{
    return home->look(home, drxi_stripes_file(data->file->io, k)->path, out);
}

drx_status drxi_stripes_sync_folders(struct drxi_data *data)
{
    drx_status st = DRX_OK;

    for (int k = 0; !st && data->file->io && k < data->state->stripes.n; k++)
        st = home->sync_folder(home, drxi_stripes_file(data->file->io, k)->path, k);
    return st;
}

/* Metadata can name any file. So the library removes only files with names that it makes, and only those of the owner
 * of the metadata. */
static bool is_stem_of_ours(const char *stem)
{
    const size_t n = strlen(stem), end = sizeof ".xta" - 1 + STEM_SUFFIX_BYTES - 1;

    return n > end + 1 && stem[n - end - 1] == '.' &&
           strspn(stem + n - end, "0123456789abcdef") == STEM_SUFFIX_BYTES - 1;
}

static drx_status check_stripe(const struct drxi_stripes *stripes, const char *name)
{
    struct drxi_looked looked;
    drx_status st = DRX_OK;

    if (!is_stem_of_ours(stripes->stem))
        return drxi_fail(DRX_EACCES, "%s: not removed: the metadata name it, but it is not the name of a stripe", name);
    st = home->look(home, name, &looked);
    if (!st && looked.there && (!looked.regular || (stripes->owned && looked.owner != stripes->owner)))
        return drxi_fail(DRX_EACCES,
                         "%s: not removed: the metadata name it, but it is not a regular file of the same owner", name);
    return st;
}

static drx_status check_stripes(const char *path, const struct drxi_stripes *stripes)
{
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < stripes->n; k++) {
        char *name = drxi_stripe_path(path, stripes, k);

        st = name ? check_stripe(stripes, name) : DRX_ENOMEM;
        drxi_free(name);
    }
    return st;
}

drx_status drxi_stripes_missing(const char *path, const struct drxi_stripes *stripes,
                                void (*missing)(void *user, int k, int n, const char *file), void *user)
{
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < stripes->n; k++) {
        char *name = drxi_stripe_path(path, stripes, k);
        struct drxi_looked looked = { .there = true };

        st = name ? home->look(home, name, &looked) : DRX_ENOMEM;
        if (!st && !looked.there)
            missing(user, k, stripes->n, name);
        drxi_free(name);
    }
    return st;
}

drx_status drxi_stripes_remove(const char *path, const struct drxi_stripes *stripes)
{
    drx_status st = check_stripes(path, stripes);

    for (int k = 0; !st && k < stripes->n; k++) {
        char *name = drxi_stripe_path(path, stripes, k);

        st = name ? home->remove(home, name) : DRX_ENOMEM;
        st = st == DRX_ENOENT ? DRX_OK : st;
        drxi_free(name);
    }
    return st;
}

drx_status drxi_stripes_remove_with(const char *path, const struct drxi_stripes *stripes, drxi_io *meta, bool *parked)
{
    drx_status st;

    *parked = stripes->n > 0;
    st = *parked ? meta->ops->park(meta) : DRX_OK;
    return st ? st : drxi_stripes_remove(path, stripes);
}
