/* A history whose array is the variable of a dataset: the dataset lends it, and grows it in transactions. Readers, of
 * the dataset or of the array alone, see the last commit. */
#include "drx_dataset.h"
#include "model.h"

static drx_dataset *ds;

static const char *name_in(const struct model *m)
{
    return strrchr(m->path, '/') + 1;
}

void lent_folder(const struct model *m, char *folder, size_t room)
{
    snprintf(folder, room, "%.*s", (int)(strrchr(m->path, '/') - m->path), m->path);
}

void keep(struct model *m)
{
    struct kept *k = &m->kept;

    if (m->hands != &lent)
        return;
    book_free(&k->book);
    names_free(&k->names);
    memcpy(k->lower, m->now.lower, sizeof k->lower);
    memcpy(k->shape, m->now.shape, sizeof k->shape);
    book_copy(&k->book, &m->book);
    names_copy(&k->names, &m->names);
}

static drx_status borrow(struct model *m, drx_status st)
{
    if (!st)
        st = drx_dataset_array(ds, name_in(m), &m->a);
    return st;
}

static drx_status commit(struct model *m)
{
    drx_status st = drx_dataset_commit(ds, NULL);

    return borrow(m, st);
}

static drx_status create(struct model *m, const drx_spec *spec)
{
    char folder[LINE];
    drx_status st;

    lent_folder(m, folder, sizeof folder);
    st = drx_dataset_create(folder, &ds);
    if (!st)
        st = drx_dataset_add(ds, name_in(m), spec, NULL);
    return st ? st : commit(m);
}

static drx_status open_it(struct model *m, int mode)
{
    char folder[LINE];

    lent_folder(m, folder, sizeof folder);
    return borrow(m, drx_dataset_open(folder, mode, DRX_LAST, &ds));
}

static drx_status close_it(struct model *m)
{
    const drx_status st = m->writable ? drx_dataset_commit(ds, NULL) : DRX_OK, closed = drx_dataset_close(ds);

    m->a = NULL;
    if (!st)
        keep(m);
    return st ? st : closed;
}

static drx_status refresh(struct model *m)
{
    return drx_dataset_refresh(ds);
}

static drx_status remove_it(struct model *m, const char *path)
{
    char folder[LINE];

    lent_folder(m, folder, sizeof folder);
    return drx_dataset_delete(folder);
}

static drx_status extend(struct model *m, struct growth g)
{
    const char *const dim = m->names.dim[g.axis];

    return g.by < 0 ? drx_dataset_extend_before(ds, dim, -g.by) : drx_dataset_extend(ds, dim, g.by);
}

static drx_status append(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf)
{
    const drx_status st = extend(m, g);

    return st ? st : drx_write(m->a, slab->lo, slab->count, order, buf);
}

/* Takes effect at once. */
static drx_status trim(struct model *m, int axis, int64_t before, int64_t after)
{
    const drx_status st = drx_dataset_trim(ds, m->names.dim[axis], before, after);

    return st || before + after == 0 ? st : commit(m);
}

static drx_status add_axis(struct model *m, int at, const char *name)
{
    drx_status st = drx_dataset_commit(ds, NULL); /* a transaction of growths adds no axis */

    if (!st)
        st = drx_dataset_add_axis(ds, name_in(m), at, name);
    return st ? st : commit(m);
}

static drx_status sync_it(struct model *m)
{
    const drx_status st = commit(m);

    if (!st)
        keep(m);
    return st;
}

const struct hands lent = { .create = create,
                            .open = open_it,
                            .close = close_it,
                            .refresh = refresh,
                            .remove = remove_it,
                            .extend = extend,
                            .append = append,
                            .trim = trim,
                            .add_axis = add_axis,
                            .attr_set = alone_attr_set,
                            .attr_delete = alone_attr_delete,
                            .sync = sync_it,
                            .write = alone_write,
                            .read = alone_read,
                            .arm = alone_arm,
                            .disarm = alone_disarm,
                            .meet = alone_meet,
                            .move_as = alone_move_as };

/* The bounds and attributes of the last commit come back; elements inside these stay. */
void op_give_up(struct model *m)
{
    struct kept *const k = &m->kept;

    say(m, "give the transaction up");
    EXPECT_OK(m, drx_dataset_abort(ds));
    EXPECT_OK(m, borrow(m, DRX_OK));
    for (int j = 0; j < m->ndim; j++)
        plain_resize(&m->now, j, k->lower[j], k->shape[j], m->fill);
    book_free(&m->book);
    book_copy(&m->book, &k->book);
    names_free(&m->names);
    names_copy(&m->names, &k->names);
    m->residue = true;
    m->run->calls++;
    check_all(m);
}
