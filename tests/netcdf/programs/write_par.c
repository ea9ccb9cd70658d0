/* Ranks that write a file together: what they define, fixed and growing variables, alone and collectively, attributes,
 * and again after it was opened for writing. What each call returns is printed by rank 0, and so is what all have read
 * at the end. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 12, RECORDS = 7 };

static int rank, size;

static void tell(const char *call, int st)
{
    int least, most;

    MPI_Allreduce(&st, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&st, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        (void)printf("%s: %d to %d\n", call, least, most);
}

#define TELL(call) tell(#call, call)

/* This rank's part of NX; perhaps nothing. */
static void part(size_t *start, size_t *count)
{
    *start = NX * (size_t)rank / (size_t)size;
    *count = NX * ((size_t)rank + 1) / (size_t)size - *start;
}

static void write_fixed(int nc, int var)
{
    size_t start[1], count[1];
    int values[NX];

    part(start, count);
    for (size_t i = 0; i < count[0]; i++)
        values[i] = (int)(start[0] + i) * 10;
    TELL(nc_put_vara_int(nc, var, start, count, values));
}

static void write_records(int nc, int var, size_t first, size_t n)
{
    size_t start[2] = { 0, 0 }, count[2] = { 1, 0 };
    double values[NX];

    part(&start[1], &count[1]);
    for (size_t r = first; r < first + n; r++) {
        start[0] = r;
        for (size_t i = 0; i < count[1]; i++)
            values[i] = (double)r + (double)(start[1] + i) / 100;
        TELL(nc_put_vara_double(nc, var, start, count, values));
    }
}

/* Records that boxes cover, that they do not though as many elements are written, and that one or all write. */
static void write_gaps(int nc, int var)
{
    const double values[NX] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const size_t first = (size_t)rank, ranks = (size_t)size;
    size_t start[2] = { 0, 0 }, count[2] = { 1, 0 };
    const ptrdiff_t step[2] = { 1, size };

    write_records(nc, var, 0, 1);
    start[0] = 1;
    count[1] = NX / ranks;
    TELL(nc_put_vara_double(nc, var, start, count, values));
    start[0] = 2;
    count[0] = count[1] = rank == size - 1 ? 1 : 0;
    count[1] *= NX;
    TELL(nc_put_vara_double(nc, var, start, count, values));
    start[0] = 4;
    count[0] = 1;
    count[1] = NX;
    TELL(nc_put_vara_double(nc, var, start, count, values));
    start[0] = 5;
    start[1] = first;
    count[1] = (NX - first + ranks - 1) / ranks;
    TELL(nc_put_vars_double(nc, var, start, count, step, values));
    start[0] = 6 + first; /* each a record of its own */
    start[1] = 0;
    count[1] = NX;
    TELL(nc_put_vara_double(nc, var, start, count, values));
}

struct place {
    short at[2];
    signed char sky;
};

/* Types, a variable and an attribute of them. */
static int define_typed(int nc, int dim)
{
    const struct place first = { { 1, 2 }, 1 };
    nc_type sky, place;
    int var;

    TELL(nc_def_enum(nc, NC_BYTE, "sky", &sky));
    TELL(nc_insert_enum(nc, sky, "clear", "\0"));
    TELL(nc_insert_enum(nc, sky, "cloudy", "\1"));
    TELL(nc_def_compound(nc, sizeof first, "place", &place));
    TELL(nc_insert_array_compound(nc, place, "at", 0, NC_SHORT, 1, (int[]){ 2 }));
    TELL(nc_insert_compound(nc, place, "sky", offsetof(struct place, sky), sky));
    TELL(nc_def_var(nc, "typed", place, 1, &dim, &var));
    TELL(nc_put_att(nc, NC_GLOBAL, "first", place, 1, &first));
    TELL(nc_def_compound(nc, 4, "unused", &place));
    TELL(nc_insert_compound(nc, place, "x", 0, NC_FLOAT));
    return var;
}

static void write_typed(int nc, int var)
{
    struct place places[NX] = { 0 };
    size_t start[1], count[1];

    part(start, count);
    for (size_t i = 0; i < count[0]; i++)
        places[i] = (struct place){ { (short)(start[0] + i), -1 }, i % 2 };
    TELL(nc_put_vara(nc, var, start, count, places));
}

static void read_typed(int nc)
{
    struct place places[NX];
    int var, ntypes;

    TELL(nc_inq_typeids(nc, &ntypes, NULL));
    TELL(nc_inq_varid(nc, "typed", &var));
    TELL(nc_get_var(nc, var, places));
    for (int i = 0; rank == 0 && i < NX; i++)
        (void)printf("%d %d %d of %d types\n", places[i].at[0], places[i].at[1], places[i].sky, ntypes);
}

/* Rank 0 alone has something to write. */
static void write_by_one(int nc, int var)
{
    const size_t start[2] = { RECORDS, 3 }, count[2] = { rank == 0, rank == 0 };
    const float value = 77;

    TELL(nc_put_vara_float(nc, var, start, count, &value));
}

static void read_all(int nc, int var, const char *name)
{
    static float values[2][(RECORDS + 9) * NX];
    size_t n = 1, length;
    int ndim, dims[2], differ;

    nc_inq_varndims(nc, var, &ndim);
    nc_inq_vardimid(nc, var, dims);
    for (int k = 0; k < ndim; k++) {
        nc_inq_dimlen(nc, dims[k], &length);
        n *= length;
    }
    TELL(nc_get_var_float(nc, var, values[0]));
    memcpy(values[1], values[0], sizeof values[0]);
    MPI_Bcast(values[1], (int)n, MPI_FLOAT, 0, MPI_COMM_WORLD);
    differ = memcmp(values[0], values[1], n * sizeof **values) != 0;
    tell(name, differ);
    for (size_t i = 0; rank == 0 && i < n; i++)
        (void)printf("%g%c", (double)values[0][i], i + 1 < n ? ' ' : '\n');
}

int main(int argc, char **argv)
{
    int nc, dims[2], fixed, record, late, scalar, plain, gaps, typed, var;
    const int one = 5;
    double fill = -1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    TELL(nc_create_par(argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    TELL(nc_def_dim(nc, "t", NC_UNLIMITED, &dims[0]));
    TELL(nc_def_dim(nc, "x", NX, &dims[1]));
    TELL(nc_def_var(nc, "fixed", NC_INT, 1, &dims[1], &fixed));
    TELL(nc_def_var(nc, "record", NC_FLOAT, 2, dims, &record));
    TELL(nc_def_var_fill(nc, record, NC_FILL, &(float){ -1 }));
    TELL(nc_def_var(nc, "plain", NC_DOUBLE, 2, dims, &plain)); /* with the default fill */
    TELL(nc_def_dim(nc, "u", NC_UNLIMITED, &dims[0]));
    TELL(nc_def_var(nc, "gaps", NC_DOUBLE, 2, dims, &gaps));
    TELL(nc_inq_dimid(nc, "t", &dims[0]));
    TELL(nc_def_var(nc, "scalar", NC_INT, 0, NULL, &scalar));
    TELL(nc_put_att_text(nc, record, "units", 1, "m"));
    TELL(nc_put_att_double(nc, NC_GLOBAL, "numbers", NC_DOUBLE, 1, &fill));
    typed = define_typed(nc, dims[1]);
    TELL(nc_enddef(nc));
    write_typed(nc, typed);
    write_fixed(nc, fixed);
    TELL(nc_var_par_access(nc, fixed, NC_COLLECTIVE));
    write_fixed(nc, fixed);
    TELL(nc_put_var_int(nc, scalar, &one));
    write_records(nc, record, 0, 1); /* which cannot grow */
    TELL(nc_var_par_access(nc, record, NC_COLLECTIVE));
    TELL(nc_var_par_access(nc, plain, NC_COLLECTIVE));
    write_records(nc, record, 0, RECORDS);
    write_records(nc, plain, 2, 2);
    write_by_one(nc, record);
    TELL(nc_var_par_access(nc, gaps, NC_COLLECTIVE));
    write_gaps(nc, gaps);
    read_all(nc, gaps, "gaps differ");
    TELL(nc_var_par_access(nc, plain, NC_INDEPENDENT));
    write_records(nc, plain, 0, 2);
    TELL(nc_sync(nc));
    TELL(nc_redef(nc));
    TELL(nc_def_var(nc, "late", NC_FLOAT, 2, dims, &late));
    TELL(nc_def_var_deflate(nc, late, 1, 1, 2));
    TELL(nc_enddef(nc));
    write_records(nc, late, 0, 3);
    TELL(nc_close(nc));
    TELL(nc_open_par(argv[1], NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    TELL(nc_inq_varid(nc, "record", &var));
    TELL(nc_var_par_access(nc, var, NC_COLLECTIVE));
    write_records(nc, var, RECORDS + 1, 1);
    TELL(nc_put_att_text(nc, var, "long_name", 4, "name"));
    TELL(nc_close(nc));
    TELL(nc_open_par(argv[1], NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    read_typed(nc);
    for (var = 0; var < 7; var++)
        if (var != typed)
            read_all(nc, var, "differs");
    TELL(nc_close(nc));
    MPI_Finalize();
    return 0;
}
