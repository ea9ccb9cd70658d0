/* What the program prints of names and texts that anybody may have made. */
#include <json-c/json.h>

#include "fuzz.h"
#include "program.h"

void fuzz_check_shown(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)text[i];

        fuzz_require(c == '\n' || (c >= 0x20 && c != 0x7f));
        fuzz_require(c != 0xc2 || (unsigned char)text[i + 1] >= 0xa0);
    }
}

void fuzz_check_json(const char *text, size_t n)
{
    struct json_tokener *tokener = json_tokener_new_ex(64);
    struct json_object *object;

    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    object = json_tokener_parse_ex(tokener, text, (int)n);
    fuzz_require(n == 0 || json_tokener_get_error(tokener) == json_tokener_success);
    json_object_put(object);
    json_tokener_free(tokener);
}
