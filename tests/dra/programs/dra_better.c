/* What Global Arrays' own library cannot do, and the drop-in can. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dra_model.h"

static char file[] = "better";

/* What is not written is 0, also where an array was before. */
static void zeros(void)
{
    const int64_t dims[] = { 37, 50 }, fewer[] = { 30, 20 };
    struct model first = make_model(C_DBL, 2, dims), zero = make_model(C_DBL, 2, dims);
    struct model second = make_model(C_INT, 2, fewer);
    int d_a;

    fill_model(&first, 1);
    succeed(create_disk(&first, file, DRA_RW, NULL, &d_a));
    check_disk(d_a, &zero, 0, "a new array");
    succeed(write_disk(d_a, &first, 0));
    succeed(DRA_Close(d_a));
    succeed(create_disk(&second, file, DRA_RW, fewer, &d_a));
    check_disk(d_a, &second, 0, "one in the place of another");
    succeed(DRA_Close(d_a));
    succeed(create_disk(&first, file, DRA_RW, NULL, &d_a));
    check_disk(d_a, &zero, 0, "the first one again");
    succeed(DRA_Delete(d_a));
}

/* Rows by as many requests, all under way at a time. */
static void many_requests(void)
{
    enum { ROWS = 60 };
    const int64_t dims[] = { ROWS, 1000 };
    struct model model = make_model(C_DCPL, 2, dims);
    int requests[ROWS], d_a, g_a = make_global(&model, 0);

    fill_model(&model, 2);
    put_global(g_a, &model);
    succeed(create_disk(&model, file, DRA_RW, NULL, &d_a));
    for (int writing = 1; writing >= 0; writing--) {
        for (int i = 0; i < ROWS; i++) {
            const struct section row = { 2, { i, 0 }, { i, 999 } };
            const struct section other = { 2, { ROWS - 1 - i, 0 }, { ROWS - 1 - i, 999 } };

            requests[i] = begin_move(writing, false, g_a, &row, d_a, &other);
        }
        for (int i = 0; i < ROWS; i++)
            succeed(DRA_Wait(requests[i * (writing ? 7 : 11) % ROWS]));
    }
    say("many requests: %016" PRIx64, check_global(g_a, &model, "many requests"));
    succeed(DRA_Delete(d_a));
}

/* Requests that overlap act in the order of their calls, whatever is waited for first. */
static void dependent_requests(void)
{
    enum { TIMES = 12 };
    const int64_t dims[] = { 211, 173 };
    struct model disk = make_model(C_LONG, 2, dims), global[TIMES];
    int requests[TIMES], g_a[TIMES], d_a;

    succeed(create_disk(&disk, file, DRA_RW, NULL, &d_a));
    for (int i = 0; i < TIMES; i++) {
        global[i] = make_model(C_LONG, 2, dims);
        g_a[i] = make_global(&global[i], i % 2);
        fill_model(&global[i], (uint64_t)i);
        put_global(g_a[i], &global[i]);
    }
    for (int i = 0; i < TIMES; i++) {
        const struct section section = random_section(&disk);
        const bool writing = i % 3 != 2;

        requests[i] = begin_move(writing, false, g_a[i], &section, d_a, &section);
        if (writing)
            copy_section(&disk, &section, &global[i], &section, false);
        else
            copy_section(&global[i], &section, &disk, &section, false);
    }
    for (int i = TIMES - 1; i >= 0; i--)
        succeed(DRA_Wait(requests[i]));
    for (int i = 0; i < TIMES; i++)
        (void)check_global(g_a[i], &global[i], "requests that depend on each other");
    check_disk(d_a, &disk, 0, "requests that depend on each other");
    succeed(DRA_Delete(d_a));
}

/* Sections of as many elements, but of another shape. */
static void reshaped(bool turned)
{
    const int64_t global_dims[] = { 40, 30, 20 }, disk_dims[] = { 36, 35, 24 };
    const struct section whole = { 3, { 4, 2, 1 }, { 27, 21, 18 } };  /* 24 x 20 x 18 */
    const struct section other = { 3, { 30, 3, 4 }, { 35, 32, 23 } }; /* 6 x 30 x 20, of 3,600 */
    const struct section again = { 3, { 0, 7, 0 }, { 9, 24, 19 } };   /* 10 x 18 x 20, of 3,600 */
    const struct section spread = { 3, { 0, 0, 0 }, { 35, 19, 11 } }; /* 36 x 20 x 12, of 8,640 */
    struct model disk = make_model(C_FLOAT, 3, disk_dims), global = make_model(C_FLOAT, 3, global_dims);
    int g_a = make_global(&global, turned), d_a;

    succeed(create_disk(&disk, file, DRA_RW, NULL, &d_a));
    fill_model(&disk, 3);
    succeed(write_disk(d_a, &disk, 0));
    fill_model(&global, 4);
    put_global(g_a, &global);
    succeed(DRA_Wait(begin_move(true, turned, g_a, &whole, d_a, &spread)));
    copy_section(&disk, &spread, &global, &whole, turned);
    check_disk(d_a, &disk, 0, turned ? "written in another shape, turned" : "written in another shape");
    succeed(DRA_Wait(begin_move(false, turned, g_a, &again, d_a, &other)));
    copy_section(&global, &again, &disk, &other, turned);
    say("read in another shape: %016" PRIx64, check_global(g_a, &global, "read in another shape"));
    succeed(DRA_Delete(d_a));
}

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

/* Read while it was not closed, and deleted while it was read. */
static void unfinished_requests(void)
{
    const int64_t dims[] = { 300, 200 };
    struct model model = make_model(C_DBL, 2, dims);
    int g_a = make_global(&model, 0), d_a, request;

    fill_model(&model, 6);
    put_global(g_a, &model);
    succeed(create_disk(&model, file, DRA_RW, NULL, &d_a));
    succeed(NDRA_Write(g_a, d_a, &request));
    succeed(DRA_Close(d_a)); /* which completes it */
    succeed(DRA_Wait(request));
    succeed(DRA_Open(file, DRA_RW, &d_a));
    GA_Zero(g_a);
    succeed(NDRA_Read(g_a, d_a, &request));
    succeed(DRA_Delete(d_a));
    succeed(DRA_Wait(request));
    say("requests of closed arrays: %016" PRIx64, check_global(g_a, &model, "requests of closed arrays"));
    succeed(create_disk(&model, file, DRA_RW, NULL, &d_a));
    succeed(NDRA_Write(g_a, d_a, &request));
    succeed(DRA_Terminate());
    succeed(DRA_Init(3000, -1, -1, -1));
    succeed(DRA_Open(file, DRA_R, &d_a));
    check_disk(d_a, &model, 0, "what the end has completed");
    succeed(DRA_Delete(d_a));
}

void better(void)
{
    succeed(DRA_Init(-1, -1, -1, -1));
    zeros();
    many_requests();
    dependent_requests();
    reshaped(false);
    reshaped(true);
    large();
    many_arrays();
    unfinished_requests();
    succeed(DRA_Terminate());
}
