/* All ranks as the hands of a history of tests/model. */
#ifndef MP_HANDS_H
#define MP_HANDS_H

#include "model/model.h"
#include "mp_testing.h"

extern const struct hands ranks;

#endif
