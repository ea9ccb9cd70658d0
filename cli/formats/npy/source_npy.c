/* Files of NumPy, and of bare elements, as sources: one array each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/source.h"
#include "npy.h"

/* Does the file have the right length? */
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

/* Read a pipe up to its first element. */
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

static bool open_bare(struct npy *npy, const char *name, const struct raw *raw)
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

static bool has_no_variables(const struct source *s)
{
    if (!s->name)
        return true;
    return !failed("%s: holds one array; remove ':%s'", s->file, s->name);
}

static bool open_either(struct source *s, bool raw)
{
    struct npy *npy;

    if (!has_no_variables(s))
        return false;
    npy = calloc(1, sizeof *npy);
    if (!npy)
        return !out_of_memory(sizeof *npy);
    if (raw ? !open_bare(npy, s->file, s->raw) : !npy_open(npy, s->file)) {
        free(npy);
        return false;
    }
    s->state = npy;
    s->type = npy->type;
    s->order = npy->order;
    s->pipe = npy->pipe;
    s->ndim = npy->ndim;
    memcpy(s->shape, npy->shape, sizeof s->shape);
    return true;
}

static bool open_npy(struct source *s)
{
    return open_either(s, false);
}

static bool open_raw(struct source *s)
{
    return open_either(s, true);
}

static void close_either(struct source *s)
{
    if (s->state)
        npy_close(s->state);
    free(s->state);
}

/* Does a pipe of bare elements end after the last box? */
static bool ends_there(const struct source *s, const int64_t lo[], const int64_t count[])
{
    char more;

    for (int j = 0; j < s->ndim; j++)
        if (lo[j] + count[j] < s->shape[j])
            return true;
    if (!s->raw || s->raw->offset >= 0 || !s->pipe || !npy_get(s->state, &more, 1, 0))
        return true;
    return !failed("%s: goes on after the elements of --shape", s->label);
}

static bool read_either(struct source *s, const int64_t lo[], const int64_t count[], void *buf)
{
    return npy_read(s->state, lo, count, buf) && ends_there(s, lo, count);
}

static int no_attributes(const struct source *s, drx_array *a, const char *path)
{
    (void)s, (void)a, (void)path;
    return DONE;
}

const struct source_kind npy_source = { open_npy, close_either, read_either, no_attributes, NULL, NULL };
const struct source_kind raw_source = { open_raw, close_either, read_either, no_attributes, NULL, NULL };
