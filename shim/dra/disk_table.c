#include <stdlib.h>
#include <string.h>

#include "disk.h"
#include "drx_tools.h"
#include <ga-mpi.h>

enum {
    FIRST_HANDLE = -5000, /* programs may rely on it */
    MOST_BUFFER_BYTES = 16 << 20,
    LEAST_BUFFER_BYTES = 1 << 16,
    MOST_OTHER_BYTES = 1 << 20, /* stacks of threads, and what malloc keeps for them */
    SOON_BYTES = 1 << 20        /* libdrx shares what is more among threads */
};

static struct {
    bool ready;
    struct disk_array **arrays; /* by handle; NULL: free */
    int room;
} table;

struct disk_settings disk_settings;

MPI_Comm disk_comm(void)
{
    return GA_MPI_Comm_pgroup_default();
}

drx_status disk_check_init(void)
{
    return table.ready ? DRX_OK : shim_fail(DRX_EINVAL, "DRA_Init was not called");
}

/* Share out the memory of a process: a quarter, up to a bound, for what nobody asks for, half of the rest for libdrx,
 * and half for us. */
static void share_memory(double max_bytes)
{
    const double other = max_bytes / 4 < MOST_OTHER_BYTES ? max_bytes / 4 : MOST_OTHER_BYTES;
    const double half = (max_bytes - other) / 2;

    drx_set_memory((size_t)half + 1);
    if (half < MOST_BUFFER_BYTES)
        disk_settings.buffer_bytes = half > LEAST_BUFFER_BYTES ? (int64_t)half : LEAST_BUFFER_BYTES;
}

static int64_t choose_soon_bytes(void)
{
    const char *text = getenv("DRX_DRA_SOON");

    return text && text[0] ? strtoll(text, NULL, 10) : SOON_BYTES;
}

drx_status disk_init(int max_arrays, double max_memory)
{
    if (max_arrays < -1)
        return shim_fail(DRX_EINVAL, "%d arrays at most, expected 0 or more, or -1", max_arrays);
    table.ready = true;
    disk_settings.buffer_bytes = MOST_BUFFER_BYTES;
    disk_settings.soon_bytes = choose_soon_bytes();
    drx_set_memory(0);
    if (max_memory > 0 && max_memory < 1e15)
        share_memory(max_memory);
    return DRX_OK;
}

drx_status disk_terminate(void)
{
    drx_status st = disk_check_init(), worst = st;

    if (st)
        return st;
    disk_requests_finish(NULL);
    for (int i = 0; i < table.room; i++)
        if (table.arrays[i]) {
            st = disk_close(FIRST_HANDLE + i);
            worst = worst ? worst : st;
        }
    disk_requests_free();
    free(table.arrays);
    memset(&table, 0, sizeof table);
    memset(&disk_settings, 0, sizeof disk_settings);
    return worst;
}

drx_status disk_find(int d_a, struct disk_array **out)
{
    const int64_t i = (int64_t)d_a - FIRST_HANDLE;

    *out = i >= 0 && i < table.room ? table.arrays[i] : NULL;
    return *out ? DRX_OK : shim_fail(DRX_EINVAL, "%d is not a handle of an open disk resident array", d_a);
}

static drx_status make_room(void)
{
    const int room = table.room ? 2 * table.room : 16;
    struct disk_array **arrays = realloc(table.arrays, (size_t)room * sizeof *arrays);

    if (!arrays)
        return shim_fail(DRX_ENOMEM, "no memory for %d handles", room);
    memset(arrays + table.room, 0, (size_t)(room - table.room) * sizeof *arrays);
    table.arrays = arrays;
    table.room = room;
    return DRX_OK;
}

drx_status disk_new(int *d_a, struct disk_array **out)
{
    struct disk_array *a = calloc(1, sizeof *a);
    drx_status st = DRX_OK;
    int i = 0;

    while (i < table.room && table.arrays[i])
        i++;
    if (!a)
        return shim_fail(DRX_ENOMEM, "no memory for an array");
    if (i == table.room)
        st = make_room();
    if (st) {
        free(a);
        return st;
    }
    table.arrays[i] = *out = a;
    *d_a = FIRST_HANDLE + i;
    return DRX_OK;
}

void disk_release(int d_a)
{
    free(table.arrays[d_a - FIRST_HANDLE]);
    table.arrays[d_a - FIRST_HANDLE] = NULL;
}
