/* The verbs of the program, and what several of them say. */
#pragma once

#include "frame/cli.h"

extern const struct verb verb_add, verb_add_axis, verb_advise, verb_append, verb_attr, verb_check, verb_chmod,
    verb_compact, verb_copy, verb_cp, verb_create, verb_dap, verb_export, verb_extend, verb_import, verb_info, verb_log,
    verb_map, verb_mv, verb_prepend, verb_read, verb_refs, verb_rename, verb_retime, verb_rm, verb_run, verb_trim,
    verb_view, verb_write;

/* ---- run_verbs.c: what main.c, with all verbs, and front.c, with those that need few libraries, have in common
 * ---- */

/* Run the verb that the words name; the table ends with NULL. Gives the exit code of the process. */
int run_verbs(const struct verb *const verbs[], int argc, char **argv);
/* The path of what is installed with the program, relative to the program's folder. */
enum { PROGRAM_PATH = 8192 };
void path_from_program(char path[PROGRAM_PATH], const char *relative);
bool has_verb(const struct verb *const verbs[], const char *name);

#define AXIS_HELP "AXIS\ta number from 0 up, or the name of a dimension\n"
#define SHARED_HELP "let other writers that also give --shared work on it at the same time"
#define STRIPE_HELP "spread the chunks over these folders, as drx create does"
