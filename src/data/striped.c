/* The data of an array: one file beside the metadata, or stripes in several folders.
 *
 * The log names the stripes: a stem, which no other array's have, and the folders. So
 * they bear no name of the array, and stay where they are when it gets another. */
#include "data/sums.h"

enum { STEM_SUFFIX_BYTES = 2 * DRXI_ID_BYTES + 1 };

/* ---- names ------------------------------------------------------------------------------- */

static char *folder_of(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');

    return folder[0] == '/' || !slash ? drxi_strdup(folder)
                                      : drxi_format("%.*s%s", (int)(slash + 1 - path), path, folder);
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

drx_status drxi_stripes_new(const char *path, const uint8_t id[], int n, const char *const folder[],
                            struct drxi_stripes *out)
{
    const char *slash = strrchr(path, '/');
    char digits[STEM_SUFFIX_BYTES];
    char *stem;
    drx_status st;

    for (int i = 0; i < DRXI_ID_BYTES; i++) {
        digits[2 * i] = "0123456789abcdef"[id[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[id[i] & 15];
    }
    digits[STEM_SUFFIX_BYTES - 1] = '\0';
    stem = drxi_format("%s.%s.xta", slash ? slash + 1 : path, digits);
    if (!stem)
        return DRX_ENOMEM;
    st = drxi_stripes_set(stem, n, folder, out);
    drxi_free(stem);
    return st;
}

drx_status drxi_stripes_absolute(const char *path, struct drxi_stripes *stripes)
{
    drx_status st = DRX_OK;

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

/* ---- files ---------------------------------------------------------------------------------- */

static drx_status open_stripe(const char *path, const struct drxi_stripes *stripes, int k, enum drxi_how how,
                              drxi_io **out)
{
    char *name = drxi_stripe_path(path, stripes, k);
    drx_status st = name ? drxi_files->open(name, how, out) : DRX_ENOMEM;

    if (st == DRX_ENOENT && how == DRXI_NEW)
        st = drxi_fail(st, "%s: no such folder: it was to hold stripe %d of the %d of %s", stripes->folder[k], k,
                       stripes->n, path);
    else if (st == DRX_ENOENT)
        st = drxi_fail(st, "%s: missing: it is stripe %d of the %d of %s", name, k, stripes->n, path);
    drxi_free(name);
    return st;
}

static drx_status join(drxi_io *const file[], int n, int64_t unit_bytes, const char *path, drxi_io **out)
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
        st = join(file, stripes->n, unit_bytes, path, out);
    while (st && opened > 0) {
        opened--;
        (void)file[opened]->ops->close(file[opened]);
    }
    return st;
}

drx_status drxi_open_data(const char *path, const struct drxi_stripes *stripes, int64_t unit_bytes, enum drxi_how how,
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

int drxi_alias_count(const drx_array *a)
{
    return drxi_stripes_count(a->data) + (a->sums != NULL);
}

drx_status drxi_data_aliases(const drx_array *a, struct drxi_alias alias[])
{
    const int n = drxi_stripes_count(a->data);
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < n; k++)
        st = drxi_stripes_file(a->data, k)->ops->alias(drxi_stripes_file(a->data, k), &alias[k]);
    return st || !a->sums ? st : a->sums->io->ops->alias(a->sums->io, &alias[n]);
}

drx_status drxi_park_nameless(drx_array *a)
{
    drx_status st = a->data->ops->park(a->data);

    return st || !a->sums ? st : a->sums->io->ops->park(a->sums->io);
}

/* The file is called `name` in messages. */
static drx_status open_alias(const struct drxi_alias *alias, char *name, enum drxi_how how, drxi_io **out)
{
    struct drxi_alias found;
    drx_status st = name ? drxi_files->open(alias->path, how, out) : DRX_ENOMEM;

    if (st) {
        drxi_free(name);
        return st;
    }
    drxi_free((*out)->path);
    (*out)->path = name;
    st = (*out)->ops->alias(*out, &found);
    if (!st && (found.id[0] != alias->id[0] || found.id[1] != alias->id[1]))
        st = drxi_fail(DRX_ENOENT, "%s: out of the reach of this process", name);
    if (st)
        (void)(*out)->ops->close(*out);
    return st;
}

static drx_status open_sums_alias(drx_array *a, const struct drxi_alias *alias)
{
    drxi_io *io = NULL;
    drx_status st = open_alias(alias, drxi_format("%s.xcs", a->path), a->writable ? DRXI_WRITE : DRXI_READ, &io);

    return st ? st : drxi_sums_use(a, io);
}

static drx_status open_data_aliases(drx_array *a, const struct drxi_alias alias[])
{
    const struct drxi_stripes *stripes = &a->state.stripes;
    drxi_io *file[DRX_MAX_STRIPES];
    const int n = stripes->n > 0 ? stripes->n : 1;
    int opened = 0;
    drx_status st = DRX_OK;

    while (!st && opened < n) {
        char *name = stripes->n > 0 ? drxi_stripe_path(a->path, stripes, opened) : drxi_format("%s.xta", a->path);

        st = open_alias(&alias[opened], name, a->writable ? DRXI_WRITE : DRXI_READ, &file[opened]);
        opened += !st;
    }
    if (!st)
        st = join(file, n, a->chunk_pitch_bytes, a->path, &a->data);
    while (st && opened > 0) {
        opened--;
        (void)file[opened]->ops->close(file[opened]);
    }
    return st;
}

drx_status drxi_open_aliases(drx_array *a, const struct drxi_alias alias[])
{
    const int n = a->state.stripes.n > 0 ? a->state.stripes.n : 1;
    drx_status st = open_data_aliases(a, alias);

    return st || !(a->state.desc.flags & DRXI_DESC_CHECKSUM) ? st : open_sums_alias(a, &alias[n]);
}

int64_t drxi_data_length(const drx_array *a, int k)
{
    return drxi_stripes_share(a->data, k, a->state.map.chunks * a->chunk_pitch_bytes);
}

drx_status drxi_sync_stripe_folders(drx_array *a)
{
    drx_status st = DRX_OK;

    for (int k = 0; !st && k < a->state.stripes.n; k++)
        st = drxi_files->sync_folder(drxi_stripes_file(a->data, k)->path);
    return st;
}

/* ---- of an array that is not open ---------------------------------------------------------------- */

/* Whether the log begins with stripes; the description has been read. */
static drx_status begins_with_stripes(drx_array *a, bool *begins)
{
    uint8_t head[DRXI_RECORD_HEAD_BYTES];
    size_t got;
    drx_status st = a->meta->ops->read(a->meta, head, sizeof head, a->state.log_end, &got);

    *begins = !st && drxi_record_bytes(head, got) > 0 && drxi_get16(head + 12) == DRXI_STRIPES;
    return st;
}

static drx_status read_stripes(drx_array *a)
{
    enum drxi_tail tail;
    bool begins = false;
    drx_status st = drxi_log_describe(a);

    if (!st)
        st = begins_with_stripes(a, &begins);
    return st || !begins ? st : drxi_log_read(a, &tail);
}

drx_status drxi_read_stripes(drxi_io *meta, struct drxi_stripes *out)
{
    char detail[DRXI_DETAIL_BYTES];
    struct drxi_looked looked;
    drx_array *a;
    drx_status st;

    drxi_report_keep(detail);
    st = drxi_array_new(meta->path, &a);
    memset(out, 0, sizeof *out);
    if (!st) {
        a->meta = meta;
        st = read_stripes(a);
        *out = a->state.stripes;
        drxi_files->look(meta->path, true, &looked);
        out->owned = looked.there;
        out->owner = looked.owner;
        memset(&a->state.stripes, 0, sizeof a->state.stripes);
        a->meta = NULL;
        (void)drxi_array_free(a);
    }
    if (st == DRX_EFORMAT || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED || st == DRX_EOVERFLOW)
        st = DRX_OK; /* nobody can tell */
    if (!st)
        drxi_report_set(detail);
    return st;
}

/* Metadata can name any files: what is removed are only such as the library makes, of the owner of the metadata. */
static bool is_stem_of_ours(const char *stem)
{
    const size_t n = strlen(stem), end = sizeof ".xta" - 1 + STEM_SUFFIX_BYTES - 1;

    return n > end + 1 && stem[n - end - 1] == '.' &&
           strspn(stem + n - end, "0123456789abcdef") == STEM_SUFFIX_BYTES - 1;
}

static drx_status check_stripe(const struct drxi_stripes *stripes, const char *name)
{
    struct drxi_looked looked;

    if (!is_stem_of_ours(stripes->stem))
        return drxi_fail(DRX_EACCES, "%s: not removed: the metadata name it, but no stripe is called so", name);
    drxi_files->look(name, false, &looked);
    if (looked.there && (!looked.regular || (stripes->owned && looked.owner != stripes->owner)))
        return drxi_fail(DRX_EACCES,
                         "%s: not removed: the metadata name it, but it is no regular file of the same owner", name);
    return DRX_OK;
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

drx_status drxi_remove_stripes(const char *path, const struct drxi_stripes *stripes)
{
    drx_status st = check_stripes(path, stripes);

    for (int k = 0; !st && k < stripes->n; k++) {
        char *name = drxi_stripe_path(path, stripes, k);

        st = name ? drxi_files->remove(name) : DRX_ENOMEM;
        st = st == DRX_ENOENT ? DRX_OK : st;
        drxi_free(name);
    }
    return st;
}

drx_status drxi_append_stripes(drx_array *a, const struct drxi_stripes *stripes)
{
    const size_t bytes = drxi_stripes_encode(stripes, NULL);
    uint8_t *record = drxi_malloc(DRXI_RECORD_HEAD_BYTES + bytes);
    drx_status st = DRX_ENOMEM;

    if (record) {
        (void)drxi_stripes_encode(stripes, record + DRXI_RECORD_HEAD_BYTES);
        st = drxi_log_append(a, DRXI_STRIPES, stripes->n, record, bytes);
    }
    drxi_free(record);
    return st;
}

static drx_status fix_folders(drx_array *a)
{
    struct drxi_stripes absolute;
    drx_status st = drxi_stripes_set(a->state.stripes.stem, a->state.stripes.n,
                                     (const char *const *)a->state.stripes.folder, &absolute);

    if (st)
        return st;
    st = drxi_stripes_absolute(a->path, &absolute);
    if (!st)
        st = drxi_append_stripes(a, &absolute);
    drxi_stripes_free(&absolute);
    return st ? st : drx_sync(a);
}

drx_status drxi_fix_stripe_folders(const char *path)
{
    drx_array *a;
    drx_status st = drx_open(path, DRX_RDWR, &a), closed;

    if (st)
        return st;
    st = drxi_stripes_relative(&a->state.stripes) ? fix_folders(a) : DRX_OK;
    closed = drx_close(a);
    return st ? st : closed;
}
