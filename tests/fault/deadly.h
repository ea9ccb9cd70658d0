/* Kills a process before the n-th of its calls to the file tables. */
#ifndef DEADLY_H
#define DEADLY_H

#include "testing.h"

/* Make `call` in a child, which dies before the n-th such call, n from 1. False: the call completed and succeeded. */
bool deadly(drx_status (*call)(void), long n);

#endif
