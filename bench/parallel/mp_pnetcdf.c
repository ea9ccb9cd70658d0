/* PnetCDF: one variable of a file of the format CDF-5, whose elements are stored most significant byte first. It grows
 * along its record axis only, if it has one; else the axes are fixed, which is faster. Fortran order is a mapped read
 * or write (varm). */
#include <pnetcdf.h>
#include <stdio.h>
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

static struct variable *new_variable(const char *path, const struct layout *layout, char file[PATH_BYTES + 8])
{
    struct variable *v = calloc(1, sizeof *v);

    snprintf(file, PATH_BYTES + 8, "%s.nc", path);
    if (v)
        v->records = layout->extent[0];
    else
        (void)complain("no memory");
    return v;
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
    char file[PATH_BYTES + 8];
    struct variable *v = new_variable(path, layout, file);
    int status, axes[2];

    (void)peer;
    *out = v;
    if (!v)
        return FAILED;
    status = ncmpi_create(MPI_COMM_WORLD, file, NC_NOCLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &v->file);
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
    char file[PATH_BYTES + 8];
    struct variable *v = new_variable(path, layout, file);
    int status;

    (void)peer;
    *out = v;
    if (!v)
        return FAILED;
    v->alone = access == BOXES;
    status = ncmpi_open(MPI_COMM_WORLD, file, NC_NOWRITE, MPI_INFO_NULL, &v->file);
    if (!status)
        status = ncmpi_inq_varid(v->file, "a", &v->id);
    if (!status && v->alone)
        status = ncmpi_begin_indep_data(v->file);
    return told(status);
}

static enum outcome grow(void *handle, int axis, int64_t by, const double *slab)
{
    struct variable *v = handle;

    (void)slab;
    if (axis != 0)
        return complain("PnetCDF: axis %d cannot grow", axis);
    v->records += by;
    return told(write_last_record(v));
}

static enum outcome flush(void *handle)
{
    const struct variable *v = handle;

    return told(ncmpi_sync_numrecs(v->file));
}

static int move_c(const struct variable *v, bool writing, const MPI_Offset start[2], const MPI_Offset count[2],
                  double *elements)
{
    return writing ? ncmpi_put_vara_double_all(v->file, v->id, start, count, elements)
                   : ncmpi_get_vara_double_all(v->file, v->id, start, count, elements);
}

static int move_mapped(const struct variable *v, bool writing, const MPI_Offset start[2], const MPI_Offset count[2],
                       double *elements)
{
    const MPI_Offset distance[2] = { 1, count[0] }; /* in memory, of neighbours along each axis */

    return writing ? ncmpi_put_varm_double_all(v->file, v->id, start, count, NULL, distance, elements)
                   : ncmpi_get_varm_double_all(v->file, v->id, start, count, NULL, distance, elements);
}

static enum outcome move(void *handle, bool writing, const struct part *part, double *elements)
{
    const MPI_Offset start[2] = { part->lo[0], part->lo[1] }, count[2] = { part->count[0], part->count[1] };

    return told((part->fortran ? move_mapped : move_c)(handle, writing, start, count, elements));
}

static enum outcome read_box(void *handle, const int64_t lo[], const int64_t count[], double *out)
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
    .read = read_box,
    .close = close_file,
    .version = version,
};
