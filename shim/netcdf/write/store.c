/* Calls that change a dataset: by this process alone, or by all processes that have created or opened the file
 * together. */
#include "write.h"

#include <stdlib.h>
#include <unistd.h>

static drx_status open_array(struct bridge_file *f, struct bridge_variable *v, const drx_spec *spec)
{
#ifdef BRIDGE_MPI
    if (f->together) {
        const drx_status st = spec ? drxmp_dataset_add(f->together, v->path, spec, &v->together)
                                   : drxmp_dataset_array(f->together, v->path, &v->together);

        v->array = drxmp_serial(v->together);
        return st;
    }
#endif
    return spec ? drx_dataset_add(f->ds, v->path, spec, &v->array) : drx_dataset_array(f->ds, v->path, &v->array);
}

drx_status bridge_store_array(struct bridge_file *f, struct bridge_variable *v, const drx_spec *spec)
{
    const drx_status st = open_array(f, v, spec);

    return st == DRX_EIO && bridge_raise_limit() ? open_array(f, v, spec) : st;
}

bool bridge_store_is_exchanged(const struct bridge_variable *v)
{
    drx_spec spec;

    if (!v->together || !v->collective)
        return false;
    drx_describe(v->array, &spec);
    return spec.codec != DRX_RAW || (spec.flags & DRX_CHECKSUM);
}

static bool is_one_element(const drx_array *a, const drx_box *box)
{
    int k = 0;

    while (k < drx_ndim(a) && box->count[k] == 1)
        k++;
    return k == drx_ndim(a);
}

drx_status bridge_store_write(struct bridge_variable *v, const drx_box *box, const void *elements)
{
#ifdef BRIDGE_MPI
    if (bridge_store_is_exchanged(v))
        return drxmp_write_box_all(v->together, box, elements);
#endif
    return !v->together && is_one_element(v->array, box) ? drx_put(v->array, box->lo, elements)
                                                         : drx_write_box(v->array, box, elements);
}

#ifdef BRIDGE_MPI
static drx_status open_together(struct bridge_file *f, const char *path, bool create, const struct bridge_processes *p)
{
    const drx_status st = create ? drxmp_dataset_create(p->comm, path, &f->together)
                                 : drxmp_dataset_open(p->comm, path, DRX_RDWR, DRX_LAST, &f->together);

    f->ds = (drx_dataset *)(uintptr_t)drxmp_dataset_serial(f->together); /* for inquiries alone */
    return st;
}
#endif

drx_status bridge_store_open(struct bridge_file *f, const char *path, bool create, void *parameters)
{
#ifdef BRIDGE_MPI
    if (parameters)
        return open_together(f, path, create, parameters);
#endif
    (void)parameters;
    return create ? drx_dataset_create(path, &f->ds) : drx_dataset_open(path, DRX_RDWR, DRX_LAST, &f->ds);
}

drx_status bridge_store_close(struct bridge_file *f)
{
    drx_status st;

#ifdef BRIDGE_MPI
    if (f->together) {
        st = drxmp_dataset_close(f->together);
        f->together = NULL;
        f->ds = NULL;
        return st;
    }
#endif
    st = drx_dataset_close(f->ds);
    f->ds = NULL;
    return st;
}
