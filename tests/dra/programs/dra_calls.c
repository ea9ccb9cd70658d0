/* Each call of the C interface: its codes, handles, modes and names. */
#include <stdlib.h>
#include <string.h>

#include "dra_testing.h"

static char one[] = "one", other[] = "other", missing[] = "missing", first_name[] = "the first array";

static int last_request;

static void write_slowly(int d_a, struct model *model, uint64_t salt, const char *what)
{
    const int g_a = make_global(model, REGULAR);
    int request, state = 0;

    fill_model(model, salt);
    put_global(g_a, model);
    succeed(NDRA_Write(g_a, d_a, &request));
    while (state != ELIO_DONE) {
        succeed(DRA_Probe(request, &state));
        if (state != ELIO_DONE && state != 0)
            wrong("probe gave the state %d", state);
    }
    say("probe: %d", state);
    say("wait: %d", DRA_Wait(request));
    last_request = request;
    check_disk(d_a, model, REGULAR, what);
}

static int create(const struct model *model, char *name, char *path, int mode, dra_size_t hint_behind)
{
    dra_size_t extents[MOST_DIMS], hint[MOST_DIMS] = { 4, hint_behind, hint_behind };
    int d_a = 0;

    for (int j = 0; j < model->ndim; j++)
        extents[j] = model->dims[j];
    say("create: %d", NDRA_Create(model->type, model->ndim, extents, name, path, mode, hint, &d_a));
    say("its handle: %d", d_a);
    return d_a;
}

static void tell_inquiry(int d_a)
{
    int type, ndim;
    dra_size_t extents[MOST_DIMS] = { 0 };
    char name[80] = "", filename[200] = "";

    say("inquire: %d", NDRA_Inquire(d_a, &type, &ndim, extents, name, filename));
    name[strcspn(name, "\n")] = '\0'; /* Global Arrays adds one when it has read the name */
    say("type %d, %d-D, %ldx%ldx%ld, name '%s', file '%s'", type, ndim, extents[0], extents[1], extents[2], name,
        filename);
}

static int open_again(int d_a, char *path, int mode)
{
    if (d_a)
        say("close: %d", DRA_Close(d_a));
    say("open: %d", DRA_Open(path, mode, &d_a));
    say("its handle: %d", d_a);
    return d_a;
}

static void lives(struct model *model)
{
    struct model second = make_model(C_DCPL, model->ndim, model->dims);
    char own[] = "array of rank X";
    int a, b;

    own[strlen(own) - 1] = (char)('0' + team.rank); /* the name that rank 0 gives counts */
    a = create(model, first_name, one, DRA_W, 4);
    b = create(&second, own, other, DRA_RW, -1);
    tell_inquiry(a);
    DRA_Print_internals(a);
    a = open_again(a, one, DRA_RW);
    write_slowly(a, model, 1, "the first");
    write_slowly(b, &second, 2, "the second");
    a = open_again(a, one, DRA_R);
    b = open_again(b, other, DRA_RW);
    tell_inquiry(a);
    tell_inquiry(b);
    check_disk(a, model, REGULAR, "the first, opened");
    write_slowly(b, &second, 3, "the second, written again");
    say("delete: %d", DRA_Delete(b));
    finished(last_request); /* known although its array is not */
    a = open_again(a, one, DRA_W);
    (void)write_disk(a, model, REGULAR);
    say("close: %d", DRA_Close(a));
}

static void configured(bool by_default)
{
    const int64_t extents[] = { 40, 30 };
    struct model model = make_model(C_DBL, 2, extents);
    dra_size_t given[] = { 40, 30 }, hint[] = { 7, 5 };
    int d_a;

    if (by_default) {
        DRA_Set_default_config(1, 1);
        succeed(create_disk(&model, other, DRA_RW, extents, &d_a));
        DRA_Set_default_config(-1, -1);
    } else
        say("create_config: %d",
            NDRA_Create_config(C_DBL, 2, given, first_name, other, DRA_RW, hint, team.ranks, team.ranks, &d_a));
    write_slowly(d_a, &model, 5, "configured");
    check_disk(open_again(d_a, other, DRA_R), &model, REGULAR, "configured, opened");
    succeed(DRA_Delete(d_a));
}

void calls(void)
{
    struct model model = make_model(C_INT, 3, (int64_t[]){ 12, 9, 5 });
    int d_a, c;

    say("init: %d", DRA_Init(10, 1e8, 1e9, 1e6));
    for (int i = 0; i < 5; i++)
        finished(i); /* Global Arrays takes a request that it has not begun for one that is over */
    lives(&model);
    configured(false);
    configured(true);
    say("uses_fapi: %d", DRA_uses_fapi());
    say("wait for no request: %d", DRA_Wait(DRA_REQ_INVALID));
    DRA_Flick();
    DRA_Set_debug(1);
    DRA_Set_debug(0);
    d_a = open_again(0, one, DRA_R);
    check_disk(d_a, &model, REGULAR, "what stays open");
    say("open what was deleted: %d", DRA_Open(other, DRA_R, &c));
    say("open what never was: %d", DRA_Open(missing, DRA_RW, &c));
    say("terminate: %d", DRA_Terminate());
    say("init: %d", DRA_Init(3, -1, -1, -1));
    d_a = open_again(0, one, DRA_RW);
    check_disk(d_a, &model, REGULAR, "what was open at the end");
    say("delete: %d", DRA_Delete(d_a));
    say("terminate: %d", DRA_Terminate());
}
