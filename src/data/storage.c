/* What is the same for all kinds of storage. */
#include "data/sums.h"

drx_status drxi_nothing(struct drxi_data *data)
{
    (void)data;
    return DRX_OK;
}

/* The kind that the description tells. */
static const struct drxi_storage *described(const struct drxi_data *data)
{
    const struct drxi_desc *d = &data->state->desc;

    return d->codec.codec != DRX_RAW       ? &drxi_stored_packed
           : d->flags & DRXI_DESC_CHECKSUM ? &drxi_stored_summed
                                           : &drxi_stored_raw;
}

char *drxi_data_name(const struct drxi_state *s, const char *path)
{
    const struct drxi_data data = { .state = s };

    return described(&data)->name(&data, path, 0);
}

drx_status drxi_data_start(struct drxi_data *data, const char *path, enum drxi_how how)
{
    const struct drxi_storage *kind = described(data);
    const int n = kind->count(data->state) - kind->verified;

    for (int k = 0; n > 1 && path && k < n; k++) { /* a server is asked for all of them at once */
        char *name = kind->name(data, path, k);

        if (name)
            drxi_expect(name, "", true, 0);
        drxi_free(name);
    }
    return kind->open(data, path, how);
}

drx_status drxi_data_check_lengths(struct drxi_data *data, const char *path, unsigned which, bool *damaged)
{
    struct drxi_stored_file f;
    bool told = false;
    drx_status st = DRX_OK;

    for (int k = 0; !st && drxi_data_file(data, k, &f); k++) {
        const int64_t chunks = f.compares ? data->state->synced_chunks : drxi_data_promised(data),
                      promised = data->file->stored->length(data, k, chunks);
        int64_t bytes = 0;

        if (!(which & (f.compares ? DRXI_BESIDE : DRXI_ELEMENTS)) || (st = f.io->ops->size(f.io, &bytes)) ||
            promised == INT64_MAX || bytes >= promised)
            continue;
        if (!told)
            (void)drxi_fail(DRX_EDAMAGED, "%s: damaged: %lld bytes long, its last sync promised %lld", f.io->path,
                            (long long)bytes, (long long)promised);
        *damaged = told = true;
    }
    if (!st && which & DRXI_BESIDE && data->file->stored != described(data))
        st = drxi_fail(DRX_ENOENT, "%s.xcs: missing, the checksums of %s.xta: drx check --repair %s makes them again",
                       path, path, path);
    return st;
}

drx_status drxi_data_aliases(struct drxi_data *data, bool park, struct drxi_alias alias[])
{
    struct drxi_stored_file f;
    drx_status st = DRX_OK;

    for (int k = 0; !st && drxi_data_file(data, k, &f); k++) {
        st = park ? f.io->ops->park(f.io) : DRX_OK;
        if (!st)
            st = f.io->ops->alias(f.io, &alias[k]);
    }
    return st;
}

/* Open the file of an alias; messages call it `name`. */
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
        st = drxi_fail(DRX_ENOENT, "%s: this process cannot open it", name);
    if (st)
        (void)(*out)->ops->close(*out);
    return st;
}

drx_status drxi_data_open_aliases(struct drxi_data *data, const char *path, const struct drxi_alias alias[],
                                  enum drxi_how how)
{
    const struct drxi_storage *kind = described(data);
    const int n = kind->count(data->state);
    drxi_io *file[DRX_MAX_STRIPES + 1];
    int opened = 0;
    drx_status st = DRX_OK;

    while (!st && opened < n) {
        st = open_alias(&alias[opened], kind->name(data, path, opened), how, &file[opened]);
        opened += !st;
    }
    if (!st)
        return kind->join(data, path, file);
    while (opened > 0) {
        opened--;
        (void)file[opened]->ops->close(file[opened]);
    }
    return st;
}

drx_status drxi_hold_start(struct drxi_data *data, int64_t address, bool whole, struct drxi_hold *h)
{
    drx_status st;

    *h = (struct drxi_hold){ .data = data, .whole = whole, .range = { address, address + 1, NULL } };
    st = data->file->stored->hold_start(h);
    h->held = !st;
    return st;
}

drx_status drxi_hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t offset)
{
    return h->data->file->stored->hold_write(h, buf, n, offset - h->range.first * h->data->chunk_pitch_bytes);
}

drx_status drxi_hold_end(struct drxi_hold *h, drx_status st)
{
    if (!h->held)
        return st;
    h->held = false;
    return h->data->file->stored->hold_end(h, st);
}

drx_status drxi_twin_length(const struct drxi_twin *t, int k, int64_t *length)
{
    struct drxi_stored_file f = { .io = NULL };
    const drx_status st = drxi_data_file(t->from, k, &f) ? f.io->ops->size(f.io, length) : DRX_OK;

    if (!t->damaged)
        *length = drxi_min(*length, t->from->file->stored->length(t->from, k, t->from->map.chunks));
    return st;
}
