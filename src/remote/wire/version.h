/* The state of a file on a server, as the server tells states apart. */
#ifndef DRXI_VERSION_H
#define DRXI_VERSION_H

#include "base/base.h"

struct drxi_version {
    char etag[256];    /* as it stands in the header; "": none */
    char modified[64]; /* the header Last-Modified; "": none */
    bool fresh;        /* it was changed a moment before the answer; another change may have given it the same state */
    int64_t bytes;     /* the length of the file; -1: not told */
};

/* Whether two answers are of one state. A server that gave an ETag gives it with every answer. */
bool drxi_version_same(const struct drxi_version *a, const struct drxi_version *b);

/* Whether the server tells states apart, but for their lengths. */
static inline bool drxi_version_tells(const struct drxi_version *v)
{
    return *v->etag || *v->modified;
}

/* The header that lets a server answer only while the file has this state, or only when it has another one. False: the
 * server told nothing that could stand there. `room` bytes are enough with DRXI_CONDITION_BYTES. */
enum { DRXI_CONDITION_BYTES = 320 };
bool drxi_version_condition(const struct drxi_version *v, bool another, char *header, size_t room);

#endif
