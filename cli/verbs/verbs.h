/* The verbs of the program, and what several of them say. */
#ifndef VERBS_H
#define VERBS_H

#include "frame/cli.h"

extern const struct verb verb_advise, verb_append, verb_check, verb_chmod, verb_compact, verb_copy, verb_cp,
    verb_create, verb_dap, verb_export, verb_extend, verb_import, verb_info, verb_log, verb_map, verb_mv, verb_read,
    verb_rm, verb_view, verb_write;

#define SHARED_HELP "let other writers that also give --shared work on the array at the same time"
#define STRIPE_HELP "spread the chunks over these folders, as drx create does"

#endif
