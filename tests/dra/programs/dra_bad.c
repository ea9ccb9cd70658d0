/* Every wrong argument gives an error on all ranks, ends no program and loses no data. With DRX_DRA_ABORT=1 the
 * first error ends the job. */
#include <stdio.h>
#include <string.h>

#include "dra_model.h"

static const int64_t dims[] = { 30, 20 };
static char path[] = "good", absent[] = "nowhere/new", empty[] = "";
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
    write_whole(g_a, d_a);
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
    char file[] = "bad", long_name[300];

    fail(create(C_INT, 0, 5, file, DRA_RW));
    fail(create(C_INT, -1, 5, file, DRA_RW));
    fail(create(C_INT, 8, 5, file, DRA_RW));
    fail(create(C_INT, 2, 0, file, DRA_RW));
    fail(create(C_INT, 2, -7, file, DRA_RW));
    fail(create(C_INT, 2, INT64_MAX, file, DRA_RW));
    fail(create(me == ranks - 1 ? 77 : C_INT, 2, 5, file, DRA_RW));
    fail(create(C_INT, 2, 5, file, 5));
    fail(create(C_INT, 2, 5, empty, DRA_RW));
    fail(create(C_INT, 2, 5, absent, DRA_RW));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    fail(create(C_INT, 2, 5, long_name, DRA_RW)); /* than a file system takes */
    check_content("bad creation");
}

static void write_junk(const char *file, const char *text)
{
    FILE *out = me == 0 ? fopen(file, "w") : NULL;

    if (out) {
        (void)fputs(text, out);
        (void)fclose(out);
    }
    GA_Sync();
}

static void bad_files(void)
{
    char junk[] = "junk", metadata[] = "half", info[] = "old", folder[] = ".";
    int id;

    write_junk("junk", "this is neither\n");
    write_junk("half.xmd", "neither is this\n");
    write_junk("half.xta", "nor this\n");
    write_junk("old.info", "2 10 many 1013 5\n");
    write_junk("old", "bytes");
    expect(DRA_Open(junk, DRA_R, &id), -1);
    fail(DRA_Open(metadata, DRA_R, &id));
    fail(DRA_Open(metadata, DRA_RW, &id));
    fail(DRA_Open(info, DRA_R, &id));
    fail(DRA_Open(folder, DRA_R, &id));
    fail(DRA_Open(empty, DRA_R, &id));
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
    fail(NDRA_Read(me < ranks - 1 ? g_a : 12345, d_a, &request));
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
                if (ranks > 1)
                    fail(with_bounds(writing, of_disk, false, axis, me == 1 ? -1 : of_disk ? 10 : 2));
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
    fail(with_bounds(true, false, false, 0, 2));
    check_content("a mode to read");
    succeed(DRA_Close(d_a));
    succeed(DRA_Open(path, DRA_W, &d_a));
    fail(NDRA_Read(g_a, d_a, &request));
    fail(with_bounds(false, false, false, 0, 2));
    write_whole(g_a, d_a);
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
    bad_bounds();
    bad_pairs();
    bad_modes();
    bad_requests();
    taken_files();
    succeed(DRA_Delete(d_a));
    succeed(DRA_Terminate());
}
