/* Failures that only more than one call of a kind can tell apart. */
#ifndef SINGLE_CASES_H
#define SINGLE_CASES_H

#include "testing.h"

enum { SINGLE_CASES = 5 };

extern const struct CMUnitTest single_cases[SINGLE_CASES];

#endif
