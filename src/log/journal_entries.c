/* The entries of a journal: dimensions with their bounds, members and the rest, put in, found, and taken out again. */
#include "log/journal.h"

static struct drxi_key dim_name(const void *journal, int64_t i)
{
    const struct drxi_journal *j = journal;

    return (struct drxi_key){ j->dim[i].name, strlen(j->dim[i].name) };
}

static struct drxi_key member_name(const void *journal, int64_t i)
{
    const struct drxi_journal *j = journal;

    return (struct drxi_key){ j->member[i].name, strlen(j->member[i].name) };
}

static struct drxi_key member_id(const void *journal, int64_t i)
{
    const struct drxi_journal *j = journal;

    return (struct drxi_key){ j->member[i].id, DRXI_ID_BYTES };
}

static struct drxi_keys dim_names(const struct drxi_journal *j)
{
    return (struct drxi_keys){ dim_name, j };
}

static struct drxi_keys member_names(const struct drxi_journal *j)
{
    return (struct drxi_keys){ member_name, j };
}

static struct drxi_keys member_ids(const struct drxi_journal *j)
{
    return (struct drxi_keys){ member_id, j };
}

char *drxi_journal_copy_text(const char *text, size_t n)
{
    char *copy = drxi_malloc(n + 1);

    if (copy) {
        if (n > 0)
            memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

/* The first entry of a commit or a later one. All entries begin with the number of their commit, and are in its order. */
static int64_t first_of(const void *entries, size_t bytes, int64_t n, int64_t commit)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        int64_t at;

        memcpy(&at, (const char *)entries + (size_t)middle * bytes, sizeof at);
        if (at < commit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

drx_status drxi_journal_put_dim(struct drxi_journal *j, const struct drxi_dimension_record *dim)
{
    char *name;
    drx_status st = drxi_reserve(&j->dim, &j->dim_room, j->dims + 1, sizeof *j->dim);

    if (!st)
        st = drxi_index_reserve(&j->dim_by_name, dim_names(j));
    if (st)
        return st;
    name = drxi_journal_copy_text(dim->name, dim->name_bytes);
    if (!name)
        return DRX_ENOMEM;
    j->dim[j->dims] = (struct drxi_journal_dim){ .name = name,
                                                 .added = j->commits,
                                                 .bound = { [DRXI_HIGH] = dim->bound, [DRXI_LOW] = dim->lower } };
    drxi_index_set(&j->dim_by_name, dim_names(j), j->dims++);
    return DRX_OK;
}

void drxi_journal_pop_dim(struct drxi_journal *j)
{
    drxi_index_remove(&j->dim_by_name, dim_names(j), j->dims - 1);
    drxi_free(j->dim[--j->dims].name);
}

drx_status drxi_journal_put_member(struct drxi_journal *j, const struct drxi_addition *add)
{
    struct drxi_journal_member *m;
    drx_status st = drxi_reserve(&j->member, &j->member_room, j->members + 1, sizeof *j->member);

    if (!st)
        st = drxi_index_reserve(&j->member_by_name, member_names(j));
    if (!st)
        st = drxi_index_reserve(&j->member_by_id, member_ids(j));
    if (st)
        return st;
    m = &j->member[j->members];
    *m = (struct drxi_journal_member){ .name = drxi_journal_copy_text(add->name, add->name_bytes),
                                       .before = drxi_journal_find_name(j, add->name, add->name_bytes),
                                       .ndim = add->ndim,
                                       .added = j->commits,
                                       .removed = INT64_MAX,
                                       .after = j->changes };
    if (!m->name)
        return DRX_ENOMEM;
    memcpy(m->id, add->id, sizeof m->id);
    memcpy(m->dim, add->dim, (size_t)add->ndim * sizeof *m->dim);
    drxi_index_set(&j->member_by_name, member_names(j), j->members);
    drxi_index_set(&j->member_by_id, member_ids(j), j->members++);
    return DRX_OK;
}

/* The name is again that of the member that had it before. */
void drxi_journal_pop_member(struct drxi_journal *j)
{
    const int64_t last = j->members - 1;
    struct drxi_journal_member *m = &j->member[last];

    drxi_index_remove(&j->member_by_id, member_ids(j), last);
    if (m->before >= 0)
        drxi_index_set(&j->member_by_name, member_names(j), m->before);
    else
        drxi_index_remove(&j->member_by_name, member_names(j), last);
    drxi_free(m->name);
    j->members--;
}

/* Move a bound outwards. */
static void move(int64_t bound[2], enum drxi_end end, int64_t by)
{
    bound[end] += end == DRXI_LOW ? -by : by;
}

drx_status drxi_journal_put_change(struct drxi_journal *j, const struct drxi_dim_change *what)
{
    drx_status st = drxi_reserve(&j->change, &j->change_room, j->changes + 1, sizeof *j->change);

    if (st)
        return st;
    j->change[j->changes++] = (struct drxi_journal_change){ j->commits, *what };
    j->dim[what->dim].bound[what->end] = what->bound;
    return DRX_OK;
}

void drxi_journal_pop_change(struct drxi_journal *j)
{
    const struct drxi_dim_change *what = &j->change[--j->changes].what;

    move(j->dim[what->dim].bound, what->end, -what->by);
}

/* Two growths are one, unless a member was added between them: it begins with the bounds at that moment. */
static bool merges(const struct drxi_journal *j, int64_t last, int dim, enum drxi_end end)
{
    return last >= 0 && j->change[last].commit == j->commits && j->change[last].what.dim == dim &&
           j->change[last].what.end == end && (j->members == 0 || j->member[j->members - 1].after <= last);
}

drx_status drxi_journal_check_growth(const struct drxi_journal *j, int dim, enum drxi_end end, int64_t by)
{
    const struct drxi_journal_dim *d = &j->dim[dim];
    int64_t bound;

    if (by < 0)
        return drxi_fail(DRX_EINVAL, "dimension '%s': growing by %lld, expected 0 or more", d->name, (long long)by);
    if (by > 0 && d->cut[end] > 0)
        return drxi_fail(DRX_EINVAL,
                         "dimension '%s': this transaction trims its %s end: commit it before that end grows", d->name,
                         end == DRXI_LOW ? "low" : "high");
    if (!drxi_add(d->bound[end], end == DRXI_LOW ? -by : by, &bound) ||
        !(end == DRXI_LOW ? drxi_is_span(bound, d->bound[DRXI_HIGH]) : drxi_is_span(d->bound[DRXI_LOW], bound)))
        return drxi_fail(DRX_EOVERFLOW, "dimension '%s': growing by %lld from %lld overflows 64 bits", d->name,
                         (long long)by, (long long)d->bound[end]);
    return DRX_OK;
}

drx_status drxi_journal_grow(struct drxi_journal *j, int dim, enum drxi_end end, int64_t by)
{
    const int64_t last = j->changes - 1;
    struct drxi_dim_change what = { dim, end, by, j->dim[dim].bound[end] + (end == DRXI_LOW ? -by : by) };

    if (!merges(j, last, dim, end))
        return drxi_journal_put_change(j, &what);
    what.by += j->change[last].what.by;
    j->change[last].what = what;
    j->dim[dim].bound[end] = what.bound;
    return DRX_OK;
}

drx_status drxi_journal_check_trim(const struct drxi_journal *j, int dim, int64_t before, int64_t after)
{
    const struct drxi_journal_dim *d = &j->dim[dim];
    const int64_t left = d->bound[DRXI_HIGH] - d->bound[DRXI_LOW] - d->cut[DRXI_HIGH] - d->cut[DRXI_LOW];

    if (before < 0 || after < 0)
        return drxi_fail(DRX_EINVAL, "dimension '%s': trimming %lld and %lld indices, expected 0 or more", d->name,
                         (long long)before, (long long)after);
    if (before > left || after > left - before)
        return drxi_fail(DRX_ERANGE, "dimension '%s': trimming %lld and %lld indices, it has %lld", d->name,
                         (long long)before, (long long)after, (long long)left);
    return DRX_OK;
}

void drxi_journal_trim(struct drxi_journal *j, int dim, int64_t before, int64_t after)
{
    j->dim[dim].cut[DRXI_LOW] += before;
    j->dim[dim].cut[DRXI_HIGH] += after;
}

void drxi_journal_drop_trims(struct drxi_journal *j)
{
    while (j->changes > 0 && j->change[j->changes - 1].commit == j->commits && j->change[j->changes - 1].what.by < 0)
        drxi_journal_pop_change(j);
}

drx_status drxi_journal_put_trims(struct drxi_journal *j)
{
    drx_status st = DRX_OK;

    for (int dim = 0; !st && dim < j->dims; dim++)
        for (int end = 0; !st && end < 2; end++) {
            const struct drxi_journal_dim *d = &j->dim[dim];
            const int64_t cut = d->cut[end], bound = d->bound[end] + (end == DRXI_LOW ? cut : -cut);

            if (cut > 0)
                st = drxi_journal_put_change(j, &(struct drxi_dim_change){ dim, (enum drxi_end)end, -cut, bound });
        }
    if (st)
        drxi_journal_drop_trims(j);
    return st;
}

drx_status drxi_journal_put_axis(struct drxi_journal *j, const struct drxi_new_axis *what)
{
    drx_status st = drxi_reserve(&j->axis, &j->axis_room, j->axes + 1, sizeof *j->axis);

    if (!st)
        j->axis[j->axes++] = (struct drxi_journal_axis){ j->commits, *what };
    return st;
}

void drxi_journal_settle_axes(struct drxi_journal *j)
{
    for (int64_t i = 0; i < j->axes; i++) {
        const struct drxi_new_axis *what = &j->axis[i].what;
        struct drxi_journal_member *m = &j->member[what->member];

        if (j->axis[i].commit != j->commits)
            continue;
        memmove(m->dim + what->at + 1, m->dim + what->at, (size_t)(m->ndim - what->at) * sizeof *m->dim);
        m->dim[what->at] = what->dim;
        m->ndim++;
    }
}

int drxi_journal_dims(const struct drxi_journal *j, int64_t member, int64_t commit, int dim[DRX_MAX_NDIM])
{
    int n = j->member[member].ndim;

    memcpy(dim, j->member[member].dim, (size_t)n * sizeof *dim);
    for (int64_t i = j->axes - 1; i >= 0 && j->axis[i].commit > commit; i--) {
        const struct drxi_new_axis *what = &j->axis[i].what;

        if (what->member != member || j->axis[i].commit >= j->commits)
            continue;
        n--;
        memmove(dim + what->at, dim + what->at + 1, (size_t)(n - what->at) * sizeof *dim);
    }
    return n;
}

int64_t drxi_journal_first_axis(const struct drxi_journal *j, int64_t member, int64_t commit)
{
    for (int64_t i = first_of(j->axis, sizeof *j->axis, j->axes, commit); i < j->axes; i++)
        if (j->axis[i].what.member == member)
            return i;
    return -1;
}

bool drxi_journal_new_axes(const struct drxi_journal *j)
{
    return j->axes > 0 && j->axis[j->axes - 1].commit == j->commits;
}

void drxi_journal_drop_pending(struct drxi_journal *j)
{
    j->chain = j->committed;
    while (j->changes > 0 && j->change[j->changes - 1].commit == j->commits)
        drxi_journal_pop_change(j);
    while (drxi_journal_new_axes(j))
        j->axes--;
    for (int64_t i = 0; i < j->dims; i++)
        memset(j->dim[i].cut, 0, sizeof j->dim[i].cut);
    while (j->dims > 0 && j->dim[j->dims - 1].added == j->commits)
        drxi_journal_pop_dim(j);
    while (j->members > 0 && j->member[j->members - 1].added == j->commits)
        drxi_journal_pop_member(j);
    for (int64_t i = 0; i < j->members; i++)
        if (j->member[i].removed == j->commits)
            j->member[i].removed = INT64_MAX;
    while (j->attr_changes > 0 && j->attr_change[j->attr_changes - 1].commit == j->commits)
        drxi_free(j->attr_change[--j->attr_changes].payload);
}

void drxi_journal_free_entries(struct drxi_journal *j)
{
    for (int64_t i = 0; i < j->commits; i++)
        drxi_free(j->commit[i].message);
    for (int64_t i = 0; i < j->dims; i++)
        drxi_free(j->dim[i].name);
    for (int64_t i = 0; i < j->members; i++)
        drxi_free(j->member[i].name);
    for (int64_t i = 0; i < j->attr_changes; i++)
        drxi_free(j->attr_change[i].payload);
    drxi_free(j->commit);
    drxi_free(j->dim);
    drxi_free(j->member);
    drxi_free(j->change);
    drxi_free(j->axis);
    drxi_free(j->attr_change);
    drxi_attrs_free(&j->attrs);
    drxi_index_free(&j->dim_by_name);
    drxi_index_free(&j->member_by_name);
    drxi_index_free(&j->member_by_id);
}

int64_t drxi_journal_find_dim(const struct drxi_journal *j, const char *name, size_t n)
{
    return drxi_index_find(&j->dim_by_name, dim_names(j), name, n);
}

int64_t drxi_journal_find_name(const struct drxi_journal *j, const char *name, size_t n)
{
    return drxi_index_find(&j->member_by_name, member_names(j), name, n);
}

int64_t drxi_journal_find(const struct drxi_journal *j, const char *name, int64_t commit)
{
    int64_t i = drxi_journal_find_name(j, name, strlen(name));

    while (i >= 0 && !drxi_journal_has(j, i, commit))
        i = j->member[i].before;
    return i;
}

int64_t drxi_journal_find_id(const struct drxi_journal *j, const uint8_t id[])
{
    return drxi_index_find(&j->member_by_id, member_ids(j), id, DRXI_ID_BYTES);
}

int64_t drxi_journal_first_change(const struct drxi_journal *j, int64_t commit)
{
    return first_of(j->change, sizeof *j->change, j->changes, commit);
}

int64_t drxi_journal_first_attr(const struct drxi_journal *j, int64_t commit)
{
    return first_of(j->attr_change, sizeof *j->attr_change, j->attr_changes, commit);
}

void drxi_journal_bounds_before(const struct drxi_journal *j, int64_t dim, int64_t change, int64_t bound[2])
{
    memcpy(bound, j->dim[dim].bound, sizeof j->dim[dim].bound);
    for (int64_t i = j->changes - 1; i >= change; i--)
        if (j->change[i].what.dim == dim)
            move(bound, j->change[i].what.end, -j->change[i].what.by);
}

void drxi_journal_bounds(const struct drxi_journal *j, int64_t dim, int64_t commit, int64_t bound[2])
{
    drxi_journal_bounds_before(j, dim, drxi_journal_first_change(j, commit + 1), bound);
}

int64_t drxi_journal_trimmed_since(const struct drxi_journal *j, int64_t dim, int64_t commit)
{
    const int64_t first = drxi_journal_first_change(j, commit + 1);
    int64_t bound[2];

    drxi_journal_bounds_before(j, dim, first, bound);
    for (int64_t i = first; i < j->changes; i++) {
        const struct drxi_dim_change *what = &j->change[i].what;

        if (what->dim == dim &&
            (what->end == DRXI_LOW ? what->bound > bound[DRXI_LOW] : what->bound < bound[DRXI_HIGH]))
            return i;
    }
    return -1;
}

bool drxi_journal_pending(const struct drxi_journal *j)
{
    bool cut = false;

    for (int64_t i = 0; i < j->dims; i++)
        cut = cut || j->dim[i].cut[DRXI_LOW] > 0 || j->dim[i].cut[DRXI_HIGH] > 0;
    return cut || j->chain.end > j->committed.end || (j->changes > 0 && j->change[j->changes - 1].commit == j->commits);
}
