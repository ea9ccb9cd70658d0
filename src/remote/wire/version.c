/* States of files compared. */
#include "remote/wire/wire.h"

#include <stdio.h>

bool drxi_version_same(const struct drxi_version *a, const struct drxi_version *b)
{
    if (a->bytes >= 0 && b->bytes >= 0 && a->bytes != b->bytes)
        return false;
    if (*a->etag || *b->etag)
        return strcmp(a->etag, b->etag) == 0;
    return strcmp(a->modified, b->modified) == 0;
}

/* If-Match compares strongly, so a weak ETag never passes it. */
bool drxi_version_condition(const struct drxi_version *v, bool another, char *header, size_t room)
{
    const bool weak = strncmp(v->etag, "W/", 2) == 0;

    if (*v->etag && (another || !weak))
        (void)snprintf(header, room, "%s: %s", another ? "If-None-Match" : "If-Match", v->etag);
    else if (*v->modified)
        (void)snprintf(header, room, "%s: %s", another ? "If-Modified-Since" : "If-Unmodified-Since", v->modified);
    else
        return false;
    return true;
}
