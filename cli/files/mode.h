/* Permissions as chmod(1) understands them. */
#ifndef MODE_H
#define MODE_H

#include <stdbool.h>
#include <sys/types.h>

/* Is `text` a mode: octal, up to 777, or [ugoa...][+-=][rwxX...|u|g|o],... ? */
bool is_mode(const char *text);

/* The new permissions of a file that has `old`. A change without u, g, o or a leaves the bits of `mask` alone. */
mode_t apply_mode(const char *text, mode_t old, mode_t mask);

#endif
