/* The command line: verbs, words, options; sizes, shapes, selections, fills, types, ranges, dates.
 *
 * Input: words, each with a NUL behind. They are run in a folder with a few small arrays and files; a word can name
 * nothing outside of it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MOST_WORDS = 24, MOST_BYTES = 1 << 12 };

static void make_array(const char *path, int ndim, const int64_t shape[], drx_type type)
{
    const char *const dims[] = { "time", "y" };
    const int64_t chunk[] = { 2, 3 };
    const drx_spec spec = { .ndim = ndim, .type = type, .shape = shape, .chunk = chunk, .dims = dims };
    drx_array *a;

    fuzz_require(drx_create(path, &spec, &a) == DRX_OK);
    fuzz_require(drx_extend(a, 0, 1) == DRX_OK);
    fuzz_require(drx_attr_set_text(a, "units", "days since 1982-01-01") == DRX_OK);
    fuzz_require(drx_close(a) == DRX_OK);
}

static void make_files(void)
{
    static const char npy[] = "\x93NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }         "
                              "                                                  \n";
    char file[128 + 24] = { 0 };

    memcpy(file, npy, sizeof npy - 1);
    make_array("a", 2, (const int64_t[]){ 3, 4 }, DRX_FLOAT32);
    make_array("b", 1, (const int64_t[]){ 5 }, DRX_INT16);
    fuzz_write_file("x.npy", file, sizeof file);
    fuzz_write_file("x.raw", file, 24);
}

/* Does it not lead out of the folder? */
static bool is_harmless(const char *word)
{
    return !strchr(word, '/') && !strstr(word, "..");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    const char *words[MOST_WORDS + 1] = { NULL };
    char *text;
    int nwords = 0;
    bool harmless = true;

    n = MOST_BYTES;
    text = (char *)fuzz_bytes(&in, &n);
    for (size_t at = 0; at < n && nwords < MOST_WORDS;) {
        char *end = memchr(text + at, '\0', n - at);

        if (!end)
            break;
        words[nwords++] = text + at;
        harmless = harmless && is_harmless(text + at);
        at = (size_t)(end - text) + 1;
    }
    if (harmless && nwords > 0) {
        make_files();
        (void)fuzz_program(words);
        fuzz_clear_scratch();
    }
    free(text);
    return 0;
}
