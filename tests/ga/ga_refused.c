/* Whatever is wrong gives an error that names it, the same on all processes, and nothing moves. Both by all processes
 * and on one of them alone. */
#include "ga_driver.h"

#include <stdio.h>

/* Does something only on the last process, and otherwise what is right. */
static bool last(void)
{
    return team.rank == team.ranks - 1;
}

static struct model global, array;
static int g_a;
static drxmp_array *a;

static void make_both(void)
{
    const int64_t gdims[] = { 6, 8 }, shape[] = { 4, 6, 8 }, lower[] = { -1, 0, 0 };
    const drx_spec spec = { .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .lower = lower, .flags = DRX_REPLACE };

    global = make_model(C_DBL, 2, gdims);
    array = make_model(C_DBL, 3, shape);
    array.lower[0] = -1;
    fill_model(&global, 1);
    g_a = make_global(&global, REGULAR);
    put_global(g_a, &global);
    succeed(alike(drxmp_create(team.comm, "refused", &spec, &a)));
}

struct arguments {
    int g_a;
    const int64_t *glo, *ghi, *lo;
    const int *perm;
};

/* All four calls refuse it; also those of all, when only the last process gives it. */
static void each(const struct arguments *w, drx_status st, const char *detail)
{
    const struct arguments right = { .g_a = g_a };

    for (int i = 0; i < 2; i++, w = last() ? w : &right) {
        refuse(alike(drxga_write_all(w->g_a, w->glo, w->ghi, a, w->lo, w->perm)), st, detail);
        refuse(alike(drxga_read_all(w->g_a, w->glo, w->ghi, a, w->lo, w->perm)), st, detail);
        if (i > 0)
            continue;
        refuse(drxga_write(w->g_a, w->glo, w->ghi, drxmp_serial(a), w->lo, w->perm), st, detail);
        refuse(drxga_read(w->g_a, w->glo, w->ghi, drxmp_serial(a), w->lo, w->perm), st, detail);
    }
}

static void arguments(void)
{
#define refuse_all(st, detail, ...) each(&(struct arguments){ g_a, __VA_ARGS__ }, st, detail)
    refuse_all(DRX_ERANGE, "\"tested\": axis 0: section from -1 to 5, the axis has 0 to 5",
               .glo = (int64_t[]){ -1, 0 });
    refuse_all(DRX_ERANGE, "axis 1: section from 0 to 8, the axis has 0 to 7", .ghi = (int64_t[]){ 5, 8 });
    refuse_all(DRX_ERANGE, "axis 0: section from 5 to 4, the axis has 0 to 5", .glo = (int64_t[]){ 5, 7 },
               .ghi = (int64_t[]){ 4, 7 });
    for (int i = 0; i < 4; i++) {
        const int64_t from[] = { -2, 3, INT64_MAX, INT64_MIN };
        char detail[100];

        (void)snprintf(detail, sizeof detail, "axis 0 of the array: 1 indices from %lld on, the axis has 4 from -1 on",
                       (long long)from[i]);
        refuse_all(DRX_ERANGE, detail, .lo = (int64_t[]){ from[i], 0, 0 });
    }
    refuse_all(DRX_ERANGE, "axis 1 of the array: 6 indices from 1 on, the axis has 6", .lo = (int64_t[]){ 0, 1, 0 });
    refuse_all(DRX_EINVAL, "\"tested\": perm: 2 for axis 2 of the array, expected 0 to 1, or -1 for none",
               .perm = (int[]){ -1, 0, 2 });
    refuse_all(DRX_EINVAL, "perm: -2 for axis 0 of the array, expected 0 to 1, or -1", .perm = (int[]){ -2, 0, 1 });
    refuse_all(DRX_EINVAL, "perm has 1 twice", .perm = (int[]){ 1, 0, 1 });
    refuse_all(DRX_EMISMATCH, "axis 1 goes to no axis of the array, but the section has 8",
               .perm = (int[]){ -1, 0, -1 });
    refuse_all(DRX_ERANGE, "axis 1 of the array: 8 indices from 0 on, the axis has 6", .perm = (int[]){ -1, 1, 0 });
}

static void handles(void)
{
    static const int numbers[] = { 0, 1, 12345, -999, -2147483647, 2147483647 };
    const int gone = GA_Duplicate(g_a, (char[]){ "gone" });
    struct arguments w = { .g_a = g_a };

    GA_Destroy(gone);
    for (size_t i = 0; i <= sizeof numbers / sizeof *numbers; i++) {
        w.g_a = i ? numbers[i - 1] : gone;
        if (GA_Valid_handle(w.g_a))
            wrong("%d is a handle", w.g_a);
        each(&w, DRX_EINVAL, "is not the handle of a global array on this process");
    }
    refuse(drxga_write_all(g_a, NULL, NULL, NULL, NULL, NULL), DRX_EINVAL, "null pointer");
    refuse(drxga_read(g_a, NULL, NULL, NULL, NULL, NULL), DRX_EINVAL, "null pointer");
}

static void kinds(void)
{
    int dims[] = { 6, 8 }, mine = NGA_Register_type(24), odd, whole;
    struct arguments w = { .g_a = g_a };

    w.g_a = whole = NGA_Create(C_INT, 2, dims, (char[]){ "whole" }, NULL);
    each(&w, DRX_EMISMATCH, "\"whole\": elements of type int32, the array has float64");
    w.g_a = odd = NGA_Create(mine, 2, dims, (char[]){ "odd" }, NULL);
    each(&w, DRX_EUNSUPPORTED, "\"odd\": elements of type ");
    GA_Destroy(odd);
    GA_Destroy(whole);
    NGA_Deregister_type(mine);
    w.g_a = NGA_Create_config(C_DBL, 2, dims, (char[]){ "mirror" }, NULL, GA_Pgroup_get_mirror());
    if (GA_Is_mirrored(w.g_a))
        each(&w, DRX_EUNSUPPORTED, "\"mirror\": it is mirrored");
    GA_Destroy(w.g_a);
}

/* Arguments that are right one by one, but not the same. */
static void differing(void)
{
    static const int64_t one_row[] = { 0, 7 }, up[] = { 1, 0, 0 };
    static const int perm[] = { -1, 0, 1 };
    const bool odd = last();
    const drx_status st = DRX_EMISMATCH;

    if (team.ranks == 1)
        return;
    refuse(alike(drxga_write_all(g_a, NULL, odd ? one_row : NULL, a, NULL, NULL)), st,
           "the ranks differ in the section");
    refuse(alike(drxga_write_all(g_a, NULL, NULL, a, odd ? up : NULL, NULL)), st, "the ranks differ in lo");
    refuse(
        alike(odd ? drxga_write_all(g_a, NULL, NULL, a, NULL, NULL) : drxga_read_all(g_a, NULL, NULL, a, NULL, NULL)),
        st, "the ranks differ in what they call");
    succeed(alike(drxga_write_all(g_a, NULL, NULL, a, NULL, odd ? perm : NULL))); /* the same, said otherwise */
}

/* On some of the processes, or block-cyclic there. */
static void processes(void)
{
    const struct team all = team;
    int members[64], block[] = { 1, 1 }, dims[] = { 6, 8 }, group, on_group;
    struct arguments w = { .g_a = g_a };

    if (all.ranks < 3)
        return;
    for (int r = 0; r < all.ranks - 1; r++)
        members[r] = r;
    group = GA_Pgroup_create(members, all.ranks - 1);
    on_group = last() ? 0 : NGA_Create_config(C_DBL, 2, dims, (char[]){ "fewer" }, NULL, group);
    refuse(alike(drxga_write_all(on_group, NULL, NULL, a, NULL, NULL)), DRX_EMISMATCH, "\"fewer\": it is on");
    if (!last()) {
        drxmp_array *few;
        const drx_spec spec = { .flags = DRX_REPLACE };

        team.comm = GA_MPI_Comm_pgroup(group);
        succeed(alike(drxga_create(team.comm, "few", on_group, &spec, &few)));
        succeed(alike(drxga_write_all(on_group, NULL, NULL, few, NULL, NULL)));
        refuse(alike(drxga_write_all(g_a, NULL, NULL, few, NULL, NULL)), DRX_EMISMATCH, "\"tested\": it is on");
        succeed(drxga_write(on_group, NULL, NULL, drxmp_serial(a), NULL, NULL));
        succeed(drxga_write(g_a, NULL, NULL, drxmp_serial(few), NULL, NULL));
        succeed(alike(drxmp_close(few)));
        w.g_a = GA_Create_handle();
        GA_Set_data(w.g_a, 2, dims, C_DBL);
        GA_Set_array_name(w.g_a, (char[]){ "cyclic" });
        GA_Set_block_cyclic(w.g_a, block);
        GA_Set_pgroup(w.g_a, group);
        (void)GA_Allocate(w.g_a);
        refuse(drxga_write(w.g_a, NULL, NULL, drxmp_serial(a), NULL, NULL), DRX_EUNSUPPORTED,
               "\"cyclic\": it is block-cyclic and on a group of");
        GA_Destroy(w.g_a);
        GA_Destroy(on_group);
        GA_Pgroup_destroy(group);
        team = all;
    }
    GA_Sync();
}

static void readers(void)
{
    drxmp_array *reader;

    succeed(alike(drxmp_sync(a)));
    succeed(alike(drxmp_close(a)));
    succeed(alike(drxmp_open(team.comm, "refused", DRX_RDONLY, &reader)));
    refuse(alike(drxga_write_all(g_a, NULL, NULL, reader, NULL, NULL)), DRX_EACCES, "");
    refuse(drxga_write(g_a, NULL, NULL, drxmp_serial(reader), NULL, NULL), DRX_EACCES, "");
    succeed(alike(drxga_read_all(g_a, NULL, NULL, reader, NULL, NULL)));
    succeed(alike(drxmp_close(reader)));
    succeed(alike(drxmp_open(team.comm, "refused", DRX_RDWR, &a)));
}

void refused(void)
{
    make_both();
    arguments();
    handles();
    kinds();
    check_global(g_a, &global, "after refusals");
    if (team.rank == 0)
        check_array(drxmp_serial(a), &array, "after refusals");
    GA_Sync();
    differing();
    processes();
    readers();
    succeed(alike(drxmp_close(a)));
}
