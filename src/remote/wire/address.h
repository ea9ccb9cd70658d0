/* Where a file lies on a server, and how its requests are signed. */
#ifndef DRXI_ADDRESS_H
#define DRXI_ADDRESS_H

#include "base/base.h"

struct drxi_address {
    char *shown;     /* for messages: what the user wrote */
    char *url;       /* of requests */
    char *signature; /* of S3: "aws:amz:REGION:s3"; NULL: requests are not signed */
    char *secret;    /* then: "KEY:SECRET" */
    char *token;     /* then: a header with the session's token; or NULL */
    bool s3;
};

/* Whether a path names a file on a server: it begins with http://, https:// or s3://. */
bool drxi_is_url(const char *path);

/* DRX_EINVAL: not an address. On failure nothing is to be freed. */
drx_status drxi_address_make(const char *url, struct drxi_address *out);
void drxi_address_free(struct drxi_address *address);

#endif
