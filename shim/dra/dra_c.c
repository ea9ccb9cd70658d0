/* The calls for C: row-major bounds that count from 0. */
#pragma GCC visibility push(default)
#include "drx_dra.h"

int DRA_Terminate(void); /* dra.h declares it without a prototype */
void DRA_Flick(void);
#pragma GCC visibility pop

#include <stdio.h>
#include <string.h>

#include "disk.h"

enum { PROGRAMS_NAME_BYTES = 80, PROGRAMS_PATH_BYTES = 200 }; /* the room that programs have */

int DRA_uses_fapi(void)
{
    return 0;
}

int DRA_Init(int max_arrays, double max_array_size, double total_disk_space, double max_memory)
{
    (void)max_array_size;
    (void)total_disk_space;
    GA_Sync();
    return disk_result("DRA_Init", drxgai_agree(disk_comm(), disk_init(max_arrays, max_memory), NULL));
}

int DRA_Terminate(void)
{
    const MPI_Comm comm = disk_comm();

    return disk_result("DRA_Terminate", drxgai_agree(comm, disk_terminate(), NULL));
}

int NDRA_Create(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode, dra_size_t reqdims[],
                int *d_a)
{
    struct disk_create c = { .type = type, .ndim = ndim, .mode = mode, .name = name, .path = filename };

    for (int j = 0; j < ndim && ndim <= DISK_MAX_NDIM; j++) {
        c.dims[j] = dims[j];
        c.hint[j] = reqdims[j];
    }
    return disk_result("NDRA_Create", disk_create(&c, d_a));
}

int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                       dra_size_t reqdims[], int numfiles, int ioprocs, int *d_a)
{
    (void)numfiles;
    (void)ioprocs;
    return NDRA_Create(type, ndim, dims, name, filename, mode, reqdims, d_a);
}

int DRA_Open(char *filename, int mode, int *d_a)
{
    const drx_status st = disk_open(filename, mode, d_a);

    return st == DRX_ENOENT ? -1 : disk_result("DRA_Open", st); /* programs open to see whether an array exists */
}

int DRA_Close(int d_a)
{
    return disk_result("DRA_Close", disk_close(d_a));
}

int DRA_Delete(int d_a)
{
    return disk_result("DRA_Delete", disk_delete(d_a));
}

int NDRA_Extend(int d_a, int dim, dra_size_t by)
{
    return disk_result("NDRA_Extend", disk_extend(d_a, dim, by, false));
}

int NDRA_Inquire(int d_a, int *type, int *ndim, dra_size_t dims[], char *name, char *filename)
{
    struct disk_array *a;
    const drx_status st = disk_find(d_a, &a);

    if (st)
        return disk_own_result("NDRA_Inquire", st);
    *type = drxgai_type_number(a->type, false);
    *ndim = a->ndim;
    for (int j = 0; j < a->ndim; j++)
        dims[j] = a->dims[j];
    (void)snprintf(name, PROGRAMS_NAME_BYTES, "%.*s", PROGRAMS_NAME_BYTES - 1, a->name);
    (void)snprintf(filename, PROGRAMS_PATH_BYTES, "%.*s", PROGRAMS_PATH_BYTES - 1, a->path);
    return 0;
}

int NDRA_Write(int g_a, int d_a, int *request)
{
    const struct disk_section s = { .writing = true, .g_a = g_a, .d_a = d_a, .whole = true };

    return disk_result("NDRA_Write", disk_section(&s, request));
}

int NDRA_Read(int g_a, int d_a, int *request)
{
    const struct disk_section s = { .g_a = g_a, .d_a = d_a, .whole = true };

    return disk_result("NDRA_Read", disk_section(&s, request));
}

int NDRA_Write_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[], dra_size_t dhi[],
                       int *request)
{
    const struct disk_section s = {
        true, transp != 0, g_a, d_a, .memory = { glo, ghi, false }, .disk = { dlo, dhi, true }
    };

    return disk_result("NDRA_Write_section", disk_section(&s, request));
}

int NDRA_Read_section(logical transp, int g_a, int glo[], int ghi[], int d_a, dra_size_t dlo[], dra_size_t dhi[],
                      int *request)
{
    const struct disk_section s = {
        false, transp != 0, g_a, d_a, .memory = { glo, ghi, false }, .disk = { dlo, dhi, true }
    };

    return disk_result("NDRA_Read_section", disk_section(&s, request));
}

int NDRA_Copy(int src, int dst, int perm[], int *req)
{
    return disk_result("NDRA_Copy", disk_copy(src, dst, perm, false, req));
}

int DRA_Wait(int request)
{
    return disk_result("DRA_Wait", disk_wait(request));
}

int DRA_Probe(int request, int *compl_status)
{
    int done;
    const drx_status st = disk_probe(request, &done);

    *compl_status = done ? ELIO_DONE : 0;
    return disk_result("DRA_Probe", st);
}

void DRA_Flick(void)
{
    disk_flick();
}

void DRA_Set_debug(logical flag)
{
    disk_settings.debug = flag != 0;
}

void DRA_Print_internals(int d_a)
{
    disk_print(d_a);
}

void DRA_Set_default_config(int numfiles, int numioprocs)
{
    (void)numfiles;
    (void)numioprocs;
}
