/* Files of Disk Resident Arrays: F.info, and F or F.0, F.1, ... with the elements.
 *
 * Input: the length of F.info (u16), it, and the bytes that each of the files has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "old_file.h"

enum { FILES = 4, MOST_ELEMENTS = 1 << 12 };

/* What was opened has all of its elements: its files are long enough. */
static bool read_all(const struct old_file *f)
{
    const int64_t lo[DRX_MAX_NDIM] = { 0 }, n = fuzz_elements(f->ndim, f->shape, MOST_ELEMENTS);
    int64_t stride[DRX_MAX_NDIM];
    char *buf;

    if (n < 0)
        return false;
    buf = malloc((size_t)n * drx_type_size(f->type));
    fuzz_require(buf);
    old_file_strides(f, f->shape, DRX_COL_MAJOR, stride);
    fuzz_require(old_file_read(f, lo, f->shape, stride, buf) == DRX_OK);
    free(buf);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    size_t ninfo = fuzz_number(&in, 2);
    uint8_t *info = fuzz_bytes(&in, &ninfo);
    char name[16];
    struct old_file f = { 0 };
    bool small = false;

    fuzz_write_file("f.info", info, ninfo);
    fuzz_write_file("f", in.at, in.left);
    for (int k = 0; k < FILES; k++) {
        (void)snprintf(name, sizeof name, "f.%d", k);
        fuzz_write_file(name, in.at, in.left);
    }
    if (old_file_open(&f, "f") == DRX_OK)
        small = read_all(&f);
    else
        fuzz_require(drx_last_error()[0]);
    old_file_close(&f);
    if (small)
        fuzz_require(fuzz_program((const char *[]){ "import", "f.info", "a", "--force", NULL }) == 0);
    fuzz_clear_scratch();
    free(info);
    return 0;
}
