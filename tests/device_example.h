/* A device to copy: see device_example.c and docs/devices.md. */
#pragma once

#include "io/io.h"

/* Make a file that counts what is read from `inner` and written to it, and owns it from then on. */
drx_status drxi_counted_open(drxi_io *inner, drxi_io **out);
/* How many bytes were read and written so far. `io` is such a file. */
void drxi_counted_bytes(const drxi_io *io, int64_t *read, int64_t *written);

/* A table for drxi_files that opens such files. */
const struct drxi_files *drxi_counted_files(void);
