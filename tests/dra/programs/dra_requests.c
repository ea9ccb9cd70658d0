/* Several requests at a time, on several arrays. The program waits for them in any order and probes some. */
#include <inttypes.h>
#include <stdio.h>

#include "dra_model.h"

enum { ARRAYS = 3, MOST = 5 }; /* Global Arrays has room for 5 requests */

struct array {
    struct model disk, global; /* equal in shape */
    int d_a, g_a;
    struct section section; /* of both, of the request that is under way */
    int request;
    bool writing;
};

static struct array make(int i)
{
    const int64_t dims[] = { 30 + 7 * i, 41 - 3 * i };
    struct array a = { .request = DRA_REQ_INVALID };
    char file[32];

    a.disk = make_model(all_types[i % TYPES], 2, dims);
    a.global = make_model(a.disk.type, 2, dims);
    (void)snprintf(file, sizeof file, "requests-%d", i);
    succeed(create_disk(&a.disk, file, DRA_RW, i ? dims : NULL, &a.d_a));
    a.g_a = make_global(&a.disk, i % WAYS);
    fill_model(&a.disk, (uint64_t)i);
    put_global(a.g_a, &a.disk);
    write_whole(a.g_a, a.d_a);
    fill_model(&a.global, 100 + (uint64_t)i);
    put_global(a.g_a, &a.global);
    return a;
}

static void start(struct array *a)
{
    a->writing = below(2);
    a->section = random_section(&a->disk);
    a->request = begin_move(a->writing, false, a->g_a, &a->section, a->d_a, &a->section);
}

static void complete(struct array *a)
{
    const int64_t probes = below(4);
    int state = 0;

    for (int64_t i = 0; i < probes && state != ELIO_DONE; i++)
        succeed(DRA_Probe(a->request, &state));
    succeed(DRA_Wait(a->request));
    if (a->writing)
        copy_section(&a->disk, &a->section, &a->global, &a->section, false);
    else
        copy_section(&a->global, &a->section, &a->disk, &a->section, false);
}

/* One request for each array, or several reads of parts of one into one global array. */
static void one_round(struct array arrays[])
{
    const int first = (int)below(ARRAYS);

    for (int i = 0; i < ARRAYS; i++)
        start(&arrays[i]);
    for (int i = 0; i < ARRAYS; i++)
        complete(&arrays[(first + 2 * i) % ARRAYS]);
    for (int i = 0; i < ARRAYS; i++)
        say("%s %d: %016" PRIx64, arrays[i].writing ? "write" : "read", i,
            check_global(arrays[i].g_a, &arrays[i].global, "after a request"));
}

/* As many as there may be: rows of one array, read together. */
static void many_of_one(struct array *a)
{
    int begun[MOST], order = (int)below(MOST);

    for (int i = 0; i < MOST; i++) {
        struct section row = whole_section(&a->disk);

        row.lo[0] = row.hi[0] = i * 4 + below(4);
        begun[i] = begin_move(false, false, a->g_a, &row, a->d_a, &row);
        copy_section(&a->global, &row, &a->disk, &row, false);
    }
    for (int i = 0; i < MOST; i++)
        for (int k = 0; k < i; k++)
            if (begun[i] == begun[k])
                wrong("requests %d and %d are both %d", k, i, begun[i]);
    for (int i = 0; i < MOST; i++)
        succeed(DRA_Wait(begun[(order + 3 * i) % MOST]));
    say("rows: %016" PRIx64, check_global(a->g_a, &a->global, "rows"));
}

static void finished(int request)
{
    int state = 0;

    succeed(DRA_Wait(request));
    succeed(DRA_Probe(request, &state));
    if (state != ELIO_DONE)
        wrong("request %d: state %d after it was waited for, expected %d", request, state, ELIO_DONE);
}

/* Waiting again is allowed: once more at once, after younger requests, and after their array is closed. */
static void stay_known(struct array *a)
{
    int first, second;

    succeed(NDRA_Read(a->g_a, a->d_a, &first));
    succeed(DRA_Wait(first));
    finished(first);
    succeed(NDRA_Read(a->g_a, a->d_a, &second));
    succeed(DRA_Wait(second));
    finished(first);
    finished(second);
    a->section = whole_section(&a->disk);
    copy_section(&a->global, &a->section, &a->disk, &a->section, false);
    say("known: %016" PRIx64, check_global(a->g_a, &a->global, "requests that were waited for twice"));
}

void requests(void)
{
    enum { ROUNDS = 20 };
    struct array arrays[ARRAYS];

    succeed(DRA_Init(ARRAYS, -1, -1, -1));
    for (int i = 0; i < MOST; i++)
        finished(i); /* Global Arrays takes a request that it has not begun for one that is over */
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = make(i);
    for (int i = 0; i < ROUNDS; i++) {
        one_round(arrays);
        many_of_one(&arrays[i % ARRAYS]);
    }
    DRA_Flick();
    stay_known(&arrays[0]);
    for (int i = 0; i < ARRAYS; i++) {
        succeed(NDRA_Read(arrays[i].g_a, arrays[i].d_a, &arrays[i].request));
        succeed(DRA_Wait(arrays[i].request));
        say("whole %d: %016" PRIx64, i, check_global(arrays[i].g_a, &arrays[i].disk, "the whole"));
        succeed(DRA_Delete(arrays[i].d_a));
        finished(arrays[i].request);
    }
    succeed(DRA_Terminate());
}
