/* A contiguous file in C order through MPI-IO, by collective calls on a view of the rank's box. Small boxes go row by
 * row without a view, because setting a view is collective. */
#include <stdlib.h>

#include "bench_mp.h"

struct contiguous {
    MPI_File file;
    struct layout layout;
};

static enum outcome told(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n;

    if (code == MPI_SUCCESS)
        return DONE;
    MPI_Error_string(code, text, &n);
    return complain("%s: %s", what, text);
}

static enum outcome open_mode(const char *path, const struct layout *layout, int mode, void **out)
{
    struct contiguous *c = new_handle(sizeof *c, out);

    if (!c)
        return FAILED;
    c->layout = *layout;
    return told(MPI_File_open(MPI_COMM_WORLD, file_of(path, ".raw"), mode, MPI_INFO_NULL, &c->file), "MPI_File_open");
}

static enum outcome set_size(struct contiguous *c, const struct layout *layout)
{
    c->layout = *layout;
    return told(MPI_File_set_size(c->file, box_elements(2, layout->extent) * (MPI_Offset)sizeof(double)),
                "MPI_File_set_size");
}

static enum outcome create(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                           void **out)
{
    const int mode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;

    (void)peer;
    if (open_mode(path, layout, mode, out) != DONE)
        return FAILED;
    return access == GROWTH ? set_size(*out, layout) : DONE;
}

static enum outcome open_file(const struct peer *peer, const char *path, const struct layout *layout,
                              enum access access, void **out)
{
    (void)peer, (void)access;
    return open_mode(path, layout, MPI_MODE_RDONLY, out);
}

static enum outcome grow(void *handle, const struct growth *growth)
{
    return growth->axis ? complain("a contiguous file: axis %d cannot grow", growth->axis)
                        : set_size(handle, &growth->layout);
}

/* A short count is an error, too; some implementations report no other. */
static enum outcome counted(int code, MPI_Status *status, int64_t expected, const char *what)
{
    int n;

    if (code != MPI_SUCCESS)
        return told(code, what);
    MPI_Get_count(status, MPI_DOUBLE, &n);
    return n == expected ? DONE : complain("%s: %d elements, expected %d", what, n, (int)expected);
}

static enum outcome move(void *handle, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    const struct contiguous *c = handle;
    const int whole[2] = { (int)c->layout.extent[0], (int)c->layout.extent[1] },
              n[2] = { (int)count[0], (int)count[1] };
    const int start[2] = { (int)lo[0], (int)lo[1] };
    const int64_t all = box_elements(2, count);
    MPI_Datatype box;
    MPI_Status status;
    int code;

    MPI_Type_create_subarray(2, whole, n, start, MPI_ORDER_C, MPI_DOUBLE, &box);
    MPI_Type_commit(&box);
    code = MPI_File_set_view(c->file, 0, MPI_DOUBLE, box, "native", MPI_INFO_NULL);
    if (code == MPI_SUCCESS)
        code = writing ? MPI_File_write_at_all(c->file, 0, elements, (int)all, MPI_DOUBLE, &status)
                       : MPI_File_read_at_all(c->file, 0, elements, (int)all, MPI_DOUBLE, &status);
    MPI_Type_free(&box);
    return counted(code, &status, all, writing ? "MPI_File_write_at_all" : "MPI_File_read_at_all");
}

static enum outcome read_rows(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    const struct contiguous *c = handle;
    enum outcome outcome = DONE;
    MPI_Status status;

    for (int64_t i = 0; i < count[0] && outcome == DONE; i++) {
        const MPI_Offset offset = ((lo[0] + i) * c->layout.extent[1] + lo[1]) * (MPI_Offset)sizeof(double);

        outcome = counted(MPI_File_read_at(c->file, offset, out + i * count[1], (int)count[1], MPI_DOUBLE, &status),
                          &status, count[1], "MPI_File_read_at");
    }
    return outcome;
}

static enum outcome close_file(void *handle)
{
    struct contiguous *c = handle;
    const int code = MPI_File_close(&c->file);

    free(c);
    return told(code, "MPI_File_close");
}

static const char *const suffixes[] = { ".raw", NULL };

const struct peer mp_mpiio = {
    .name = "mpiio",
    .files = "mpiio",
    .suffixes = suffixes,
    .create = create,
    .open = open_file,
    .grow = grow,
    .move = move,
    .read = read_rows,
    .close = close_file,
};
