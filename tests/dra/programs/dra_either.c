/* Each call through the interface for C or that for Fortran, where arguments come by reference, axes in reverse order,
 * indices from 1, and the lengths of texts at the end. Both have the same codes. */
#include <string.h>

#include "dra_fortran.h"

bool through_fortran;

/* The number of a type in Fortran, and in C if it has none. */
static Integer type_number(int type)
{
    return type == C_LONG    ? MT_F_INT
           : type == C_FLOAT ? MT_F_REAL
           : type == C_DBL   ? MT_F_DBL
           : type == C_SCPL  ? MT_F_SCPL
           : type == C_DCPL  ? MT_F_DCPL
                             : type;
}

static void reverse(int ndim, const int64_t from[], int add, Integer to[])
{
    for (int j = 0; j < ndim; j++)
        to[ndim - 1 - j] = (Integer)((uint64_t)from[j] + (uint64_t)add); /* bad bounds may be the largest number */
}

int create_disk(const struct model *model, const char *file, int mode, const int64_t hint[], int *d_a)
{
    const int64_t any[MOST_DIMS] = { -1, -1, -1, -1, -1, -1, -1, -1, -1 };
    const int ndim = model->ndim;
    Integer dims[MOST_DIMS], hints[MOST_DIMS], axes = ndim, type = type_number(model->type), its_mode = mode,
                                               handle = 0;
    dra_size_t c_dims[MOST_DIMS], c_hints[MOST_DIMS];
    char name[] = "model  ", path[256] = ""; /* Fortran's have blanks at the end */
    const size_t n = strlen(file);
    int code;

    hint = hint ? hint : any;
    memcpy(path, file, n < sizeof path ? n : 0);
    if (!through_fortran || model->type == C_INT) { /* which Fortran lacks */
        for (int j = 0; j < ndim; j++) {
            c_dims[j] = model->dims[j];
            c_hints[j] = hint[j];
        }
        name[5] = '\0';
        return NDRA_Create(model->type, ndim, c_dims, name, path, mode, c_hints, d_a);
    }
    memset(path + n, ' ', 4);
    reverse(ndim, model->dims, 0, dims);
    reverse(ndim, hint, 0, hints);
    if (ndim == 2 && below(2))
        code =
            (int)dra_create_(&type, &dims[0], &dims[1], name, path, &its_mode, &hints[0], &hints[1], &handle, 7, n + 4);
    else
        code = (int)ndra_create_(&type, &axes, dims, name, path, &its_mode, hints, &handle, 7, n + 4);
    *d_a = (int)handle;
    return code;
}

int call_open(char *file, int mode, int *d_a)
{
    Integer its_mode = mode, handle = 0, code;

    if (!through_fortran)
        return DRA_Open(file, mode, d_a);
    code = dra_open_(file, &its_mode, &handle, strlen(file));
    *d_a = (int)handle;
    return (int)code;
}

/* Fortran's forgets the handle, too. */
int call_end(bool deleting, int d_a)
{
    Integer handle = d_a, code;

    if (!through_fortran)
        return (deleting ? DRA_Delete : DRA_Close)(d_a);
    code = (deleting ? dra_delete_ : dra_close_)(&handle);
    if (code == 0)
        expect((int)handle, 0);
    return (int)code;
}

int call_whole(bool writing, int g_a, int d_a, int *request)
{
    Integer global = g_a, disk = d_a, id = 0, code;

    if (!through_fortran)
        return (writing ? NDRA_Write : NDRA_Read)(g_a, d_a, request);
    if (GA_Ndim(g_a) == 2)
        code = (writing ? dra_write_ : dra_read_)(&global, &disk, &id);
    else
        code = (writing ? ndra_write_ : ndra_read_)(&global, &disk, &id);
    *request = (int)id;
    return (int)code;
}

int call_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk,
              int *request)
{
    Integer glo[MOST_DIMS], ghi[MOST_DIMS], dlo[MOST_DIMS], dhi[MOST_DIMS], g = g_a, d = d_a, id = 0, code;
    logical its_turned = turned;
    int c_glo[MOST_DIMS] = { 0 }, c_ghi[MOST_DIMS] = { 0 };
    dra_size_t c_dlo[MOST_DIMS] = { 0 }, c_dhi[MOST_DIMS] = { 0 };

    if (!through_fortran) {
        for (int j = 0; j < MOST_DIMS; j++) {
            c_glo[j] = (int)global->lo[j];
            c_ghi[j] = (int)global->hi[j];
            c_dlo[j] = disk->lo[j];
            c_dhi[j] = disk->hi[j];
        }
        return (writing ? NDRA_Write_section : NDRA_Read_section)(turned, g_a, c_glo, c_ghi, d_a, c_dlo, c_dhi,
                                                                  request);
    }
    reverse(global->ndim, global->lo, 1, glo);
    reverse(global->ndim, global->hi, 1, ghi);
    reverse(disk->ndim, disk->lo, 1, dlo);
    reverse(disk->ndim, disk->hi, 1, dhi);
    if (disk->ndim == 2)
        code = (writing ? dra_write_section_ : dra_read_section_)(&its_turned, &g, &glo[0], &ghi[0], &glo[1], &ghi[1],
                                                                  &d, &dlo[0], &dhi[0], &dlo[1], &dhi[1], &id);
    else
        code = (writing ? ndra_write_section_ : ndra_read_section_)(&its_turned, &g, glo, ghi, &d, dlo, dhi, &id);
    *request = (int)id;
    return (int)code;
}

int call_wait(int request)
{
    Integer id = request;

    return through_fortran ? (int)dra_wait_(&id) : DRA_Wait(request);
}

int call_probe(int request, int *state)
{
    Integer id = request, its_state = 0, code;

    if (!through_fortran)
        return DRA_Probe(request, state);
    code = dra_probe_(&id, &its_state);
    *state = (int)its_state;
    return (int)code;
}
