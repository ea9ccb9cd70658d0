/* The entries of a journal: dimensions, members and the rest, put in, found, and taken out again. */
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

drx_status drxi_journal_put_dim(struct drxi_journal *j, const struct drxi_dimension *dim)
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
    j->dim[j->dims] = (struct drxi_journal_dim){ name, j->commits, dim->bound };
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
                                       .grows_from = j->growths };
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

void drxi_journal_drop_pending(struct drxi_journal *j)
{
    j->chain = j->committed;
    while (j->growths > 0 && j->growth[j->growths - 1].commit == j->commits) {
        const struct drxi_dim_growth *g = &j->growth[--j->growths].what;

        j->dim[g->dim].bound -= g->by;
    }
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
    drxi_free(j->growth);
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

int64_t drxi_journal_first_growth(const struct drxi_journal *j, int64_t commit)
{
    int64_t low = 0, high = j->growths;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (j->growth[middle].commit < commit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t drxi_journal_first_attr(const struct drxi_journal *j, int64_t commit)
{
    int64_t low = 0, high = j->attr_changes;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (j->attr_change[middle].commit < commit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t drxi_journal_bound_before(const struct drxi_journal *j, int64_t dim, int64_t growth)
{
    int64_t bound = j->dim[dim].bound;

    for (int64_t i = j->growths - 1; i >= growth; i--)
        if (j->growth[i].what.dim == dim)
            bound -= j->growth[i].what.by;
    return bound;
}

int64_t drxi_journal_bound(const struct drxi_journal *j, int64_t dim, int64_t commit)
{
    return drxi_journal_bound_before(j, dim, drxi_journal_first_growth(j, commit + 1));
}

bool drxi_journal_pending(const struct drxi_journal *j)
{
    return j->chain.end > j->committed.end || (j->growths > 0 && j->growth[j->growths - 1].commit == j->commits);
}
