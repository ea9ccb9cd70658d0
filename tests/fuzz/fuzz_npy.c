/* Files of NumPy, and of bare elements, as `drx import` reads them.
 *
 * Input: the bytes of the file. */
#include <stdio.h>
#include <stdlib.h>

#include "arrays/arrays.h"
#include "formats/npy/npy.h"
#include "fuzz.h"

enum { MOST_IMPORTED = 1 << 12 };

/* What the header promises is there: all of it can be read, in slabs, into this many bytes. */
static bool read_all(struct npy *npy, size_t file_bytes)
{
    static const int64_t lo[DRX_MAX_NDIM];
    const int64_t bytes = box_bytes(npy->ndim, npy->shape, drx_type_size(npy->type));
    uint8_t *buf;

    fuzz_require(npy->ndim >= 1 && npy->ndim <= DRX_MAX_NDIM && drx_type_size(npy->type) > 0);
    fuzz_require(bytes >= 0 && bytes <= (int64_t)file_bytes && npy->start <= (int64_t)file_bytes);
    buf = malloc((size_t)bytes + 1);
    fuzz_require(buf && npy_read(npy, lo, npy->shape, buf));
    free(buf);
    return bytes <= MOST_IMPORTED;
}

static void import_array(void)
{
    if (fuzz_program((const char *[]){ "import", "x.npy", "a", "--force", NULL }) == 0)
        fuzz_require(fuzz_program((const char *[]){ "export", "a", "back.npy", NULL }) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char count[24];
    struct npy npy;
    bool small;

    fuzz_write_file("x.npy", data, n);
    if (npy_open(&npy, "x.npy")) {
        small = read_all(&npy, n);
        npy_close(&npy);
        if (small)
            import_array();
    }
    (void)snprintf(count, sizeof count, "%zu", n / 2);
    if (n > 0 && n <= 64)
        (void)fuzz_program(
            (const char *[]){ "import", "x.npy", "b", "--raw", "--type", ">i2", "--shape", count, NULL });
    fuzz_clear_scratch();
    return 0;
}
