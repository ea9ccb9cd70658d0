/* The exports of processes, as `drx dap check` reads them.
 *
 * Input: the bytes of the file. */
#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const check[] = { "dap", "check", "x.json", "--json", NULL };
    static const char *const check_plainly[] = { "dap", "check", "x.json", NULL };
    char *text, *object;
    size_t text_bytes, object_bytes;

    fuzz_write_file("x.json", data, n);
    fuzz_require(fuzz_program_output(check_plainly, &text, &text_bytes) ==
                 fuzz_program_output(check, &object, &object_bytes));
    fuzz_check_shown(text, text_bytes);
    fuzz_check_shown(object, object_bytes);
    fuzz_check_json(object, object_bytes);
    free(text);
    free(object);
    fuzz_clear_scratch();
    return 0;
}
