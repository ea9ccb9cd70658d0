/* Compaction: a shorter log of the same state replaces a long one that is mostly obsolete, such as one with
 * attributes set again and again, or many small growths.
 *
 * The new log has the description of the old one, and so its creation id; then the stripes, its place in a dataset, the
 * names of the axes, the attributes in their order, the merged growths, and a SYNC. Two growths merge when no other
 * axis gained chunks between them: the map keeps its expansion records, and all addresses stay. Growth inside a chunk
 * changes no record: it joins the next growth of its axis, or one of its own at the end.
 *
 * Invariants
 *   1. The array has just been synced: the new log promises what the old one does.
 *   2. The new log gets a name only when it is complete, locked and durable, and takes it from the old log at once.
 *      So the name leads to one whole, locked log at any time.
 *   3. Nothing is appended to the new log before the folder is durable: otherwise a power cut could bring back the
 *      old log, without later promises. When that sync fails, the log is broken.
 *   4. The old log is closed last. A failure before the new log has the name leaves the old one in use and nothing
 *      else behind. Memory follows when nothing can fail any more.
 *   5. Readers that have the old log open read on, and find the new one when they refresh. */
#include "log/log.h"

enum { GROW_BYTES = DRXI_RECORD_HEAD_BYTES + 16, SYNC_BYTES = DRXI_RECORD_HEAD_BYTES + 8 };

struct growths {
    int64_t n;
    uint8_t *axis;
    int64_t *by;
};

/* Did the axis grow without gaining a chunk? */
static bool grew_inside(const struct drxi_state *s, int j)
{
    return s->shape[j] > s->desc.shape[j] &&
           drxi_ceil_div(s->desc.shape[j], s->desc.chunk[j]) == drxi_ceil_div(s->shape[j], s->desc.chunk[j]);
}

static int64_t count_growths(const struct drxi_state *s)
{
    int64_t n = s->growth_runs;

    for (int j = 0; j < s->desc.ndim; j++)
        n += grew_inside(s, j);
    return n;
}

/* Find the runs of growth. `by` becomes the bound that each run reached at its end; if the axis gains no chunk
 * later, that is the bound of the array. */
static void find_runs(const struct drxi_state *s, struct growths *g)
{
    int64_t bound[DRX_MAX_NDIM], chunks[DRX_MAX_NDIM];

    for (int j = 0; j < s->desc.ndim; j++) {
        bound[j] = s->desc.shape[j];
        chunks[j] = drxi_ceil_div(bound[j], s->desc.chunk[j]);
    }
    for (int64_t i = 0; i < s->growths; i++) {
        const int j = s->growth_axis[i];
        const int64_t before = chunks[j];

        bound[j] += s->growth_by[i];
        chunks[j] = drxi_ceil_div(bound[j], s->desc.chunk[j]);
        if (chunks[j] == before)
            continue;
        if (g->n == 0 || g->axis[g->n - 1] != j)
            g->axis[g->n++] = (uint8_t)j;
        g->by[g->n - 1] = drxi_min(s->shape[j], drxi_mul_saturated(chunks[j], s->desc.chunk[j]));
    }
}

static drx_status merge_growths(const struct drxi_state *s, struct growths *g)
{
    const int64_t n = count_growths(s);
    int64_t bound[DRX_MAX_NDIM];

    *g = (struct growths){ 0, drxi_calloc((size_t)n, sizeof *g->axis), drxi_calloc((size_t)n, sizeof *g->by) };
    if (!g->axis || !g->by)
        return DRX_ENOMEM;
    find_runs(s, g);
    for (int j = 0; j < s->desc.ndim; j++) {
        bound[j] = s->desc.shape[j];
        if (grew_inside(s, j)) {
            g->axis[g->n] = (uint8_t)j;
            g->by[g->n++] = s->shape[j];
        }
    }
    for (int64_t i = 0; i < g->n; i++) {
        const int64_t reached = g->by[i];

        g->by[i] -= bound[g->axis[i]];
        bound[g->axis[i]] = reached;
    }
    return DRX_OK;
}

static void free_growths(struct growths *g)
{
    drxi_free(g->axis);
    drxi_free(g->by);
}

static struct drxi_attr_payload payload_of(const struct drxi_attr *attr)
{
    return (
        struct drxi_attr_payload){ attr->name, strlen(attr->name), attr->type, attr->is_text, attr->n, attr->values };
}

int64_t drxi_log_compacted_bytes(const struct drxi_log *log)
{
    const struct drxi_state *s = &log->state;
    size_t n = drxi_desc_bytes(s->desc.ndim) + SYNC_BYTES;

    if (s->stripes.n > 0)
        n += DRXI_RECORD_HEAD_BYTES + drxi_stripes_encode(&s->stripes, NULL);
    if (s->is_member)
        n += DRXI_RECORD_HEAD_BYTES + drxi_member_encode(&s->member, NULL);
    for (int j = 0; j < s->desc.ndim; j++)
        if (s->dim[j])
            n += DRXI_RECORD_HEAD_BYTES + drxi_name_encode(s->dim[j], strlen(s->dim[j]), NULL);
    for (int64_t i = 0; i < s->attrs.n; i++) {
        const struct drxi_attr_payload payload = payload_of(&s->attrs.item[i]);

        n += DRXI_RECORD_HEAD_BYTES + drxi_attr_encode(&payload, NULL);
    }
    return (int64_t)n + count_growths(s) * GROW_BYTES;
}

/* The new log in memory. */
struct composed {
    uint8_t *bytes;
    size_t n;
    uint64_t sequence;
    uint32_t crc;
    int64_t crc_at;
};

/* The place for the payload of the next record; seal completes the record. */
static uint8_t *payload(const struct composed *l)
{
    return l->bytes + l->n + DRXI_RECORD_HEAD_BYTES;
}

static void seal(struct composed *l, enum drxi_kind kind, int arg, size_t payload_bytes)
{
    l->crc_at = (int64_t)l->n;
    l->crc = drxi_record_seal(l->bytes + l->n, payload_bytes, kind, arg, ++l->sequence, l->crc);
    l->n += DRXI_RECORD_HEAD_BYTES + payload_bytes;
}

static void put_names(const struct drxi_state *s, struct composed *l)
{
    if (s->stripes.n > 0)
        seal(l, DRXI_STRIPES, s->stripes.n, drxi_stripes_encode(&s->stripes, payload(l)));
    if (s->is_member)
        seal(l, DRXI_MEMBER, 0, drxi_member_encode(&s->member, payload(l)));
    for (int j = 0; j < s->desc.ndim; j++)
        if (s->dim[j])
            seal(l, DRXI_DIM_NAME, j, drxi_name_encode(s->dim[j], strlen(s->dim[j]), payload(l)));
    for (int64_t i = 0; i < s->attrs.n; i++) {
        const struct drxi_attr_payload attr = payload_of(&s->attrs.item[i]);

        seal(l, DRXI_ATTR, 0, drxi_attr_encode(&attr, payload(l)));
    }
}

static void put_growths(const struct drxi_state *s, const struct growths *g, struct composed *l)
{
    int64_t bound[DRX_MAX_NDIM];

    memcpy(bound, s->desc.shape, sizeof bound);
    for (int64_t i = 0; i < g->n; i++) {
        const int j = g->axis[i];
        const struct drxi_growth growth = { j, g->by[i], bound[j] += g->by[i] };

        seal(l, DRXI_GROW, j, drxi_growth_encode(&growth, payload(l)));
    }
}

static drx_status compose(const struct drxi_log *log, const struct growths *g, struct composed *l)
{
    const struct drxi_state *s = &log->state;

    memset(l, 0, sizeof *l);
    l->bytes = drxi_malloc((size_t)drxi_log_compacted_bytes(log));
    if (!l->bytes)
        return DRX_ENOMEM;
    l->crc = drxi_desc_encode(&s->desc, l->bytes);
    l->n = drxi_desc_bytes(s->desc.ndim);
    put_names(s, l);
    put_growths(s, g, l);
    seal(l, DRXI_SYNC, 0, drxi_sync_encode(s->map.chunks, payload(l)));
    return DRX_OK;
}

static drx_status write_new(const struct drxi_log *log, const struct composed *l, drxi_io **out)
{
    drx_status st = drxi_files->open(log->io->path, DRXI_NEW, out);

    if (!st)
        st = (*out)->ops->lock(*out, DRXI_LOCK_ALONE);
    if (!st)
        st = (*out)->ops->write(*out, l->bytes, l->n, 0);
    return st ? st : (*out)->ops->sync(*out);
}

/* Whether the old log still has its name, in spite of the failure to replace it. */
static bool is_still_named(const struct drxi_log *log)
{
    char detail[DRXI_DETAIL_BYTES];
    bool named = false;
    drx_status st;

    drxi_report_keep(detail);
    st = log->io->ops->named(log->io, &named);
    drxi_report_set(detail);
    return !st && named;
}

/* Names change under the folder's lock, so nobody who removes or replaces the array looks at the old log meanwhile. */
static drx_status take_name(struct drxi_log *log, drxi_io *io)
{
    drxi_io *folder = NULL;
    drx_status st = drxi_files->lock_folder(log->io->path, &folder);

    if (!st) {
        st = io->ops->replace(io, log->io);
        if (st && !is_still_named(log))
            log->broken = st;
    }
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

/* Memory follows. */
static void follow(struct drxi_log *log, drxi_io *io, struct growths *g, const struct composed *l)
{
    struct drxi_state *s = &log->state;
    drxi_io *const old = log->io;

    log->io = io;
    s->chain.end = (int64_t)l->n;
    s->chain.sequence = l->sequence;
    s->chain.crc = l->crc;
    s->chain.crc_at = l->crc_at;
    s->at_sync = s->ever_synced = true;
    s->synced_chunks = s->map.chunks;
    s->intent_open = false;
    drxi_free(s->growth_axis);
    drxi_free(s->growth_by);
    s->growths = s->growth_axis_room = s->growth_by_room = g->n;
    s->growth_axis = g->axis;
    s->growth_by = g->by;
    g->axis = NULL;
    g->by = NULL;
    (void)old->ops->close(old);
}

static drx_status replace_log(struct drxi_log *log, struct growths *g, const struct composed *l)
{
    drxi_io *io = NULL;
    drx_status st = write_new(log, l, &io);

    if (!st)
        st = take_name(log, io);
    if (st) {
        if (io)
            (void)io->ops->close(io); /* which removes the file */
        return st;
    }
    st = drxi_files->sync_folder(io->path);
    if (st)
        log->broken = st;
    follow(log, io, g, l);
    return st;
}

drx_status drxi_log_compact(struct drxi_log *log)
{
    struct growths g = { 0 };
    struct composed l = { 0 };
    drx_status st = log->io->ops->sole(log->io);

    if (!st && log->state.unknown_records)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: has records that this version does not know", log->io->path);
    if (!st)
        st = merge_growths(&log->state, &g);
    if (!st)
        st = compose(log, &g, &l);
    if (!st)
        st = replace_log(log, &g, &l);
    free_growths(&g);
    drxi_free(l.bytes);
    return st;
}
