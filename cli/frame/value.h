/* Types by name; values to text and back. */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "drx.h"

enum { REAL_TEXT_BYTES = 32, VALUE_TEXT_BYTES = 2 * REAL_TEXT_BYTES + 2, VALUE_MAX_BYTES = 16 };

/* The type that NumPy calls so (float64, f8, <f8, double, ...), 0 for none. */
drx_type type_named(const char *name);
bool type_is_complex(drx_type type);
bool type_is_whole(drx_type type); /* an integer */

/* The decimal text, the shorter the better, from which the same value is read back; of a NaN only "nan". */
void value_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES]);

/* Read a value of `type` from the whole of `text`: NULL, or what is wrong with it, as in "is out of range". A
 * complex number is a, bj or a+bj. */
const char *value_of_text(drx_type type, const char *text, void *out);

/* The same number as a value of another type; false when there is none. */
bool convert_value(drx_type from, const void *value, drx_type to, void *out);

/* The whole number at `value`; that of a uint64 as the int64 of the same bits. */
int64_t whole_value(drx_type type, const void *value);

/* Part 0 (real) or 1 (imaginary) of a float or complex value, and its text. */
double real_part(drx_type type, const void *value, int part);
void real_text(drx_type type, double part, char out[REAL_TEXT_BYTES]);

#endif
