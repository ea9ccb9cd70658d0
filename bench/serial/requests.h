/* Requests of an array, and the array that they are made of. */
#ifndef BENCH_REQUESTS_H
#define BENCH_REQUESTS_H

#include "../common/bench.h"

/* A number of requests that a workload makes one after the other, or elements as one list. */
struct requests {
    enum access access; /* all but GROWTH and FIRST; PLANES and LAST_PLANES are evenly spaced */
    int axis;           /* of planes and slabs */
    int64_t first;      /* the number of the first of them */
    int64_t count;      /* of slabs: as many as there are */
    int64_t edge;       /* of boxes; how wide a strip, how thick a slab is */
    bool list;          /* all elements by one call, where the peer has one; else one by one, sorted */
};

/* This many for a cube of 512^3, of a smaller one in proportion. */
int64_t in_proportion(int64_t count, int64_t least, int64_t size);
void request_box(const struct requests *r, const struct layout *layout, int64_t which, int64_t lo[], int64_t count[]);
int64_t request_count(const struct requests *r, const struct layout *layout);
/* Of all requests together. */
int64_t requested_elements(const struct requests *r, const struct layout *layout);
/* Answer how many chunks the requests meet: each as often as a request meets it, or once. */
enum outcome answer_chunks(const struct requests *r, const struct layout *layout);

/* Who reads what. */
struct session {
    const struct peer *peer;
    struct layout layout;
    char path[PATH_BYTES];
    int64_t (*index)[MAX_NDIM]; /* of elements */
    double *out;
    uint64_t checksum; /* of what was read */
    bool opening;      /* opening is in the time */
};

/* A cube of doubles in chunks of 32 x 32 x 32, and a table whose chunks are rows. */
struct layout array_layout(bool table, int64_t size);
/* Begin to read the array, a table where the requests are of strips. Memory for them, or for `elements`, if these are
 * more, is there, and touched; and for the places of `places` elements. */
enum outcome begin_session(const struct job *job, const char *array, const struct requests *r, int64_t elements,
                           int64_t places, struct session *s);
/* Make the requests of the array, which is opened for them; answer the seconds under this name; check what was read. */
enum outcome read_requests(struct session *s, const struct requests *r, const char *name);

#endif
