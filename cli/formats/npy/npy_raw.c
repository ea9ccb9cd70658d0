/* A file of bare elements, as if it were an .npy file with its header elsewhere. */
#include <inttypes.h>
#include <string.h>

#include "arrays/slabs.h"
#include "formats/import_source.h"
#include "frame/cli.h"
#include "npy.h"
#include "npy_bytes.h"

/* Is the file as long as it should be? */
static bool check_length(const struct npy *npy, const struct raw *raw, int64_t file_bytes)
{
    const int64_t bytes = box_bytes(npy->ndim, npy->shape, drx_type_size(npy->type));
    int64_t end;

    if (bytes < 0 || __builtin_add_overflow(bytes, npy->start, &end))
        return !failed("%s: --shape and --type give a size that does not fit in 64 bits", npy->name);
    if (npy->pipe || file_bytes == end || (file_bytes > end && raw->offset >= 0))
        return true;
    return !failed("%s: has %" PRId64 " bytes, expected %" PRId64 " from --shape and --type%s", npy->name, file_bytes,
                   end,
                   file_bytes > end   ? "; give --offset if the file holds other bytes, too"
                   : raw->offset >= 0 ? " after --offset"
                                      : "");
}

/* A pipe is brought to its first element by reading. */
static bool skip(const struct npy *npy)
{
    char bytes[4096];
    size_t n;

    for (int64_t left = npy->pipe ? npy->start : 0; left > 0; left -= (int64_t)n) {
        n = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        if (!npy_get(npy, bytes, n, 0))
            return !failed("%s: ends before --offset %" PRId64, npy->name, npy->start);
    }
    return true;
}

bool npy_open_raw(struct npy *npy, const char *name, const struct raw *raw)
{
    int64_t bytes;

    if (!npy_open_file(npy, name, &bytes))
        return false;
    npy->type = raw->type;
    npy->swapped = raw->swapped;
    npy->order = raw->order;
    npy->ndim = raw->shape.n;
    memcpy(npy->shape, raw->shape.of, sizeof npy->shape);
    npy->start = raw->offset > 0 ? raw->offset : 0;
    if (check_length(npy, raw, bytes) && skip(npy))
        return true;
    npy_close(npy);
    return false;
}
