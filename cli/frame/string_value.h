/* Elements that are fixed strings, as text and back. A string ends before the NULs that fill up its element. */
#ifndef STRING_VALUE_H
#define STRING_VALUE_H

#include <stdbool.h>

#include "drx.h"

/* The most bytes of UTF-8, and a NUL. */
enum { STRING_UTF8_BYTES = DRX_MAX_STRING_BYTES + 1 };

/* The bytes of a string of bytes, or Unicode in UTF-8; *n of them, which may hold NULs, and one more. False: a code
 * point that UTF-8 does not have. */
bool utf8_of_string(drx_type type, const void *value, char out[STRING_UTF8_BYTES], size_t *n);

/* n bytes, or n bytes of UTF-8, as an element. NULL, or what is wrong: "is longer than the type". */
const char *string_of_utf8(drx_type type, const char *text, size_t n, void *out);

/* In double quotes, with \n, \" and \\; bytes that are not UTF-8 and control characters are \xNN, other code points
 * that are none \uNNNN. */
void string_text(drx_type type, const void *value, char *out, size_t room);

#endif
