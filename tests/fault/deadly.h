/* A process killed before the n-th of its calls to the file tables. */
#ifndef DEADLY_H
#define DEADLY_H

#include "testing.h"

/* Make `call` in a child, which dies before the n-th such call, n from 1. False: it came to its end, with success. */
bool deadly(drx_status (*call)(void), long n);

#endif
