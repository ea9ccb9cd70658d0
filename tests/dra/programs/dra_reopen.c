/* An array that several jobs use one after the other. */
#include <inttypes.h>
#include <string.h>

#include "dra_model.h"

static char file[] = "kept";
static const int64_t dims[] = { 50, 23, 9 }, hint[] = { 8, 8, 8 };
static const struct section part = { 3, { 7, 2, 3 }, { 38, 21, 8 } };

static struct model first_content(void)
{
    struct model model = make_model(C_DBL, 3, dims);

    fill_model(&model, 1);
    return model;
}

/* What the change writes: the part, from another model. */
static void change_model(struct model *model)
{
    struct model other = make_model(C_DBL, 3, dims);

    fill_model(&other, 2);
    copy_section(model, &part, &other, &part, false);
}

void reopen_write(void)
{
    struct model model = first_content();
    int d_a;

    succeed(DRA_Init(1, -1, -1, -1));
    succeed(create_disk(&model, file, DRA_W, hint, &d_a));
    succeed(write_disk(d_a, &model, 0));
    succeed(DRA_Close(d_a));
    succeed(DRA_Terminate());
}

void reopen_change(void)
{
    struct model model = first_content();
    const int g_a = make_global(&model, 1);
    int d_a;

    succeed(DRA_Init(1, -1, -1, -1));
    succeed(DRA_Open(file, DRA_RW, &d_a));
    read_whole(g_a, d_a);
    say("before: %016" PRIx64, check_global(g_a, &model, "before the change"));
    change_model(&model);
    put_global(g_a, &model);
    succeed(DRA_Wait(begin_move(true, false, g_a, &part, d_a, &part)));
    succeed(DRA_Close(d_a));
    succeed(DRA_Terminate());
}

static void read_all(bool then_delete)
{
    struct model model = first_content();
    int d_a, type, ndim;
    dra_size_t extents[MOST_DIMS];
    char name[80], filename[200];

    change_model(&model);
    succeed(DRA_Init(1, -1, -1, -1));
    succeed(DRA_Open(file, DRA_R, &d_a));
    succeed(NDRA_Inquire(d_a, &type, &ndim, extents, name, filename));
    DRA_Print_internals(d_a);
    name[strcspn(name, "\n")] = '\0'; /* Global Arrays adds one when it has read the name */
    say("type %d, %d-D, %ldx%ldx%ld, %s in %s", type, ndim, extents[0], extents[1], extents[2], name, filename);
    check_disk(d_a, &model, 0, "after the change");
    succeed(then_delete ? DRA_Delete(d_a) : DRA_Close(d_a));
    succeed(DRA_Terminate());
}

void reopen_read(void)
{
    read_all(false);
}

void reopen_delete(void)
{
    read_all(true);
}
