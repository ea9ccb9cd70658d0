/* The calls for Fortran. Integers have 8 bytes and come by reference, bounds are column-major and count from 1, and the
 * lengths of strings follow the other arguments. */
#include <string.h>

#include "disk.h"
#include "drx_dra.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* programs include dra.fh */
#pragma GCC visibility push(default)

static void to_c(const char *text, size_t n, char *out, size_t room)
{
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (n > room - 1)
        n = room - 1;
    memcpy(out, text, n);
    out[n] = '\0';
}

static void to_fortran(const char *text, char *out, size_t n)
{
    const size_t length = strlen(text);

    memset(out, ' ', n);
    memcpy(out, text, length < n ? length : n);
}

Integer dra_init_(Integer *max_arrays, DoublePrecision *max_array_size, DoublePrecision *total_disk_space,
                  DoublePrecision *max_memory)
{
    (void)max_array_size;
    (void)total_disk_space;
    GA_Sync();
    return disk_result("dra_init", drxgai_agree(disk_comm(), disk_init(drxgai_narrow(*max_arrays), *max_memory), NULL));
}

Integer dra_terminate_(void)
{
    return disk_result("dra_terminate", drxgai_agree(disk_comm(), disk_terminate(), NULL));
}

static Integer create(const char *call, Integer type, Integer ndim, const Integer dims[], const Integer hint[],
                      Integer mode, const char *name, size_t nlen, const char *filename, size_t flen, Integer *d_a)
{
    char its_name[DISK_NAME_BYTES], path[DISK_PATH_BYTES];
    struct disk_create c = { .type = drxgai_narrow(type),
                             .ndim = drxgai_narrow(ndim),
                             .mode = drxgai_narrow(mode),
                             .fortran = true,
                             .name = its_name,
                             .path = path };
    drx_status st;
    int handle = 0;

    to_c(name, nlen, its_name, sizeof its_name);
    to_c(filename, flen, path, sizeof path);
    for (int j = 0; j < c.ndim && c.ndim <= DISK_MAX_NDIM; j++) {
        c.dims[j] = dims[c.ndim - 1 - j];
        c.hint[j] = hint[c.ndim - 1 - j];
    }
    st = disk_create(&c, &handle);
    *d_a = handle;
    return disk_result(call, st);
}

Integer dra_create_(Integer *type, Integer *dim1, Integer *dim2, char *name, char *filename, Integer *mode,
                    Integer *reqdim1, Integer *reqdim2, Integer *d_a, size_t nlen, size_t flen)
{
    const Integer dims[] = { *dim1, *dim2 }, hint[] = { *reqdim1, *reqdim2 };

    return create("dra_create", *type, 2, dims, hint, *mode, name, nlen, filename, flen, d_a);
}

Integer ndra_create_(Integer *type, Integer *ndim, Integer dims[], char *name, char *filename, Integer *mode,
                     Integer reqdims[], Integer *d_a, size_t nlen, size_t flen)
{
    return create("ndra_create", *type, *ndim, dims, reqdims, *mode, name, nlen, filename, flen, d_a);
}

Integer ndra_create_config_(Integer *type, Integer *ndim, Integer dims[], char *name, char *filename, Integer *mode,
                            Integer reqdims[], Integer *numfiles, Integer *numioprocs, Integer *d_a, size_t nlen,
                            size_t flen)
{
    (void)numfiles;
    (void)numioprocs;
    return ndra_create_(type, ndim, dims, name, filename, mode, reqdims, d_a, nlen, flen);
}

Integer dra_open_(char *filename, Integer *mode, Integer *d_a, size_t flen)
{
    char path[DISK_PATH_BYTES];
    int handle = 0;
    drx_status st;

    to_c(filename, flen, path, sizeof path);
    st = disk_open(path, drxgai_narrow(*mode), &handle);
    *d_a = handle;
    return st == DRX_ENOENT ? -1 : disk_result("dra_open", st);
}

Integer dra_close_(Integer *d_a)
{
    const int handle = drxgai_narrow(*d_a);

    *d_a = 0;
    return disk_result("dra_close", disk_close(handle));
}

Integer dra_delete_(Integer *d_a)
{
    const int handle = drxgai_narrow(*d_a);

    *d_a = 0;
    return disk_result("dra_delete", disk_delete(handle));
}

Integer ndra_extend_(Integer *d_a, Integer *dim, Integer *by)
{
    return disk_result("ndra_extend", disk_extend(drxgai_narrow(*d_a), *dim, *by, true));
}

/* ndim: the dimensions that the call is for; 0: any. */
static Integer inquire(const char *call, Integer d_a, int ndim, Integer *type, Integer dims[], char *name,
                       char *filename, size_t nlen, size_t flen)
{
    struct disk_array *a;
    drx_status st = disk_find(drxgai_narrow(d_a), &a);

    if (!st && ndim && ndim != a->ndim)
        st = shim_fail(DRX_EMISMATCH, "%s has %d dimensions, the call is for %d", a->path, a->ndim, ndim);
    if (st)
        return disk_own_result(call, st);
    *type = drxgai_type_number(a->type, true);
    for (int j = 0; j < a->ndim; j++)
        dims[j] = a->dims[a->ndim - 1 - j];
    to_fortran(a->name, name, nlen);
    to_fortran(a->path, filename, flen);
    return 0;
}

Integer dra_inquire_(Integer *d_a, Integer *type, Integer *dim1, Integer *dim2, char *name, char *filename, size_t nlen,
                     size_t flen)
{
    Integer dims[2] = { *dim1, *dim2 };
    const Integer code = inquire("dra_inquire", *d_a, 2, type, dims, name, filename, nlen, flen);

    *dim1 = dims[0];
    *dim2 = dims[1];
    return code;
}

Integer ndra_inquire_(Integer *d_a, Integer *type, Integer *ndim, Integer dims[], char *name, char *filename,
                      size_t nlen, size_t flen)
{
    struct disk_array *a;
    const Integer code = inquire("ndra_inquire", *d_a, 0, type, dims, name, filename, nlen, flen);

    if (code == 0 && !disk_find(drxgai_narrow(*d_a), &a))
        *ndim = a->ndim;
    return code;
}

static Integer move(const char *call, const struct disk_section *s, Integer *request)
{
    int id;
    const drx_status st = disk_section(s, &id);

    *request = id;
    return disk_result(call, st);
}

static Integer whole(const char *call, bool writing, Integer g_a, Integer d_a, Integer *request)
{
    const struct disk_section s = {
        .writing = writing, .g_a = drxgai_narrow(g_a), .d_a = drxgai_narrow(d_a), .whole = true, .fortran = true
    };

    return move(call, &s, request);
}

/* ndim: dimensions of the bounds; 0: as many as the arrays have. */
static Integer part(const char *call, bool writing, int ndim, logical transp, Integer g_a, const Integer glo[],
                    const Integer ghi[], Integer d_a, const Integer dlo[], const Integer dhi[], Integer *request)
{
    const struct disk_section s = { .writing = writing,
                                    .transposed = transp != 0,
                                    .g_a = drxgai_narrow(g_a),
                                    .d_a = drxgai_narrow(d_a),
                                    .fortran = true,
                                    .ndim = ndim,
                                    .memory = { glo, ghi, true },
                                    .disk = { dlo, dhi, true } };

    return move(call, &s, request);
}

Integer ndra_write_(Integer *g_a, Integer *d_a, Integer *request)
{
    return whole("ndra_write", true, *g_a, *d_a, request);
}

Integer ndra_read_(Integer *g_a, Integer *d_a, Integer *request)
{
    return whole("ndra_read", false, *g_a, *d_a, request);
}

Integer dra_write_(Integer *g_a, Integer *d_a, Integer *request)
{
    return whole("dra_write", true, *g_a, *d_a, request);
}

Integer dra_read_(Integer *g_a, Integer *d_a, Integer *request)
{
    return whole("dra_read", false, *g_a, *d_a, request);
}

Integer ndra_write_section_(logical *transp, Integer *g_a, Integer glo[], Integer ghi[], Integer *d_a, Integer dlo[],
                            Integer dhi[], Integer *request)
{
    return part("ndra_write_section", true, 0, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer ndra_read_section_(logical *transp, Integer *g_a, Integer glo[], Integer ghi[], Integer *d_a, Integer dlo[],
                           Integer dhi[], Integer *request)
{
    return part("ndra_read_section", false, 0, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer dra_write_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                           Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request)
{
    const Integer glo[] = { *gilo, *gjlo }, ghi[] = { *gihi, *gjhi }, dlo[] = { *dilo, *djlo },
                  dhi[] = { *dihi, *djhi };

    return part("dra_write_section", true, 2, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer dra_read_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                          Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request)
{
    const Integer glo[] = { *gilo, *gjlo }, ghi[] = { *gihi, *gjhi }, dlo[] = { *dilo, *djlo },
                  dhi[] = { *dihi, *djhi };

    return part("dra_read_section", false, 2, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer ndra_copy_(Integer *src, Integer *dst, Integer perm[], Integer *req)
{
    int id;
    const drx_status st = disk_copy(drxgai_narrow(*src), drxgai_narrow(*dst), perm, true, &id);

    *req = id;
    return disk_result("ndra_copy", st);
}

Integer dra_wait_(Integer *request)
{
    return disk_result("dra_wait", disk_wait(drxgai_narrow(*request)));
}

Integer dra_probe_(Integer *request, Integer *status)
{
    int done;
    const drx_status st = disk_probe(drxgai_narrow(*request), &done);

    *status = done ? ELIO_DONE : 0;
    return disk_result("dra_probe", st);
}

void dra_flick_(void)
{
    disk_flick();
}

void dra_set_debug_(logical *flag)
{
    disk_settings.debug = *flag != 0;
}

void dra_print_internals_(Integer *d_a)
{
    disk_print(drxgai_narrow(*d_a));
}

void dra_set_default_config_(Integer *numfiles, Integer *numioprocs)
{
    (void)numfiles;
    (void)numioprocs;
}

void dra_set_mode_(Integer *mode)
{
    (void)mode;
}
#pragma GCC visibility pop
