/* Arrays that a test makes are of format version 2. */
#ifndef NEXT_FORMAT_H
#define NEXT_FORMAT_H

#include "base/hooks.h"

__attribute__((constructor)) static void choose_next_format(void)
{
    drxi_hooks.format = 2;
}

#endif
