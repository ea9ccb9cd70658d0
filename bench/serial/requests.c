#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, LARGE_SIZE = 512, BOX_SAMPLES = 64 };
enum { INDEX_SEED = 1 << 28, BOX_SEED = 2 << 28, STRIP_SEED = 3 << 28 };

/* 1024 x 1024 x 512 doubles are 4 GiB. */
struct layout array_layout(const char *array, int64_t size)
{
    const int64_t columns = 8 * size, edge = strcmp(array, "deep") == 0 ? 2 * size : size;

    if (strcmp(array, "table") == 0)
        return (struct layout){ 2, { size * size / 8, columns }, { ROWS, columns } };
    return (struct layout){ 3, { edge, edge, size }, { EDGE, EDGE, EDGE } };
}

int64_t slab_elements(const struct layout *layout)
{
    int64_t least = layout->extent[0];

    for (int axis = 1; axis < layout->ndim; axis++)
        least = layout->extent[axis] < least ? layout->extent[axis] : least;
    return box_elements(layout->ndim, layout->extent) / least * EDGE;
}

/* ---- one request ------------------------------------------------------------ */

static int64_t random_below(uint64_t seed, int64_t which, int axis, int64_t end)
{
    return (int64_t)(mix(seed + 3 * (uint64_t)which + (uint64_t)axis) % (uint64_t)end);
}

static void request_box(const struct requests *r, const struct layout *layout, int64_t which, int64_t lo[],
                        int64_t count[])
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

static int64_t request_count(const struct requests *r, const struct layout *layout)
{
    if (r->access == SLABS)
        return layout->extent[r->axis] / r->edge;
    return r->count ? r->count : 1;
}

/* Of all requests together. */
static int64_t requested_elements(const struct requests *r, const struct layout *layout)
{
    int64_t lo[MAX_NDIM], count[MAX_NDIM];

    request_box(r, layout, 0, lo, count);
    return request_count(r, layout) * box_elements(layout->ndim, count);
}

/* Boxes out of core are in proportion to the size, all else to the elements. */
static struct requests for_size(struct requests r, const struct job *job)
{
    const double part = (double)job->size / LARGE_SIZE;
    const int64_t n = (int64_t)((double)r.count * part * (r.access == LARGE_BOXES ? 1 : part * part));

    if (r.least)
        r.count = n < r.least ? r.least : n;
    r.list |= !r.singly && job->peer->best && job->peer->get_many;
    return r;
}

/* ---- all of them ------------------------------------------------------------ */

/* Who reads what. */
struct session {
    const struct job *job;
    const struct reading *reading;
    const struct peer *peer;
    struct layout layout;
    const char *path;
    int64_t (*index)[MAX_NDIM]; /* of elements */
    double *out;
    uint64_t checksum; /* of what was read */
};

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

static enum outcome get_sorted(const struct session *s, void *array, int64_t n)
{
    struct place *places = malloc((size_t)n * sizeof *places);
    enum outcome outcome = DONE;

    if (!places)
        return complain("no memory");
    for (int64_t e = 0; e < n; e++)
        places[e] = (struct place){ s->index[e], e };
    qsort(places, (size_t)n, sizeof *places, by_index);
    for (int64_t e = 0; e < n && outcome == DONE; e++)
        outcome = s->peer->get(array, places[e].index, &s->out[places[e].which]);
    free(places);
    return outcome;
}

static enum outcome get_elements(const struct session *s, void *array, const struct requests *r)
{
    enum outcome outcome = DONE;

    if (r->list)
        return s->peer->get_many ? s->peer->get_many(array, r->count, (const int64_t(*)[MAX_NDIM])s->index, s->out)
                                 : get_sorted(s, array, r->count);
    for (int64_t e = 0; e < r->count && outcome == DONE; e++)
        outcome = s->peer->get(array, s->index[e], &s->out[e]);
    return outcome;
}

static enum outcome read_boxes(struct session *s, void *array, const struct requests *r, double *out)
{
    const int64_t n = request_count(r, &s->layout);
    enum outcome outcome = DONE;

    for (int64_t which = 0; which < n && outcome == DONE; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, &s->layout, r->first + which, lo, count);
        outcome = read_for(s->peer, array, &s->layout, r->access, lo, count, out);
        if (!s->reading->piecewise)
            out += box_elements(s->layout.ndim, count);
        else if (outcome == DONE)
            outcome = check_some(r->access == SLABS ? SAMPLES : BOX_SAMPLES, s->layout.ndim, lo, count, false, out);
        if (s->reading->all)
            s->checksum = mix(s->checksum) + checksum(box_elements(s->layout.ndim, count), out);
    }
    return outcome;
}

/* Two threads, half of the boxes each, through one handle. */
struct halves {
    struct session *s;
    void *array;
    const struct requests *r;
};

static enum outcome read_half(void *with, int which)
{
    const struct halves *both = with;
    struct requests half = *both->r;
    int64_t before;

    half.count = both->r->count / 2;
    before = which * requested_elements(&half, &both->s->layout);
    if (which) {
        half.first += half.count;
        half.count = both->r->count - half.count;
    }
    return read_boxes(both->s, both->array, &half, both->s->out + before);
}

static enum outcome make_requests(struct session *s, void *array, const struct requests *r)
{
    struct halves both = { s, array, r };

    if (r->access == ELEMENTS)
        return get_elements(s, array, r);
    return r->access == SHARED_BOXES ? in_threads(2, read_half, &both) : read_boxes(s, array, r, s->out);
}

static enum outcome check_requests(const struct requests *r, const struct layout *layout, const double *out)
{
    const int64_t n = request_count(r, layout);
    enum outcome outcome = DONE;

    for (int64_t which = 0; which < n && outcome == DONE; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, layout, r->first + which, lo, count);
        outcome = check_some(r->access == ELEMENTS ? 1 : SAMPLES, layout->ndim, lo, count, r->access == FORTRAN, out);
        out += box_elements(layout->ndim, count);
    }
    return outcome;
}

/* Make the requests of the array, which is opened for them; answer the seconds under this name; check what was read. */
static enum outcome read_requests(struct session *s, const struct requests *r, const char *seconds)
{
    const int64_t elements = requested_elements(r, &s->layout);
    enum outcome outcome;
    double start;
    void *array;

    if (!s->reading->piecewise) /* what was read before */
        memset(s->out, 0xff, (size_t)elements * sizeof *s->out);
    start = now();
    outcome = s->peer->open(s->peer, s->path, &s->layout, r->access, &array);
    if (outcome != DONE)
        return outcome;
    if (!s->reading->apart)
        start = now();
    outcome = make_requests(s, array, r);
    answer_number(seconds, now() - start);
    if (s->peer->close(array) != DONE && outcome == DONE)
        outcome = FAILED;
    if (outcome != DONE || s->reading->piecewise)
        return outcome;
    s->checksum = mix(s->checksum) + checksum(elements, s->out);
    return check_requests(r, &s->layout, s->out);
}

/* ---- a workload -------------------------------------------------------------- */

/* Memory for all steps, touched, and the places of elements. What is not read apart has the same memory always. */
static enum outcome begin_session(struct session *s, const struct requests r[], int steps)
{
    const int64_t size = s->job->size, slab = slab_elements(&s->layout);
    int64_t elements = s->reading->piecewise ? slab : s->reading->apart ? 0 : size * size * size, places = 0;
    struct requests all = { .access = ELEMENTS };
    int64_t one[MAX_NDIM];

    for (int i = 0; i < steps && !s->reading->piecewise; i++) {
        const int64_t needed = requested_elements(&r[i], &s->layout);

        elements = needed > elements ? needed : elements;
        places = r[i].access == ELEMENTS && r[i].count > places ? r[i].count : places;
    }
    s->index = buffer(SLAB, (size_t)places * sizeof *s->index + (size_t)slab * sizeof *s->out);
    s->out = buffer(TARGET, (size_t)elements * sizeof *s->out);
    if (!s->index || !s->out || !buffer(STAGE, (size_t)slab * sizeof *s->out))
        return FAILED;
    for (int64_t e = 0; e < places; e++)
        request_box(&all, &s->layout, e, s->index[e], one);
    return DONE;
}

/* The peer that makes the files which this one reads. */
static const struct peer *maker_of(const struct peer *peer)
{
    for (const struct peer *const *p = peers; *p; p++)
        if (strcmp((*p)->files, peer->files) == 0 && (*p)->create && !((*p)->declines & ACCESS(GROWTH)))
            return *p;
    return peer;
}

/* By growth, synced, so that nothing is written back meanwhile. */
static enum outcome grow_again(const struct session *s, const struct peer *maker)
{
    struct grown grown;
    enum outcome outcome;

    remove_files(maker->suffixes, s->path);
    outcome = grow_array(maker, s->path, &s->layout, !(maker->declines & ACCESS(GROWTH_ALL)), &grown);
    return outcome == DONE ? sync_files(maker->suffixes, s->path) : outcome;
}

static bool is_grown(const struct session *s)
{
    return strcmp(s->reading->array, "grown") == 0;
}

/* The files, before the clock starts; truth has none. */
static enum outcome prepare_files(const struct session *s)
{
    enum outcome outcome = DONE;

    if (!*s->peer->suffixes)
        return DONE;
    if (is_grown(s))
        return grow_again(s, maker_of(s->peer));
    if (!s->reading->apart)
        return settle_cache(s->peer->suffixes, s->path, s->job->cold);
    if (!s->reading->all)
        outcome = make_cold(s->peer, s->path, s->job->argument[0]);
    return outcome == DONE && s->reading->cat ? settle_cache(s->peer->suffixes, s->path, false) : outcome;
}

/* How many chunks the requests meet: each as often as a request meets it, and once. */
static enum outcome answer_chunks(const struct requests *r, const struct layout *layout)
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

enum outcome run_reading(const struct work *work, const struct job *job)
{
    const struct reading *const reading = work->reading;
    struct session s = {
        job, reading, job->peer, array_layout(reading->array, job->size), path_of(job, reading->array), NULL, NULL, 0
    };
    struct requests r[STEPS];
    enum outcome outcome;
    int64_t before;
    int steps = 0;

    for (; steps < STEPS && reading->step[steps].seconds; steps++)
        r[steps] = for_size(reading->step[steps].r, job);
    if (reading->piecewise)
        allow_memory(job->size);
    outcome = prepare_files(&s);
    if (outcome == DONE)
        outcome = begin_session(&s, r, steps);
    before = resident_bytes();
    for (int i = 0; i < steps && outcome == DONE; i++)
        outcome = read_requests(&s, &r[i], reading->step[i].seconds);
    answer_integer("peak_bytes", peak_bytes() - before);
    answer_integer("bytes", requested_elements(&r[0], &s.layout) * (int64_t)sizeof(double));
    answer_integer("requests", r[0].count);
    if (!reading->piecewise || reading->all)
        answer_checksum(s.checksum);
    if (is_grown(&s))
        remove_files(maker_of(job->peer)->suffixes, s.path);
    return outcome == DONE && reading->apart ? answer_chunks(&r[0], &s.layout) : outcome;
}
