/* Exact copies, with a progress bar, stopped by an interrupt. */
#ifndef COPYING_H
#define COPYING_H

#include "frame/cli.h"

/* flags: as of drx_duplicate. A copy has the permissions of the source, less what the umask takes; what is moved
 * also its owner and times, as far as that is allowed. Prints what is wrong; gives the exit code. */
int copy_array(const char *from, const char *to, unsigned flags);

#endif
