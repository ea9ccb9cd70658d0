/* Gives netCDF-C the tables, and stands before its nc_open, since netCDF-C 4.9 cannot open a folder by its name.
 *
 * The functions below have the names of netCDF-C's. A program that is linked with this library first, or has it
 * preloaded, calls them; in others, such as Python, got.c puts them into the tables of calls of the libraries that
 * call netCDF-C. A process may hold several netCDF libraries, such as one inside a Python wheel: the format is
 * registered with the first one, and a call from elsewhere goes on to the library that it was for. No netCDF is ever
 * loaded. */
#include <dlfcn.h>
#include <limits.h>
#include <string.h>

#include "bridge.h"
#include "drx_netcdf.h"
#include "got.h"
#include "write/write.h"

#include <netcdf_filter.h> /* which needs netcdf.h before it */

#ifdef BRIDGE_MPI
#include <mpi.h>
#endif

#define CALL __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0) /* of the function in which this stands */

/* A function by its address, as dlsym gives it. */
union function {
    void *address;
    int (*define)(int mode, NC_Dispatch *table, char *magic);
    int (*inquire)(int mode, NC_Dispatch **table, char *magic);
    int (*open)(const char *path, int mode, int *ncid);
    int (*open_tuned)(const char *path, int mode, size_t *hint, int *ncid);
    int (*set_format)(int format, int *old);
    int (*reclaim)(int ncid, nc_type type, void *elements, size_t n);
    int (*copy)(int ncid, nc_type type, const void *elements, size_t n, void *to);
    int (*define_filter)(int ncid, int varid, unsigned id, size_t n, const unsigned *params);
    int (*create_tuned)(const char *path, int mode, size_t bytes, size_t *hint, int *ncid);
    int (*set_chunk)(int ncid, int varid, int storage, int *chunk);
    int (*get_chunk)(int ncid, int varid, int *storage, int *chunk);
    int (*set_cache)(int ncid, int varid, int size, int nelems, int preemption);
    int (*get_cache)(int ncid, int varid, int *size, int *nelems, int *preemption);
#ifdef BRIDGE_MPI
    int (*open_together)(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid);
#endif
};

static int open_file(const char *path, int mode, int *ncid);
static int create_file(const char *path, int mode, int *ncid);
static const union function own_open = { .open = open_file }, own_create = { .open = create_file };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *registered; /* where nc_open is in the netCDF library that has the tables */

static void *look_up(void *library, const char *name)
{
    return dlsym(library, name);
}

/* What a library that is loaded has of that name, or what it was linked with has; NULL: nothing. */
static void *find_in(const char *library, const char *name)
{
    void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD), *found = loaded ? dlsym(loaded, name) : NULL;

    if (loaded)
        (void)dlclose(loaded);
    return found;
}

static bool is_free(union function inq, int mode, const NC_Dispatch *own)
{
    NC_Dispatch *present = NULL;

    return inq.address && inq.inquire(mode, &present, NULL) == NC_NOERR && (!present || present == own);
}

/* The files of datasets begin with the first magic number, those of arrays with the second one. */
static int give_tables(void *library)
{
    const union function define = { dlsym(library, "nc_def_user_format") },
                         inq = { dlsym(library, "nc_inq_user_format") };
    static char magic[2][9] = { "\x89"
                                "DRS\r\n\x1a\n",
                                "\x89"
                                "DRX\r\n\x1a\n" };
    static const int modes[2] = { NC_UDF0, NC_UDF1 };
    int st = define.address ? NC_NOERR : NC_ENOTBUILT;

    if (st)
        return st;
    bridge_find_names(look_up, library);
    for (int i = 0; !st && i < 2; i++)
        if (is_free(inq, modes[i], &bridge_tables[i]))
            st = define.define(modes[i], &bridge_tables[i], magic[i]);
    return is_free(inq, NC_UDF0, &bridge_tables[0]) ? st : NC_EINVAL;
}

/* Register with the library that has this nc_open, unless another one has the tables. */
static int register_with(void *open)
{
    Dl_info where;
    void *library;
    int st = NC_NOERR;

    (void)pthread_mutex_lock(&lock);
    if (!registered) {
        library = open && dladdr(open, &where) ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (!library) /* it is part of the program */
            library = open ? dlopen(NULL, RTLD_LAZY) : NULL;
        st = library ? give_tables(library) : NC_ENOTBUILT;
        if (!st)
            registered = open;
        if (library && st)
            (void)dlclose(library);
    }
    (void)pthread_mutex_unlock(&lock);
    return st;
}

static bool has_tables(const void *open)
{
    bool has;

    (void)pthread_mutex_lock(&lock);
    has = open && open == registered;
    (void)pthread_mutex_unlock(&lock);
    return has;
}

/* Does the function belong to this library, or to the other one of DRX for netCDF? */
static bool is_ours(const void *function)
{
    Dl_info where, with_mark;
    const void *mark = dladdr(function, &where) ? find_in(where.dli_fname, "drx_netcdf_register") : NULL;

    return mark && dladdr(mark, &with_mark) && with_mark.dli_fbase == where.dli_fbase;
}

/* The function of that name of netCDF-C for a call from `caller`: of the library that the caller was linked with, or
 * the next one, or the system's. NULL: there is none. */
static void *next_of(const char *name, void *caller)
{
    void *found = NULL;
    Dl_info where;

    if (caller && dladdr(caller, &where))
        found = find_in(where.dli_fname, name);
    if (!found || is_ours(found))
        found = dlsym(RTLD_NEXT, name);
    if (!found || is_ours(found))
        found = find_in(BRIDGE_NETCDF, name);
    return found && !is_ours(found) ? found : NULL;
}

/* The mode for a path: that of the tables where it names an array or a dataset, if the caller's library has them. */
static int mode_of(const char *path, int mode, void *caller)
{
    void *open = next_of("nc_open", caller);

    (void)register_with(open);
    return path && has_tables(open) && bridge_names(path) ? mode | NC_UDF0 : mode;
}

static int open_file(const char *path, int mode, int *ncid)
{
    const union function next = { next_of("nc_open", CALLER) };

    return next.address ? next.open(path, mode_of(path, mode, CALLER), ncid) : NC_ENOTBUILT;
}

static int open_tuned(const char *path, int mode, size_t *hint, int *ncid)
{
    const union function next = { next_of("nc__open", CALLER) };

    return next.address ? next.open_tuned(path, mode_of(path, mode, CALLER), hint, ncid) : NC_ENOTBUILT;
}

/* Is it a classic format that a program asks for, by the mode or by nc_set_default_format? */
static bool is_classic(int mode, void *caller)
{
    const union function set = { next_of("nc_set_default_format", caller) };
    int format = NC_FORMAT_CLASSIC, unused;

    if (mode & (NC_NETCDF4 | NC_64BIT_OFFSET | NC_64BIT_DATA))
        return (mode & NC_64BIT_OFFSET) != 0;
    if (set.address && set.set_format(NC_FORMAT_CLASSIC, &format) == NC_NOERR)
        (void)set.set_format(format, &unused);
    return format != NC_FORMAT_NETCDF4 && format != NC_FORMAT_64BIT_DATA;
}

/* That of a file to be created. Classic formats have rules of their own. */
static int mode_of_new(const char *path, int mode, void *caller)
{
    void *open = next_of("nc_open", caller);

    (void)register_with(open);
    if (!path || !has_tables(open) || !bridge_names_new(path) || (mode & (NC_DISKLESS | NC_INMEMORY | NC_MMAP)))
        return mode;
    if (is_classic(mode, caller))
        mode |= NC_CLASSIC_MODEL;
    return (mode & ~(NC_64BIT_OFFSET | NC_64BIT_DATA)) | NC_NETCDF4 | NC_UDF0;
}

static int create_file(const char *path, int mode, int *ncid)
{
    const union function next = { next_of("nc_create", CALLER) };

    return next.address ? next.open(path, mode_of_new(path, mode, CALLER), ncid) : NC_ENOTBUILT;
}

static int create_tuned(const char *path, int mode, size_t bytes, size_t *hint, int *ncid)
{
    const union function next = { next_of("nc__create", CALLER) };

    return next.address ? next.create_tuned(path, mode_of_new(path, mode, CALLER), bytes, hint, ncid) : NC_ENOTBUILT;
}

#ifdef BRIDGE_MPI
static int create_together(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid)
{
    const union function next = { next_of("nc_create_par", CALLER) };

    return next.address ? next.open_together(path, mode_of_new(path, mode, CALLER), comm, info, ncid) : NC_ENOTBUILT;
}

static int open_together(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid)
{
    const union function next = { next_of("nc_open_par", CALLER) };

    return next.address ? next.open_together(path, mode_of(path, mode, CALLER), comm, info, ncid) : NC_ENOTBUILT;
}

CALL int nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid)
    __attribute__((alias("open_together")));
CALL int nc_create_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncid)
    __attribute__((alias("create_together")));
#endif

/* ---- what netCDF-Fortran calls, by a header that is not installed ---- */

CALL int nc_def_var_chunking_ints(int ncid, int varid, int storage, int *chunk);
CALL int nc_inq_var_chunking_ints(int ncid, int varid, int *storage, int *chunk);
CALL int nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption);
CALL int nc_get_var_chunk_cache_ints(int ncid, int varid, int *size, int *nelems, int *preemption);

/* The functions for its integers ask no table: they take each file for one of HDF5, and die of others. */
static bool is_shown_by_table(int ncid, void *caller)
{
    return bridge_group(ncid) && has_tables(next_of("nc_open", caller));
}

CALL int nc_def_var_chunking_ints(int ncid, int varid, int storage, int *chunk)
{
    const union function next = { next_of("nc_def_var_chunking_ints", CALLER) };
    size_t sizes[DRX_MAX_NDIM + 1] = { 0 };
    struct bridge_variable *v;
    struct bridge_file *f;
    int st;

    if (!is_shown_by_table(ncid, CALLER))
        return next.address ? next.set_chunk(ncid, varid, storage, chunk) : NC_ENOTBUILT;
    v = bridge_variable_of(ncid, varid, &f, &st);
    for (int k = 0; v && chunk && k < v->ndim; k++)
        sizes[k] = (size_t)chunk[k]; /* a negative one is too large */
    return v ? bridge_tables[0].def_var_chunking(ncid, varid, storage, chunk ? sizes : NULL) : st;
}

CALL int nc_inq_var_chunking_ints(int ncid, int varid, int *storage, int *chunk)
{
    const union function next = { next_of("nc_inq_var_chunking_ints", CALLER) };
    size_t sizes[DRX_MAX_NDIM + 1];
    int st, ndim, own;

    if (!is_shown_by_table(ncid, CALLER))
        return next.address ? next.get_chunk(ncid, varid, storage, chunk) : NC_ENOTBUILT;
    st = bridge_inq_var_all(ncid, varid, NULL, NULL, &ndim, NULL, NULL, NULL, NULL, NULL, NULL, &own, sizes, NULL, NULL,
                            NULL, NULL, NULL, NULL);
    if (!st && storage)
        *storage = own;
    for (int k = 0; !st && chunk && own == NC_CHUNKED && k < ndim; k++)
        chunk[k] = sizes[k] > INT_MAX ? INT_MAX : (int)sizes[k];
    return st;
}

CALL int nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption)
{
    const union function next = { next_of("nc_set_var_chunk_cache_ints", CALLER) };

    if (is_shown_by_table(ncid, CALLER))
        return bridge_tables[0].set_var_chunk_cache(ncid, varid, 0, 0, 0);
    return next.address ? next.set_cache(ncid, varid, size, nelems, preemption) : NC_ENOTBUILT;
}

CALL int nc_get_var_chunk_cache_ints(int ncid, int varid, int *size, int *nelems, int *preemption)
{
    const union function next = { next_of("nc_get_var_chunk_cache_ints", CALLER) };

    if (!is_shown_by_table(ncid, CALLER))
        return next.address ? next.get_cache(ncid, varid, size, nelems, preemption) : NC_ENOTBUILT;
    for (int k = 0; k < 3; k++)
        if ((int *[]){ size, nelems, preemption }[k])
            *(int *[]){ size, nelems, preemption }[k] = 0;
    return NC_NOERR;
}

/* ---- user-defined types ----
 * netCDF-C looks for them where only netCDF-4 files have them. Elements in memory have no memory of their own. */

static int reclaim(int ncid, nc_type type, void *elements, size_t n)
{
    const union function next = { next_of("nc_reclaim_data", CALLER) };

    if (type >= NC_FIRSTUSERTYPEID && is_shown_by_table(ncid, CALLER))
        return NC_NOERR;
    return next.address ? next.reclaim(ncid, type, elements, n) : NC_ENOTBUILT;
}

static int copy(int ncid, nc_type type, const void *elements, size_t n, void *to)
{
    const union function next = { next_of("nc_copy_data", CALLER) };

    if (type < NC_FIRSTUSERTYPEID || !is_shown_by_table(ncid, CALLER))
        return next.address ? next.copy(ncid, type, elements, n, to) : NC_ENOTBUILT;
    memcpy(to, elements, n * bridge_type_bytes(bridge_group(ncid)->file, type));
    return NC_NOERR;
}

static int define_filter(int ncid, int varid, unsigned id, size_t n, const unsigned *params)
{
    const union function next = { next_of("nc_def_var_filter", CALLER) };

    if (is_shown_by_table(ncid, CALLER))
        return bridge_tables[0].def_var_filter(ncid, varid, id, n, params);
    return next.address ? next.define_filter(ncid, varid, id, n, params) : NC_ENOTBUILT;
}

CALL int nc_def_var_filter(int ncid, int varid, unsigned id, size_t n, const unsigned *params)
    __attribute__((alias("define_filter")));
CALL int nc_reclaim_data(int ncid, nc_type type, void *elements, size_t n) __attribute__((alias("reclaim")));
CALL int nc_copy_data(int ncid, nc_type type, const void *elements, size_t n, void *to) __attribute__((alias("copy")));

/* netCDF-C calls them itself, too. */
static void hook_types(void *open)
{
    static const union function own[] = { { .reclaim = reclaim },
                                          { .copy = copy },
                                          { .define_filter = define_filter } };
    static const char *const names[] = { "nc_reclaim_data", "nc_copy_data", "nc_def_var_filter" };

    for (int i = 0; i < 6; i++)
        bridge_hook(i < 3 ? NULL : "/libnetcdf", names[i % 3], next_of(names[i % 3], open), own[i % 3].address);
}

/* By other names within, since a reference to nc_open may be bound to that of netCDF-C. */
CALL int nc_open(const char *path, int mode, int *ncid) __attribute__((alias("open_file")));
CALL int nc__open(const char *path, int mode, size_t *hint, int *ncid) __attribute__((alias("open_tuned")));
CALL int nc_create(const char *path, int mode, int *ncid) __attribute__((alias("create_file")));
CALL int nc__create(const char *path, int mode, size_t bytes, size_t *hint, int *ncid)
    __attribute__((alias("create_tuned")));

/* With the library of the process, where there is one. *open: its nc_open. */
static int register_present(void **open)
{
    int st;

    *open = find_in(BRIDGE_NETCDF, "nc_open");
    if (!*open)
        *open = next_of("nc_open", NULL);
    st = register_with(*open);
    if (!st)
        bridge_hook_looks();
    if (!st && has_tables(*open))
        hook_types(*open);
    return st;
}

CALL int drx_netcdf_register(void)
{
    void *open;
    const int st = register_present(&open);

    if (!st && has_tables(open)) {
        bridge_hook(NULL, "nc_open", open, own_open.address);
        bridge_hook(NULL, "nc_create", next_of("nc_create", open), own_create.address);
    }
    return st;
}

CALL int drx_netcdf_show(drx_dataset *ds, int n, drx_array *const arrays[], const char *const names[], int *ncid)
{
    const struct bridge_shown shown = { ds, n, arrays, names };
    int st = drx_netcdf_register();

    bridge_quiet = true;
    if (!st) {
        bridge_shown = &shown;
        st = ((union function){ registered }).open("#mode=udf0", NC_UDF0, ncid);
        bridge_shown = NULL;
    }
    return st;
}

__attribute__((constructor)) static void begin(void)
{
    void *open;

    (void)register_present(&open);
}
