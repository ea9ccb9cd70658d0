/* What the workloads of the disk share: requests of an array, and the memory of the machine. */
#ifndef BENCH_DISK_H
#define BENCH_DISK_H

#include "../common/bench.h"

/* A number of requests that a workload makes one after the other, or elements as one list. */
struct requests {
    enum access access; /* WHOLE, FORTRAN, PLANES or LAST_PLANES (evenly spaced), ELEMENTS, BOXES, LARGE_BOXES, SLABS */
    int axis;           /* of planes and slabs */
    int64_t count;      /* of slabs: as many as there are */
    int64_t edge;       /* of boxes; how thick a slab is */
    bool list;          /* all elements by one call, where the peer has one; else one by one, sorted */
};

/* ---- disk_requests.c ---------------------------------------------------------- */

void request_box(const struct requests *r, const struct layout *layout, int64_t which, int64_t lo[], int64_t count[]);
int64_t request_count(const struct requests *r, const struct layout *layout);
/* Of all requests together. */
int64_t requested_elements(const struct requests *r, const struct layout *layout);
/* Make them all; the answers fill `out` one after the other. `index` has the elements, where these are requested. */
enum outcome make_requests(const struct peer *peer, void *array, const struct requests *r, const struct layout *layout,
                           const int64_t (*index)[MAX_NDIM], double *out);
enum outcome check_requests(const struct requests *r, const struct layout *layout, const double *out);
/* Answer how many chunks the requests meet: each as often as a request meets it, or once. */
enum outcome answer_chunks(const struct requests *r, const struct layout *layout);

/* ---- disk_memory.c --------------------------------------------------------------- */

/* Bring the files of the array out of the page cache, and answer what part stayed. `all`: the whole cache, as far as
 * the system permits. */
enum outcome make_cold(const struct peer *peer, const char *path, bool all);
/* Resident memory of this process with mapped pages, now and at most; 0: not known. */
int64_t resident_bytes(void);
int64_t peak_bytes(void);
enum outcome sync_files(const struct peer *peer, const char *path);
/* Read the files from end to end, as cat does. */
enum outcome read_plainly(const struct peer *peer, const char *path);
/* balloon: lock all memory but `argument` MiB until the process ends. */
enum outcome inflate(const struct work *work, const struct job *job);

/* ---- work_deep.c ------------------------------------------------------------------- */

/* Make the array by growth along all axes in turn, or along axis 0 by a peer that knows no other. Answers the seconds
 * that the elements took to compute. */
enum outcome grow_array(const struct peer *peer, const char *path, const struct layout *layout);

extern const struct work deep_works[];

#endif
