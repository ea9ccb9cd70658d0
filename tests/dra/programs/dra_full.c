/* Where ./small has room for little: arrays that do not fit give errors on all ranks, what was there stays, and when
 * there is room again it goes on. */
#include <string.h>

#include "dra_model.h"

static char kept[] = "small/kept", large[] = "small/large", elsewhere[] = "elsewhere";

static int write_whole(int d_a, const struct model *model)
{
    const int g_a = make_global(model, 0);
    int request, code;

    put_global(g_a, model);
    code = NDRA_Write(g_a, d_a, &request);
    if (code == 0) {
        code = DRA_Wait(request);
        expect(DRA_Wait(request), code); /* whoever asks again gets the same answer */
    }
    GA_Destroy(g_a);
    return code;
}

static void check_disk(int d_a, const struct model *model, const char *what)
{
    const int g_a = make_global(model, 0);
    int request;

    succeed(NDRA_Read(g_a, d_a, &request));
    succeed(DRA_Wait(request));
    (void)check_global(g_a, model, what);
    say("%s: all there", what);
    GA_Destroy(g_a);
}

/* 8 MiB; it may be found too large when it is made, or when it is written. */
static void fill_disk(void)
{
    const int64_t dims[] = { 1024, 1024 };
    struct model model = make_model(C_DBL, 2, dims);
    int d_a, code = create_disk(&model, large, DRA_RW, NULL, &d_a);

    if (code == 0) {
        fail(write_whole(d_a, &model));
        succeed(DRA_Delete(d_a));
        say("too large to be written");
    } else {
        fail(code);
        say("too large to be made");
    }
    free_model(&model);
}

int main(int argc, char **argv)
{
    const int64_t dims[] = { 150, 200 };
    struct model model, other;
    int small_a, other_a;

    begin(&argc, &argv);
    model = make_model(C_DBL, 2, dims);
    other = make_model(C_DBL, 2, dims);
    fill_model(&model, 1);
    fill_model(&other, 2);
    succeed(DRA_Init(-1, -1, -1, -1));
    succeed(create_disk(&model, kept, DRA_RW, NULL, &small_a));
    succeed(write_whole(small_a, &model));
    succeed(create_disk(&other, elsewhere, DRA_RW, NULL, &other_a));
    succeed(write_whole(other_a, &other));
    fill_disk();
    check_disk(small_a, &model, "beside it");
    check_disk(other_a, &other, "elsewhere");
    fill_disk();
    succeed(write_whole(small_a, &other));
    check_disk(small_a, &other, "written afterwards");
    succeed(DRA_Close(small_a));
    succeed(DRA_Open(kept, DRA_R, &small_a));
    check_disk(small_a, &other, "opened afterwards");
    succeed(DRA_Delete(small_a));
    succeed(DRA_Delete(other_a));
    succeed(DRA_Terminate());
    free_model(&model);
    free_model(&other);
    return end();
}
