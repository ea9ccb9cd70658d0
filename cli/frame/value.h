/* Types by name; values to text and back. */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>

#include "drx.h"

/* Of defined types; what others need is less. */
enum {
    REAL_TEXT_BYTES = 32,
    VALUE_MAX_BYTES = DRX_MAX_TYPE_BYTES,
    VALUE_ALIGN_BYTES = 16,
    VALUE_TEXT_BYTES = 4 * VALUE_MAX_BYTES + 3
};

/* The type with that name in NumPy (float64, f8, <f8, double, S12, <U12, ...); 0: none. */
drx_type type_named(const char *name);
bool type_is_complex(drx_type type);
bool type_is_whole(drx_type type); /* an integer, or bool */
bool type_is_real(drx_type type);  /* an integer, bool or float */

/* The shortest decimal text that reads back as the same value; "nan" for any NaN; "true" and "false"; strings in
 * quotes. Of defined types, by value_text alone: a compound as {1, 2.5}, with the values of a field that has several in
 * braces, too; an enum by its name, or as a number that has none; a bitfield as a number; opaque bytes as 0x0a1b. What
 * does not fit ends with three dots. */
void value_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES]);
void plain_text(drx_type type, const void *value, char out[VALUE_TEXT_BYTES]);

/* Read a value from the whole of `text`; complex: a, bj or a+bj; a string: as it stands, without quotes. NULL, or what
 * is wrong, such as "is out of range". */
const char *value_of_text(drx_type type, const char *text, void *out);

/* The same number as a value of another type; false: that type does not have it, or one is none of numbers. */
bool convert_value(drx_type from, const void *value, drx_type to, void *out);

/* The integer at `value`; a uint64 as the int64 with the same bits; a bool as 0 or 1. */
int64_t whole_value(drx_type type, const void *value);

/* Part 0 (real) or 1 (imaginary) of a float or complex value, and its text. */
double real_part(drx_type type, const void *value, int part);
bool is_nan(drx_type type, const void *value); /* or a part of it */
void real_text(drx_type type, double part, char out[REAL_TEXT_BYTES]);
/* The nearest number that a type of floats has, which may be infinite; of another type, the number itself. */
double real_rounded(drx_type type, double part);

#endif
