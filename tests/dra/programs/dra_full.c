/* A device with little room at ./small: arrays that do not fit give errors on all ranks, existing arrays stay, and
 * work continues when there is room again. */
#include "dra_testing.h"

static char kept[] = "small/kept", large[] = "small/large", elsewhere[] = "elsewhere";

/* 8 MiB; it may be found too large when it is made, or when it is written. */
static void fill_disk(void)
{
    const int64_t dims[] = { 1024, 1024 };
    struct model model = make_model(C_DBL, 2, dims);
    int d_a, code = create_disk(&model, large, DRA_RW, NULL, &d_a);

    if (code == 0) {
        fail(write_disk(d_a, &model, 0));
        succeed(DRA_Delete(d_a));
        say("too large to be written");
    } else {
        fail(code);
        say("too large to be made");
    }
}

void full(void)
{
    const int64_t dims[] = { 150, 200 };
    struct model model, other;
    int small_a, other_a;

    model = make_model(C_DBL, 2, dims);
    other = make_model(C_DBL, 2, dims);
    fill_model(&model, 1);
    fill_model(&other, 2);
    succeed(DRA_Init(-1, -1, -1, -1));
    succeed(create_disk(&model, kept, DRA_RW, NULL, &small_a));
    succeed(write_disk(small_a, &model, 0));
    succeed(create_disk(&other, elsewhere, DRA_RW, NULL, &other_a));
    succeed(write_disk(other_a, &other, 0));
    fill_disk();
    check_disk(small_a, &model, 0, "beside it");
    check_disk(other_a, &other, 0, "elsewhere");
    fill_disk();
    succeed(write_disk(small_a, &other, 0));
    check_disk(small_a, &other, 0, "written afterwards");
    succeed(DRA_Close(small_a));
    succeed(DRA_Open(kept, DRA_R, &small_a));
    check_disk(small_a, &other, 0, "opened afterwards");
    succeed(DRA_Delete(small_a));
    succeed(DRA_Delete(other_a));
    succeed(DRA_Terminate());
}
