/* Models, global arrays and disk resident arrays. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dra_model.h"

static void int_dims(const struct model *model, int dims[], int ld[])
{
    for (int j = 0; j < model->ndim; j++) {
        dims[j] = (int)model->dims[j];
        if (j > 0)
            ld[j - 1] = (int)model->dims[j];
    }
}

/* The first axis in as many uneven blocks as there are ranks, if it is long enough. */
static int make_irregular(const struct model *model, int dims[])
{
    int map[MOST_DIMS + 64], blocks[MOST_DIMS], n = (int)model->dims[0] < ranks ? 1 : ranks;

    if (n > 64)
        wrong("%d ranks", n);
    for (int b = 0; b < n; b++)
        map[b] = b; /* blocks of one index, the last of the rest */
    for (int j = 0; j < model->ndim; j++) {
        blocks[j] = j ? 1 : n;
        if (j > 0)
            map[n + j - 1] = 0;
    }
    return NGA_Create_irreg(model->type, model->ndim, dims, "irregular", blocks, map);
}

enum { BLOCK = 3, MOST_GLOBALS = 1000 };

/* Global Arrays 5.8 puts elements out of range where a rank has no block. */
static bool has_blocks_for_all(const struct model *model)
{
    int64_t blocks = 1;

    for (int j = 0; j < model->ndim; j++)
        blocks *= (model->dims[j] + BLOCK - 1) / BLOCK;
    return blocks >= ranks;
}

static int make_cyclic(const struct model *model, int dims[])
{
    const int g_a = GA_Create_handle();
    int block[MOST_DIMS];

    for (int j = 0; j < model->ndim; j++)
        block[j] = dims[j] < BLOCK ? dims[j] : BLOCK;
    GA_Set_data(g_a, model->ndim, dims, model->type);
    GA_Set_array_name(g_a, "cyclic");
    GA_Set_block_cyclic(g_a, block);
    return GA_Allocate(g_a) ? g_a : 0;
}

static int globals[MOST_GLOBALS], nglobals;

static void destroy_last(void)
{
    GA_Destroy(globals[--nglobals]);
}

void release_all(void)
{
    while (nglobals > 0)
        destroy_last();
    free_models();
}

int make_global(const struct model *model, int way)
{
    int dims[MOST_DIMS], ld[MOST_DIMS], g_a;

    int_dims(model, dims, ld);
    if (way == 1)
        g_a = make_irregular(model, dims);
    else if (way == 2 && has_blocks_for_all(model))
        g_a = make_cyclic(model, dims);
    else
        g_a = NGA_Create(model->type, model->ndim, dims, "regular", NULL);
    if (!g_a)
        wrong("a global array cannot be made");
    if (nglobals == MOST_GLOBALS)
        wrong("too many global arrays");
    return globals[nglobals++] = g_a;
}

void put_global(int g_a, const struct model *model)
{
    int lo[MOST_DIMS] = { 0 }, hi[MOST_DIMS], dims[MOST_DIMS], ld[MOST_DIMS];

    int_dims(model, dims, ld);
    for (int j = 0; j < model->ndim; j++)
        hi[j] = dims[j] - 1;
    GA_Sync();
    if (me == 0)
        NGA_Put(g_a, lo, hi, model->bytes, ld);
    GA_Sync();
}

static uint64_t checksum(const struct model *model)
{
    uint64_t sum = 0xcbf29ce484222325u;

    for (size_t i = 0; i < (size_t)model->count * model->element_bytes; i++)
        sum = (sum ^ model->bytes[i]) * 0x100000001b3u;
    return sum;
}

static void complain_of(const struct model *model, const struct model *found, const char *what)
{
    int64_t index[MOST_DIMS], at = 0;
    struct section element = { .ndim = model->ndim };
    char text[SECTION_TEXT];

    while (memcmp(model->bytes + (size_t)at * model->element_bytes, found->bytes + (size_t)at * model->element_bytes,
                  model->element_bytes) == 0)
        at++;
    for (int j = model->ndim - 1; j >= 0; j--) {
        index[j] = at % model->dims[j];
        at /= model->dims[j];
        element.lo[j] = element.hi[j] = index[j];
    }
    wrong("%s: %s element %s", what, type_name(model->type), section_text(&element, text));
}

uint64_t check_global(int g_a, const struct model *model, const char *what)
{
    int lo[MOST_DIMS] = { 0 }, hi[MOST_DIMS], dims[MOST_DIMS], ld[MOST_DIMS];
    struct model found;

    int_dims(model, dims, ld);
    for (int j = 0; j < model->ndim; j++)
        hi[j] = dims[j] - 1;
    GA_Sync();
    if (me == 0) {
        found = make_model(model->type, model->ndim, model->dims);
        NGA_Get(g_a, lo, hi, found.bytes, ld);
        if (memcmp(found.bytes, model->bytes, (size_t)model->count * model->element_bytes) != 0)
            complain_of(model, &found, what);
    }
    GA_Sync();
    return checksum(model);
}

int create_disk(const struct model *model, const char *file, int mode, const int64_t hint[], int *d_a)
{
    dra_size_t dims[MOST_DIMS], reqdims[MOST_DIMS];
    char name[] = "model", path[256];

    for (int j = 0; j < model->ndim; j++) {
        dims[j] = model->dims[j];
        reqdims[j] = hint ? hint[j] : -1;
    }
    if (strlen(file) >= sizeof path)
        wrong("the name %s is too long", file);
    memcpy(path, file, strlen(file) + 1);
    return NDRA_Create(model->type, model->ndim, dims, name, path, mode, reqdims, d_a);
}

int call_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk,
              int *request)
{
    int glo[MOST_DIMS] = { 0 }, ghi[MOST_DIMS] = { 0 };
    dra_size_t dlo[MOST_DIMS] = { 0 }, dhi[MOST_DIMS] = { 0 };

    for (int j = 0; j < global->ndim; j++) {
        glo[j] = (int)global->lo[j];
        ghi[j] = (int)global->hi[j];
    }
    for (int j = 0; j < disk->ndim; j++) {
        dlo[j] = disk->lo[j];
        dhi[j] = disk->hi[j];
    }
    return writing ? NDRA_Write_section(turned, g_a, glo, ghi, d_a, dlo, dhi, request)
                   : NDRA_Read_section(turned, g_a, glo, ghi, d_a, dlo, dhi, request);
}

int begin_move(bool writing, bool turned, int g_a, const struct section *global, int d_a, const struct section *disk)
{
    int request;

    succeed(call_move(writing, turned, g_a, global, d_a, disk, &request));
    return request;
}

void write_whole(int g_a, int d_a)
{
    int request;

    succeed(NDRA_Write(g_a, d_a, &request));
    succeed(DRA_Wait(request));
}

void read_whole(int g_a, int d_a)
{
    int request;

    succeed(NDRA_Read(g_a, d_a, &request));
    succeed(DRA_Wait(request));
}

int write_disk(int d_a, const struct model *model, int way)
{
    const int g_a = make_global(model, way);
    int request, code;

    put_global(g_a, model);
    code = NDRA_Write(g_a, d_a, &request);
    if (code == 0) {
        code = DRA_Wait(request);
        expect(DRA_Wait(request), code); /* whoever asks again gets the same answer */
    }
    destroy_last();
    return code;
}

void check_disk(int d_a, const struct model *model, int way, const char *what)
{
    const int g_a = make_global(model, way);

    read_whole(g_a, d_a);
    say("%s: %016" PRIx64, what, check_global(g_a, model, what));
    destroy_last();
}
