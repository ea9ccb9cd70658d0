/* The real disk: what is in the folder that a test runs in. */
#ifndef REAL_H
#define REAL_H

#include "image.h"

void real_clear(void); /* of files; and make the folders that histories use */
void real_load(struct image *im);

#endif
