/* Bytes of a file through MPI-IO, on each rank alone. The file is also open in another table (`own`), which keeps its
 * name and lock, and does what MPI has no call for.
 *
 * Open MPI's OMPIO may report success after moving too few bytes, so the code checks the count after each call. */
#include "io/lacking.h"
#include "io/passing/passing.h"
#include "mp/move/move.h"

enum { CALL_BYTES = 1 << 30 }; /* counts are int, and some MPI libraries fail with more */

struct mpi_io {
    struct drxi_passing pass; /* first; the file within is the other table */
    MPI_File file;
};

static struct mpi_io *mpi_io_of(drxi_io *io)
{
    return (struct mpi_io *)io;
}

static drxi_io *own_of(drxi_io *io)
{
    return mpi_io_of(io)->pass.inner;
}

static drx_status status_of(int code)
{
    int class = MPI_ERR_OTHER;

    (void)MPI_Error_class(code, &class);
    switch (class) {
    case MPI_ERR_NO_SPACE:
    case MPI_ERR_QUOTA:
        return DRX_ENOSPC;
    case MPI_ERR_IO:
        return DRX_EIO;
    case MPI_ERR_ACCESS:
    case MPI_ERR_READ_ONLY:
        return DRX_EACCES;
    case MPI_ERR_NO_SUCH_FILE:
        return DRX_ENOENT;
    default:
        return DRX_EMPI;
    }
}

drx_status drxi_mpi_file(int code, const char *path, const char *what)
{
    if (code == MPI_SUCCESS)
        return DRX_OK;
    (void)drxi_mpi(code, what);
    return drxi_fail(status_of(code), "%s: %s", path, drx_last_error());
}

int drxi_mpi_moved(const MPI_Status *status)
{
    int n = 0;

    return MPI_Get_count(status, MPI_BYTE, &n) == MPI_SUCCESS && n != MPI_UNDEFINED ? n : 0;
}

drx_status drxi_mpi_write_failed(drxi_io *io, int code, int64_t begin, int64_t end)
{
    drx_status st = io->ops->reserve(io, begin, end);

    if (st)
        return st;
    if (code != MPI_SUCCESS && status_of(code) != DRX_EMPI)
        return drxi_mpi_file(code, io->path, "writing");
    return drxi_fail(DRX_EIO, "%s: writing bytes %lld to %lld: MPI-IO did not store all of them", io->path,
                     (long long)begin, (long long)end);
}

/* A read at the offset gave nothing, so the file must end there. */
static drx_status check_end(drxi_io *io, int64_t offset)
{
    int64_t bytes;
    drx_status st = io->ops->size(io, &bytes);

    if (!st && offset < bytes)
        st = drxi_fail(DRX_EIO, "%s: reading at offset %lld: MPI-IO gave nothing, the file has %lld bytes", io->path,
                       (long long)offset, (long long)bytes);
    return st;
}

static drx_status mpi_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    uint8_t *p = buf;
    int moved = 1;
    drx_status st = DRX_OK;

    *got = 0;
    while (!st && moved > 0 && *got < n) {
        const int64_t at = offset + (int64_t)*got;
        const int part = (int)drxi_min((int64_t)(n - *got), CALL_BYTES);
        MPI_Status status;

        st = drxi_mpi_file(MPI_File_read_at(mpi_io_of(io)->file, at, p + *got, part, MPI_BYTE, &status), io->path,
                           "reading");
        moved = st ? 0 : drxi_mpi_moved(&status);
        *got += (size_t)moved;
        if (!st && moved == 0)
            st = check_end(io, at);
    }
    return st;
}

static drx_status mpi_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    const uint8_t *p = buf;

    while (n > 0) {
        const int part = (int)drxi_min((int64_t)n, CALL_BYTES);
        MPI_Status status;
        const int code = MPI_File_write_at(mpi_io_of(io)->file, offset, p, part, MPI_BYTE, &status);
        const int moved = code == MPI_SUCCESS ? drxi_mpi_moved(&status) : 0;

        if (moved == 0)
            return drxi_mpi_write_failed(io, code, offset, offset + (int64_t)n);
        p += moved;
        n -= (size_t)moved;
        offset += moved;
    }
    return DRX_OK;
}

static drx_status mpi_size(drxi_io *io, int64_t *bytes)
{
    MPI_Offset n = 0;
    drx_status st = drxi_mpi_file(MPI_File_get_size(mpi_io_of(io)->file, &n), io->path, "asking for its length");

    *bytes = n;
    return st;
}

/* When MPI cannot, the system may say why. */
static drx_status mpi_resize(drxi_io *io, int64_t bytes)
{
    int64_t now = 0;
    drx_status st = drxi_mpi_file(MPI_File_set_size(mpi_io_of(io)->file, bytes), io->path, "setting its length"), why;

    if (!st)
        st = mpi_size(io, &now);
    if (!st && now != bytes)
        st = drxi_fail(DRX_EIO, "%s: MPI-IO has not set its length to %lld bytes", io->path, (long long)bytes);
    why = st ? own_of(io)->ops->resize(own_of(io), bytes) : DRX_OK;
    return why ? why : st;
}

/* Sync both: the system reports a late error of writing once to each open file. */
static drx_status mpi_sync(drxi_io *io)
{
    drx_status st = drxi_mpi_file(MPI_File_sync(mpi_io_of(io)->file), io->path, "making it durable");

    return st ? st : own_of(io)->ops->sync(own_of(io));
}

static drx_status mpi_close(drxi_io *io)
{
    drxi_io *own = own_of(io);
    const bool is_open = mpi_io_of(io)->file != MPI_FILE_NULL;
    drx_status st = is_open ? drxi_mpi_file(MPI_File_close(&mpi_io_of(io)->file), io->path, "closing it") : DRX_OK;
    drx_status other;

    (void)drxi_pass_leave(io);
    other = own ? own->ops->close(own) : DRX_OK;
    return st ? st : other;
}

/* Room is reserved by the other table: MPI_File_preallocate would write zeros. */
static const struct drxi_io_ops mpi_ops = {
    .read = mpi_read,
    .write = mpi_write,
    .size = mpi_size,
    .resize = mpi_resize,
    .sync = mpi_sync,
    .sole = drxi_no_sole,
    .replace = drxi_no_replace,
    .close = mpi_close,
};

/* Hints that turn off two-phase I/O and data sieving in ROMIO, unless the user wants the former. The exchange has
 * assembled chunks already. Two-phase I/O hides which rank failed, and data sieving writes bytes of other ranks. */
static drx_status make_hints(const char hints[], MPI_Info *info)
{
    drx_status st;

    static const char *const off[] = { "romio_cb_read", "romio_cb_write", "romio_ds_read", "romio_ds_write" };
    int code = MPI_Info_create(info);

    if (code != MPI_SUCCESS)
        *info = MPI_INFO_NULL;
    for (size_t i = 0; code == MPI_SUCCESS && i < sizeof off / sizeof off[0]; i++)
        code = MPI_Info_set(*info, off[i], "disable");
    st = drxi_mpi(code, "making hints");
    return st ? st : drxi_hints_give(hints, *info);
}

drx_status drxi_mpi_open(MPI_Comm comm, const char *path, bool writable, const char hints[], MPI_File *file)
{
    MPI_Info info;
    drx_status st = make_hints(hints, &info);
    const int code = MPI_File_open(comm, path, writable ? MPI_MODE_RDWR : MPI_MODE_RDONLY, info, file);

    if (info != MPI_INFO_NULL)
        (void)MPI_Info_free(&info);
    if (code == MPI_SUCCESS)
        (void)MPI_File_set_errhandler(*file, MPI_ERRORS_RETURN);
    else
        *file = MPI_FILE_NULL;
    return st ? st : drxi_mpi_file(code, path, "opening it by MPI-IO");
}

drx_status drxi_mpi_tell(MPI_File file, MPI_Info to)
{
    MPI_Info info;
    int n = 0, there, code = MPI_File_get_info(file, &info);

    if (code != MPI_SUCCESS)
        return drxi_mpi(code, "asking for hints");
    code = MPI_Info_get_nkeys(info, &n);
    for (int i = 0; code == MPI_SUCCESS && i < n; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];

        code = MPI_Info_get_nthkey(info, i, key);
        if (code == MPI_SUCCESS)
            code = MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &there);
        if (code == MPI_SUCCESS && there)
            code = MPI_Info_set(to, key, value);
    }
    (void)MPI_Info_free(&info);
    return drxi_mpi(code, "asking for hints");
}

drx_status drxi_mpi_io_open(drxi_io *own, bool writable, const char hints[], drxi_io **out)
{
    struct mpi_io *io = drxi_calloc(1, sizeof *io);
    bool named = false;
    drx_status st;

    *out = NULL;
    if (!io)
        return DRX_ENOMEM;
    if (drxi_pass_on(&io->pass, own, &mpi_ops)) {
        drxi_free(io);
        return DRX_ENOMEM;
    }
    io->pass.io.callers_only = true;
    st = drxi_mpi_open(MPI_COMM_SELF, own->path, writable, hints, &io->file);
    if (!st)
        st = own->ops->named(own, &named);
    if (!st && !named)
        st = drxi_fail(DRX_EMISMATCH, "%s: replaced by another file since it was opened", own->path);
    if (st) {
        drxi_mpi_io_let_go(&io->pass.io);
        (void)mpi_close(&io->pass.io);
    } else {
        *out = &io->pass.io;
    }
    return st;
}

drxi_io *drxi_mpi_io_own(drxi_io *io)
{
    return own_of(io);
}

void drxi_mpi_io_let_go(drxi_io *io)
{
    mpi_io_of(io)->pass.inner = NULL;
}
