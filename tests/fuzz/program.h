/* The program drx in this process. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>

/* Run `drx WORD ...` of n words, ended by NULL; its exit code, which is 0, 1 or 2. */
int fuzz_program(int n, char *const words[]);

/* The same, and all that it wrote to standard output: `*out`, to be freed, of *bytes bytes and a NUL. */
int fuzz_program_output(int n, char *const words[], char **out, size_t *bytes);

/* ---- shown.c ---------------------------------------------------------------------------- */

/* No control characters but the ends of lines, which a terminal could obey; JSON that is JSON. */
void fuzz_check_shown(const char *text, size_t n);
void fuzz_check_json(const char *text, size_t n);

#endif
