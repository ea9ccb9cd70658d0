/* Permissions as chmod(1) understands them. */
#ifndef MODE_H
#define MODE_H

#include <stdbool.h>
#include <sys/types.h>

/* Is `text` a mode: octal, up to 777, or [ugoa...][+-=][rwxX...|u|g|o],... ? */
bool is_mode(const char *text);

/* What a file that is no folder and has the permissions `old` gets. A change that says not whose permissions leaves
 * alone what `mask` has. */
mode_t apply_mode(const char *text, mode_t old, mode_t mask);

#endif
