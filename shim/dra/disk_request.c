/* Requests, in the order of their numbers.
 *
 * A request that touches what an older one touches begins when every process has completed its part of the older one
 * (here, and by the agreement that follows). So they act as if done one after the other, even where one process reads
 * what another one writes. libdrx orders the requests of one process.
 *
 * A number stays valid after DRA_Wait, as in Global Arrays. Requests that succeeded are forgotten: a number that was
 * given and is not in the list belongs to one of them. Requests that failed stay, and give their error again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"
#include "drx_dra.h"
#include "drx_tools.h"

enum {
    ALWAYS_KNOWN = 5, /* Global Arrays has this many requests, and treats those that it has not begun as finished */
    LAST_NUMBER = 1 << 30, /* after it the numbers begin again, when no request is left */
    STATUSES = 1 << 20     /* more than there are */
};

static struct {
    struct disk_request **all;
    int n, room;
    int next;  /* number to give */
    int given; /* numbers below are known */
    int64_t buffer_bytes;
} requests = { .given = ALWAYS_KNOWN };

static int place(int id)
{
    int low = 0, high = requests.n;

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if (requests.all[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Find a request; NULL: it is over and succeeded. */
static drx_status find(int id, struct disk_request **out)
{
    const int i = place(id);
    const drx_status st = disk_check_init();

    *out = i < requests.n && requests.all[i]->id == id ? requests.all[i] : NULL;
    if (id == DRA_REQ_INVALID)
        return DRX_OK;
    if (st)
        return st;
    if (id == DRA_REQ_FAILED)
        return shim_fail(DRX_EINVAL, "the call that was to begin this request has failed");
    if (id < 0 || id >= requests.given)
        return shim_fail(DRX_EINVAL, "%d is not a request; no call has given this number", id);
    return DRX_OK;
}

/* Forget the failures that the program was told of; if nothing else is left, begin with number 0 again. */
static void begin_anew(void)
{
    for (int i = requests.n - 1; i >= 0; i--)
        if (requests.all[i]->told)
            disk_request_drop(requests.all[i]);
    if (requests.n == 0)
        requests.next = 0;
}

drx_status disk_request_new(const struct disk_request *given, struct disk_request **out)
{
    struct disk_request *r = malloc(sizeof *r);

    if (r && requests.n == requests.room) {
        const int room = requests.room ? 2 * requests.room : 16;
        struct disk_request **all = realloc(requests.all, (size_t)room * sizeof *all);

        if (all) {
            requests.all = all;
            requests.room = room;
        }
    }
    if (!r || requests.n == requests.room) {
        free(r);
        return shim_fail(DRX_ENOMEM, "no memory for a request");
    }
    *r = *given;
    if (requests.next >= LAST_NUMBER)
        begin_anew();
    r->id = requests.next++;
    if (requests.given < requests.next)
        requests.given = requests.next;
    requests.all[requests.n++] = *out = r;
    return DRX_OK;
}

void disk_request_drop(struct disk_request *r)
{
    const int i = place(r->id);

    memmove(requests.all + i, requests.all + i + 1, (size_t)(requests.n - i - 1) * sizeof *requests.all);
    requests.n--;
    free(r->detail);
    free(r);
}

static void note(struct disk_request *r, drx_status st)
{
    if (!st || r->st)
        return;
    r->st = st;
    r->detail = strdup(drx_last_error());
}

static void free_buffer(struct disk_request *r)
{
    free(r->buffer);
    r->buffer = NULL;
    requests.buffer_bytes -= r->buffer_bytes;
    r->buffer_bytes = 0;
}

void disk_request_end(struct disk_request *r, drx_status st)
{
    note(r, st);
    while (r->parts > 0)
        if (r->io[--r->parts])
            note(r, drx_wait(r->io[r->parts]));
    free_buffer(r);
    if (r->copying)
        note(r, disk_copying_end(r->copying));
    r->copying = NULL;
}

void disk_request_buffers_give(int64_t bytes)
{
    for (int i = 0; i < requests.n && requests.buffer_bytes > disk_settings.buffer_bytes - bytes; i++)
        if (requests.all[i]->buffer)
            disk_request_end(requests.all[i], DRX_OK);
}

drx_status disk_request_buffer(struct disk_request *r, int64_t bytes)
{
    disk_request_buffers_give(bytes);
    r->buffer = malloc((size_t)bytes);
    if (!r->buffer)
        return shim_fail(DRX_ENOMEM, "no memory for a buffer of %lld bytes", (long long)bytes);
    r->buffer_bytes = bytes;
    requests.buffer_bytes += bytes;
    return DRX_OK;
}

/* The status of a request that is over; sets the sentence for drx_last_error, too. */
static drx_status result(struct disk_request *r)
{
    const drx_status st = r->st;

    if (st)
        (void)drx_fail(st, r->detail ? r->detail : drx_strerror(st));
    return st;
}

/* All processes have completed their parts, with this status. Collective. */
static void conclude(struct disk_request *r, drx_status st)
{
    if (st && !r->st)
        r->detail = strdup(drx_last_error());
    r->st = st;
    if (!r->writing)
        GA_Sync();
    r->array = r->source = NULL;
}

/* Complete the request on every process. Collective. */
static void finish(struct disk_request *r)
{
    if (!r->array)
        return;
    disk_request_end(r, DRX_OK);
    conclude(r, drxgai_agree(r->array->comm, result(r), NULL));
}

static bool overlap(int ndim, const struct disk_box *x, const struct disk_box *y)
{
    for (int j = 0; j < ndim; j++)
        if (x->hi[j] < y->lo[j] || y->hi[j] < x->lo[j])
            return false;
    return true;
}

/* The box on disk, counted in chunks. */
static struct disk_box chunks(const struct disk_request *r)
{
    struct disk_box box = r->disk;

    for (int j = 0; j < r->array->ndim; j++) {
        box.lo[j] /= r->array->chunk[j];
        box.hi[j] /= r->array->chunk[j];
    }
    return box;
}

/* No other write may touch the chunks of a narrow write. */
static bool conflict_on_disk(const struct disk_request *x, const struct disk_request *y)
{
    const struct disk_box of_x = chunks(x), of_y = chunks(y);

    if (x->array != y->array || !(x->writing || y->writing))
        return false;
    if (x->writing && y->writing && (x->narrow || y->narrow))
        return overlap(x->array->ndim, &of_x, &of_y);
    return overlap(x->array->ndim, &x->disk, &y->disk);
}

/* x copies from an array to which y writes. */
static bool reads(const struct disk_request *x, const struct disk_request *y)
{
    return x->source && x->source == y->array && y->writing && overlap(y->array->ndim, &x->source_box, &y->disk);
}

static bool conflict(const struct disk_request *x, const struct disk_request *y)
{
    if (conflict_on_disk(x, y) || reads(x, y) || reads(y, x))
        return true;
    return x->g_a == y->g_a && !(x->writing && y->writing) && overlap(x->array->ndim, &x->memory, &y->memory);
}

void disk_requests_before(const struct disk_request *r)
{
    for (int i = 0; i < requests.n; i++)
        if (requests.all[i]->array && conflict(requests.all[i], r))
            disk_request_end(requests.all[i], DRX_OK);
}

void disk_requests_finish(const struct disk_array *a)
{
    for (int i = 0; i < requests.n; i++)
        if (requests.all[i]->array && (!a || requests.all[i]->array == a || requests.all[i]->source == a))
            finish(requests.all[i]);
}

void disk_requests_free(void)
{
    while (requests.n)
        disk_request_drop(requests.all[requests.n - 1]);
    free(requests.all);
    requests.all = NULL;
    requests.room = 0;
}

/* Agree on the number of a request and complete it, which takes one agreement. Where some process has a wrong number,
 * all return that error, and the request goes on. */
static drx_status finish_number(struct disk_request *r, drx_status number)
{
    const bool pending = !number && r && r->array;
    int st = number ? number - STATUSES : DRX_OK;

    if (pending && r->array->comm != disk_comm()) { /* the default group is another one than at the call */
        st = drxgai_agree(disk_comm(), number, NULL);
        if (st < -STATUSES) /* a wrong number, of a process that goes the other way */
            return st + STATUSES;
        if (!st)
            finish(r);
        return st;
    }
    if (pending) {
        disk_request_end(r, DRX_OK);
        st = result(r);
    }
    st = drxgai_agree(disk_comm(), st, NULL);
    if (st < -STATUSES)
        return st + STATUSES;
    if (pending)
        conclude(r, st);
    return DRX_OK;
}

drx_status disk_wait(int id)
{
    struct disk_request *r;
    drx_status st = find(id, &r);

    if (id == DRA_REQ_INVALID)
        return DRX_OK;
    st = finish_number(r, st);
    if (st || !r)
        return st;
    st = result(r);
    r->told = true;
    if (!st)
        disk_request_drop(r);
    return st;
}

/* Is this process's part done? Makes progress. */
static bool test(const struct disk_request *r)
{
    bool all = !r->copying || disk_copying_over(r->copying);

    for (int i = 0; i < r->parts; i++) {
        int done = 1;

        if (r->io[i])
            (void)drx_test(r->io[i], &done);
        all = all && done;
    }
    return all;
}

drx_status disk_probe(int id, int *done)
{
    struct disk_request *r;
    drx_status st = find(id, &r);

    *done = 1;
    if (id == DRA_REQ_INVALID)
        return DRX_OK;
    st = drxgai_agree(disk_comm(), st, NULL);
    if (st || !r)
        return st;
    if (r->array) {
        *done = test(r);
        if (MPI_Allreduce(MPI_IN_PLACE, done, 1, MPI_INT, MPI_MIN, r->array->comm) != MPI_SUCCESS)
            return shim_fail(DRX_EMPI, "the processes could not agree");
        if (*done)
            finish(r);
    }
    return *done ? result(r) : DRX_OK;
}

void disk_flick(void)
{
    for (int i = 0; i < requests.n; i++)
        (void)test(requests.all[i]);
}
