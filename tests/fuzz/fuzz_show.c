/* What the program prints of an array that anybody may have made has no control characters, and its JSON is valid.
 *
 * Input: a byte of flags (1: the checksums are made right), the length of the records of `.xmd` (u16), these, and
 * `.xta`. */
#include <stdlib.h>

#include "drx_tools.h"
#include "fuzz.h"

enum { SEAL = 1, MOST_ELEMENTS = 1 << 10, MOST_CHUNKS = 1 << 8, MOST_AXIS = 1 << 12 };

static void show(const char *const words[], bool json)
{
    char *out;
    size_t bytes;

    (void)fuzz_program_output(words, &out, &bytes);
    fuzz_check_shown(out, bytes);
    if (json)
        fuzz_check_json(out, bytes);
    free(out);
}

/* Whether it can be shown in a moment. */
static bool is_small(void)
{
    drx_array *a;
    bool small;

    if (drx_open("a", DRX_RDONLY, &a))
        return true;
    small = drx_chunk_count(a) <= MOST_CHUNKS && fuzz_elements(drx_ndim(a), drx_shape(a), MOST_ELEMENTS) >= 0;
    for (int j = 0; j < drx_ndim(a); j++)
        small = small && drx_shape(a)[j] <= MOST_AXIS;
    (void)drx_close(a);
    return small;
}

static void show_all(void)
{
    show((const char *[]){ "info", "a", NULL }, false);
    show((const char *[]){ "info", "--json", "a", NULL }, true);
    if (!is_small())
        return;
    show((const char *[]){ "check", "a", NULL }, false);
    show((const char *[]){ "check", "--json", "a", NULL }, true);
    show((const char *[]){ "map", "a", NULL }, false);
    show((const char *[]){ "map", "--json", "a", NULL }, true);
    show((const char *[]){ "map", "a", "-o", "m.svg", NULL }, false);
    show((const char *[]){ "read", "a", NULL }, false);
    show((const char *[]){ "view", "a", "--terminal", NULL }, false);
    show((const char *[]){ "view", "a", "-o", "v.png", "--size", "160x120", NULL }, false);
    show((const char *[]){ "export", "a", "x.npy", NULL }, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    const uint64_t flags = fuzz_number(&in, 1);
    size_t nmeta = fuzz_number(&in, 2);
    uint8_t *meta = fuzz_log(&in, &nmeta, flags & SEAL);

    if (!fuzz_is_slow(meta, nmeta)) {
        fuzz_write_file("a.xmd", meta, nmeta);
        fuzz_write_file("a.xta", in.at, in.left);
        show_all();
        fuzz_clear_scratch();
    }
    free(meta);
    return 0;
}
