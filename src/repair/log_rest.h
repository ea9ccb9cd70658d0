/* What follows the records that count in the log of a lone array (spec/drx-format.md, 5.1 and
 * 5.2): for a check, and for a repair. */
#ifndef DRXI_LOG_REST_H
#define DRXI_LOG_REST_H

#include "array/array.h"
#include "lone/lone.h"

/* The last bound of an axis that a record there tells. */
struct drxi_said {
    int64_t bound;
    uint64_t by; /* the number of the record; 0: none */
};

struct drxi_log_rest {
    const struct drxi_log *log;
    struct drxi_log_place end;  /* of what counts */
    struct drxi_log_place open; /* of the records behind it that are next in the chain; `end`: there are none */
    int64_t size;               /* of the file */
    int64_t whole;              /* records behind `end` that are whole, in the chain or not */
    uint64_t last;              /* the number of the last one; 0: none */
    uint64_t later;             /* of one that a later version wrote; 0: none */
    int64_t n[DRXI_LOG_KINDS];  /* by kind */
    struct drxi_said said[2][DRX_MAX_NDIM]; /* by end */
    bool trimmed;                           /* a TRIM is among them, or was: a live word has its number */
};

drx_status drxi_log_rest_look(const struct drxi_log *log, struct drxi_log_rest *out);
/* The records of the open transaction, without the growth that the state knows as an append. */
uint64_t drxi_log_rest_open(const struct drxi_log_rest *rest);
/* Tell, line by line, what cutting a damaged log behind what counts loses; or why it is not cut: rest->later. */
void drxi_log_rest_tell(const struct drxi_log_rest *rest, void (*tell)(void *user, const char *text), void *user);

#endif
