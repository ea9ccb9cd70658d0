/* PnetCDF: one variable of a file of the format CDF-5, whose elements are stored most significant byte first. It grows
 * along its record axis only, if it has one; else the axes are fixed, which is faster. Fortran order is a mapped read
 * or write (varm). */
#include <pnetcdf.h>
#include <stdlib.h>
#include <string.h>

#include "bench_mp.h"

struct variable {
    int file, id;
    bool alone; /* in independent mode */
    int64_t records;
};

static enum outcome told(int status)
{
    return status == NC_NOERR ? DONE : complain("PnetCDF: %s", ncmpi_strerror(status));
}

/* Writing to the last record creates all records before it. */
static int write_last_record(const struct variable *v)
{
    const MPI_Offset start[2] = { v->records - 1, 0 }, count[2] = { bench_rank == 0, bench_rank == 0 };
    const double zero = 0;

    return ncmpi_put_vara_double_all(v->file, v->id, start, count, &zero);
}

static enum outcome create(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                           void **out)
{
    struct variable *v = new_handle(sizeof *v, out);
    int status, axes[2];

    (void)peer;
    if (!v)
        return FAILED;
    v->records = layout->extent[0];
    status = ncmpi_create(MPI_COMM_WORLD, file_of(path, ".nc"), NC_NOCLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &v->file);
    if (!status)
        status = ncmpi_def_dim(v->file, "i", access == GROWTH ? NC_UNLIMITED : layout->extent[0], &axes[0]);
    if (!status)
        status = ncmpi_def_dim(v->file, "j", layout->extent[1], &axes[1]);
    if (!status)
        status = ncmpi_def_var(v->file, "a", NC_DOUBLE, 2, axes, &v->id);
    if (!status)
        status = ncmpi_enddef(v->file);
    if (!status && access == GROWTH)
        status = write_last_record(v);
    return told(status);
}

static enum outcome open_file(const struct peer *peer, const char *path, const struct layout *layout,
                              enum access access, void **out)
{
    struct variable *v = new_handle(sizeof *v, out);
    int status;

    (void)peer, (void)layout;
    if (!v)
        return FAILED;
    v->alone = access == BOXES;
    status = ncmpi_open(MPI_COMM_WORLD, file_of(path, ".nc"), NC_NOWRITE, MPI_INFO_NULL, &v->file);
    if (!status)
        status = ncmpi_inq_varid(v->file, "a", &v->id);
    if (!status && v->alone)
        status = ncmpi_begin_indep_data(v->file);
    return told(status);
}

static enum outcome grow(void *handle, const struct growth *growth)
{
    struct variable *v = handle;

    if (growth->axis)
        return complain("PnetCDF: axis %d cannot grow", growth->axis);
    v->records = growth->layout.extent[0];
    return told(write_last_record(v));
}

static enum outcome flush(void *handle)
{
    const struct variable *v = handle;

    return told(ncmpi_sync_numrecs(v->file));
}

static enum outcome move(void *handle, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    const MPI_Offset start[2] = { lo[0], lo[1] }, n[2] = { count[0], count[1] };
    const struct variable *v = handle;

    return told(writing ? ncmpi_put_vara_double_all(v->file, v->id, start, n, elements)
                        : ncmpi_get_vara_double_all(v->file, v->id, start, n, elements));
}

static enum outcome move_fortran(void *handle, bool writing, const int64_t lo[], const int64_t count[],
                                 double *elements)
{
    const MPI_Offset start[2] = { lo[0], lo[1] }, n[2] = { count[0], count[1] };
    const MPI_Offset distance[2] = { 1, count[0] }; /* in memory, of neighbours along each axis */
    const struct variable *v = handle;

    return told(writing ? ncmpi_put_varm_double_all(v->file, v->id, start, n, NULL, distance, elements)
                        : ncmpi_get_varm_double_all(v->file, v->id, start, n, NULL, distance, elements));
}

static enum outcome read_alone(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    const MPI_Offset start[2] = { lo[0], lo[1] }, n[2] = { count[0], count[1] };
    const struct variable *v = handle;

    return told(ncmpi_get_vara_double(v->file, v->id, start, n, out));
}

static enum outcome close_file(void *handle)
{
    struct variable *v = handle;
    int status = v->alone ? ncmpi_end_indep_data(v->file) : NC_NOERR;
    const int closed = ncmpi_close(v->file);

    free(v);
    return told(status ? status : closed);
}

static enum outcome version(void)
{
    const char *version = ncmpi_inq_libvers();

    answer_text("PnetCDF", "%.*s", (int)strcspn(version, " "), version);
    return DONE;
}

static const char *const suffixes[] = { ".nc", NULL };

const struct peer mp_pnetcdf = {
    .name = "pnetcdf",
    .files = "pnetcdf",
    .suffixes = suffixes,
    .create = create,
    .open = open_file,
    .grow = grow,
    .flush = flush,
    .move = move,
    .move_fortran = move_fortran,
    .read = read_alone,
    .close = close_file,
    .version = version,
};
