/* The exports of processes, as `drx dap check` reads them.
 *
 * Input: the bytes of the file. */
#include <stdlib.h>

#include "fuzz.h"
#include "program.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_enter_scratch();
    return 0;
}

static int check(char *option, char **out, size_t *bytes)
{
    char verb[] = "dap", word[] = "check", file[] = "x.json";
    char *const words[] = { verb, word, file, option };

    return fuzz_program_output(option ? 4 : 3, words, out, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char json[] = "--json", *text, *object;
    size_t text_bytes, object_bytes;

    fuzz_write_file("x.json", data, n);
    fuzz_require(check(NULL, &text, &text_bytes) == check(json, &object, &object_bytes));
    fuzz_check_shown(text, text_bytes);
    fuzz_check_shown(object, object_bytes);
    fuzz_check_json(object, object_bytes);
    free(text);
    free(object);
    fuzz_clear_scratch();
    return 0;
}
