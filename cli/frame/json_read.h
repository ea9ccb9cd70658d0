/* JSON from a file. */
#ifndef JSON_READ_H
#define JSON_READ_H

#include <json-c/json.h>
#include <stddef.h>

/* The value that the file holds, "-" for the standard input; to be released with
 * json_object_put. NULL, also for a file that holds null: `why` says why. */
struct json_object *json_read(const char *path, char *why, size_t why_bytes);

#endif
