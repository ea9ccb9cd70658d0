/* After MPI_Finalize, calls that need MPI give DRX_EMPI, and do not end the job; and before MPI_Init. */
#include "drx_tools.h"
#include <drxmp.h>
#include <drxmp_dataset.h>
#include <stdio.h>

static int wrong;

static void refused(const char *call, drx_status st)
{
    if (st != DRX_EMPI) {
        printf("%s: %d, want %d\n", call, st, DRX_EMPI);
        wrong++;
    }
}

#define REFUSED(call) refused(#call, call)

static const int64_t shape[] = { 8 }, none[] = { 0 }, one[] = { 1 };
static const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape, .flags = DRX_REPLACE };

static void calls_on(drxmp_array *m)
{
    const drx_box box = { .lo = none, .count = one };
    drx_request *request = NULL;
    drxmp_array *other;
    drxmp_darray *d;
    MPI_Info info;
    int32_t x = 0;

    REFUSED(drxmp_refresh(m));
    REFUSED(drxmp_sync(m));
    REFUSED(drxmp_compact(m));
    REFUSED(drxmp_persist(m, 0));
    REFUSED(drxmp_set_info(m, MPI_INFO_NULL));
    REFUSED(drxmp_get_info(m, &info));
    REFUSED(drxmp_extend(m, 0, 1));
    REFUSED(drxmp_trim(m, 0, 1, 0));
    REFUSED(drxmp_append_all(m, 0, 1, (int64_t[]){ 8 }, one, DRX_ROW_MAJOR, &x));
    REFUSED(drxmp_attr_set_text(m, "a", "b"));
    REFUSED(drxmp_add_axis(m, 0, "new"));
    REFUSED(drxmp_read_all(m, none, one, DRX_ROW_MAJOR, &x));
    REFUSED(drxmp_write_all(m, none, one, DRX_ROW_MAJOR, &x));
    REFUSED(drxmp_read_all_as(m, none, one, DRX_ROW_MAJOR, DRX_FLOAT64, DRX_EXACT, &(double){ 0 }));
    if (!drxmp_iread_all(m, &box, &x, &request) && request)
        REFUSED(drx_wait(request));
    request = NULL;
    if (!drxmp_iwrite_all(m, &box, &x, &request) && request)
        REFUSED(drx_wait(request));
    REFUSED(drxmp_copy(m, "copied", NULL, NULL));
    REFUSED(drxmp_copy_into(m, m, NULL));
    REFUSED(drxmp_darray_zones(m, NULL, NULL, DRX_ROW_MAJOR, &d));
    REFUSED(drxmp_create(MPI_COMM_WORLD, "new", &spec, &other));
}

static void calls_on_dataset(drxmp_dataset *ds)
{
    drxmp_dataset *other;
    drxmp_array *m;

    REFUSED(drxmp_dataset_array(ds, "u", &m));
    REFUSED(drxmp_dataset_attr_set_text(ds, DRX_DATASET, NULL, "a", "b"));
    REFUSED(drxmp_dataset_commit(ds, NULL));
    REFUSED(drxmp_dataset_abort(ds));
    REFUSED(drxmp_dataset_refresh(ds));
    REFUSED(drxmp_dataset_open(MPI_COMM_WORLD, "dataset", DRX_RDWR, DRX_LAST, &other));
    REFUSED(drxmp_dataset_close(ds));
}

static void calls_on_darray(drxmp_darray *d, drxmp_array *m)
{
    drx_request *request = NULL;

    REFUSED(drxmp_darray_read(d, m, NULL));
    REFUSED(drxmp_darray_write(d, m, NULL));
    if (!drxmp_darray_iread(d, m, NULL, &request) && request)
        REFUSED(drx_wait(request));
    REFUSED(drxmp_darray_redistribute(d, d));
    REFUSED(drxmp_darray_sync(d));
    REFUSED(drxmp_darray_sync_add(d));
    REFUSED(drxmp_darray_free(d));
}

int main(int c, char **v)
{
    const drx_box box = { .lo = none, .count = one };
    drx_request *request[4];
    drxmp_array *m, *in_memory;
    drxmp_dataset *ds;
    drxmp_darray *d;
    int32_t x[4];

    REFUSED(drxmp_open(MPI_COMM_WORLD, "late", DRX_RDONLY, &m));
    MPI_Init(&c, &v);
    if (drxmp_create(MPI_COMM_WORLD, "late", &spec, &m) || drxmp_create(MPI_COMM_WORLD, NULL, &spec, &in_memory) ||
        drxmp_darray_zones(m, NULL, NULL, DRX_ROW_MAJOR, &d) || drxmp_dataset_create(MPI_COMM_WORLD, "dataset", &ds) ||
        drxmp_iread_all(m, &box, &x[0], &request[0]) || drxmp_iwrite_all(m, &box, &x[1], &request[1]) ||
        drxmp_iread_all(m, &box, &x[2], &request[2]) || drxmp_iread_all(in_memory, &box, &x[3], &request[3])) {
        printf("%s\n", drx_last_error());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    for (int i = 0; i < 4; i++)
        REFUSED(drx_wait(request[i]));
    calls_on(m);
    calls_on(in_memory);
    calls_on_darray(d, m);
    calls_on_dataset(ds);
    REFUSED(drxmp_close(m));
    REFUSED(drxmp_close(in_memory));
    return wrong != 0;
}
