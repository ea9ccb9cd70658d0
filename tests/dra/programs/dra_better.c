/* What Global Arrays' own library cannot do, and the drop-in can. */
#include <inttypes.h>
#include <stdio.h>

#include "dra_testing.h"

/* Indices and numbers of elements that 32 bits do not hold; hardly any is stored. */
static void large(void)
{
    enum { ROWS = 500, COLUMNS = 3 };
    const int64_t small_dims[] = { ROWS, COLUMNS }, start = 2999999000;
    const struct section far = { 2, { start, 0 }, { start + ROWS - 1, COLUMNS - 1 } };
    const struct section before = { 2, { start - ROWS, 0 }, { start - 1, COLUMNS - 1 } };
    struct model model = make_model(C_INT, 2, small_dims), zero = make_model(C_INT, 2, small_dims);
    dra_size_t dims[] = { 3000000000, COLUMNS }, hint[] = { 4096, COLUMNS }, extents[2];
    const struct section whole = whole_section(&model);
    int d_a, type, ndim, g_a = make_global(&model, 0);
    char name[80] = "large", path[200] = "large";

    fill_model(&model, 5);
    put_global(g_a, &model);
    succeed(NDRA_Create(C_INT, 2, dims, name, path, DRA_RW, hint, &d_a));
    succeed(DRA_Wait(begin_move(true, false, g_a, &whole, d_a, &far)));
    succeed(DRA_Close(d_a));
    succeed(DRA_Open(path, DRA_R, &d_a));
    succeed(NDRA_Inquire(d_a, &type, &ndim, extents, name, path));
    say("%ldx%ld", extents[0], extents[1]);
    GA_Zero(g_a);
    succeed(DRA_Wait(begin_move(false, false, g_a, &whole, d_a, &far)));
    say("far away: %016" PRIx64, check_global(g_a, &model, "far away"));
    succeed(DRA_Wait(begin_move(false, false, g_a, &whole, d_a, &before)));
    (void)check_global(g_a, &zero, "what is before it");
    succeed(DRA_Delete(d_a));
}

/* More than DRA_Init was told, each with a content of its own. */
static void many_arrays(void)
{
    enum { ARRAYS = 70 };
    const int64_t dims[] = { 10, 10 };
    struct model model = make_model(C_INT, 2, dims);
    int d_a[ARRAYS];
    char path[32];

    for (int i = 0; i < ARRAYS; i++) {
        (void)snprintf(path, sizeof path, "array-%d", i);
        fill_model(&model, (uint64_t)i);
        succeed(create_disk(&model, path, DRA_RW, NULL, &d_a[i]));
        succeed(write_disk(d_a[i], &model, 0));
    }
    for (int i = ARRAYS - 1; i >= 0; i -= 3) {
        fill_model(&model, (uint64_t)i);
        check_disk(d_a[i], &model, 0, "one of many");
    }
    for (int i = 0; i < ARRAYS; i++)
        succeed(DRA_Delete(d_a[i]));
}

void better(void)
{
    succeed(DRA_Init(-1, -1, -1, -1));
    large();
    many_arrays();
    succeed(DRA_Terminate());
}
