/* Files of NumPy, and of bare elements, as sources: one array each. */
#include <stdlib.h>
#include <string.h>

#include "formats/import_source.h"
#include "frame/cli.h"
#include "npy.h"
#include "npy_bytes.h"

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
    if (raw ? !npy_open_raw(npy, s->file, s->raw) : !npy_open(npy, s->file)) {
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

/* Does a pipe of bare elements end behind the box, if that is the last one? */
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

static char *no_coordinate(const struct source *s, int axis)
{
    (void)s, (void)axis;
    return NULL;
}

const struct source_kind npy_source = { open_npy, close_either, read_either, no_attributes, no_coordinate };
const struct source_kind raw_source = { open_raw, close_either, read_either, no_attributes, no_coordinate };
