/* What the parts of the program for libdrxga share. */
#ifndef GA_DRIVER_H
#define GA_DRIVER_H

#include <drxga.h>

#include "ga_testing.h"

/* It fails with that status and with `detail` in its detail. */
#define refuse(call, status, detail) expect_refusal(call, status, detail, HERE ": " #call)
void expect_refusal(drx_status got, drx_status expected, const char *detail, const char *what);

drx_type drx_type_of(int ga_type);
/* The job ends when they differ. */
void check_array(drx_array *a, const struct model *model, const char *what);

#endif
