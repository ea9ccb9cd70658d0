/* What defined types are, as JSON. Their elements are in cli.h and json.h. */
#pragma once

#include "json.h"

/* "type", the name of any type; and "defined", what a defined one is. */
void json_type_of(struct json *j, drx_type type);
/* What a defined type is, as an object. */
void json_defined(struct json *j, const char *key, drx_type type);

/* The integer type that has the values of an enum or a bitfield; other types stay. */
drx_type integer_of(drx_type type);
