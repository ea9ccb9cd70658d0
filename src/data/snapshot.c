/* Snapshots, and the views of the file that they show. A growth changes nothing that a snapshot has: the vectors of its
 * map are its own, and the files keep all that lies inside its bounds. A view lasts as long as something shows it. */
#include "data/data.h"

struct drxi_snapshot {
    struct drxi_data data; /* first */
    void *vectors;         /* of its map */
    int users;             /* threads that took it; one more while it is the latest */
};

/* The caller has the lock of the views. */
static void leave_view(struct drxi_mapped **of)
{
    struct drxi_mapped *const m = *of;

    *of = NULL;
    if (!m || --m->users > 0)
        return;
    drxi_view_close(&m->view);
    drxi_free(m);
}

static void join_view(struct drxi_data *data, struct drxi_mapped *m)
{
    m->users++;
    data->mapped = m;
    memcpy(&data->view, &m->view, offsetof(struct drxi_view, older)); /* that one is in the list of open ones */
}

/* Show the file as it is now: through the same addresses, if there is room for it. */
static bool find_view(struct drxi_data *data)
{
    struct drxi_data_file *const file = data->file;
    struct drxi_mapped *m = file->mapped;

    leave_view(&data->mapped);
    if (!m || file->io->ops->view(file->io, &m->view) != DRX_OK || m->view.bytes == 0) {
        leave_view(&file->mapped);
        m = drxi_calloc(1, sizeof *m);
        if (!m || file->io->ops->view(file->io, &m->view) != DRX_OK || !m->view.base) {
            drxi_free(m);
            drxi_report_clear();
            return false;
        }
        m->users = 1;
        file->mapped = m;
    }
    join_view(data, m);
    return true;
}

static bool has_view(struct drxi_data *data)
{
    int state = atomic_load_explicit(&data->view_state, memory_order_relaxed);

    if (state == DRXI_NOT_VIEWED) {
        state = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && data->file->io->cost.mapped && find_view(data)
                    ? DRXI_VIEWED
                    : DRXI_NO_VIEW;
        atomic_store_explicit(&data->view_state, state, memory_order_release);
    }
    return state == DRXI_VIEWED;
}

const struct drxi_view *drxi_data_make_view(struct drxi_data *data)
{
    int state = atomic_load_explicit(&data->view_state, memory_order_acquire);

    if (state == DRXI_NOT_VIEWED) {
        (void)pthread_mutex_lock(&data->file->view_lock);
        state = has_view(data) ? DRXI_VIEWED : DRXI_NO_VIEW;
        (void)pthread_mutex_unlock(&data->file->view_lock);
    }
    return state == DRXI_VIEWED ? &data->view : NULL;
}

void drxi_data_resized(struct drxi_data *data)
{
    atomic_store_explicit(&data->view_state, DRXI_NOT_VIEWED, memory_order_relaxed);
}

void drxi_data_end_view(struct drxi_data *data)
{
    drxi_snapshot_drop(data);
    (void)pthread_mutex_lock(&data->file->view_lock);
    leave_view(&data->mapped);
    leave_view(&data->file->mapped);
    memset(&data->view, 0, sizeof data->view);
    drxi_data_resized(data);
    (void)pthread_mutex_unlock(&data->file->view_lock);
}

static struct drxi_snapshot *make_snapshot(struct drxi_data *data)
{
    struct drxi_snapshot *s = drxi_calloc(1, sizeof *s);

    if (!s)
        return NULL;
    memcpy(&s->data, data, offsetof(struct drxi_data, view));
    if (drxi_map_copy(&data->map, &s->data.map, &s->vectors)) {
        drxi_free(s);
        return NULL;
    }
    s->users = 1;
    if (atomic_load_explicit(&data->view_state, memory_order_relaxed) == DRXI_VIEWED) {
        join_view(&s->data, data->mapped);
        atomic_init(&s->data.view_state, DRXI_VIEWED);
    }
    return s;
}

/* The caller has the lock. */
static void free_snapshot(struct drxi_snapshot *s)
{
    if (!s || --s->users > 0)
        return;
    leave_view(&s->data.mapped);
    drxi_free(s->vectors);
    drxi_free(s);
}

struct drxi_data *drxi_snapshot_take(struct drxi_data *data)
{
    struct drxi_data_file *const file = data->file;
    struct drxi_snapshot *s;

    (void)pthread_mutex_lock(&file->view_lock);
    if (!file->latest)
        file->latest = make_snapshot(data);
    s = file->latest;
    if (s)
        s->users++;
    (void)pthread_mutex_unlock(&file->view_lock);
    return s ? &s->data : NULL;
}

void drxi_snapshot_end(struct drxi_data *snapshot)
{
    struct drxi_data_file *const file = snapshot->file;

    (void)pthread_mutex_lock(&file->view_lock);
    free_snapshot((struct drxi_snapshot *)(void *)snapshot);
    (void)pthread_mutex_unlock(&file->view_lock);
}

void drxi_snapshot_drop(struct drxi_data *data)
{
    if (!data->file->latest) /* another thread can make one only where this one may not change `data` */
        return;
    (void)pthread_mutex_lock(&data->file->view_lock);
    free_snapshot(data->file->latest);
    data->file->latest = NULL;
    (void)pthread_mutex_unlock(&data->file->view_lock);
}
