/* NDRA_Copy and NDRA_Extend, against models. */
#include "dra_model.h"

#include <dlfcn.h>
#include <unistd.h>

#include "drx_dra.h"
#include "drx_tools.h"

static char one[] = "source", other[] = "target";
static bool copies_are_slow;

/* What the drop-in calls: here it can take its time. */
drx_status drx_copy_into(drx_array *src, drx_array *dst, const drx_copy_spec *spec)
{
    drx_status (*real)(drx_array * src, drx_array * dst, const drx_copy_spec *spec);

    *(void **)&real = dlsym(RTLD_NEXT, "drx_copy_into");
    if (copies_are_slow)
        (void)usleep(30000);
    return real(src, dst, spec);
}

static void random_permutation(int ndim, int perm[])
{
    for (int j = 0; j < ndim; j++) {
        const int k = (int)below(j + 1);

        perm[j] = perm[k];
        perm[k] = j;
    }
}

/* Axis j of the result is axis perm[j] of the model. */
static struct model permuted(const struct model *model, const int perm[])
{
    int64_t dims[MOST_DIMS], index[MOST_DIMS], from;
    struct model result;

    for (int j = 0; j < model->ndim; j++)
        dims[j] = model->dims[perm[j]];
    result = make_model(model->type, model->ndim, dims);
    for (int64_t i = 0; i < result.count; i++) {
        int64_t rest = i;

        for (int j = result.ndim - 1; j >= 0; j--) {
            index[perm[j]] = rest % result.dims[j];
            rest /= result.dims[j];
        }
        from = 0;
        for (int j = 0; j < model->ndim; j++)
            from = from * model->dims[j] + index[j];
        for (size_t b = 0; b < model->element_bytes; b++)
            result.bytes[(size_t)i * model->element_bytes + b] = model->bytes[(size_t)from * model->element_bytes + b];
    }
    return result;
}

static void random_hint(const struct model *model, int64_t hint[])
{
    for (int j = 0; j < model->ndim; j++)
        hint[j] = below(3) ? 1 + below(model->dims[j]) : -1;
}

static void copy_once(int ndim, int type)
{
    int64_t dims[MOST_DIMS], hint[MOST_DIMS];
    int perm[MOST_DIMS] = { 0 }, source, target, request;
    struct model model, expected;

    for (int j = 0; j < ndim; j++)
        dims[j] = 1 + below(ndim < 3 ? 120 : ndim < 5 ? 12 : 5);
    random_permutation(ndim, perm);
    model = make_model(type, ndim, dims);
    fill_model(&model, (uint64_t)below(1000));
    expected = permuted(&model, perm);
    random_hint(&model, hint);
    succeed(create_disk(&model, one, DRA_RW, hint, &source));
    random_hint(&expected, hint);
    succeed(create_disk(&expected, other, DRA_RW, hint, &target));
    succeed(write_disk(source, &model, 0));
    succeed(NDRA_Copy(source, target, perm, &request));
    succeed(DRA_Wait(request));
    check_disk(target, &expected, 0, "copy");
    check_disk(source, &model, 0, "source");
    succeed(DRA_Delete(source));
    succeed(DRA_Delete(target));
}

/* Copies that have begun, in a chain, then writes to what they read: they have what was there when they began. */
static void copies_go_on(void)
{
    const int64_t dims[] = { 70, 50 };
    struct model model = make_model(C_DBL, 2, dims), later = make_model(C_DBL, 2, dims), turned, other_turned;
    int exchanged[] = { 1, 0 }, source, target, third, requests[2];
    char path[] = "third";

    fill_model(&model, 3);
    fill_model(&later, 4);
    turned = permuted(&model, exchanged);
    other_turned = permuted(&later, exchanged);
    succeed(create_disk(&model, one, DRA_RW, NULL, &source));
    succeed(create_disk(&turned, other, DRA_RW, NULL, &target));
    succeed(create_disk(&model, path, DRA_RW, NULL, &third));
    succeed(write_disk(source, &model, 0));
    copies_are_slow = true;
    for (int round = 0; round < 3; round++) {
        succeed(NDRA_Copy(source, target, exchanged, &requests[0]));
        succeed(NDRA_Copy(target, third, exchanged, &requests[1]));
        if (round == 1)
            succeed(NDRA_Extend(target, 0, 1)); /* waits for both */
        else
            succeed(write_disk(target, &other_turned, 0)); /* waits for the second, which reads it */
        for (int done = 0; !done;)
            succeed(DRA_Probe(requests[1], &done));
        succeed(DRA_Wait(requests[0]));
        succeed(DRA_Wait(requests[1]));
        check_disk(third, &model, 0, "chain");
        if (round == 1)
            break;
        check_disk(target, &other_turned, 0, "written later");
    }
    succeed(NDRA_Copy(source, third, NULL, &requests[0]));
    succeed(DRA_Delete(third)); /* waits for it */
    copies_are_slow = false;
    succeed(DRA_Wait(requests[0]));
    succeed(DRA_Delete(source));
    succeed(DRA_Delete(target));
}

static void bad_copies(void)
{
    const int64_t dims[] = { 6, 8 }, turned[] = { 8, 6 };
    struct model model = make_model(C_DBL, 2, dims), integers = make_model(C_INT, 2, dims);
    struct model across = make_model(C_DBL, 2, turned);
    int twice[] = { 1, 1 }, outside[] = { 0, 2 }, below_all[] = { -1, 0 }, exchanged[] = { 1, 0 };
    int source, target, third, request;

    fill_model(&model, 1);
    succeed(create_disk(&model, one, DRA_RW, NULL, &source));
    succeed(create_disk(&integers, other, DRA_RW, NULL, &target));
    succeed(create_disk(&across, "third", DRA_RW, NULL, &third));
    succeed(write_disk(source, &model, 0));
    fail(NDRA_Copy(source, target, NULL, &request)); /* types */
    fail(NDRA_Copy(source, third, NULL, &request));  /* shapes */
    fail(NDRA_Copy(source, third, twice, &request));
    fail(NDRA_Copy(source, third, outside, &request));
    fail(NDRA_Copy(source, third, below_all, &request));
    fail(NDRA_Copy(source, source, NULL, &request));
    fail(NDRA_Copy(source, -4000, NULL, &request));
    fail(NDRA_Copy(-4000, third, NULL, &request));
    succeed(DRA_Close(third));
    succeed(DRA_Open("third", DRA_R, &third));
    fail(NDRA_Copy(source, third, exchanged, &request));
    succeed(DRA_Close(third));
    succeed(DRA_Open("third", DRA_RW, &third));
    succeed(NDRA_Copy(source, third, exchanged, &request));
    succeed(DRA_Wait(request));
    check_disk(source, &model, 0, "after bad copies");
    succeed(DRA_Delete(source));
    succeed(DRA_Delete(target));
    succeed(DRA_Delete(third));
}

/* The larger model with the smaller one in its corner, else 0. */
static struct model grown(const struct model *model, int axis, int64_t by)
{
    const struct section whole = whole_section(model);
    int64_t dims[MOST_DIMS];
    struct model larger;

    for (int j = 0; j < model->ndim; j++)
        dims[j] = model->dims[j] + (j == axis ? by : 0);
    larger = make_model(model->type, model->ndim, dims);
    copy_section(&larger, &whole, model, &whole, false);
    return larger;
}

static void extend(void)
{
    const int64_t dims[] = { 5, 4, 3 }, hint[] = { 2, 3, 2 };
    struct model model = make_model(C_SCPL, 3, dims);
    int d_a;

    fill_model(&model, 2);
    succeed(create_disk(&model, one, DRA_RW, hint, &d_a));
    succeed(write_disk(d_a, &model, 0));
    for (int i = 0; i < 12; i++) {
        const int axis = (int)below(3);
        const int64_t by = below(4);

        succeed(NDRA_Extend(d_a, axis, by));
        model = grown(&model, axis, by);
        if (i % 4 == 3) {
            succeed(DRA_Close(d_a));
            succeed(DRA_Open(one, DRA_RW, &d_a));
        }
        check_disk(d_a, &model, 0, "extended");
        if (i % 3 == 1) {
            fill_model(&model, (uint64_t)i);
            succeed(write_disk(d_a, &model, 0));
        }
    }
    fail(NDRA_Extend(d_a, -1, 1));
    fail(NDRA_Extend(d_a, 3, 1));
    fail(NDRA_Extend(d_a, 0, -1));
    fail(NDRA_Extend(d_a, 0, INT64_MAX));
    fail(NDRA_Extend(-4000, 0, 1));
    fail(NDRA_Extend(d_a, 0, me + 1 == ranks ? -2 : 1));
    check_disk(d_a, &model, 0, "after bad extensions");
    succeed(DRA_Close(d_a));
    succeed(DRA_Open(one, DRA_R, &d_a));
    fail(NDRA_Extend(d_a, 0, 1));
    succeed(DRA_Delete(d_a));
}

void copy(void)
{
    succeed(DRA_Init(-1, -1, -1, 1 << 20));
    for (int i = 0; i < 12; i++)
        copy_once(2 + i % (MOST_DIMS - 1), all_types[i % TYPES]);
    bad_copies();
    copies_go_on();
    extend();
    succeed(DRA_Terminate());
}
