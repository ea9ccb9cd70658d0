#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "requests.h"

enum { EDGE = 32, ROWS = 8, LARGE_SIZE = 512 };
enum { INDEX_SEED = 1 << 28, BOX_SEED = 2 << 28, STRIP_SEED = 3 << 28 };

int64_t in_proportion(int64_t count, int64_t least, int64_t size)
{
    const double part = (double)size / LARGE_SIZE;
    const int64_t n = (int64_t)((double)count * part * part * part);

    return n < least ? least : n;
}

struct layout array_layout(bool table, int64_t size)
{
    const int64_t columns = 8 * size;

    if (table)
        return (struct layout){ 2, { size * size / 8, columns }, { ROWS, columns } };
    return (struct layout){ 3, { size, size, size }, { EDGE, EDGE, EDGE } };
}

static int64_t random_below(uint64_t seed, int64_t which, int axis, int64_t end)
{
    return (int64_t)(mix(seed + 3 * (uint64_t)which + (uint64_t)axis) % (uint64_t)end);
}

void request_box(const struct requests *r, const struct layout *layout, int64_t which, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < layout->ndim; j++) {
        const int64_t extent = layout->extent[j];

        lo[j] = 0;
        count[j] = extent;
        switch (r->access) {
        case ELEMENTS:
            count[j] = 1;
            lo[j] = random_below(INDEX_SEED, which, j, extent);
            break;
        case BOXES:
        case SHARED_BOXES:
        case LARGE_BOXES:
            count[j] = r->edge;
            lo[j] = random_below(BOX_SEED, which, j, extent - r->edge + 1);
            break;
        case PLANES:
        case LAST_PLANES:
            if (j == r->axis) {
                count[j] = 1;
                lo[j] = which * extent / r->count;
            }
            break;
        case STRIPS:
            if (j == 1) {
                count[j] = r->edge;
                lo[j] = (int64_t)(mix(STRIP_SEED + (uint64_t)which) % (uint64_t)(extent - r->edge + 1));
            }
            break;
        case SLABS:
            if (j == r->axis) {
                count[j] = r->edge;
                lo[j] = which * r->edge;
            }
            break;
        default:
            break;
        }
    }
}

int64_t request_count(const struct requests *r, const struct layout *layout)
{
    if (r->access == SLABS)
        return layout->extent[r->axis] / r->edge;
    return r->count ? r->count : 1;
}

int64_t requested_elements(const struct requests *r, const struct layout *layout)
{
    int64_t lo[MAX_NDIM], count[MAX_NDIM];

    request_box(r, layout, 0, lo, count);
    return request_count(r, layout) * box_elements(layout->ndim, count);
}

/* ---- elements --------------------------------------------------------------- */

struct place {
    const int64_t *index;
    int64_t which;
};

static int by_index(const void *a, const void *b)
{
    const int64_t *x = ((const struct place *)a)->index, *y = ((const struct place *)b)->index;

    for (int j = 0; j < MAX_NDIM; j++)
        if (x[j] != y[j])
            return x[j] < y[j] ? -1 : 1;
    return 0;
}

static enum outcome get_sorted(const struct peer *peer, void *array, int64_t n, const int64_t (*index)[MAX_NDIM],
                               double *out)
{
    struct place *places = malloc((size_t)n * sizeof *places);
    enum outcome outcome = DONE;

    if (!places)
        return complain("no memory");
    for (int64_t e = 0; e < n; e++)
        places[e] = (struct place){ index[e], e };
    qsort(places, (size_t)n, sizeof *places, by_index);
    for (int64_t e = 0; e < n && outcome == DONE; e++)
        outcome = peer->get(array, places[e].index, &out[places[e].which]);
    free(places);
    return outcome;
}

static enum outcome get_elements(const struct peer *peer, void *array, const struct requests *r,
                                 const int64_t (*index)[MAX_NDIM], double *out)
{
    enum outcome outcome = DONE;

    if (r->list)
        return peer->get_many ? peer->get_many(array, r->count, index, out)
                              : get_sorted(peer, array, r->count, index, out);
    for (int64_t e = 0; e < r->count && outcome == DONE; e++)
        outcome = peer->get(array, index[e], &out[e]);
    return outcome;
}

/* ---- all --------------------------------------------------------------------- */

static enum outcome read_boxes(const struct session *s, void *array, const struct requests *r, double *out)
{
    enum outcome outcome = DONE;

    for (int64_t n = 0; n < request_count(r, &s->layout) && outcome == DONE; n++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, &s->layout, r->first + n, lo, count);
        outcome = s->peer->read(array, lo, count, out);
        out += box_elements(s->layout.ndim, count);
    }
    return outcome;
}

/* What a second thread reads. */
struct share {
    const struct session *s;
    void *array;
    struct requests r;
    double *out;
    enum outcome outcome;
};

static void *read_share(void *arg)
{
    struct share *share = arg;

    share->outcome = read_boxes(share->s, share->array, &share->r, share->out);
    return NULL;
}

/* Two threads, half of the boxes each, through one handle. */
static enum outcome share_boxes(const struct session *s, void *array, const struct requests *r)
{
    struct requests first = *r;
    struct share second = { s, array, *r, s->out, FAILED };
    enum outcome outcome;
    pthread_t thread;

    first.count = r->count / 2;
    second.r.first += first.count;
    second.r.count -= first.count;
    second.out += requested_elements(&first, &s->layout);
    if (pthread_create(&thread, NULL, read_share, &second))
        return complain("no thread");
    outcome = read_boxes(s, array, &first, s->out);
    (void)pthread_join(thread, NULL);
    return outcome == DONE ? second.outcome : outcome;
}

static enum outcome make_requests(const struct session *s, void *array, const struct requests *r)
{
    if (r->access == ELEMENTS)
        return get_elements(s->peer, array, r, (const int64_t(*)[MAX_NDIM])s->index, s->out);
    if (r->access == FORTRAN)
        return s->peer->read_fortran ? s->peer->read_fortran(array, &s->layout, s->out)
                                     : read_fortran_by_slabs(s->peer, array, &s->layout, s->out);
    return r->access == SHARED_BOXES ? share_boxes(s, array, r) : read_boxes(s, array, r, s->out);
}

static enum outcome check_requests(const struct requests *r, const struct layout *layout, const double *out)
{
    const int64_t n = request_count(r, layout);
    enum outcome outcome = DONE;

    for (int64_t which = 0; which < n && outcome == DONE; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, layout, r->first + which, lo, count);
        if (r->access == ELEMENTS && *out != value_at(layout->ndim, lo))
            return complain("one of the elements that were read is wrong");
        if (r->access != ELEMENTS)
            outcome = check_box(layout->ndim, lo, count, r->access == FORTRAN, out);
        out += box_elements(layout->ndim, count);
    }
    return outcome;
}

enum outcome begin_session(const struct job *job, const char *array, const struct requests *r, int64_t elements,
                           int64_t places, struct session *s)
{
    const struct requests all = { .access = ELEMENTS, .count = places };
    const size_t slab = (size_t)(job->size * job->size * EDGE) * sizeof(double);
    int64_t needed, one[MAX_NDIM];

    s->peer = job->peer;
    s->layout = array_layout(r->access == STRIPS, job->size);
    s->checksum = 0;
    needed = requested_elements(r, &s->layout);
    array_path(job->folder, job->peer->files, array, s->path);
    s->index = buffer(SLAB, (size_t)places * sizeof *s->index + slab);
    s->out = buffer(TARGET, (size_t)(elements > needed ? elements : needed) * sizeof *s->out);
    if (!s->index || !s->out || !buffer(STAGE, slab))
        return FAILED;
    for (int64_t e = 0; e < places; e++)
        request_box(&all, &s->layout, e, s->index[e], one);
    return DONE;
}

enum outcome read_requests(struct session *s, const struct requests *r, const char *name)
{
    const int64_t elements = requested_elements(r, &s->layout);
    enum outcome outcome;
    double start, seconds;
    void *array;

    memset(s->out, 0xff, (size_t)elements * sizeof *s->out); /* what was read before */
    start = now();
    outcome = s->peer->open(s->peer, s->path, &s->layout, r->access, &array);
    if (outcome != DONE)
        return outcome;
    if (!s->opening)
        start = now();
    outcome = make_requests(s, array, r);
    seconds = now() - start;
    if (s->peer->close(array) != DONE && outcome == DONE)
        outcome = FAILED;
    if (outcome != DONE)
        return outcome;
    answer_number(name, seconds);
    s->checksum = checksum(elements, s->out);
    return check_requests(r, &s->layout, s->out);
}

enum outcome answer_chunks(const struct requests *r, const struct layout *layout)
{
    int64_t grid[MAX_NDIM], all = 0, distinct = 0, n = request_count(r, layout);
    bool *met;

    for (int j = 0; j < 3; j++)
        grid[j] = layout->extent[j] / layout->chunk[j];
    met = calloc((size_t)box_elements(3, grid), sizeof *met);
    if (!met)
        return complain("no memory");
    for (int64_t which = 0; which < n; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM], first[MAX_NDIM], last[MAX_NDIM];

        request_box(r, layout, which, lo, count);
        for (int j = 0; j < 3; j++) {
            first[j] = lo[j] / layout->chunk[j];
            last[j] = (lo[j] + count[j] - 1) / layout->chunk[j];
        }
        for (int64_t i = first[0]; i <= last[0]; i++)
            for (int64_t j = first[1]; j <= last[1]; j++)
                for (int64_t k = first[2]; k <= last[2]; k++) {
                    bool *chunk = &met[(i * grid[1] + j) * grid[2] + k];

                    all++;
                    distinct += !*chunk;
                    *chunk = true;
                }
    }
    free(met);
    answer_integer("chunks", all);
    answer_integer("distinct_chunks", distinct);
    answer_integer("chunk_bytes", box_elements(3, layout->chunk) * (int64_t)sizeof(double));
    return DONE;
}
