/* Random axis sets of the Distributed Array Protocol, with a plain model of each: lists of
 * what every rank holds, made without any formula of the library. */
#ifndef DAP_AXES_H
#define DAP_AXES_H

#include "dap.h"
#include "testing.h"

enum { MOST_RANKS = 7, MOST_HELD = 80 };

struct held {
    int64_t global;
    bool owned;
};

struct axis {
    int64_t nranks, size;
    struct dap_dim set[MOST_RANKS];
    int64_t indices[MOST_RANKS][MOST_HELD];     /* u */
    struct held section[MOST_RANKS][MOST_HELD]; /* by local index */
    int64_t extent[MOST_RANKS];
    int64_t low, high; /* every index is in low <= global < high */
};

/* By the letter of dist_type, over nranks <= MOST_RANKS. */
void random_axis(uint64_t *seed, int type, int64_t nranks, struct axis *out);

/* One rank of an array, with all that dap_validate wants. */
struct dap_array array_of(int ndim, const struct dap_dim dims[], const int64_t shape[]);

/* Every rank of a grid of ndim axis sets: dims[rank][axis] and shape[rank][axis], in
 * row-major order. Returns the number of ranks. */
int64_t spread(int ndim, const struct axis axes[], struct dap_dim dims[], int64_t shape[]);

/* What the last call said: the last arguments of dap_parse and dap_validate. */
extern char why[200];
#define WHY why, sizeof why

/* No status and no detail; and a status with a detail that says `what`. */
#define assert_valid(status) check_why(status, DAP_OK, "", __FILE__, __LINE__)
#define assert_wrong(status, expected, what) check_why(status, expected, what, __FILE__, __LINE__)
void check_why(int status, int expected, const char *what, const char *file, int line);
/* The ranks fit together; `says`: they do not, and why. */
#define check_set(nranks, ndim, dims, says)                                                                       \
    check_why(dap_validate_dims_set(nranks, ndim, dims, NULL, WHY), (says) ? DAP_EINVAL : DAP_OK, says, __FILE__, \
              __LINE__)

#endif
