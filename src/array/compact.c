/* Compaction: a new log of the same state takes the place of one that is long, most of which later records have made
 * void: attributes set again and again, growths by little.
 *
 * The new log has the description of the old one, and so its creation id; then the stripes, the names of the axes, the
 * attributes in their order, the growths merged, and a SYNC. Two growths are one when no other axis gained chunks
 * between them: the map then has the expansion records that it had, and all addresses stay. Growth inside a chunk
 * changes no record: it goes into the next growth of its axis, or into one of its own at the end.
 *
 * Invariants
 *   1. The array has just been synced: what the new log promises, the old one does.
 *   2. The new log has no name before it is complete, locked and durable; it takes the name from the old one at once.
 *      So there is one whole log under the name at any time, and others find it locked.
 *   3. Nothing is appended to the new log before the folder is durable: else a power cut could bring back the old one,
 *      without what was promised later. When that fails the array is broken.
 *   4. The old log is closed last. A failure before the new one has the name leaves the old one in use and nothing
 *      behind; memory follows when no failure is possible any more.
 *   5. Readers that have the old log open read on, and find the new one when they refresh. */
#include "array/array.h"
#include "drx_tools.h"

enum { GROW_BYTES = DRXI_RECORD_HEAD_BYTES + 16, SYNC_BYTES = DRXI_RECORD_HEAD_BYTES + 8 };

struct drxi_compaction drxi_compaction = { .from_bytes = 1 << 20, .times = 4 };

/* ---- growths ----------------------------------------------------------------------------------- */

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

/* The runs of growth; `by` is set to the bound that each has reached at its end, which is that of the array when no
 * chunk is added to the axis behind it. */
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

/* ---- the new log -------------------------------------------------------------------------------- */

static struct drxi_attr_payload payload_of(const struct drxi_attr *attr)
{
    return (
        struct drxi_attr_payload){ attr->name, strlen(attr->name), attr->type, attr->is_text, attr->n, attr->values };
}

int64_t drxi_compacted_bytes(const drx_array *a)
{
    const struct drxi_state *s = &a->state;
    size_t n = drxi_desc_bytes(s->desc.ndim) + SYNC_BYTES;

    if (s->stripes.n > 0)
        n += DRXI_RECORD_HEAD_BYTES + drxi_stripes_encode(&s->stripes, NULL);
    for (int j = 0; j < s->desc.ndim; j++)
        if (s->dim[j])
            n += DRXI_RECORD_HEAD_BYTES + drxi_name_encode(s->dim[j], strlen(s->dim[j]), NULL);
    for (int64_t i = 0; i < s->attrs; i++) {
        const struct drxi_attr_payload payload = payload_of(&s->attr[i]);

        n += DRXI_RECORD_HEAD_BYTES + drxi_attr_encode(&payload, NULL);
    }
    return (int64_t)n + count_growths(s) * GROW_BYTES;
}

/* What is written, in memory. */
struct log {
    uint8_t *bytes;
    size_t n;
    uint64_t sequence;
    uint32_t crc;
    int64_t crc_at;
};

/* Where the payload of the next record goes; and the record, when it is there. */
static uint8_t *payload(const struct log *l)
{
    return l->bytes + l->n + DRXI_RECORD_HEAD_BYTES;
}

static void seal(struct log *l, enum drxi_kind kind, int arg, size_t payload_bytes)
{
    l->crc_at = (int64_t)l->n;
    l->crc = drxi_record_seal(l->bytes + l->n, payload_bytes, kind, arg, ++l->sequence, l->crc);
    l->n += DRXI_RECORD_HEAD_BYTES + payload_bytes;
}

static void put_names(const struct drxi_state *s, struct log *l)
{
    if (s->stripes.n > 0)
        seal(l, DRXI_STRIPES, s->stripes.n, drxi_stripes_encode(&s->stripes, payload(l)));
    for (int j = 0; j < s->desc.ndim; j++)
        if (s->dim[j])
            seal(l, DRXI_DIM_NAME, j, drxi_name_encode(s->dim[j], strlen(s->dim[j]), payload(l)));
    for (int64_t i = 0; i < s->attrs; i++) {
        const struct drxi_attr_payload attr = payload_of(&s->attr[i]);

        seal(l, DRXI_ATTR, 0, drxi_attr_encode(&attr, payload(l)));
    }
}

static void put_growths(const struct drxi_state *s, const struct growths *g, struct log *l)
{
    int64_t bound[DRX_MAX_NDIM];

    memcpy(bound, s->desc.shape, sizeof bound);
    for (int64_t i = 0; i < g->n; i++) {
        const int j = g->axis[i];
        const struct drxi_growth growth = { j, g->by[i], bound[j] += g->by[i] };

        seal(l, DRXI_GROW, j, drxi_growth_encode(&growth, payload(l)));
    }
}

static drx_status compose(const drx_array *a, const struct growths *g, struct log *l)
{
    const struct drxi_state *s = &a->state;

    memset(l, 0, sizeof *l);
    l->bytes = drxi_malloc((size_t)drxi_compacted_bytes(a));
    if (!l->bytes)
        return DRX_ENOMEM;
    l->crc = drxi_desc_encode(&s->desc, l->bytes);
    l->n = drxi_desc_bytes(s->desc.ndim);
    put_names(s, l);
    put_growths(s, g, l);
    seal(l, DRXI_SYNC, 0, drxi_sync_encode(s->map.chunks, payload(l)));
    return DRX_OK;
}

/* ---- taking the place of the old one --------------------------------------------------------------- */

static drx_status write_new(const drx_array *a, const struct log *l, drxi_io **out)
{
    drx_status st = drxi_files->open(a->meta->path, DRXI_NEW, out);

    if (!st)
        st = (*out)->ops->lock(*out, DRXI_LOCK_ALONE);
    if (!st)
        st = (*out)->ops->write(*out, l->bytes, l->n, 0);
    return st ? st : (*out)->ops->sync(*out);
}

/* Whether the old log still has its name, whatever the failure to give it to another may mean. */
static bool is_still_named(const drx_array *a)
{
    char detail[DRXI_DETAIL_BYTES];
    bool named = false;
    drx_status st;

    drxi_report_keep(detail);
    st = a->meta->ops->named(a->meta, &named);
    drxi_report_set(detail);
    return !st && named;
}

/* Names change under the folder's lock: nobody who removes or replaces the array looks at the old log meanwhile. */
static drx_status take_name(drx_array *a, drxi_io *io)
{
    drxi_io *folder = NULL;
    drx_status st = drxi_files->lock_folder(a->meta->path, &folder);

    if (!st) {
        st = io->ops->replace(io, a->meta);
        if (st && !is_still_named(a))
            a->broken = st;
    }
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

/* Memory follows. */
static void follow(drx_array *a, drxi_io *io, struct growths *g, const struct log *l)
{
    struct drxi_state *s = &a->state;
    drxi_io *const old = a->meta;

    a->meta = io;
    s->log_end = (int64_t)l->n;
    s->sequence = l->sequence;
    s->crc = l->crc;
    s->crc_at = l->crc_at;
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

static drx_status replace_log(drx_array *a, struct growths *g, const struct log *l)
{
    drxi_io *io = NULL;
    drx_status st = write_new(a, l, &io);

    if (!st)
        st = take_name(a, io);
    if (st) {
        if (io)
            (void)io->ops->close(io); /* and with it the file */
        return st;
    }
    st = drxi_files->sync_folder(io->path);
    if (st)
        a->broken = st;
    follow(a, io, g, l);
    return st;
}

drx_status drxi_compact(drx_array *a)
{
    struct growths g = { 0 };
    struct log l = { 0 };
    drx_status st = a->meta->ops->sole(a->meta);

    if (!st && a->state.unknown_records)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: holds records that this version does not know", a->meta->path);
    if (!st)
        st = merge_growths(&a->state, &g);
    if (!st)
        st = compose(a, &g, &l);
    if (!st)
        st = replace_log(a, &g, &l);
    free_growths(&g);
    drxi_free(l.bytes);
    return st;
}

/* ---- when --------------------------------------------------------------------------------------------- */

static bool is_long(const drx_array *a)
{
    const int64_t bytes = a->state.log_end;

    return a->meta && a->writable && !a->shared && !a->temporary && !a->broken && !a->state.unknown_records &&
           bytes >= drxi_max(drxi_compaction.from_bytes, a->compact_from_bytes) &&
           bytes / drxi_compaction.times >= drxi_compacted_bytes(a);
}

drx_status drxi_compact_after_sync(drx_array *a)
{
    drx_status st;

    if (!is_long(a))
        return DRX_OK;
    st = drxi_compact(a);
    if (!st || a->broken)
        return st;
    a->compact_from_bytes = drxi_mul_saturated(2, a->state.log_end);
    drxi_report_clear();
    return DRX_OK;
}

drx_status drxi_compact_at_open(drx_array *a)
{
    drx_status st;

    if (!is_long(a))
        return DRX_OK;
    st = drxi_sync_files(a);
    if (!st)
        return drxi_compact_after_sync(a);
    if (a->broken)
        return st;
    drxi_report_clear(); /* it has been opened all the same */
    return DRX_OK;
}

static drx_status compact(drx_array *a)
{
    drx_status st = drxi_check_changeable(a);

    if (st || !a->meta)
        return st;
    if (a->temporary)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: a temporary array, whose metadata have no name", a->label);
    if (a->shared)
        return drxi_fail(DRX_EBUSY, "%s: opened DRX_SHARED: only who has it alone, by DRX_RDWR, can compact it", a->label);
    st = drxi_sync_files(a);
    return st || a->state.log_end <= drxi_compacted_bytes(a) ? st : drxi_compact(a);
}

drx_status drx_compact(drx_array *a)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    drxi_gate_shut(&a->gate);
    st = compact(a);
    drxi_gate_open(&a->gate);
    return st;
}
