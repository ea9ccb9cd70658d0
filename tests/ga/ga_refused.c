/* Whatever is wrong gives an error that names it, the same on all processes, and nothing moves. Both by all processes
 * and on one of them alone. */
#include <string.h>

#include "ga_testing.h"

/* Does something only on the last process, and otherwise what is right. */
static bool last(void)
{
    return team.rank == team.ranks - 1;
}

static struct plain global, array;
static int g_a;
static drxmp_array *a;

static void make_both(void)
{
    const int64_t gdims[] = { 6, 8 }, shape[] = { 4, 6, 8 }, lower[] = { -1, 0, 0 };
    const drx_spec spec = { .ndim = 3, .type = DRX_FLOAT64, .shape = shape, .lower = lower, .flags = DRX_REPLACE };
    enum way way = REGULAR;

    global = make_plain(DRX_FLOAT64, 2, NULL, gdims);
    array = make_plain(DRX_FLOAT64, 3, lower, shape);
    fill_plain(&global);
    g_a = make_global(C_DBL, &global, &way);
    put_global(g_a, &global);
    succeed(alike(drxmp_create(team.comm, "refused", &spec, &a)));
}

static void unmake_both(void)
{
    succeed(alike(drxmp_close(a)));
    GA_Destroy(g_a);
    free_plain(&global);
    free_plain(&array);
}

struct arguments {
    int g_a;
    const int64_t *glo, *ghi, *lo;
    const int *perm;
};

#define none ((struct arguments){ .g_a = g_a })

/* All four calls refuse it. */
static void each(const struct arguments *wrong_ones, drx_status st, const char *detail)
{
    const struct arguments *w = wrong_ones;

    refuse(alike(drxga_write_all(w->g_a, w->glo, w->ghi, a, w->lo, w->perm)), st, detail);
    refuse(alike(drxga_read_all(w->g_a, w->glo, w->ghi, a, w->lo, w->perm)), st, detail);
    refuse(drxga_write(w->g_a, w->glo, w->ghi, drxmp_serial(a), w->lo, w->perm), st, detail);
    refuse(drxga_read(w->g_a, w->glo, w->ghi, drxmp_serial(a), w->lo, w->perm), st, detail);
}

/* Only the last process gives it. */
static void one(const struct arguments *wrong_ones, drx_status st, const char *detail)
{
    const struct arguments right = none, *w = last() ? wrong_ones : &right;

    refuse(alike(drxga_write_all(w->g_a, w->glo, w->ghi, a, w->lo, w->perm)), st, detail);
    refuse(alike(drxga_read_all(w->g_a, w->glo, w->ghi, a, w->lo, w->perm)), st, detail);
}

static void bounds(void)
{
    static const int64_t low[] = { -1, 0 }, high[] = { 5, 8 }, five[] = { 5, 7 }, six[] = { 4, 7 };
    static const int64_t before[] = { -2, 0, 0 }, behind[] = { 3, 0, 0 }, beyond[] = { 0, 1, 0 };
    static const int64_t far[] = { INT64_MAX, 0, 0 }, near[] = { INT64_MIN, 0, 0 };
    struct arguments w = none;

    w.glo = low;
    each(&w, DRX_ERANGE, "\"tested\": axis 0: section from -1 to 5, the axis has 0 to 5");
    one(&w, DRX_ERANGE, "\"tested\": axis 0: section from -1 to 5, the axis has 0 to 5");
    w = none;
    w.ghi = high;
    each(&w, DRX_ERANGE, "axis 1: section from 0 to 8, the axis has 0 to 7");
    w.glo = five;
    w.ghi = six;
    each(&w, DRX_ERANGE, "axis 0: section from 5 to 4, the axis has 0 to 5");
    w = none;
    w.lo = before;
    each(&w, DRX_ERANGE, "axis 0 of the array: 1 indices from -2 on, the axis has 4 from -1 on");
    one(&w, DRX_ERANGE, "axis 0 of the array: 1 indices from -2 on, the axis has 4 from -1 on");
    w.lo = behind;
    each(&w, DRX_ERANGE, "axis 0 of the array: 1 indices from 3 on, the axis has 4 from -1 on");
    w.lo = beyond;
    each(&w, DRX_ERANGE, "axis 1 of the array: 6 indices from 1 on, the axis has 6 from 0 on");
    w.lo = far;
    each(&w, DRX_ERANGE, "axis 0 of the array: 1 indices from 9223372036854775807 on");
    w.lo = near;
    each(&w, DRX_ERANGE, "axis 0 of the array: 1 indices from -9223372036854775808 on");
}

static void axes(void)
{
    static const int two[] = { -1, 0, 2 }, minus[] = { -2, 0, 1 }, twice[] = { 1, 0, 1 }, left[] = { -1, 0, -1 };
    static const int turned[] = { -1, 1, 0 };
    struct arguments w = none;

    w.perm = two;
    each(&w, DRX_EINVAL, "\"tested\": perm: 2 for axis 2 of the array, expected 0 to 1, or -1 for none");
    one(&w, DRX_EINVAL, "\"tested\": perm: 2 for axis 2 of the array, expected 0 to 1, or -1 for none");
    w.perm = minus;
    each(&w, DRX_EINVAL, "perm: -2 for axis 0 of the array, expected 0 to 1, or -1 for none");
    w.perm = twice;
    each(&w, DRX_EINVAL, "perm has 1 twice");
    w.perm = left;
    each(&w, DRX_EMISMATCH, "axis 1 goes to no axis of the array, but the section has 8 indices there");
    w.perm = turned;
    each(&w, DRX_ERANGE, "axis 1 of the array: 8 indices from 0 on, the axis has 6 from 0 on");
}

static void handles(void)
{
    static const int numbers[] = { 0, 1, 12345, -999, -2147483647, 2147483647 };
    const int gone = GA_Duplicate(g_a, (char[]){ "gone" });
    struct arguments w = none;

    GA_Destroy(gone);
    for (size_t i = 0; i <= sizeof numbers / sizeof *numbers; i++) {
        w.g_a = i ? numbers[i - 1] : gone;
        if (GA_Valid_handle(w.g_a))
            wrong("%d is a handle", w.g_a);
        each(&w, DRX_EINVAL, "is not the handle of a global array on this process");
        one(&w, DRX_EINVAL, "is not the handle of a global array on this process");
    }
    refuse(drxga_write_all(g_a, NULL, NULL, NULL, NULL, NULL), DRX_EINVAL, "null pointer");
    refuse(drxga_read(g_a, NULL, NULL, NULL, NULL, NULL), DRX_EINVAL, "null pointer");
}

static void kinds(void)
{
    int dims[] = { 6, 8 }, mine = NGA_Register_type(24), odd, whole;
    struct arguments w = none;

    w.g_a = whole = NGA_Create(C_INT, 2, dims, (char[]){ "whole" }, NULL);
    each(&w, DRX_EMISMATCH, "\"whole\": elements of type int32, the array has float64");
    w.g_a = odd = NGA_Create(mine, 2, dims, (char[]){ "odd" }, NULL);
    each(&w, DRX_EUNSUPPORTED, "\"odd\": elements of type ");
    one(&w, DRX_EUNSUPPORTED, "\"odd\": elements of type ");
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
    const bool odd = last() && team.ranks > 1;
    const drx_status st = team.ranks > 1 ? DRX_EMISMATCH : DRX_OK;

#define differ(call, in)                 \
    do {                                 \
        if (team.ranks > 1)              \
            refuse(alike(call), st, in); \
    } while (0)
    differ(drxga_write_all(g_a, NULL, odd ? one_row : NULL, a, NULL, NULL), "the ranks differ in the section");
    differ(drxga_write_all(g_a, NULL, NULL, a, odd ? up : NULL, NULL), "the ranks differ in lo");
    differ(odd ? drxga_write_all(g_a, NULL, NULL, a, NULL, NULL) : drxga_read_all(g_a, NULL, NULL, a, NULL, NULL),
           "the ranks differ in what they call");
    succeed(alike(drxga_write_all(g_a, NULL, NULL, a, NULL, odd ? perm : NULL))); /* the same, said otherwise */
}

/* On some of the processes, or block-cyclic there. */
static void processes(void)
{
    const struct team all = team;
    int members[64], block[] = { 1, 1 }, dims[] = { 6, 8 }, group, on_group;
    struct arguments w = none;

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
    bounds();
    axes();
    handles();
    kinds();
    check_global(g_a, &global, "after refusals");
    if (team.rank == 0)
        check_array(drxmp_serial(a), &array, "after refusals");
    GA_Sync();
    differing();
    processes();
    readers();
    unmake_both();
}
