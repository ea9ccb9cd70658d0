/* File systems that a test makes for itself and that vanish with it. */
#ifndef DISKS_H
#define DISKS_H

#include "testing.h"

/* Be where this process may mount what others do not see, if need be as the root of a user namespace; false: it may
 * not.
 */
bool disks_enter(void);

/* In a new folder, of 64 MiB: in memory, or ext4 in a file; false: not here. */
bool disks_mount_memory(const char *folder);
bool disks_mount_ext4(const char *folder);

/* Leave this many bytes of room there, with a file `filler` that takes the rest; and remove that file. */
void disks_fill_up(const char *folder, long long left);
void disks_make_room(const char *folder);

#endif
