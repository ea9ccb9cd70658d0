/* A file in front of another one: it has some calls itself, and passes the others on. */
#pragma once

#include "io/io.h"

/* What such a file begins with. */
struct drxi_passing {
    drxi_io io;
    drxi_io *inner;
    struct drxi_io_ops ops; /* of `io` */
};

/* Make p->io a file that has the calls of `own`, and passes on to `inner` those that are NULL there. Cost and flags are
 * those of `inner`, and it has a copy of the path. Calls that read past `own` (`where`, `view`, `start`, `prefetch`)
 * are not passed on, and the cost says so. DRX_ENOMEM; DRX_EUNSUPPORTED for a pinned file, unless `own` has `state`. */
drx_status drxi_pass_on(struct drxi_passing *p, drxi_io *inner, const struct drxi_io_ops *own);
/* Free such a file, and get back the one behind it. `close` does that, and closes the other. */
drxi_io *drxi_pass_leave(drxi_io *io);

/* For calls that do more, and pass on the rest. */
static inline drxi_io *drxi_passed_to(drxi_io *io)
{
    return ((struct drxi_passing *)(void *)io)->inner;
}
