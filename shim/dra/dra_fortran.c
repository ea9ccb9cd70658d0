/* The calls of Fortran: integers of 8 bytes by reference, bounds column-major, from 1; the lengths of strings come
 * after the other arguments. */
#pragma GCC visibility push(default)
#include "dra_fortran.h"
#pragma GCC visibility pop

#include <string.h>

#include "disk.h"

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

/* What does not fit is no argument that can be. */
static int narrow(Integer value)
{
    return value < -INT32_MAX || value > INT32_MAX ? INT32_MIN : (int)value;
}

Integer dra_init_(Integer *max_arrays, DoublePrecision *max_array_size, DoublePrecision *total_disk_space,
                  DoublePrecision *max_memory)
{
    return DRA_Init(narrow(*max_arrays), *max_array_size, *total_disk_space, *max_memory);
}

Integer dra_terminate_(void)
{
    return DRA_Terminate();
}

/* ---- arrays ------------------------------------------------------------------------ */

struct strings {
    char name[DISK_NAME_BYTES], path[DISK_PATH_BYTES];
};

static Integer create(const char *call, Integer type, Integer ndim, const Integer dims[], const Integer hint[],
                      Integer mode, struct strings *s, Integer *d_a)
{
    struct disk_create c = {
        .type = narrow(type), .ndim = narrow(ndim), .mode = narrow(mode), .name = s->name, .path = s->path
    };
    int handle = 0, result;

    for (int j = 0; j < c.ndim && c.ndim <= DISK_MAX_NDIM; j++) {
        c.dims[j] = dims[c.ndim - 1 - j];
        c.hint[j] = hint[c.ndim - 1 - j];
    }
    result = disk_result(call, disk_comm(), disk_create(&c, &handle));
    *d_a = handle;
    return result;
}

Integer dra_create_(Integer *type, Integer *dim1, Integer *dim2, char *name, char *filename, Integer *mode,
                    Integer *reqdim1, Integer *reqdim2, Integer *d_a, size_t nlen, size_t flen)
{
    const Integer dims[] = { *dim1, *dim2 }, hint[] = { *reqdim1, *reqdim2 };
    struct strings s;

    to_c(name, nlen, s.name, sizeof s.name);
    to_c(filename, flen, s.path, sizeof s.path);
    return create("dra_create", *type, 2, dims, hint, *mode, &s, d_a);
}

Integer ndra_create_(Integer *type, Integer *ndim, Integer dims[], char *name, char *filename, Integer *mode,
                     Integer reqdims[], Integer *d_a, size_t nlen, size_t flen)
{
    struct strings s;

    to_c(name, nlen, s.name, sizeof s.name);
    to_c(filename, flen, s.path, sizeof s.path);
    return create("ndra_create", *type, *ndim, dims, reqdims, *mode, &s, d_a);
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
    int handle = 0, result;

    to_c(filename, flen, path, sizeof path);
    result = DRA_Open(path, narrow(*mode), &handle);
    *d_a = handle;
    return result;
}

Integer dra_close_(Integer *d_a)
{
    const int handle = narrow(*d_a);

    *d_a = 0;
    return DRA_Close(handle);
}

Integer dra_delete_(Integer *d_a)
{
    const int handle = narrow(*d_a);

    *d_a = 0;
    return DRA_Delete(handle);
}

Integer ndra_extend_(Integer *d_a, Integer *dim, Integer *by)
{
    struct disk_array *a;
    int axis = -1;

    if (!disk_find(narrow(*d_a), &a) && *dim >= 1 && *dim <= a->ndim)
        axis = a->ndim - (int)*dim;
    return disk_result("ndra_extend", disk_comm(), disk_extend(narrow(*d_a), axis, *by));
}

static Integer inquire(const char *call, Integer d_a, Integer *type, char *name, char *filename, size_t nlen,
                       size_t flen, struct disk_array **a)
{
    const drx_status st = disk_find(narrow(d_a), a);

    if (st)
        return disk_own_result(call, st);
    *type = disk_ga_type((*a)->type, true);
    to_fortran((*a)->name, name, nlen);
    to_fortran((*a)->path, filename, flen);
    return 0;
}

Integer dra_inquire_(Integer *d_a, Integer *type, Integer *dim1, Integer *dim2, char *name, char *filename, size_t nlen,
                     size_t flen)
{
    struct disk_array *a;
    const Integer result = inquire("dra_inquire", *d_a, type, name, filename, nlen, flen, &a);

    if (result == 0) {
        *dim1 = a->dims[a->ndim - 1];
        *dim2 = a->ndim > 1 ? a->dims[a->ndim - 2] : 1;
    }
    return result;
}

Integer ndra_inquire_(Integer *d_a, Integer *type, Integer *ndim, Integer dims[], char *name, char *filename,
                      size_t nlen, size_t flen)
{
    struct disk_array *a;
    const Integer result = inquire("ndra_inquire", *d_a, type, name, filename, nlen, flen, &a);

    if (result == 0) {
        *ndim = a->ndim;
        for (int j = 0; j < a->ndim; j++)
            dims[j] = a->dims[a->ndim - 1 - j];
    }
    return result;
}

/* ---- sections ------------------------------------------------------------------------ */

static Integer move(const char *call, const struct disk_section *s, Integer *request)
{
    int id;
    const drx_status st = disk_section(s, &id);

    *request = st ? DRA_REQ_FAILED : id;
    return disk_result(call, disk_comm(), st);
}

static Integer whole(const char *call, bool writing, Integer g_a, Integer d_a, Integer *request)
{
    const struct disk_section s = { .writing = writing, .g_a = narrow(g_a), .d_a = narrow(d_a), .whole = true };

    return move(call, &s, request);
}

static Integer part(const char *call, bool writing, logical transp, Integer g_a, const Integer glo[],
                    const Integer ghi[], Integer d_a, const Integer dlo[], const Integer dhi[], Integer *request)
{
    const struct disk_section s = {
        writing, transp != 0, narrow(g_a), narrow(d_a), false, { glo, ghi, true, true }, { dlo, dhi, true, true }
    };

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
    return part("ndra_write_section", true, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer ndra_read_section_(logical *transp, Integer *g_a, Integer glo[], Integer ghi[], Integer *d_a, Integer dlo[],
                           Integer dhi[], Integer *request)
{
    return part("ndra_read_section", false, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer dra_write_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                           Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request)
{
    const Integer glo[] = { *gilo, *gjlo }, ghi[] = { *gihi, *gjhi }, dlo[] = { *dilo, *djlo },
                  dhi[] = { *dihi, *djhi };

    return part("dra_write_section", true, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer dra_read_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                          Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request)
{
    const Integer glo[] = { *gilo, *gjlo }, ghi[] = { *gihi, *gjhi }, dlo[] = { *dilo, *djlo },
                  dhi[] = { *dihi, *djhi };

    return part("dra_read_section", false, *transp, *g_a, glo, ghi, *d_a, dlo, dhi, request);
}

Integer ndra_copy_(Integer *src, Integer *dst, Integer perm[], Integer *req)
{
    int64_t axes[DISK_MAX_NDIM];
    struct disk_array *a;
    drx_status st;
    int id;

    if (!disk_find(narrow(*dst), &a))
        for (int j = 0; j < a->ndim; j++)
            axes[j] = a->ndim - perm[a->ndim - 1 - j];
    st = disk_copy(narrow(*src), narrow(*dst), axes, &id);
    *req = st ? DRA_REQ_FAILED : id;
    return disk_result("ndra_copy", disk_comm(), st);
}

/* ---- requests, and the rest -------------------------------------------------------------- */

Integer dra_wait_(Integer *request)
{
    return DRA_Wait(narrow(*request));
}

Integer dra_probe_(Integer *request, Integer *status)
{
    int done;
    const Integer result = DRA_Probe(narrow(*request), &done);

    *status = done;
    return result;
}

void dra_flick_(void)
{
    DRA_Flick();
}

void dra_set_debug_(logical *flag)
{
    DRA_Set_debug(*flag);
}

void dra_print_internals_(Integer *d_a)
{
    DRA_Print_internals(narrow(*d_a));
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
