/* Writes a dataset as a netCDF-4 file. */
#include <stdlib.h>
#include <string.h>

#include "datasets.h"
#include "files/paths.h"
#include "formats/export.h"

static int plan_member(struct variables *v, struct part *p, int i, const struct range of[],
                       const struct deflate *deflate)
{
    const char *name = drx_dataset_name(v->ds, i);
    int status;

    v->parts[v->n++] = p;
    p->index = i;
    p->name = legal_name(base_name(name), true);
    p->selection.path = in_folder(v->path, name);
    if (!p->name || !p->selection.path)
        return out_of_memory((int64_t)strlen(name));
    if (strcmp(p->name, base_name(name)) != 0)
        warn("%s: cannot be the name of a variable; the file calls it '%s'", p->selection.path, p->name);
    status = select_member(v->ds, v->path, i, of, &p->array, &p->selection);
    if (status == DONE)
        p->deflate = deflate_for(p->array, deflate, p->selection.path);
    return status;
}

int export_dataset(drx_dataset *ds, const char *path, const char *text, const char *name, const struct deflate *deflate)
{
    const int n = drx_dataset_count(ds);
    struct variables v = { .path = path, .groups = "", .ds = ds };
    struct part *parts = calloc((size_t)n + 1, sizeof *parts);
    struct range *of;
    int status = select_part_of(ds, path, text, &of);

    v.parts = calloc((size_t)n + 1, sizeof *v.parts);
    if (status == DONE && (!parts || !v.parts))
        status = out_of_memory((int64_t)sizeof *parts * n);
    for (int i = 0; status == DONE && i < n; i++)
        if (drx_dataset_ndim(ds, i) < 0)
            warn("%s: variable '%s' is left out: it is null, without elements, and netCDF has no such variables", path,
                 drx_dataset_name(ds, i));
        else
            status = plan_member(&v, &parts[v.n], i, of, deflate);
    v.of = of;
    if (status == DONE)
        status = export_netcdf(&v, name);
    for (int i = 0; i < v.n; i++) {
        free(parts[i].name);
        free(parts[i].selection.path);
    }
    free(of);
    free(parts);
    free(v.parts);
    return status;
}
