/* Every wrong argument gives an error on all ranks, ends no program and loses no data. With DRX_DRA_ABORT=1 the
 * first error ends the job. */
#include <stdlib.h>
#include <string.h>

#include "dra_fortran.h"
#include "drx_dra.h"

static const int64_t dims[] = { 30, 20 };
static char path[] = "good", empty[] = "", long_name[300];
static struct model content;
static int g_a, d_a; /* as large as each other */

static void check_content(const char *what)
{
    check_disk(d_a, &content, 0, what);
}

static void before_init(void)
{
    dra_size_t size[] = { 5, 5 };
    int id = 0, request = 0, state;

    fail(NDRA_Create(C_INT, 2, size, path, path, DRA_RW, size, &id));
    fail(DRA_Open(path, DRA_R, &id));
    fail(DRA_Close(-5000));
    fail(NDRA_Read(0, -5000, &request));
    fail(DRA_Wait(0));
    fail(DRA_Probe(0, &state));
    fail(DRA_Terminate());
    fail(DRA_Init(-2, -1, -1, -1));
}

static void prepare(void)
{
    succeed(DRA_Init(-1, -1, -1, -1));
    content = make_model(C_DBL, 2, dims);
    fill_model(&content, 1);
    g_a = make_global(&content, 0);
    put_global(g_a, &content);
    succeed(create_disk(&content, path, DRA_RW, NULL, &d_a));
    succeed(move_whole(true, g_a, d_a));
}

static int create(int type, int ndim, dra_size_t first, char *file, int mode)
{
    dra_size_t size[16] = { first, 5, 5, 5, 5, 5, 5, 5, 5, 5 }, hint[16] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    char name[] = "bad";
    int id;

    return NDRA_Create(type, ndim, size, name, file, mode, hint, &id);
}

static void bad_creation(void)
{
    const struct {
        int type, ndim;
        dra_size_t first;
        char *file;
        int mode;
    } cases[] = {
        { C_INT, 0, 5, "bad", DRA_RW },     { C_INT, -1, 5, "bad", DRA_RW },
        { C_INT, 8, 5, "bad", DRA_RW },     { C_INT, 2, 0, "bad", DRA_RW },
        { C_INT, 2, -7, "bad", DRA_RW },    { C_INT, 2, INT64_MAX, "bad", DRA_RW },
        { C_INT, 2, 5, "bad", 5 },          { team.rank == team.ranks - 1 ? 77 : C_INT, 2, 5, "bad", DRA_RW },
        { C_INT, 2, 5, "", DRA_RW },        { C_INT, 2, 5, "nowhere/new", DRA_RW },
        { C_INT, 2, 5, long_name, DRA_RW }, /* than a file system takes */
    };

    memset(long_name, 'x', sizeof long_name - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fail(create(cases[i].type, cases[i].ndim, cases[i].first, cases[i].file, cases[i].mode));
    check_content("bad creation");
}

static void bad_files(void)
{
    static char *const names[] = { "half", "old", ".", "" };
    char junk[] = "junk";
    int id;

    if (team.rank == 0 && system("for file in junk half.xmd half.xta old; do echo neither >$file; done; "
                                 "echo 2 10 many 1013 5 >old.info"))
        wrong("files cannot be made");
    GA_Sync();
    expect(DRA_Open(junk, DRA_R, &id), -1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fail(DRA_Open(names[i], DRA_R, &id));
    fail(DRA_Open(names[0], DRA_RW, &id));
    fail(DRA_Open(path, 0, &id));
    check_content("bad files");
}

static void bad_handles(void)
{
    dra_size_t size[MOST_DIMS];
    char name[80], file[200];
    const int handles[] = { 0, 1, -1, -4000, -5001, -4999, 2147483647, -2147483647 - 1 };
    int request, type, ndim;

    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
        fail(DRA_Close(handles[i]));
        fail(DRA_Delete(handles[i]));
        fail(NDRA_Write(g_a, handles[i], &request));
        fail(NDRA_Read(g_a, handles[i], &request));
        fail(DRA_Wait(request)); /* that was not made */
        fail(NDRA_Inquire(handles[i], &type, &ndim, size, name, file));
        DRA_Print_internals(handles[i]);
    }
    fail(NDRA_Read(team.rank < team.ranks - 1 ? g_a : 12345, d_a, &request));
    fail(NDRA_Write(-500, d_a, &request));
    check_content("bad handles");
}

/* One section of each, 4 x 3, of which one bound is wrong. */
static int with_bounds(bool writing, bool of_disk, bool upper, int axis, int64_t bound)
{
    struct section global = { 2, { 2, 2 }, { 5, 4 } }, disk = { 2, { 10, 10 }, { 13, 12 } };
    struct section *wrong_one = of_disk ? &disk : &global;
    int request;

    (upper ? wrong_one->hi : wrong_one->lo)[axis] = bound;
    return call_move(writing, false, g_a, &global, d_a, &disk, &request);
}

static void bad_bounds(void)
{
    for (int of_disk = 0; of_disk < 2; of_disk++)
        for (int writing = 0; writing < 2; writing++)
            for (int axis = 0; axis < 2; axis++) {
                fail(with_bounds(writing, of_disk, false, axis, -1));
                fail(with_bounds(writing, of_disk, true, axis, dims[axis]));
                fail(with_bounds(writing, of_disk, true, axis, 1)); /* below the lower bound */
                fail(with_bounds(writing, of_disk, true, axis, INT32_MAX));
                fail(with_bounds(writing, of_disk, true, axis, 6)); /* more elements, or fewer */
                if (team.ranks > 1)
                    fail(with_bounds(writing, of_disk, false, axis, team.rank == 1 ? -1 : of_disk ? 10 : 2));
            }
    fail(with_bounds(false, true, true, 0, INT64_MAX));
    check_content("bad bounds");
}

static void bad_pairs(void)
{
    const int64_t other[] = { 30, 21 }, deep[] = { 30, 20, 1 };
    struct model types = make_model(C_INT, 2, dims), shapes = make_model(C_DBL, 2, other);
    struct model axes = make_model(C_DBL, 3, deep);
    const struct model *models[] = { &types, &shapes, &axes };

    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const int g_b = make_global(models[i], 0);
        const struct section corner = { 3, { 0, 0, 0 }, { 3, 3, 0 } };
        int request;

        fail(NDRA_Write(g_b, d_a, &request));
        fail(NDRA_Read(g_b, d_a, &request));
        if (i != 1) {
            fail(call_move(true, false, g_b, &corner, d_a, &corner, &request));
            fail(call_move(false, true, g_b, &corner, d_a, &corner, &request));
        }
    }
    check_content("bad pairs");
}

static void bad_modes(void)
{
    int request;

    succeed(DRA_Close(d_a));
    succeed(DRA_Open(path, DRA_R, &d_a));
    fail(NDRA_Write(g_a, d_a, &request));
    fail(NDRA_Extend(d_a, 0, 1));
    fail(with_bounds(true, false, false, 0, 2));
    check_content("a mode to read");
    succeed(DRA_Close(d_a));
    succeed(DRA_Open(path, DRA_W, &d_a));
    fail(NDRA_Read(g_a, d_a, &request));
    fail(with_bounds(false, false, false, 0, 2));
    succeed(move_whole(true, g_a, d_a));
    succeed(DRA_Close(d_a));
    fail(DRA_Close(d_a));
    fail(NDRA_Write(g_a, d_a, &request));
    succeed(DRA_Open(path, DRA_RW, &d_a));
    check_content("a mode to write");
}

static void bad_requests(void)
{
    int numbers[] = { -1, -332, 1 << 20, 2147483647, -2147483647 - 1, 0 };
    int request, other, state;

    succeed(NDRA_Read(g_a, d_a, &request));
    succeed(NDRA_Write(g_a, d_a, &other));
    numbers[5] = other + 1; /* not yet given */
    succeed(DRA_Wait(request));
    succeed(DRA_Wait(request));
    succeed(DRA_Probe(request, &state));
    succeed(DRA_Wait(other));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fail(DRA_Wait(numbers[i]));
        fail(DRA_Probe(numbers[i], &state));
    }
    succeed(DRA_Wait(DRA_REQ_INVALID));
    check_content("bad requests");
}

static void bad_copies(void)
{
    struct model integers = make_model(C_INT, 2, dims), across = make_model(C_DBL, 2, (int64_t[]){ 20, 30 });
    int perms[][2] = { { 1, 1 }, { 0, 2 }, { -1, 0 }, { 1, 0 } };
    int target, third, request;

    succeed(create_disk(&integers, "target", DRA_RW, NULL, &target));
    succeed(create_disk(&across, "third", DRA_RW, NULL, &third));
    fail(NDRA_Copy(d_a, target, NULL, &request)); /* types */
    fail(NDRA_Copy(d_a, third, NULL, &request));  /* shapes */
    for (int i = 0; i < 3; i++)
        fail(NDRA_Copy(d_a, third, perms[i], &request));
    fail(NDRA_Copy(d_a, d_a, NULL, &request));
    fail(NDRA_Copy(d_a, -4000, NULL, &request));
    fail(NDRA_Copy(-4000, third, NULL, &request));
    succeed(DRA_Close(third));
    succeed(DRA_Open("third", DRA_R, &third));
    fail(NDRA_Copy(d_a, third, perms[3], &request));
    succeed(DRA_Delete(third));
    succeed(DRA_Delete(target));
    check_content("bad copies");
}

static void bad_extensions(void)
{
    fail(NDRA_Extend(d_a, -1, 1));
    fail(NDRA_Extend(d_a, 2, 1));
    fail(NDRA_Extend(d_a, 0, -1));
    fail(NDRA_Extend(d_a, 0, INT64_MAX));
    fail(NDRA_Extend(-4000, 0, 1));
    fail(NDRA_Extend(d_a, 0, team.rank + 1 == team.ranks ? -2 : 1));
    check_content("bad extensions");
}

/* Numbers of Fortran, with 8 bytes of which the lower 4 would be right, and dimensions as Fortran counts them. */
static void bad_numbers(void)
{
    const Integer beyond = (Integer)1 << 32;
    Integer g = g_a, d = d_a, request, state, far_g = g + beyond, far_d = d + beyond, one[] = { 1, 1 },
            two[] = { 2, 2 };
    Integer three = 3, far[] = { 2 + beyond, 2 }, n0 = 0, n5 = 5, n17 = 17, huge = INT64_MAX;
    Integer type = MT_F_DBL, none = MT_F_DBL + 1000, mode = DRA_RW, least = -1, more = 1, id;
    logical no = 0;

    fail(ndra_read_(&g, &far_d, &request));
    fail(ndra_read_(&far_g, &d, &request));
    fail(dra_wait_(&request));
    fail(ndra_read_section_(&no, &g, one, far, &d, one, two, &request));
    fail(dra_create_(&type, &n0, &n5, empty, path, &mode, &least, &least, &id, 0, 3));
    fail(dra_create_(&type, &n5, &n5, empty, path, &n17, &least, &least, &id, 0, 3));
    fail(dra_create_(&none, &n5, &n5, empty, path, &mode, &least, &least, &id, 0, 3));
    fail(dra_create_(&type, &huge, &n5, empty, path, &mode, &least, &least, &id, 0, 3));
    fail(dra_inquire_(&n17, &type, &n0, &n0, path, path, 4, 4));
    fail(ndra_extend_(&d, &n0, &more));
    fail(ndra_extend_(&d, &three, &more));
    fail(ndra_extend_(&d, &more, &least));
    fail(ndra_copy_(&d, &d, one, &request));
    succeed((int)ndra_read_(&g, &d, &request));
    id = request + beyond;
    fail(dra_wait_(&id));
    fail(dra_probe_(&id, &state));
    succeed((int)dra_wait_(&request));
    check_content("bad numbers");
}

/* 2-D calls for an array of three dimensions, and a permutation that has none or too many. */
static void bad_dimensions(void)
{
    struct model cube = make_model(C_DBL, 3, (int64_t[]){ 4, 5, 6 });
    Integer i = 1, k = 2, request, extents[7], perms[][3] = { { 3, 2, 1 }, { 2, 3, 4 }, { 2, 3, 0 } }, source, target,
            g, type;
    char text[80];
    logical no = 0;
    int first, second;

    succeed(create_disk(&cube, "first", DRA_RW, NULL, &first));
    succeed(create_disk(&cube, "second", DRA_RW, NULL, &second));
    source = first;
    target = second;
    g = make_global(&cube, REGULAR);
    fail(dra_read_section_(&no, &g, &i, &k, &i, &k, &source, &i, &k, &i, &k, &request));
    fail(dra_write_section_(&no, &g, &i, &k, &i, &k, &source, &i, &k, &i, &k, &request));
    fail(dra_inquire_(&source, &type, &extents[0], &extents[1], text, text, sizeof text, sizeof text));
    for (int p = 0; p < 3; p++)
        fail(ndra_copy_(&source, &target, perms[p], &request));
    succeed(DRA_Delete(first));
    succeed(DRA_Delete(second));
}

/* An array that is open is not replaced nor spoilt by who opens or makes it again. */
static void taken_files(void)
{
    int id, code;

    code = DRA_Open(path, DRA_R, &id);
    if (code == 0)
        succeed(DRA_Close(id));
    say("an open file: %s", code ? "is refused" : "is opened again");
    check_content("a file that is taken");
    fail(DRA_Open(path, DRA_RW, &id)); /* one handle writes */
    fail(DRA_Open(path, DRA_W, &id));
    check_content("a file that is written already");
    fail(create(C_INT, 2, 9, path, DRA_RW));
    check_content("a file that is to be replaced");
}

void bad(void)
{
    before_init();
    prepare();
    bad_creation();
    bad_files();
    bad_handles();
    for (int i = 0; i < 2; i++) {
        through_fortran = i;
        bad_bounds();
        bad_pairs();
    }
    through_fortran = false;
    bad_modes();
    bad_requests();
    bad_copies();
    bad_extensions();
    bad_numbers();
    bad_dimensions();
    taken_files();
    succeed(DRA_Delete(d_a));
    succeed(DRA_Terminate());
}
